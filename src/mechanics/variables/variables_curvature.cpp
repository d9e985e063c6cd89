#include "mechanics/variables/variables_curvature.h"

#include "mechanics/machine/mixed_parameters.h"
#include "mechanics/machine/switched_model.h"
#include "mechanics/variables/variable_rates.h"

namespace cartan::mechanics {
namespace {

class VariablesCurvature final : public StateCurvature {
 public:
  VariablesCurvature(const Model& model, std::vector<double> parameters, std::vector<int> which)
      : model_(model), scratch_(model), switch_count_(count_switches(model)) {
    for (int k = -1; k < static_cast<int>(which.size()); ++k)
      moving_.push_back(mixed_parameters(model, parameters, which, k));
  }

  void rates(StateView at, std::span<const double> u, std::span<const double> w, int parameter,
             std::span<double> result) override {
    scratch_.branches.assign(at.mode.begin(), at.mode.end());
    scratch_.branches.resize(switch_count_);
    for (std::size_t i = 0; i < at.x.size(); ++i) scratch_.x[i] = Mixed(at.x[i], u[i], w[i]);
    evaluate_rates<Mixed>(model_, Mixed(at.t), scratch_.x, moving_[1 + parameter], scratch_,
                          scratch_.xdot.data());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = scratch_.xdot[i].uw;
  }

  void constraints(StateView, std::span<const double>, std::span<const double>, int,
                   std::span<double>) override {}

 private:
  const Model& model_;
  std::vector<std::vector<Mixed>> moving_;  // first those where nothing moves
  ProgramScratch<Mixed> scratch_;
  const int switch_count_;
};

}  // namespace

std::unique_ptr<StateCurvature> make_variables_curvature(const Model& model,
                                                         std::vector<double> parameters,
                                                         std::vector<int> which) {
  return std::make_unique<VariablesCurvature>(model, std::move(parameters), std::move(which));
}

}  // namespace cartan::mechanics
