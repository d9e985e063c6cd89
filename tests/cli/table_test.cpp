// table(FILE, COLUMN, X, BETWEEN, OUTSIDE) in model files: what a user gets inside and outside of
// the range, in forces and in drives.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

// A slider whose force is a table of time; the file is beside it.
std::string forced_slider(const Scratch& scratch, const std::string& table) {
  scratch.write("push.csv", "t,force\n0,0\n1,0\n1.01,1\n2,1\n3,0\n");
  return scratch.write("slider.toml", R"(name = "slider"
gravity = [0, 0, 0]
[[body]]
name = "block"
mass = 1
[[joint]]
name = "rail"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "block" }
[[force]]
name = "push"
type = "joint"
joint = "rail"
value = ")" + table + R"("
[[output]]
name = "push"
value = ")" + table + R"("
)");
}

std::string driven_slider(const Scratch& scratch, const std::string& table) {
  scratch.write("path.csv", "t,x\n0,0\n1,0.3\n2,0.1\n3,0\n");
  return scratch.write("driven.toml", R"(name = "driven"
[[body]]
name = "block"
mass = 1
[[joint]]
name = "rail"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "block" }
[[constraint]]
name = "motor"
type = "drive"
joint = "rail"
position = ")" + table + R"("
)");
}

TEST(Tables, OutsideOfTheRangeARunFailsWithTimeAndRange) {
  const Scratch scratch;
  const std::string model = forced_slider(scratch, "table('push.csv', 'force', t)");
  for (const char* integrator : {"gl3", "rk4", "rk45", "dop853", "cvode", "generalized-alpha"}) {
    const CommandResult result =
        run_cartan({"run", model, "--duration", "3.5", "--step", "0.01", "--integrator", integrator,
                    "--out", scratch.path("out")});
    SCOPED_TRACE(integrator);
    EXPECT_EQ(result.status, 1);
    EXPECT_NE(result.err.find("at t = "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("table 'push.csv', column 'force', is asked for its value at 3."),
              std::string::npos)
        << result.err;
    EXPECT_NE(result.err.find("from 0 to 3"), std::string::npos) << result.err;
    EXPECT_EQ(run_cartan({"run", model, "--duration", "3", "--step", "0.01", "--integrator",
                          integrator, "--quiet"})
                  .status,
              0);
  }
}

TEST(Tables, CompiledEquationsSayTheSame) {
  const Scratch scratch;
  const std::string model = forced_slider(scratch, "table('push.csv', 'force', t)");
  const CommandResult result = run_cartan(
      {"run", model, "--duration", "3.5", "--step", "0.01", "--formulation", "generated"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.err.find("from 0 to 3"), std::string::npos) << result.err;
}

// The momentum at the end is the integral of the force: pchip keeps 0 before t = 1 and 1 from 1.01
// to 2, and the rest is its cubic from 1 to 0 with the slopes 0 and -1.5 by its rule for ends.
TEST(Tables, TheDefaultDoesNotOvershoot) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  const auto lowest = [&](const std::string& table) {
    const std::string model = forced_slider(scratch, table);
    const CommandResult result =
        run_cartan({"run", model, "--duration", "3", "--step", "0.005", "--out", out, "--quiet"});
    EXPECT_EQ(result.status, 0) << result.err;
    double least = 0;
    for (const double value : read_table(out + "/trajectory.csv")["push"])
      least = std::min(least, value);
    return least;
  };
  EXPECT_EQ(lowest("table('push.csv', 'force', t)"), 0);
  EXPECT_EQ(lowest("table('push.csv', 'force', t, 'linear')"), 0);
  EXPECT_EQ(lowest("table('push.csv', 'force', t, 'steps')"), 0);
  EXPECT_LT(lowest("table('push.csv', 'force', t, 'spline')"), -5);
}

TEST(Tables, WhatIsSaidHoldsOutside) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  const auto push_at_end = [&](const std::string& rule) {
    const std::string model =
        forced_slider(scratch, "table('push.csv', 'force', t, 'linear', '" + rule + "')");
    const CommandResult result =
        run_cartan({"run", model, "--duration", "4.5", "--step", "0.01", "--out", out, "--quiet"});
    EXPECT_EQ(result.status, 0) << result.err;
    return last_row(out + "/trajectory.csv")["push"];
  };
  EXPECT_EQ(push_at_end("hold"), 0);
  EXPECT_NEAR(push_at_end("periodic"), 1, 1e-12);       // as at t = 1.5
  EXPECT_NEAR(push_at_end("extrapolate"), -1.5, 1e-9);  // the line of the last piece
}

TEST(Tables, WrongWordsAreToldWithTheRightOnes) {
  const Scratch scratch;
  const auto refused = [&](const std::string& table, const std::string& text) {
    expect_refusal(run_cartan({"check", forced_slider(scratch, table)}), text);
  };
  refused("table('push.csv', 'force', t, 'splin')", "did you mean 'spline'?");
  refused("table('push.csv', 'force', t, 'cubic')",
          "between its points a table is read as 'linear', 'pchip', 'spline' or 'steps'");
  refused("table('push.csv', 'force', t, 'linear', 'zero')",
          "'error', 'hold', 'periodic' or 'extrapolate'");
  refused("table('push.csv', 'force', t, linear)", "a text in quotes");
  refused("table('push.csv', 'force', t, 'linear', 'hold', 1)", "too many arguments");
  refused("table('push.csv', 'force', 7)", "outside of its range from 0 to 3");
  scratch.write("twice.csv", "t,y,y\n0,1,2\n1,2,3\n");
  refused("table('twice.csv', 'y', t)", "two columns 'y'");
  scratch.write("open.csv", "t,y\n0,1\n1,2\n");
  refused("table('open.csv', 'y', t, 'linear', 'periodic')", "must repeat the first");
}

TEST(Tables, ADriveIsASplineUnlessItSaysOtherwise) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  const auto positions = [&](const std::string& table) {
    const CommandResult result = run_cartan({"run", driven_slider(scratch, table), "--duration",
                                             "3", "--step", "0.01", "--out", out, "--quiet"});
    EXPECT_EQ(result.status, 0) << result.err;
    return read_table(out + "/trajectory.csv")["rail.q0"];
  };
  const auto usual = positions("table('path.csv', 'x', t)");
  const auto spline = positions("table('path.csv', 'x', t, 'spline', 'error')");
  EXPECT_EQ(usual, spline);
  // the cubic through the four points
  EXPECT_NEAR(usual[50], 0.3 * 0.5 * (-1.5) * (-2.5) / 2 + 0.1 * 0.5 * (-0.5) * (-2.5) / -2, 1e-9);
}

TEST(Tables, ADriveThatIsNotTwiceDifferentiableIsRefused) {
  const Scratch scratch;
  const auto refused = [&](const std::string& table, const std::string& text) {
    const CommandResult result = run_cartan({"check", driven_slider(scratch, table)});
    expect_refusal(result, "must be twice differentiable");
    expect_refusal(result, text);
  };
  refused("table('path.csv', 'x', t, 'linear')", "its slope jumps at 1");
  refused("table('path.csv', 'x', t, 'pchip')", "its curvature jumps at 1");
  refused("0.5*table('path.csv', 'x', 2*t, 'steps')", "its value jumps at 1");
  refused("table('path.csv', 'x', t, 'spline', 'hold')", "'error', 'periodic' or 'extrapolate'");
  const auto accepted = [&](const std::string& table) {
    const CommandResult result = run_cartan({"check", driven_slider(scratch, table)});
    EXPECT_EQ(result.status, 0) << result.err;
  };
  accepted("table('path.csv', 'x', t, 'spline', 'extrapolate')");
  accepted("table('path.csv', 'x', t, 'spline', 'periodic')");
  accepted("table('path.csv', 'x', 0.5, 'linear') + sin(t)");  // a constant is smooth
}

TEST(Tables, ADriveThatBeginsLaterSaysWhereItsTableBegins) {
  const Scratch scratch;
  const std::string model = driven_slider(scratch, "table('path.csv', 'x', t + 4)");
  expect_refusal(run_cartan({"run", model}), "is asked for its value at 4, outside of its range");
}

TEST(Tables, APotentialMayNotJump) {
  const Scratch scratch;
  scratch.write("push.csv", "t,force\n0,0\n1,1\n");
  const std::string head = R"(name = "slider"
[[body]]
name = "block"
mass = 1
[[joint]]
name = "rail"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "block" }
[[force]]
name = "well"
type = "potential"
)";
  expect_refusal(
      run_cartan({"check", scratch.write("a.toml", head + "value = \"table('push.csv', 'force', "
                                                          "rail.q, 'steps', 'hold')\"\n")}),
      "would be infinite");
  EXPECT_EQ(run_cartan({"check", scratch.write("b.toml", head + "value = \"table('push.csv', "
                                                                "'force', rail.q, 'linear', "
                                                                "'hold')\"\n")})
                .status,
            0);
}

}  // namespace
}  // namespace cartan::test
