// Runge-Kutta methods of Munthe-Kaas: what they do that others do not, and that on vectors they are
// the classical ones. Orders are in tests/order.
#include "integrate/munthe_kaas.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lie/se3.h"
#include "unit/integrate/run.h"

namespace cartan::test {
namespace {

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
  return worst;
}

TEST(MuntheKaas, IsClassicalOnVectors) {
  const auto problem = make_problem({2, -2}, VanDerPol{});
  for (const auto& [group, plain] : {std::pair{"rkmk4", "rk4"}, std::pair{"rkmk45", "rk45"}})
    for (bool fixed : {true, false}) {
      const SimulateOptions options = {.duration = 5, .step = 0.01, .fixed_step = fixed};
      const auto end = [&](const char* name) {
        SimulateOptions o = options;
        o.integrator = name;
        return simulate(problem, problem.initial_state(), o, Observer{});
      };
      const SimulateReport a = end(group), b = end(plain);
      ASSERT_EQ(a.status, RunStatus::completed);
      EXPECT_EQ(a.steps, b.steps);
      EXPECT_EQ(a.counts.evaluations, b.counts.evaluations);
      EXPECT_EQ(a.counts.rejected, b.counts.rejected);
      EXPECT_LT(largest_difference(a.final_state.x, b.final_state.x), 2e-13) << group;
    }
}

TEST(MuntheKaas, UnitLengthHoldsWithoutNormalising) {
  const Problem<FreeBodyRates> body = make_free_body();
  for (const char* method : {"rkmk4", "rkmk45"}) {
    Trajectory path;
    const SimulateReport report =
        simulate(body, body.initial_state(),
                 {.integrator = method, .duration = 1000, .step = 0.1, .tolerance = 1e-4}, path);
    ASSERT_EQ(report.status, RunStatus::completed);
    double worst = 0;
    for (std::size_t i = 0; i < path.count(); ++i)
      worst = std::max(worst, body.space().unit_norm_error(path.point(i)));
    EXPECT_LT(worst, 2e-13) << method;
    EXPECT_LT(report.unit_norm_error, 2e-13) << method;
    RecordProperty(method, std::to_string(1e16 * worst) + "e-16");
  }
}

TEST(MuntheKaas, EvaluationsPerStep) {
  const Problem<FreeBodyRates> body = make_free_body();
  const SimulateReport rkmk4 = run(body, "rkmk4", 10, 0.1);
  EXPECT_EQ(rkmk4.counts.evaluations, 4 * rkmk4.steps);
  const SimulateReport rkmk45 = run(body, "rkmk45", 20, 1, 1e-8);
  EXPECT_LE(rkmk45.counts.evaluations, 6 * (rkmk45.steps + rkmk45.counts.rejected) + 2);
}

// A body with a constant twist moves on a screw: one step of any length is exact.
struct Screw {
  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    const Quat<S> u(x[0], x[1], x[2], x[3]);
    const Quat<S> du = rate(u, Vec3<S>(x[7], x[8], x[9]));
    const Vec3<S> dp = rotate(u, Vec3<S>(x[10], x[11], x[12]));
    xdot[0] = du.w, xdot[1] = du.x, xdot[2] = du.y, xdot[3] = du.z;
    xdot[4] = dp.x, xdot[5] = dp.y, xdot[6] = dp.z;
    for (int i = 7; i < 13; ++i) xdot[i] = S(0);
  }
};

TEST(MuntheKaas, ConstantTwistIsExactOnPoses) {
  StateSpace space;
  space.add_pose();
  space.add_vector(6);
  const std::vector<double> start = {1, 0, 0, 0, 1, 2, 3, 0.5, -0.8, 1.1, 2, 1, -1};
  const Problem<Screw> screw(space, State{0, start, {}}, Screw{});
  const Pose<double> exact = Pose<double>{Mat3<double>::identity(), Vec3<double>(1, 2, 3)} *
                             SE3<double>::exp({Vec3<double>(1, -1.6, 2.2), Vec3<double>(4, 2, -2)});
  for (const char* method : {"rkmk4", "rkmk45"}) {
    const SimulateReport report =
        simulate(screw, screw.initial_state(),
                 {.integrator = method, .duration = 2, .step = 2, .fixed_step = true}, Observer{});
    EXPECT_EQ(report.steps, 1);
    const std::vector<double>& x = report.final_state.x;
    EXPECT_NEAR(x[4], exact.p.x, 4e-15);
    EXPECT_NEAR(x[5], exact.p.y, 4e-15);
    EXPECT_NEAR(x[6], exact.p.z, 4e-15);
    const Mat3<double> R = rotation_matrix(Quat<double>(x[0], x[1], x[2], x[3]));
    const Vec3<double> probe(1, 2, 3), gap = R * probe - exact.R * probe;
    EXPECT_LT(std::sqrt(dot(gap, gap)), 4e-15);
  }
}

TEST(MuntheKaas, ErrorsFollowTheTolerance) {
  const Problem<FreeBodyRates> body = make_free_body();
  const std::vector<double> exact = run(body, "gl8", 10, 0.02).final_state.x;
  for (double tolerance : {1e-5, 1e-8, 1e-11}) {
    const SimulateReport report = run(body, "rkmk45", 10, 0.1, tolerance);
    ASSERT_EQ(report.status, RunStatus::completed) << report.message;
    EXPECT_EQ(report.final_state.t, 10);
    EXPECT_LT(largest_difference(report.final_state.x, exact), 100 * tolerance);
  }
}

// Any explicit tableau: with that of order 8 the order is 8.
TEST(MuntheKaas, AnyTableau) {
  const Problem<FreeBodyRates> body = make_free_body();
  const std::vector<double> exact = run(body, "gl8", 8, 0.02).final_state.x;
  const auto error = [&](int steps) {
    IntegratorOptions options;
    options.fixed_step = true;
    const auto integrator = make_munthe_kaas_integrator(body, dormand_prince_853(), options);
    State state = body.initial_state();
    integrator->restart();
    const double h = 8.0 / steps;
    for (int n = 1; n <= steps; ++n)
      EXPECT_EQ(integrator->step(state, h, n * h).status, StepStatus::ok);
    return largest_difference(state.x, exact);
  };
  const double slope = std::log2(error(32) / error(64));
  EXPECT_GT(slope, 7.5);
  EXPECT_LT(slope, 9);
}

TEST(MuntheKaas, BlowUpEndsWithStatus) {
  const auto problem = make_problem({1}, Square{});
  const SimulateReport report = run(problem, "rkmk45", 2, 0.1, 1e-8);
  EXPECT_TRUE(report.status == RunStatus::step_too_small || report.status == RunStatus::not_finite);
  EXPECT_NEAR(report.final_state.t, 1, 1e-6);
  EXPECT_NE(report.message.find("rkmk45 at t = "), std::string::npos) << report.message;
  EXPECT_EQ(run(problem, "rkmk4", 2, 0.01).status, RunStatus::not_finite);
}

TEST(MuntheKaas, MaxStepIsKept) {
  const Problem<FreeBodyRates> body = make_free_body();
  double longest = 0;
  Observer observer;
  observer.on_step = [&](const DenseStep& step) {
    longest = std::max(longest, step.end() - step.begin());
  };
  const SimulateReport report =
      simulate(body, body.initial_state(),
               {.integrator = "rkmk45", .tolerance = 1e-3, .max_step = 0.07}, observer);
  EXPECT_EQ(report.status, RunStatus::completed);
  EXPECT_LE(longest, 0.07 + 1e-14);
}

}  // namespace
}  // namespace cartan::test
