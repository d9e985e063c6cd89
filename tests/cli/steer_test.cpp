// cartan steer as a user types it, against the reference cases (closed forms, Pontryagin's
// equations solved by shooting) and against the run of what it found.
#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/control_models.h"

namespace cartan::test {
namespace {

using nlohmann::json;

std::string steering_example(const std::string& name) {
  return std::string(CARTAN_ROOT) + "/examples/steering/" + name + ".toml";
}

json steer(std::vector<std::string> words) {
  words.insert(words.begin(), "steer");
  words.push_back("--json");
  return expect_json(run_cartan(words));
}

// Numbers of the column of a table at its row `row`; -1: the last.
double cell(const std::string& file, const std::string& column, int row) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  const auto split = [](const std::string& text) {
    std::vector<std::string> cells(1);
    for (const char c : text)
      if (c == ',')
        cells.emplace_back();
      else
        cells.back() += c;
    return cells;
  };
  const std::vector<std::string> names = split(line);
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) return NAN;
  std::string last;
  for (int k = 0; std::getline(stream, line); ++k) {
    last = line;
    if (k == row) break;
  }
  return std::stod(split(last)[found - names.begin()]);
}

TEST(Steer, SwingUpFromAStraightLineIsALocalMinimum) {
  const json found = steer({steering_example("swing_up"), "--starts", "1"});
  EXPECT_TRUE(found["converged"]);
  EXPECT_EQ(found["minimum"], "local");
  EXPECT_EQ(found["hessian"], "exact");
  const double J = found["objective"];
  EXPECT_TRUE(std::fabs(J - 58.80766745817) < 1e-4 || std::fabs(J - 57.94478030673) < 1e-4) << J;
  EXPECT_LE(found["mesh_error"].get<double>(), 1e-6);
}

TEST(Steer, SwingUpFromSeveralStartsFindsTheBest) {
  const Scratch scratch;
  const json found = steer({steering_example("swing_up"), "--starts", "12", "--tolerance", "1e-9",
                            "--verify", "--out", scratch.path("swing")});
  EXPECT_NEAR(found["objective"].get<double>(), 57.94478030673, 1e-6);
  EXPECT_TRUE(found["second_order"]);
  EXPECT_EQ(found["starts"].size(), 12u);
  const std::string table = scratch.path("swing/trajectory.csv");
  EXPECT_NEAR(cell(table, "force", 0), -6.86114732239, 1e-5);
  EXPECT_NEAR(cell(table, "force", -1), -6.86114732239, 1e-5);
  EXPECT_NEAR(cell(table, "pole.q0", -1), M_PI, 1e-9);
  EXPECT_LE(found["replay"]["difference"].get<double>(),
            10 * found["mesh_error"].get<double>() + 1e-10);
}

TEST(Steer, Brachistochrone) {
  const json found = steer({steering_example("brachistochrone")});
  EXPECT_NEAR(found["objective"].get<double>(), 0.565931827503264, 1e-9);
  EXPECT_NEAR(found["duration"].get<double>(), 0.565931827503264, 1e-9);
}

TEST(Steer, SlewOnTheGroup) {
  const Scratch scratch;
  const json found = steer({steering_example("slew"), "--out", scratch.path("slew"), "--verify"});
  EXPECT_NEAR(found["objective"].get<double>(), 2.211517937227, 1e-8);
  const std::string table = scratch.path("slew/trajectory.csv");
  const double first[] = {0.77901871289, 0.024966788544, 0.84818468907};
  const double last[] = {-0.17634788348, -1.1230917578, -0.18568007381};
  const char* const names[] = {"tx", "ty", "tz"};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(cell(table, names[k], 0), first[k], 1e-5);
    EXPECT_NEAR(cell(table, names[k], -1), last[k], 1e-5);
  }
  EXPECT_LE(found["replay"]["difference"].get<double>(),
            10 * found["mesh_error"].get<double>() + 1e-10);
  // a run's folder: others read it
  EXPECT_EQ(run_cartan({"plot", scratch.path("slew"), "--out", scratch.path("charts")}).status, 0);
}

TEST(Steer, BangBangArm) {
  const Scratch scratch;
  const json found = steer({steering_example("quick_arm"), "--out", scratch.path("arm")});
  EXPECT_NEAR(found["objective"].get<double>(), 1.405539841943, 1e-9);
  const double switches[] = {0.09576207818, 0.5217519393, 0.7985319991, 1.147137061};
  ASSERT_EQ(found["switches"].size(), 4u);
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(found["switches"][k].get<double>(), switches[k], 1e-7);
  EXPECT_NEAR(cell(scratch.path("arm/inputs.csv"), "torque1", 0), -5, 1e-12);
  EXPECT_NEAR(cell(scratch.path("arm/inputs.csv"), "torque2", 0), 2, 1e-12);
}

// The loop is kept, the torque within its bounds, and the run of the inputs arrives.
TEST(Steer, FourBarFromRest) {
  const Scratch scratch;
  const json found =
      steer({steering_example("four_bar_start"), "--out", scratch.path("bar"), "--verify"});
  EXPECT_TRUE(found["converged"]);
  EXPECT_EQ(found["hessian"], "exact");
  EXPECT_LE(found["replay"]["difference"].get<double>(),
            10 * found["mesh_error"].get<double>() + 1e-9);
  const std::string table = scratch.path("bar/trajectory.csv");
  EXPECT_NEAR(cell(table, "motor.q0", -1), 0.5 + 2 * M_PI, 1e-8);
  EXPECT_NEAR(cell(table, "motor.v0", -1), 8, 1e-7);
  EXPECT_LT(std::fabs(cell(table, "constraint", -1)), 1e-8);
}

std::string sliding_mass(const Scratch& scratch) {
  return scratch.write("mass.toml",
                       "[inputs]\nF = 0\n" + slide("s", "2", "") + joint_force("s", "F"));
}

TEST(Steer, DoubleIntegrator) {
  const Scratch scratch;
  sliding_mass(scratch);
  const std::string head = "model = \"mass.toml\"\ntolerance = 1e-9\n";
  const std::string quick =
      "duration = { guess = 3, bounds = [0.2, 10] }\n[inputs]\nF = { bounds = "
      "[-3, 3] }\n[minimise]\nfinal = \"t\"\n";
  const std::string there = "[end]\n\"s.q\" = 1.5\n\"s.v\" = 0\n";
  const json rest = steer({scratch.write("a.toml", head + quick + there)});
  EXPECT_NEAR(rest["objective"].get<double>(), 2, 1e-8);
  ASSERT_EQ(rest["switches"].size(), 1u);
  EXPECT_NEAR(rest["switches"][0].get<double>(), 1, 1e-7);
  const json limited =
      steer({scratch.write("b.toml", head + quick + there + "[path]\n\"s.v\" = [-inf, 1]\n")});
  EXPECT_NEAR(limited["objective"].get<double>(), 13.0 / 6, 1e-6);
  const json back = steer({scratch.write(
      "c.toml",
      head + quick + "[start]\n\"s.q\" = 1\n\"s.v\" = 1\n[end]\n\"s.q\" = 0\n\"s.v\" = 0\n")});
  EXPECT_NEAR(back["objective"].get<double>(), 2.552284749830793, 1e-8);
  const json effort = steer(
      {scratch.write("d.toml", head + "duration = 2\n[minimise]\nintegral = \"F^2\"\n" + there)});
  EXPECT_NEAR(effort["objective"].get<double>(), 13.5, 1e-9);
}

// A spring with a periodic motion of least effort: the start is open, a point of the path is given.
TEST(Steer, PeriodicEndAndFreeStart) {
  const Scratch scratch;
  scratch.write("mass.toml", "[inputs]\nF = 0\n[parameters]\nk = 2\n" + slide("s", "1", "") +
                                 joint_force("s", "F - k*s.q"));
  // mean of x is 1: the spring pulls with 2 on average, F = 2 does it with the least effort
  const json found = steer({scratch.write(
      "p.toml",
      "model = \"mass.toml\"\nduration = 3\nperiodic = true\n[minimise]\nintegral = \"F^2 - "
      "8*s.q\"\n")});
  EXPECT_TRUE(found["converged"]);
  // F = k x with 4 x^2 - 8 x least at x = 1: -4 per second
  EXPECT_NEAR(found["objective"].get<double>(), -12, 1e-7);
}

TEST(Steer, RadauPointsFindTheSame) {
  const Scratch scratch;
  const json found = steer({steering_example("slew"), "--method", "radau", "--tolerance", "1e-7"});
  EXPECT_NEAR(found["objective"].get<double>(), 2.211517937227, 1e-6);
}

TEST(Steer, RefusesWhatItCannotDo) {
  const Scratch scratch;
  sliding_mass(scratch);
  const auto expect_refusal = [&](const std::string& text, const std::string& words, int status) {
    const CommandResult result = run_cartan({"steer", scratch.write("task.toml", text)});
    EXPECT_EQ(result.status, status) << text << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  const std::string good = "model = \"mass.toml\"\nduration = 1\n[minimise]\nintegral = \"F^2\"\n";
  expect_refusal(good + "[ends]\n", "did you mean 'end'", 2);
  expect_refusal(good + "[inputs]\nG = {}\n", "no input 'G'", 2);
  expect_refusal(good + "[end]\n\"s.x\" = 1\n", "s.x", 2);
  expect_refusal(good + "[end]\n\"s.q\" = [1, 2]\n", "has 1 numbers, got 2", 2);
  expect_refusal("model = \"none.toml\"\nduration = 1\n[minimise]\nfinal = \"t\"\n",
                 "there is no model file", 2);
  expect_refusal("model = \"mass.toml\"\nduration = -1\n[minimise]\nfinal = \"t\"\n", "duration",
                 2);
  const std::string least = "model = \"mass.toml\"\nduration = \"x\"\n[minimise]\nfinal = \"t\"\n";
  expect_refusal(least, "task.toml:2:12: in 'x'", 2);
  expect_refusal(good + "[guess]\n\"s.x\" = \"s\"\n", "task.toml:6:1: [guess] 's.x'", 2);
  expect_refusal("model = \"mass.toml\"\nduration = 1\n", "nothing to minimise", 2);
  expect_refusal(good + "[inputs]\nF = { bounds = [-1, 1] }\n[end]\n\"s.q\" = 100\n\"s.v\" = 0\n",
                 "steer:", 1);
}

TEST(Steer, SaysWhatItNeeds) {
  setenv("CARTAN_IPOPT_LIBRARY", "/nowhere/libipopt.so", 1);
  const CommandResult without = run_cartan({"steer", steering_example("slew")});
  unsetenv("CARTAN_IPOPT_LIBRARY");
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("coinor-libipopt1v5"), std::string::npos) << without.err;
}

}  // namespace
}  // namespace cartan::test
