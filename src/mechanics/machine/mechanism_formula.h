// The value of a formula over the names of a model at a state of its mechanism, over a scalar.
#pragma once

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/variable_states.h"

namespace cartan::mechanics {

class MechanismFormula {
 public:
  MechanismFormula(const Mechanism<double>& mechanism, Formula formula)
      : formula_(std::move(formula)) {
    const Program& program = formula_.program;
    needs_energy_ =
        program.depends_on(Quantity::kinetic) || program.depends_on(Quantity::potential);
    for (const Symbol& symbol : program.inputs)
      if (symbol.quantity == Quantity::joint_q || symbol.quantity == Quantity::joint_v)
        needs_loops_ |= mechanism.link_of_joint[symbol.index] < 0;
    find_numbers(mechanism);
  }

  // The numbers of the state that may enter.
  const std::vector<int>& numbers() const { return numbers_; }

  // x = (q, v, ...) in the mechanism's own coordinates.
  template <class S>
  S value(const Mechanism<S>& mechanism, const S& t, const S* x, std::span<const int> mode,
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

 private:
  // A formula of coordinates and speeds of tree joints, of variables and of time alone needs no
  // bodies to be placed; one without speeds no columns of them.
  void find_numbers(const Mechanism<double>& mechanism) {
    std::set<int> numbers;
    bool speeds = false;
    for (const Symbol& symbol : formula_.program.inputs) {
      switch (symbol.quantity) {
        case Quantity::time:
        case Quantity::parameter:
        case Quantity::branch:
          break;
        case Quantity::variable:
          numbers.insert(mechanism.nq + mechanism.nv + symbol.index);
          break;
        case Quantity::joint_q:
        case Quantity::joint_v: {
          const int link = mechanism.link_of_joint[symbol.index];
          const bool position = symbol.quantity == Quantity::joint_q;
          speeds |= !position;
          plain_ &= link >= 0;
          if (link < 0) break;
          const Link<double>& own = mechanism.links[link];
          numbers.insert((position ? own.q0 : mechanism.nq + own.v0) + symbol.component);
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
    const int first_variable = mechanism.nq + mechanism.nv;
    for (int i = 0; i < mechanism.state_size() && !plain_; ++i)
      if (speeds || i < mechanism.nq || i >= first_variable) numbers.insert(i);
    numbers_.assign(numbers.begin(), numbers.end());
  }

  Formula formula_;
  bool needs_energy_ = false, needs_loops_ = false;
  bool plain_ = true;         // of numbers of the state and time: no kinematics
  std::vector<int> numbers_;  // of the state that may enter
};

}  // namespace cartan::mechanics
