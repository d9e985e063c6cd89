// The value of a formula over the names of a model at a state of its mechanism, over a scalar.
#pragma once

#include <algorithm>
#include <span>

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
  }

  // x = (q, v, ...) in the mechanism's own coordinates.
  template <class S>
  S value(const Mechanism<S>& mechanism, const S& t, const S* x, std::span<const int> mode,
          MotionWorkspace<S>& ws) const {
    const Program& program = formula_.program;
    if (ws.inputs.size() < program.inputs.size()) ws.inputs.resize(program.inputs.size());
    if (ws.scratch.size() < program.scratch_size()) ws.scratch.resize(program.scratch_size());
    std::copy(mode.begin(), mode.end(), ws.mode.begin());
    set_variables(mechanism, x + mechanism.nq + mechanism.nv, ws);
    fill_kinematics<S>(mechanism, t, x, x + mechanism.nq, ws);
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
  Formula formula_;
  bool needs_energy_ = false, needs_loops_ = false;
};

}  // namespace cartan::mechanics
