// inverse: forces for a prescribed motion.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

TEST(Inverse, HoldingAPendulum) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  const std::string motion = scratch.write("hold.csv", "t,hinge.q0,hinge.v0,hinge.a0\n0,0.5,0,0\n");
  const json result = expect_json(run_cartan({"inverse", model, "--motion", motion, "--json"}));
  EXPECT_NEAR(result["force"]["hinge"][0][0], 0.5 * 9.81 * std::sin(0.5), 1e-14);
  const CommandResult text = run_cartan({"inverse", model, "--motion", motion});
  EXPECT_EQ(text.out.substr(0, 11), "t,hinge.f0\n");
}

// What a run does by itself needs no force.
TEST(Inverse, FreeMotionNeedsNoForce) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"double-pendulum"}), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.5", "--step", "0.002", "--out", out}).status,
            0);
  const std::string forces = scratch.path("forces.csv");
  const CommandResult result =
      run_cartan({"inverse", model, "--motion", out + "/trajectory.csv", "--out", forces});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("differentiated by splines: a of 'shoulder', a of 'elbow'"),
            std::string::npos)
      << result.err;
  EXPECT_NEAR(last_row(forces)["shoulder.f0"], 0, 1e-4);
  EXPECT_NEAR(last_row(forces)["elbow.f0"], 0, 1e-4);
}

// Speeds and accelerations from positions alone, for quaternions of either sign.
TEST(Inverse, PositionsAlone) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", R"(
name = "ball"
gravity = [0, 0, 0]
[[body]]
name = "ball"
mass = 2
inertia = [1, 1, 1]
[[joint]]
name = "base"
type = "free"
parent = { body = "world" }
child = { body = "ball" }
)");
  // turns about z with angle t^2/2 (torque 1) while moving along x with 3 t^2/2 (force 6 in world
  // axes)
  std::string motion = "t,base.q0,base.q1,base.q2,base.q3,base.q4,base.q5,base.q6\n";
  for (int k = 0; k <= 200; ++k) {
    const double t = 0.01 * k, half = t * t / 4, sign = k % 3 ? 1 : -1;
    motion += fmt::format("{},{:.17g},0,0,{:.17g},{:.17g},0,0\n", t, sign * std::cos(half),
                          sign * std::sin(half), 1.5 * t * t);
  }
  const json result = expect_json(
      run_cartan({"inverse", model, "--motion", scratch.write("motion.csv", motion), "--json"}));
  const json& force = result["force"]["base"][100];
  EXPECT_NEAR(force[2], 1, 1e-5);
  EXPECT_NEAR(force[3], 6 * std::cos(0.5), 1e-5);
  EXPECT_NEAR(force[4], -6 * std::sin(0.5), 1e-5);
  EXPECT_NEAR(force[0], 0, 1e-12);
}

TEST(Inverse, Refusals) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  expect_refusal(run_cartan({"inverse", model}), "expected --motion");
  expect_refusal(run_cartan({"inverse", model, "--motion", scratch.path("none.csv")}),
                 "none.csv: ");
  const auto refuse = [&](const char* csv, const char* text) {
    expect_refusal(run_cartan({"inverse", model, "--motion", scratch.write("m.csv", csv)}), text);
  };
  refuse("", "expected a header row");
  refuse("t,hinge.q0\n", "at least one row");
  refuse("t,hinge.q0\n0,0.1\n0,0.2\n", "must increase");
  refuse("t,hinge.q0\n0,0.1\n1,abc\n", "m.csv:3:3: 'abc' in column 'hinge.q0'");
  refuse("t,hinge.q0\n0,0.1\n1\n", "m.csv:3:1: this row has 1 cells; the header has 2");
  refuse("t,other.q0\n0,0.1\n1,0.2\n", "no column 'hinge.q0'");
  refuse("hinge.q0\n0\n1\n", "no column 't'");
  refuse("t,hinge.q0\n0,0.1\n", "one row is not enough");
  expect_refusal(run_cartan({"inverse", scratch.write_template({"variables"}), "--motion", model}),
                 "[variables]");
}

// A weight on a vertical slide with dry friction, 1 kg.
const char* const weight = R"(
name = "weight"
gravity = [0, 0, -9.81]
[parameters]
grip = 20
[[body]]
name = "weight"
mass = 1
[[joint]]
name = "rail"
type = "prismatic"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "weight" }
[[force]]
name = "rub"
type = "friction"
joint = "rail"
coulomb = "grip"
)";

// At rest friction takes what it can: the force of least size is asked for, and said so.
TEST(Inverse, StickingFrictionHoldsWhatItCan) {
  const Scratch scratch;
  const std::string model = scratch.write("weight.toml", weight);
  const std::string motion = scratch.write(
      "motion.csv",
      "t,rail.q0,rail.v0,rail.a0\n0,0,0,0\n1,0,0,2\n2,0,0,-2\n3,0,0.1,0\n4,0,-0.1,0\n");
  const auto forces = [&](const char* grip) {
    const CommandResult result =
        run_cartan({"inverse", model, "--motion", motion, "--set", grip, "--json"});
    EXPECT_NE(result.err.find("friction 'rub' sticks in 1 of 5 rows"), std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("of least size"), std::string::npos) << result.err;
    const json object = expect_json(result);
    EXPECT_EQ(object["sticking"]["rub"], 1);
    std::vector<double> list;
    for (const json& row : object["force"]["rail"]) list.push_back(row[0]);
    return list;
  };
  const std::vector<double> strong = forces("grip=20"), weak = forces("grip=4");
  const double expected_strong[] = {0, 31.81, 9.81 - 2 - 20, 29.81, 9.81 - 20},
               expected_weak[] = {5.81, 15.81, 9.81 - 2 - 4, 13.81, 5.81};
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(strong[k], expected_strong[k], 1e-13) << k;
    EXPECT_NEAR(weak[k], expected_weak[k], 1e-13) << k;
  }
}

// Dry friction in a linkage: the torque of the crank that is least among those that hold it.
TEST(Inverse, StickingFrictionInALinkage) {
  const Scratch scratch;
  const auto torque = [&](double grip) {
    const std::string model = scratch.write(
        "rub.toml", read_file(std::string(CARTAN_ROOT) + "/examples/four_bar.toml") +
                        fmt::format("\n[[force]]\nname = \"rub\"\ntype = \"friction\"\njoint = "
                                    "\"foot\"\ncoulomb = {}\n",
                                    grip));
    const json start =
        expect_json(run_cartan({"run", model, "--duration", "0", "--set", "speed=0", "--json"}));
    std::string header = "t", row = "0";
    for (const char* joint : {"motor", "knee", "foot"}) {
      header += fmt::format(",{0}.q0,{0}.v0,{0}.a0", joint);
      row += fmt::format(",{:.17g},0,0", start["final"]["q"][joint][0].get<double>());
    }
    const std::string motion = scratch.write("hold.csv", header + "\n" + row + "\n");
    return expect_json(run_cartan({"inverse", model, "--motion", motion, "--set", "speed=0",
                                   "--json"}))["force"]["motor"][0][0]
        .get<double>();
  };
  const double free = torque(0), gripped = torque(0.01), more = torque(0.02);
  ASSERT_GT(std::fabs(free), 0.1);
  EXPECT_LT(std::fabs(gripped), std::fabs(free));
  // through the lever between foot and motor each hundredth takes the same
  const json moving =
      expect_json(run_cartan({"run", std::string(CARTAN_ROOT) + "/examples/four_bar.toml",
                              "--duration", "0", "--set", "speed=1", "--json"}));
  const double lever = moving["final"]["v"]["foot"][0];
  EXPECT_GT(std::fabs(lever), 0.01);
  EXPECT_NEAR(std::fabs(free - gripped), 0.01 * std::fabs(lever), 1e-10);
  EXPECT_NEAR(free - gripped, gripped - more, 1e-10);
  EXPECT_EQ(torque(1e3), 0);
}

// A drive does not do the work in secret: what it has to supply is the answer.
TEST(Inverse, DrivesAreForcesToBeFound) {
  const Scratch scratch;
  const std::string free = scratch.write_template({"pendulum"});
  const std::string driven =
      scratch.write("driven.toml", read_file(free) +
                                       "\n[[constraint]]\nname = \"motor\"\ntype = \"drive\"\n"
                                       "joint = \"hinge\"\nposition = \"0.5 + sin(t)\"\n");
  const std::string motion =
      scratch.write("motion.csv", "t,hinge.q0,hinge.v0,hinge.a0\n0,0.5,1,0\n1,1.2,0.3,-0.8\n");
  const CommandResult result = run_cartan({"inverse", driven, "--motion", motion, "--json"});
  const json with = expect_json(result),
             without = expect_json(run_cartan({"inverse", free, "--motion", motion, "--json"}));
  EXPECT_EQ(with["force"], without["force"]);
  EXPECT_GT(std::fabs(with["force"]["hinge"][0][0].get<double>()), 1);
  EXPECT_NE(result.err.find("drive 'motor' is left out"), std::string::npos) << result.err;
  EXPECT_EQ(with["drives"], json::array({"motor"}));
}

}  // namespace
}  // namespace cartan::test
