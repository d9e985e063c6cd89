// Torsion springs of ball joints measure angles within half a turn: where one passes it the torque
// jumps. The place is found as an event, so that methods keep their order across it.
#include <cmath>

#include <gtest/gtest.h>

#include "support/example.h"

namespace cartan::test {
namespace {

std::string spun(const char* measure, const char* velocity, const char* rest = "") {
  return std::string(R"(
gravity = [0, 0, 0]
[[body]]
name = "ball"
mass = 1
inertia = [0.2, 0.3, 0.4]
[[joint]]
name = "j"
type = "spherical"
parent = { body = "world" }
child = { body = "ball" }
velocity = )") +
         velocity + R"(
[[force]]
type = "torsion"
name = "springs"
joint = "j"
stiffness = [0.3, 0.2, 0.4]
measure = ")" +
         measure + "\"\n" + rest;
}

struct End {
  std::vector<double> numbers;  // quaternion up to its sign, speeds
  long internal = 0;
  double energy = 0;
  std::string message;
};

End run_wrap(const Example& e, const char* integrator, double duration, double step,
             double tolerance = 0) {
  const SimulateReport report = simulate(
      *e.system, e.system->initial_state(),
      {.integrator = integrator, .duration = duration, .step = step, .tolerance = tolerance},
      Observer{});
  End end;
  end.message = report.ok() ? "" : report.message;
  const Observation now = observe(e.mechanism(), report.final_state);
  const double sign = now.q[0][0] < 0 ? -1 : 1;
  for (double u : now.q[0]) end.numbers.push_back(sign * u);
  end.numbers.insert(end.numbers.end(), now.v[0].begin(), now.v[0].end());
  end.internal = report.internal_events;
  end.energy = now.kinetic + now.potential;
  return end;
}

const char* const measures[] = {"euler321", "euler321-literal", "rotation-vector"};

// About one axis the motion is known: arcs of a harmonic motion from -pi to pi, one like the other.
TEST(TorsionWrap, SpinAboutOneAxisIsExact) {
  const double w0 = 5, rate = std::sqrt(0.4 / 0.4), pi = std::acos(-1.0);
  const double arc = 2 * std::asin(pi * rate / w0) / rate, duration = 3.3 * arc;
  double local = duration - std::round(duration / arc) * arc;
  const double angle = w0 / rate * std::sin(rate * local), speed = w0 * std::cos(rate * local);
  for (const char* measure : measures) {
    for (const char* formulation : {"recursive", "moving-frame", "canonical", "absolute-se3",
                                    "absolute-so3r3", "rotation-elements"}) {
      const Example e = load_text(spun(measure, "[0, 0, 5]"), formulation);
      ASSERT_TRUE(e) << e.problem;
      for (const char* method : {"gl3", "rk4", "dop853", "rkmk4", "cvode"}) {
        SCOPED_TRACE(std::string(measure) + " " + formulation + " " + method);
        if (!refuse_integrator(method, *e.system).empty()) continue;
        const End end = run_wrap(e, method, duration, 0.01);
        ASSERT_EQ(end.message, "");
        EXPECT_EQ(end.internal, 3);
        const double tolerance = std::string(method) == "cvode" ? 1e-4 : 1e-6;
        EXPECT_NEAR(end.numbers[0], std::fabs(std::cos(angle / 2)), tolerance);
        EXPECT_NEAR(end.numbers[6], speed, 10 * tolerance);
      }
    }
  }
}

// In space: the error falls with the order of the method, across several wraps.
TEST(TorsionWrap, MethodsKeepTheirOrder) {
  const struct {
    const char* method;
    int order;
    double step;
  } methods[] = {
      {"gl3", 6, 0.1}, {"gl2", 4, 0.04}, {"rk4", 4, 0.02}, {"generalized-alpha", 2, 0.004}};
  for (const char* measure : measures) {
    const Example e = load_text(spun(measure, "[2, 0.7, 6]"), "recursive");
    const End truth = run_wrap(e, "gl4", 3, 0.002);
    ASSERT_EQ(truth.message, "");
    EXPECT_GE(truth.internal, 3) << measure;
    if (std::string(measure) != "euler321-literal") {
      const Observation start = observe(e.mechanism(), e.system->initial_state());
      EXPECT_NEAR(truth.energy, start.kinetic + start.potential, 1e-10);
    }
    for (const auto& m : methods) {
      SCOPED_TRACE(std::string(measure) + " " + m.method);
      const End coarse = run_wrap(e, m.method, 3, m.step),
                fine = run_wrap(e, m.method, 3, m.step / 2);
      ASSERT_EQ(coarse.message + fine.message, "");
      EXPECT_EQ(coarse.internal, truth.internal);
      const double first = largest_difference(coarse.numbers, truth.numbers);
      const double second = largest_difference(fine.numbers, truth.numbers);
      EXPECT_LT(first, 2e-2);
      if (second > 1e-11)
        EXPECT_GT(std::log2(first / second), m.order - 0.7) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace cartan::test
