#include "mechanics/machine/state_expression.h"

#include <algorithm>

#include <fmt/format.h>

#include "mechanics/machine/mechanism_formula.h"
#include "mechanics/machine/mechanism_system.h"
#include "mechanics/variables/variables.h"

namespace cartan::mechanics {
namespace {

class MechanismFunction final : public StateFunction {
 public:
  MechanismFunction(const Mechanism<double>& mechanism, const Mechanism<Dual4>& dual,
                    MotionScratch scratch, Formula formula)
      : mechanism_(mechanism),
        dual_(dual),
        scratch_(std::move(scratch)),
        formula_(mechanism, std::move(formula)) {}

  double value(StateView at, Workspace& workspace) const override {
    return formula_.value<double>(mechanism_, at.t, at.x.data(), at.mode,
                                  *scratch_.real(workspace));
  }

  double gradient(StateView at, std::span<double> gradient, Workspace& workspace) const override {
    MotionWorkspace<Dual4>& ws = *scratch_.dual(workspace);
    std::vector<Dual4> x(at.x.begin(), at.x.end());
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double result = 0;
    const std::vector<int>& numbers = formula_.numbers();
    const std::size_t all = numbers.size();
    for (std::size_t first = 0; first < std::max<std::size_t>(all, 1); first += 4) {
      const std::size_t last = std::min(first + 4, all);
      for (std::size_t k = first; k < last; ++k)
        x[numbers[k]] = Dual4::variable(at.x[numbers[k]], static_cast<int>(k - first));
      const Dual4 value = formula_.value<Dual4>(dual_, Dual4(at.t), x.data(), at.mode, ws);
      result = value.a;
      for (std::size_t k = first; k < last; ++k) {
        gradient[numbers[k]] = value.d[k - first];
        x[numbers[k]] = at.x[numbers[k]];
      }
    }
    return result;
  }

  double slope(StateView at, std::span<const int> parameters, FunctionSlope& slope,
               Workspace& workspace) const override {
    slope.by_x.resize(at.x.size());
    slope.by_parameters.resize(parameters.size());
    const double result = gradient(at, slope.by_x, workspace);
    const std::vector<Dual4> x(at.x.begin(), at.x.end());
    slope.by_time = formula_
                        .value<Dual4>(dual_, Dual4::variable(at.t, 0), x.data(), at.mode,
                                      *scratch_.dual(workspace))
                        .d[0];
    if (parameters.empty()) return result;
    SeededMechanisms<MotionWorkspace<Dual4>>& seeded = *scratch_.seeded(workspace, parameters);
    for (std::size_t group = 0; group < seeded.mechanisms.size(); ++group) {
      const Dual4 value = formula_.value<Dual4>(seeded.mechanisms[group], Dual4(at.t), x.data(),
                                                at.mode, seeded.scratch[group]);
      for (std::size_t k = 4 * group; k < std::min(4 * group + 4, parameters.size()); ++k)
        slope.by_parameters[k] = value.d[k - 4 * group];
    }
    return result;
  }

 private:
  const Mechanism<double>& mechanism_;
  const Mechanism<Dual4>& dual_;
  MotionScratch scratch_;
  MechanismFormula formula_;
};

}  // namespace

std::unique_ptr<StateFunction> make_mechanism_function(const Mechanism<double>& mechanism,
                                                       const Mechanism<Dual4>& dual,
                                                       MotionScratch scratch, Formula formula) {
  return std::make_unique<MechanismFunction>(mechanism, dual, std::move(scratch),
                                             std::move(formula));
}

std::unique_ptr<StateFunction> make_state_function(const System& system, const Model& model,
                                                   const std::string& text, std::string& problem) {
  Diagnostics problems(text);
  std::optional<Formula> formula = compile_expression(model, text, problems);
  problem = problems.text();
  while (!problem.empty() && problem.back() == '\n') problem.pop_back();
  if (!formula) return nullptr;
  std::unique_ptr<StateFunction> function = make_state_function(system, std::move(*formula));
  if (!function)
    problem = fmt::format(
        "'{}': the state of this formulation is not made of joint coordinates and speeds; use the "
        "formulation recursive",
        text);
  return function;
}

std::unique_ptr<StateFunction> make_state_function(const System& system, Formula formula) {
  if (const auto* variables = dynamic_cast<const VariablesSystem*>(&system))
    return variables->make_function(std::move(formula));
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system))
    return mechanism->make_function(std::move(formula));
  return nullptr;
}

}  // namespace cartan::mechanics
