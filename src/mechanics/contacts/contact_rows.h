// Contacts between events: gaps, rows of what is closed, friction of what slips.
//
//   g >= 0         gap; g' = n . u, u = u_A(c) - u_B(c) the velocity of A's material at the contact
//                  point c relative to B's
//   closed         g = 0, normal force N n on A (N the multiplier of the first row)
//   sticking       t1 . u = t2 . u = 0 besides, with their multipliers; |T| <= mu N
//   slipping       force -mu N d on A, d = u / |u|
//   next to a standstill   d is held, and with it the direction of sliding: e . u = 0 across it
//                  with a multiplier T, and along it sqrt((mu N)^2 - T^2)
// N depends on the accelerations and these on mu N, so the loads solve
//   N_i = N_i(0) + sum_j N_j (N_i(unit j) - N_i(0))     one solve of the dynamics per slipping
// contact (the same way as bearings, forces/friction.h). Everything over the scalar type: exact
// derivatives follow.
#pragma once

#include <span>

#include "mechanics/forces/dry_friction.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// Elements, rows, sources and terms, behind those of the constraints.
template <class S>
void add_contacts(const Model& model, Mechanism<S>& mechanism);

// Where a surface stands: in the axes of its link, or in the world.
Pose<double> calc_side_frame(const Mechanism<double>& mechanism, const ContactSide& side);
// All contacts of the mechanism's model but those of groups, for a mechanism that has none.
std::vector<ContactElement<double>> make_single_contacts(const Mechanism<double>& mechanism);

// Rows of closed contacts, zeros for all others; part of fill_constraints.
template <class S>
void fill_contact_rows(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);
// The same for ws.row_position.
template <class S>
void fill_contact_positions(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws);

// World axes.
template <class S>
struct ContactFrame {
  Vec3<S> c, c_rate;  // contact point
  Vec3<S> n, n_rate, t1, t1_rate, t2, t2_rate;
  S gap{};
};
// Not for stops. Needs positions and velocities.
template <class S>
ContactFrame<S> calc_contact_frame(const ContactSurfaces<S>& on, ContactKind kind,
                                   const MotionWorkspace<S>& ws);

template <class S>
S calc_gap(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, const ContactElement<S>& e);

// (g', t1 . u, t2 . u); of a stop the first alone.
template <class S>
Vec3<S> calc_contact_speed(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                           const ContactElement<S>& e);

// Adds friction of joints and of slipping contacts to the forces and solves; needs fill_forces.
template <class S>
void solve_with_contacts(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                         AccelerationSolver<S> solve);

// Whether a contact of the mechanism counts where it is (`active`).
bool is_counting(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                 const ContactElement<double>& e);

// Two values per contact, after solve_with_contacts; each falls through zero where the mode must
// change: gap, or normal force; sliding speed, or what the friction cone leaves.
template <class S>
void calc_contact_margins(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                          std::span<S> margins);

// Whether forces of closed contacts are not unique (a block on four corners): rows of them depend
// on others. Margins of forces say nothing then; what is due is decided for all together
// (ContactEvents::is_settled). Active rows have this flag then, instead of 1.
inline constexpr int loose_row = 2;
bool has_loose_contacts(int contact_row0, int row_count, const int* row_flags);

// Multipliers (N, T1, T2) of a closed contact at the state in ws; friction of slipping ones
// included.
template <class S>
Vec3<S> calc_contact_force(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int k);

// Modes of contacts that slip. Next to a standstill the direction of sliding is held, as a number
// of parts of a turn: there u / |u| is next to 0 / 0, and what begins to slide has no u yet. Where
// the second row of the contact is active, it slides straight along it: friction turns as it must,
// as it does in the limit (the speed across decays in a time that goes to zero with the speed).
inline constexpr int contact_slips = 2;
inline constexpr int contact_creeps = 1 << 28;  // and the parts, below
inline constexpr int turn_parts = 1 << 28;
inline constexpr double creeping_speed = 1e-7;  // m/s; held again below it, up to twice of it
inline constexpr double creeping_slack = 1e-5 * creeping_speed;  // backwards, before it has stopped
inline bool is_creeping(int contact_mode) {
  return contact_mode >= contact_creeps;
}
int creeping_mode(double along1, double along2);
struct HeldDirection {
  double along1, along2;  // unit vector, of t1 and t2
};
HeldDirection held_direction(int contact_mode);

}  // namespace cartan::mechanics
