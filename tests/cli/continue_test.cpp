// continue as a user types it.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

const char* const hopf = R"toml(
name = "hopf"
[parameters]
p = -0.5
s = -1
[variables]
x = { initial = 0, rate = "(p + s*(x^2 + y^2))*x - 2*y" }
y = { initial = 0, rate = "2*x + (p + s*(x^2 + y^2))*y" }
)toml";

TEST(ContinueCommand, HopfAndItsOrbits) {
  const Scratch scratch;
  const std::string model = scratch.write("hopf.toml", hopf);
  for (const char* s : {"s=-1", "s=1"}) {
    const json result =
        expect_json(run_cartan({"continue", model, "--set", s, "--parameter", "p", "--from", "-0.5",
                                "--to", "0.5", "--switch", "--json"}));
    ASSERT_EQ(result["bifurcations"].size(), 1u);
    const json& point = result["bifurcations"][0];
    EXPECT_EQ(point["kind"], "hopf");
    EXPECT_NEAR(point["parameter"], 0, 1e-12);
    EXPECT_EQ(point["criticality"], s[2] == '-' ? "supercritical" : "subcritical");
    EXPECT_NEAR(point["slope"], s[2] == '-' ? 1 : -1, 1e-6);  // p = -s r^2
    ASSERT_EQ(result["branches"].size(), 2u);
    EXPECT_EQ(result["branches"][1]["of"], "orbit");
    const json& last = result["branch"].back();
    EXPECT_EQ(last["stable"], s[2] == '-');
    EXPECT_NEAR(std::fabs(last["parameter"].get<double>()), 0.5, 1e-12);
    EXPECT_NEAR(last["period"], std::acos(-1.0), 1e-9);
    ASSERT_EQ(last["multipliers"].size(), 1u);
    const json& first = result["branch"][0];
    EXPECT_EQ(first["eigenvalues"].size(), 2u);
    EXPECT_EQ(first["state"]["variables"]["x"], 0);
  }
}

TEST(ContinueCommand, FilesAndText) {
  const Scratch scratch;
  const std::string model = scratch.write("pitchfork.toml",
                                          "name = \"pitchfork\"\n[parameters]\np = 0\n[variables]\n"
                                          "x = { initial = 0, rate = \"p*x - x^3\" }\n");
  const std::string out = scratch.path("result");
  const CommandResult result = run_cartan({"continue", model, "--parameter", "p", "--from", "-1",
                                           "--to", "1", "--switch", "--out", out});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("branch 3"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("branch-point"), std::string::npos) << result.out;
  EXPECT_EQ(list_folder(out),
            (std::vector<std::string>{"bifurcations.json", "branch.csv", "branch.svg",
                                      "cartan-manifest.json", "units.json"}));
  const Table table = read_table(out + "/branch.csv");
  const auto p = table["p"], x = table["x"], branch = table["branch"], stable = table["stable"];
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (branch[i] == 1) {
      EXPECT_EQ(stable[i], p[i] <= 1e-9) << p[i];
    } else {
      EXPECT_NEAR(x[i] * x[i], p[i], 1e-8);
    }
  }
  const std::string picture = read_file(out + "/branch.svg");
  EXPECT_NE(picture.find("stroke-dasharray"), std::string::npos);
  EXPECT_NE(picture.find(">branch-point (supercritical)<"), std::string::npos);
  const json points = json::parse(read_file(out + "/bifurcations.json"));
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0]["kind"], "branch-point");
}

// Doubled orbits are followed, and double in turn.
TEST(ContinueCommand, PeriodDoublingsAreFollowed) {
  const json result =
      expect_json(run_cartan({"continue", example("roessler"), "--of", "orbit", "--section", "y",
                              "--period", "6", "--parameter", "a", "--from", "0.32", "--to",
                              "0.376", "--step", "0.05", "--switch", "--json"}));
  ASSERT_GE(result["branches"].size(), 3u);
  const json& first = result["bifurcations"][0];
  EXPECT_EQ(first["kind"], "period-doubling");
  EXPECT_EQ(first["criticality"], "supercritical");
  EXPECT_NEAR(first["parameter"], 0.334856622569910346, 1e-9);
  double period[4] = {};
  for (const json& point : result["branch"])
    if (point["branch"].get<int>() <= 3) period[point["branch"].get<int>()] = point["period"];
  EXPECT_NEAR(period[2] / period[1], 2, 0.02);  // at the same a
  EXPECT_NEAR(period[3] / period[1], 4, 0.04);
}

// Two gyroscopic pairs meet: named as what it is.
TEST(ContinueCommand, HamiltonianHopfIsNoHopf) {
  const Scratch scratch;
  const std::string model = scratch.write("gyroscope.toml", R"toml(
name = "gyroscope"
[parameters]
s = 2.5
[variables]
a = { initial = 0, rate = "c" }
b = { initial = 0, rate = "d" }
c = { initial = 0, rate = "a - s*d" }
d = { initial = 0, rate = "b + s*c" }
)toml");
  const json result = expect_json(run_cartan({"continue", model, "--parameter", "s", "--from",
                                              "2.5", "--to", "1.5", "--switch", "--json"}));
  ASSERT_EQ(result["bifurcations"].size(), 1u) << result["bifurcations"].dump();
  EXPECT_EQ(result["bifurcations"][0]["kind"], "hamiltonian-hopf");
  EXPECT_NEAR(result["bifurcations"][0]["parameter"], 2, 1e-12);
  EXPECT_NEAR(result["bifurcations"][0]["critical"][1], 1, 1e-7);
  EXPECT_EQ(result["branches"].size(), 1u);
}

// The period of a pendulum over its energy: T = 4 K(sin(a/2)) / w with w^2 = 3 g / (2 L).
TEST(ContinueCommand, EnergyAsTheParameterOfOrbits) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  const json result = expect_json(
      run_cartan({"continue", model, "--set", "L=1", "--of", "orbit", "--period", "1.7",
                  "--parameter", "kinetic + potential", "--from", "-4", "--to", "0", "--json"}));
  EXPECT_TRUE(result["bifurcations"].empty());
  const json& last = result["branch"].back();
  EXPECT_NEAR(last["parameter"], 0, 1e-12);
  const double K = 1.8540746773013719184;  // of k = sqrt(1/2): from the horizontal
  EXPECT_NEAR(last["period"], 4 * K / std::sqrt(1.5 * 9.81), 1e-9);
}

// Orbits of a spherical pendulum come in families (turned about the vertical, spun about the rod):
// that is no bifurcation.
TEST(ContinueCommand, FamiliesAreNoBifurcations) {
  const json result = expect_json(run_cartan(
      {"continue", example("pendulum"), "--set", "tilt=1", "--of", "orbit", "--period", "2.5",
       "--parameter", "L", "--from", "2", "--to", "2.2", "--step", "0.1", "--json"}));
  EXPECT_TRUE(result["bifurcations"].empty()) << result["bifurcations"].dump();
  EXPECT_EQ(result["held"], json::array({"kinetic + potential"}));
  for (const json& point : result["branch"]) EXPECT_EQ(point["stable"], true);
}

// The period of the drive follows the parameter; the resonance curve has two folds.
TEST(ContinueCommand, DrivenOrbits) {
  const json result =
      expect_json(run_cartan({"continue", example("duffing"), "--set", "drive=0.2", "--of", "orbit",
                              "--driven", "--period", "2*pi/omega", "--parameter", "omega",
                              "--from", "0.8", "--to", "1.3", "--json"}));
  int folds = 0;
  for (const json& point : result["bifurcations"]) folds += point["kind"] == "fold";
  EXPECT_EQ(folds, 2);
  for (const json& point : result["branch"])
    EXPECT_NEAR(point["period"].get<double>() * point["parameter"].get<double>(),
                2 * std::acos(-1.0), 1e-12);
}

TEST(ContinueCommand, FoldBeforeTheEndIsTold) {
  const Scratch scratch;
  const std::string model = scratch.write("fold.toml",
                                          "name = \"fold\"\n[parameters]\np = 1\n[variables]\n"
                                          "x = { initial = 1, rate = \"p - x^2\" }\n");
  const CommandResult result =
      run_cartan({"continue", model, "--parameter", "p", "--from", "1", "--to", "-1"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("p = -1 was not reached"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("fold at"), std::string::npos) << result.err;
  const CommandResult none =
      run_cartan({"continue", model, "--parameter", "p", "--from", "-1", "--to", "1"});
  EXPECT_EQ(none.status, 1);
  EXPECT_NE(none.err.find("no branch to follow at p = -1"), std::string::npos) << none.err;
}

TEST(ContinueCommand, Refusals) {
  const std::string model = example("roessler");
  expect_refusal(run_cartan({"continue", model}), "expected --parameter");
  expect_refusal(run_cartan({"continue", model, "--parameter", "a"}),
                 "expected --from A and --to B");
  expect_refusal(run_cartan({"continue", model, "--parameter", "q", "--from", "0", "--to", "1"}),
                 "neither a parameter nor an expression");
  expect_refusal(run_cartan({"continue", model, "--parameter", "a", "--from", "0", "--to", "1",
                             "--of", "orbit"}),
                 "--period");
  expect_refusal(run_cartan({"continue", model, "--parameter", "a", "--from", "0", "--to", "1",
                             "--of", "tori"}),
                 "equilibrium or orbit");
  expect_refusal(run_cartan({"continue", model, "--parameter", "a", "--from", "0", "--to", "1",
                             "--hold", "w"}),
                 "--hold");
  expect_refusal(run_cartan({"continue", model, "--parameter", "a", "--from", "0", "--to", "1",
                             "--show", "w"}),
                 "--show");
  expect_refusal(run_cartan({"continue", example("duffing"), "--parameter", "damping", "--from",
                             "0.1", "--to", "0.2"}),
                 "depends on time");
  expect_refusal(run_cartan({"continue", example("benchmark_bicycle"), "--set", "push=0",
                             "--parameter", "v", "--from", "2", "--to", "6"}),
                 "do not depend on 'v'");
}

}  // namespace
}  // namespace cartan::test
