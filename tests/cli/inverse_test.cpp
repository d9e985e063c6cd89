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

}  // namespace
}  // namespace cartan::test
