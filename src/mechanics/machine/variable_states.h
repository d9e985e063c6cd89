// [variables] beside bodies: states z with z' = g(t, q, v, z), or A(t, q, v, z) z' = b(t, q, v, z),
// which forces read and which read the mechanism. Some forces have one of their own (tyre). In a
// state of any formulation they stand behind positions and speeds (or what takes their place) and
// before the quadratures; in a workspace in `variables`.
#pragma once

#include <algorithm>

#include "mechanics/forces/forces.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/variables/variable_rates.h"

namespace cartan::mechanics {

// z: mechanism.nz numbers.
template <class S>
void set_variables(const Mechanism<S>& mechanism, const S* z, MotionWorkspace<S>& ws) {
  std::copy_n(z, mechanism.nz, ws.variables.begin());
}

// z'; needs fill_kinematics and set_variables.
template <class S>
void calc_variable_rates(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, S* rates) {
  if (mechanism.nz == 0) return;
  if (mechanism.variables_need_energy) {
    ws.kinetic = calc_kinetic_energy(mechanism, ws);
    ws.potential = calc_potential_energy(mechanism, ws);
  }
  const Model& model = *mechanism.model;
  for (std::size_t k = 0; k < model.variables.size(); ++k)
    if (model.variables[k].rate.given())
      evaluate_program(mechanism, ws, model.variables[k].rate.program, rates + k);
  for (const ForceElement<S>& element : mechanism.forces)
    std::visit(
        [&](const auto& law) {
          if constexpr (requires { law.fill_variable_rates(ws, rates); })
            law.fill_variable_rates(ws, rates);
        },
        element);
  if (!model.implicit) return;
  evaluate_program(mechanism, ws, model.implicit->form.program, ws.implicit.form.data());
  solve_implicit_rates(*model.implicit, ws.implicit, rates);
}

}  // namespace cartan::mechanics
