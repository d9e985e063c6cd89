// Friction in joints: forces against the motion, loads of bearings, sticking.
//
//   tau = -(coulomb + load + viscous |v| + quadratic v^2) sign v
//   load = the file's `load` + sum_b c_b |l_b|,
//          l_b = the part of the joint's constraint wrench carried by bearing b
// The wrench depends on the accelerations and these on tau, so the loads F solve
//   F_k = sum_b c_b | l_b(0) + sum_j F_j l_b(unit j) |        (affine inside: the dynamics is
//   linear)
// by Newton, with one solve of the dynamics per loaded joint. (source 003, eq. 127-138)
//
// Exact friction has a discrete state per component: +1, -1 slipping that way, 0 stuck (a spherical
// joint has one: 0 stuck, or the leading component of its rate with its sign). A stuck component is
// held at v' = 0 and stays so while the force that holds it is within coulomb + load.
#pragma once

#include <span>

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// Solves the dynamics for the forces in ws: fills ws.vdot and the links' accelerations.
template <class S>
using AccelerationSolver = void (*)(const Mechanism<S>&, MotionWorkspace<S>&);

// Adds friction to ws.tau according to ws.mode and solves; needs fill_forces.
template <class S>
void solve_with_friction(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                         AccelerationSolver<S> solve);

// Locks the joints that ws.mode says are stuck.
template <class S>
void set_friction_locks(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// After solve_with_friction: one value per discrete state that falls through zero when the state
// must change: s v of a slipping component, (limit - holding force) of a stuck one.
template <class S>
void calc_friction_margins(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                           std::span<S> margins);

// After solve_with_friction and fill_reactions: adds the friction of force element k alone to the
// forces of its joint. What sticks is held by the force the joint must transmit beside all others;
// where several elements could hold it, the first of them does.
void add_friction_alone(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws, int k);

// Friction that sticks: on the speeds v0 .. v0 + count - 1 together it takes anything up to limit.
struct StickingForce {
  int element = 0;  // in the mechanism's forces
  int v0 = 0, count = 1;
  double limit = 0;
};
// Adds friction to ws.tau for the accelerations already in ws (inverse dynamics). A component that
// is at rest acts against the motion that begins; where none begins it sticks and is left out, told
// by the list. Below rest_rate a speed or an acceleration is none.
std::vector<StickingForce> add_friction_at_accelerations(const Mechanism<double>& mechanism,
                                                         MotionWorkspace<double>& ws);
inline constexpr double rest_rate = 1e-9;

// Where accelerations, multipliers and loads are unknowns (second_order_motion.h): adds friction
// for the given loads to the forces in ws and locks what sticks; needs fill_forces.
template <class S>
void add_friction_at_loads(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, const S* loads);
// F_k - sum_b c_b |l_b| of every friction element with bearings, from accelerations, multipliers
// and forces in ws.
template <class S>
void calc_load_residuals(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, S* residuals);

// Where a mechanism is, with the discrete state to be settled. Speeds of components that stick are
// set to zero, a spherical joint that starts to turn gets a tiny rate.
struct FrictionState {
  double t = 0;
  const double* q = nullptr;
  double* v = nullptr;
  std::span<int> mode;
};

// Finds a consistent discrete state for the `undecided` components: first all stuck, then the most
// overloaded one is let go, until none is overloaded. Refills kinematics and forces.
void settle_friction(const Mechanism<double>& mechanism, FrictionState state,
                     std::span<const unsigned char> undecided, MotionWorkspace<double>& ws,
                     AccelerationSolver<double> solve);

// Discrete state from speeds: the sign where a component moves, settled where it does not.
void start_friction(const Mechanism<double>& mechanism, FrictionState state,
                    MotionWorkspace<double>& ws, AccelerationSolver<double> solve);

// The margin of component `which` fell through zero: a stuck one is let go, a slipping one sticks
// or turns round; the other stuck ones are settled again.
void change_friction(const Mechanism<double>& mechanism, FrictionState state, int which,
                     MotionWorkspace<double>& ws, AccelerationSolver<double> solve);

// An unsmoothed spherical friction that starts below this rate counts as not turning (rad/s) ...
inline constexpr double spherical_rest_rate = 1e-9;
// ... and one whose margin falls through zero below this rate has come to rest.
inline constexpr double spherical_stop_rate = 1e-6;

}  // namespace cartan::mechanics
