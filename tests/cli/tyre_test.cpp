// `tyre`: closed forms, the border of shimmy, every formulation, refusals.
#include <cmath>
#include <complex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// The last row of a table by the names of its columns.
double last_value(const std::string& table, const std::string& column) {
  const std::string text = read_file(table), head = text.substr(0, text.find('\n'));
  const std::string last = text.substr(text.rfind('\n', text.size() - 2) + 1);
  std::size_t name = 0, value = 0;
  for (;;) {
    const std::size_t end = head.find(',', name);
    if (head.substr(name, end - name) == column) return std::stod(last.substr(value));
    if (end == std::string::npos) break;
    name = end + 1;
    value = last.find(',', value) + 1;
  }
  ADD_FAILURE() << column << " is not in " << head;
  return NAN;
}

// A wheel is drawn along at a constant slip angle b: e = -s tan b (1 - exp(-V cos b t / s)). It
// leans and spins, which changes neither the deflection nor the size of the force.
TEST(Tyre, FollowsSteadySlipOverItsLength) {
  const Scratch scratch;
  const std::string model = scratch.write("wheel.toml", R"toml(
name = "drawn wheel"
[variables]
e = { initial = 0 }
[[body]]
name = "carrier"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "wheel"
mass = 1
inertia = [0.1, 0.2, 0.1]
[[joint]]
name = "rail"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "carrier" }
[[joint]]
name = "axle"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "carrier", rotate = { rpy = [0.3, 0, -0.2] } }
child = { body = "wheel" }
velocity = 7
[[constraint]]
type = "drive"
joint = "rail"
position = "3*t"
[[force]]
name = "tyre"
type = "tyre"
body = "wheel"
axis = [0, 2, 0]
radius = 0.5
stiffness = 800
relaxation = 0.4
trail = 0.05
deflection = "e"
)toml");
  const double slip = 0.2, length = 0.4, end = 0.3;
  const CommandResult result =
      run_cartan({"run", model, "--duration", "0.3", "--integrator", "dop853", "--tolerance",
                  "1e-12", "--record", "forces", "--out", scratch.path("out")});
  ASSERT_EQ(result.status, 0) << result.err;
  const double e = -length * std::tan(slip) * (1 - std::exp(-3 * std::cos(slip) * end / length));
  EXPECT_NEAR(last_value(scratch.path("out/trajectory.csv"), "e"), e, 1e-10);
  // l = (sin b, cos b, 0) in the world
  const std::string forces = scratch.path("out/forces.csv");
  EXPECT_NEAR(last_value(forces, "tyre.wheel.fx"), 800 / length * e * std::sin(slip), 1e-7);
  EXPECT_NEAR(last_value(forces, "tyre.wheel.fy"), 800 / length * e * std::cos(slip), 1e-7);
  EXPECT_NEAR(last_value(forces, "tyre.wheel.fz"), 0, 1e-9);
}

// (x + V/s) (I x^2 + c x) + (a + t) (C/s) (V + a x) = 0, see the head of the example.
struct Cubic {
  double I = 0.054375, c = 0.5, a = 0.1, s = 0.2, C = 2000, t = 0.02;

  std::complex<double> operator()(double V, std::complex<double> x) const {
    return (x + V / s) * (I * x * x + c * x) + (a + t) * C / s * (V + a * x);
  }
  double border() const {
    const double A = I * c / (s * s), D = c * (a + t) * C * a / s,
                 B = c * c / s + I * (a + t) * C * (a - s) / (s * s);
    return (-B - std::sqrt(B * B - 4 * A * D)) / (2 * A);
  }
};

TEST(Tyre, ShimmyBeginsWhereTheCubicSays) {
  const Cubic cubic;
  const json linear = expect_json(
      run_cartan({"linearize", example("shimmy"), "--set", "yaw=0", "--set", "V=4", "--json"}));
  int found = 0, growing = 0;
  for (const json& value : linear["eigenvalues"]) {
    const std::complex<double> x(value[0], value[1]);
    if (std::abs(x) < 1e-6) continue;
    ++found;
    growing += x.real() > 0;
    EXPECT_LT(std::abs(cubic(4, x)), 1e-7 * std::pow(std::abs(x), 3)) << x;
  }
  EXPECT_EQ(found, 3);
  EXPECT_EQ(growing, 2);
  const json list =
      expect_json(run_cartan({"continue", example("shimmy"), "--parameter", "V", "--from", "1",
                              "--to", "3", "--set", "yaw=0", "--json"}))["bifurcations"];
  ASSERT_EQ(list.size(), 1u) << list.dump(1);
  EXPECT_EQ(list[0]["kind"], "hopf");
  EXPECT_NEAR(list[0]["parameter"], cubic.border(), 1e-8);
  EXPECT_TRUE(list[0]["normal_form"].contains("coefficient")) << list[0].dump(1);
}

// The trolley coasts: `canonical` knows no drives.
TEST(Tyre, MovesAlikeInEveryFormulation) {
  const Scratch scratch;
  std::string text = read_file(example("shimmy"));
  const std::size_t drive = text.find("[[constraint]]"), next = text.find("[[joint]]", drive);
  text.replace(drive, next - drive, "velocity = \"V\"\n");
  const std::string model = scratch.write("coasting.toml", text);
  double expected = 0;
  for (const std::string formulation :
       {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3", "rotation-elements",
        "canonical", "generated"}) {
    const std::string out = scratch.path(formulation);
    const CommandResult result =
        run_cartan({"run", model, "--formulation", formulation, "--duration", "0.2", "--tolerance",
                    "1e-11", "--set", "yaw=0.3", "--out", out});
    ASSERT_EQ(result.status, 0) << formulation << result.err;
    const double e = last_value(out + "/trajectory.csv", "deflection");
    if (formulation == "recursive") expected = e;
    EXPECT_NEAR(e, expected, 1e-8) << formulation;
  }
  EXPECT_GT(std::fabs(expected), 1e-3);
}

TEST(Tyre, WrongDeflectionsAreRefused) {
  const Scratch scratch;
  const std::string text = read_file(example("shimmy"));
  const auto refused = [&](const std::string& from, const std::string& to,
                           const std::string& says) {
    std::string wrong = text;
    const std::size_t at = wrong.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    wrong.replace(at, from.size(), to);
    const CommandResult result = run_cartan({"check", scratch.write("wrong.toml", wrong)});
    EXPECT_EQ(result.status, 2) << says;
    EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("NAME = { initial = 0 } in [variables]"), std::string::npos);
  };
  const std::string key = "deflection = \"deflection\"";
  refused(key, "", "missing key 'deflection' of force 'tyre'");
  refused(key, "deflection = \"other\"", "there is no variable 'other'");
  refused("deflection = { initial = 0 }", "deflection = { initial = 0, rate = 1 }",
          "has its own rate");
  const std::size_t force = text.find("[[force]]\nname = \"tyre\"");
  std::string second = text.substr(force, text.find("[simulate]") - force);
  second.replace(second.find("\"tyre\""), 6, "\"second\"");
  refused("[simulate]", second + "[simulate]", "two tyres share the variable 'deflection'");
}

TEST(Tyre, IntegratorsOfSecondOrderRefuseItsVariable) {
  for (const std::string integrator : {"variational", "generalized-alpha"}) {
    const CommandResult result =
        run_cartan({"run", example("shimmy"), "--integrator", integrator, "--quiet"});
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.err.find("[variables]"), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace cartan::test
