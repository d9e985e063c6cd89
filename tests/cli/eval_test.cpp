// eval: one state, all numbers.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

TEST(Eval, PendulumByHand) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  const std::string state =
      scratch.write("state.json", R"({"q": {"hinge": [0.7]}, "v": {"hinge": [2]}})");
  const json result = expect_json(run_cartan({"eval", model, "--at", state, "--json"}));
  const double g = 9.81, s = std::sin(0.7), c = std::cos(0.7);
  EXPECT_NEAR(result["acceleration"]["hinge"][0], -1.5 * g * s, 1e-13);
  EXPECT_NEAR(result["mass_matrix"][0][0], 1.0 / 3, 1e-15);
  EXPECT_NEAR(result["bias"][0], 0.5 * g * s, 1e-14);
  EXPECT_NEAR(result["kinetic"], 0.5 / 3 * 4, 1e-14);
  EXPECT_NEAR(result["potential"], -0.5 * g * c, 1e-14);
  EXPECT_NEAR(result["power"]["potential_rate"], 0.5 * g * s * 2, 1e-13);
  EXPECT_NEAR(result["power"]["kinetic_rate"], -0.5 * g * s * 2, 1e-13);
  // along the rod: m (g cos + v^2 L/2); across: a quarter of the weight's part
  const json& force = result["reactions"]["hinge"]["force"];
  const double fx = force[0], fz = force[2];
  EXPECT_NEAR(fx * s + fz * c, g * c + 2, 1e-13);
  EXPECT_NEAR(std::fabs(fx * c - fz * s), g * s / 4, 1e-13);
  EXPECT_TRUE(result["multipliers"].empty());
}

TEST(Eval, CanonicalShowsMomentaAndHamiltonian) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"robot-arm"});
  const std::string state = scratch.write(
      "state.json", R"({"t": 0.3, "v": {"joint1": [0.7], "joint3": [-1.1], "joint6": [2]}})");
  const json plain = expect_json(run_cartan({"eval", model, "--at", state, "--json"}));
  const json canonical = expect_json(
      run_cartan({"eval", model, "--at", state, "--formulation", "canonical", "--json"}));
  EXPECT_FALSE(plain.contains("hamiltonian"));
  const double energy = plain["kinetic"].get<double>() + plain["potential"].get<double>();
  EXPECT_NEAR(canonical["hamiltonian"], energy, 1e-12 * std::fabs(energy));
  EXPECT_GT(plain["kinetic"], 0.01);
  for (int i = 0; i < 7; ++i) {
    const std::string joint = "joint" + std::to_string(i + 1);
    const json& M = plain["mass_matrix"][i];
    const double p = 0.7 * M[0].get<double>() - 1.1 * M[2].get<double>() + 2 * M[5].get<double>();
    EXPECT_NEAR(canonical["momentum"][joint][0], p, 1e-13);
    EXPECT_NEAR(plain["acceleration"][joint][0], canonical["acceleration"][joint][0],
                1e-9 * (1 + std::fabs(plain["acceleration"][joint][0].get<double>())));
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(plain["reactions"][joint]["torque"][k],
                  canonical["reactions"][joint]["torque"][k], 1e-9);
  }
}

TEST(Eval, MovingFrameShowsItsMatrices) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"robot-arm"});
  const json plain = expect_json(run_cartan({"eval", model, "--json"}));
  const json moving =
      expect_json(run_cartan({"eval", model, "--formulation", "moving-frame", "--json"}));
  EXPECT_FALSE(plain.contains("B"));
  EXPECT_EQ(moving["B"].size(), 42u);
  EXPECT_EQ(moving["Bdot"].size(), 42u);
  EXPECT_EQ(moving["B"][0].size(), 7u);
  EXPECT_EQ(moving["N_star"].size(), 7u);
  EXPECT_EQ(moving["F_star"].size(), 7u);
  for (int i = 0; i < 7; ++i) {
    const std::string joint = "joint" + std::to_string(i + 1);
    EXPECT_NEAR(plain["acceleration"][joint][0], moving["acceleration"][joint][0],
                1e-9 * (1 + std::fabs(plain["acceleration"][joint][0].get<double>())));
    for (int j = 0; j < 7; ++j)
      EXPECT_NEAR(plain["mass_matrix"][i][j], moving["M_star"][i][j], 1e-13);
  }
}

TEST(Eval, Text) {
  const Scratch scratch;
  const CommandResult result = run_cartan({"eval", scratch.write_template({"top"})});
  EXPECT_EQ(result.status, 0);
  for (const char* text : {"accelerations v'", "pivot", "mass matrix", "energy", "power"})
    EXPECT_NE(result.out.find(text), std::string::npos) << text;
  const CommandResult large =
      run_cartan({"eval", scratch.write_template({"chain", "--links", "40"})});
  EXPECT_EQ(large.status, 0);
  EXPECT_NE(large.out.find("(120 x 120)"), std::string::npos) << large.out;
}

TEST(Eval, VariablesFile) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"variables"});
  const std::string state =
      scratch.write("state.json", R"({"t": 1, "variables": {"x": 2, "y": 3}})");
  const json result = expect_json(run_cartan({"eval", model, "--at", state, "--json"}));
  EXPECT_EQ(result["rates"]["x"], 3.0);
  EXPECT_EQ(result["rates"]["y"], -11.0);
}

// A parallelogram stretched out: any number could be printed for its reactions.
TEST(Eval, SingularStatesAreTold) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"});
  const std::vector<std::string> equal = {"--set", "a=0.3", "--set", "b=0.5",     "--set", "c=0.3",
                                          "--set", "d=0.5", "--set", "start=0.9", "--json"};
  const auto evaluate = [&](const char* state) {
    std::vector<std::string> words = {"eval", model, "--at", scratch.write("state.json", state)};
    words.insert(words.end(), equal.begin(), equal.end());
    return run_cartan(words);
  };
  for (const char* state :
       {R"({"q": {"motor": [0], "knee": [0], "foot": [0]}, "v": {}})",
        R"({"q": {"motor": [1e-7], "knee": [-1e-7], "foot": [1e-7]}, "v": {}})"}) {
    const CommandResult singular = evaluate(state);
    EXPECT_NE(singular.err.find("singular"), std::string::npos) << state << singular.err;
    EXPECT_NE(expect_json(singular)["singular"].get<std::string>().find("mean nothing"),
              std::string::npos);
  }
  const CommandResult plain = run_cartan({"eval", model, "--json"});
  EXPECT_EQ(plain.err, "");
  EXPECT_FALSE(expect_json(plain).contains("singular"));
}

}  // namespace
}  // namespace cartan::test
