#include <gtest/gtest.h>

#include <cmath>

#include "unit/integrate/run.h"

namespace cartan::test {
namespace {

// mu = 1, case S4.5 (Taylor series, more than 20 digits)
struct Row {
  double start[2], t, x[2];
};
const Row van_der_pol_rows[] = {
    {{0, 1}, 1, {-1.04423826228283336, 0.49761543464768807}},
    {{0, 1}, 5, {2.61830270472869812, 0.986981361005374218}},
    {{0, 1}, 10, {0.734183638625086361, -1.58203139333744175}},
    {{0, 0.2}, 1, {-0.286461193638408114, 0.0700067724151192978}},
    {{0, 0.2}, 5, {1.93389751047163517, 0.718315427117852765}},
    {{0, 0.2}, 10, {0.8024318960763277, -1.47249122279840158}},
    {{0, -0.2}, 1, {0.286461193638408114, -0.0700067724151192978}},
    {{0, -0.2}, 5, {-1.93389751047163517, -0.718315427117852765}},
    {{0, -0.2}, 10, {-0.8024318960763277, 1.47249122279840158}},
    {{2, -2}, 1, {2.21756094180070351, -0.314120304512384423}},
    {{2, -2}, 5, {-2.58357746537069388, -1.13225089043998944}},
    {{2, -2}, 10, {-0.753591295097705089, 1.55237336908646474}},
};

TEST(ExplicitRungeKutta, VanDerPolWithinTolerance) {
  for (const Row& row : van_der_pol_rows)
    for (const char* method : {"rk45", "dop853"})
      for (double tolerance : {1e-5, 1e-8, 1e-11}) {
        const auto problem = make_problem({row.start[0], row.start[1]}, VanDerPol{});
        const SimulateReport report = run(problem, method, row.t, 0.1, tolerance);
        ASSERT_EQ(report.status, RunStatus::completed) << report.message;
        EXPECT_EQ(report.final_state.t, row.t);
        for (int i = 0; i < 2; ++i)
          EXPECT_NEAR(report.final_state.x[i], row.x[i], 100 * tolerance)
              << method << " " << tolerance;
      }
}

TEST(ExplicitRungeKutta, VanDerPolFixedSteps) {
  for (const Row& row : van_der_pol_rows) {
    const auto problem = make_problem({row.start[0], row.start[1]}, VanDerPol{});
    const SimulateReport rk4 = run(problem, "rk4", row.t, 0.001),
                         gl3 = run(problem, "gl3", row.t, 0.01);
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(rk4.final_state.x[i], row.x[i], 1e-11);
      EXPECT_NEAR(gl3.final_state.x[i], row.x[i], 1e-11);
    }
    EXPECT_EQ(rk4.counts.evaluations, 4 * rk4.steps);
  }
}

// Errors whose squares underflow are small, not undefined.
TEST(ExplicitRungeKutta, MotionsOfNextToNoDuration) {
  for (const char* method : {"rk45", "dop853"})
    for (double duration : {1e-100, 1e-200, 1e-295, 1e-300}) {
      const SimulateReport report =
          run(make_problem({2, -2}, VanDerPol{}), method, duration, duration, 1e-12);
      ASSERT_EQ(report.status, RunStatus::completed) << report.message;
      EXPECT_EQ(report.final_state.t, duration);
      EXPECT_LT(report.steps, 100) << method << ", " << duration;
    }
}

// The work grows as tolerance^(-1/order), not faster.
TEST(ExplicitRungeKutta, WorkFollowsTheOrder) {
  const Problem<FreeBodyRates> body = make_free_body();
  const SimulateReport loose = run(body, "dop853", 20, 1, 1e-6),
                       tight = run(body, "dop853", 20, 1, 1e-14);
  EXPECT_LT(tight.steps, 14 * loose.steps);  // 1e8^(1/8) = 10
  EXPECT_GT(tight.steps, 5 * loose.steps);
  const SimulateReport rk45 = run(body, "rk45", 20, 1, 1e-8);
  EXPECT_LE(rk45.counts.evaluations, 6 * (rk45.steps + rk45.counts.rejected) + 2);  // last = first
}

TEST(ExplicitRungeKutta, UnitQuaternionsAreNormalisedAndReported) {
  const Problem<FreeBodyRates> body = make_free_body();
  for (const char* method : {"rk4", "rk45", "dop853"}) {
    Trajectory path;
    SimulateOptions options;
    options.integrator = method;
    options.step = 0.05;
    options.tolerance = method == std::string("rk4") ? 0 : 1e-6;
    const SimulateReport report = simulate(body, body.initial_state(), options, path);
    EXPECT_GT(report.unit_norm_error, 1e-12);
    EXPECT_LT(report.unit_norm_error, 1e-5);
    for (std::size_t i = 0; i < path.count(); ++i)
      EXPECT_LT(body.space().unit_norm_error(path.point(i)), 5e-16);
  }
}

TEST(ExplicitRungeKutta, BlowUpEndsWithStatus) {
  const auto problem = make_problem({1}, Square{});
  for (const char* method : {"rk45", "dop853"}) {
    const SimulateReport report = run(problem, method, 2, 0.1, 1e-8);
    EXPECT_TRUE(report.status == RunStatus::step_too_small ||
                report.status == RunStatus::not_finite);
    EXPECT_NEAR(report.final_state.t, 1, 1e-6);
    EXPECT_TRUE(std::isfinite(report.final_state.x[0]));
    EXPECT_NE(report.message.find("at t = "), std::string::npos);
  }
  const SimulateReport fixed = run(problem, "rk4", 2, 0.01);
  EXPECT_EQ(fixed.status, RunStatus::not_finite);
  EXPECT_TRUE(std::isfinite(fixed.final_state.x[0]));
  EXPECT_LT(fixed.final_state.t, 1.2);
}

// sqrt of a negative number beyond t = 1: steps shrink towards it, then the run ends with a status.
struct Edge {
  template <class S>
  void operator()(const S& t, const S*, S* xdot) const {
    xdot[0] = sqrt(S(1) - t);
  }
};

TEST(ExplicitRungeKutta, NotANumberEndsWithStatus) {
  const auto problem = make_problem({0}, Edge{});
  for (const IntegratorInfo& method : integrator_table()) {
    if (method.refusal) continue;  // not for every system
    Trajectory path;
    SimulateOptions options;
    options.integrator = method.name;
    options.duration = 2;
    options.step = 0.03;
    const SimulateReport report = simulate(problem, problem.initial_state(), options, path);
    EXPECT_TRUE(report.status == RunStatus::not_finite ||
                report.status == RunStatus::step_too_small)
        << method.name;
    EXPECT_LE(report.final_state.t, 1.0000001) << method.name;
    EXPECT_GT(report.final_state.t, 0.9) << method.name;
    for (double x : path.x) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(ExplicitRungeKutta, NotANumberAtTheStart) {
  auto problem = make_problem({0}, Edge{});
  State start = problem.initial_state();
  start.t = 2;
  for (const IntegratorInfo& method : integrator_table()) {
    if (method.refusal) continue;  // not for every system
    SimulateOptions options;
    options.integrator = method.name;
    const SimulateReport report = simulate(problem, start, options, Observer{});
    EXPECT_EQ(report.status, RunStatus::not_finite) << method.name;
    EXPECT_EQ(report.steps, 0);
  }
}

// A jump in f that no step length can resolve to 1e-15 of error per step.
struct Rough {
  template <class S>
  void operator()(const S& t, const S*, S* xdot) const {
    xdot[0] = select(less(t, S(0.5)), S(0), S(1e9));
  }
};

TEST(ExplicitRungeKutta, StepTooSmall) {
  const auto problem = make_problem({0}, Rough{});
  const SimulateReport report = run(problem, "rk45", 1, 0.1, 1e-15);
  EXPECT_EQ(report.status, RunStatus::step_too_small);
  EXPECT_NEAR(report.final_state.t, 0.5, 1e-9);
  EXPECT_NE(report.message.find("tolerance"), std::string::npos) << report.message;
}

// x2' = 1e8 (x1 - 1000 - sin t) with x1 = 1000 + sin t is rounding and nothing else.
struct Cancelling {
  template <class S>
  void operator()(const S& t, const S* x, S* xdot) const {
    using std::cos, std::sin;
    xdot[0] = cos(t);
    xdot[1] = S(1e8) * (x[0] - S(1000) - sin(t)) - x[1];
  }
};

// Evaluations up to t = 1; the status tells whether it gets there.
long evaluations_of(const System& system, bool knows_rounding, long most, StepStatus& status) {
  IntegratorOptions options;
  options.tolerance = 1e-13;
  options.knows_rounding = knows_rounding;
  const auto method = find_integrator("dop853")->make(system, options);
  State state = system.initial_state();
  method->restart();
  while (state.t < 1 && method->counts().evaluations < most) {
    status = method->step(state, 1 - state.t, 1).status;
    if (status != StepStatus::ok) break;
  }
  return method->counts().evaluations;
}

TEST(ExplicitRungeKutta, RoundingIsNoErrorWhereThatIsAsked) {
  const auto problem = make_problem({1000, 0}, Cancelling{});
  StepStatus status = StepStatus::ok;
  EXPECT_LT(evaluations_of(problem, true, 100000, status), 20000);
  EXPECT_EQ(status, StepStatus::ok);
  EXPECT_GE(evaluations_of(problem, false, 100000, status), 100000);
  // a jump of the rate is none
  const auto rough = make_problem({0}, Rough{});
  evaluations_of(rough, true, 100000, status);
  EXPECT_EQ(status, StepStatus::step_too_small);
}

TEST(ExplicitRungeKutta, MaxStepIsKept) {
  const Problem<FreeBodyRates> body = make_free_body();
  SimulateOptions options;
  options.integrator = "dop853";
  options.tolerance = 1e-4;
  options.max_step = 0.07;
  double longest = 0;
  Observer observer;
  observer.on_step = [&](const DenseStep& step) {
    longest = std::max(longest, step.end() - step.begin());
  };
  const SimulateReport report = simulate(body, body.initial_state(), options, observer);
  EXPECT_EQ(report.status, RunStatus::completed);
  EXPECT_LE(longest, 0.07 + 1e-14);
}

}  // namespace
}  // namespace cartan::test
