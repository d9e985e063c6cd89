// [inputs], [variables] beside bodies, rotors and names of kinematics, as a user meets them.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// A disc of moment 0.5 (0.3 and a rotor of 0.2) on the z axis under the torque of an input.
const char* const wheel = R"toml(
name = "wheel"
[parameters]
size = 2
[inputs]
torque = "size/4"
[[body]]
name = "disc"
mass = 1
inertia = [0.2, 0.2, 0.3]
[[joint]]
name = "axle"
type = "revolute"
axis = [0, 0, 1]
inertia = 0.2
parent = { body = "world" }
child = { body = "disc" }
[[force]]
type = "joint"
joint = "axle"
value = "torque"
[simulate]
duration = 2
step = 0.01
)toml";

double final_speed(const std::vector<std::string>& more, const std::string& model) {
  std::vector<std::string> words = {"run", model, "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return expect_json(run_cartan(words))["final"]["v"]["axle"][0];
}

TEST(Inputs, DefaultNumberAndExpression) {
  const Scratch scratch;
  const std::string model = scratch.write("wheel.toml", wheel);
  EXPECT_NEAR(final_speed({}, model), 0.5 / 0.5 * 2, 1e-12);
  EXPECT_NEAR(final_speed({"--set", "size=4"}, model), 1 / 0.5 * 2, 1e-12);
  EXPECT_NEAR(final_speed({"--input", "torque=3"}, model), 3 / 0.5 * 2, 1e-12);
  EXPECT_NEAR(final_speed({"--input", "torque=size*cos(t)"}, model), 2 / 0.5 * std::sin(2), 1e-10);
}

TEST(Inputs, TablesOfStepsAreExactForEveryMethod) {
  const Scratch scratch;
  const std::string model = scratch.write("wheel.toml", wheel);
  // jumps between steps of 0.01: 1 from 0, 4 from 0.503, -2 from 1.2047
  const std::string file =
      scratch.write("u.csv", "t,torque,other\n0,1,9\n0.503,4,9\n1.2047,-2,9\n");
  const double steps = (0.503 + 4 * (1.2047 - 0.503) - 2 * (2 - 1.2047)) / 0.5;
  for (const char* integrator : {"gl3", "rk4", "dop853", "rkmk4"})
    EXPECT_NEAR(
        final_speed({"--input-file", file, "--input-kind", "steps", "--integrator", integrator},
                    model),
        steps, 1e-9)
        << integrator;
  const double linear =
      (2.5 * 0.503 + 1 * (1.2047 - 0.503) - 2 * (2 - 1.2047)) / 0.5;  // the last value holds
  EXPECT_NEAR(final_speed({"--input-file", file}, model), linear, 1e-9);
  const CommandResult told = run_cartan({"run", model, "--input-file", file, "--duration", "0.1"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_NE(told.err.find("gives torque from t = 0 to 1.2047"), std::string::npos) << told.err;
  EXPECT_NE(told.err.find("left out: other"), std::string::npos) << told.err;
}

// A smooth curve through many rows: the motion is that of the curve.
TEST(Inputs, SmoothTables) {
  const Scratch scratch;
  const std::string model = scratch.write("wheel.toml", wheel);
  std::string text = "t,torque\n";
  for (int k = 0; k <= 400; ++k)
    text += fmt::format("{},{:.17g}\n", 0.005 * k, 5 * std::sin(3 * 0.005 * k));
  const std::string file = scratch.write("u.csv", text);
  for (const char* integrator : {"gl3", "dop853"})
    EXPECT_NEAR(
        final_speed({"--input-file", file, "--input-kind", "smooth", "--integrator", integrator},
                    model),
        5.0 / 3 * (1 - std::cos(6)) / 0.5, 1e-7)
        << integrator;
}

TEST(Inputs, AreColumns) {
  const Scratch scratch;
  const std::string model = scratch.write("wheel.toml", wheel), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--input", "torque=2*t", "--out", out}).status, 0);
  EXPECT_NEAR(last_row(out + "/trajectory.csv")["torque"], 4, 1e-12);
}

TEST(Inputs, WhatIsWrongIsTold) {
  const Scratch scratch;
  const std::string model = scratch.write("wheel.toml", wheel);
  const auto refuse = [&](const std::vector<std::string>& more, const std::string& text) {
    std::vector<std::string> words = {"run", model};
    words.insert(words.end(), more.begin(), more.end());
    expect_refusal(run_cartan(words), text);
  };
  refuse({"--input", "torqe=3"}, "'torqe' is not in [inputs]");
  refuse({"--input", "torque"}, "expected NAME=EXPR");
  refuse({"--input", "torque=axle.q*t"}, "'axle.q' is not known here");
  refuse({"--set", "torque=3"}, "which is an input and no parameter");
  refuse({"--input", "torque=1", "--input", "torque=2"}, "given twice");
  refuse({"--input-file", scratch.path("none.csv")}, "there is no such file");
  refuse({"--input-file", scratch.write("a.csv", "t,x\n0,1\n1,2\n")}, "no column is an input");
  refuse({"--input-file", scratch.write("b.csv", "x,torque\n0,1\n1,2\n")}, "no column 't'");
  refuse({"--input-file", scratch.write("c.csv", "t,torque\n0,1\n1,2\n"), "--input-kind", "odd"},
         "expected steps, linear or smooth");
  refuse({"--input-kind", "steps"}, "there is none");
}

TEST(Inputs, EveryCommandThatEvaluatesTakesThem) {
  const Scratch scratch;
  const std::string model = scratch.write("wheel.toml", wheel);
  const json eval = expect_json(run_cartan({"eval", model, "--json", "--input", "torque=5"}));
  EXPECT_NEAR(eval["acceleration"]["axle"][0].get<double>(), 10, 1e-12);
  EXPECT_NEAR(eval["mass_matrix"][0][0].get<double>(), 0.5, 1e-14);
  const json compare = expect_json(
      run_cartan({"compare", model, "--json", "--input", "torque=sin(t)", "--integrators", "gl3"}));
  for (const json& row : compare["rows"])
    if (row.contains("difference") && row["difference"].is_number())
      EXPECT_LT(row["difference"].get<double>(), 1e-6) << row.dump();
  const json linear =
      expect_json(run_cartan({"linearize", model, "--json", "--input", "torque=0"}));
  EXPECT_EQ(linear["eigenvalues"].size(), 2u);
}

// The input is the array u of the code.
TEST(Inputs, GeneratedCodeTakesThemFromOutside) {
  const Scratch scratch;
  const std::string model = scratch.write("wheel.toml", wheel), out = scratch.path("code");
  ASSERT_EQ(run_cartan({"generate", model, "--language", "c", "--jacobian", "--name", "motor",
                        "--out", out})
                .status,
            0);
  const std::string code = read_file(out + "/motor.h");
  EXPECT_NE(code.find("const double* u"), std::string::npos) << code;
  EXPECT_NE(code.find("input_jacobian"), std::string::npos) << code;
}

// ------------------------------------------------------------------------ variables beside bodies

const char* const servo = R"toml(
name = "servo"
[inputs]
target = 1
[variables]
sum = { initial = 0.25, rate = "target - slide.q" }
filtered = { initial = "-0.5", rate = "5*(block.vx - filtered)" }
[[body]]
name = "block"
mass = 2
[[joint]]
name = "slide"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "block" }
[[force]]
name = "motor"
type = "joint"
joint = "slide"
value = "30*(target - slide.q) + 20*sum - 12*filtered"
[simulate]
duration = 1
)toml";

TEST(VariablesBesideBodies, ContinuingEqualsNotStopping) {
  const Scratch scratch;
  const std::string model = scratch.write("servo.toml", servo), first = scratch.path("first");
  for (const char* formulation : {"recursive", "absolute-se3", "rotation-elements", "canonical"}) {
    const auto run = [&](std::vector<std::string> more) {
      more.insert(more.begin(), {"run", model, "--formulation", formulation, "--json"});
      return expect_json(run_cartan(more));
    };
    const json half = run({"--duration", "0.5", "--out", first}), whole = run({});
    const std::string file = scratch.write("state.json", half["final"].dump());
    for (const std::string& from : {first, first + "/trajectory.csv", file}) {
      const json rest = run({"--from", from, "--duration", "0.5"});
      for (const char* name : {"sum", "filtered"})
        EXPECT_NEAR(rest["final"]["variables"][name].get<double>(),
                    whole["final"]["variables"][name].get<double>(), 1e-10)
            << formulation << " from " << from;
      EXPECT_NEAR(rest["final"]["q"]["slide"][0].get<double>(),
                  whole["final"]["q"]["slide"][0].get<double>(), 1e-10);
    }
  }
}

TEST(VariablesBesideBodies, Analyses) {
  const Scratch scratch;
  const std::string model = scratch.write("servo.toml", servo);
  // at rest: q = target, sum such that nothing pushes
  const json found = expect_json(run_cartan({"equilibrium", model, "--json"}));
  EXPECT_NEAR(found["state"]["q"]["slide"][0].get<double>(), 1, 1e-9);
  EXPECT_NEAR(found["state"]["variables"]["sum"].get<double>(), 0, 1e-9);
  EXPECT_EQ(found["eigenvalues"].size(), 4u);
  for (const json& value : found["eigenvalues"]) {
    const std::complex<double> s(value[0].get<double>(), value[1].get<double>());
    // m s^2 q = -30 q + 20 z - 12 f, s z = -q, (s + 5) f = 5 s q
    const std::complex<double> p = 2. * s * s + 30. + 20. / s + 60. * s / (s + 5.);
    EXPECT_LT(std::abs(p), 1e-7) << value.dump();
  }
  const json eval = expect_json(run_cartan({"eval", model, "--json"}));
  EXPECT_NEAR(eval["rates"]["sum"].get<double>(), 1, 1e-15);
  EXPECT_NEAR(eval["rates"]["filtered"].get<double>(), 2.5, 1e-15);
  EXPECT_NEAR(eval["acceleration"]["slide"][0].get<double>(), (30 + 5 + 6) / 2., 1e-12);
}

TEST(VariablesBesideBodies, MethodsOfSecondOrderRefuseThem) {
  const Scratch scratch;
  const std::string model = scratch.write("servo.toml", servo);
  expect_refusal(run_cartan({"run", model, "--integrator", "variational"}),
                 "variables] beside the bodies");
  expect_refusal(run_cartan({"run", model, "--integrator", "generalized-alpha"}),
                 "[variables] beside bodies are of first");
}

TEST(VariablesBesideBodies, EveryOtherMethodAgrees) {
  const Scratch scratch;
  const std::string model = scratch.write("servo.toml", servo);
  const double exact =
      expect_json(run_cartan({"run", model, "--integrator", "dop853", "--tolerance", "1e-12",
                              "--json"}))["final"]["q"]["slide"][0];
  for (const char* integrator :
       {"gl1", "gl2", "gl3", "rk4", "rk45", "rkmk4", "rkmk45", "cvode", "ida"}) {
    const json run = expect_json(run_cartan({"run", model, "--integrator", integrator, "--step",
                                             "0.001", "--tolerance", "1e-10", "--json"}));
    EXPECT_NEAR(run["final"]["q"]["slide"][0].get<double>(), exact, 1e-5) << integrator;
  }
}

// --------------------------------------------------------------------------- names of kinematics

// An arm that turns at a constant rate, with a point on it.
const char* const turning_arm = R"toml(
name = "arm"
gravity = [0, 0, 0]
[[body]]
name = "arm"
mass = 2
com = [0.5, 0, 0]
inertia = [0.1, 0.1, 0.1]
[[joint]]
name = "hub"
type = "revolute"
axis = [0, 0, 1]
parent = { body = "world", at = [0.1, 0, 0] }
child = { body = "arm" }
velocity = 3
[[point]]
name = "tip"
body = "arm"
at = [1, 0.5, 0]
[[point]]
name = "mark"
body = "world"
at = [0.1, 0, 0]
[[output]]
name = "ax"
value = "tip.ax"
[[output]]
name = "ay"
value = "tip.ay"
[[output]]
name = "vx"
value = "tip.vx"
[[output]]
name = "hub_a"
value = "hub.a"
[[output]]
name = "fx"
value = "hub.fx"
[[output]]
name = "fy"
value = "hub.fy"
[[output]]
name = "yaw"
value = "arm.yaw"
[[output]]
name = "entry"
value = "arm.R[1,0]"
[[output]]
name = "far"
value = "distance(tip, mark)"
[[output]]
name = "corner"
value = "angle(tip, mark, arm)"
[[output]]
name = "whole"
value = "floor(hub.q) + 100*round(hub.q) + mod(hub.q, 0.5) + deg(180) + rpm(30)"
[simulate]
duration = 0.9
)toml";

TEST(Names, OfKinematicsInOutputs) {
  const Scratch scratch;
  const std::string model = scratch.write("arm.toml", turning_arm);
  const double q = 2.7, w2 = 9;
  const double x = std::cos(q) - 0.5 * std::sin(q), y = std::sin(q) + 0.5 * std::cos(q);
  for (const char* formulation : {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3",
                                  "rotation-elements", "canonical", "generated"}) {
    SCOPED_TRACE(formulation);
    const json run =
        expect_json(run_cartan({"run", model, "--formulation", formulation, "--json"}));
    const json& out = run["final"]["outputs"];
    EXPECT_NEAR(out["ax"].get<double>(), -w2 * x, 1e-9);
    EXPECT_NEAR(out["ay"].get<double>(), -w2 * y, 1e-9);
    EXPECT_NEAR(out["vx"].get<double>(), -3 * y, 1e-9);
    EXPECT_NEAR(out["hub_a"].get<double>(), 0, 1e-9);
    EXPECT_NEAR(out["fx"].get<double>(), -2 * 0.5 * w2 * std::cos(q), 1e-9);
    EXPECT_NEAR(out["fy"].get<double>(), -2 * 0.5 * w2 * std::sin(q), 1e-9);
    EXPECT_NEAR(out["yaw"].get<double>(), q, 1e-9);
    EXPECT_NEAR(out["entry"].get<double>(), std::sin(q), 1e-9);
    EXPECT_NEAR(out["far"].get<double>(), std::sqrt(1.25), 1e-12);
    EXPECT_NEAR(out["whole"].get<double>(), 2 + 300 + 0.2 + M_PI + M_PI, 1e-8);
  }
}

TEST(Names, OfAccelerationsAreRefusedInForces) {
  const Scratch scratch;
  const auto with = [&](const std::string& more) {
    return run_cartan({"check", scratch.write("bad.toml", std::string(turning_arm) + more)});
  };
  expect_refusal(with("[[force]]\ntype = \"joint\"\njoint = \"hub\"\nvalue = \"hub.a\"\n"),
                 "may be used in outputs only");
  expect_refusal(with("[[event]]\nname = \"e\"\nwhen = \"hub.fx\"\n"),
                 "may be used in outputs only");
  expect_refusal(with("[[output]]\nname = \"o\"\nvalue = \"arm.R[3,0]\"\n"), "go from 0 to 2");
  expect_refusal(with("[[output]]\nname = \"o\"\nvalue = \"arm.R\"\n"), "is a matrix");
  expect_refusal(with("[[output]]\nname = \"o\"\nvalue = \"distance(tip, tap)\"\n"),
                 "unknown name 'tap.x'");
  expect_refusal(with("[[output]]\nname = \"o\"\nvalue = \"distance(tip)\"\n"), "takes 2 points");
}

// Reactions and multipliers in outputs are those of the tables.
TEST(Names, OfReactionsAndMultipliersAreThoseOfTheTables) {
  const Scratch scratch;
  const std::string model =
      scratch.write("bar.toml", read_file(CARTAN_ROOT "/examples/four_bar.toml") +
                                    "\n[[output]]\nname = \"load\"\nvalue = \"motor.fz\"\n"
                                    "[[output]]\nname = \"turn\"\nvalue = \"motor.a\"\n");
  const std::string out = scratch.path("out");
  ASSERT_EQ(
      run_cartan({"run", model, "--duration", "0.2", "--record", "reactions", "--out", out}).status,
      0);
  EXPECT_NEAR(last_row(out + "/trajectory.csv")["load"],
              last_row(out + "/reactions.csv")["motor.fz"], 1e-9);
}

// A jump of floor is located: a joint pushed by a staircase of time.
TEST(Names, JumpsOfFloorAreLocated) {
  const Scratch scratch;
  std::string text = wheel;
  text.replace(text.find("value = \"torque\""), 16, "value = \"floor(t/0.3037)\"");
  const std::string model = scratch.write("stairs.toml", text);
  double exact = 0;
  for (int k = 1; k < 7; ++k) exact += (2 - 0.3037 * k) / 0.5;
  for (const char* integrator : {"gl3", "rk4", "dop853"})
    EXPECT_NEAR(final_speed({"--integrator", integrator}, model), exact, 1e-9) << integrator;
}

}  // namespace
}  // namespace cartan::test
