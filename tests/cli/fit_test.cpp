// fit: parameters come back from data, laws are compared, what cannot be determined is told.
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

TEST(Fit, WhatTheDataLeaveOpenIsTold) {
  const CommandResult result =
      run_cartan({"fit", arm, "--experiments", swings, "--free", "C2=0.05,C4=0.04"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("do not determine the parameters"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("C2"), std::string::npos);
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
