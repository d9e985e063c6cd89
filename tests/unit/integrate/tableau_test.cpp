// The coefficients satisfy the conditions they were made for.
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/tableau.h"

namespace cartan::test {
namespace {

double power(double x, int n) {
  return n == 0 ? 1 : std::pow(x, n);
}

class Explicit : public testing::TestWithParam<const ExplicitTableau* (*)()> {};
const ExplicitTableau* rk4() {
  return &classical_rk4();
}
const ExplicitTableau* rk45() {
  return &dormand_prince_54();
}
const ExplicitTableau* dop853() {
  return &dormand_prince_853();
}

TEST_P(Explicit, RowsSumToNodes) {
  const ExplicitTableau& t = *GetParam()();
  for (std::size_t i = 0; i < t.a.size(); ++i) {
    double sum = 0;
    for (double a : t.a[i]) sum += a;
    EXPECT_NEAR(sum, t.c[i], 4e-14) << i;
  }
}

// Quadrature conditions and those with one matrix: bushy trees of every order up to the method's.
TEST_P(Explicit, OrderConditions) {
  const ExplicitTableau& t = *GetParam()();
  const auto& b = t.b();
  for (int k = 1; k <= t.order; ++k) {
    double sum = 0;
    for (int i = 0; i < t.stages; ++i) sum += b[i] * power(t.c[i], k - 1);
    EXPECT_NEAR(sum, 1.0 / k, 1e-14);
    for (int q = 1; k + q <= t.order; ++q) {
      double nested = 0;
      for (int i = 0; i < t.stages; ++i)
        for (std::size_t j = 0; j < t.a[i].size(); ++j)
          nested += b[i] * power(t.c[i], k - 1) * t.a[i][j] * power(t.c[j], q - 1);
      EXPECT_NEAR(nested, 1.0 / (q * (k + q)), 1e-14) << k << " " << q;
    }
  }
}

// An error estimate is blind to what the embedded method integrates exactly.
TEST_P(Explicit, ErrorEstimate) {
  const ExplicitTableau& t = *GetParam()();
  const auto moment = [&](const std::vector<double>& e, int k) {
    double sum = 0;
    for (std::size_t i = 0; i < e.size(); ++i) sum += e[i] * power(t.c[i], k - 1);
    return sum;
  };
  const int fine = t.stages == 12 ? 5 : t.error_order;
  for (int k = 1; k <= fine; ++k) EXPECT_NEAR(moment(t.error, k), 0, 1e-14);
  if (!t.error.empty()) {
    EXPECT_GT(std::fabs(moment(t.error, fine + 1)), 1e-6);
  }
  for (int k = 1; k <= 3; ++k) EXPECT_NEAR(moment(t.error_low, k), 0, 1e-14);
}
INSTANTIATE_TEST_SUITE_P(All, Explicit, testing::Values(rk4, rk45, dop853));

class Gauss : public testing::TestWithParam<int> {};

// B(2s), C(s), D(s): together they give order 2s.
TEST_P(Gauss, SimplifyingAssumptions) {
  const CollocationTableau t = make_gauss_legendre(GetParam());
  const int s = t.stages;
  for (int k = 1; k <= 2 * s; ++k) {
    double sum = 0;
    for (int i = 0; i < s; ++i) sum += t.b[i] * power(t.c[i], k - 1);
    EXPECT_NEAR(sum, 1.0 / k, 3e-16);
  }
  for (int k = 1; k <= s; ++k)
    for (int i = 0; i < s; ++i) {
      double c = 0, d = 0;
      for (int j = 0; j < s; ++j) {
        c += t.at(i, j) * power(t.c[j], k - 1);
        d += t.b[j] * power(t.c[j], k - 1) * t.at(j, i);
      }
      EXPECT_NEAR(c, power(t.c[i], k) / k, 3e-16);
      EXPECT_NEAR(d, t.b[i] * (1 - power(t.c[i], k)) / k, 3e-16);
    }
}

TEST_P(Gauss, SymmetricAndSymplectic) {
  const CollocationTableau t = make_gauss_legendre(GetParam());
  const int s = t.stages;
  for (int i = 0; i < s; ++i) {
    EXPECT_EQ(t.b[i], t.b[s - 1 - i]);
    EXPECT_NEAR(t.c[i] + t.c[s - 1 - i], 1, 2.3e-16);
    for (int j = 0; j < s; ++j) {
      EXPECT_NEAR(t.b[i] * t.at(i, j) + t.b[j] * t.at(j, i), t.b[i] * t.b[j], 6e-17);
      if (2 * i >= s) EXPECT_EQ(t.at(i, j), t.b[j] - t.at(s - 1 - i, s - 1 - j)) << i << j;
    }
  }
}

TEST(GaussValues, KnownValues) {
  const CollocationTableau t = make_gauss_legendre(2);
  EXPECT_NEAR(t.c[0], 0.5 - std::sqrt(3.0) / 6, 1e-16);
  EXPECT_EQ(t.b[0], 0.5);
  EXPECT_EQ(t.at(0, 0), 0.25);
  EXPECT_EQ(t.at(1, 1), 0.25);
  EXPECT_NEAR(t.at(0, 1), 0.25 - std::sqrt(3.0) / 6, 3e-17);
  const CollocationTableau three = make_gauss_legendre(3);
  EXPECT_EQ(three.b[0], 5.0 / 18);
  EXPECT_EQ(three.b[1], 4.0 / 9);
  EXPECT_EQ(three.c[1], 0.5);
}

TEST_P(Gauss, CollocationWeightsMeetTheNodes) {
  const CollocationTableau t = make_gauss_legendre(GetParam());
  std::vector<double> w(t.stages);
  for (int i = 0; i < t.stages; ++i) {
    fill_collocation_weights(t, t.c[i], w);
    for (int j = 0; j < t.stages; ++j) EXPECT_NEAR(w[j], t.at(i, j), 4e-16);
  }
  fill_collocation_weights(t, 1, w);
  for (int j = 0; j < t.stages; ++j) EXPECT_NEAR(w[j], t.b[j], 4e-16);
}
INSTANTIATE_TEST_SUITE_P(Stages, Gauss, testing::Range(1, max_gauss_stages + 1));

}  // namespace
}  // namespace cartan::test
