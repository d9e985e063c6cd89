// generalized-alpha on every example with loops or constraints, and on spinning ones, in every
// formulation it takes: second order in positions and velocities, and whole runs that stay on the
// constraints. The truth is dop853 in joint coordinates.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include <gtest/gtest.h>

#include "model/formulas.h"
#include "support/example.h"

namespace cartan::test {
namespace {

const char* const formulations[] = {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3"};

// With loops, constraints, or wheels that spin.
std::vector<std::string> closed_examples() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CARTAN_ROOT "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().stem().string();
    const Example e = load_example(name);
    if (!e || !e.model->is_mechanism()) continue;
    if (!refuse_integrator("generalized-alpha", *e.system).empty()) continue;
    const bool closed = !e.model->loop_joints.empty() || !e.model->constraints.empty();
    if (closed || name == "gyroscope" || name == "heavy_top") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

struct Ending {
  SimulateReport report;
  Observation now;
};

Ending run(const Example& e, const char* integrator, double duration, double step,
           double tolerance = 0) {
  Ending end;
  end.report = simulate(
      *e.system, e.system->initial_state(),
      {.integrator = integrator, .duration = duration, .step = step, .tolerance = tolerance},
      Observer{});
  if (end.report.ok()) end.now = observe(e.mechanism(), end.report.final_state);
  return end;
}

// Coordinates and speeds of all joints, each relative to the largest of its kind.
double difference(const Observation& a, const Observation& b) {
  double worst = 0, position = 1, speed = 1;
  for (const auto& q : b.q)
    for (double x : q) position = std::max(position, std::fabs(x));
  for (const auto& v : b.v)
    for (double x : v) speed = std::max(speed, std::fabs(x));
  for (std::size_t j = 0; j < b.q.size(); ++j) {
    worst = std::max(worst, largest_difference(a.q[j], b.q[j]) / position);
    worst = std::max(worst, largest_difference(a.v[j], b.v[j]) / speed);
  }
  return worst;
}

// What [simulate] says, the length of a step that resolves the motion among it.
double number(const Example& e, const Formula& formula) {
  const std::vector<double> parameters = parameter_values(*e.model);
  return evaluate<double>(formula, std::span<const double>(parameters))[0];
}

TEST(AlphaClosed, SecondOrderEverywhere) {
  int compared = 0;
  for (const std::string& name : closed_examples()) {
    const Example exact = load_example(name, "recursive");
    const double h = number(exact, exact.model->simulate.step), duration = 40 * h;
    const Ending truth = run(exact, "dop853", duration, duration, 1e-12);
    ASSERT_TRUE(truth.report.ok()) << name << truth.report.message;
    for (const char* formulation : formulations) {
      SCOPED_TRACE(name + " " + formulation);
      if (!find_formulation(formulation)->refusal(*exact.model).empty()) continue;
      const Example e = load_example(name, formulation);
      ASSERT_TRUE(e);
      double error[3];
      for (int k = 0; k < 3; ++k) {
        const Ending end = run(e, "generalized-alpha", duration, h / (1 << k));
        ASSERT_TRUE(end.report.ok()) << end.report.message;
        error[k] = difference(end.now, truth.now);
      }
      std::printf("%-24s %-16s %9.2e %9.2e %9.2e\n", name.c_str(), formulation, error[0], error[1],
                  error[2]);
      ++compared;
      EXPECT_LT(error[0], 0.05);
      if (error[2] < 1e-8) continue;  // rounding, eps / h^2, is near
      EXPECT_GT(std::log2(error[1] / error[2]), 1.75);
    }
  }
  EXPECT_GT(compared, 60);
}

// Wheels in body axes turn by h w per step, here 0.15 to 2 rad, against what holds them: that must
// not set velocities swinging along the constraints.
TEST(AlphaClosed, CoarseStepsOnSpinningBodies) {
  const struct {
    const char* example;
    double duration, step;
  } cases[] = {{"gyroscope", 5, 0.01},        {"gyroscope", 5, 0.002},
               {"gyroscope", 5, 0.001},       {"slider_crank", 4, 2e-3},
               {"heavy_top", 5, 0.01},        {"benchmark_bicycle", 5, 0.01},
               {"benchmark_bicycle", 5, 0.02}};
  for (const auto& c : cases) {
    double expected = 0;  // energy that the method loses in joint coordinates
    for (const char* formulation : {"recursive", "absolute-se3", "absolute-so3r3"}) {
      SCOPED_TRACE(std::string(c.example) + " " + formulation + " " + std::to_string(c.step));
      const Example e = load_example(c.example, formulation);
      const Observation start = observe(e.mechanism(), e.system->initial_state());
      const Ending end = run(e, "generalized-alpha", c.duration, c.step);
      ASSERT_TRUE(end.report.ok()) << end.report.message;
      EXPECT_LT(end.now.position_violation, 1e-11);
      EXPECT_LT(end.now.velocity_violation, 1e-9);
      const double before = start.kinetic + start.potential,
                   after = end.now.kinetic + end.now.potential - end.now.work;
      const double drift = std::fabs(after - before) / (1 + start.kinetic);
      std::printf("%-18s %-15s %6g: %.3g\n", c.example, formulation, c.step, drift);
      if (expected == 0) expected = drift;
      EXPECT_LT(drift, std::max(0.06, 3 * expected));
    }
  }
}

// The whole motion of the file, with its step and with one that is coarse: neither blows up nor
// leaves the constraints.
TEST(LongAlphaClosed, WholeRuns) {
  for (const std::string& name : closed_examples()) {
    const Example exact = load_example(name, "recursive");
    const double h = number(exact, exact.model->simulate.step);
    const double duration = number(exact, exact.model->simulate.duration);
    for (const char* formulation : formulations) {
      if (!find_formulation(formulation)->refusal(*exact.model).empty()) continue;
      const Example e = load_example(name, formulation);
      for (const double factor : {1.0, 3.0}) {
        SCOPED_TRACE(name + " " + formulation + " step x " + std::to_string(factor));
        const Ending end = run(e, "generalized-alpha", duration, factor * h);
        // gears that turn by more than half a turn in a step are refused
        if (end.report.message.find("turns by") != std::string::npos) continue;
        EXPECT_TRUE(end.report.ok()) << end.report.message;
        if (!end.report.ok()) continue;
        EXPECT_LT(end.now.position_violation, 1e-11);
        const double speed = 1 + std::sqrt(end.now.kinetic);
        EXPECT_LT(end.now.velocity_violation, 1e-9 * speed);
      }
    }
  }
}

}  // namespace
}  // namespace cartan::test
