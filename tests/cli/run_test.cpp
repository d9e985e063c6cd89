// run: what it prints and writes.
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

std::string header_of(const std::string& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  return line;
}

long rows_of(const std::string& path) {
  const std::string text = read_file(path);
  return std::count(text.begin(), text.end(), '\n') - 1;
}

using nlohmann::json;

TEST(Run, SummaryTellsDefaultsAsSuch) {
  const Scratch scratch;
  const CommandResult result =
      run_cartan({"run", scratch.write_template({"pendulum"}), "--step", "0.02"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  for (const char* text :
       {"pendulum: 1 body, 1 degree of freedom", "recursive (default), gl3 (default)",
        "step 0.02 s,", "500 steps", "largest drift", "hinge"})
    EXPECT_NE(result.out.find(text), std::string::npos) << text << "\nin\n" << result.out;
  EXPECT_EQ(list_folder(scratch.path("")), std::vector<std::string>{"pendulum.toml"})
      << "nothing written";
}

TEST(Run, QuietSaysNothing) {
  const Scratch scratch;
  const CommandResult result = run_cartan(
      {"run", scratch.write_template({"pendulum"}), "--quiet", "--out", scratch.path("out")});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out + result.err, "");
  EXPECT_EQ(list_folder(scratch.path("out")).size(), 6u);
}

TEST(Run, JsonHasTheContentOfTheContract) {
  const Scratch scratch;
  const auto json = expect_json(
      run_cartan({"run", scratch.write_template({"top"}), "--json", "--duration", "1"}));
  for (const char* key :
       {"model", "formulation", "integrator", "step", "steps", "evaluations", "wall_seconds",
        "energy", "momentum", "constraint", "unit_norm_error", "assembly", "final"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_EQ(json["model"], "top");
  EXPECT_EQ(json["steps"], 1000);
  EXPECT_GT(json["energy"]["initial"], 1.0);
  EXPECT_LT(json["energy"]["max_drift"], 1e-11);
  EXPECT_LT(json["unit_norm_error"], 1e-14);
  for (const char* key : {"linear_initial", "linear_final", "angular_initial", "angular_final"})
    EXPECT_EQ(json["momentum"][key].size(), 3u) << key;
  EXPECT_EQ(json["constraint"]["max_position"], 0.0);
  EXPECT_EQ(json["assembly"]["position_change"], 0.0);
  EXPECT_EQ(json["final"]["t"], 1.0);
  EXPECT_EQ(json["final"]["q"]["pivot"].size(), 4u);
  EXPECT_NEAR(json["final"]["v"]["pivot"][2], 150, 1e-11) << "spin of a symmetric top";
  for (const char* key : {"position", "quaternion", "angular", "linear"})
    EXPECT_TRUE(json["final"]["bodies"]["top"].contains(key)) << key;
}

TEST(Run, FilesOfTheContract) {
  const Scratch scratch;
  const std::string out = scratch.path("deep/er/out");
  const auto json =
      expect_json(run_cartan({"run", scratch.write_template({"double-pendulum"}), "--duration",
                              "0.995", "--every", "2", "--out", out, "--json"}));
  EXPECT_EQ(list_folder(out),
            (std::vector<std::string>{"bodies.csv", "cartan-manifest.json", "events.csv",
                                      "model.json", "summary.json", "trajectory.csv"}));
  EXPECT_EQ(
      header_of(out + "/trajectory.csv"),
      "t,shoulder.q0,shoulder.v0,elbow.q0,elbow.v0,kinetic,potential,energy,constraint,tip_height");
  EXPECT_EQ(header_of(out + "/bodies.csv"),
            "t,upper.x,upper.y,upper.z,upper.qw,upper.qx,upper.qy,upper.qz,upper.wx,upper.wy,upper."
            "wz,upper.vx,"
            "upper.vy,upper.vz,lower.x,lower.y,lower.z,lower.qw,lower.qx,lower.qy,lower.qz,lower."
            "wx,lower.wy,"
            "lower.wz,lower.vx,lower.vy,lower.vz");
  EXPECT_EQ(rows_of(out + "/trajectory.csv"), 51) << "every second of 100 steps, both ends";
  EXPECT_EQ(rows_of(out + "/bodies.csv"), 51);
  // the last row is the final state, to the last bit
  const LastRow row = last_row(out + "/trajectory.csv");
  EXPECT_EQ(row["t"], 0.995);
  EXPECT_EQ(row["elbow.q0"], json["final"]["q"]["elbow"][0].get<double>());
  EXPECT_EQ(row["elbow.v0"], json["final"]["v"]["elbow"][0].get<double>());
  EXPECT_EQ(row["energy"], row["kinetic"] + row["potential"]);
  EXPECT_EQ(row["energy"], json["energy"]["final"].get<double>());
  EXPECT_NE(row["kinetic"], 0.0);
  EXPECT_EQ(last_row(out + "/bodies.csv")["lower.z"],
            json["final"]["bodies"]["lower"]["position"][2].get<double>());
  // summary.json is what --json prints, without the final state
  nlohmann::json expected = json;
  expected.erase("final");
  EXPECT_EQ(nlohmann::json::parse(read_file(out + "/summary.json")), expected);
  EXPECT_TRUE(nlohmann::json::parse(read_file(out + "/model.json")).is_object());
}

TEST(Run, SphericalAndFreeColumns) {
  const Scratch scratch;
  const std::string model = scratch.write("free.toml", R"(
name = "free"
gravity = [0, 0, 0]
[[body]]
name = "block"
mass = 1
inertia = [1, 2, 2.5]
[[joint]]
name = "base"
type = "free"
parent = { body = "world" }
child = { body = "block" }
velocity = [0.1, 0.2, 0.3, 1, 0, 0]
)");
  const std::string out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "1", "--out", out}).status, 0);
  EXPECT_EQ(header_of(out + "/trajectory.csv"),
            "t,base.q0,base.q1,base.q2,base.q3,base.q4,base.q5,base.q6,base.v0,base.v1,base.v2,"
            "base.v3,base.v4,"
            "base.v5,kinetic,potential,energy,constraint");
  EXPECT_NEAR(last_row(out + "/trajectory.csv")["base.q4"], 1, 1e-13);
}

TEST(Run, ExtraTables) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"cartpole"}), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "1", "--out", out, "--record",
                        "reactions,multipliers,constraints,power"})
                .status,
            0);
  EXPECT_EQ(list_folder(out).size(), 10u);
  const LastRow reactions = last_row(out + "/reactions.csv");
  EXPECT_NE(reactions["hinge.fz"], 0.0);
  EXPECT_NE(reactions["track.tz"], -1.0);
  const LastRow power = last_row(out + "/power.csv");
  EXPECT_NEAR(power["kinetic_rate"] + power["potential_rate"], power["nonconservative"], 1e-12);
  EXPECT_NEAR(power["motor.power"] + power["bearing.power"], power["nonconservative"], 1e-12);
  EXPECT_NE(power["motor.power"], 0.0);
  EXPECT_EQ(header_of(out + "/multipliers.csv"), "t");
  // a later run without them takes them away: no file of another motion stays behind
  ASSERT_EQ(run_cartan({"run", model, "--duration", "1", "--out", out}).status, 0);
  EXPECT_EQ(list_folder(out).size(), 6u);
}

TEST(Run, EventsAreWrittenWithTheirState) {
  const Scratch scratch;
  const std::string out = scratch.path("out");
  ASSERT_EQ(
      run_cartan({"run", scratch.write_template({"pendulum"}), "--duration", "1", "--out", out})
          .status,
      0);
  EXPECT_EQ(header_of(out + "/events.csv"),
            "t,event,direction,hinge.q0,hinge.v0,kinetic,potential,energy,constraint");
  const LastRow event = last_row(out + "/events.csv");
  EXPECT_NEAR(event["hinge.q0"], 0, 1e-12) << "the lowest point";
  EXPECT_EQ(event["direction"], -1);
  EXPECT_NEAR(event["t"], 0.4161, 1e-3) << "a quarter of the period";
}

TEST(Run, VariablesFile) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"variables"}), out = scratch.path("out");
  const auto json = expect_json(run_cartan({"run", model, "--out", out, "--json"}));
  EXPECT_EQ(list_folder(out),
            (std::vector<std::string>{"cartan-manifest.json", "events.csv", "model.json",
                                      "summary.json", "trajectory.csv"}));
  EXPECT_EQ(header_of(out + "/trajectory.csv"), "t,x,y,amplitude");
  const LastRow row = last_row(out + "/trajectory.csv");
  EXPECT_EQ(row["t"], 30);
  EXPECT_EQ(row["x"], json["final"]["variables"]["x"].get<double>());
  EXPECT_DOUBLE_EQ(row["amplitude"], std::sqrt(row["x"] * row["x"] + row["y"] * row["y"]));
  EXPECT_FALSE(json.contains("energy"));
}

TEST(Run, EveryIntegratorAndFormulation) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"chain", "--links", "2"});
  for (const char* integrator :
       {"gl1", "gl2", "gl3", "rk4", "rk45", "dop853", "rkmk4", "rkmk45", "cvode", "ida"})
    for (const char* formulation : {"recursive", "moving-frame"}) {
      const auto json =
          expect_json(run_cartan({"run", model, "--integrator", integrator, "--formulation",
                                  formulation, "--duration", "0.2", "--json"}));
      EXPECT_EQ(json["integrator"], integrator);
      EXPECT_EQ(json["formulation"], formulation);
      EXPECT_EQ(json["final"]["t"], 0.2);
    }
}

TEST(Run, AFailedComputationExitsWith1AndReplacesNothing) {
  const Scratch scratch;
  const std::string model = scratch.write("blowup.toml", R"(
name = "blow-up"
[variables]
x = { initial = 1, rate = "x^2" }
[simulate]
integrator = "dop853"
)");
  const std::string out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.5", "--out", out}).status, 0);
  const std::string before = read_file(out + "/trajectory.csv");
  const CommandResult failed = run_cartan({"run", model, "--duration", "2", "--out", out});
  EXPECT_EQ(failed.status, 1);
  EXPECT_EQ(failed.out, "");
  EXPECT_NE(failed.err.find("blowup.toml: "), std::string::npos) << failed.err;
  EXPECT_NE(failed.err.find("t = "), std::string::npos) << failed.err;
  EXPECT_EQ(read_file(out + "/trajectory.csv"), before);
  EXPECT_EQ(list_folder(out).size(), 5u) << "nothing left aside";
  EXPECT_EQ(
      run_cartan({"run", model, "--duration", "2", "--out", scratch.path("new/folder")}).status, 1);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("new"))) << "folders made for nothing are gone";
}

// x' = x^2 has no value after t = 1: the message names what grows.
TEST(Run, BlowUpNamesWhatGrows) {
  const Scratch scratch;
  const std::string model = scratch.write(
      "blow.toml", "name = \"blow\"\n[variables]\nx = { initial = 1, rate = \"x^2\" }\n");
  for (const char* method : {"rk45", "dop853", "rkmk45"}) {
    const CommandResult result =
        run_cartan({"run", model, "--duration", "2", "--step", "0.1", "--integrator", method});
    EXPECT_EQ(result.status, 1) << method;
    EXPECT_EQ(result.err.find("error of  is"), std::string::npos) << result.err;
    EXPECT_EQ(result.err.find("is 0 times"), std::string::npos) << result.err;
    EXPECT_TRUE(result.err.find("x has the value") != std::string::npos ||
                result.err.find("error of x is") != std::string::npos ||
                result.err.find("not finite") != std::string::npos ||
                result.err.find("not a finite") != std::string::npos)
        << result.err;
  }
}

// Without stabilisation explicit methods let the length of quaternions drift.
TEST(Run, UnitLengthsAreLeftAloneWithoutStabilisation) {
  const auto length_error = [](const char* how) {
    const nlohmann::json result = expect_json(run_cartan(
        {"run", std::string(CARTAN_ROOT) + "/examples/heavy_top.toml", "--integrator", "rk4",
         "--step", "0.005", "--duration", "1", "--stabilisation", how, "--json"}));
    for (const auto& [joint, q] : result["final"]["q"].items()) {
      double sum = 0;
      for (int k = 0; k < 4; ++k) sum += q[k].get<double>() * q[k].get<double>();
      return std::fabs(std::sqrt(sum) - 1);
    }
    return 0.0;
  };
  EXPECT_LT(length_error("projection"), 1e-15);
  EXPECT_GT(length_error("none"), 1e-9);
}

// The work of every force and drive, and of gravity, adds up to the change of the kinetic energy.
TEST(Run, WorkOfEveryForceAndDrive) {
  const std::string model = std::string(CARTAN_ROOT) + "/examples/driven_pendulum.toml";
  for (const char* formulation : {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3",
                                  "rotation-elements", "generated"}) {
    SCOPED_TRACE(formulation);
    const nlohmann::json result =
        expect_json(run_cartan({"run", model, "--duration", "1", "--set", "drag=0.2",
                                "--formulation", formulation, "--json"}));
    const nlohmann::json& work = result["work"];
    if (std::string(formulation) == "generated") {
      EXPECT_NE(work["untold"].get<std::string>().find("recursive"), std::string::npos);
      continue;
    }
    const double drive = work["drives"]["shaker"], drag = work["forces"]["air"],
                 gravity = work["gravity"];
    EXPECT_NEAR(drive + drag, result["energy"]["work"], 1e-9);
    EXPECT_LT(drag, -0.01);
    EXPECT_GT(std::fabs(drive), 0.01);
    const nlohmann::json& energy = result["energy"];
    EXPECT_NEAR(drive + drag, energy["final"].get<double>() - energy["initial"].get<double>(),
                1e-6);
    EXPECT_GT(std::fabs(gravity), 0.01);
  }
  const CommandResult text = run_cartan({"run", model, "--duration", "1", "--set", "drag=0.2"});
  EXPECT_NE(text.out.find("J by drive 'shaker'"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("J by force 'air'"), std::string::npos) << text.out;
}

// Conservative forces do what their potential loses: all works together are the kinetic energy won.
TEST(Run, WorkOfSprings) {
  const Scratch scratch;
  const std::string model = std::string(CARTAN_ROOT) + "/examples/double_spring.toml",
                    out = scratch.path("out");
  const nlohmann::json result = expect_json(run_cartan(
      {"run", model, "--duration", "1.3", "--tolerance", "1e-13", "--out", out, "--json"}));
  double sum = result["work"]["gravity"];
  for (const auto& [name, joules] : result["work"]["forces"].items()) {
    EXPECT_GT(std::fabs(joules.get<double>()), 1e-6) << name;
    sum += joules.get<double>();
  }
  const double before = expect_json(run_cartan({"eval", model, "--json"}))["kinetic"],
               after = expect_json(run_cartan({"eval", model, "--at", out, "--json"}))["kinetic"];
  EXPECT_NEAR(sum, after - before, 1e-9);
  EXPECT_GT(std::fabs(sum), 1e-6);
}

}  // namespace
}  // namespace cartan::test
