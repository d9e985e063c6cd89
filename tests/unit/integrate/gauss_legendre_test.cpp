// How the stages are solved: fixed point, Newton, the way back, and failure told with numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "integrate/gauss_legendre.h"
#include "unit/integrate/run.h"

namespace cartan::test {
namespace {

// x' = -rate (x - cos t) - sin t: the solution cos t, whatever the rate (Prothero, Robinson).
struct Attracted {
  double rate;
  template <class S>
  void operator()(const S& t, const S* x, S* xdot) const {
    xdot[0] = S(-rate) * (x[0] - cos(t)) - sin(t);
  }
};

TEST(GaussLegendre, StiffProblemUsesNewton) {
  const auto problem = make_problem({1}, Attracted{1e6});
  for (const char* method : {"gl1", "gl2", "gl3", "gl5"}) {
    const SimulateReport report = run(problem, method, 2, 0.02);
    ASSERT_EQ(report.status, RunStatus::completed) << report.message;
    EXPECT_EQ(report.counts.newton_steps, report.steps);
    EXPECT_LE(report.counts.jacobians, 3);
    EXPECT_NEAR(report.final_state.x[0], std::cos(2.0), 2e-4) << method;
  }
}

TEST(GaussLegendre, NonStiffProblemUsesNone) {
  const auto problem = make_problem({1}, Attracted{1});
  const SimulateReport report = run(problem, "gl3", 2, 0.02);
  EXPECT_EQ(report.counts.newton_steps, 0);
  EXPECT_EQ(report.counts.jacobians, 0);
  EXPECT_NEAR(report.final_state.x[0], std::cos(2.0), 1e-13);
}

TEST(GaussLegendre, StiffVanDerPol) {
  const auto problem = make_problem({0, 2}, VanDerPol{1000});
  const SimulateReport coarse = run(problem, "gl3", 100, 0.1),
                       fine = run(problem, "gl3", 100, 0.025);
  ASSERT_EQ(coarse.status, RunStatus::completed) << coarse.message;
  EXPECT_NEAR(coarse.final_state.x[1], fine.final_state.x[1], 1e-6);
  EXPECT_LT(fine.final_state.x[1], 1.95);
}

// Stiff for t < 1 only: back to the fixed point afterwards.
struct Relaxing {
  template <class S>
  void operator()(const S& t, const S* x, S* xdot) const {
    const S rate = S(5e4) / (S(1) + exp(S(40) * (t - S(1)))) + S(1);
    xdot[0] = -rate * (x[0] - cos(t)) - sin(t);
  }
};

TEST(GaussLegendre, ReturnsToFixedPoint) {
  const auto problem = make_problem({1}, Relaxing{});
  const SimulateReport report = run(problem, "gl2", 20, 0.01);
  ASSERT_EQ(report.status, RunStatus::completed) << report.message;
  EXPECT_GT(report.counts.newton_steps, 90);
  EXPECT_LT(report.counts.newton_steps, 400);
  EXPECT_NEAR(report.final_state.x[0], std::cos(20.0), 1e-8);
}

// A stiff spring on a free body's quaternion, q' = N(q) v: positions are eliminated from Newton's
// equations where the system says which they are; the stages are the same.
struct StiffBody {
  template <class S>
  void operator()(const S& t, const S* x, S* xdot) const {
    FreeBodyRates{}(t, x, xdot);
    for (int i = 0; i < 3; ++i) xdot[4 + i] += S(-4e5) * x[1 + i] - S(300) * x[4 + i];
  }
};
SimulateReport run_stiff_body(bool kinematics, double tolerance) {
  StateSpace space;
  space.add_quaternion();
  space.add_vector(3);
  Problem<StiffBody> body(space, State{0, {1, 0, 0, 0, 0.9, 1.1, -0.7}, {}}, StiffBody{});
  if (kinematics) {
    body.kinematic_count = 4;
    body.kinematics = [](StateView at, std::span<double> out) {
      const Quat<double> du = rate(Quat<double>(at.x[0], at.x[1], at.x[2], at.x[3]),
                                   Vec3<double>(at.x[4], at.x[5], at.x[6]));
      out[0] = du.w, out[1] = du.x, out[2] = du.y, out[3] = du.z;
    };
  }
  return run(body, "gl3", 1, 0.01, tolerance);
}

TEST(GaussLegendre, PositionsAreEliminatedFromNewton) {
  const SimulateReport whole = run_stiff_body(false, 0), reduced = run_stiff_body(true, 0);
  ASSERT_EQ(whole.status, RunStatus::completed) << whole.message;
  ASSERT_EQ(reduced.status, RunStatus::completed) << reduced.message;
  EXPECT_GT(whole.counts.newton_steps, 50);
  EXPECT_GT(reduced.counts.newton_steps, 50);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(whole.final_state.x[i], reduced.final_state.x[i], 1e-12);
  EXPECT_LE(reduced.counts.evaluations, whole.counts.evaluations * 1.2);
  EXPECT_LT(run_stiff_body(true, 1e-7).unit_norm_error, 2e-15);  // whatever the tolerance
}

// With h x > 1 the midpoint rule z = x + h/2 z^2 has no real solution.
TEST(GaussLegendre, NoConvergenceIsToldWithNumbers) {
  const auto problem = make_problem({1}, Square{});
  const SimulateReport report = run(problem, "gl1", 3, 0.1);
  EXPECT_TRUE(report.status == RunStatus::no_convergence || report.status == RunStatus::not_finite);
  EXPECT_NE(report.message.find("gl1 at t = "), std::string::npos) << report.message;
  EXPECT_TRUE(std::isfinite(report.final_state.x[0]));
  EXPECT_GT(report.final_state.t, 0.5);
  EXPECT_LT(report.final_state.t, 1.3);
}

// The last number is the integral of x^2: it must not matter for the stages.
struct WithQuadrature {
  double size;
  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    xdot[0] = x[1];
    xdot[1] = -sin(x[0]);
    xdot[2] = S(size) * x[0] * x[0];
  }
};

TEST(GaussLegendre, QuadraturesDoNotDecide) {
  auto plain = make_problem({1, 0, 0}, WithQuadrature{1});
  auto huge = make_problem({1, 0, 0}, WithQuadrature{1e12});
  plain.quadrature_count = huge.quadrature_count = 1;
  const SimulateReport a = run(plain, "gl3", 10, 0.05), b = run(huge, "gl3", 10, 0.05);
  EXPECT_EQ(a.counts.evaluations, b.counts.evaluations);
  EXPECT_EQ(a.final_state.x[0], b.final_state.x[0]);
  EXPECT_NEAR(b.final_state.x[2] / 1e12, a.final_state.x[2], 1e-10);
  EXPECT_GT(a.final_state.x[2], 1);
}

// Rounding noise above the tolerance: accepted at the level where it stops falling, and counted.
struct Noisy {
  template <class S>
  void operator()(const S&, const S* x, S* xdot) const {
    xdot[0] = (x[1] + S(1e3)) - S(1e3);
    xdot[1] = (-x[0] + S(1e3)) - S(1e3);
  }
};

TEST(GaussLegendre, StagnationIsCounted) {
  const auto problem = make_problem({1, 0}, Noisy{});
  const SimulateReport report = run(problem, "gl2", 20, 0.1);
  ASSERT_EQ(report.status, RunStatus::completed) << report.message;
  EXPECT_GT(report.counts.stagnations, 0);
  EXPECT_LT(report.counts.max_stage_change, 100 * std::numeric_limits<double>::epsilon());
  EXPECT_NEAR(report.final_state.x[0], std::cos(20.0), 2e-5);
}

// A step again to a shorter length is what a fresh step of that length gives.
TEST(GaussLegendre, RestepHasFullOrder) {
  const Problem<FreeBodyRates> body = make_free_body();
  const auto integrator = make_gauss_legendre_integrator(body, 3, {});
  State state = body.initial_state();
  integrator->restart();
  for (int n = 1; n <= 3; ++n)
    ASSERT_EQ(integrator->step(state, 0.1, 0.1 * n).status, StepStatus::ok);
  State start = body.initial_state();
  const auto fresh = make_gauss_legendre_integrator(body, 3, {});
  fresh->restart();
  fresh->step(start, 0.1, 0.1);
  fresh->step(start, 0.1, 0.2);
  fresh->step(start, 0.037, 0.237);
  std::vector<double> x(7);
  ASSERT_EQ(integrator->restep(0.037, x).status, StepStatus::ok);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(x[i], start.x[i], 1e-15);
  // and the last step is still there
  integrator->dense(1, x);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(x[i], state.x[i], 1e-15);
}

}  // namespace
}  // namespace cartan::test
