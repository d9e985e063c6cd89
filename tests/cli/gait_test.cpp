// cartan steer with contacts in a given order: gaits and hops of least effort against closed forms,
// against orbits, against shooting through other equations, and against the run of what was found.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

std::string gait_task(const std::string& name) {
  return std::string(CARTAN_ROOT) + "/examples/steering/" + name + ".toml";
}

json steer_gait(std::vector<std::string> words) {
  words.insert(words.begin(), "steer");
  words.push_back("--json");
  return expect_json(run_cartan(words));
}

// `run` follows the plan: contacts close and open when they do.
void expect_replayed(const json& found) {
  ASSERT_TRUE(found["converged"].get<bool>());
  EXPECT_EQ(found["hessian"], "exact");
  ASSERT_TRUE(found["replay"].contains("difference")) << found["replay"];
  EXPECT_LE(found["replay"]["difference"].get<double>(),
            10 * found["mesh_error"].get<double>() + 1e-9);
}

// A mass above a floor that stops it dead.
std::string mass_over_floor(const std::string& contact = "") {
  return "name = \"mass\"\n[inputs]\nF = 0\n[[body]]\nname = \"mass\"\nmass = 1\n[[joint]]\n"
         "name = \"z\"\ntype = \"prismatic\"\naxis = [0, 0, 1]\nparent = { body = \"world\" }\n"
         "child = { body = \"mass\" }\nposition = 0.5\n[[force]]\ntype = \"joint\"\njoint = \"z\"\n"
         "value = \"F\"\n[[contact]]\nname = \"floor\"\na = { body = \"mass\", point = [0, 0, 0] "
         "}\n"
         "b = { body = \"world\", plane = [0, 0, 1] }\n" +
         contact;
}
std::string phase(const std::string& name, const std::string& duration, const std::string& closed) {
  return fmt::format("[[phase]]\nname = \"{}\"\nduration = {}\nclosed = [{}]\n", name, duration,
                     closed);
}

// From 0.5 m at rest to the floor in 0.4 s, 0.3 s there, then 0.3 m up in 0.5 s: least effort is
// F = c (T - t) in the air with c from the way, and none on the floor.
TEST(Gait, MassThatLandsAndLeavesByClosedForm) {
  const Scratch scratch;
  scratch.write("mass.toml", mass_over_floor());
  const json found = steer_gait(
      {scratch.write("task.toml", "model = \"mass.toml\"\nstarts = 1\ntolerance = 1e-8\n" +
                                      phase("fall", "0.4", "") + phase("rest", "0.3", "\"floor\"") +
                                      phase("jump", "0.5", "") +
                                      "[end]\n\"z.q\" = 0.3\n[minimise]\nintegral = \"F^2\"\n"),
       "--out", scratch.path("out"), "--verify"});
  const double g = 9.81, T1 = 0.4, T3 = 0.5;
  const double c1 = 3 * (g * T1 * T1 / 2 - 0.5) / std::pow(T1, 3);
  const double c3 = 3 * (0.3 + g * T3 * T3 / 2) / std::pow(T3, 3);
  EXPECT_NEAR(found["objective"].get<double>(),
              (c1 * c1 * std::pow(T1, 3) + c3 * c3 * std::pow(T3, 3)) / 3, 1e-8);
  ASSERT_NO_FATAL_FAILURE(expect_replayed(found));
  // the impact between the phases: its speed, and the energy that is gone
  const Table impacts = read_table(scratch.path("out/impacts.csv"));
  ASSERT_EQ(impacts.rows.size(), 1u);
  const double speed = -g * T1 + c1 * T1 * T1 / 2;
  EXPECT_NEAR(impacts["t"][0], T1, 1e-12);
  EXPECT_NEAR(impacts["speed_before"][0], speed, 1e-8);
  EXPECT_NEAR(impacts["energy_lost"][0], speed * speed / 2, 1e-8);
  const json summary = json::parse(read_file(scratch.path("out/summary.json")));
  EXPECT_LT(summary["energy"]["max_drift"].get<double>(), 1e-6);
  EXPECT_EQ(summary["impacts"], 1);
}

// A contact does not pull, and gaps stay open, however much cheaper it would be otherwise.
TEST(Gait, FloorsPressAndDoNotPull) {
  const Scratch scratch;
  scratch.write("mass.toml", mass_over_floor());
  const std::string head = "model = \"mass.toml\"\nstarts = 1\n";
  // least of (F - 30)^2 on the floor: F = 9.81 is where it would leave
  const json held = steer_gait({scratch.write(
      "a.toml", head + phase("rest", "1", "\"floor\"") +
                    "[start]\n\"z.q\" = 0\n[minimise]\nintegral = \"(F - 30)^2\"\n")});
  EXPECT_NEAR(held["objective"].get<double>(), std::pow(30 - 9.81, 2), 1e-5);
  // in the air the lowest mean height is next to the floor, and not below it
  const json low = steer_gait(
      {scratch.write("b.toml",
                     head + phase("air", "1", "") +
                         "[inputs]\nF = [-50, 50]\n[end]\n\"z.q\" = 0.5\n\"z.v\" = 0\n[minimise]\n"
                         "integral = \"z.q + 1e-4*F^2\"\n"),
       "--out", scratch.path("low")});
  EXPECT_TRUE(low["converged"].get<bool>());
  const std::vector<double> height = read_table(scratch.path("low/trajectory.csv"))["z.q0"];
  const double lowest = *std::min_element(height.begin(), height.end());
  EXPECT_NEAR(lowest, 0, 2e-5);  // ten times the tolerance, relative to 1 + its size
}

// What lets go parts at once: the force on the mass is then no less than its weight, though 0.05 m
// in half a second would be cheaper with less. With T the time of the flight in which the floor is
// left, 20 + c T = g and 0.05 = (20 - g) T^2/6.
TEST(Gait, WhatLetsGoParts) {
  const Scratch scratch;
  scratch.write("mass.toml", mass_over_floor());
  const json found = steer_gait(
      {scratch.write("task.toml", "model = \"mass.toml\"\nstarts = 1\n" +
                                      phase("rest", "0.2", "\"floor\"") + phase("air", "0.5", "") +
                                      "[start]\n\"z.q\" = 0\n[end]\n\"z.q\" = 0.05\n[minimise]\n"
                                      "integral = \"(F - 20)^2\"\n"),
       "--out", scratch.path("out")});
  const double lack = 20 - 9.81, T = std::sqrt(6 * 0.05 / lack);
  EXPECT_NEAR(found["objective"].get<double>(), lack * lack * (0.7 - T + T / 3), 0.02);
  const Table inputs = read_table(scratch.path("out/inputs.csv"));
  const std::vector<double> t = inputs["t"], F = inputs["F"];
  const std::size_t after = std::upper_bound(t.begin(), t.end(), 0.2) - t.begin();
  EXPECT_GE(F[after], 9.81 - 1e-6);
}

std::string passive_task(const std::string& duration) {
  return "model = \"" + example("powered_walker") +
         "\"\ntolerance = 1e-10\nperiodic = true\nswap = \"left=right\"\nstarts = 1\n" +
         phase("step", duration, "\"left\"") +
         "[advance]\n\"plane.q[0]\" = \"free\"\n[minimise]\nintegral = \"torque^2\"\n";
}

// Down a slope the gait of least effort needs none: it is the passive one. There are two of them, a
// slow one and a quick one that is not stable; `orbit` finds them by shooting through `run`.
TEST(Gait, OnASlopeItIsThePassiveGait) {
  const Scratch scratch;
  for (const bool quick : {false, true}) {
    const std::string task = scratch.write(
        "passive.toml", passive_task(quick ? "{ guess = 0.6, bounds = [0.5, 0.65] }"
                                           : "{ guess = 0.72, bounds = [0.65, 0.8] }"));
    const std::string folder = scratch.path(quick ? "quick" : "slow");
    const json found = steer_gait({task, "--set", "slope=2*pi/180", "--out", folder, "--verify"});
    EXPECT_LT(found["objective"].get<double>(), 1e-16);
    ASSERT_NO_FATAL_FAILURE(expect_replayed(found));
    const Table motion = read_table(folder + "/trajectory.csv");
    const std::size_t last = motion.rows.size() - 1;
    const json orbit = expect_json(run_cartan(
        {"orbit", example("powered_walker"), "--set", "slope=2*pi/180", "--swap", "left=right",
         "--period", quick ? "0.5962" : "0.7197", "--from", folder + "/start.json", "--json"}));
    EXPECT_NEAR(found["duration"].get<double>(), orbit["period"].get<double>(), 1e-8);
    EXPECT_NEAR(motion["plane.q0"][last] - motion["plane.q0"][0],
                orbit["shifts"]["plane.q0"].get<double>(), 1e-8);
    if (quick) {
      EXPECT_FALSE(orbit["stable"].get<bool>());
      continue;
    }
    // the start of examples/compass_walker.toml, against the normal of the slope
    EXPECT_NEAR(motion["left.q0"][0], -0.20135677872466082 - 2 * M_PI / 180, 1e-8);
    EXPECT_NEAR(motion["left.v0"][0], 1.012638104257170481, 1e-8);
    EXPECT_NEAR(motion["right.v0"][0], 0.51918904936838055, 1e-8);
  }
}

// The compass walker by hand (Goswami et al. 1998), its torque a sum of Chebyshev polynomials whose
// coefficients `optimise` finds by shooting: what is left beyond them costs a little more.
double cost_by_shooting(const Scratch& scratch, int degree) {
  std::string coefficients, polynomials = "z = \"2*t/0.7 - 1\"\nT0 = 1\nT1 = \"z\"\n", torque;
  std::string free = "w10,w20";
  for (int k = 0; k <= degree; ++k) {
    coefficients += fmt::format("c{} = 0\n", k);
    if (k > 1) polynomials += fmt::format("T{} = \"2*z*T{} - T{}\"\n", k, k - 1, k - 2);
    torque += fmt::format("{}c{}*T{}", k > 0 ? " + " : "", k, k);
    free += fmt::format(",c{}", k);
  }
  const std::string model = scratch.write(
      "compass.toml",
      "name = \"compass by hand\"\n[parameters]\nm = 5\nmh = 10\na = 0.5\nb = 0.5\nl = 1\n"
      "g = 9.81\nal = \"asin(0.21)\"\nw10 = 0.958\nw20 = 0.4637\n" +
          coefficients + "[definitions]\n" + polynomials + "u = \"" + torque +
          "\"\nM11 = \"m*a^2 + (mh + m)*l^2\"\nM22 = \"m*b^2\"\nM12 = \"-m*l*b*cos(th1 - th2)\"\n"
          "f1 = \"u + m*l*b*sin(th1 - th2)*w2^2 + g*(m*a + mh*l + m*l)*sin(th1)\"\n"
          "f2 = \"-u - m*l*b*sin(th1 - th2)*w1^2 - g*m*b*sin(th2)\"\n"
          "det = \"M11*M22 - M12^2\"\n[variables]\nth1 = { initial = \"-al\", rate = \"w1\" }\n"
          "w1 = { initial = \"w10\", rate = \"(M22*f1 - M12*f2)/det\" }\n"
          "th2 = { initial = \"al\", rate = \"w2\" }\n"
          "w2 = { initial = \"w20\", rate = \"(M11*f2 - M12*f1)/det\" }\n");
  // angular momenta at heel strike: of the old stance leg about the hip, of all about the new foot
  const std::string c = "cos(th1 - th2)";
  const std::string a11 = "(mh*l^2 + m*a^2 + m*l^2 - m*b*l*" + c + ")";
  const std::string a12 = "(m*b^2 - m*l*b*" + c + ")";
  const std::string L =
      "(mh*l^2*w1*" + c + " + m*a*(l*w1*" + c + " - b*w2) + m*a*w1*(l*" + c + " - b))";
  const std::string det = "(" + a11 + "*b + " + a12 + "*l*" + c + ")";
  const json found = expect_json(run_cartan(
      {"optimise", model, "--free", free, "--minimise", "integral(u^2)", "--duration", "0.7",
       "--tolerance", "1e-11", "--subject", "final(th1) = al", "--subject", "final(th2) = -al",
       "--subject", "final((" + L + "*b + " + a12 + "*a*w1)/" + det + ") = w10", "--subject",
       "final((l*" + c + "*" + L + " - " + a11 + "*a*w1)/" + det + ") = w20", "--json"}));
  EXPECT_TRUE(found["converged"].get<bool>());
  return found["objective"];
}

json walk_on_level_ground(const Scratch& scratch) {
  return steer_gait({gait_task("walk"), "--out", scratch.path("walk"), "--verify"});
}

TEST(Gait, WalkOnLevelGroundCostsWhatShootingFinds) {
  const Scratch scratch;
  const json found = walk_on_level_ground(scratch);
  ASSERT_NO_FATAL_FAILURE(expect_replayed(found));
  const double cost = found["objective"], shot = cost_by_shooting(scratch, 8);
  EXPECT_GT(shot, cost);
  EXPECT_LT(shot, cost + 3e-4);  // 0.018, 0.0049, 0.00016, .. with the degree 4, 6, 8
  // the given speed, and the motion under the exchanged names
  const Table motion = read_table(scratch.path("walk/trajectory.csv"));
  const std::size_t last = motion.rows.size() - 1;
  EXPECT_NEAR(motion["plane.q0"][last] - motion["plane.q0"][0], 0.6 * 0.7, 1e-9);
  EXPECT_NEAR(motion["left.q0"][last], motion["right.q0"][0], 1e-9);
  EXPECT_NEAR(motion["right.q0"][last], motion["left.q0"][0], 1e-9);
  EXPECT_NEAR(motion["plane.q2"][last], motion["plane.q2"][0], 1e-9);
}

TEST(LongGait, ShootingComesCloser) {
  const Scratch scratch;
  const double cost = walk_on_level_ground(scratch)["objective"];
  const double shot = cost_by_shooting(scratch, 12);
  EXPECT_GT(shot, cost);
  EXPECT_LT(shot, cost + 1e-5);
}

// Flight and stance, touch-down with an impact, lift-off where the motor of the leg ceases.
TEST(Gait, HopperRunsAsPlanned) {
  const Scratch scratch;
  const json found = steer_gait({gait_task("hop"), "--out", scratch.path("hop"), "--verify"});
  ASSERT_NO_FATAL_FAILURE(expect_replayed(found));
  ASSERT_EQ(found["phases"].size(), 2u);
  EXPECT_EQ(found["phases"][1]["closed"], json({"foot"}));
  EXPECT_NEAR(found["duration"].get<double>(), 0.5, 1e-9);
  const double landing = found["phases"][1]["begin"];
  EXPECT_GT(landing, 0.2);
  const Table impacts = read_table(scratch.path("hop/impacts.csv"));
  ASSERT_EQ(impacts.rows.size(), 1u);
  EXPECT_NEAR(impacts["t"][0], landing, 1e-9);
  EXPECT_LT(impacts["speed_before"][0], -0.5);
  // in the air the motor of the leg is off
  const Table inputs = read_table(scratch.path("hop/inputs.csv"));
  double largest = 0, later = 0;
  for (std::size_t k = 0; k < inputs.rows.size(); ++k) {
    double& where = inputs["t"][k] < landing ? largest : later;
    where = std::max(where, std::fabs(inputs["push"][k]));
  }
  EXPECT_EQ(largest, 0);
  EXPECT_GT(later, 10);
  // a run's folder: others read it
  EXPECT_EQ(run_cartan({"plot", scratch.path("hop"), "--out", scratch.path("charts")}).status, 0);
}

TEST(Gait, OtherStartsAndPointsFindTheSame) {
  const json other =
      steer_gait({gait_task("walk"), "--method", "radau", "--tolerance", "1e-6", "--starts", "3"});
  EXPECT_NEAR(other["objective"].get<double>(), 296.45066335, 1e-3);
}

TEST(Gait, RefusesWhatMakesNoSense) {
  const Scratch scratch;
  scratch.write("mass.toml", mass_over_floor());
  scratch.write("bouncing.toml", mass_over_floor("restitution = 0.5\n"));
  scratch.write("bare.toml", "[inputs]\nF = 0\n[variables]\nx = { initial = 0, rate = \"F\" }\n");
  std::string two = mass_over_floor();
  two +=
      "[[contact]]\nname = \"again\"\na = { body = \"mass\", point = [1, 0, 0] }\n"
      "b = { body = \"world\", plane = [0, 0, 1] }\n[[contact]]\nname = \"box\"\n"
      "a = { body = \"mass\", box = [1, 1, 1], at = [0, 0, 9] }\n"
      "b = { body = \"world\", plane = [0, 0, 1] }\n";
  scratch.write("two.toml", two);
  const std::string end = "[minimise]\nintegral = \"F^2\"\n";
  const auto refused = [&](const std::string& model, const std::string& text,
                           const std::string& words) {
    const std::string task =
        scratch.write("task.toml", "model = \"" + model + ".toml\"\n" + text + end);
    expect_refusal(run_cartan({"steer", task}), words);
  };
  refused("mass", "duration = 1\n", "give their order as [[phase]] tables");
  refused("mass", "[[phase]]\nclosed = []\n", "has no `duration`");
  refused("mass", "[[phase]]\nduration = 1\n", "does not say which contacts are closed");
  refused("mass", phase("a", "1", "\"flor\""), "did you mean 'floor'");
  refused("mass", phase("a", "-1", ""), "phase 'a': duration: expected positive numbers");
  refused("mass", phase("a", "1", "\"floor\", \"floor\""), "stands there twice");
  refused("mass", phase("a", "1", "\"floor\""), "cannot be closed at the start: its gap is 0.5 m");
  refused("mass", phase("a", "1", "") + "inputs = { G = [0, 1] }\n", "'G' is no input");
  refused("mass", phase("a", "1", "") + "open = true\n", "unknown key 'open' of a phase");
  refused("mass", "duration = 5\n" + phase("a", "1", "") + phase("b", "1", ""),
          "the phases together take 2 to 2 s");
  refused("mass", "swap = \"a=b\"\n" + phase("a", "1", ""), "expected `periodic = true`");
  refused("mass", "periodic = true\nswap = \"a=b\"\n" + phase("a", "1", ""),
          "no joint or variable has such a name");
  refused("mass", phase("a", "1", "") + "[advance]\n\"z.p\" = 1\n", "z.p");
  refused("mass", phase("a", "1", "") + "[advance]\n\"z.q\" = { pace = 1 }\n", "{ speed = .. }");
  refused("bouncing", phase("a", "1", "\"floor\""), "bounces");
  refused("two", phase("a", "1", "\"box\""), "touches at several places");
  refused("two", phase("a", "1", "\"floor\", \"again\"") + "[start]\n\"z.q\" = 0\n",
          "cannot all be closed with forces that are unique");
  refused("bare", phase("a", "1", ""), "[[phase]] is for bodies with contacts");
}

// A contact that counts only in places is not kept open by the program, but it is looked at: here a
// straight way leads through a block that counts at once.
TEST(Gait, SaysWhichContactIsInTheWay) {
  const Scratch scratch;
  scratch.write("mass.toml", mass_over_floor("active = \"t - 0.3\"\n"));
  const std::string task =
      scratch.write("task.toml", "model = \"mass.toml\"\nstarts = 1\n" + phase("air", "1", "") +
                                     "[end]\n\"z.q\" = -0.5\n[minimise]\nintegral = \"F^2\"\n");
  const CommandResult result = run_cartan({"steer", task});
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.err, "contact 'floor' would close at t = ")) << result.err;
}

}  // namespace
}  // namespace cartan::test
