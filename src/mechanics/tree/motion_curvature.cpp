#include "mechanics/tree/motion_curvature.h"

#include <map>

#include "mechanics/machine/mixed_parameters.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_rates.h"

namespace cartan::mechanics {
namespace {

class MotionCurvature final : public StateCurvature {
 public:
  MotionCurvature(const Model& model, std::vector<double> parameters, std::vector<int> which)
      : model_(model), parameters_(std::move(parameters)), which_(std::move(which)) {}

  void rates(StateView at, std::span<const double> u, std::span<const double> w, int parameter,
             std::span<double> result) override {
    Moving& moving = moving_along(parameter);
    fill_point(at, u, w, moving.mechanism.state_size());
    values_.assign(at.x.size(), Mixed(0));
    calc_tree_rates<Mixed>(moving.mechanism, solve_accelerations<Mixed>, Mixed(at.t), x_.data(),
                           at.mode, values_.data(), moving.scratch);
    take(result);
  }

  void constraints(StateView at, std::span<const double> u, std::span<const double> w,
                   int parameter, std::span<double> result) override {
    Moving& moving = moving_along(parameter);
    fill_point(at, u, w, moving.mechanism.state_size());
    values_.assign(result.size(), Mixed(0));
    calc_constraint_functions<Mixed>(moving.mechanism, Mixed(at.t), x_.data(), at.mode,
                                     values_.data(), moving.scratch);
    take(result);
  }

 private:
  struct Moving {
    Mechanism<Mixed> mechanism;
    MotionWorkspace<Mixed> scratch;
  };

  // Made when first asked for.
  Moving& moving_along(int parameter) {
    auto found = moving_.find(parameter);
    if (found != moving_.end()) return *found->second;
    auto made = std::make_unique<Moving>();
    const std::vector<Mixed> values = mixed_parameters(model_, parameters_, which_, parameter);
    made->mechanism = make_mechanism<Mixed>(model_, std::span<const Mixed>(values));
    made->scratch = make_motion_workspace(made->mechanism);
    return *moving_.emplace(parameter, std::move(made)).first->second;
  }

  void fill_point(StateView at, std::span<const double> u, std::span<const double> w, int varying) {
    x_.assign(at.x.begin(), at.x.end());
    for (int i = 0; i < varying; ++i) x_[i] = Mixed(at.x[i], u[i], w[i]);
  }
  void take(std::span<double> result) const {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = values_[i].uw;
  }

  const Model& model_;
  const std::vector<double> parameters_;
  const std::vector<int> which_;
  std::map<int, std::unique_ptr<Moving>> moving_;
  std::vector<Mixed> x_, values_;
};

}  // namespace

std::unique_ptr<StateCurvature> make_motion_curvature(const Model& model,
                                                      std::vector<double> parameters,
                                                      std::vector<int> which) {
  return std::make_unique<MotionCurvature>(model, std::move(parameters), std::move(which));
}

}  // namespace cartan::mechanics
