// cartan optimise as a user types it, against closed forms.
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/control_models.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// An absorber on a main mass that got an impulse: the least energy of its motion (the known optimum
// for white noise).
TEST(Optimise, Absorber) {
  const Scratch scratch;
  const double mu = 0.1, w = 10;
  const std::string model = scratch.write(
      "absorber.toml",
      "[parameters]\nk2 = 80\nc2 = 2.5\n" + slide("main", "10", "velocity = 0.1\n") +
          slide("tuned", "1", "velocity = -0.1\n", "main_body") +
          joint_force("main", "-1000*main.q") + joint_force("tuned", "-k2*tuned.q - c2*tuned.v"));
  const json result = expect_json(run_cartan({"optimise", model, "--free", "k2,c2", "--minimise",
                                              "integral(main.q^2)", "--duration", "30", "--json"}));
  EXPECT_TRUE(result["converged"]);
  const double ratio = std::sqrt(1 + mu / 2) / (1 + mu);
  const double zeta = std::sqrt(mu * (4 + 3 * mu) / (8 * (1 + mu) * (2 + mu)));
  EXPECT_NEAR(result["parameters"]["k2"].get<double>(), std::pow(ratio * w, 2), 1e-7);
  EXPECT_NEAR(result["parameters"]["c2"].get<double>(), 2 * zeta * ratio * w, 1e-8);
  EXPECT_NEAR(result["objective"].get<double>(), 3.1261361571e-05, 1e-14);
}

std::string pivoted_rod(const std::string& more = "") {
  return "[parameters]\na = 0.4\n[[body]]\nname = \"rod\"\nmass = 1\ncom = [0, 0, \"-a\"]\n"
         "inertia = [\"1/12\", \"1/12\", 0]\n[[joint]]\nname = \"pivot\"\ntype = \"revolute\"\n"
         "axis = [0, 1, 0]\nparent = { body = \"world\" }\nchild = { body = \"rod\" }\n"
         "[[event]]\nname = \"low\"\nwhen = \"pivot.q\"\n" +
         more;
}

TEST(Optimise, ShortestPeriodOfARod) {
  const Scratch scratch;
  const std::string model = scratch.write("rod.toml", pivoted_rod());
  const json result =
      expect_json(run_cartan({"optimise", model, "--free", "a", "--minimise", "period", "--json"}));
  EXPECT_NEAR(result["parameters"]["a"].get<double>(), 1 / std::sqrt(12.0), 1e-9);
  EXPECT_NEAR(result["objective"].get<double>(), 1.524281051800589, 1e-12);
  const json several =
      expect_json(run_cartan({"optimise", model, "--free", "a", "--minimise", "period", "--bounds",
                              "a=[0.05, 1]", "--starts", "3", "--json"}));
  EXPECT_EQ(several["starts"].size(), 3u);
  for (const json& start : several["starts"])
    EXPECT_NEAR(start["parameters"]["a"].get<double>(), 1 / std::sqrt(12.0), 1e-7);
}

// Initial values are free too; a swing that just reaches the angle 1/2: energy tells the speed.
TEST(Optimise, InitialSpeedForAnAmplitude) {
  const Scratch scratch;
  const std::string model = scratch.write("rod.toml", pivoted_rod());
  const json result =
      expect_json(run_cartan({"optimise", model, "--free", "pivot.v=1", "--minimise",
                              "(maximum(pivot.q) - 0.5)^2", "--duration", "1", "--json"}));
  const double a = 0.4, inertia = 1.0 / 12 + a * a;
  EXPECT_NEAR(result["parameters"]["pivot.v"].get<double>(),
              std::sqrt(2 * 9.81 * a * (1 - std::cos(0.5)) / inertia), 1e-6);
}

// Farthest throw: two slides under constant acceleration, the event is the ground. With a bound on
// the effort the best angle is 45 degrees; multipliers tell what more effort is worth.
TEST(Optimise, FarthestThrowUnderAConstraint) {
  const Scratch scratch;
  const std::string model = scratch.write("throw.toml", R"([variables]
x = { initial = 0, rate = "u" }
y = { initial = 0, rate = "w" }
u = { initial = 1, rate = "0" }
w = { initial = 2, rate = "-9.81" }
[[event]]
name = "ground"
when = "y"
direction = -1
)");
  const json result =
      expect_json(run_cartan({"optimise", model, "--free", "u,w", "--maximise", "event(ground, x)",
                              "--subject", "at(0, u^2 + w^2) <= 9", "--duration", "5", "--json"}));
  EXPECT_NEAR(result["objective"].get<double>(), 9 / 9.81, 1e-9);
  EXPECT_NEAR(result["parameters"]["u"].get<double>(), 3 / std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(result["parameters"]["w"].get<double>(), 3 / std::sqrt(2.0), 1e-6);
  ASSERT_EQ(result["constraints"].size(), 1u);
  EXPECT_TRUE(result["constraints"][0]["active"]);
  EXPECT_NEAR(result["constraints"][0]["multiplier"].get<double>(), 1 / 9.81, 1e-5);
  const json equal =
      expect_json(run_cartan({"optimise", model, "--free", "u,w", "--minimise", "at(0, u^2 + w^2)",
                              "--subject", "event(ground, x) = 1", "--duration", "5", "--json"}));
  EXPECT_NEAR(equal["objective"].get<double>(), 9.81, 1e-7);
}

// A fit repeated as an optimisation gives the same parameter.
TEST(Optimise, RepeatsAFit) {
  const Scratch scratch;
  const double t[] = {0.2, 0.5, 0.9}, q[] = {0.25, 0.05, -0.2};
  std::string data = "t,pivot.q\n", sum;
  for (int k = 0; k < 3; ++k) {
    data += fmt::format("{},{}\n", t[k], q[k]);
    sum += fmt::format("{}(at({}, pivot.q) - ({}))^2", k > 0 ? " + " : "", t[k], q[k]);
  }
  const std::string file = scratch.write("data.csv", data);
  const std::string started = scratch.write(
      "started.toml",
      pivoted_rod("").replace(pivoted_rod("").find("child = { body"), 0, "position = 0.3\n"));
  const CommandResult fit = run_cartan({"fit", started, "--data", file, "--free", "a", "--json"});
  const json best = expect_json(run_cartan(
      {"optimise", started, "--free", "a", "--minimise", sum, "--duration", "0.9", "--json"}));
  const json fitted = json::parse(fit.out);
  EXPECT_NEAR(best["parameters"]["a"].get<double>(), fitted["parameters"]["a"].get<double>(), 1e-6);
  EXPECT_GT(best["objective"].get<double>(), 1e-6);  // the data do not fit exactly
}

// The damping that makes the slowest of two real eigenvalues fastest: the critical one.
TEST(Optimise, LargestRealPart) {
  const Scratch scratch;
  const std::string model = scratch.write("damped.toml", "[parameters]\nc = 1\n" + slide("x", "2") +
                                                             joint_force("x", "-8*x.q - c*x.v"));
  const json result =
      expect_json(run_cartan({"optimise", model, "--free", "c", "--minimise", "largest_real_part",
                              "--subject", "c <= 6", "--json"}));
  EXPECT_NEAR(result["parameters"]["c"].get<double>(), 6, 1e-8);
  EXPECT_NEAR(result["objective"].get<double>(), -1.5, 1e-9);
}

// Two ends of a range as unknowns of the expressions: v where one of two growth rates vanishes.
//   x' = (v - 2 - a^2) x,  y' = (1 - v + a) y: stable between 1 + a and 2 + a^2, narrowest at a =
//   1/2
TEST(Optimise, RangeOfAParameter) {
  const Scratch scratch;
  const std::string model = scratch.write("range.toml", R"([parameters]
v = 1.9
a = 0.2
[variables]
x = { initial = 0, rate = "(v - 2 - a^2)*x" }
y = { initial = 0, rate = "(1 - v + a)*y" }
)");
  const std::vector<std::string> words = {
      "optimise",   model,
      "--free",     "a,low=1.5,high=1.8",
      "--minimise", "(2 + a^2) - (1 + a) + (high - 2 - a^2)^2 + (low - 1 - a)^2",
      "--subject",  "largest_real_part(v = high) <= 0",
      "--subject",  "largest_real_part(v = low) <= 0",
      "--json"};
  const json result = expect_json(run_cartan(words));
  EXPECT_NEAR(result["parameters"]["a"].get<double>(), 0.5, 1e-6);
  EXPECT_NEAR(result["parameters"]["low"].get<double>(), 1.5, 1e-5);
  EXPECT_NEAR(result["parameters"]["high"].get<double>(), 2.25, 1e-5);
  // a name that nothing mentions is a slip
  std::vector<std::string> slip = words;
  slip[3] = "a,low=1.5,hihg=1.8";
  expect_refusal(run_cartan(slip), "hihg");
  expect_refusal(
      run_cartan({"optimise", model, "--free", "a", "--minimise", "largest_real_part(w = 2)"}),
      "NAME = EXPR");
}

// The widest range of speeds in which the bicycle rides by itself, by trail and tilt of the
// steering axis: no other trail and tilt of a scan has a wider one, and it is stable all over.
TEST(Optimise, WidestRangeOfTheBicycle) {
  const std::string bicycle = std::string(CARTAN_ROOT) + "/examples/benchmark_bicycle.toml";
  const json best = expect_json(run_cartan({"optimise",   bicycle,
                                            "--set",      "push=0",
                                            "--free",     "c,tilt,low=4.4,high=5.9",
                                            "--maximise", "high - low",
                                            "--subject",  "largest_real_part(v = low) <= 0",
                                            "--subject",  "largest_real_part(v = high) <= 0",
                                            "--bounds",   "c=[0.04, 0.12]",
                                            "--bounds",   "tilt=[0.2, 0.45]",
                                            "--bounds",   "low=[2, 8]",
                                            "--bounds",   "high=[3, 12]",
                                            "--json"}));
  ASSERT_TRUE(best["converged"]);
  const double c = best["parameters"]["c"], tilt = best["parameters"]["tilt"],
               low = best["parameters"]["low"], high = best["parameters"]["high"];
  EXPECT_GT(high - low, 6.0243 - 4.2924);
  const auto largest = [&](double trail, double angle, double v) {
    const json at = expect_json(run_cartan(
        {"linearize", bicycle, "--set", "push=0", "--set", fmt::format("c={:.17g}", trail), "--set",
         fmt::format("tilt={:.17g}", angle), "--set", fmt::format("v={:.17g}", v), "--json"}));
    double most = -1e300;
    for (const json& value : at["eigenvalues"]) {
      const double re = value[0], im = value[1];
      if (re != 0 || im != 0) most = std::max(most, re);
    }
    return most;
  };
  for (int k = 1; k < 6; ++k) EXPECT_LT(largest(c, tilt, low + k * (high - low) / 6), 0) << k;
  EXPECT_GT(largest(c, tilt, low - 1e-3), 0);
  EXPECT_GT(largest(c, tilt, high + 1e-3), 0);
  // a scan over trail and tilt, speeds 0.03 apart
  double widest = 0, narrowest = 10;
  for (const double trail : {0.04, 0.09, 0.12})
    for (const double angle : {0.2, 0.25, 0.287, 0.32, 0.38, 0.45}) {
      const json sweep = expect_json(run_cartan(
          {"linearize", bicycle, "--set", "push=0", "--set", fmt::format("c={}", trail), "--set",
           fmt::format("tilt={}", angle), "--sweep", "v=lin(3,9,201)", "--json"}));
      int stable = 0;
      for (const json& at : sweep["sweep"]) {
        double most = -1e300;
        for (const json& value : at["eigenvalues"])
          if (value[0] != 0 || value[1] != 0) most = std::max(most, value[0].get<double>());
        stable += most < 0;
      }
      widest = std::max(widest, 0.03 * (stable - 1));
      narrowest = std::min(narrowest, 0.03 * (stable - 1));
    }
  EXPECT_LT(widest, high - low);
  EXPECT_GT(widest, high - low - 0.1);
  EXPECT_LT(narrowest, high - low - 1);
}

// The method of others finds the same, and so do starts in processes and in one.
TEST(Optimise, SolversAndProcesses) {
  const Scratch scratch;
  const std::string model = scratch.write("rod.toml", pivoted_rod());
  const std::vector<std::string> words = {"optimise", model,         "--free",
                                          "a",        "--minimise",  "period",
                                          "--bounds", "a=[0.05, 1]", "--json"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = words;
    all.insert(all.end(), more.begin(), more.end());
    return run_cartan(all);
  };
  const json own = expect_json(with({"--solver", "own"}));
  EXPECT_EQ(own["solver"], "own");
  EXPECT_EQ(own["second_order"], "minimum");
  EXPECT_EQ(own["saddles"], 0);
  const CommandResult other = with({"--solver", "ipopt"});
  if (other.err.find("not installed") == std::string::npos) {
    const json found = expect_json(other);
    EXPECT_EQ(found["solver"], "ipopt");
    EXPECT_NEAR(found["parameters"]["a"].get<double>(), 1 / std::sqrt(12.0), 1e-7);
  }
  const json alone = expect_json(with({"--starts", "5", "--jobs", "1"})),
             shared = expect_json(with({"--starts", "5", "--jobs", "3"}));
  EXPECT_EQ(alone, shared);
  expect_refusal(with({"--solver", "best"}), "own or ipopt");
  expect_refusal(with({"--jobs", "0"}), "--jobs");
}

TEST(Optimise, BadWords) {
  const Scratch scratch;
  const std::string model = scratch.write("rod.toml", pivoted_rod());
  expect_refusal(run_cartan({"optimise", model, "--minimise", "final(pivot.q)"}), "--free");
  expect_refusal(run_cartan({"optimise", model, "--free", "a"}), "--minimise");
  expect_refusal(run_cartan({"optimise", model, "--free", "b", "--minimise", "final(pivot.q)"}),
                 "neither a parameter");
  expect_refusal(run_cartan({"optimise", model, "--free", "a", "--minimise", "pivot.q"}), "final(");
  expect_refusal(run_cartan({"optimise", model, "--free", "a", "--minimise", "final(pivt.q)"}),
                 "pivt.q");
  expect_refusal(run_cartan({"optimise", model, "--free", "a", "--minimise", "event(high, t)"}),
                 "no event 'high'");
  expect_refusal(
      run_cartan({"optimise", model, "--free", "a", "--minimise", "period", "--subject", "a"}),
      "EXPR <= EXPR");
  expect_refusal(
      run_cartan({"optimise", model, "--free", "a", "--minimise", "period", "--starts", "4"}),
      "--bounds");
  // a failure of the computation, not of the words
  EXPECT_EQ(run_cartan({"optimise", model, "--free", "a", "--minimise", "event(low, t, 3)",
                        "--duration", "0.1"})
                .status,
            1);
}

}  // namespace
}  // namespace cartan::test
