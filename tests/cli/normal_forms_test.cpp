// Coefficients of normal forms in `continue`: closed forms, published values, and the branches that
// are born.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

constexpr double weight_of_one = 9.81;

json bifurcations(const std::string& model, const std::string& parameter, const std::string& from,
                  const std::string& to, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"continue", model, "--parameter", parameter, "--from", from,
                                    "--to",     to,    "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const json result = expect_json(run_cartan(words));
  return result["bifurcations"];
}

// The only bifurcation of this kind, with its form.
json only_one(const json& list, const std::string& kind) {
  json found;
  for (const json& one : list)
    if (one["kind"] == kind) {
      EXPECT_TRUE(found.is_null()) << kind << " twice";
      found = one;
    }
  EXPECT_FALSE(found.is_null()) << list.dump(1);
  if (!found.is_null()) {
    EXPECT_FALSE(found["normal_form"].contains("problem")) << found["normal_form"].dump();
  }
  return found;
}

// x' = A - (B + 1) x + x^2 y, y' = B x - x^2 y: B = 1 + A^2, w = A; with a critical vector whose x
// is one the coefficient is -(2 + A^2) / (2 A^3) (Kuznetsov, exercise of chapter 3, who takes
// another length), |q|^2 = 2 + 1/A^2. Small orbits: |y - y*| = e, B - B* = (2 + A^2) / (4 (1 +
// A^2)) e^2.
TEST(NormalForms, BrusselatorInClosedForm) {
  const Scratch scratch;
  for (const double a : {0.5, 1.0, 2.0}) {
    const std::string model = scratch.write("brusselator.toml", R"toml(
name = "Brusselator"
[parameters]
A = )toml" + std::to_string(a) + R"toml(
B = 1
[variables]
x = { initial = "A", rate = "A - (B + 1)*x + x^2*y" }
y = { initial = "B/A", rate = "B*x - x^2*y" }
)toml");
    const double critical = 1 + a * a;
    const json point = only_one(
        bifurcations(model, "B", std::to_string(critical - 0.4), std::to_string(critical + 0.4)),
        "hopf");
    const json& form = point["normal_form"];
    const double coefficient = -(2 + a * a) / (2 * a * (2 * a * a + 1));
    EXPECT_NEAR(form["coefficient"], coefficient, 1e-9 * std::fabs(coefficient)) << a;
    EXPECT_NEAR(form["crossing"][0], 0.5, 1e-9) << a;
    EXPECT_NEAR(form["slope"], (2 + a * a) / (4 * (1 + a * a)), 1e-9) << a;
    EXPECT_EQ(point["criticality"], "supercritical");
  }
}

// Subcritical, as Marsden and McCracken found; the number by Kuznetsov's formula with the quadratic
// terms written out, |q| = 1.
TEST(NormalForms, LorenzLosesItsStabilitySubcritically) {
  const Scratch scratch;
  const std::string model = scratch.write("lorenz.toml", R"toml(
name = "Lorenz"
[parameters]
sigma = 10
rho = 20
beta = "8/3"
[variables]
x = { initial = "sqrt(beta*(rho - 1))", rate = "sigma*(y - x)" }
y = { initial = "sqrt(beta*(rho - 1))", rate = "x*(rho - z) - y" }
z = { initial = "rho - 1", rate = "x*y - beta*z" }
)toml");
  const json point = only_one(bifurcations(model, "rho", "20", "28"), "hopf");
  EXPECT_NEAR(point["parameter"], 470.0 / 19, 1e-9);
  EXPECT_NEAR(point["normal_form"]["coefficient"], 2.655189725836705e-4, 1e-12);
  EXPECT_EQ(point["criticality"], "subcritical");
}

// r' = mu r / 2 - r^3 / 8.
TEST(NormalForms, VanDerPolByAveraging) {
  const Scratch scratch;
  const std::string model = scratch.write("vdp.toml", R"toml(
name = "van der Pol"
[parameters]
mu = -0.3
[variables]
x = { initial = 0, rate = "y" }
y = { initial = 0, rate = "mu*y - x - x^2*y" }
)toml");
  const json form = only_one(bifurcations(model, "mu", "-0.3", "0.3"), "hopf")["normal_form"];
  EXPECT_NEAR(form["coefficient"], -0.25, 1e-12);
  EXPECT_NEAR(form["slope"], 0.25, 1e-12);
}

// A pendulum turned by a constant torque: mgl sin q = tau. As tree, and with the same body on a
// ball joint whose other turns a loop takes away, so that a quaternion and constraints are there.
const char* const turned = R"toml(
name = "turned pendulum"
[parameters]
tau = 5
d = 0.7
[[body]]
name = "rod"
mass = 2
com = [0, 0, -0.5]
inertia = [0.1, 0.2, 0.3]
)toml";

TEST(NormalForms, FoldOfATurnedPendulum) {
  const Scratch scratch;
  const std::string tree = scratch.write("tree.toml", std::string(turned) + R"toml(
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "rod" }
[[force]]
type = "joint"
joint = "hinge"
value = "-tau - d*hinge.v"
)toml");
  const std::string loop = scratch.write("loop.toml", std::string(turned) + R"toml(
[[joint]]
name = "ball"
type = "spherical"
parent = { body = "world" }
child = { body = "rod" }
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "rod" }
[[force]]
type = "joint"
joint = "ball"
value = [0, "-tau - d*ball.v1", 0]
)toml");
  const double moment = 2 * weight_of_one * 0.5;
  for (const std::string& model : {tree, loop}) {
    const json point = only_one(bifurcations(model, "tau", "5", "12"), "fold");
    const json& form = point["normal_form"];
    EXPECT_NEAR(point["parameter"], moment, 1e-9) << model;
    EXPECT_NEAR(form["slope"], -moment / 2, 1e-6) << model;
    EXPECT_NEAR(std::fabs(form["coefficient"].get<double>()), moment / (2 * 0.7), 1e-6) << model;
  }
}

// A bead in a tube that turns with W about the vertical: q'' = (W^2 cos q - g/R) sin q - d q'.
// Upright it rests up to W^2 = g/R; then W = W0 (1 + q^2 / 4), and on the slow manifold q' = .. -
// W^2 q^3 / (2 d).
TEST(NormalForms, PitchforkOfABeadOnATurningHoop) {
  const Scratch scratch;
  const std::string model = scratch.write("hoop.toml", R"toml(
name = "hoop"
[parameters]
W = 2
R = 0.8
d = 0.5
[[body]]
name = "hoop"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "turn"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "hoop" }
[[constraint]]
type = "drive"
joint = "turn"
position = "W*t"
[[body]]
name = "bead"
mass = 1
com = [0, 0, "-R"]
[[joint]]
name = "slide"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "hoop" }
child = { body = "bead" }
[[force]]
type = "joint"
joint = "slide"
value = "-d*R^2*slide.v"
)toml");
  const double critical = std::sqrt(weight_of_one / 0.8);
  const json list = bifurcations(model, "W", "2", "5", {"--switch"});
  const json point = only_one(list, "branch-point");
  const json& form = point["normal_form"];
  EXPECT_NEAR(point["parameter"], critical, 1e-9);
  EXPECT_EQ(form["kind"], "pitchfork");
  EXPECT_EQ(point["criticality"], "supercritical");
  EXPECT_NEAR(form["slope"], critical / 4, 1e-7);
  EXPECT_NEAR(form["coefficient"], -critical * critical / (2 * 0.5), 1e-6);
}

TEST(NormalForms, TranscriticalCrossingWithASlaveVariable) {
  const Scratch scratch;
  const std::string model = scratch.write("crossing.toml", R"toml(
name = "crossing"
[parameters]
p = -1
[variables]
x = { initial = 0, rate = "p*x - 2*x^2 + x*y" }
y = { initial = 0, rate = "-y + x^2" }
)toml");
  const json form = only_one(bifurcations(model, "p", "-1", "1"), "branch-point")["normal_form"];
  EXPECT_EQ(form["kind"], "transcritical");
  EXPECT_NEAR(form["coefficient"], -2, 1e-9);
  EXPECT_NEAR(form["slope"], 2, 1e-9);
}

// In axes that make half a turn in one period u' = p u + c u^3, w' = -w - u^2 w: the multipliers
// are -exp(p) and -1/e, and u -> -u - c u^3 at p = 0.
TEST(NormalForms, PeriodDoublingInClosedForm) {
  const Scratch scratch;
  const std::string model = scratch.write("doubling.toml", R"toml(
name = "doubling"
[parameters]
p = -0.2
c = -0.7
[definitions]
u = "x*cos(pi*t) + y*sin(pi*t)"
w = "y*cos(pi*t) - x*sin(pi*t)"
U = "p*u + c*u^3"
W = "-w - u^2*w"
[variables]
x = { initial = 0, rate = "-pi*y + U*cos(pi*t) - W*sin(pi*t)" }
y = { initial = 0, rate = "pi*x + U*sin(pi*t) + W*cos(pi*t)" }
)toml");
  for (const double c : {-0.7, 0.4}) {
    const json point = only_one(bifurcations(model, "p", "-0.2", "0.2",
                                             {"--of", "orbit", "--driven", "--period", "1", "--set",
                                              "c=" + std::to_string(c)}),
                                "period-doubling");
    EXPECT_NEAR(point["parameter"], 0, 1e-9);
    EXPECT_NEAR(point["normal_form"]["coefficient"], -c, 1e-8) << c;
    EXPECT_EQ(point["criticality"], c < 0 ? "supercritical" : "subcritical");
  }
}

// Steady straight running: five symmetries, a conserved quantity, rolling wheels. The slope of the
// normal form against that of the orbits that are born, whose first amplitudes are extrapolated.
TEST(NormalForms, BicycleAgainstItsBranches) {
  const json list =
      bifurcations(example("bicycle"), "R2*front_axle.v", "3.25", "3.19",
                   {"--set", "lean=0", "--set", "steer=0", "--set", "pitch=0", "--set",
                    "yaw_rate=0", "--switch", "--orbit-points", "3", "--step", "0.05"});
  const json hopf = only_one(list, "hopf");
  EXPECT_NEAR(hopf["parameter"], 3.20654620778209, 1e-9);
  EXPECT_LT(hopf["normal_form"]["coefficient"], 0);
  EXPECT_EQ(hopf["criticality"], "supercritical");
  const double slope = hopf["normal_form"]["slope"];
  EXPECT_LT(slope, 0);
  EXPECT_NEAR(hopf["slope"], slope, 1e-3 * std::fabs(slope));  // 2e-4 off; 1e-5 with --step 0.01
}

}  // namespace
}  // namespace cartan::test
