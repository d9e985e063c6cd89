// Quadratic programs, regulators and zeros against what defines them.
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/control/riccati.h"
#include "analysis/control/structure.h"
#include "analysis/design/optimisation.h"
#include "analysis/design/quadratic_program.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Numbers without pattern, the same every time.
MatrixXd mixed(int rows, int columns, double seed) {
  MatrixXd A(rows, columns);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) A(i, j) = std::sin(seed + 12.9 * i + 78.2 * j + 3.7 * i * j);
  return A;
}

// Stationary, feasible, multipliers of the right sign and only where a row is active.
TEST(QuadraticProgram, ConditionsOfOptimality) {
  int active = 0;
  for (int k = 0; k < 200; ++k) {
    const int n = 2 + k % 5, m = 1 + k % 7, equalities = k % 2;
    const MatrixXd L = mixed(n, n, k), A = mixed(m, n, 0.3 * k + 1);
    const MatrixXd H = L * L.transpose() + 0.1 * MatrixXd::Identity(n, n);
    const VectorXd g = mixed(n, 1, 5 + k), inside = mixed(n, 1, 9 + k);
    VectorXd b = A * inside;  // feasible by construction
    for (int i = equalities; i < m; ++i) b(i) += 0.1 * (1 + std::sin(double(i + k)));
    const QuadraticStep step = solve_quadratic(H, g, A, b, equalities);
    ASSERT_TRUE(step.feasible) << k;
    const VectorXd gradient = H * step.d + g + A.transpose() * step.multipliers;
    EXPECT_LT(gradient.norm(), 1e-9 * (1 + g.norm() + step.multipliers.norm())) << k;
    for (int i = 0; i < m; ++i) {
      const double off = A.row(i).dot(step.d) - b(i);
      EXPECT_LT(i < equalities ? std::fabs(off) : off, 1e-9) << k;
      if (i < equalities) continue;
      EXPECT_GE(step.multipliers(i), 0);
      EXPECT_LT(std::fabs(step.multipliers(i) * off), 1e-8);
      active += step.multipliers(i) > 1e-6;
    }
  }
  EXPECT_GT(active, 50);
}

TEST(QuadraticProgram, ContradictionIsTold) {
  MatrixXd A(2, 1);
  A << 1, -1;
  VectorXd b(2);
  b << -1, -1;  // d <= -1 and d >= 1
  EXPECT_FALSE(solve_quadratic(MatrixXd::Identity(1, 1), VectorXd::Zero(1), A, b, 0).feasible);
}

// Stationary points that are no minima: the gradient vanishes where the search begins.
TEST(Optimisation, LeavesSaddlesAndMaxima) {
  for (const DesignSolver solver : {DesignSolver::own, DesignSolver::ipopt}) {
    DesignProblem problem;
    // cos x + y^2 from the top
    problem.evaluate = [](const VectorXd& theta, bool, DesignPoint& p) -> std::string {
      p.objective = std::cos(theta(0)) + theta(1) * theta(1);
      p.gradient = VectorXd(2);
      p.gradient << -std::sin(theta(0)), 2 * theta(1);
      p.constraints.resize(0);
      p.slopes.resize(0, 2);
      return "";
    };
    problem.start = VectorXd::Zero(2);
    problem.lower = VectorXd::Constant(2, -4);
    problem.upper = VectorXd::Constant(2, 4);
    problem.size = VectorXd::Ones(2);
    DesignOptions options;
    options.solver = solver;
    const DesignResult found = minimise(problem, options);
    ASSERT_TRUE(found.converged) << found.problem;
    EXPECT_NEAR(std::fabs(found.theta(0)), M_PI, 1e-6);
    EXPECT_NEAR(found.point.objective, -1, 1e-12);
    EXPECT_EQ(found.second_order, "minimum");
    EXPECT_EQ(found.saddles, 1);
  }
}

// On the line x = 0, to which a condition holds it, the top of a saddle is a minimum.
TEST(Optimisation, WhatConditionsForbidDoesNotCount) {
  DesignProblem problem;
  problem.evaluate = [](const VectorXd& theta, bool, DesignPoint& p) -> std::string {
    p.objective = theta(1) * theta(1) - theta(0) * theta(0);
    p.gradient = VectorXd(2);
    p.gradient << -2 * theta(0), 2 * theta(1);
    p.constraints = VectorXd::Constant(1, theta(0));
    p.slopes = MatrixXd::Zero(1, 2);
    p.slopes(0, 0) = 1;
    return "";
  };
  problem.start = VectorXd::Constant(2, 0.3);
  problem.lower = VectorXd::Constant(2, -10);
  problem.upper = VectorXd::Constant(2, 10);
  problem.size = VectorXd::Ones(2);
  problem.equalities = 1;
  const DesignResult found = minimise(problem, {});
  ASSERT_TRUE(found.converged) << found.problem;
  EXPECT_EQ(found.second_order, "minimum");
  EXPECT_EQ(found.saddles, 0);
  EXPECT_NEAR(found.theta.norm(), 0, 1e-8);
}

// Rosenbrock's valley with the unit disc: the known minimum on its border.
TEST(Optimisation, RosenbrockInTheDisc) {
  DesignProblem problem;
  problem.evaluate = [](const VectorXd& x, bool, DesignPoint& p) -> std::string {
    const double a = 1 - x(0), b = x(1) - x(0) * x(0);
    p.objective = a * a + 100 * b * b;
    p.gradient.resize(2);
    p.gradient << -2 * a - 400 * x(0) * b, 200 * b;
    p.constraints.resize(1);
    p.constraints << x.squaredNorm() - 1;
    p.slopes = 2 * x.transpose();
    return "";
  };
  problem.start = VectorXd::Zero(2);
  problem.lower = VectorXd::Constant(2, -INFINITY);
  problem.upper = VectorXd::Constant(2, INFINITY);
  problem.size = VectorXd::Ones(2);
  const DesignResult result = minimise(problem, {});
  EXPECT_TRUE(result.converged) << result.problem;
  EXPECT_NEAR(result.theta.norm(), 1, 1e-9);
  EXPECT_NEAR(result.theta(0), 0.786415, 1e-6);
  EXPECT_NEAR(result.theta(1), 0.617698, 1e-6);
}

// The equation itself, a stable loop, and the cost of the free motion: Lyapunov's equation.
TEST(Regulator, SolvesTheRiccatiEquation) {
  for (int k = 0; k < 20; ++k) {
    const int n = 2 + k % 6;
    const MatrixXd A = mixed(n, n, k), B = mixed(n, 1 + k % 2, 2 * k + 1);
    const MatrixXd Q = MatrixXd::Identity(n, n), R = MatrixXd::Identity(B.cols(), B.cols());
    const Regulator regulator = solve_regulator(A, B, Q, R);
    ASSERT_EQ(regulator.problem, "") << k;
    const MatrixXd& P = regulator.P;
    const MatrixXd residual = A.transpose() * P + P * A - P * B * B.transpose() * P + Q;
    EXPECT_LT(residual.norm(), 1e-10 * (1 + P.squaredNorm())) << k;
    for (const auto& pole : regulator.poles) EXPECT_LT(pole.real(), 0) << k;
  }
}

// Zeros of (s - 1)(s + 2) / ((s + 1)(s + 3)(s + 4)) in controllable form, turned.
TEST(Structure, ZerosAndLostModes) {
  MatrixXd A(3, 3), B(3, 1), C(1, 3);
  A << 0, 1, 0, 0, 0, 1, -12, -19, -8;
  B << 0, 0, 1;
  C << -2, 1, 1;
  const MatrixXd T = mixed(3, 3, 4) + 2 * MatrixXd::Identity(3, 3), U = T.inverse();
  const auto zeros = transmission_zeros(T * A * U, T * B, C * U, MatrixXd::Zero(1, 1));
  ASSERT_EQ(zeros.size(), 2u);
  EXPECT_NEAR(zeros[0].real(), 1, 1e-10);
  EXPECT_NEAR(zeros[1].real(), -2, 1e-10);
  EXPECT_EQ(find_controllability(T * A * U, T * B).rank, 3);
  // a zero on a pole: one mode is not seen
  C << 3, 4, 1;  // (s + 1)(s + 3)
  const Reach seen = find_observability(T * A * U, C * U);
  EXPECT_EQ(seen.rank, 1);
  int lost = 0;
  for (const ModeMargin& mode : seen.modes) lost += mode.margin < margin_tolerance;
  EXPECT_EQ(lost, 2);
}

}  // namespace
}  // namespace cartan::test
