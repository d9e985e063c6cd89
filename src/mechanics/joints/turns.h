// Turns: what positions leave open and the motion decides.
//
// The angle of a loop joint follows from its two frames up to whole turns, its quaternion up to the
// sign; where every body is free (absolute_system.h) that holds for all joints of the file. A
// torsion spring of a spherical joint measures angles within half a turn, and its torque jumps
// where one of them passes it. All of these are made continuous by a memory, the last entries of
// the mode (TurnEntry):
//   angle, euler   a reference in parts of a turn: the angle meant is the one nearest to it
//   sign           a rounded quaternion, four bytes: the sign meant is the one nearest to it
//   half_turn      the sign of the relative quaternion whose rotation vector is meant, twice it
//                  beyond a quarter turn
// During a step the references stand still and everything is smooth up to half a turn away from
// them. After the step they follow (`renew_turns`), which changes no angle. Angles of torsion
// springs are brought back within half a turn where they pass it, as events (`calc_wrap_margins`,
// `wrap`): there the torque does jump.
// An entry that is not known (`no_turn`) leaves angles within half a turn and quaternions with
// w >= 0; equations between angles then hold up to whole turns.
#pragma once

#include <string>

#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// Where coordinate k of a loop joint, an angle that its frames tell up to whole turns, stands in
// mechanism.turns; -1: it is no such angle. (A winding with a pitch knows its turns from its
// displacement.)
template <class S>
int turn_of(const LoopJoint<S>& loop, int k) {
  const auto& coordinates = info(loop.shape.type).coordinates;
  const auto is_open = [&](int i) {
    return coordinates[i].kind == CoordinateKind::angle ||
           (coordinates[i].kind == CoordinateKind::winding && value_of(loop.shape.sizes.x) == 0);
  };
  if (!is_open(k)) return -1;
  int before = 0;
  for (int i = 0; i < k; ++i) before += is_open(i);
  return loop.turn0 + before;
}

int reference_of_quaternion(const double* u);

// Fills mechanism.turns and the places of loops and torsion springs in it.
template <class S>
void add_turns(const Model& model, Mechanism<S>& mechanism);

// Entries from coordinates of the joints, by joint of the model; empty: not known. "" or a sentence
// about an angle that is too large.
std::string set_turns(const Mechanism<double>& mechanism, const std::vector<std::vector<double>>& q,
                      int* turns);

// Entries that are not known become those of the state in ws (fill_kinematics with these entries):
// couplers and drives decide where they can, otherwise angles nearest to the likely ones (by joint
// of the model; empty: within half a turn) are taken.
void find_turns(const Mechanism<double>& mechanism, const std::vector<std::vector<double>>& likely,
                MotionWorkspace<double>& ws, int* turns);

// Forgets the turns that couplers and drives decide.
void open_turns(const Mechanism<double>& mechanism, int* turns);

// Entries after a step of that length to the state in ws (fill_kinematics with the old entries). ""
// or why the step was too long: one that is read changed by more than `most`, beyond which
// evaluations inside the step may have taken the wrong turn.
inline constexpr double most_turn = 3.0;
std::string renew_turns(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                        double length, double most, int* turns);

// Whether no angle that is read gets beyond half a turn in a step that turns it by less than
// `most_turn_in_code`: then formulas that know no turns may be used.
inline constexpr double most_turn_in_code = 0.45 * pi;
bool stays_within_half_turn(const Mechanism<double>& mechanism, const int* turns);

// Torsion springs that pass the half turn: one margin per entry of theirs, zero there and positive
// before.
template <class S>
void calc_wrap_margins(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::span<S> margins);
// Back within half a turn; needs the state in ws.
void wrap(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws, int which, int* turns);

// The entries in the mode of a workspace.
template <class S>
const int* turns_in(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws) {
  return ws.mode.data() + mechanism.turn0();
}

// An angle of a loop joint whose turns are not known yet.
template <class S>
bool is_open_angle(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int joint, int k) {
  const int l = mechanism.loop_of_joint[joint];
  const int turn = l < 0 ? -1 : turn_of(mechanism.loops[l], k);
  return turn >= 0 && turns_in(mechanism, ws)[turn] == no_turn;
}

}  // namespace cartan::mechanics
