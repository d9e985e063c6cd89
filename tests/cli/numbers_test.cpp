// Numbers on the command line are expressions over the model's parameters; components of joints
// have one naming system: tilt.q[1] and tilt.q1.
#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

const char* const spinner = R"(name = "spinner"
[parameters]
w = 4
turn = "2*pi/w"
[definitions]
half = "turn/2"
[[body]]
name = "disc"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "tilt"
type = "universal"
axes = [[1, 0, 0], [0, 1, 0]]
parent = { body = "world" }
child = { body = "disc" }
velocity = [0.1, "w"]
[[output]]
name = "brackets"
value = "tilt.q[1] + 2*tilt.v[0]"
[[output]]
name = "letters"
value = "tilt.q1 + 2*tilt.v0"
)";

double duration_of(const CommandResult& result) {
  return expect_json(result)["duration"].get<double>();
}

TEST(Numbers, OptionsTakeParameters) {
  const Scratch scratch;
  const std::string model = scratch.write("spinner.toml", spinner);
  EXPECT_NEAR(duration_of(run_cartan({"run", model, "--duration", "2*pi/w", "--json"})), M_PI / 2,
              1e-15);
  EXPECT_NEAR(duration_of(run_cartan({"run", model, "--duration", "half", "--json"})), M_PI / 4,
              1e-15);
  // what depends on an overridden parameter follows
  EXPECT_NEAR(
      duration_of(run_cartan({"run", model, "--set", "w=8", "--duration", "turn", "--json"})),
      M_PI / 4, 1e-15);
  EXPECT_EQ(run_cartan({"run", model, "--duration", "turn", "--step", "turn/100", "--every", "w",
                        "--integrator", "rk45", "--tolerance", "1e-8*w", "--quiet"})
                .status,
            0);
  EXPECT_EQ(run_cartan({"compare", model, "--duration", "turn/10", "--steps", "turn/100,turn/200",
                        "--integrators", "rk4", "--formulations", "recursive"})
                .status,
            0);
  EXPECT_EQ(run_cartan({"linearize", model, "--sweep", "w=lin(w,2*w,3)"}).status,
            run_cartan({"linearize", model, "--sweep", "w=lin(4,8,3)"}).status);
}

TEST(Numbers, ResultsKnowTheirParameters) {
  const Scratch scratch;
  const std::string model = scratch.write("spinner.toml", spinner), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "turn", "--out", out, "--quiet"}).status, 0);
  EXPECT_EQ(run_cartan({"plot", out, "--quantity", "tilt.q1", "--from", "turn/4"}).status, 0);
  expect_refusal(run_cartan({"plot", out, "--from", "2*turn"}), "no sample lies in this part");
}

TEST(Numbers, WhatIsWrongIsSaid) {
  const Scratch scratch;
  const std::string model = scratch.write("spinner.toml", spinner);
  const auto refused = [&](const std::string& duration, const std::string& text) {
    expect_refusal(run_cartan({"run", model, "--duration", duration}), text);
  };
  refused("2*pi/W", "did you mean 'w'?");
  refused("trun", "did you mean 'turn'?");
  refused("tilt.q1", "expected a number or an expression of the parameters");
  refused("1/0", "division by zero");
  refused("2*", "ends too early");
  refused("", "got nothing");
  expect_refusal(run_cartan({"run", model, "--every", "w/3"}), "expected a whole number");
  expect_refusal(run_cartan({"run", model, "--every", "1e300"}), "expected a whole number");
  expect_refusal(run_cartan({"new", "chain", "--links", "w"}), "unknown name 'w'");
  // a model that cannot be read is told once, by itself
  const std::string broken = scratch.write("broken.toml", "name = 3\n[parameters\n");
  const CommandResult result = run_cartan({"run", broken, "--duration", "2*w"});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.err.find("--duration"), std::string::npos) << result.err;
}

TEST(OneNamingSystem, InExpressions) {
  const Scratch scratch;
  const std::string model = scratch.write("spinner.toml", spinner), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "turn", "--out", out, "--quiet"}).status, 0);
  const Table table = read_table(out + "/trajectory.csv");
  EXPECT_EQ(table["brackets"], table["letters"]);
  EXPECT_GT(std::fabs(table["letters"].back()), 0.1);
  const auto refused = [&](const std::string& value, const std::string& text) {
    const std::string file =
        scratch.write("wrong.toml", std::string(spinner) + "[[output]]\nname = \"w1\"\nvalue = \"" +
                                        value + "\"\n");
    expect_refusal(run_cartan({"check", file}), text);
  };
  refused("tilt.q2", "the index goes from 0 to 1");
  refused("tilt.q1[0]", "'tilt.q1' is a single number");
  refused("tlit.q1", "did you mean 'tilt.q1'?");
  refused("tilt.q01", "unknown name");
}

TEST(OneNamingSystem, InColumnsAndPlots) {
  const Scratch scratch;
  const std::string model = scratch.write("spinner.toml", spinner), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "turn", "--out", out, "--quiet"}).status, 0);
  for (const char* name : {"tilt.q1", "tilt.q[1]"})
    EXPECT_EQ(run_cartan({"plot", out, "--quantity", name}).status, 0) << name;
  EXPECT_EQ(run_cartan({"plot", out, "--x", "tilt.q[0]", "--y", "tilt.v[1]"}).status, 0);
  expect_refusal(run_cartan({"plot", out, "--quantity", "tlit.q[1]"}), "did you mean 'tilt.q1'?");
  // a table spelled as expressions are
  std::string text = read_file(out + "/trajectory.csv");
  for (const char* name : {"tilt.q0", "tilt.q1", "tilt.v0", "tilt.v1"}) {
    const std::string old(name), spelled = old.substr(0, 6) + "[" + old.back() + "]";
    text.replace(text.find(old), old.size(), spelled);
  }
  const std::string table = scratch.write("spelled.csv", text);
  const auto json = expect_json(run_cartan({"eval", model, "--at", table, "--json"}));
  const auto same =
      expect_json(run_cartan({"eval", model, "--at", out + "/trajectory.csv", "--json"}));
  EXPECT_EQ(json, same);
  EXPECT_EQ(run_cartan({"plot", table, "--quantity", "tilt.q1", "--out", out}).status, 0);
}

}  // namespace
}  // namespace cartan::test
