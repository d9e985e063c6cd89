// Joints that turn many times: every formulation counts the same turns, from the file's value on,
// whether an angle is part of its state or follows from poses. Forces, couplers, drives and events
// that depend on the angle then agree, and so do motions that go on from a stored state.
#include <cmath>

#include <gtest/gtest.h>

#include "formulations/formulations.h"
#include "support/example.h"
#include "support/random.h"

namespace cartan::test {
namespace {

const char* const turning_formulations[] = {"recursive", "moving-frame", "absolute-se3",
                                            "absolute-so3r3", "rotation-elements"};

std::string wheel(const std::string& name, const std::string& joint, const std::string& start,
                  const std::string& place = "[0, 0, 0]") {
  return "[[body]]\nname = \"" + name +
         "\"\nmass = 1\ncom = [0.1, 0, 0]\ninertia = [0.02, 0.03, 0.04]\n[[joint]]\nname = \"" +
         joint +
         "\"\ntype = \"revolute\"\naxis = [0, 0, 1]\nparent = { body = \"world\", at = " + place +
         " }\nchild = { body = \"" + name + "\" }\n" + start + "\n";
}

struct Motion {
  Observation end;
  double largest_step = 0;  // of a joint's first coordinate, from sample to sample
  SimulateReport report;
};

Motion run(const Example& e, const State& start, double duration, const char* integrator = "gl3",
           double step = 0.002) {
  Motion result;
  const MechanicalSystem& system = e.mechanism();
  const auto workspace = system.make_workspace();
  std::vector<double> before;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    system.observe(state, result.end, *workspace);
    std::vector<double> now;
    for (const auto& q : result.end.q) now.push_back(q.empty() ? 0 : q[0]);
    for (std::size_t j = 0; j < before.size(); ++j)
      result.largest_step = std::max(result.largest_step, std::fabs(now[j] - before[j]));
    before = now;
  };
  result.report = simulate(
      system, start, {.integrator = integrator, .duration = duration, .step = step}, observer);
  return result;
}

std::vector<double> joints(const Observation& now) {
  std::vector<double> list;
  for (std::size_t j = 0; j < now.q.size(); ++j) {
    list.insert(list.end(), now.q[j].begin(), now.q[j].end());
    list.insert(list.end(), now.v[j].begin(), now.v[j].end());
  }
  return list;
}

// All formulations end where the first one does; returns the largest coordinate reached.
double expect_agreement(const std::string& text, double duration, double tolerance,
                        const char* integrator = "gl3", double step = 0.002) {
  std::vector<double> expected;
  double largest = 0;
  for (const char* formulation : turning_formulations) {
    SCOPED_TRACE(formulation);
    const Example e = load_text(text, formulation);
    EXPECT_TRUE(e) << e.problem;
    if (!e) return 0;
    const Motion r = run(e, e.system->initial_state(), duration, integrator, step);
    EXPECT_TRUE(r.report.ok()) << r.report.message;
    EXPECT_LT(r.largest_step, 1) << "a coordinate jumps";
    const std::vector<double> found = joints(r.end);
    if (expected.empty()) expected = found;
    EXPECT_LT(largest_difference(found, expected), tolerance);
    for (double x : found) largest = std::max(largest, std::fabs(x));
  }
  return largest;
}

// Two wheels, one three times as fast.
TEST(Turns, CoupledWheels) {
  const std::string text =
      wheel("a", "ja", "velocity = 9") + wheel("b", "jb", "velocity = 3", "[1, 0, 0]") +
      "[[constraint]]\ntype = \"coupler\"\nname = \"gear\"\nterms = [[\"ja\", 1], "
      "[\"jb\", -3]]\n";
  EXPECT_GT(expect_agreement(text, 4, 1e-8), 30);
}

// A sum of three angles: the wrap of any one of them is counted, with factors that are no whole
// numbers too.
TEST(Turns, CouplerOfThreeWheels) {
  const std::string text =
      wheel("a", "ja", "velocity = 12\nposition = 7") +
      wheel("b", "jb", "velocity = -5", "[1, 0, 0]") + wheel("c", "jc", "", "[2, 0, 0]") +
      "[[constraint]]\ntype = \"coupler\"\nname = \"differential\"\nterms = [[\"ja\", 1], [\"jb\", "
      "0.7], [\"jc\", -1.3]]\noffset = 2\n";
  EXPECT_GT(expect_agreement(text, 4, 1e-8), 30);
}

TEST(Turns, TorsionSpringWindsUp) {
  const std::string text =
      wheel("a", "ja", "velocity = 8") +
      "[[force]]\ntype = \"torsion\"\nname = \"coil\"\njoint = \"ja\"\nstiffness = "
      "0.02\ndamping = 0.001\n";
  EXPECT_GT(expect_agreement(text, 6, 1e-8), 5);
}

// The file's value counts: already the first acceleration is that of seven radians.
TEST(Turns, StartBeyondHalfATurn) {
  const std::string text =
      "gravity = [0, 0, 0]\n" + wheel("a", "ja", "position = 7") +
      "[[force]]\ntype = \"torsion\"\nname = \"coil\"\njoint = \"ja\"\nstiffness = "
      "0.025\n";
  for (const char* formulation : turning_formulations) {
    SCOPED_TRACE(formulation);
    const Example e = load_text(text, formulation);
    ASSERT_TRUE(e) << e.problem;
    const State start = e.system->initial_state();
    const DynamicsReport report = e.mechanism().report_dynamics(start, *e.system->make_workspace());
    EXPECT_NEAR(report.acceleration[0][0], -0.025 * 7 / (0.04 + 0.01), 1e-12);
    EXPECT_NEAR(observe(e.mechanism(), start).q[0][0], 7, 1e-12);
  }
  EXPECT_GT(expect_agreement(text, 5, 1e-8), 6);
}

// A force that reads the quaternion of a ball joint: u and -u are the same pose, but not the same
// to the force.
TEST(Turns, ForceThatReadsTheSignOfAQuaternion) {
  const std::string text = R"(
[[body]]
name = "ball"
mass = 1
com = [0.1, 0.02, 0]
inertia = [0.02, 0.03, 0.04]
[[joint]]
name = "j"
type = "spherical"
parent = { body = "world" }
child = { body = "ball" }
velocity = [1, 7, 2]
[[force]]
type = "joint"
name = "odd"
joint = "j"
value = ["0.05*j.q[0]", "0.1*j.q[2]", "-0.1*j.q[3]"]
)";
  expect_agreement(text, 4, 1e-7);
}

// Hinges of every kind that has an angle, in a tree and in a loop. The loop: a parallelogram whose
// last joint in the file, the one that closes it, turns with the crank.
TEST(Turns, LoopJointsCountTheirs) {
  std::string text = R"(
gravity = [0, 0, 0]
[[body]]
name = "crank"
mass = 1
com = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.2]
[[body]]
name = "bar"
mass = 1
com = [1, 0, 0]
inertia = [0.1, 0.1, 0.2]
[[body]]
name = "rocker"
mass = 1
com = [0.6, 0, 0]
inertia = [0.1, 0.1, 0.2]
[[joint]]
name = "ground"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world", at = [2.5, 0, 0] }
child = { body = "rocker" }
position = 1.7821
[[joint]]
name = "knee"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "rocker", at = [2, 0, 0] }
child = { body = "bar" }
position = 1.4
[[joint]]
name = "elbow"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "bar", at = [2.4, 0, 0] }
child = { body = "crank" }
position = -1
[[joint]]
name = "motor"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "crank", at = [0.7, 0, 0] }
velocity = 9
[[force]]
type = "torsion"
name = "coil"
joint = "motor"
stiffness = 0.02
)";
  EXPECT_GT(expect_agreement(text, 6, 1e-6, "gl3", 0.001), 7);
}

// A drive of a joint, whole turns and all; in absolute coordinates it is a loop joint's drive.
TEST(Turns, DriveStartsAtItsOwnTurn) {
  const std::string text = wheel("a", "ja", "") +
                           "[[constraint]]\ntype = \"drive\"\nname = \"motor\"\njoint = "
                           "\"ja\"\nposition = \"9 + 8*t\"\n[[force]]\ntype = \"torsion\"\nname = "
                           "\"coil\"\njoint = \"ja\"\nstiffness = 0.01\n";
  EXPECT_GT(expect_agreement(text, 4, 1e-9), 40);
}

// Other methods see the same turns: adaptive ones, on the group, index 3.
TEST(Turns, EveryKindOfMethod) {
  const std::string text =
      wheel("a", "ja", "velocity = 9") + wheel("b", "jb", "velocity = 3", "[1, 0, 0]") +
      "[[constraint]]\ntype = \"coupler\"\nname = \"gear\"\nterms = [[\"ja\", 1], "
      "[\"jb\", -3]]\n[[force]]\ntype = \"torsion\"\nname = \"coil\"\njoint = "
      "\"jb\"\nstiffness = 0.01\n";
  const struct {
    const char* name;
    double step, tolerance;
  } methods[] = {{"rk4", 0.002, 1e-7},    {"rkmk4", 0.002, 1e-7},
                 {"dop853", 0.01, 1e-6},  {"cvode", 0.01, 1e-3},
                 {"rattle", 0.001, 1e-2}, {"generalized-alpha", 0.001, 1e-2}};
  const Example exact = load_text(text, "recursive");
  const std::vector<double> expected = joints(run(exact, exact.system->initial_state(), 3).end);
  for (const auto& method : methods) {
    if (!find_integrator(method.name)) continue;
    for (const char* formulation : turning_formulations) {
      SCOPED_TRACE(std::string(method.name) + " " + formulation);
      const Example e = load_text(text, formulation);
      if (!refuse_integrator(method.name, *e.system).empty()) continue;
      const Motion r = run(e, e.system->initial_state(), 3, method.name, method.step);
      EXPECT_TRUE(r.report.ok()) << r.report.message;
      EXPECT_LT(largest_difference(joints(r.end), expected), method.tolerance);
    }
  }
}

// A state that was stored as joint coordinates goes on as if nothing had been.
TEST(Turns, SurviveInJointCoordinates) {
  const std::string text =
      wheel("a", "ja", "velocity = 8") +
      "[[force]]\ntype = \"torsion\"\nname = \"coil\"\njoint = \"ja\"\nstiffness = "
      "0.02\n";
  for (const char* formulation : turning_formulations) {
    SCOPED_TRACE(formulation);
    const Example e = load_text(text, formulation);
    const Motion half = run(e, e.system->initial_state(), 1.5);
    ASSERT_GT(half.end.q[0][0], 4);
    const State again = e.mechanism().make_state(1.5, {half.end.q[0]}, {half.end.v[0]});
    EXPECT_NEAR(observe(e.mechanism(), again).q[0][0], half.end.q[0][0], 1e-12);
    const Motion whole = run(e, e.system->initial_state(), 3), rest = run(e, again, 1.5);
    EXPECT_LT(largest_difference(joints(rest.end), joints(whole.end)), 1e-9);
  }
}

// A method that chooses its steps takes shorter ones where a step would turn too far; one that does
// not says what to do. Where nothing depends on the angle there is no limit.
TEST(Turns, StepsThatTurnTooFar) {
  const std::string free = "gravity = [0, 0, 0]\n" + wheel("a", "ja", "velocity = 400");
  const std::string spring = free +
                             "[[force]]\ntype = \"torsion\"\nname = \"coil\"\njoint = "
                             "\"ja\"\nstiffness = 1e-4\n";
  const Example fast = load_text(spring, "absolute-se3"), idle = load_text(free, "absolute-se3");
  const Motion fixed = run(fast, fast.system->initial_state(), 0.2, "rkmk4", 0.01);
  EXPECT_FALSE(fixed.report.ok());
  EXPECT_NE(fixed.report.message.find("'ja' turns by"), std::string::npos) << fixed.report.message;
  const Example tree = load_text(spring, "recursive");
  const double expected = run(tree, tree.system->initial_state(), 0.2).end.q[0][0];
  const Motion chosen = run(fast, fast.system->initial_state(), 0.2, "dop853", 0.05);
  ASSERT_TRUE(chosen.report.ok()) << chosen.report.message;
  EXPECT_NEAR(chosen.end.q[0][0], expected, 1e-5);
  const Motion steady = run(idle, idle.system->initial_state(), 0.2, "rkmk4", 0.01);
  ASSERT_TRUE(steady.report.ok()) << steady.report.message;
  EXPECT_NEAR(steady.end.q[0][0], 80, 1e-6);
}

// A start that cannot be counted is refused with a sentence.
TEST(Turns, TooManyToCount) {
  const Example e = load_text(wheel("a", "ja", "position = 1e12"), "recursive");
  std::string problem;
  EXPECT_FALSE(make_system(*e.model, parameter_values(*e.model), "absolute-se3", problem));
  EXPECT_NE(problem.find("too large"), std::string::npos) << problem;
}

}  // namespace
}  // namespace cartan::test
