// compare: the table, its orders, its refusals.
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
  for (const char* text : {"formulation", "difference", "moving-frame   rk4", "tolerance 1e-13"})
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
  EXPECT_LT(result["rows"][1]["unit_norm_error"], 1e-14);
  for (int k = 2; k < 8; ++k) EXPECT_LT(result["rows"][k]["difference"], 1e-5) << result["rows"][k];
}

// By default all formulations that take the model: canonical takes no loops.
TEST(Compare, ByDefaultWhatTakesTheModel) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"});
  const CommandResult result =
      run_cartan({"compare", model, "--duration", "0.02", "--integrators", "gl3"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* name : {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3"})
    EXPECT_NE(result.out.find(name), std::string::npos) << name;
  EXPECT_EQ(result.out.find("canonical"), std::string::npos);
  expect_refusal(run_cartan({"compare", model, "--formulations", "canonical"}), "closes a loop");
}

TEST(Compare, Refusals) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  expect_refusal(run_cartan({"compare", model, "--formulations", "recursiv"}),
                 "did you mean 'recursive'?");
  expect_refusal(run_cartan({"compare", model, "--formulations", "generated"}),
                 "recursive, moving-frame, absolute-se3, absolute-so3r3, canonical");
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
