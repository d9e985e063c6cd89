// FMUs: motions are those of `run`, whoever integrates, in both versions of the standard.
#include <cmath>

#include "cli/fmu_fixture.h"

namespace cartan::test {
namespace {

// Against fourth-order differences of the exact values, by every state, input, parameter and the
// time; the adjoint is the transpose.
void expect_exact_slopes(const Importer& fmu) {
  FmuInstance it(fmu, FmuInstance::Kind::exchange);
  it.initialise();
  it.integrate(0.05, 0.01);
  ASSERT_EQ(it.call("EnterEventMode"), fmu_ok);
  std::vector<std::uint32_t> unknowns = fmu.structure("ContinuousStateDerivative");
  for (const std::uint32_t r : fmu.structure("Output")) unknowns.push_back(r);
  const std::vector<double> x = it.states();
  const auto values = [&] {
    std::vector<double> result;
    EXPECT_EQ(it.get_values(unknowns, result), fmu_ok);
    return result;
  };
  std::vector<std::uint32_t> knowns;
  std::vector<std::string> names;
  std::vector<double> at;
  std::vector<int> kind;  // state, time, other
  for (const XmlElement& element : fmu.elements) {
    if (element.parent != "ModelVariables") continue;
    const bool state = element.has("start") && element["causality"] != "parameter" &&
                       element["causality"] != "input";
    const bool other = element["causality"] == "parameter" || element["causality"] == "input";
    const bool independent = element["causality"] == "independent";
    if (!state && !other && !independent) continue;
    knowns.push_back(static_cast<std::uint32_t>(std::stoul(element["valueReference"])));
    names.push_back(element["name"]);
    at.push_back(it.get(element["name"]));
    kind.push_back(state ? 0 : independent ? 1 : 2);
  }
  const auto put = [&](std::size_t k, double value) {
    if (kind[k] == 2) {
      EXPECT_EQ(it.set(names[k], value), fmu_ok);
      return;
    }
    EXPECT_EQ(it.call("EnterContinuousTimeMode"), fmu_ok);
    if (kind[k] == 1) {
      EXPECT_EQ(it.call("SetTime", value), fmu_ok);
    } else {
      std::vector<double> moved = x;
      moved[knowns[k] - 1] = value;
      EXPECT_EQ(
          it.call("SetContinuousStates", static_cast<const double*>(moved.data()), moved.size()),
          fmu_ok);
    }
    EXPECT_EQ(it.call("EnterEventMode"), fmu_ok);
  };
  double largest = 0;
  std::vector<std::vector<double>> matrix;
  for (std::size_t k = 0; k < knowns.size(); ++k) {
    const double h = 1e-3 * std::max(0.1, std::fabs(at[k]));
    std::vector<double> difference(unknowns.size(), 0.0);
    for (const auto& [shift, weight] :
         {std::pair{-2.0, 1.0}, std::pair{-1.0, -8.0}, std::pair{1.0, 8.0}, std::pair{2.0, -1.0}}) {
      put(k, at[k] + shift * h);
      const std::vector<double> value = values();
      for (std::size_t i = 0; i < value.size(); ++i) difference[i] += weight * value[i] / (12 * h);
    }
    put(k, at[k]);
    const std::vector<double> slope = it.slope(unknowns, knowns[k]);
    double scale = 1;
    for (const double value : slope) scale = std::max(scale, std::fabs(value));
    for (std::size_t i = 0; i < slope.size(); ++i)
      EXPECT_NEAR(slope[i], difference[i], 2e-7 * scale)
          << "variable " << unknowns[i] << " by variable " << knowns[k];
    for (const double value : slope) largest = std::max(largest, std::fabs(value));
    matrix.push_back(slope);
  }
  EXPECT_GT(largest, 0.1);
  if (fmu.version == 2) return;  // there is no adjoint
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const double seed = 1;
    std::vector<double> row(knowns.size());
    ASSERT_EQ(
        it.call("GetAdjointDerivative", static_cast<const std::uint32_t*>(&unknowns[i]),
                std::size_t{1}, static_cast<const std::uint32_t*>(knowns.data()), knowns.size(),
                static_cast<const double*>(&seed), std::size_t{1}, row.data(), row.size()),
        fmu_ok);
    for (std::size_t k = 0; k < knowns.size(); ++k) EXPECT_EQ(row[k], matrix[k][i]);
  }
}

struct MotionCase {
  friend void PrintTo(const MotionCase& c, std::ostream* out) { *out << c.example; }
  const char* example;
  double duration, step;  // of an explicit integration of order 8
  bool event_mode = false, slopes = false;
  const char* language = "fmi3";
};

class FmuMotion : public Fmu, public testing::WithParamInterface<MotionCase> {};

std::string case_name(const testing::TestParamInfo<MotionCase>& info) {
  return info.param.example;
}

// Both kinds end where `run` ends, within 1e-9; with an event mode, without it too.
TEST_P(FmuMotion, IsThatOfRun) {
  const MotionCase& c = GetParam();
  const std::string model = fmu_example(c.example), duration = std::to_string(c.duration);
  const std::string folder = scratch_.path("run");
  const CommandResult run = run_cartan({"run", model, "--integrator", "dop853", "--tolerance",
                                        "1e-13", "--duration", duration, "--out", folder});
  ASSERT_EQ(run.status, 0) << run.err;
  const LastRow row = last_row(folder + "/trajectory.csv");
  const auto fmu = make(model, {}, c.language);
  ASSERT_TRUE(fmu);
  using Kind = FmuInstance::Kind;
  for (const Kind kind : {Kind::exchange, Kind::co_simulation}) {
    SCOPED_TRACE(kind == Kind::exchange ? "model exchange" : "co-simulation");
    FmuInstance it(*fmu, kind, {c.event_mode, c.event_mode, 1e-13});
    it.initialise();
    if (kind == Kind::exchange)
      it.integrate(c.duration, c.step);
    else
      it.simulate(c.duration, c.duration / 7);
    if (HasFailure()) return;
    EXPECT_NEAR(it.time, row["t"], 1e-9);
    int compared = 0;
    double moved = 0;
    for (const XmlElement& element : fmu->elements) {
      if (element.parent != "ModelVariables" || !element.has("start")) continue;
      if (element["causality"] == "parameter" || element["causality"] == "input") continue;
      const double value = it.get(element["name"]), expected = row[element["name"]];
      EXPECT_NEAR(value, expected, 1e-9 * std::max(1.0, std::fabs(expected))) << element["name"];
      moved = std::max(moved, std::fabs(value - std::stod(element["start"])));
      ++compared;
    }
    EXPECT_EQ(compared, it.count());
    EXPECT_GT(moved, 1e-3);
    if (!c.event_mode || kind == Kind::exchange || fmu->version == 2) continue;
    FmuInstance inside(*fmu, kind, {false, false, 1e-13});  // jumps are made inside of the step
    inside.initialise();
    inside.simulate(c.duration, 0.37);
    for (std::size_t k = 0; k < it.states().size(); ++k)
      EXPECT_NEAR(inside.states()[k], it.states()[k], 1e-10);
  }
  if (c.slopes) expect_exact_slopes(*fmu);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, FmuMotion,
    testing::Values(MotionCase{"pendulum", 3, 0.01}, MotionCase{"double_pendulum", 1, 0.01},
                    MotionCase{"heavy_top", 0.5, 0.002},
                    MotionCase{"four_bar", 1, 0.0025, false, true},
                    MotionCase{"slider_crank", 0.2, 0.0004}, MotionCase{"rolling_coin", 1, 0.02},
                    MotionCase{"driven_pendulum", 1, 0.002},
                    MotionCase{"pid_arm", 1, 0.005, false, true},
                    MotionCase{"dc_motor_winch", 0.5, 0.001}, MotionCase{"lorenz", 1, 0.005},
                    MotionCase{"implicit_pair", 1, 0.005, false, true},
                    MotionCase{"simplest_walker", 9, 0.02, true}),
    case_name);
INSTANTIATE_TEST_SUITE_P(Fmi2, FmuMotion,
                         testing::Values(MotionCase{"heavy_top", 0.5, 0.002, false, false, "fmi2"},
                                         MotionCase{"four_bar", 1, 0.0025, false, false, "fmi2"},
                                         MotionCase{"pid_arm", 1, 0.005, false, true, "fmi2"},
                                         MotionCase{"simplest_walker", 9, 0.02, true, false,
                                                    "fmi2"}),
                         case_name);

// Both kinds against the bounces in closed form, from two heights.
void expect_bounces(const Importer& fmu) {
  for (const double start : {1.0, 2.0}) {  // the start follows the parameter
    const auto expected = [&](double t, double& h, double& v) {
      double begin = 0, speed = 0, height = start;
      for (;;) {
        const double hit = begin + (speed + std::sqrt(speed * speed + 2 * 9.81 * height)) / 9.81;
        if (hit > t) break;
        speed = -0.7 * (speed - 9.81 * (hit - begin));
        height = h = v = 0;
        begin = hit;
        if (speed < 0.1) return;  // lies
      }
      h = height + speed * (t - begin) - 0.5 * 9.81 * (t - begin) * (t - begin);
      v = speed - 9.81 * (t - begin);
    };
    using Kind = FmuInstance::Kind;
    for (const Kind kind : {Kind::exchange, Kind::co_simulation}) {
      FmuInstance it(fmu, kind);
      if (start != 1) EXPECT_EQ(it.set("h0", start), fmu_ok);
      it.initialise();
      for (const double t : {0.3, 1.0, 1.8, 2.2, 2.45, 2.49, 3.0}) {
        if (kind == Kind::exchange && it.time > 0) it.call("EnterEventMode");
        kind == Kind::exchange ? it.integrate(t, 0.01) : it.simulate(t, 0.1);
        double h = 0, v = 0;
        expected(t, h, v);
        EXPECT_NEAR(it.get("h"), h, 1e-10);
        EXPECT_NEAR(it.get("v"), v, 1e-10);
      }
    }
  }
}

// The ball of the standard's reference FMU: h' = v, v' = g, v -> -0.7 v at the ground; below 0.1
// m/s (the eleventh bounce from 1 m, at 2.499 s) it lies. Bounces are known in closed form.
TEST_F(Fmu, BouncingBallInClosedForm) {
  const std::string model = scratch_.write("ball.toml", R"toml(
name = "ball"
[parameters]
e = 0.7
h0 = 1
slow = 0.1
[variables]
h = { initial = "h0", rate = "v" }
v = { initial = 0, rate = "g" }
g = { initial = -9.81, rate = "0" }
[[event]]
name = "bounce"
when = "h"
direction = -1
set = { h = "0", v = "if(-e*v - slow, -e*v, 0)", g = "if(-e*v - slow, g, 0)" }
[simulate]
duration = 3
)toml");
  for (const char* language : {"fmi3", "fmi2"}) {
    const auto fmu = make(model, {}, language);
    ASSERT_TRUE(fmu);
    expect_bounces(*fmu);
  }
}

// An event that stops ends both kinds at its instant.
TEST_F(Fmu, StopsWhereTheModelStops) {
  const std::string folder = scratch_.path("run");
  ASSERT_EQ(run_cartan({"run", fmu_example("falling_ball"), "--integrator", "dop853", "--tolerance",
                        "1e-13", "--out", folder})
                .status,
            0);
  const double t = last_row(folder + "/trajectory.csv")["t"];
  for (const char* language : {"fmi3", "fmi2"}) {
    const auto fmu = make(fmu_example("falling_ball"), {}, language);
    ASSERT_TRUE(fmu);
    FmuInstance exchange(*fmu, FmuInstance::Kind::exchange);
    exchange.initialise();
    exchange.integrate(100, 0.05);
    EXPECT_TRUE(exchange.ended);
    EXPECT_NEAR(exchange.time, t, 1e-10);
    FmuInstance simulation(*fmu, FmuInstance::Kind::co_simulation);
    simulation.initialise();
    simulation.simulate(100, 0.1);
    EXPECT_TRUE(simulation.ended);
    EXPECT_NEAR(simulation.time, t, 1e-10);
    bool event = false, terminate = false, early = false;
    double last = 0;
    EXPECT_EQ(fmu->version == 2 ? simulation.call("DoStep", simulation.time, 0.1, 1)
                                : simulation.call("DoStep", simulation.time, 0.1, true, &event,
                                                  &terminate, &early, &last),
              fmu_error);
  }
}

// A law with a corner: its place is an event indicator, and both kinds get across it.
TEST_F(Fmu, SwitchesAreIndicators) {
  const std::string model = scratch_.write("corner.toml", R"toml(
name = "corner"
[variables]
x = { initial = 1, rate = "v" }
v = { initial = 0, rate = "if(x, -1, 4) - 0.1*abs(v)" }
[simulate]
duration = 4
)toml");
  const std::string folder = scratch_.path("run");
  ASSERT_EQ(
      run_cartan({"run", model, "--integrator", "dop853", "--tolerance", "1e-13", "--out", folder})
          .status,
      0);
  const LastRow row = last_row(folder + "/trajectory.csv");
  const auto fmu = make(model);
  ASSERT_TRUE(fmu);
  EXPECT_EQ(fmu->structure("EventIndicator").size(), 2u);
  using Kind = FmuInstance::Kind;
  for (const Kind kind : {Kind::exchange, Kind::co_simulation}) {
    FmuInstance it(*fmu, kind);
    it.initialise();
    kind == Kind::exchange ? it.integrate(4, 0.01) : it.simulate(4, 0.5);
    EXPECT_NEAR(it.get("x"), row["x"], 1e-9);
    EXPECT_NEAR(it.get("v"), row["v"], 1e-9);
  }
}

}  // namespace
}  // namespace cartan::test
