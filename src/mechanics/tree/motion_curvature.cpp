#include "mechanics/tree/motion_curvature.h"

#include <map>

#include "mechanics/machine/mechanism_formula.h"
#include "mechanics/machine/mixed_parameters.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_rates.h"

namespace cartan::mechanics {
namespace {

class MotionCurvature final : public StateCurvature {
 public:
  MotionCurvature(const Model& model, std::vector<double> parameters, std::vector<int> which,
                  std::vector<Formula> functions)
      : model_(model),
        parameters_(std::move(parameters)),
        which_(std::move(which)),
        plain_(make_mechanism<double>(model, parameters_)) {
    for (Formula& formula : functions) functions_.emplace_back(plain_, std::move(formula));
  }

  void rates(StateView at, std::span<const Mixed> x, int parameter,
             std::span<Mixed> result) override {
    Moving& moving = moving_along(parameter);
    calc_tree_rates<Mixed>(moving.mechanism, solve_accelerations<Mixed>, Mixed(at.t), x.data(),
                           at.mode, result.data(), moving.scratch);
  }

  void constraints(StateView at, std::span<const Mixed> x, int parameter,
                   std::span<Mixed> result) override {
    Moving& moving = moving_along(parameter);
    calc_constraint_functions<Mixed>(moving.mechanism, Mixed(at.t), x.data(), at.mode,
                                     result.data(), moving.scratch);
  }

  Mixed function(int k, StateView at, std::span<const Mixed> x, int parameter) override {
    Moving& moving = moving_along(parameter);
    return functions_[k].value<Mixed>(moving.mechanism, Mixed(at.t), x.data(), at.mode,
                                      moving.scratch);
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

  const Model& model_;
  const std::vector<double> parameters_;
  const std::vector<int> which_;
  const Mechanism<double> plain_;
  std::vector<MechanismFormula> functions_;
  std::map<int, std::unique_ptr<Moving>> moving_;
};

}  // namespace

std::unique_ptr<StateCurvature> make_motion_curvature(const Model& model,
                                                      std::vector<double> parameters,
                                                      std::vector<int> which,
                                                      std::vector<Formula> functions) {
  return std::make_unique<MotionCurvature>(model, std::move(parameters), std::move(which),
                                           std::move(functions));
}

}  // namespace cartan::mechanics
