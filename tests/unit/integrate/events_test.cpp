// Zero crossings: where, which, in what order, and what happens afterwards.
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/simulate.h"
#include "order/problems.h"

namespace cartan::test {
namespace {

// x = sin t, v = cos t
struct Oscillator {
  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    xdot[0] = x[1];
    xdot[1] = -x[0];
  }
};
auto make_oscillator() {
  return make_problem({0, 1}, Oscillator{});
}

struct Outcome {
  SimulateReport report;
  Trajectory path;
};
Outcome run_to_events(const System& system, const std::string& method, double duration, double step,
                      double tolerance = 0) {
  Outcome outcome;
  SimulateOptions options;
  options.integrator = method;
  options.duration = duration;
  options.step = step;
  options.tolerance = tolerance;
  outcome.report = simulate(system, system.initial_state(), options, outcome.path);
  return outcome;
}

// Those that take every system.
std::vector<IntegratorInfo> methods_for_all() {
  std::vector<IntegratorInfo> rows;
  for (const IntegratorInfo& row : integrator_table())
    if (!row.refusal) rows.push_back(row);
  return rows;
}

class EventsOf : public testing::TestWithParam<IntegratorInfo> {
 protected:
  std::string method() const { return GetParam().name; }
  // error of the method itself over a few seconds with the steps used here
  double step() const { return GetParam().order <= 2 ? 1e-4 : GetParam().order <= 5 ? 2e-3 : 0.05; }
  double tolerance() const { return GetParam().adaptive ? 1e-13 : 0; }
  double accuracy() const { return GetParam().order <= 2 ? 1e-8 : 1e-11; }
};

TEST_P(EventsOf, CrossingsInBothDirections) {
  auto problem = make_oscillator();
  problem.event_infos = {{"x", 0, false, false}, {"v falls", -1, false, false}};
  problem.event_functions = {[](StateView s) { return s.x[0]; },
                             [](StateView s) { return s.x[1]; }};
  const Outcome o = run_to_events(problem, method(), 7, step(), tolerance());
  ASSERT_EQ(o.report.status, RunStatus::completed);
  // x starts at exactly zero: no crossing there
  ASSERT_EQ(o.path.events.size(), 3u);
  EXPECT_EQ(o.path.events[0].name, "v falls");
  EXPECT_NEAR(o.path.events[0].state.t, pi / 2, accuracy());
  EXPECT_EQ(o.path.events[1].name, "x");
  EXPECT_EQ(o.path.events[1].direction, -1);
  EXPECT_NEAR(o.path.events[1].state.t, pi, accuracy());
  EXPECT_EQ(o.path.events[2].direction, 1);
  EXPECT_NEAR(o.path.events[2].state.t, 2 * pi, accuracy());
  // the recorded state is on zero to rounding
  EXPECT_LT(std::fabs(o.path.events[1].state.x[0]), 1e-15);
  EXPECT_LT(std::fabs(o.path.events[2].state.x[0]), 2e-15);
}

// Recording does not disturb the motion.
TEST_P(EventsOf, RecordingIsSilent) {
  auto problem = make_oscillator();
  const Outcome without = run_to_events(problem, method(), 5, step(), tolerance());
  problem.event_infos = {{"x", 0, false, false}};
  problem.event_functions = {[](StateView s) { return s.x[0] - 0.3; }};
  const Outcome with = run_to_events(problem, method(), 5, step(), tolerance());
  EXPECT_EQ(with.path.events.size(), 2u);
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(with.report.final_state.x[i], without.report.final_state.x[i], 1e-15);
}

TEST_P(EventsOf, StopEndsTheRunThere) {
  auto problem = make_oscillator();
  problem.event_infos = {{"top", -1, true, false}};
  problem.event_functions = {[](StateView s) { return s.x[1]; }};
  const Outcome o = run_to_events(problem, method(), 7, step(), tolerance());
  EXPECT_EQ(o.report.status, RunStatus::stopped_by_event);
  EXPECT_NEAR(o.report.final_state.t, pi / 2, accuracy());
  EXPECT_NEAR(o.report.final_state.x[0], 1, accuracy());
  EXPECT_EQ(o.path.t.back(), o.report.final_state.t);
  EXPECT_LT(o.path.t[o.path.count() - 2], pi / 2);
  ASSERT_EQ(o.path.events.size(), 1u);
}

// x is reflected at 0.5: an internal event with restart; it must not fire again at once.
TEST_P(EventsOf, RestartAfterReflection) {
  auto problem = make_oscillator();
  problem.event_infos = {{"wall", 1, false, true}};
  problem.event_functions = {[](StateView s) { return s.x[0] - 0.5; }};
  problem.handler = [](int, State& s) {
    s.x[1] = -s.x[1];
    return true;
  };
  const Outcome o = run_to_events(problem, method(), 6, step(), tolerance());
  ASSERT_EQ(o.report.status, RunStatus::completed) << o.report.message;
  // hits at pi/6, back to x = 0 at pi/3, through the negative half until 4 pi/3, next hit at 9 pi/6
  EXPECT_EQ(o.report.internal_events, 2);
  EXPECT_TRUE(o.path.events.empty());
  double largest = 0;
  for (std::size_t i = 0; i < o.path.count(); ++i) largest = std::max(largest, o.path.point(i)[0]);
  EXPECT_LT(largest, 0.5 + 1e-10);
  // phase pi/6 -> 5 pi/6 jumps by 2 pi/3 at every hit
  EXPECT_NEAR(o.report.final_state.x[0], std::sin(6 + 4 * pi / 3), 10 * accuracy());
  // fixed steps stay on their grid
  if (!GetParam().adaptive) {
    EXPECT_EQ(o.path.t[1000 < o.path.count() ? 1000 : 3],
              step() * (1000 < o.path.count() ? 1000 : 3));
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, EventsOf, testing::ValuesIn(methods_for_all()),
                         [](const auto& info) { return std::string(info.param.name); });

// Located to rounding: the crossing of x' = 1 is known exactly.
struct Clock {
  template <class S>
  void operator()(const S&, const S*, S* xdot) const {
    xdot[0] = S(1);
  }
};

TEST(Events, LocatedToRounding) {
  for (const IntegratorInfo& method : integrator_table()) {
    if (method.refusal) continue;  // not for every system
    auto problem = make_problem({0}, Clock{});
    const double place = 0.7390851332151607;
    problem.event_infos = {{"cubic", 0, false, false}};
    problem.event_functions = {
        [=](StateView s) { return std::pow(s.x[0], 3) - std::pow(place, 3); }};
    const Outcome o = run_to_events(problem, method.name, 1, 0.1);
    ASSERT_EQ(o.path.events.size(), 1u) << method.name;
    // the dense output of cvode and ida is a longer sum
    EXPECT_NEAR(o.path.events[0].state.t, place, method.order > 0 ? 4e-16 : 1e-15) << method.name;
  }
}

// sin reaches 0.999 twice within one step of 0.4: at 1.526 and 1.616.
TEST(Events, TwoCrossingsInOneStep) {
  for (const char* method : {"gl2", "gl3", "gl5", "rk4", "rk45", "dop853", "rkmk4", "rkmk45"}) {
    for (double level : {0.9, 0.99, 0.999}) {
      auto problem = make_oscillator();
      problem.event_infos = {{"level", 0, false, false}};
      problem.event_functions = {[=](StateView s) { return s.x[0] - level; }};
      const Outcome o = run_to_events(problem, method, 3, 0.4, method[0] == 'g' ? 0 : 1e-6);
      ASSERT_EQ(o.path.events.size(), 2u) << method << " " << level;
      EXPECT_EQ(o.path.events[0].direction, 1);
      EXPECT_EQ(o.path.events[1].direction, -1);
      const double slack = method == std::string("gl5") ? 1e-8 : 0.02;
      EXPECT_NEAR(o.path.events[0].state.t, std::asin(level), slack);
      EXPECT_NEAR(o.path.events[1].state.t, pi - std::asin(level), slack);
    }
  }
}

// Touching zero without crossing it is no event.
TEST(Events, GrazingIsNoCrossing) {
  auto problem = make_oscillator();
  problem.event_infos = {{"touch", 0, false, false}};
  problem.event_functions = {[](StateView s) { return s.x[0] - 1.0001; }};
  EXPECT_TRUE(run_to_events(problem, "gl5", 10, 0.4).path.events.empty());
}

TEST(Events, SeveralInOneStepComeInOrder) {
  auto problem = make_problem({0}, Clock{});
  for (double place : {0.31, 0.35, 0.33, 0.39}) {
    problem.event_infos.push_back({std::to_string(place), 1, false, false});
    problem.event_functions.push_back([=](StateView s) { return s.x[0] - place; });
  }
  const Outcome o = run_to_events(problem, "gl2", 1, 0.1);
  ASSERT_EQ(o.path.events.size(), 4u);
  for (int i = 1; i < 4; ++i) EXPECT_LT(o.path.events[i - 1].state.t, o.path.events[i].state.t);
  EXPECT_EQ(o.path.events[1].index, 2);
}

// Two walls hit at the same instant: both are handled before the restart.
TEST(Events, SimultaneousAreHandledTogether) {
  auto problem = make_problem({0, 1, 0, 1}, [](const auto&, const auto* x, auto* xdot) {
    xdot[0] = x[1];
    xdot[1] = -x[0];
    xdot[2] = x[3];
    xdot[3] = -x[2];
  });
  problem.event_infos = {{"a", 1, false, true}, {"b", 1, false, true}};
  problem.event_functions = {[](StateView s) { return s.x[0] - 0.5; },
                             [](StateView s) { return s.x[2] - 0.5; }};
  problem.handler = [](int which, State& s) {
    s.x[2 * which + 1] = -s.x[2 * which + 1];
    return true;
  };
  const Outcome o = run_to_events(problem, "gl3", 6, 0.05);
  EXPECT_EQ(o.report.internal_events, 4);
  EXPECT_NEAR(o.report.final_state.x[0], std::sin(6 + 4 * pi / 3), 1e-10);
  EXPECT_NEAR(o.report.final_state.x[2], o.report.final_state.x[0], 1e-12);
}

// The mode belongs to the state the handler gets and to the samples after it.
// Functions that vanish at one time take no more steps than one of them: the root of the first is
// that of the others.
TEST(Events, TogetherTheyCostAsMuchAsOne) {
  auto problem = make_oscillator();
  const auto count_evaluations = [&](int events) {
    problem.event_infos.assign(events, {"x", 0, false, false});
    problem.event_functions.assign(events, [](StateView s) { return s.x[0] - 0.3; });
    const Outcome o = run_to_events(problem, "dop853", 30, 0.5, 1e-12);
    EXPECT_EQ(o.path.events.size(), 10u * events);
    return o.report.counts.evaluations;
  };
  const long one = count_evaluations(1), none = count_evaluations(0);
  EXPECT_GT(one, none + 100);
  EXPECT_LT(count_evaluations(3), one + (one - none) / 10);
}

TEST(Events, ModeChanges) {
  auto problem = make_oscillator();
  problem.event_infos = {{"switch", 0, false, true}};
  problem.event_functions = {[](StateView s) { return s.x[0] - 0.5; }};
  problem.handler = [](int, State& s) {
    s.mode[0] += 1;
    return true;
  };
  State start = problem.initial_state();
  start.mode = {0};
  SimulateOptions options;
  options.duration = 3;
  options.step = 0.1;
  Trajectory path;
  const SimulateReport report = simulate(problem, start, options, path);
  EXPECT_EQ(report.final_state.mode[0], 2);
  EXPECT_EQ(path.view(0).mode[0], 0);
  EXPECT_EQ(path.view(15).mode[0], 1);
  EXPECT_EQ(path.view(path.count() - 1).mode[0], 2);
}

// A handler that always throws the state back just before the crossing.
TEST(Events, ChatteringIsStopped) {
  auto problem = make_problem({0}, Clock{});
  problem.event_infos = {{"zeno", 1, false, true}};
  problem.event_functions = {[](StateView s) { return s.x[0] - 0.5; }};
  problem.handler = [](int, State& s) {
    s.x[0] = 0.5 - 2e-5;
    return true;
  };
  const Outcome o = run_to_events(problem, "gl2", 1, 0.1);
  EXPECT_EQ(o.report.status, RunStatus::chattering);
  EXPECT_NE(o.report.message.find("zeno"), std::string::npos) << o.report.message;
}

}  // namespace
}  // namespace cartan::test
