#include "mechanics/variables/variables_curvature.h"

#include "mechanics/machine/mixed_parameters.h"
#include "mechanics/machine/switched_model.h"
#include "mechanics/variables/variable_rates.h"

namespace cartan::mechanics {
namespace {

class VariablesCurvature final : public StateCurvature {
 public:
  VariablesCurvature(const Model& model, std::vector<double> parameters, std::vector<int> which,
                     std::vector<Formula> functions)
      : model_(model),
        functions_(std::move(functions)),
        scratch_(model),
        switch_count_(count_switches(model)) {
    for (int k = -1; k < static_cast<int>(which.size()); ++k)
      moving_.push_back(mixed_parameters(model, parameters, which, k));
  }

  void rates(StateView at, std::span<const Mixed> x, int parameter,
             std::span<Mixed> result) override {
    set_branches(at);
    evaluate_rates<Mixed>(model_, Mixed(at.t), x, moving_[1 + parameter], scratch_, result.data());
  }

  void constraints(StateView, std::span<const Mixed>, int, std::span<Mixed>) override {}

  Mixed function(int k, StateView at, std::span<const Mixed> x, int parameter) override {
    set_branches(at);
    Mixed result;
    evaluate_formula<Mixed>(functions_[k], Mixed(at.t), x, moving_[1 + parameter], scratch_,
                            &result);
    return result;
  }

 private:
  void set_branches(StateView at) {
    scratch_.branches.assign(at.mode.begin(), at.mode.end());
    scratch_.branches.resize(switch_count_);
  }

  const Model& model_;
  const std::vector<Formula> functions_;
  std::vector<std::vector<Mixed>> moving_;  // first those where nothing moves
  ProgramScratch<Mixed> scratch_;
  const int switch_count_;
};

}  // namespace

std::unique_ptr<StateCurvature> make_variables_curvature(const Model& model,
                                                         std::vector<double> parameters,
                                                         std::vector<int> which,
                                                         std::vector<Formula> functions) {
  return std::make_unique<VariablesCurvature>(model, std::move(parameters), std::move(which),
                                              std::move(functions));
}

}  // namespace cartan::mechanics
