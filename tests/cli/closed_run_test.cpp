// run on closed mechanisms and constraints: what it prints and writes, how constraints are kept.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/closed_models.h"

namespace cartan::test {
namespace {

using nlohmann::json;

double largest(const std::vector<double>& values) {
  double most = 0;
  for (double x : values) most = std::max(most, std::fabs(x));
  return most;
}

TEST(ClosedRun, SummaryTellsAssemblyConstraintsAndProjection) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"});
  const json result = expect_json(run_cartan({"run", model, "--duration", "1", "--json"}));
  EXPECT_EQ(result["dof"], 1);
  EXPECT_EQ(result["stabilisation"], "projection");
  EXPECT_EQ(result["assembly"]["position_change"], 0.0) << "the file's start is closed";
  EXPECT_LT(result["constraint"]["max_position"], 1e-14);
  EXPECT_LT(result["constraint"]["max_velocity"], 1e-13);
  for (const char* key : {"steps", "max_position", "max_velocity", "energy", "energy_size"})
    EXPECT_TRUE(result["projection"].contains(key)) << key;
  EXPECT_LE(std::fabs(result["projection"]["energy"].get<double>()),
            result["projection"]["energy_size"]);
  EXPECT_LT(result["energy"]["max_drift"], 1e-11);
  const CommandResult text = run_cartan({"run", model, "--duration", "1"});
  for (const char* line : {"1 degree of freedom", "assembly     coordinates changed by up to 0,",
                           "in speeds (projection)", "wrist  q"})
    EXPECT_NE(text.out.find(line), std::string::npos) << line << "\nin\n" << text.out;
}

// A tree has neither.
TEST(ClosedRun, TreesSayNothingOfConstraints) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  const json result = expect_json(run_cartan({"run", model, "--duration", "1", "--json"}));
  EXPECT_FALSE(result.contains("projection"));
  EXPECT_FALSE(result.contains("stabilisation"));
  EXPECT_EQ(run_cartan({"run", model}).out.find("assembly"), std::string::npos);
}

// The raw drift of source 002: accelerations alone let a closed loop open, at the order of the
// method; Baumgarte's feedback settles at some level, projection at rounding.
json run_rk4(const std::string& model, const char* how, const char* step, const char* duration) {
  return expect_json(run_cartan({"run", model, "--integrator", "rk4", "--step", step, "--duration",
                                 duration, "--every", "1", "--stabilisation", how, "--json"}));
}

TEST(ClosedRun, StabilisationOfAFourBar) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"});
  const auto gap = [&](const char* how, const char* step, const char* duration) {
    const json result = run_rk4(model, how, step, duration);
    EXPECT_EQ(result["stabilisation"], how);
    return result["constraint"]["max_position"].get<double>();
  };
  const double none = gap("none", "0.01", "5"), fed_back = gap("baumgarte", "0.01", "5");
  EXPECT_GT(none, 1e-4) << "the drift shows";
  EXPECT_LT(fed_back, 0.1 * none);
  EXPECT_GT(fed_back, 1e-9) << "and is not projection";
  EXPECT_LT(gap("projection", "0.01", "5"), 1e-14);
  // raw drift goes on growing, settled violations do not
  EXPECT_GT(gap("none", "0.01", "20"), 2 * none);
  EXPECT_LT(gap("baumgarte", "0.01", "20"), 2 * fed_back);
  // a method of order four: smaller steps help as it should
  EXPECT_LT(gap("none", "0.005", "5"), none / 8);
}

TEST(ClosedRun, RawDriftOfTheSphericalThreeBar) {
  const std::string model = example_path("spherical_three_bar");
  const double coarse = run_rk4(model, "none", "0.001", "1")["constraint"]["max_position"];
  const double fine = run_rk4(model, "none", "0.0005", "1")["constraint"]["max_position"];
  EXPECT_GT(coarse, 1e-9);
  EXPECT_GT(coarse / fine, 8);
  EXPECT_LT(run_rk4(model, "projection", "0.001", "1")["constraint"]["max_position"], 1e-14);
}

TEST(ClosedRun, UnknownStabilisationIsRefused) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"});
  expect_refusal(run_cartan({"run", model, "--stabilisation", "projektion"}),
                 "did you mean 'projection'?");
  expect_refusal(run_cartan({"run", model, "--stabilisation", "xyz"}), "none or baumgarte");
}

TEST(ClosedRun, TrajectoryHasLoopJointsAndTheViolation) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"}), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "1", "--out", out}).status, 0);
  const Table table = read_table(out + "/trajectory.csv");
  EXPECT_EQ(table.names,
            (std::vector<std::string>{"t", "motor.q0", "motor.v0", "knee.q0", "knee.v0", "foot.q0",
                                      "foot.v0", "wrist.q0", "wrist.v0", "kinetic", "potential",
                                      "energy", "constraint"}));
  EXPECT_LT(largest(table["constraint"]), 1e-12);
  // three angles about the same axis: the fourth follows, up to whole turns
  const auto motor = table["motor.q0"], knee = table["knee.q0"], foot = table["foot.q0"],
             wrist = table["wrist.q0"];
  for (std::size_t k = 0; k < motor.size(); ++k) {
    EXPECT_NEAR(std::remainder(foot[k] - motor[k] - knee[k] - wrist[k], 2 * M_PI), 0, 1e-12);
    EXPECT_LE(std::fabs(wrist[k]), M_PI);
  }
  const auto motor_v = table["motor.v0"], knee_v = table["knee.v0"], foot_v = table["foot.v0"],
             wrist_v = table["wrist.v0"];
  for (std::size_t k = 0; k < motor.size(); ++k)
    EXPECT_NEAR(foot_v[k] - motor_v[k] - knee_v[k], wrist_v[k], 1e-11);
}

TEST(ClosedRun, ExtraTablesOfALoop) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"four-bar"}), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.2", "--out", out, "--record",
                        "reactions,multipliers,constraints"})
                .status,
            0);
  EXPECT_EQ(read_table(out + "/multipliers.csv").names,
            (std::vector<std::string>{"t", "wrist.0", "wrist.1", "wrist.2", "wrist.3", "wrist.4"}));
  const Table violations = read_table(out + "/constraints.csv");
  ASSERT_EQ(violations.names.size(), 11u);
  EXPECT_EQ(violations.names[1], "wrist.0.position");
  EXPECT_EQ(violations.names[2], "wrist.0.velocity");
  EXPECT_LT(largest(violations["wrist.2.position"]), 1e-12);
  EXPECT_LT(largest(violations["wrist.2.velocity"]), 1e-12);
  // the loop joint pulls at the rocker as its first and third equation say; gravity and the foot do
  // the rest: the forces on the rocker make its centre of mass move
  const LastRow multipliers = last_row(out + "/multipliers.csv");
  const LastRow reactions = last_row(out + "/reactions.csv");
  EXPECT_NEAR(std::hypot(reactions["wrist.fx"], reactions["wrist.fz"]),
              std::hypot(multipliers["wrist.0"], multipliers["wrist.2"]), 1e-11);
  EXPECT_NEAR(reactions["wrist.fy"], 0, 1e-11) << "least norm: nothing across the plane";
  EXPECT_NE(reactions["motor.fz"], 0.0);
}

// T' + V' = P: the motor of the turntable does work, the knife edge none.
TEST(ClosedRun, PowerOfADrive) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"sleigh"}), out = scratch.path("out");
  const json summary = expect_json(run_cartan(
      {"run", model, "--duration", "2", "--out", out, "--record", "multipliers,power", "--json"}));
  EXPECT_EQ(read_table(out + "/multipliers.csv").names,
            (std::vector<std::string>{"t", "motor.0", "edge.0"}));
  const Table power = read_table(out + "/power.csv");
  const auto kinetic = power["kinetic_rate"], potential = power["potential_rate"],
             other = power["nonconservative"], drives = power["constraint"];
  const auto torque = read_table(out + "/multipliers.csv")["motor.0"];
  for (std::size_t k = 0; k < kinetic.size(); ++k) {
    EXPECT_NEAR(kinetic[k] + potential[k], other[k] + drives[k], 1e-10);
    EXPECT_NEAR(drives[k], torque[k] * 1.0, 1e-11) << "the table turns with 1 rad/s";
  }
  EXPECT_GT(largest(drives), 1);
  EXPECT_GT(summary["energy"]["work"], 1.0);
  EXPECT_LT(summary["energy"]["max_drift"], 1e-10);
}

// A loop joint and a constraint may share a name; their columns do not.
TEST(ClosedRun, ColumnsOfEqualNames) {
  const Scratch scratch;
  const std::string model = scratch.write("both.toml", read_file(example_path("four_bar")) + R"(
[[constraint]]
name = "wrist"
type = "drive"
joint = "motor"
position = "start + speed*t"
)");
  const std::string out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.1", "--out", out, "--record", "multipliers"})
                .status,
            0);
  std::vector<std::string> names = read_table(out + "/multipliers.csv").names;
  EXPECT_EQ(names.back(), "constraint wrist.0");
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

// What is written for the loop joint decides how an open chain of guesses is closed.
TEST(ClosedRun, GuessOfALoopJointChoosesTheAssembly) {
  const Scratch scratch;
  const auto rocker = [&](const char* guess) {
    const std::string model = scratch.write("guess.toml", four_bar_without_start(guess));
    const json result = expect_json(run_cartan({"run", model, "--duration", "0", "--json"}));
    EXPECT_GT(result["assembly"]["position_change"], 0.1);
    EXPECT_LT(result["constraint"]["max_position"], 1e-12);
    const json& q = result["final"]["q"];
    EXPECT_GT(std::fabs(q["wrist"][0].get<double>()), 0.4);
    EXPECT_NEAR(
        q["foot"][0].get<double>() - q["motor"][0].get<double>() - q["knee"][0].get<double>(),
        q["wrist"][0], 1e-12);
    return q["foot"][0].get<double>();
  };
  EXPECT_GT(rocker("position = 0.6"), 1) << "above the base line";
  EXPECT_LT(rocker("position = -0.6"), -1) << "below it";
}

TEST(ClosedRun, SpeedOfALoopJointAloneSetsItGoing) {
  const Scratch scratch;
  const auto start = [&](const char* guess) {
    const std::string model = scratch.write("guess.toml", four_bar_without_start(guess));
    return expect_json(run_cartan({"run", model, "--duration", "0", "--json"}));
  };
  const json still = start("position = 0.6");
  EXPECT_EQ(still["final"]["v"]["motor"][0], 0.0);
  const json forward = start("position = 0.6\nvelocity = 3"),
             back = start("position = 0.6\nvelocity = -3");
  EXPECT_GT(forward["assembly"]["velocity_change"], 0.1);
  EXPECT_LT(forward["constraint"]["max_velocity"], 1e-12);
  EXPECT_GT(forward["final"]["v"]["wrist"][0], 0.1);
  EXPECT_NEAR(forward["final"]["v"]["wrist"][0], -back["final"]["v"]["wrist"][0].get<double>(),
              1e-12);
}

// A parallelogram that comes to its flat position, a slider-crank whose rod is too short to pass:
// time and joint are named, nothing is written.
TEST(ClosedRun, LossOfRankOnTheWayIsNamedWithTimeAndJoint) {
  const Scratch scratch;
  const std::string four_bar = scratch.write_template({"four-bar"});
  const CommandResult flat =
      run_cartan({"run", four_bar, "--set", "a=0.3", "--set", "b=0.5", "--set", "c=0.3", "--set",
                  "d=0.5", "--set", "start=2", "--out", scratch.path("flat")});
  EXPECT_EQ(flat.status, 1);
  EXPECT_NE(flat.err.find("t = 0.1"), std::string::npos) << flat.err;
  EXPECT_NE(flat.err.find("singular position: the constraints lose rank at joint 'wrist'"),
            std::string::npos)
      << flat.err;
  EXPECT_FALSE(std::filesystem::exists(scratch.path("flat") + "/summary.json"));
  const std::string slider = scratch.write_template({"slider-crank"});
  const CommandResult stuck = run_cartan({"run", slider, "--set", "r=0.16", "--set", "start=0.5"});
  EXPECT_EQ(stuck.status, 1);
  EXPECT_NE(stuck.err.find("lose rank at joint 'wrist_pin'"), std::string::npos) << stuck.err;
}

// Dry friction in two joints of a loop that has one degree of freedom.
TEST(ClosedRun, DependentDryFrictionIsRefused) {
  const Scratch scratch;
  const std::string rub =
      "\n[[force]]\nname = \"rub1\"\ntype = \"friction\"\njoint = \"knee\"\ncoulomb = 0.5\n"
      "[[force]]\nname = \"rub2\"\ntype = \"friction\"\njoint = \"foot\"\ncoulomb = 0.5\n";
  const std::string model = scratch.write("rub.toml", read_file(example_path("four_bar")) + rub);
  const CommandResult result = run_cartan({"run", model});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("friction 'rub2'"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("give 'smoothing'"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cartan::test
