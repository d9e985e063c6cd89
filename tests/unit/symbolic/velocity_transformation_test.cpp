// Velocity transformations: the published case, random matrices, and both in symbols.
#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/Core>

#include "derivations/swinging_legs.h"
#include "support/random.h"
#include "symbolic/simplify/zero.h"
#include "symbolic/vectors/velocity_transformation.h"

namespace cartan::test {
namespace {

using derivations::Values;
const Values legs_state = {{"u1", 0.2}, {"u2", -0.5}, {"u3", 0.7},
                           {"q1", 0.1}, {"q2", 0.4},  {"q3", -0.3}};

void expect_published(const std::vector<double>& W, const std::vector<double>& D) {
  const double expected[] = {
      1, 0.07271534163180672, 0.06033704141845933, 0, 1, -0.16687677964167300, 0, 0, 1};
  const double diagonal[] = {1.9, 0.04995371027360231, 0.03969183481306964};
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(W[k], expected[k], 1e-15) << k;
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(D[k], diagonal[k], 1e-15) << k;
}

TEST(VelocityTransformation, PublishedCaseInNumbers) {
  const auto legs = derivations::derive_swinging_legs();
  const std::vector<double> M = evaluate(*legs, legs->equations.M, legs_state);
  const auto t = factorise_mass_matrix(M, 3);
  expect_published(t.W, t.diagonal);
  const std::vector<double> u = new_speeds(t, {0.2, -0.5, 0.7});
  EXPECT_NEAR(u[0], 0.20587825817701817, 1e-15);
  EXPECT_NEAR(u[1], -0.61681374574917110, 1e-15);
  EXPECT_NEAR(u[2], 0.7, 1e-15);
}

TEST(VelocityTransformation, PublishedCaseInSymbols) {
  const auto legs = derivations::derive_swinging_legs();
  const auto t = factorise_mass_matrix(legs->equations.M, 3);
  expect_published(evaluate(*legs, t.W, legs_state), evaluate(*legs, t.diagonal, legs_state));
  // Gram and Schmidt on the tangent vectors
  std::vector<SystemVector> basis = tangents(legs->system->velocity(), legs->u).vectors;
  const SystemInertia& inertia = legs->system->inertia();
  auto inner = [&](const SystemVector& a, const SystemVector& b) {
    return inner_product(a, b, inertia);
  };
  const auto s = orthogonalise<Expression>(basis, inner);
  expect_published(evaluate(*legs, s.W, legs_state), evaluate(*legs, s.diagonal, legs_state));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double expected = i == j ? evaluate(*legs, {s.diagonal[i]}, legs_state)[0] : 0;
      EXPECT_NEAR(evaluate(*legs, {inner(basis[i], basis[j])}, legs_state)[0], expected,
                  1e-16 + 1e-14 * expected);
    }
}

// M = W^T D W as an identity, and W' W^-1 from M' alone against the derivative of W.
TEST(VelocityTransformation, Proved) {
  const auto legs = derivations::derive_swinging_legs();
  const std::vector<Expression>& M = legs->equations.M;
  const auto t = factorise_mass_matrix(M, 3);
  std::vector<Expression> M_rate;
  for (const Expression& x : M) M_rate.push_back(legs->kinematics.rate(x));
  const auto rate = rate_of(t, M_rate);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Expression sum;
      for (int k = 0; k < 3; ++k) sum += t.w(k, i) * t.diagonal[k] * t.w(k, j);
      EXPECT_TRUE(is_identically_zero(legs->graph, sum - M[3 * i + j])) << i << j;
      EXPECT_TRUE(is_identically_zero(legs->graph, rate.w(i, j) - legs->kinematics.rate(t.w(i, j))))
          << i << j;
    }
  EXPECT_FALSE(is_identically_zero(legs->graph, t.w(1, 2)));
}

// The rate of the transformation in symbols: against its derivative by the chain rule, and the new
// accelerations against those of M u' = R.
TEST(VelocityTransformation, RateInSymbols) {
  const auto legs = derivations::derive_swinging_legs();
  Kinematics& kinematics = legs->kinematics;
  const auto t = factorise_mass_matrix(legs->equations.M, 3);
  std::vector<Expression> M_rate, W_rate, D_rate;
  for (const Expression& x : legs->equations.M) M_rate.push_back(kinematics.rate(x));
  for (const Expression& x : t.W) W_rate.push_back(kinematics.rate(x));
  for (const Expression& x : t.diagonal) D_rate.push_back(kinematics.rate(x));
  const auto rate = rate_of(t, M_rate);
  const auto found = evaluate(*legs, rate.W, legs_state),
             expected = evaluate(*legs, W_rate, legs_state);
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(found[k], expected[k], 1e-15) << k;
  const auto D = evaluate(*legs, rate.diagonal, legs_state),
             D0 = evaluate(*legs, D_rate, legs_state);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(D[k], D0[k], 1e-16) << k;

  const auto udot_new =
      evaluate(*legs, new_accelerations(t, rate, legs->u, legs->equations.f), legs_state);
  const double u[] = {0.2, -0.5, 0.7},
               udot[] = {-1.1575536779547632, -6.8850409920478790, 10.012266235048693};
  const auto W = evaluate(*legs, t.W, legs_state);
  for (int i = 0; i < 3; ++i) {
    double value = 0;  // (W u)' = W' u + W u'
    for (int j = 0; j < 3; ++j) value += found[3 * i + j] * u[j] + W[3 * i + j] * udot[j];
    EXPECT_NEAR(udot_new[i], value, 1e-13);
  }
}

std::vector<double> random_mass_matrix(Random& random, int n) {
  std::vector<double> A(n * n), M(n * n);
  for (double& x : A) x = random.uniform(-1, 1);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      M[i * n + j] = i == j ? 0.5 : 0.0;
      for (int k = 0; k < n; ++k) M[i * n + j] += A[i * n + k] * A[j * n + k];
    }
  return M;
}

// Gram and Schmidt's way in numbers: tangent vectors are the columns of a matrix, inertia is a
// diagonal.
TEST(VelocityTransformation, OrthogonaliseInNumbers) {
  Random random(12);
  const int n = 5, rows = 9;
  Eigen::MatrixXd B(rows, n);
  Eigen::VectorXd inertia(rows);
  for (int i = 0; i < rows; ++i) {
    inertia[i] = random.uniform(0.5, 2);
    for (int k = 0; k < n; ++k) B(i, k) = random.uniform(-1, 1);
  }
  const Eigen::MatrixXd gram = B.transpose() * inertia.asDiagonal() * B;
  std::vector<double> M(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) M[i * n + j] = gram(i, j);
  std::vector<Eigen::VectorXd> basis;
  for (int k = 0; k < n; ++k) basis.push_back(B.col(k));
  auto inner = [&](const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
    return double(a.dot(inertia.cwiseProduct(b)));
  };
  const auto s = orthogonalise<double>(basis, inner);
  const auto t = factorise_mass_matrix(M, n);
  for (int k = 0; k < n * n; ++k) EXPECT_NEAR(s.W[k], t.W[k], 1e-12);
  for (int i = 0; i < n; ++i) {
    EXPECT_NEAR(s.diagonal[i], t.diagonal[i], 1e-12);
    for (int j = 0; j < i; ++j) EXPECT_NEAR(inner(basis[i], basis[j]), 0, 1e-13);
  }
}

// The factors, the rate against a difference quotient.
TEST(VelocityTransformation, RandomMatrices) {
  Random random(11);
  for (const int n : {1, 2, 3, 6, 10}) {
    const std::vector<double> M = random_mass_matrix(random, n),
                              M_rate = random_mass_matrix(random, n);
    const auto t = factorise_mass_matrix(M, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k <= std::min(i, j); ++k) sum += t.w(k, i) * t.diagonal[k] * t.w(k, j);
        EXPECT_NEAR(sum, M[i * n + j], 1e-13);
      }
    const auto rate = rate_of(t, M_rate);
    const double h = 1e-5;
    std::vector<double> before = M, after = M;
    for (int k = 0; k < n * n; ++k) before[k] -= h * M_rate[k], after[k] += h * M_rate[k];
    const auto a = factorise_mass_matrix(before, n), b = factorise_mass_matrix(after, n);
    for (int k = 0; k < n * n; ++k)
      EXPECT_NEAR(rate.W[k], (b.W[k] - a.W[k]) / (2 * h), 1e-6 * (1 + std::fabs(rate.W[k])));
    for (int k = 0; k < n; ++k)
      EXPECT_NEAR(rate.diagonal[k], (b.diagonal[k] - a.diagonal[k]) / (2 * h),
                  1e-6 * (1 + std::fabs(rate.diagonal[k])));
    // solve
    std::vector<double> x(n), R(n);
    for (double& value : x) value = random.uniform(-1, 1);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) R[i] += M[i * n + j] * x[j];
    const std::vector<double> found = solve(t, R), again = old_speeds(t, new_speeds(t, x));
    for (int i = 0; i < n; ++i) {
      EXPECT_NEAR(found[i], x[i], 1e-11);
      EXPECT_NEAR(again[i], x[i], 1e-12);
    }
  }
}

}  // namespace
}  // namespace cartan::test
