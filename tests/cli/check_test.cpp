// check: trees, masses, refusals.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

// A fork: two rods on one carriage, one joint written from child to parent.
const char* const fork = R"(
name = "fork"
[[body]]
name = "carriage"
mass = 2
[[body]]
name = "left"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "right"
mass = 3
com = [0, 0, 1]
inertia = [1, 2, 3]
[[joint]]
name = "track"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "carriage" }
[[joint]]
name = "hip_left"
type = "spherical"
parent = { body = "carriage", at = [-1, 0, 0] }
child = { body = "left" }
[[joint]]
name = "hip_right"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "right" }
child = { body = "carriage", at = [1, 0, 0] }
)";

TEST(Check, TreeAndMasses) {
  const Scratch scratch;
  const CommandResult result = run_cartan({"check", scratch.write("fork.toml", fork)});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* text :
       {"world\n  track (prismatic) -> carriage\n  +- hip_left (spherical) -> left\n",
        "+- hip_right (revolute, reversed) -> right", "degrees of freedom   5",
        "total mass           6 kg"})
    EXPECT_NE(result.out.find(text), std::string::npos) << text << "\nin\n" << result.out;
}

TEST(Check, Json) {
  const Scratch scratch;
  const auto json = expect_json(run_cartan({"check", scratch.write("fork.toml", fork), "--json"}));
  EXPECT_EQ(json["bodies"], 3);
  EXPECT_EQ(json["joints"], 3);
  EXPECT_EQ(json["loops"], 0);
  EXPECT_EQ(json["dof"], 5);
  EXPECT_EQ(json["dof_position"], 5);
  EXPECT_EQ(json["redundant"], 0);
  EXPECT_DOUBLE_EQ(json["mass"], 6.0);
  // left at (-1, 0, 0), right's centre at (1, 0, 1): by hand
  EXPECT_NEAR(json["center_of_mass"][0], 2.0 / 6, 1e-15);
  EXPECT_NEAR(json["center_of_mass"][2], 3.0 / 6, 1e-15);
  double trace = 0;
  for (const auto& moment : json["principal_moments"]) trace += moment.get<double>();
  // sum of tr J + 2 m |x - c|^2
  EXPECT_NEAR(trace, 3 + 6 + 2 * (1 * 1 + 3 * 2 - 6 * (1.0 / 9 + 0.25)), 1e-13);
}

TEST(Check, VariablesFile) {
  const Scratch scratch;
  const auto json =
      expect_json(run_cartan({"check", scratch.write_template({"variables"}), "--json"}));
  EXPECT_EQ(json["bodies"], 0);
  EXPECT_EQ(json["variables"].size(), 2u);
}

// Both points are hips, so their distance cannot change: an equation that says nothing.
TEST(Check, ConstraintsAreListedAndCounted) {
  const Scratch scratch;
  const auto distance = [&](const char* length) {
    return scratch.write("loop.toml", std::string(fork) + R"(
[[constraint]]
type = "distance"
from = { body = "left" }
to = { body = "right" }
length = )" + length);
  };
  const std::string model = distance("2\n");
  const CommandResult text = run_cartan({"check", model});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* line : {"distance1 (distance)", "1 equation of rank 0 on 5 speeds of the tree",
                           "1, in constraint 'distance1'", "assembly"})
    EXPECT_NE(text.out.find(line), std::string::npos) << line << "\nin\n" << text.out;
  const auto json = expect_json(run_cartan({"check", model, "--json"}));
  EXPECT_EQ(json["constraints"], 1);
  EXPECT_EQ(json["equations"], 1);
  EXPECT_EQ(json["rank"], 0);
  EXPECT_EQ(json["redundant"], 1);
  EXPECT_EQ(json["dof"], 5);
  EXPECT_EQ(json["assembly"]["position_change"], 0.0);
  expect_refusal(run_cartan({"check", distance("3\n")}),
                 "constraint 'distance1' cannot be satisfied: a gap of 1 remains");
}

TEST(Check, SetOverridesParameters) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"double-pendulum"});
  EXPECT_DOUBLE_EQ(expect_json(run_cartan({"check", model, "--set", "m=4", "--json"}))["mass"],
                   8.0);
  EXPECT_DOUBLE_EQ(
      expect_json(run_cartan({"check", model, "--set", "m=2*L", "--set=L=3", "--json"}))["mass"],
      12.0);
  expect_refusal(run_cartan({"check", model, "--set", "start3=1"}), "did you mean 'start");
  expect_refusal(run_cartan({"check", model, "--set", "m"}), "expected NAME=VALUE");
  expect_refusal(run_cartan({"check", model, "--set", "m=-1"}), "mass");
  expect_refusal(run_cartan({"check", model, "--set", "m=2*"}), "double-pendulum.toml");
}

// Across a long straight chain the inertia of the whole is so large that what a hinge sees of it
// must not pass for none.
TEST(Check, LongStraightChain) {
  const Scratch scratch;
  constexpr int links = 30000;
  std::string text = "name = \"chain\"\n";
  for (int k = 0; k < links; ++k) {
    const std::string name = "b" + std::to_string(k),
                      parent = k == 0 ? "\"world\"" : "\"b" + std::to_string(k - 1) + "\"";
    text += "[[body]]\nname = \"" + name +
            "\"\nmass = 1\ncom = [0.5, 0, 0]\ninertia = [0, 0.08, 0.08]\n";
    text += "[[joint]]\nname = \"j" + std::to_string(k) +
            "\"\ntype = \"revolute\"\naxis = [0, 1, 0]\nparent = { body = " + parent +
            (k == 0 ? "" : ", at = [1, 0, 0]") + " }\nchild = { body = \"" + name + "\" }\n";
  }
  const CommandResult result = run_cartan({"check", scratch.write("chain.toml", text), "--json"});
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(expect_json(result)["dof"], links);
  // a link without mass at the end is still told
  text +=
      "[[body]]\nname = \"none\"\nmass = 0\n[[joint]]\nname = \"idle\"\ntype = \"revolute\"\naxis "
      "= [0, "
      "1, 0]\nparent = { body = \"b7\" }\nchild = { body = \"none\" }\n";
  expect_refusal(run_cartan({"check", scratch.write("idle.toml", text)}),
                 "joint 'idle': its motion meets no inertia");
}

// Found by random command lines: moments of a machine of 1e200 m were "nan".
TEST(Check, MomentsBeyondTheRangeOfNumbersAreNotPrinted) {
  const Scratch scratch;
  const auto two_balls = [&](const std::string& far) {
    std::string text;
    for (const std::string name : {"a", "b"})
      text += "[[body]]\nname = \"" + name +
              "\"\nmass = 2\ninertia = [1, 1, 1]\n[[joint]]\nname = \"j" + name +
              "\"\ntype = \"prismatic\"\naxis = [1, 0, 0]\nparent = { body = \"world\" }\nchild = "
              "{ body = \"" +
              name + "\" }\nposition = " + (name == "a" ? "-" + far : far) + "\n";
    return scratch.write("m.toml", text);
  };
  const CommandResult check = run_cartan({"check", two_balls("1e200")});
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_EQ(check.out.find("nan"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("beyond the range of numbers"), std::string::npos) << check.out;
  const auto json = expect_json(run_cartan({"check", scratch.path("m.toml"), "--json"}));
  EXPECT_TRUE(json["principal_moments"][0].is_null()) << json;
  const auto near = expect_json(run_cartan({"check", two_balls("3"), "--json"}));
  const double moments[] = {2, 38, 38};  // 2 (1 + 2 3^2) across
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(near["principal_moments"][k].get<double>(), moments[k], 1e-12);
}

}  // namespace
}  // namespace cartan::test
