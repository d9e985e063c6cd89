// `equations` for the rates of [variables] beside bodies.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// Two coils that induce into each other, one of them driven by the motion of a wheel.
const std::string wheel_with_coils = R"toml(
[parameters]
M = 0.3
[[body]]
name = "wheel"
mass = 1
com = [0, 0.1, 0]
inertia = [0.2, 0.2, 0.4]
[[joint]]
name = "axle"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "wheel" }
velocity = 3
[[force]]
type = "joint"
joint = "axle"
value = "0.5*i1 - 0.1*axle.v - 2*axle.q"
)toml";

const std::string left_to_equations =
    "name = \"coils\"\n"
    "equations = [\"(0.5 + 0.1*cos(axle.q))*i1' + M*i2' = 1 - i1 - 0.5*axle.v\", \"M*i1' + 0.4*i2' "
    "= -2*i2 + 0.1*f\"]\n" +
    wheel_with_coils + R"toml(
[variables]
i1 = { initial = 0.2 }
i2 = { initial = -0.1 }
f = { initial = 0, rate = "axle.v - f" }
)toml";

const std::string solved_by_hand = "name = \"coils\"\n" + wheel_with_coils + R"toml(
[definitions]
L = "0.5 + 0.1*cos(axle.q)"
b1 = "1 - i1 - 0.5*axle.v"
b2 = "-2*i2 + 0.1*f"
[variables]
i1 = { initial = 0.2, rate = "(0.4*b1 - M*b2)/(0.4*L - M^2)" }
i2 = { initial = -0.1, rate = "(L*b2 - M*b1)/(0.4*L - M^2)" }
f = { initial = 0, rate = "axle.v - f" }
)toml";

std::vector<double> end_of(const std::string& model, const std::vector<std::string>& more) {
  const Scratch scratch;
  std::vector<std::string> words = {"run",  model,   "--duration",        "2",      "--step",
                                    "0.02", "--out", scratch.path("out"), "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  const CommandResult result = run_cartan(words);
  EXPECT_EQ(result.status, 0) << result.err;
  const std::string text = read_file(scratch.path("out/trajectory.csv"));
  const std::size_t last = text.rfind('\n', text.size() - 2) + 1;
  std::vector<double> values;
  for (std::size_t at = last; at < text.size();) {
    values.push_back(std::stod(text.substr(at)));
    at = text.find_first_of(",\n", at) + 1;
  }
  return values;
}

TEST(EquationsBesideBodies, AreSolvedAsByHand) {
  const Scratch scratch;
  const std::string left = scratch.write("left.toml", left_to_equations),
                    by_hand = scratch.write("hand.toml", solved_by_hand);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--integrator", "dop853", "--tolerance", "1e-12"},
        std::vector<std::string>{"--integrator", "gl3"},
        std::vector<std::string>{"--formulation", "absolute-se3", "--integrator", "dop853"},
        std::vector<std::string>{"--formulation", "generated"}}) {
    const std::vector<double> a = end_of(left, more), b = end_of(by_hand, more);
    ASSERT_EQ(a.size(), b.size());
    double moved = 0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_NEAR(a[k], b[k], 1e-9 * (1 + std::fabs(b[k]))) << more[1] << " column " << k;
      moved = std::max(moved, std::fabs(b[k]));
    }
    EXPECT_GT(moved, 1);
  }
}

TEST(EquationsBesideBodies, HaveExactDerivatives) {
  const Scratch scratch;
  const std::string left = scratch.write("left.toml", left_to_equations),
                    by_hand = scratch.write("hand.toml", solved_by_hand);
  json found[2];
  int k = 0;
  for (const std::string& model : {left, by_hand})
    found[k++] = expect_json(
        run_cartan({"linearize", model, "--at", "equilibrium", "--json"}))["eigenvalues"];
  ASSERT_EQ(found[0].size(), found[1].size());
  for (std::size_t i = 0; i < found[0].size(); ++i)
    for (int part = 0; part < 2; ++part)
      EXPECT_NEAR(found[0][i][part], found[1][i][part], 1e-9) << i;
  EXPECT_EQ(found[0].size(), 5u);
}

TEST(EquationsBesideBodies, NeedARateInEach) {
  const Scratch scratch;
  std::string text = left_to_equations;
  const std::string second = "M*i1' + 0.4*i2' = -2*i2 + 0.1*f";
  text.replace(text.find(second), second.size(), "i2 = 0.2*i1");
  const CommandResult result = run_cartan({"check", scratch.write("wrong.toml", text)});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("no rate is in it"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cartan::test
