#include "mechanics/machine/state_expression.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/mechanism_system.h"
#include "mechanics/machine/variable_states.h"
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
        formula_(std::move(formula)) {
    const Program& program = formula_.program;
    needs_energy_ =
        program.depends_on(Quantity::kinetic) || program.depends_on(Quantity::potential);
    for (const Symbol& symbol : program.inputs)
      if (symbol.quantity == Quantity::joint_q || symbol.quantity == Quantity::joint_v)
        needs_loops_ |= mechanism.link_of_joint[symbol.index] < 0;
    find_numbers();
  }

  double value(StateView at, Workspace& workspace) const override {
    return evaluate<double>(mechanism_, at.t, at.x.data(), at.mode, *scratch_.real(workspace));
  }

  double gradient(StateView at, std::span<double> gradient, Workspace& workspace) const override {
    MotionWorkspace<Dual4>& ws = *scratch_.dual(workspace);
    std::vector<Dual4> x(at.x.begin(), at.x.end());
    std::fill(gradient.begin(), gradient.end(), 0.0);
    double result = 0;
    const std::size_t all = numbers_.size();
    for (std::size_t first = 0; first < std::max<std::size_t>(all, 1); first += 4) {
      const std::size_t last = std::min(first + 4, all);
      for (std::size_t k = first; k < last; ++k)
        x[numbers_[k]] = Dual4::variable(at.x[numbers_[k]], static_cast<int>(k - first));
      const Dual4 value = evaluate<Dual4>(dual_, Dual4(at.t), x.data(), at.mode, ws);
      result = value.a;
      for (std::size_t k = first; k < last; ++k) {
        gradient[numbers_[k]] = value.d[k - first];
        x[numbers_[k]] = at.x[numbers_[k]];
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
    slope.by_time = evaluate<Dual4>(dual_, Dual4::variable(at.t, 0), x.data(), at.mode,
                                    *scratch_.dual(workspace))
                        .d[0];
    if (parameters.empty()) return result;
    SeededMechanisms<MotionWorkspace<Dual4>>& seeded = *scratch_.seeded(workspace, parameters);
    for (std::size_t group = 0; group < seeded.mechanisms.size(); ++group) {
      const Dual4 value = evaluate<Dual4>(seeded.mechanisms[group], Dual4(at.t), x.data(), at.mode,
                                          seeded.scratch[group]);
      for (std::size_t k = 4 * group; k < std::min(4 * group + 4, parameters.size()); ++k)
        slope.by_parameters[k] = value.d[k - 4 * group];
    }
    return result;
  }

 private:
  // The numbers of the state that may enter. A formula of coordinates and speeds of tree joints, of
  // variables and of time alone needs no bodies to be placed; one without speeds no columns of
  // them.
  void find_numbers() {
    std::set<int> numbers;
    bool speeds = false;
    for (const Symbol& symbol : formula_.program.inputs) {
      switch (symbol.quantity) {
        case Quantity::time:
        case Quantity::parameter:
        case Quantity::branch:
          break;
        case Quantity::variable:
          numbers.insert(mechanism_.nq + mechanism_.nv + symbol.index);
          break;
        case Quantity::joint_q:
        case Quantity::joint_v: {
          const int link = mechanism_.link_of_joint[symbol.index];
          const bool position = symbol.quantity == Quantity::joint_q;
          speeds |= !position;
          plain_ &= link >= 0;
          if (link < 0) break;
          const Link<double>& own = mechanism_.links[link];
          numbers.insert((position ? own.q0 : mechanism_.nq + own.v0) + symbol.component);
          break;
        }
        case Quantity::body_position:
        case Quantity::body_rotation:
        case Quantity::point_position:
        case Quantity::potential:
          plain_ = false;
          break;
        default:
          plain_ = false;
          speeds = true;
      }
    }
    const int first_variable = mechanism_.nq + mechanism_.nv;
    for (int i = 0; i < mechanism_.state_size() && !plain_; ++i)
      if (speeds || i < mechanism_.nq || i >= first_variable) numbers.insert(i);
    numbers_.assign(numbers.begin(), numbers.end());
  }

  template <class S>
  S evaluate(const Mechanism<S>& mechanism, const S& t, const S* x, std::span<const int> mode,
             MotionWorkspace<S>& ws) const {
    const Program& program = formula_.program;
    if (ws.inputs.size() < program.inputs.size()) ws.inputs.resize(program.inputs.size());
    if (ws.scratch.size() < program.scratch_size()) ws.scratch.resize(program.scratch_size());
    std::copy(mode.begin(), mode.end(), ws.mode.begin());
    set_variables(mechanism, x + mechanism.nq + mechanism.nv, ws);
    if (plain_) {
      ws.t = t;
      ws.q = x;
      ws.v = x + mechanism.nq;
    } else {
      fill_kinematics<S>(mechanism, t, x, x + mechanism.nq, ws);
    }
    if (needs_loops_) fill_loop_coordinates(mechanism, ws);
    if (needs_energy_) {
      ws.kinetic = calc_kinetic_energy(mechanism, ws);
      ws.potential = calc_potential_energy(mechanism, ws);
    }
    S result;
    evaluate_program(mechanism, ws, program, &result);
    return result;
  }

  const Mechanism<double>& mechanism_;
  const Mechanism<Dual4>& dual_;
  MotionScratch scratch_;
  Formula formula_;
  bool needs_energy_ = false, needs_loops_ = false;
  bool plain_ = true;         // of numbers of the state and time: no kinematics
  std::vector<int> numbers_;  // of the state that may enter
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
