// Derivatives of flows: against differences of flows, closed forms, and what constraints demand.
#include "analysis/flow.h"

#include <Eigen/Dense>

#include "analysis/tangents.h"
#include "analysis/transition.h"
#include "support.h"
#include "support/random.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

State flow_to(const System& system, const State& start, double t) {
  Flow flow(system, 0, {}, {});
  flow.start(start, MatrixXd(tangent_numbers(system), 0));
  EXPECT_EQ(flow.advance(t), "");
  return flow.state();
}

// Central differences of a function of s with one Richardson step.
template <class F>
VectorXd slope(F&& f, double h = 2e-4) {
  const auto central = [&](double s) -> VectorXd { return (f(s) - f(-s)) / (2 * s); };
  return (4 * central(h / 2) - central(h)) / 3;
}

// Displacements along allowed directions, at the start and at the end.
void check_transition(const Example& e, double duration) {
  ASSERT_TRUE(e) << e.problem;
  const System& system = *e.system;
  const auto workspace = system.make_workspace();
  const State start = system.initial_state();
  const MatrixXd B = allowed_directions(system, start, *workspace);
  const int d = static_cast<int>(B.cols());
  Flow flow(system, d, {}, {});
  const double t = start.t + duration;
  const Transition transition =
      calc_transition(flow, start, t, B, MatrixXd(tangent_numbers(system), 0));
  ASSERT_EQ(transition.problem, "");
  const MatrixXd columns = transition.end_directions * transition.product();
  for (int j = 0; j < d; ++j) {
    const VectorXd expected = slope(
        [&](double s) -> VectorXd {
          State other = start;
          displace(system, s * B.col(j), other);
          if (system.constrained()) system.project(other, *workspace);
          return difference(system, flow_to(system, other, t).x, transition.end.x);
        },
        2e-4 / (1 + 0.1 * columns.col(j).norm()));
    EXPECT_LT((columns.col(j) - expected).norm(), 3e-7 * (1 + expected.norm())) << j;
  }
}

TEST(Flow, TransitionOfQuaternions) {
  check_transition(load_example("heavy_top", "recursive", {{"spin", 20}}), 0.5);
  check_transition(load_example("double_pendulum", "recursive", {{"tilt", 1}}), 1.0);
}
TEST(Flow, TransitionOfPoses) {
  check_transition(load_example("double_pendulum", "absolute-se3", {{"tilt", 1}}), 0.4);
}
TEST(Flow, TransitionOfMomenta) {
  check_transition(load_example("double_pendulum", "canonical", {{"tilt", 1}}), 0.5);
}
TEST(Flow, TransitionOfLoops) {
  check_transition(load_example("four_bar"), 0.3);
}
TEST(Flow, TransitionOfRolling) {
  check_transition(load_example("rolling_coin"), 0.3);
}

// d x(t) / d p with the start moved least onto the constraints of the new value.
void check_sensitivity(const std::string& name, const std::string& parameter, double duration) {
  SCOPED_TRACE(name + " " + parameter);
  const Example e = load_example(name);
  ASSERT_TRUE(e) << e.problem;
  const System& system = *e.system;
  const auto workspace = system.make_workspace();
  const State start = system.initial_state();
  const int p = e.model->find_parameter(parameter);
  const double value = parameter_values(*e.model)[p];
  const std::vector<int> which = {p};
  Flow flow(system, 1, which, {});
  const MatrixXd motion = least_parameter_motion(system, start, which, *workspace);
  flow.start(start, motion);
  ASSERT_EQ(flow.advance(start.t + duration), "");
  const VectorXd sensitivity = flow.columns().col(0);
  const VectorXd expected = slope([&](double s) -> VectorXd {
    const Example other = load_example(name, "recursive", {{parameter, value + s}});
    State begin = start;
    displace(system, s * motion.col(0), begin);
    if (system.constrained()) other.system->project(begin, *other.system->make_workspace());
    return difference(system, flow_to(*other.system, begin, start.t + duration).x, flow.state().x);
  });
  EXPECT_LT((sensitivity - expected).norm(), 3e-7 * (1 + expected.norm()));
  EXPECT_GT(expected.norm(), 1e-3);
}

TEST(Flow, SensitivityToParameters) {
  check_sensitivity("heavy_top", "h", 0.3);
  check_sensitivity("double_pendulum", "w", 1.0);
  check_sensitivity("roessler", "a", 6.0);
  check_sensitivity("duffing", "omega", 6.0);
}

// Lengths that constraints depend on: the start moves with them.
TEST(Flow, SensitivityToParametersOfConstraints) {
  check_sensitivity("four_bar", "a", 0.3);
  check_sensitivity("four_bar", "d", 0.3);
  check_sensitivity("four_bar", "w", 0.3);
  check_sensitivity("rolling_coin", "r", 0.3);
}

// Columns stay tangent to the constraints: position and velocity level.
TEST(Flow, ColumnsStayOnTheConstraints) {
  for (const char* name : {"four_bar", "slider_crank", "stewart", "rolling_coin", "sleigh"}) {
    SCOPED_TRACE(name);
    const Example e = load_example(name);
    ASSERT_TRUE(e) << e.problem;
    const System& system = *e.system;
    const State start = system.initial_state();
    const auto workspace = system.make_workspace();
    const MatrixXd B = allowed_directions(system, start, *workspace);
    Flow flow(system, static_cast<int>(B.cols()), {}, {});
    flow.start(start, B);
    ASSERT_EQ(flow.advance(start.t + 0.05), "");
    MatrixXd C(system.constraint_count(), system.space().size());
    system.constraint_jacobian(flow.state(), C, *workspace);
    const MatrixXd E = tangent_map(system, flow.state().x), columns = flow.columns();
    const MatrixXd rows = C.leftCols(E.rows()) * E;
    EXPECT_LT((rows * columns).cwiseAbs().maxCoeff(),
              1e-12 * rows.cwiseAbs().maxCoeff() * columns.cwiseAbs().maxCoeff());
    // the rate of an autonomous system is carried along: Phi f(x0) = f(x1)
    const VectorXd f0 = tangent_rate(system, start, *workspace);
    const VectorXd f1 = tangent_rate(system, flow.state(), *workspace);
    const bool driven = (f0 - B * (B.transpose() * f0)).norm() > 1e-9 * f0.norm();
    EXPECT_EQ(driven, name == std::string("sleigh"));  // on a turntable
    if (!driven) EXPECT_LT((columns * (B.transpose() * f0) - f1).norm(), 1e-9 * (1 + f1.norm()));
  }
}

// Eigenvalues of a product whose sizes differ by many powers of ten.
TEST(Product, EigenvaluesOfGradedProducts) {
  Random random(3);
  const int n = 5, count = 40;
  const auto matrix = [&] {
    MatrixXd M(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) M(i, j) = random.uniform(-1, 1) + 3 * (i == j);
    return M;
  };
  // F_k = V_k D V_(k-1)^-1 with V_count = V_0: the product is similar to D^count
  const VectorXd sizes{{1.0, 0.6, 0.05, 0.04, 1e-3}};
  MatrixXd D = sizes.asDiagonal();
  D(2, 2) = D(3, 3) = 0.03;  // a pair 0.03 +- 0.04 i
  D(2, 3) = 0.04, D(3, 2) = -0.04;
  const MatrixXd first = matrix();
  MatrixXd before = first;
  std::vector<MatrixXd> factors;
  for (int k = 0; k < count; ++k) {
    const MatrixXd next = k + 1 == count ? first : matrix();
    factors.push_back(next * D * before.inverse());
    before = next;
  }
  const auto m = product_eigenvalues(factors);
  ASSERT_EQ(m.size(), 5u);
  EXPECT_NEAR(std::abs(m[0] - 1.0), 0, 1e-12);
  EXPECT_NEAR(std::abs(m[1] / std::pow(0.6, count) - 1.0), 0, 1e-10);
  const std::complex<double> pair = std::pow(std::complex<double>(0.03, 0.04), count);
  const double near = std::min(std::abs(m[2] / pair - 1.0), std::abs(m[3] / pair - 1.0));
  EXPECT_NEAR(near, 0, 1e-10);
  EXPECT_NEAR(std::abs(m[4] / 1e-120 - 1.0), 0, 1e-10);
}

// Rotations in planes whose axes have very different scales (positions, speeds): all sizes are one,
// whatever single QR decompositions show.
TEST(Product, EigenvaluesOfUnequalScales) {
  const double w[] = {27, 15, 300}, angle[] = {0.7, 2.1, 1.3};
  for (const int count : {1, 3}) {
    MatrixXd F = MatrixXd::Zero(6, 6);
    for (int k = 0; k < 3; ++k) {
      const double a = angle[k] / count;
      F(k, k) = F(k + 3, k + 3) = std::cos(a);
      F(k, k + 3) = std::sin(a) / w[k];
      F(k + 3, k) = -w[k] * std::sin(a);
    }
    const auto m = product_eigenvalues(std::vector<MatrixXd>(count, F));
    ASSERT_EQ(m.size(), 6u);
    for (const double a : angle)
      for (const double sign : {1.0, -1.0}) {
        double nearest = INFINITY;
        for (const auto& value : m)
          nearest = std::min(nearest, std::abs(value - std::polar(1.0, sign * a)));
        EXPECT_LT(nearest, 1e-12) << a;
      }
  }
}

}  // namespace
}  // namespace cartan::test
