// cartan linearize and cartan equilibrium as a user types them.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

TEST(Linearize, BenchmarkBicycle) {
  const json result = expect_json(run_cartan(
      {"linearize", example("benchmark_bicycle"), "--set", "push=0", "--set", "v=5", "--json"}));
  EXPECT_EQ(result["neutral"], 6);
  ASSERT_EQ(result["eigenvalues"].size(), 10u);
  EXPECT_EQ(result["frequencies_hz"].size(), 10u);
  EXPECT_EQ(result["damping"].size(), 10u);
  EXPECT_EQ(result["modes"].size(), 10u);
  // zeros first (the largest real parts), then descending
  for (int k = 0; k < 6; ++k) EXPECT_EQ(result["eigenvalues"][k], json({0.0, 0.0}));
  EXPECT_NEAR(result["eigenvalues"][6][0].get<double>(), -0.3228664290040871, 1e-10);
  EXPECT_NEAR(result["eigenvalues"][7][1].get<double>(), 4.464867713788225, 1e-10);
  EXPECT_NEAR(result["eigenvalues"][8][1].get<double>(), -4.464867713788225, 1e-10);
  EXPECT_NEAR(result["eigenvalues"][9][0].get<double>(), -14.07838969279825, 1e-10);
  EXPECT_TRUE(result["stable"]);
  const json& mode = result["modes"][7];
  EXPECT_TRUE(mode["q"].contains("steering"));
  EXPECT_TRUE(mode["bodies"].contains("frame"));
}

// In a mode everything grows with the same eigenvalue: v = lambda q for plain joints.
TEST(Linearize, ModesAreMotions) {
  const json result = expect_json(run_cartan(
      {"linearize", example("benchmark_bicycle"), "--set", "push=0", "--set", "v=5", "--json"}));
  for (const json& mode : result["modes"]) {
    const double re = mode["eigenvalue"][0], im = mode["eigenvalue"][1];
    if (re == 0 && im == 0) continue;
    const json &q = mode["q"]["steering"][0], &v = mode["v"]["steering"][0];
    const double a = q[0], b = q[1];
    EXPECT_NEAR(v[0].get<double>(), re * a - im * b, 1e-9);
    EXPECT_NEAR(v[1].get<double>(), re * b + im * a, 1e-9);
  }
}

TEST(Linearize, SweepOverAParameterAndASpeed) {
  const Scratch scratch;
  const json parameter =
      expect_json(run_cartan({"linearize", example("benchmark_bicycle"), "--set", "push=0",
                              "--sweep", "v=lin(4,6.5,6)", "--json", "--out", scratch.path("a")}));
  ASSERT_EQ(parameter["sweep"].size(), 6u);
  const bool stable[] = {false, true, true, true, true, false};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(parameter["sweep"][i]["stable"], stable[i]) << i;
  const Table table = read_table(scratch.path("a/sweep.csv"));
  EXPECT_EQ(table.rows.size(), 6u);
  const json speed =
      expect_json(run_cartan({"linearize", example("benchmark_bicycle"), "--set", "push=0",
                              "--sweep", "rF*front_axle.v=lin(4,6.5,6)", "--json"}));
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 10; ++k)
      for (int part = 0; part < 2; ++part)
        EXPECT_NEAR(speed["sweep"][i]["eigenvalues"][k][part].get<double>(),
                    parameter["sweep"][i]["eigenvalues"][k][part].get<double>(), 1e-9);
}

// Points of a sweep are shared between cores; each is what it is alone.
TEST(Linearize, SweepPointsAreThoseOfSingleCalls) {
  const json sweep = expect_json(run_cartan({"linearize", example("benchmark_bicycle"), "--set",
                                             "push=0", "--sweep", "v=lin(1,8,15)", "--json"}));
  ASSERT_EQ(sweep["sweep"].size(), 15u);
  for (const int i : {0, 3, 7, 14}) {
    const double v = sweep["sweep"][i]["value"];
    const json one =
        expect_json(run_cartan({"linearize", example("benchmark_bicycle"), "--set", "push=0",
                                "--set", fmt::format("v={:.17g}", v), "--json"}));
    EXPECT_EQ(sweep["sweep"][i]["eigenvalues"], one["eigenvalues"]) << v;
  }
}

TEST(Linearize, VanDerPolAtItsEquilibrium) {
  const json result = expect_json(
      run_cartan({"linearize", example("van_der_pol"), "--at", "equilibrium", "--json"}));
  EXPECT_NEAR(result["eigenvalues"][0][0].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(result["eigenvalues"][0][1].get<double>(), 0.8660254037844387, 1e-12);
  EXPECT_FALSE(result["stable"]);
}

TEST(Linearize, RefusesWhatIsNotSteady) {
  expect_refusal(run_cartan({"linearize", example("pendulum")}), "not steady");
  expect_refusal(run_cartan({"linearize", example("duffing")}), "depends on time");
  expect_refusal(run_cartan({"linearize", example("pendulum"), "--sweep", "m=1..3"}), "lin(A,B,N)");
  expect_refusal(run_cartan({"linearize", example("pendulum"), "--sweep", "nothing=lin(0,1,3)"}),
                 "nothing");
  expect_refusal(
      run_cartan({"linearize", example("pendulum"), "--at", "equilibrium", "--hold", "no.q"}),
      "no");
}

// Accelerations have all their digits there, derivatives have not: symmetries are found from these.
TEST(Linearize, WheelsNextToMassless) {
  const json result = expect_json(
      run_cartan({"linearize", example("bicycle"), "--sweep", "v=log(1,100,40)", "--set", "lean=0",
                  "--set", "steer=0", "--set", "pitch=0", "--set", "yaw_rate=0", "--set",
                  "rear_speed=v", "--set", "jm=1e-6", "--json"}));
  ASSERT_EQ(result["sweep"].size(), 40u);
  for (const auto& point : result["sweep"])
    EXPECT_FALSE(point.contains("problem")) << point["value"] << ": " << point["problem"];
}

TEST(Linearize, WhatCannotMove) {
  const Scratch scratch;
  const std::string body = "name = \"m\"\n[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n";
  const std::string sides = "parent = { body = \"world\" }\nchild = { body = \"a\" }\n";
  const std::string fixed =
      scratch.write("fixed.toml", body + "[[joint]]\nname = \"j\"\ntype = \"fixed\"\n" + sides);
  expect_refusal(run_cartan({"linearize", fixed}), "nothing in it can move");
  expect_refusal(run_cartan({"equilibrium", fixed}), "nothing in it can move");
  const std::string driven = scratch.write(
      "driven.toml", body + "[[joint]]\nname = \"j\"\ntype = \"revolute\"\naxis = [0, 0, 1]\n" +
                         sides +
                         "[[constraint]]\ntype = \"drive\"\njoint = \"j\"\nposition = \"3*t\"\n");
  const json result = expect_json(run_cartan({"linearize", driven, "--json"}));
  EXPECT_EQ(result["dimension"], 0);
  EXPECT_TRUE(result["eigenvalues"].empty());
}

TEST(Equilibrium, DryFrictionHoldsAtRest) {
  const json result = expect_json(
      run_cartan({"equilibrium", example("constructed_pendulum_friction_a"), "--json"}));
  EXPECT_TRUE(result["found"]);
}

TEST(Equilibrium, GovernorHoldsItsSpeed) {
  const Scratch scratch;
  const json result = expect_json(run_cartan({"equilibrium", example("governor"), "--hold",
                                              "bearing.v", "--json", "--out", scratch.path("e")}));
  EXPECT_TRUE(result["stable"]);
  EXPECT_LT(result["residual"].get<double>(), 1e-11);
  EXPECT_NEAR(result["state"]["v"]["bearing"][0].get<double>(), 12, 1e-12);
  EXPECT_EQ(result["held"][0], "bearing.v");
  // the state it wrote is steady
  const json again = expect_json(run_cartan(
      {"linearize", example("governor"), "--at", scratch.path("e/state.json"), "--json"}));
  EXPECT_EQ(again["neutral"], result["neutral"]);
}

// Two rods in a plane.
const char* const two_rods =
    "name = \"two rods\"\n"
    "[[body]]\nname = \"a\"\nmass = 1\ncom = [0, 0, -0.5]\ninertia = [0.1, 0.1, 0]\n"
    "[[body]]\nname = \"b\"\nmass = 1\ncom = [0, 0, -0.5]\ninertia = [0.1, 0.1, 0]\n"
    "[[joint]]\nname = \"upper\"\ntype = \"revolute\"\naxis = [0, 1, 0]\nposition = 1\n"
    "parent = { body = \"world\" }\nchild = { body = \"a\" }\n"
    "[[joint]]\nname = \"lower\"\ntype = \"revolute\"\naxis = [0, 1, 0]\nposition = 0.5\n"
    "parent = { body = \"a\", at = [0, 0, -1] }\nchild = { body = \"b\" }\n";

TEST(Equilibrium, SearchListsAllAndWritesTheMap) {
  const Scratch scratch;
  const json result = expect_json(run_cartan({"equilibrium", scratch.write("rods.toml", two_rods),
                                              "--search", "upper.q=lin(-3,3,5),lower.q=lin(-3,3,5)",
                                              "--json", "--out", scratch.path("s")}));
  int stable = 0;
  for (const json& found : result["equilibria"]) stable += found["stable"].get<bool>();
  EXPECT_EQ(result["equilibria"].size(), 4u);  // each link up or down
  EXPECT_EQ(stable, 1);
  EXPECT_EQ(read_table(scratch.path("s/search.csv")).rows.size(), 25u);
  const std::string map = read_file(scratch.path("s/search.svg"));
  std::size_t cells = 0, at = 0;
  while ((at = map.find("fill=\"#", at)) != std::string::npos) ++cells, ++at;
  EXPECT_GE(cells, 25u);  // neighbours of one colour are one; the scale has colours too
  EXPECT_NE(map.find("log10 of the rate"), std::string::npos);
  EXPECT_NE(map.find(" stable<"), std::string::npos);
  EXPECT_EQ(map.find("nan"), std::string::npos);
}

TEST(Equilibrium, SearchOverOneNumberDrawsALine) {
  const Scratch scratch;
  const std::string file = scratch.write("rods.toml", two_rods);
  expect_json(run_cartan({"equilibrium", file, "--search", "upper.q=lin(-3,3,7)", "--json", "--out",
                          scratch.path("s")}));
  const std::string picture = read_file(scratch.path("s/search.svg"));
  EXPECT_NE(picture.find("stroke-width=\"2\""), std::string::npos);
  EXPECT_NE(picture.find("upper.q"), std::string::npos);
}

TEST(Equilibrium, MinimiseGoesDown) {
  const Scratch scratch;
  const std::string file = scratch.write("rods.toml", two_rods);
  const json result = expect_json(run_cartan({"equilibrium", file, "--minimise", "--json"}));
  EXPECT_TRUE(result["stable"]);
}

TEST(Equilibrium, FailuresAreTold) {
  const Scratch scratch;
  const std::string file = scratch.write(
      "none.toml", "name = \"none\"\n[variables]\nx = { initial = 0.5, rate = \"1 + x^2\" }\n");
  const CommandResult result = run_cartan({"equilibrium", file, "--json"});
  const json told = expect_json(result, 1);
  EXPECT_FALSE(told["found"]);
  EXPECT_NE(result.err.find("no steady state near"), std::string::npos) << result.err;
  expect_refusal(
      run_cartan({"equilibrium", example("heavy_top"), "--search", "pivot.q[1]=lin(0,1,3)"}),
      "quaternion");
}

// Long chains have many nearly equal singular values, and some starts have a few that vanish.
void look_at_chain(const std::string& model, std::size_t least) {
  SCOPED_TRACE(model);
  const json found = expect_json(run_cartan({"equilibrium", model, "--json"}));
  EXPECT_TRUE(found["found"]);
  EXPECT_LT(found["residual"], 1e-9);
  const json sweep = expect_json(run_cartan(
      {"linearize", model, "--at", "equilibrium", "--sweep", "tilt=lin(0,1,3)", "--json"}));
  ASSERT_EQ(sweep["sweep"].size(), 3u);
  for (const json& point : sweep["sweep"]) EXPECT_GE(point["eigenvalues"].size(), least);
}
TEST(ManyLinks, Sixteen) {
  look_at_chain(example("sixteen_link"), 60);
  const json branch =
      expect_json(run_cartan({"continue", example("sixteen_link"), "--parameter", "L", "--from",
                              "2", "--to", "2.1", "--set", "tilt=0", "--json"}));
  EXPECT_GT(branch["branch"].size(), 1u);
}
TEST(LongManyLinks, SixtyFour) {
  look_at_chain(example("sixtyfour_link"), 250);
}

// Where all directions are neutral there is no largest real part.
TEST(Linearize, SweepOfWhatOnlyDrifts) {
  const Scratch scratch;
  const std::string model = scratch.write("drift.toml", R"toml(
gravity = [0, 0, 0]
[parameters]
m = 1
[[body]]
name = "sled"
mass = "m"
inertia = [1, 1, 1]
[[joint]]
name = "rail"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "sled" }
)toml");
  const CommandResult swept =
      run_cartan({"linearize", model, "--at", "equilibrium", "--sweep", "m=lin(1,2,3)"});
  EXPECT_EQ(swept.status, 0) << swept.err;
  EXPECT_EQ(swept.out.find("inf"), std::string::npos) << swept.out;
  EXPECT_NE(swept.out.find("1.5        2        yes                    -"), std::string::npos)
      << swept.out;
}

// An input of amplitude zero is none; another can be looked at while time stands still.
TEST(Steady, TimeStandsStill) {
  const std::string model = example("driven_pendulum");
  expect_refusal(run_cartan({"equilibrium", model, "--json"}), "--time T");
  const json rest = expect_json(run_cartan({"equilibrium", model, "--set", "a=0", "--json"})),
             held = expect_json(run_cartan({"equilibrium", model, "--time", "0.3", "--json"}));
  const json values = expect_json(
      run_cartan({"linearize", model, "--set", "a=0", "--at", "equilibrium", "--json"}));
  EXPECT_TRUE(rest["found"]);
  EXPECT_TRUE(held["found"]);
  EXPECT_EQ(held["state"]["t"], 0.3);
  const json parameters = expect_json(run_cartan({"run", model, "--duration", "0", "--json"}));
  const double a = parameters["parameters"]["a"], w = parameters["parameters"]["w"];
  EXPECT_NEAR(held["state"]["q"]["slide"][0], a * std::sin(0.3 * w), 1e-12);
  EXPECT_NEAR(rest["state"]["q"]["slide"][0], 0, 1e-12);
  EXPECT_GT(values["eigenvalues"].size(), 0u);
  const json swept = expect_json(run_cartan({"linearize", model, "--time", "0.3", "--at",
                                             "equilibrium", "--sweep", "L=lin(1,2,2)", "--json"}));
  EXPECT_EQ(swept["sweep"].size(), 2u);
}

}  // namespace
}  // namespace cartan::test
