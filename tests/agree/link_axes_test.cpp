// The forms for symbols, in link axes, as numbers: articulated bodies and composite bodies against
// the recursion in world axes, on random trees with all joints, forces, rotors, drives and sticking
// joints. (Their expressions: tests/generated.)
#include <algorithm>

#include "agreement.h"
#include "codegen/axes/axial_recursion.h"
#include "codegen/axes/link_frames.h"
#include "codegen/axes/link_motion.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/recursive.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using Eigen::VectorXd;

// v' and the links' accelerations at the state by one form.
struct Solved {
  VectorXd vdot;
  std::vector<Vec3<double>> dw, du;
};

Solved solve_by(AccelerationSolver<double> form, const Mechanism<double>& mechanism,
                const State& state) {
  MotionWorkspace<double> ws = make_motion_workspace(mechanism);
  std::copy(state.mode.begin(), state.mode.end(), ws.mode.begin());
  const double* q = state.x.data();
  fill_kinematics<double>(mechanism, state.t, q, q + mechanism.nq, ws);
  fill_forces(mechanism, ws);
  solve_with_friction(mechanism, ws, form);
  Solved solved;
  solved.vdot = Eigen::Map<const VectorXd>(ws.vdot.data(), mechanism.nv);
  for (const LinkState<double>& x : ws.links) solved.dw.push_back(x.dw), solved.du.push_back(x.du);
  return solved;
}

// Largest difference as a fraction of 1e3 kappa eps (compare.h says why).
double compare(const Solved& a, const Solved& b, const Conditioning& conditioning) {
  const VectorXd scaled = conditioning.scale.cwiseProduct(a.vdot - b.vdot);
  const double size = std::max(1.0, conditioning.scale.cwiseProduct(b.vdot).norm());
  const double tolerance = 1e3 * conditioning.kappa * eps;
  double worst = scaled.norm() / (tolerance * size);
  double largest = 1;
  for (std::size_t i = 0; i < b.dw.size(); ++i)
    largest = std::max({largest, norm(b.dw[i]), norm(b.du[i])});
  for (std::size_t i = 0; i < b.dw.size(); ++i)
    worst = std::max({worst, norm(a.dw[i] - b.dw[i]) / (tolerance * largest),
                      norm(a.du[i] - b.du[i]) / (tolerance * largest)});
  return worst;
}

TEST(LinkAxes, AllFormsAgreeWithTheRecursionInWorldAxes) {
  double worst = 0;
  int compared = 0, locked = 0, moved_origins = 0;
  for (std::uint64_t seed = 1; seed <= tree_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed);
    if (c->nv == 0) continue;
    const Mechanism<double> mechanism = make_mechanism<double>(c->model, c->parameters);
    const auto workspace = c->systems[0]->make_workspace();
    const Conditioning conditioning =
        calc_conditioning(c->systems[0]->report_mass_matrix(c->state, *workspace).mass_matrix);
    // random trees move everywhere: every other joint with exact friction is told to stick
    State state = c->state;
    for (int k = 0; k < mechanism.friction_modes; k += 2, ++locked) state.mode[k] = 0;
    const Solved expected = solve_by(solve_accelerations<double>, mechanism, state);
    if (!expected.vdot.allFinite()) continue;
    for (const auto form :
         {solve_in_link_axes<double>, solve_in_joint_axes<double>, solve_in_link_frames<double>})
      worst = std::max(worst, compare(solve_by(form, mechanism, state), expected, conditioning));
    ++compared;
    MotionWorkspace<double> ws = make_motion_workspace(mechanism);
    fill_kinematics<double>(mechanism, state.t, state.x.data(), state.x.data() + mechanism.nq, ws);
    for (const LinkMotion<double>& x : calc_link_motions(mechanism, ws))
      moved_origins += norm(x.h) > 0;
  }
  EXPECT_GT(compared, 250);
  EXPECT_GT(locked, 10);         // joints that stick are among them
  EXPECT_GT(moved_origins, 20);  // and frames whose origin lies elsewhere on the joint's axis
  EXPECT_LT(worst, 0.1);
  std::printf("%d trees, %d stuck, %d origins moved, largest error / tolerance %.2g\n", compared,
              locked, moved_origins, worst);
}

// A drive prescribes v'; random trees have none.
TEST(LinkAxes, DrivenJointsHaveTheirAccelerations) {
  const test::Example example = test::load_text(R"(
name = "driven"
[[body]]
name = "arm"
mass = 2
com = [0.3, 0.1, 0.05]
inertia = [0.1, 0.2, 0.25, 0.01, 0.02, -0.01]
[[body]]
name = "hand"
mass = 1
com = [0.2, 0, 0.1]
inertia = [0.02, 0.03, 0.04]
[[body]]
name = "tool"
mass = 0.5
com = [0, 0.1, 0.1]
inertia = [0.01, 0.02, 0.02]
[[joint]]
name = "shoulder"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "arm" }
position = 0.3
velocity = 1.5
[[joint]]
name = "elbow"
type = "revolute"
axis = [0, -1, 0]
parent = { body = "arm", at = [0.6, 0.1, 0.05] }
child = { body = "hand" }
position = 0.7
velocity = -2
[[joint]]
name = "wrist"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "hand", at = [0.4, 0.02, 0.1] }
child = { body = "tool" }
position = 0.1
velocity = 0.4
[[constraint]]
name = "motor"
type = "drive"
joint = "elbow"
position = "0.7 - 2*t + 3*t^2"
)");
  ASSERT_TRUE(example);
  const std::vector<double> parameters = parameter_values(*example.model);
  const Mechanism<double> mechanism = make_mechanism<double>(*example.model, parameters);
  const State state = example.system->initial_state();
  const Solved expected = solve_by(solve_accelerations<double>, mechanism, state);
  EXPECT_NEAR(expected.vdot[1], 6, 1e-14);
  for (const auto form :
       {solve_in_link_axes<double>, solve_in_joint_axes<double>, solve_in_link_frames<double>}) {
    const Solved solved = solve_by(form, mechanism, state);
    EXPECT_EQ(solved.vdot[1], expected.vdot[1]);
    // the mass matrix has the condition number 40: two digits
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(solved.vdot[j], expected.vdot[j], 1e-12);
  }
}

}  // namespace
}  // namespace cartan::test
