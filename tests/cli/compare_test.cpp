// compare: the table, its orders, its refusals.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

TEST(Compare, OrdersAndAgreement) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"top"}), table = scratch.path("table.csv");
  const json result = expect_json(run_cartan(
      {"compare", model, "--formulations", "recursive,moving-frame", "--integrators", "gl2,rk4,gl3",
       "--steps", "0.002,0.001", "--duration", "0.2", "--csv", table, "--json"}));
  ASSERT_EQ(result["rows"].size(), 12u);
  for (const json& row : result["rows"]) {
    const bool second = row["step"] == 0.001;
    const double order = row["integrator"] == "gl3" ? 6 : 4;
    EXPECT_EQ(row["order"].is_number(), second) << row;
    if (second) {
      EXPECT_NEAR(row["order"], order, 0.1) << row;
    }
    EXPECT_LT(row["difference"], 1e-2) << row;
    EXPECT_GT(row["evaluations"], 100) << row;
    EXPECT_EQ(row["constraint"], 0.0);
  }
  // the same method by two formulations: the same error
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR(result["rows"][k]["difference"], result["rows"][k + 6]["difference"], 1e-11);
  EXPECT_EQ(read_file(table).substr(0, 33), "formulation,integrator,step,diffe");
}

TEST(Compare, Text) {
  const Scratch scratch;
  const CommandResult result =
      run_cartan({"compare", scratch.write_template({"pendulum"}), "--duration", "0.5"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (const char* text : {"formulation", "difference", "moving-frame      rk4", "tolerance 1e-13"})
    EXPECT_NE(result.out.find(text), std::string::npos) << text << "\nin\n" << result.out;
}

TEST(Compare, AdaptiveMethodsWithFixedStepsShowTheirOrder) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"variables"});
  const json result =
      expect_json(run_cartan({"compare", model, "--integrators", "rk45", "--steps", "0.05,0.025",
                              "--duration", "2", "--fixed", "--json"}));
  EXPECT_NEAR(result["rows"][1]["order"], 5, 0.4);
  const json controlled =
      expect_json(run_cartan({"compare", model, "--integrators", "rk45", "--duration", "2",
                              "--tolerance", "1e-6", "--json"}));
  EXPECT_TRUE(controlled["rows"][1]["order"].is_null());
  EXPECT_LT(controlled["rows"][1]["difference"], 1e-4);
}

TEST(Compare, MethodsOnTheGroupAndOfTheLibrary) {
  const Scratch scratch;
  const json result = expect_json(run_cartan(
      {"compare", scratch.write_template({"top"}), "--integrators", "rkmk4,rkmk45,cvode,ida",
       "--formulations", "recursive", "--steps", "0.002,0.001", "--duration", "0.2", "--json"}));
  ASSERT_EQ(result["rows"].size(), 8u);
  EXPECT_NEAR(result["rows"][1]["order"], 4, 0.1);
  EXPECT_LT(result["rows"][1]["orthonormality"], 1e-14);
  for (int k = 2; k < 8; ++k) EXPECT_LT(result["rows"][k]["difference"], 1e-5) << result["rows"][k];
}

// By default all formulations that take the model: canonical takes no loops.
TEST(Compare, ByDefaultWhatTakesTheModel) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"});
  const CommandResult result =
      run_cartan({"compare", model, "--duration", "0.02", "--integrators", "gl3"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* name :
       {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3", "rotation-elements"})
    EXPECT_NE(result.out.find(name), std::string::npos) << name;
  EXPECT_EQ(result.out.find("canonical"), std::string::npos);
  expect_refusal(run_cartan({"compare", model, "--formulations", "canonical"}), "closes a loop");
}

// Source 002's double pendulum: the joint to the ground is kept on SE(3) only.
TEST(Compare, ViolationsJointByJoint) {
  const Scratch scratch;
  const std::string model = std::string(CARTAN_ROOT) + "/examples/spherical_double.toml";
  std::vector<std::string> words = {"compare",         model,
                                    "--formulations",  "absolute-se3,absolute-so3r3,recursive",
                                    "--steps",         "0.001",
                                    "--integrators",   "rkmk4",
                                    "--csv",           scratch.path("table.csv"),
                                    "--stabilisation", "none",
                                    "--duration",      "0.5"};
  std::vector<std::string> with_json = words;
  with_json.push_back("--json");
  const json result = expect_json(run_cartan(with_json));
  const json &se3 = result["rows"][0]["violations"], &product = result["rows"][1]["violations"];
  ASSERT_EQ(se3.size(), 2u) << se3;
  const std::string first = "joint 'pivot'";
  EXPECT_LT(se3[first], 1e-13);
  EXPECT_GT(product[first], 1e-8);
  EXPECT_TRUE(result["rows"][2]["violations"].empty());  // joints of the tree are exact
  EXPECT_EQ(result["stabilisation"], "none");
  EXPECT_NE(read_file(scratch.path("table.csv")).find(",violation of " + first), std::string::npos);
  words.push_back("--force");  // the table is there already
  const CommandResult text = run_cartan(words);
  EXPECT_NE(text.out.find(first + " "), std::string::npos) << text.out;
  expect_refusal(run_cartan({"compare", model, "--stabilisation", "nune"}), "did you mean 'none'?");
}

TEST(Compare, MomentumDrift) {
  const std::string folder = std::string(CARTAN_ROOT) + "/examples/";
  const auto drift = [&](const char* example, const char* kept, double step) {
    const json result = expect_json(
        run_cartan({"compare", folder + example, "--formulations", "recursive", "--integrators",
                    "rk4", "--steps", std::to_string(step), "--duration", "0.5", "--json"}));
    EXPECT_EQ(result["conserved_momenta"], kept);
    return result["rows"][0]["momentum_drift"];
  };
  const double coarse = drift("heavy_top.toml", "Lz", 0.004),
               fine = drift("heavy_top.toml", "Lz", 0.002);
  EXPECT_GT(coarse, 1e-9);
  EXPECT_NEAR(std::log2(coarse / fine), 5, 1.1);
  EXPECT_LT(drift("free_top.toml", "Lx Ly Lz", 0.001), 1);
  EXPECT_TRUE(drift("four_bar.toml", "Py Lx Lz", 0.01).is_number());
}

TEST(Compare, Refusals) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  expect_refusal(run_cartan({"compare", model, "--formulations", "recursiv"}),
                 "did you mean 'recursive'?");
  expect_refusal(
      run_cartan({"compare", model, "--formulations", "symbolic"}),
      "recursive, moving-frame, absolute-se3, absolute-so3r3, rotation-elements, canonical");
  expect_refusal(run_cartan({"compare", model, "--integrators", "gl3,rk5"}), "did you mean 'rk4");
  expect_refusal(run_cartan({"compare", model, "--integrators", "cvode", "--fixed"}),
                 "cvode chooses its order with its steps and takes no fixed ones");
  expect_refusal(run_cartan({"compare", model, "--steps", "0.1,0"}),
                 "expected positive numbers, got '0'");
  expect_refusal(
      run_cartan({"compare", scratch.write_template({"variables"}), "--formulations", "recursive"}),
      "leave out --formulations");
}

}  // namespace
}  // namespace cartan::test
