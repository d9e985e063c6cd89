// run: the error it tells of its end, judged by what is known better.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string slider(const std::string& axis, const std::string& value, double q) {
  return "[[body]]\nname = \"b\"\nmass = 1\n[[joint]]\nname = \"s\"\ntype = \"prismatic\"\naxis "
         "= " +
         axis + "\nparent = { body = \"world\" }\nchild = { body = \"b\" }\nposition = " +
         std::to_string(q) +
         "\n[[force]]\nname = \"f\"\ntype = \"joint\"\njoint = \"s\"\nvalue = \"" + value + "\"\n";
}

// The measure of compare: largest distance or angle over the bodies, or difference of a variable.
double distance(const json& a, const json& b) {
  double largest = 0;
  if (a.contains("variables"))
    for (const auto& [name, value] : a["variables"].items())
      largest =
          std::max(largest, std::fabs(value.get<double>() - b["variables"][name].get<double>()));
  if (!a.contains("bodies")) return largest;
  for (const auto& [name, body] : a["bodies"].items()) {
    const json& other = b["bodies"][name];
    double square = 0;
    for (int k = 0; k < 3; ++k)
      square += std::pow(body["position"][k].get<double>() - other["position"][k].get<double>(), 2);
    double q[4], r[4];
    for (int k = 0; k < 4; ++k) q[k] = body["quaternion"][k], r[k] = other["quaternion"][k];
    const double w = q[0] * r[0] + q[1] * r[1] + q[2] * r[2] + q[3] * r[3];
    const double x = q[0] * r[1] - q[1] * r[0] - q[2] * r[3] + q[3] * r[2];
    const double y = q[0] * r[2] + q[1] * r[3] - q[2] * r[0] - q[3] * r[1];
    const double z = q[0] * r[3] - q[1] * r[2] + q[2] * r[1] - q[3] * r[0];
    largest = std::max({largest, std::sqrt(square),
                        2 * std::atan2(std::sqrt(x * x + y * y + z * z), std::fabs(w))});
  }
  return largest;
}

// A much tighter solution of the same motion.
json tighter(const std::string& model, const json& run) {
  const std::string method = run["integrator"];
  std::vector<std::string> words = {"run", model,    "--trust",     "--estimate",
                                    "off", "--json", "--integrator"};
  if (method.starts_with("gl")) {
    words.push_back("gl" + std::to_string(std::min(8, std::stoi(method.substr(2)) + 1)));
    words.insert(words.end(), {"--step", std::to_string(run["step"].get<double>() / 2)});
  } else {
    words.insert(words.end(), {"dop853", "--tolerance", "1e-13"});
  }
  return expect_json(run_cartan(words));
}

void expect_honest_estimate(const std::string& name) {
  const std::string model = std::string(CARTAN_ROOT) + "/examples/" + name + ".toml";
  const json run = expect_json(run_cartan({"run", model, "--trust", "--json"}));
  const std::string how = run["error"]["how"];
  const json& estimate = run["error"]["estimate"];
  EXPECT_LE(run["error"]["evaluations"].get<double>(), 0.6 * run["evaluations"].get<double>())
      << name;
  if (how.starts_with("chaotic")) {
    EXPECT_TRUE(estimate.is_null()) << name;
    EXPECT_TRUE(name == "lorenz" || name == "duffing") << name << ": " << how;
    return;
  }
  const double truth = distance(run["final"], tighter(model, run)["final"]);
  std::printf("%-32s estimate %s, true %.1e\n", name.c_str(), estimate.dump().c_str(), truth);
  if (how.starts_with("at rounding level")) {
    EXPECT_TRUE(estimate.is_null()) << name;
    // rounding that has grown along the motion
    EXPECT_LT(truth, name == "driven_pendulum" ? 1e-8 : 1e-10) << name;
    return;
  }
  ASSERT_TRUE(estimate.is_number()) << name << ": " << how;
  if (truth <= 1e-11) return;
  EXPECT_LE(truth, 10 * estimate.get<double>()) << name << ": " << how;
  EXPECT_GE(truth, 0.1 * estimate.get<double>()) << name << ": " << how;
}

class Estimate : public testing::TestWithParam<const char*> {};
TEST_P(Estimate, IsHonest) {
  expect_honest_estimate(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Examples, Estimate,
                         testing::Values("bearing_friction", "heavy_top", "column_friction",
                                         "revolute_chain_5", "falling_ball", "lorenz", "pendulum",
                                         "tippe_top", "engine", "cam", "measured_spring",
                                         "woodpecker", "newtons_cradle", "shaken_ball",
                                         "falling_ladder"));

TEST(LongEstimate, AllExamples) {
  for (const auto& entry : fs::directory_iterator(std::string(CARTAN_ROOT) + "/examples")) {
    const std::string name = entry.path().stem().string();
    // a minute each, and nothing that others do not show
    if (entry.path().extension() != ".toml" || name == "coiled_drop" || name == "sixtyfour_link")
      continue;
    if (name == "dominoes" || name == "funnel" || name == "solids")
      continue;  // who touches whom first is chance
    expect_honest_estimate(name);
  }
}

// The ball falls from 0.3 m on a spring of 1e5 N/m that only pushes: parabolas and arcs of a sine.
TEST(Estimate, BouncingBall) {
  const double g = 9.81, height = 0.3, omega = std::sqrt(1e5), fall = std::sqrt(2 * height / g);
  const double speed = g * fall;
  const double contact = 2 * (M_PI - std::atan(speed * omega / g)) / omega;
  const double period = 2 * fall + contact;
  const double t = std::fmod(3 - fall - contact, period);  // since it left the spring
  ASSERT_LT(t, 2 * fall);
  const double truth = speed * t - g * t * t / 2;
  const Scratch scratch;
  const std::string model =
      scratch.write("ball.toml", slider("[0, 0, 1]", "1e5*max(-s.q, 0)", height));
  for (const char* method : {"gl3", "rk4", "dop853", "gl1"}) {
    const json run = expect_json(run_cartan(
        {"run", model, "--duration", "3", "--step", "0.001", "--integrator", method, "--json"}));
    const double error = std::fabs(run["final"]["q"]["s"][0].get<double>() - truth);
    EXPECT_LT(error, std::string(method) == "gl1" ? 0.05 : 1e-4) << method;
    if (std::string(method) == "gl3") {
      EXPECT_LT(error, 1e-8);
    }
    if (error < 1e-11) continue;
    EXPECT_LE(error, 10 * run["error"]["estimate"].get<double>()) << method << run["error"];
    EXPECT_GE(error, 0.1 * run["error"]["estimate"].get<double>()) << method << run["error"];
  }
}

// A ball that bounces in air: few steps from one impact to the next, of very different lengths.
std::string ball_in_air() {
  return slider("[0, 0, 1]", "-0.3*s.v*sqrt(1 + s.v^2)", 1) +
         "[[contact]]\nname = \"floor\"\na = { body = \"b\", point = [0, 0, 0] }\n"
         "b = { body = \"world\", plane = [0, 0, 1] }\nrestitution = 0.9\n"
         "[simulate]\nduration = 2.1\n";
}

TEST(Estimate, FewStepsBetweenImpacts) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", ball_in_air());
  const auto run = [&](const char* method, const char* option, const char* value) {
    return expect_json(run_cartan({"run", model, "--integrator", method, option, value, "--json"}));
  };
  const double truth = run("gl8", "--step", "0.005")["final"]["q"]["s"][0];
  for (const char* method : {"dop853", "rk45", "rkmk45", "cvode"})
    for (const char* tolerance : {"1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4"}) {
      const json found = run(method, "--tolerance", tolerance);
      const double error = std::fabs(found["final"]["q"]["s"][0].get<double>() - truth);
      ASSERT_TRUE(found["error"]["estimate"].is_number()) << method << tolerance << found["error"];
      const double estimate = found["error"]["estimate"];
      // of one number, which may be near to a zero of its error
      EXPECT_LE(error, 20 * estimate) << method << " " << tolerance;
      EXPECT_GE(error, 0.05 * estimate) << method << " " << tolerance;
      EXPECT_LE(found["error"]["evaluations"].get<double>(),
                0.6 * found["evaluations"].get<double>())
          << method << " " << tolerance;
    }
}

// The second run goes on until it gets there, too.
TEST(Estimate, RunsThatAnEventEnds) {
  const Scratch scratch;
  const std::string model = scratch.write(
      "fall.toml", slider("[0, 0, 1]", "-0.3*s.v*sqrt(1 + s.v^2)", 1) +
                       "[[event]]\nname = \"half\"\nwhen = \"s.q - 0.5\"\naction = \"stop\"\n"
                       "[simulate]\nduration = 2.1\n");
  for (const char* method : {"dop853", "rk45", "rkmk45", "gl2"})
    for (const char* tolerance : {"1e-9", "1e-7", "1e-5", "1e-4"}) {
      std::vector<std::string> words = {"run", model, "--integrator", method, "--json"};
      const bool fixed = std::string(method) == "gl2";
      words.insert(words.end(), {fixed ? "--step" : "--tolerance", fixed ? "0.05" : tolerance});
      const json run = expect_json(run_cartan(words));
      EXPECT_EQ(run["status"], "stopped by event");
      EXPECT_NE(run["error"]["how"].get<std::string>().substr(0, 4), "none") << run["error"];
    }
}

TEST(Estimate, ImpactsThatDifferAreTold) {
  const Scratch scratch;
  const std::string model = scratch.write("ball.toml", ball_in_air());
  const json run =
      expect_json(run_cartan({"run", model, "--integrator", "gl1", "--step", "0.1", "--json"}));
  EXPECT_EQ(run["impacts"], 4);
  EXPECT_TRUE(run["error"]["estimate"].is_null());
  EXPECT_EQ(run["error"]["how"],
            "none: this run has 4 impacts, a second run with step 0.3 s has 3");
}

// ------------------------------------------------------------------------------ corners of tables

constexpr double corner_t[] = {0, 0.37, 0.81, 1.3, 2}, corner_f[] = {0, 1, -1, 0.5, 0};

// q and v at the end of q'' = f(t), exactly, for the table above: linear or in steps.
std::pair<double, double> integrate_table(bool linear, int periods) {
  double q = 0, v = 0;
  for (int p = 0; p < periods; ++p)
    for (int k = 0; k < 4; ++k) {
      const double h = corner_t[k + 1] - corner_t[k], a = corner_f[k];
      const double slope = linear ? (corner_f[k + 1] - a) / h : 0;
      q += v * h + a * h * h / 2 + slope * h * h * h / 6;
      v += a * h + slope * h * h / 2;
    }
  return {q, v};
}

class TableCorners : public testing::TestWithParam<const char*> {};

// The force is a polynomial of degree at most one between corners, the motion one of degree three:
// methods of order four and more are exact to rounding if they stop at the corners.
TEST_P(TableCorners, OfTimeAreLocated) {
  const std::string method = GetParam();
  const Scratch scratch;
  std::string rows = "t,f\n";
  for (int k = 0; k < 5; ++k)
    rows += std::to_string(corner_t[k]) + "," + std::to_string(corner_f[k]) + "\n";
  scratch.write("force.csv", rows);
  for (const bool linear : {true, false})
    for (const int periods : {1, 2}) {
      const std::string value = std::string("table('force.csv', 'f', t, '") +
                                (linear ? "linear" : "steps") + "', '" +
                                (periods > 1 ? "periodic" : "hold") + "')";
      const std::string model = scratch.write("model.toml", slider("[1, 0, 0]", value, 0));
      const json run =
          expect_json(run_cartan({"run", model, "--duration", std::to_string(2 * periods), "--step",
                                  "0.13", "--integrator", method, "--json"}));
      const auto [q, v] = integrate_table(linear, periods);
      const double tolerance = method == "cvode" ? 3e-4 : 1e-11;
      EXPECT_NEAR(run["final"]["q"]["s"][0].get<double>(), q, tolerance) << value;
      EXPECT_NEAR(run["final"]["v"]["s"][0].get<double>(), v, tolerance) << value;
    }
}
INSTANTIATE_TEST_SUITE_P(Methods, TableCorners,
                         testing::Values("gl2", "gl3", "gl8", "rk4", "dop853", "rkmk4", "cvode"));

// A spring with corners in its characteristic: every table but a spline is stopped at.
TEST(TableCorners, OfTheStateAreLocated) {
  const Scratch scratch;
  scratch.write("spring.csv", "x,f\n-1,-30\n-0.3,-5\n0,0\n0.2,2\n0.5,25\n1,40\n");
  for (const char* kind : {"linear", "pchip"}) {
    const std::string model = scratch.write(
        "model.toml",
        slider("[1, 0, 0]",
               std::string("-table('spring.csv', 'f', s.q, '") + kind + "', 'extrapolate')", 0.8));
    const auto end = [&](const char* method, const char* step) {
      return expect_json(run_cartan({"run", model, "--duration", "2", "--step", step,
                                     "--integrator", method, "--json"}))["final"]["q"]["s"][0]
          .get<double>();
    };
    const double truth = end("gl6", "0.005");
    EXPECT_NEAR(end("dop853", "0.1"), truth, 1e-8) << kind;
    const double coarse = std::fabs(end("gl3", "0.04") - truth),
                 fine = std::fabs(end("gl3", "0.01") - truth);
    EXPECT_LT(fine, std::max(1e-11, coarse / std::pow(4, 5.3))) << kind << " " << coarse;
    EXPECT_LT(coarse, 1e-5) << kind;
  }
}

// A table that ends says so, held or not.
TEST(TableCorners, TheEndOfATableIsNotPassed) {
  const Scratch scratch;
  scratch.write("force.csv", "t,f\n0,0\n0.5,1\n1,0\n");
  const std::string model = scratch.write(
      "model.toml", slider("[1, 0, 0]", "table('force.csv', 'f', t, 'linear', 'error')", 0));
  EXPECT_EQ(run_cartan({"run", model, "--duration", "1"}).status, 0);
  const CommandResult beyond = run_cartan({"run", model, "--duration", "2"});
  EXPECT_EQ(beyond.status, 1);
  EXPECT_NE(beyond.err.find("outside of its range"), std::string::npos) << beyond.err;
}

// A PD law that saturates: before, 1.6e-4 m off with a drift of 5e-15 J.
// Nothing more is learnt from a chaotic motion: the second run ends a tenth of the time later.
TEST(Estimate, ChaoticMotionsAreGivenUp) {
  const json run = expect_json(run_cartan(
      {"run", std::string(CARTAN_ROOT) + "/examples/lorenz.toml", "--duration", "200", "--json"}));
  EXPECT_TRUE(run["error"]["how"].get<std::string>().starts_with("chaotic"));
  EXPECT_LT(run["error"]["evaluations"].get<double>(), 0.2 * run["evaluations"].get<double>());
}

TEST(Estimate, SaturatedLaw) {
  const Scratch scratch;
  const std::string model =
      scratch.write("pd.toml", slider("[1, 0, 0]", "max(-5, min(5, -100*(s.q - 1) - 10*s.v))", 0));
  const auto end = [&](const char* method, const char* step) {
    return expect_json(run_cartan({"run", model, "--duration", "2", "--step", step, "--integrator",
                                   method, "--json"}))["final"]["q"]["s"][0]
        .get<double>();
  };
  const double truth = end("gl6", "0.002");
  EXPECT_NEAR(end("gl3", "0.01"), truth, 1e-9);
  EXPECT_NEAR(end("dop853", "0.01"), truth, 1e-8);
}

TEST(Estimate, OffAndRefused) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"pendulum"});
  const json off =
      expect_json(run_cartan({"run", model, "--duration", "0.1", "--estimate", "off", "--json"}));
  EXPECT_EQ(off["error"]["how"], "off");
  EXPECT_TRUE(off["error"]["estimate"].is_null());
  const CommandResult on = run_cartan({"run", model, "--duration", "1", "--step", "0.1"});
  EXPECT_NE(on.out.find("\n  error        about "), std::string::npos) << on.out;
  expect_refusal(run_cartan({"run", model, "--estimate", "maybe"}),
                 "--estimate: expected on or off");
}

// Where the second run differs beyond recognition although the motion is a plain oscillation.
TEST(Estimate, TooCoarse) {
  const Scratch scratch;
  const std::string model = scratch.write("fast.toml", slider("[1, 0, 0]", "-1e4*s.q", 1));
  const json run = expect_json(run_cartan(
      {"run", model, "--duration", "2", "--step", "0.01", "--integrator", "gl2", "--json"}));
  EXPECT_GT(run["error"]["estimate"].get<double>(), 0.03);
  EXPECT_NE(run["error"]["how"].get<std::string>().find("too coarse"), std::string::npos)
      << run["error"];
}

// Methods that remember earlier steps say what a new start costs.
TEST(Estimate, ContinuingWithMemoryIsTold) {
  const Scratch scratch;
  const std::string model = scratch.write_template({"double-pendulum"}), out = scratch.path("out");
  ASSERT_EQ(run_cartan({"run", model, "--duration", "0.1", "--out", out}).status, 0);
  for (const char* method : {"cvode", "ida", "generalized-alpha", "gl3"}) {
    const CommandResult result =
        run_cartan({"run", model, "--from", out, "--duration", "0.1", "--integrator", method});
    EXPECT_EQ(result.status, 0) << result.err;
    const bool told = result.err.find("begins anew") != std::string::npos;
    EXPECT_EQ(told, std::string(method) != "gl3") << method << ": " << result.err;
  }
}

// Compiled equations are as written; that is told.
TEST(Estimate, GeneratedSwitchesAreTold) {
  const Scratch scratch;
  const std::string model = scratch.write("stop.toml", slider("[1, 0, 0]", "-30*max(s.q, 0)", 0.1));
  const CommandResult result =
      run_cartan({"run", model, "--duration", "0.1", "--formulation", "generated"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("does not locate the switch in '-30*max(s.q, 0)'"), std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace cartan::test
