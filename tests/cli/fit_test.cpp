// fit: parameters come back from data, laws are compared, what cannot be determined is told.
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

const std::string examples = std::string(CARTAN_ROOT) + "/examples/";
const std::string arm = examples + "arm_friction.toml";
const std::string swings = examples + "identification/arm.toml";

TEST(Fit, AParameterComesBackFromATrajectory) {
  const Scratch scratch;
  const std::string model = examples + "van_der_pol.toml", out = scratch.path("run");
  ASSERT_EQ(run_cartan({"run", model, "--set", "mu=1.3", "--duration", "6", "--integrator",
                        "dop853", "--tolerance", "1e-12", "--step", "0.1", "--out", out, "--quiet"})
                .status,
            0);
  const json result =
      expect_json(run_cartan({"fit", model, "--data", out + "/trajectory.csv", "--free", "mu",
                              "--out", scratch.path("fit"), "--json"}));
  EXPECT_NEAR(result["parameters"]["mu"], 1.3, 1e-9);
  EXPECT_EQ(result["start"]["mu"], 1.0);
  EXPECT_GT(result["initial_cost"], 0.1);
  EXPECT_LT(result["final_cost"], 1e-15);
  EXPECT_TRUE(result["converged"]);
  EXPECT_TRUE(result["undetermined"].empty());
  EXPECT_EQ(read_file(scratch.path("fit/residuals.csv")).substr(0, 29),
            "experiment,column,row,t,measu");
}

// Energies are quantities too, and one that is constant has no spread to be weighed by.
TEST(Fit, AParameterComesBackFromAMechanismsTrajectory) {
  const Scratch scratch;
  const std::string model = examples + "pendulum.toml", out = scratch.path("run");
  ASSERT_EQ(run_cartan({"run", model, "--set", "L=1.03", "--duration", "2", "--out", out}).status,
            0);
  const json result = expect_json(
      run_cartan({"fit", model, "--data", out + "/trajectory.csv", "--free", "L", "--json"}));
  EXPECT_NEAR(result["parameters"]["L"], 1.03, 1e-9);
}

// Turning points of the arm: a law with a term in v^2 meets them, one linear in v does not.
TEST(Fit, LawsInOneTable) {
  const json result = expect_json(run_cartan(
      {"fit", arm, "--experiments", swings, "--free", "C1=0.02; C3=1e-3,C4=0.05", "--json"}));
  ASSERT_EQ(result["alternatives"].size(), 2u);
  const json &linear = result["alternatives"][0], &square = result["alternatives"][1];
  EXPECT_GT(linear["final_cost"], 10 * square["final_cost"].get<double>());
  EXPECT_GT(linear["criterion"], square["criterion"]);
  EXPECT_NEAR(square["final_cost"], 56, 5);  // 88 residuals of unit variance: 43 +- 7 expected
  EXPECT_EQ(square["covariance"].size(), 2u);
  EXPECT_LT(square["intervals"]["C4"][0], square["parameters"]["C4"]);
}

// The six constants of source 003 from turning points with errors of one per cent.
TEST(Fit, FrictionOfTheConstructedPendulum) {
  const Scratch scratch;
  const json result =
      expect_json(run_cartan({"fit", examples + "constructed_pendulum_friction_b.toml",
                              "--experiments", examples + "identification/pendulum.toml", "--free",
                              "c3=3e-4,c4=2e-4,c5=3.6e-4,c6=1e-3,c7=1.3e-4,cB=1.8e-3", "--out",
                              scratch.path("fit"), "--json"}));
  const std::map<std::string, double> truth = {
      {"c3", 0.00023091557841332}, {"c4", 0.000309473598742528}, {"c5", 0.000301026806606},
      {"c6", 0.001303840754625},   {"c7", 0.000185026806606},    {"cB", 0.00156091557841332}};
  for (const auto& [name, value] : truth) {
    EXPECT_LT(result["intervals"][name][0], value) << name;
    EXPECT_GT(result["intervals"][name][1], value) << name;
    EXPECT_LT(result["standard_errors"][name], 0.4 * value) << name;
    EXPECT_LT(result["curvature"][name], 1.2) << name;
  }
  EXPECT_NEAR(result["residual_scale"], 1, 0.15);  // 264 measurements: 1 +- 0.04
  EXPECT_LE(result["iterations"], 6);
  const std::vector<std::string> files = list_folder(scratch.path("fit"));
  EXPECT_EQ(files, (std::vector<std::string>{"cartan-manifest.json", "fit.json", "residuals.csv",
                                             "residuals_1.svg", "residuals_2.svg",
                                             "residuals_3.svg", "residuals_4.svg"}));
  EXPECT_EQ(read_file(scratch.path("fit/residuals_2.svg")).substr(0, 4), "<svg");
  EXPECT_NE(read_file(scratch.path("fit/residuals.csv")).find("\"slow, small swing\",speed,0,"),
            std::string::npos);
}

// One experiment with data beside it.
std::string write_experiment(const Scratch& scratch, const std::string& more) {
  scratch.write("arm_1.csv", read_file(examples + "identification/arm_1.csv"));
  return scratch.write("experiment.toml",
                       "[[experiment]]\nname = \"swing\"\nevent = \"turning point\"\n"
                       "duration = 30\ndata = \"arm_1.csv\"\n" +
                           more);
}

// An unknown at a bound has an interval that ends there; a constant of dry friction may begin at 0.
TEST(Fit, Bounds) {
  const Scratch scratch;
  const std::string swing = write_experiment(
      scratch,
      "columns.angle = { quantity = \"shoulder.q\", sigma = 0.01 }\n[bounds]\nC2 = [0, 0.08]\n");
  const json result =
      expect_json(run_cartan({"fit", arm, "--experiments", swing, "--free", "C2", "--json"}));
  EXPECT_EQ(result["at_bound"], json({"C2"}));
  EXPECT_EQ(result["parameters"]["C2"], 0.08);
  EXPECT_EQ(result["intervals"]["C2"][1], 0.08);
  EXPECT_LT(result["intervals"]["C2"][0], 0.08);
  EXPECT_GT(result["residual_scale"], 2);
  const CommandResult text = run_cartan({"fit", arm, "--experiments", swing, "--free", "C2"});
  EXPECT_NE(text.out.find("(at its bound)"), std::string::npos) << text.out;
  const json bearing =
      expect_json(run_cartan({"fit", arm, "--experiments", swings, "--free", "C10", "--json"}));
  EXPECT_EQ(bearing["start"]["C10"], 0.0);
  EXPECT_NEAR(bearing["parameters"]["C10"], 0.0015983, 1e-6);
  expect_refusal(run_cartan({"fit", arm, "--experiments", swing, "--free", "C2=0.1"}),
                 "'C2' begins at 0.1, outside its bounds");
}

// A turning point that nobody saw is an empty row; only the last of them may be left out.
TEST(Fit, GapsInTheData) {
  const Scratch scratch;
  std::string data = read_file(examples + "identification/arm_1.csv");
  const std::size_t second = data.find('\n', data.find('\n') + 1) + 1;
  data.replace(second, data.find('\n', second) - second, ",");
  scratch.write("gaps.csv", data);
  const std::string swing =
      scratch.write("swing.toml",
                    "[[experiment]]\ndata = \"gaps.csv\"\nevent = \"turning point\"\n"
                    "columns.angle = { quantity = \"shoulder.q\", sigma = 0.01 }\n"
                    "columns.t = { sigma = 0.005 }\n");
  const json result =
      expect_json(run_cartan({"fit", arm, "--experiments", swing, "--free", "C10=1e-3", "--json"}));
  EXPECT_EQ(result["residuals"], 46);  // 24 rows of two columns, one row empty
  EXPECT_NEAR(result["parameters"]["C10"], 0.0016, 2e-5);
}

TEST(Fit, FailuresAreTold) {
  const Scratch scratch;
  const std::string angle = "columns.angle = { quantity = \"shoulder.q\" }\n";
  const CommandResult lost =
      run_cartan({"fit", arm, "--experiments", write_experiment(scratch, angle), "--free", "C4=2"});
  EXPECT_EQ(lost.status, 1);
  EXPECT_NE(lost.err.find("event 'turning point' happens"), std::string::npos) << lost.err;
  EXPECT_NE(lost.err.find("but the data have 24 rows"), std::string::npos) << lost.err;
  EXPECT_EQ(lost.err.find("Logging"), std::string::npos) << lost.err;  // not that of Ceres
  const CommandResult early = run_cartan(
      {"fit", arm, "--experiments", swings, "--free", "C3=1e-3,C4=0.05", "--iterations", "1"});
  EXPECT_EQ(early.status, 1);
  EXPECT_NE(early.err.find("has not converged"), std::string::npos) << early.err;
  expect_refusal(
      run_cartan({"fit", arm, "--experiments",
                  write_experiment(scratch, "columns.angel = { quantity = \"shoulder.q\" }\n"),
                  "--free", "C10=1e-3"}),
      "has no column 'angel'; did you mean 'angle'?");
  expect_refusal(run_cartan({"fit", arm, "--experiments", swings, "--free", "start"}),
                 "'start' is free, so 'released at 2.9' cannot set it");
}

TEST(Fit, WhatTheDataLeaveOpenIsTold) {
  const CommandResult result =
      run_cartan({"fit", arm, "--experiments", swings, "--free", "C2=0.05,C4=0.04"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("do not determine the parameters"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("C2"), std::string::npos);
}

// A closed mechanism: three parameters come back, and masses that only matter against each other
// are not determined.
TEST(Fit, GovernorAndTheScaleOfItsMasses) {
  const Scratch scratch;
  const std::string governor = examples + "governor.toml", out = scratch.path("run");
  ASSERT_EQ(run_cartan({"run", governor, "--set", "m=1.1", "--set", "flywheel=0.055", "--set",
                        "speed=12.3", "--duration", "1", "--integrator", "dop853", "--tolerance",
                        "1e-12", "--step", "0.1", "--out", out, "--quiet"})
                .status,
            0);
  std::string data = "t,bearing.v,sleeve_guide.q\n";
  const Table table = read_table(out + "/trajectory.csv");
  const std::vector<double> t = table["t"], v = table["bearing.v0"], q = table["sleeve_guide.q0"];
  for (std::size_t k = 0; k < t.size(); ++k)
    data += fmt::format("{:.17g},{:.17g},{:.17g}\n", t[k], v[k], q[k]);
  const std::string measured = scratch.write("measured.csv", data);
  const json result = expect_json(
      run_cartan({"fit", governor, "--data", measured, "--free", "m,flywheel,speed", "--json"}));
  EXPECT_NEAR(result["parameters"]["m"], 1.1, 1e-7);
  EXPECT_NEAR(result["parameters"]["flywheel"], 0.055, 1e-8);
  EXPECT_NEAR(result["parameters"]["speed"], 12.3, 1e-8);
  const json open = expect_json(
      run_cartan({"fit", governor, "--data", measured, "--free", "m,M,rod,flywheel", "--json"}), 1);
  ASSERT_EQ(open["undetermined"].size(), 1u);
  const json& direction = open["undetermined"][0]["direction"];
  const double m = direction["m"].get<double>() / open["parameters"]["m"].get<double>();
  for (const std::string name : {"M", "rod", "flywheel"}) {  // all masses by the same factor
    const double size = open["start"][name];
    EXPECT_NEAR(direction[name].get<double>() * size / open["parameters"][name].get<double>(), m,
                1e-4 * std::fabs(m))
        << name;
  }
}

TEST(Fit, Refusals) {
  const Scratch scratch;
  expect_refusal(run_cartan({"fit", arm, "--experiments", swings}), "--free");
  expect_refusal(run_cartan({"fit", arm, "--free", "C1"}), "--data FILE.csv");
  expect_refusal(run_cartan({"fit", arm, "--experiments", swings, "--free", "C11"}),
                 "did you mean 'C1");
  expect_refusal(run_cartan({"fit", arm, "--experiments", examples + "identification/arn.toml",
                             "--free", "C1"}),
                 "did you mean");
  scratch.write("bad.toml", "[[experiment]]\ndata = \"nothing.csv\"\nevnt = \"x\"\n");
  const CommandResult bad =
      run_cartan({"fit", arm, "--experiments", scratch.path("bad.toml"), "--free", "C1"});
  EXPECT_EQ(bad.status, 2);
  EXPECT_NE(bad.err.find("bad.toml:3:1: unknown key 'evnt'; did you mean 'event'?"),
            std::string::npos)
      << bad.err;
  EXPECT_NE(bad.err.find("'nothing.csv' cannot be read"), std::string::npos) << bad.err;
  scratch.write("data.csv", "t,shoulder.w\n0,1\n1,2\n");
  expect_refusal(run_cartan({"fit", arm, "--data", scratch.path("data.csv"), "--free", "C1=0.1"}),
                 "shoulder.w");
}

}  // namespace
}  // namespace cartan::test
