// Wheels that turn many times, in every formulation: the same angles on the screen and in the
// files, and runs that go on from files go on from the same turn.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

constexpr const char* wheels = R"(
[[body]]
name = "a"
mass = 1
com = [0.1, 0, 0]
inertia = [0.02, 0.03, 0.04]
[[body]]
name = "b"
mass = 1
inertia = [0.02, 0.03, 0.04]
[[joint]]
name = "ja"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "a" }
velocity = 9
[[joint]]
name = "jb"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world", at = [1, 0, 0] }
child = { body = "b" }
velocity = 3
[[constraint]]
type = "coupler"
name = "gear"
terms = [["ja", 1], ["jb", -3]]
[[force]]
type = "torsion"
name = "coil"
joint = "ja"
stiffness = 0.002
)";

TEST(Turns, AreCountedInEveryFormulation) {
  const Scratch scratch;
  const std::string model = scratch.write("wheels.toml", wheels);
  double expected = 0;
  for (const char* formulation : {"recursive", "moving-frame", "generated", "absolute-se3",
                                  "absolute-so3r3", "rotation-elements"}) {
    SCOPED_TRACE(formulation);
    const auto run = [&](const char* duration, std::vector<std::string> more) {
      std::vector<std::string> words = {"run",        model,    "--formulation", formulation,
                                        "--duration", duration, "--step",        "0.005"};
      words.insert(words.end(), more.begin(), more.end());
      words.push_back("--json");
      return expect_json(run_cartan(words));
    };
    const std::string out = scratch.path(formulation);
    const double whole = run("4", {"--every", "1"})["final"]["q"]["ja"][0];
    if (expected == 0) expected = whole;
    EXPECT_GT(whole, 25);
    EXPECT_NEAR(whole, expected, 1e-7);
    const json half = run("2", {"--every", "1", "--out", out});
    EXPECT_NEAR(run("2", {"--from", out})["final"]["q"]["ja"][0], expected, 1e-7);
    const std::string state = scratch.write("state.json", half["final"].dump());
    EXPECT_NEAR(run("2", {"--from", state})["final"]["q"]["ja"][0], expected, 1e-7);
    const std::vector<double> angle = read_table(out + "/trajectory.csv")["ja.q0"];
    for (std::size_t i = 1; i < angle.size(); ++i)
      EXPECT_LT(std::abs(angle[i] - angle[i - 1]), 0.1) << "row " << i;
  }
}

// The step is too long for the turns to be told: a sentence, exit status 1.
TEST(Turns, StepsThatTurnTooFarAreRefused) {
  const Scratch scratch;
  const CommandResult result =
      run_cartan({"run", scratch.write("wheels.toml", wheels), "--formulation", "absolute-se3",
                  "--step", "0.4", "--duration", "4", "--integrator", "rkmk4"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("joint 'ja' turns by"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace cartan::test
