// Rates and constraint functions of a mechanism in joint coordinates, over a scalar.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "mechanics/constraints/constraints.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/forces/forces.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/variable_states.h"

namespace cartan::mechanics {

// (q', v', z') at x, with the multipliers of drives; powers come after.
template <class S>
void calc_tree_rates(const Mechanism<S>& mechanism, AccelerationSolver<S> solve, const S& t,
                     const S* x, std::span<const int> mode, S* xdot, MotionWorkspace<S>& ws) {
  const S* v = x + mechanism.nq;
  std::copy(mode.begin(), mode.end(), ws.mode.begin());
  set_variables(mechanism, v + mechanism.nv, ws);
  fill_kinematics<S>(mechanism, t, x, v, ws);
  fill_forces(mechanism, ws);
  solve_with_contacts(mechanism, ws, solve);
  if (mechanism.has_drives && !mechanism.absolute) fill_drive_multipliers(mechanism, ws);
  for (const Link<S>& link : mechanism.links)
    calc_coordinate_rates(link, x + link.q0, v + link.v0, xdot + link.q0);
  S* vdot = xdot + mechanism.nq;
  for (int j = 0; j < mechanism.nv; ++j) vdot[j] = ws.vdot[j];
  calc_variable_rates(mechanism, ws, vdot + mechanism.nv);
  if (ws.failed) xdot[0] = S(std::numeric_limits<double>::quiet_NaN());
}

// g of all rows (zero where there is none), then y - b of all rows.
template <class S>
void calc_constraint_functions(const Mechanism<S>& mechanism, const S& t, const S* x,
                               std::span<const int> mode, S* values, MotionWorkspace<S>& ws) {
  const int rows = mechanism.row_count();
  if (rows == 0) return;
  std::copy(mode.begin(), mode.end(), ws.mode.begin());
  fill_kinematics<S>(mechanism, t, x, x + mechanism.nq, ws);
  fill_constraint_positions(mechanism, ws);
  std::copy_n(ws.row_position.begin(), rows, values);
  std::copy_n(ws.row_speed.begin(), rows, values + rows);
}

}  // namespace cartan::mechanics
