// The run loop: samples, ends, options, cancelling.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <tuple>

#include "integrate/simulate.h"
#include "order/problems.h"

namespace cartan::test {
namespace {

Trajectory path_of(const System& system, const SimulateOptions& options) {
  Trajectory path;
  const SimulateReport report = simulate(system, system.initial_state(), options, path);
  EXPECT_EQ(report.status, RunStatus::completed) << report.message;
  return path;
}

TEST(Simulate, TableIsComplete) {
  for (const char* name : {"rk4", "rk45", "dop853", "rkmk4", "rkmk45", "gl1", "gl2", "gl3", "gl4",
                           "gl5", "gl6", "gl7", "gl8", "variational", "cvode", "ida"})
    EXPECT_NE(find_integrator(name), nullptr) << name;
  EXPECT_EQ(find_integrator("euler"), nullptr);
  EXPECT_NE(integrator_names().find("dop853, rkmk4"), std::string::npos);
}

// Samples at the start, every k-th step and the end, at times without drift.
TEST(Simulate, SampleTimes) {
  const Problem<FreeBodyRates> body = make_free_body();
  for (const IntegratorInfo& method : integrator_table()) {
    if (method.refusal) continue;  // not for every system
    SimulateOptions options;
    options.integrator = method.name;
    options.duration = 3;
    options.step = 0.1;
    options.every = 4;
    const Trajectory path = path_of(body, options);
    ASSERT_EQ(path.count(), 9u) << method.name;  // 0, 0.4, ..., 2.8, 3
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(path.t[i], 0.4 * i, 4e-16) << method.name;
    EXPECT_EQ(path.t.back(), 3.0);
    EXPECT_EQ(path.provenance.integrator, method.name);
    EXPECT_EQ(path.size, 7);
  }
}

TEST(Simulate, LastStepLandsExactly) {
  const Problem<FreeBodyRates> body = make_free_body();
  SimulateOptions exact;
  exact.integrator = "gl8";
  exact.step = 0.005;
  for (double duration : {0.3, 0.9999, 1.0, 1.0001, 0.01, 0.1 + 0.2, 7.0 / 3}) {
    exact.duration = duration;
    const std::vector<double> truth =
        path_of(body, exact).state(0).x.empty()
            ? std::vector<double>()
            : simulate(body, body.initial_state(), exact, Observer{}).final_state.x;
    for (const IntegratorInfo& method : integrator_table()) {
      if (method.refusal) continue;  // not for every system
      SimulateOptions options;
      options.integrator = method.name;
      options.duration = duration;
      options.step = method.order <= 2 ? 0.001 : 0.01;
      const SimulateReport report = simulate(body, body.initial_state(), options, Observer{});
      EXPECT_EQ(report.final_state.t, duration) << method.name;
      const double slack = method.order <= 2 ? 2e-6 : method.order <= 4 ? 2e-8 : 5e-9;
      for (int i = 0; i < 7; ++i)
        EXPECT_NEAR(report.final_state.x[i], truth[i], slack) << method.name << " " << duration;
    }
  }
}

TEST(Simulate, WholeNumberOfStepsIsSeenThroughRounding) {
  const Problem<FreeBodyRates> body = make_free_body();
  SimulateOptions options;
  options.integrator = "rk4";
  options.duration = 0.3;  // 0.3 / 0.1 is below 3
  options.step = 0.1;
  EXPECT_EQ(simulate(body, body.initial_state(), options, Observer{}).steps, 3);
  options.duration = 1000;
  options.step = 0.1;
  EXPECT_EQ(simulate(body, body.initial_state(), options, Observer{}).steps, 10000);
  options.duration = 0.05;
  EXPECT_EQ(simulate(body, body.initial_state(), options, Observer{}).steps, 1);
}

TEST(Simulate, StartsAtTheTimeOfTheState) {
  const Problem<FreeBodyRates> body = make_free_body();
  State start = body.initial_state();
  start.t = 10;
  SimulateOptions options;
  options.duration = 2.5;
  options.step = 0.1;
  Trajectory path;
  const SimulateReport report = simulate(body, start, options, path);
  EXPECT_EQ(path.t.front(), 10);
  EXPECT_EQ(report.final_state.t, 12.5);
  EXPECT_EQ(report.steps, 25);
}

TEST(Simulate, ZeroDurationGivesTheStart) {
  const Problem<FreeBodyRates> body = make_free_body();
  SimulateOptions options;
  options.duration = 0;
  const Trajectory path = path_of(body, options);
  ASSERT_EQ(path.count(), 1u);
  EXPECT_EQ(path.state(0).x, body.initial_state().x);
}

// Dense output of the adaptive methods at the recording grid.
TEST(Simulate, RecordedSamplesAreAccurate) {
  const Problem<FreeBodyRates> body = make_free_body();
  SimulateOptions exact, options;
  exact.integrator = "gl8";
  exact.step = options.step = 0.05;
  const Trajectory truth = path_of(body, exact);
  for (const char* method : {"rk45", "dop853", "rkmk45"}) {
    options.integrator = method;
    options.tolerance = 1e-10;
    const Trajectory path = path_of(body, options);
    ASSERT_EQ(path.count(), truth.count());
    double worst = 0;
    for (std::size_t i = 0; i < path.count(); ++i)
      for (int k = 0; k < 7; ++k)
        worst = std::max(worst, std::fabs(path.point(i)[k] - truth.point(i)[k]));
    EXPECT_LT(worst, 2e-8) << method;
    EXPECT_GT(worst, 0) << method;
  }
}

TEST(Simulate, BadOptionsAreRefused) {
  const Problem<FreeBodyRates> body = make_free_body();
  const auto status = [&](SimulateOptions options) {
    bool sampled = false;
    Observer observer;
    observer.on_sample = [&](const State&) { sampled = true; };
    const SimulateReport report = simulate(body, body.initial_state(), options, observer);
    EXPECT_FALSE(sampled);
    EXPECT_FALSE(report.message.empty());
    return report.status;
  };
  EXPECT_EQ(status({.integrator = "euler"}), RunStatus::bad_options);
  EXPECT_EQ(status({.step = 0}), RunStatus::bad_options);
  EXPECT_EQ(status({.step = NAN}), RunStatus::bad_options);
  EXPECT_EQ(status({.duration = -1}), RunStatus::bad_options);
  EXPECT_EQ(status({.duration = INFINITY}), RunStatus::bad_options);
  EXPECT_EQ(status({.tolerance = -1e-3}), RunStatus::bad_options);
  EXPECT_EQ(status({.every = 0}), RunStatus::bad_options);
  State broken = body.initial_state();
  broken.x[2] = NAN;
  EXPECT_EQ(simulate(body, broken, {}, Observer{}).status, RunStatus::bad_options);
  broken.x.pop_back();
  EXPECT_EQ(simulate(body, broken, {}, Observer{}).status, RunStatus::bad_options);
}

TEST(Simulate, StopsOnRequestAndTellsProgress) {
  const Problem<FreeBodyRates> body = make_free_body();
  for (const char* method : {"gl2", "dop853"}) {
    std::atomic<bool> stop = false;
    SimulateOptions options;
    options.integrator = method;
    options.duration = 100;
    options.stop_requested = &stop;
    double last = 0;
    Observer observer;
    observer.on_progress = [&](double fraction) {
      EXPECT_GE(fraction, last);
      last = fraction;
      if (fraction > 0.25) stop = true;
    };
    const SimulateReport report = simulate(body, body.initial_state(), options, observer);
    EXPECT_EQ(report.status, RunStatus::cancelled);
    EXPECT_NEAR(report.final_state.t, 25, 2);
  }
}

// The step handed out is the function between its ends.
TEST(Simulate, DenseStepsJoin) {
  const Problem<FreeBodyRates> body = make_free_body();
  for (const char* method : {"gl3", "rk4", "dop853", "rkmk4", "rkmk45", "cvode", "ida"}) {
    SimulateOptions options;
    options.integrator = method;
    options.step = 0.1;
    std::vector<double> end = body.initial_state().x, x(7);
    double t = 0;
    Observer observer;
    observer.on_step = [&](const DenseStep& step) {
      EXPECT_EQ(step.begin(), t);
      EXPECT_TRUE(step.at(step.begin(), x));
      for (int i = 0; i < 7; ++i) EXPECT_NEAR(x[i], end[i], 1e-14);
      EXPECT_TRUE(step.at(step.end(), end));
      t = step.end();
    };
    simulate(body, body.initial_state(), options, observer);
    EXPECT_EQ(t, 10);
  }
}

// --------------------------------------------------------------- steps of another run, two at once

TEST(StepMesh, TakesStepsTogetherUpToAChange) {
  StepMesh mesh;
  EXPECT_TRUE(mesh.empty());
  for (const auto& [begin, end, cut] :
       {std::tuple(0.0, 1.0, false), std::tuple(1.0, 2.0, false), std::tuple(2.0, 3.0, true),
        std::tuple(3.0, 4.0, false), std::tuple(4.0, 6.0, false), std::tuple(6.0, 9.0, false),
        std::tuple(9.0, 12.0, false)})
    mesh.add(begin, end, cut, 1, end - begin);
  EXPECT_TRUE(mesh.whole());
  EXPECT_EQ(mesh.end_of_step(0, 2), 1);             // three up to the change: one, then two
  EXPECT_EQ(mesh.end_of_step(1, 2), 3 + 5e-4 * 2);  // a little beyond
  EXPECT_EQ(mesh.end_of_step(0, 3), 3 + 5e-4 * 3);
  EXPECT_EQ(mesh.end_of_step(2.9999, 2), 6);  // the change came early: the steps after it
  EXPECT_EQ(mesh.end_of_step(3, 2), 6);
  EXPECT_EQ(mesh.end_of_step(5.5, 1), 9);  // little is left of a step: with the next
  EXPECT_EQ(mesh.end_of_step(4.5, 1), 6);
  EXPECT_EQ(mesh.end_of_step(11, 2), 12);
  EXPECT_EQ(mesh.end_of_step(13, 2), 16);  // beyond the end: like the last
}

TEST(StepMesh, GrowthOfTheError) {
  StepMesh even, uneven, alone;
  for (int k = 0; k < 8; ++k) even.add(k, k + 1, false, 0.5, 1);
  EXPECT_NEAR(even.calc_growth(2, 5), 32, 1e-12);
  EXPECT_NEAR(even.calc_growth(4, 3), 64, 1e-12);
  // h and 2h: 3^(p + 1) / (1 + 2^(p + 1))
  uneven.add(0, 1, false, 1, 1);
  uneven.add(1, 3, false, 1, 2);
  EXPECT_NEAR(uneven.calc_growth(2, 4), 243.0 / 33, 1e-12);
  for (int k = 0; k < 5; ++k) alone.add(k, k + 1, true, 1, 2);
  EXPECT_NEAR(alone.calc_growth(2, 8), 1, 1e-15);
}

// A pendulum that bounces off x = 0: its errors with steps twice as long are 2^p times as large.
struct Swing {
  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    xdot[0] = x[1];
    xdot[1] = -sin(x[0]);
  }
};

TEST(StepMesh, ErrorsGrowWithTheOrder) {
  auto swing = make_problem({0.5, 0}, Swing{});
  swing.event_infos = {{"bounce", -1, false, false}};
  swing.event_functions = {[](StateView s) { return s.x[0]; }};
  swing.handler = [](int, State& state) {
    state.x[1] = -state.x[1];
    return true;
  };
  for (const auto& [method, tolerance] : {std::pair("dop853", 1e-8), std::pair("rkmk45", 1e-8)}) {
    SimulateOptions options;
    options.integrator = method;
    options.duration = 20;
    options.step = 20;
    options.tolerance = tolerance;
    StepMesh mesh;
    Observer observer;
    observer.on_step = [&](const DenseStep& step) { mesh.add(step); };
    const SimulateReport first = simulate(swing, swing.initial_state(), options, observer);
    options.follow = &mesh;
    options.tolerance = 1e-3;
    const SimulateReport second = simulate(swing, swing.initial_state(), options, Observer{});
    options.follow = nullptr;
    options.integrator = "dop853";
    options.tolerance = 1e-14;
    const SimulateReport truth = simulate(swing, swing.initial_state(), options, Observer{});
    const auto error = [&](const SimulateReport& r) {
      return std::hypot(r.final_state.x[0] - truth.final_state.x[0],
                        r.final_state.x[1] - truth.final_state.x[1]);
    };
    const double power = mesh.calc_growth(2, find_integrator(method)->order);
    EXPECT_LT(second.counts.evaluations, 0.6 * first.counts.evaluations) << method;
    EXPECT_GT(error(first), 1e-12) << method;
    EXPECT_GT(power, 10) << method;
    // the factor that the estimate of run promises
    EXPECT_GT(error(second), power / 10 * error(first)) << method;
    EXPECT_LT(error(second), power * 10 * error(first)) << method;
  }
}

}  // namespace
}  // namespace cartan::test
