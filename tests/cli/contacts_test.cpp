// Contacts and jumps as a user meets them, beside [variables].
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// A ball dropped from 1 m beside a variable that decays and is lifted by 5 at t = 1.
const char* const ball = R"toml(
name = "ball and decay"
[[body]]
name = "ball"
mass = 1
inertia = [0.01, 0.01, 0.01]
[[joint]]
name = "flight"
type = "prismatic"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "ball" }
position = 1
[[contact]]
name = "floor"
a = { body = "ball" }
b = { body = "world", plane = [0, 0, 1] }
restitution = 0.8
[variables]
level = { initial = 2, rate = "-level" }
[[event]]
name = "lift"
when = "t - 1"
set = { level = "level + 5" }
[simulate]
duration = 2
step = 0.01
)toml";

TEST(Contacts, ImpactsAndJumpsLeaveVariablesWhatTheyAre) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", ball);
  const json run = expect_json(run_cartan({"run", model, "--integrator", "gl3", "--json"}));
  EXPECT_EQ(run["impacts"], 3);  // at 0.4515, 1.1740, 1.7519
  EXPECT_NEAR(run["final"]["variables"]["level"], (2 * std::exp(-1) + 5) * std::exp(-1), 1e-11);
  EXPECT_LT(run["energy"]["max_drift"], 1e-12);
  const double v1 = std::sqrt(2 * 9.81), lost = 0.5 * v1 * v1 * (1 - std::pow(0.8, 6));
  EXPECT_NEAR(run["energy"]["lost_in_impacts"], lost, 1e-11);
}

TEST(Contacts, ImpactsAreATable) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", ball), out = scratch.path("run");
  ASSERT_EQ(
      run_cartan({"run", model, "--out", out, "--record", "contacts,forces", "--quiet"}).status, 0);
  const std::string impacts = read_file(scratch.path("run/impacts.csv"));
  EXPECT_EQ(impacts.substr(0, impacts.find('\n')),
            "t,contact,speed_before,speed_after,normal,tangential,energy_lost");
  EXPECT_NE(impacts.find("0.451523640985730"), std::string::npos) << impacts;
  const std::string contacts = read_file(scratch.path("run/contacts.csv"));
  EXPECT_EQ(contacts.substr(0, contacts.find('\n')),
            "t,floor.gap,floor.mode,floor.normal,floor.tangential");
}

TEST(Contacts, OtherFormulationsRefuseWithARemedy) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", ball);
  for (const char* formulation : {"rotation-elements", "canonical", "generated"}) {
    const CommandResult result = run_cartan({"run", model, "--formulation", formulation});
    EXPECT_EQ(result.status, 2) << formulation;
    EXPECT_NE(result.err.find("use the formulation recursive"), std::string::npos) << result.err;
  }
}

TEST(Contacts, OptimiseRefusesThem) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", ball);
  expect_refusal(
      run_cartan({"optimise", model, "--free", "flight.q=1", "--minimise", "final(flight.q)"}),
      "through impacts and jumps");
}

}  // namespace
}  // namespace cartan::test
