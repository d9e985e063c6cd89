// eval, inverse and compare on closed mechanisms and constraints.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/closed_models.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// Tree joints with one speed each, file order.
std::vector<double> speeds(const json& by_joint, const std::vector<std::string>& joints) {
  std::vector<double> values;
  for (const std::string& joint : joints)
    for (const json& x : by_joint[joint]) values.push_back(x);
  return values;
}

// M v' + c
std::vector<double> constraint_forces(const json& evaluation,
                                      const std::vector<std::string>& joints) {
  const std::vector<double> vdot = speeds(evaluation["acceleration"], joints);
  std::vector<double> force = evaluation["bias"];
  EXPECT_EQ(force.size(), vdot.size());
  for (std::size_t i = 0; i < force.size(); ++i)
    for (std::size_t j = 0; j < vdot.size(); ++j)
      force[i] += evaluation["mass_matrix"][i][j].get<double>() * vdot[j];
  return force;
}

class ClosedEval : public testing::TestWithParam<const char*> {};

// The loop equations of the four-bar, written by hand: the tip of the rocker seen from the tip of
// the coupler, along the coupler's axes.
TEST_P(ClosedEval, MultipliersBalanceTheFourBar) {
  const json result = expect_json(
      run_cartan({"eval", example_path("four_bar"), "--formulation", GetParam(), "--json"}));
  const double a = 0.2, b = 0.5, c = 0.4, start = 0.5;
  const double f = std::sqrt(a * a + 0.45 * 0.45 - 2 * a * 0.45 * std::cos(start));
  const double beta = std::atan2(-a * std::sin(start), 0.45 - a * std::cos(start)) +
                      std::acos((b * b + f * f - c * c) / (2 * b * f));
  const double gamma = std::atan2(a * std::sin(start) + b * std::sin(beta),
                                  a * std::cos(start) + b * std::cos(beta) - 0.45);
  // columns motor, knee, foot; rows along and across the coupler
  const double J[2][3] = {{-a * std::sin(beta - start), 0, c * std::sin(beta - gamma)},
                          {-a * std::cos(beta - start) - b, -b, c * std::cos(beta - gamma)}};
  const std::vector<double> force = constraint_forces(result, {"motor", "knee", "foot"});
  const std::vector<double> lambda = result["multipliers"];
  ASSERT_EQ(lambda.size(), 5u);
  for (int j = 0; j < 3; ++j)
    EXPECT_NEAR(force[j], J[0][j] * lambda[0] + J[1][j] * lambda[2], 1e-11) << j;
  for (int k : {1, 3, 4}) EXPECT_NEAR(lambda[k], 0, 1e-11) << "nothing across the plane";
  // the loop joint turns as the others do
  const json& vdot = result["acceleration"];
  EXPECT_NEAR(vdot["wrist"][0].get<double>(),
              vdot["foot"][0].get<double>() - vdot["motor"][0].get<double>() -
                  vdot["knee"][0].get<double>(),
              1e-10);
  EXPECT_LT(result["constraint"]["position"], 1e-14);
  EXPECT_LT(result["constraint"]["velocity"], 1e-14);
}

TEST_P(ClosedEval, MultipliersBalanceTheSleigh) {
  const Scratch scratch;
  const std::string state = scratch.write(
      "state.json", R"({"q": {"place": [5, 4, 0.7]}, "v": {"place": [0.3, 0.2, 0.1]}})");
  const json result = expect_json(run_cartan(
      {"eval", example_path("sleigh"), "--at", state, "--formulation", GetParam(), "--json"}));
  const std::vector<double> force = constraint_forces(result, {"axle", "place"});
  const std::vector<double> lambda = result["multipliers"];
  ASSERT_EQ(lambda.size(), 2u);  // the motor, the edge 1 m ahead of the centre of mass
  const double J[4] = {0, -std::sin(0.7), std::cos(0.7), 1};
  EXPECT_NEAR(force[0], lambda[0], 1e-11);
  for (int j = 1; j < 4; ++j) EXPECT_NEAR(force[j], J[j] * lambda[1], 1e-11) << j;
  EXPECT_EQ(result["acceleration"]["axle"][0], 0.0) << "driven at a constant rate";
  EXPECT_NEAR(result["power"]["constraint"], lambda[0], 1e-10) << "the table turns with 1 rad/s";
}

INSTANTIATE_TEST_SUITE_P(Formulations, ClosedEval, testing::Values("recursive", "moving-frame"));

// Constraints at rest do no work, however many there are: v . (M v' + c) = 0.
TEST(ClosedEvalPower, StewartPlatform) {
  const std::string model = example_path("stewart");
  const json result = expect_json(run_cartan({"eval", model, "--json"}));
  EXPECT_EQ(result["multipliers"].size(), 18u);
  EXPECT_EQ(result["mass_matrix"].size(), 24u);
  EXPECT_NEAR(result["power"]["constraint"], 0, 1e-12);
  EXPECT_NEAR(result["power"]["kinetic_rate"].get<double>() +
                  result["power"]["potential_rate"].get<double>(),
              result["power"]["nonconservative"], 1e-9);
}

// A state is taken as it is, gaps and all.
TEST(ClosedEvalState, IsNotAssembled) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"});
  const std::string state = scratch.write("state.json", R"({"q": {"motor": 0.7}})");
  const json result = expect_json(run_cartan({"eval", model, "--at", state, "--json"}));
  EXPECT_GT(result["constraint"]["position"], 0.1);
  const CommandResult text = run_cartan({"eval", model, "--at", state});
  EXPECT_NE(text.out.find("violation of constraints 0.1"), std::string::npos) << text.out;
  // a run from there begins with an assembled one
  const json run =
      expect_json(run_cartan({"run", model, "--from", state, "--duration", "0", "--json"}));
  EXPECT_GT(run["assembly"]["position_change"], 0.1);
  EXPECT_LT(run["constraint"]["max_position"], 1e-12);
}

// ---------------------------------------------------------------------------------------- inverse

constexpr const char* push = R"(
[[force]]
name = "push"
type = "joint"
joint = "motor"
value = "2*sin(3*t) - 0.1*motor.v"
)";

// The forces of a pushed motion, found from the model that is not pushed, all act on the crank.
TEST(ClosedInverse, FindsTheTorqueOfTheCrank) {
  const Scratch scratch;
  const std::string model = example_path("four_bar");
  const std::string pushed = scratch.write("pushed.toml", read_file(model) + push);
  const std::string out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", pushed, "--duration", "0.4", "--every", "80", "--out", out}).status,
            0);
  const Table path = read_table(out + "/trajectory.csv");
  std::string motion = "t";
  for (const char* joint : {"motor", "knee", "foot"})
    motion += fmt::format(",{0}.q0,{0}.v0,{0}.a0", joint);
  for (std::size_t k = 0; k < path.rows.size(); ++k) {
    json state = {{"t", path["t"][k]}};
    for (const char* joint : {"motor", "knee", "foot"}) {
      state["q"][joint] = path[std::string(joint) + ".q0"][k];
      state["v"][joint] = path[std::string(joint) + ".v0"][k];
    }
    const json there = expect_json(
        run_cartan({"eval", pushed, "--at", scratch.write("state.json", state.dump()), "--json"}));
    motion += fmt::format("\n{:.17g}", path["t"][k]);
    for (const char* joint : {"motor", "knee", "foot"})
      motion += fmt::format(",{:.17g},{:.17g},{:.17g}", state["q"][joint].get<double>(),
                            state["v"][joint].get<double>(),
                            there["acceleration"][joint][0].get<double>());
  }
  const std::string file = scratch.write("motion.csv", motion + "\n");
  for (const char* formulation : {"recursive", "moving-frame"}) {
    const CommandResult command =
        run_cartan({"inverse", model, "--motion", file, "--formulation", formulation, "--json"});
    EXPECT_EQ(command.err, "");
    const json force = expect_json(command)["force"];
    EXPECT_FALSE(force.contains("wrist")) << "loop joints have no force of their own";
    for (std::size_t k = 0; k < path.rows.size(); ++k) {
      EXPECT_NEAR(force["motor"][k][0], 2 * std::sin(3 * path["t"][k]) - 0.1 * path["motor.v0"][k],
                  1e-9);
      EXPECT_EQ(force["knee"][k][0], 0.0);
      EXPECT_EQ(force["foot"][k][0], 0.0);
    }
  }
}

// trajectory.csv as it is, accelerations from splines.
TEST(ClosedInverse, FreeMotionNeedsNoForce) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"}), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.2", "--every", "1", "--out", out}).status,
            0);
  const CommandResult result = run_cartan(
      {"inverse", model, "--motion", out + "/trajectory.csv", "--out", scratch.path("forces.csv")});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("differentiated by splines: a of 'motor', a of 'knee', a of 'foot'"),
            std::string::npos)
      << result.err;
  const Table forces = read_table(scratch.path("forces.csv"));
  EXPECT_EQ(forces.names, (std::vector<std::string>{"t", "motor.f0", "knee.f0", "foot.f0"}));
  for (double force : forces["motor.f0"]) EXPECT_NEAR(force, 0, 1e-3);
}

TEST(ClosedInverse, WarnsOfAMotionThatBreaksTheLoop) {
  const Scratch scratch;
  const std::string motion =
      scratch.write("motion.csv",
                    "t,motor.q0,motor.v0,motor.a0,knee.q0,knee.v0,knee.a0,foot.q0,foot.v0,foot.a0\n"
                    "0,0.5,0,0,0,0,0,0,0,0\n");
  const CommandResult result =
      run_cartan({"inverse", example_path("four_bar"), "--motion", motion});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("violates the constraints by up to 0."), std::string::npos)
      << result.err;
}

// ---------------------------------------------------------------------------------------- compare

TEST(ClosedCompare, FormulationsAgree) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"});
  const json result = expect_json(
      run_cartan({"compare", model, "--formulations", "recursive,moving-frame", "--integrators",
                  "gl2,gl3", "--steps", "0.004,0.002", "--duration", "0.4", "--json"}));
  ASSERT_EQ(result["rows"].size(), 8u);
  for (int k = 0; k < 8; ++k) {
    const json& row = result["rows"][k];
    EXPECT_LT(row["constraint"], 1e-12) << row;
    EXPECT_LT(row["difference"], 1e-4) << row;
    if (k % 2 == 1) EXPECT_NEAR(row["order"], row["integrator"] == "gl3" ? 6 : 4, 0.5) << row;
    if (k < 4) EXPECT_NEAR(row["difference"], result["rows"][k + 4]["difference"], 1e-11) << row;
  }
  EXPECT_LT(result["reference_error"], 1e-11);
}

}  // namespace
}  // namespace cartan::test
