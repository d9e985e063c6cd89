// The matrix of the equations of steady motion is exact: every entry agrees with differences of
// sixth order so closely that an error of 1e-6 in any of them is seen.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/equilibrium.h"
#include "mechanics/machine/state_expression.h"
#include "support/example.h"

namespace cartan::test {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Matrix calc_differences(const SteadyProblem& problem, const State& state, const Vector& c,
                        const std::vector<Held>& held) {
  const int n = problem.tangent();
  const double h = 5e-4;
  Matrix result(problem.residual(state, c, held).size(), n + c.size());
  for (Eigen::Index j = 0; j < result.cols(); ++j) {
    const auto at = [&](double step) {
      Vector d = Vector::Zero(n), moved = c;
      if (j < n)
        d[j] = step;
      else
        moved[j - n] += step;
      return problem.residual(problem.moved(state, d), moved, held);
    };
    result.col(j) =
        (45 * (at(h) - at(-h)) - 9 * (at(2 * h) - at(-2 * h)) + at(3 * h) - at(-3 * h)) / (60 * h);
  }
  return result;
}

// Entries above a hundredth of their column must agree to 2e-7 of themselves, others to 2e-9 of it.
bool agree(const Matrix& K, const Matrix& D, double* worst = nullptr) {
  bool good = true;
  for (Eigen::Index j = 0; j < K.cols(); ++j) {
    const double size = std::max(1.0, D.col(j).cwiseAbs().maxCoeff());
    for (Eigen::Index i = 0; i < K.rows(); ++i) {
      const double error = std::fabs(K(i, j) - D(i, j));
      const double allowed = 2e-7 * std::max(std::fabs(D(i, j)), 1e-2 * size);
      good &= error <= allowed;
      if (worst) *worst = std::max(*worst, error / allowed);
    }
  }
  return good;
}

void expect_exact(const std::string& name, const std::vector<std::string>& holds) {
  const Example example = load_example(name);
  ASSERT_TRUE(example) << example.problem;
  const auto workspace = example.system->make_workspace();
  const State state = example.system->initial_state();
  const SteadyProblem problem(*example.system, find_symmetries(*example.system, state, *workspace),
                              *workspace);
  std::vector<Held> held;
  for (const std::string& text : holds) {
    std::string message;
    Held one;
    one.function = make_state_function(*example.system, *example.model, text, message);
    ASSERT_TRUE(one.function) << message;
    held.push_back(one);
  }
  for (int component = 0; component < std::min(4, problem.tangent()); ++component) {
    Held one;
    one.component = component;
    one.reference = state.x;
    for (double& number : one.reference) number += 0.05;
    example.system->space().normalise(one.reference);
    held.push_back(one);
  }
  Vector c = problem.explain(state);
  for (Eigen::Index k = 0; k < c.size(); ++k) c[k] += 0.3 + 0.1 * k;
  const Matrix K = problem.matrix(state, c, held), D = calc_differences(problem, state, c, held);
  double worst = 0;
  EXPECT_TRUE(agree(K, D, &worst)) << name << ": " << worst << " of what is allowed";

  // and the comparison sees an error of 1e-6 in the largest entry of any column
  for (Eigen::Index j = 0; j < K.cols(); ++j) {
    Eigen::Index i;
    if (K.col(j).cwiseAbs().maxCoeff(&i) < 1e-2) continue;
    Matrix wrong = K;
    wrong(i, j) *= 1 + 1e-6;
    EXPECT_FALSE(agree(wrong, D)) << name << " " << i << " " << j;
  }
}

TEST(Derivatives, OfSteadyMotionAreExact) {
  expect_exact("bicycle", {"R2*front_axle.v", "kinetic + potential"});
  expect_exact("rolling_coin", {"coin.wz"});
  expect_exact("heavy_top", {"pivot.q[1]*top.vx"});
  expect_exact("coupled_pendulums", {"left.y"});
  expect_exact("slider_crank", {});
  expect_exact("stewart", {});
  expect_exact("sleigh", {});
  expect_exact("free_top", {});
  expect_exact("kepler", {});
  expect_exact("roessler", {"x*y"});
}

}  // namespace
}  // namespace cartan::test
