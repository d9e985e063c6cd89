// cvode and ida: stiff systems, tolerances, failures, and what projection leaves of their history.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/integrate/run.h"

namespace cartan::test {
namespace {

double largest_gap(std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
  return worst;
}

class Sundials : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Methods, Sundials, testing::Values("cvode", "ida"),
                         [](const auto& info) { return std::string(info.param); });

// Relaxation oscillation, mu = 1000, over the slow branch: rk45 is held by stability, not accuracy.
TEST_P(Sundials, StiffVanDerPol) {
  const auto problem = make_problem({0, 2}, VanDerPol{1000});
  const SimulateReport stiff = run(problem, GetParam(), 100, 10, 1e-6),
                       plain = run(problem, "rk45", 100, 10, 1e-6);
  ASSERT_EQ(stiff.status, RunStatus::completed) << stiff.message;
  ASSERT_EQ(plain.status, RunStatus::completed) << plain.message;
  EXPECT_LT(100 * stiff.counts.evaluations, plain.counts.evaluations);
  EXPECT_LT(largest_gap(stiff.final_state.x, plain.final_state.x), 1e-4);
  EXPECT_GT(stiff.counts.jacobians, 0);
  EXPECT_LT(stiff.counts.jacobians, stiff.steps);
  EXPECT_GE(stiff.counts.factorisations, stiff.counts.jacobians);
  RecordProperty("evaluations", static_cast<int>(stiff.counts.evaluations));
  RecordProperty("evaluations_rk45", static_cast<int>(plain.counts.evaluations));
}

// Whole periods, jumps included: rk45 finds 1614.401126 with tolerances 1e-7 and 1e-10, in fifteen
// million evaluations.
TEST_P(Sundials, StiffVanDerPolJumps) {
  auto problem = make_problem({0, 2}, VanDerPol{1000});
  problem.event_infos = {{"falls", -1, false, false}};
  problem.event_functions = {[](StateView s) { return s.x[1]; }};
  Trajectory path;
  const SimulateReport report =
      simulate(problem, problem.initial_state(),
               {.integrator = GetParam(), .duration = 4500, .step = 100, .tolerance = 1e-8}, path);
  ASSERT_EQ(report.status, RunStatus::completed) << report.message;
  ASSERT_EQ(path.events.size(), 3u);
  EXPECT_NEAR(path.events[2].state.t - path.events[1].state.t, 1614.401126, 0.01);
  EXPECT_NEAR(path.events[1].state.t - path.events[0].state.t, 1614.401126, 0.01);
  EXPECT_LT(report.counts.evaluations, 20000);
}

// Five masses on stiff springs with dampers, pulled slowly at one end.
struct StiffChain {
  template <class S>
  void operator()(const S& t, const S* x, S* xdot) const {
    const double k = 1e6, c = 2e3;
    for (int i = 0; i < 5; ++i) {
      const S left = i == 0 ? sin(t) : x[i - 1], left_rate = i == 0 ? cos(t) : x[4 + i];
      S force = S(k) * (left - x[i]) + S(c) * (left_rate - x[5 + i]);
      if (i < 4) force += S(k) * (x[i + 1] - x[i]) + S(c) * (x[6 + i] - x[5 + i]);
      xdot[i] = x[5 + i];
      xdot[5 + i] = force;
    }
  }
};

TEST_P(Sundials, StiffChainOfSpringsAndDampers) {
  const auto problem = make_problem({0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, StiffChain{});
  const SimulateReport stiff = run(problem, GetParam(), 5, 1, 1e-6),
                       plain = run(problem, "rk45", 5, 1, 1e-6),
                       exact = run(problem, "gl2", 5, 0.005);
  ASSERT_EQ(stiff.status, RunStatus::completed) << stiff.message;
  ASSERT_EQ(exact.status, RunStatus::completed) << exact.message;
  EXPECT_LT(20 * stiff.counts.evaluations, plain.counts.evaluations);
  EXPECT_LT(largest_gap(stiff.final_state.x, exact.final_state.x), 1e-5);
  RecordProperty("evaluations", static_cast<int>(stiff.counts.evaluations));
  RecordProperty("evaluations_rk45", static_cast<int>(plain.counts.evaluations));
}

TEST_P(Sundials, ErrorsFollowTheTolerance) {
  const Problem<FreeBodyRates> body = make_free_body();
  const std::vector<double> exact = run(body, "gl8", 10, 0.02).final_state.x;
  for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    const SimulateReport report = run(body, GetParam(), 10, 0.1, tolerance);
    ASSERT_EQ(report.status, RunStatus::completed) << report.message;
    EXPECT_EQ(report.final_state.t, 10);
    EXPECT_LT(largest_gap(report.final_state.x, exact), 300 * tolerance) << tolerance;
    EXPECT_LT(body.space().unit_norm_error(report.final_state.x), 3e-16);
    EXPECT_GT(report.unit_norm_error, 1e-15);  // before normalising
  }
}

TEST_P(Sundials, SamplesInsideStepsAreAccurate) {
  const Problem<FreeBodyRates> body = make_free_body();
  Trajectory truth, path;
  simulate(body, body.initial_state(), {.integrator = "gl8", .step = 0.01}, truth);
  simulate(body, body.initial_state(), {.integrator = GetParam(), .step = 0.01, .tolerance = 1e-9},
           path);
  ASSERT_EQ(path.count(), truth.count());
  EXPECT_LT(largest_gap(path.x, truth.x), 1e-6);
  for (std::size_t i = 0; i < path.count(); ++i)
    EXPECT_LT(body.space().unit_norm_error(path.point(i)), 5e-16);
}

TEST_P(Sundials, MaxStepIsKept) {
  const Problem<FreeBodyRates> body = make_free_body();
  double longest = 0;
  Observer observer;
  observer.on_step = [&](const DenseStep& step) {
    longest = std::max(longest, step.end() - step.begin());
  };
  const SimulateReport report =
      simulate(body, body.initial_state(),
               {.integrator = GetParam(), .tolerance = 1e-3, .max_step = 0.03}, observer);
  EXPECT_EQ(report.status, RunStatus::completed);
  EXPECT_LE(longest, 0.03 + 1e-14);
}

// Work done is an integral that decides no step.
TEST_P(Sundials, QuadraturesDoNotCount) {
  auto problem = make_problem({0, 1, 0}, [](const auto& t, const auto* x, auto* xdot) {
    using S = std::decay_t<decltype(xdot[0])>;
    xdot[0] = x[1];
    xdot[1] = -x[0];
    xdot[2] = cos(S(1e4) * t);
  });
  problem.quadrature_count = 1;
  const SimulateReport report = run(problem, GetParam(), 10, 1, 1e-6);
  EXPECT_EQ(report.status, RunStatus::completed);
  EXPECT_LT(report.steps, 2000);
}

// ---------------------------------------------------------------------------------------- failures

TEST_P(Sundials, ToleranceTooTight) {
  const Problem<FreeBodyRates> body = make_free_body();
  const SimulateReport report = run(body, GetParam(), 1, 0.1, 1e-17);
  EXPECT_EQ(report.status, RunStatus::step_too_small);
  EXPECT_NE(report.message.find("the tolerance 1e-17 is below what rounding of the state allows"),
            std::string::npos)
      << report.message;
  EXPECT_NE(report.message.find("use at least"), std::string::npos);
  EXPECT_EQ(report.final_state.t, 0);
}

TEST_P(Sundials, BlowUpEndsWithStatus) {
  const auto problem = make_problem({1}, Square{});
  const SimulateReport report = run(problem, GetParam(), 2, 0.1, 1e-8);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.status, RunStatus::bad_options);
  EXPECT_NEAR(report.final_state.t, 1, 1e-5);
  EXPECT_TRUE(std::isfinite(report.final_state.x[0]));
  EXPECT_NE(report.message.find(std::string(GetParam()) + " at t = "), std::string::npos)
      << report.message;
}

// A jump in f: no step of cvode is short enough; ida gets across with no error at all.
struct Jump {
  template <class S>
  void operator()(const S& t, const S*, S* xdot) const {
    xdot[0] = select(less(t, S(0.5)), S(0), S(1e9));
  }
};

TEST(SundialsFailures, StepTooSmall) {
  const auto problem = make_problem({0}, Jump{});
  const SimulateReport report = run(problem, "cvode", 1, 0.1, 1e-9);
  EXPECT_EQ(report.status, RunStatus::step_too_small) << report.message;
  EXPECT_NEAR(report.final_state.t, 0.5, 1e-9);
  EXPECT_NE(report.message.find("the error of x0 is"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("times the tolerance 1e-09"), std::string::npos) << report.message;
  const SimulateReport ida = run(problem, "ida", 1, 0.1, 1e-9);
  EXPECT_EQ(ida.status, RunStatus::completed) << ida.message;
  EXPECT_NEAR(ida.final_state.x[0], 5e8, 1);
}

TEST_P(Sundials, FixedStepsAreRefused) {
  const Problem<FreeBodyRates> body = make_free_body();
  const SimulateReport report = simulate(
      body, body.initial_state(), {.integrator = GetParam(), .fixed_step = true}, Observer{});
  EXPECT_EQ(report.status, RunStatus::bad_options);
  EXPECT_NE(report.message.find("takes no fixed ones; use rk45"), std::string::npos)
      << report.message;
}

// -------------------------------------------------------------------------------------- projection

// A point on the unit circle in plane coordinates, brought back to it after every step.
struct CircleRates {
  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    const S v2 = x[2] * x[2] + x[3] * x[3];
    xdot[0] = x[2];
    xdot[1] = x[3];
    xdot[2] = -v2 * x[0];
    xdot[3] = -v2 * x[1];
  }
};
class Circle : public Problem<CircleRates> {
 public:
  using Problem::Problem;
  bool constrained() const override { return true; }
  Projection project(State& state, Workspace&) const override {
    const double r = std::hypot(state.x[0], state.x[1]);
    state.x[0] /= r;
    state.x[1] /= r;
    Projection done;
    done.position_change = std::fabs(r - 1);
    done.moved = true;
    return done;
  }
};

// The history is kept: as many steps as without, and the state stays on the circle.
TEST_P(Sundials, ProjectionKeepsTheHistory) {
  StateSpace space;
  space.add_vector(4);
  const Circle circle(space, State{0, {1, 0, 0, 1}, {}}, CircleRates{});
  SimulateOptions options = {
      .integrator = GetParam(), .duration = 20, .step = 1, .tolerance = 1e-7};
  const SimulateReport projected = simulate(circle, circle.initial_state(), options, Observer{});
  options.project = false;
  const SimulateReport loose = simulate(circle, circle.initial_state(), options, Observer{});
  ASSERT_EQ(projected.status, RunStatus::completed) << projected.message;
  EXPECT_LT(projected.steps, 1.3 * loose.steps);
  const std::vector<double>& x = projected.final_state.x;
  EXPECT_LT(std::fabs(std::hypot(x[0], x[1]) - 1), 4e-16);
  EXPECT_NEAR(x[0], std::cos(20), 1e-4);
  EXPECT_NEAR(x[1], std::sin(20), 1e-4);
}

}  // namespace
}  // namespace cartan::test
