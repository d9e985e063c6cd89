// Accelerations over dual numbers from those over numbers: the recursion itself (recursive.h) runs
// over numbers, and the four derivatives follow from the equations it solves, whose factors are at
// hand (motion_response.h). With F the wrenches through the joints and a, lambda held, along each
// direction
//   c_i  = d (what the joint of link i adds to the acceleration of its parent, held)
//   P_i  = d (inertia, applied forces, multipliers of link i) + sum over children d(r) x F
//   tau  = d (force on the joint) - dS . F - d(rotor) a + d(factors) lambda
//   rest = d (sources . accelerations + factors . a + rest)
// Everything else of a mechanism stays a matter of dual numbers: kinematics, forces, parameters.
#pragma once

#include "mechanics/tree/slopes/motion_response.h"

namespace cartan::mechanics {

class DualSolver {
 public:
  // The mechanism whose numbers those to be solved have.
  explicit DualSolver(const Mechanism<double>& mechanism);

  // As solve_accelerations.
  void solve(const Mechanism<Dual4>& dual, MotionWorkspace<Dual4>& ws);

 private:
  using Four = lanes::Four;
  using Response = ResponseOf<Four>;
  using Vector = Response::Vector;

  void take_numbers(const MotionWorkspace<Dual4>& ws);
  void take_links(const MotionWorkspace<Dual4>& ws);
  void take_rows(const MotionWorkspace<Dual4>& ws);
  void hold_accelerations(const Mechanism<Dual4>& dual, MotionWorkspace<Dual4>& ws);
  void change_joint(const Mechanism<Dual4>& dual, MotionWorkspace<Dual4>& ws, int i);
  void change_rows(const MotionWorkspace<Dual4>& ws);
  void write_answer(const Mechanism<Dual4>& dual, MotionWorkspace<Dual4>& ws) const;

  const Mechanism<double>& mechanism_;
  MotionWorkspace<double> numbers_;
  Response response_;
  int distrust_ = 0;  // so many solutions more are left to the recursion over dual numbers
};

// An AccelerationSolver (dry_friction.h): by the workspace's solver, where it has one. With
// Baumgarte feedback all goes over dual numbers, as for formulas (TreeSystem::slopes_apply): tests
// compare both with that.
void solve_along_numbers(const Mechanism<Dual4>& mechanism, MotionWorkspace<Dual4>& ws);

}  // namespace cartan::mechanics
