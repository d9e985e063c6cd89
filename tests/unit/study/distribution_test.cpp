// Distributions against their closed forms, portable functions against the library's.
#include "study/distribution.h"

#include <cmath>

#include <gtest/gtest.h>

#include "study/portable_math.h"
#include "study/sampler.h"

namespace cartan::test {
namespace {

using Kind = Distribution::Kind;

TEST(PortableMath, LogarithmAndExponential) {
  for (double x = 1e-300; x < 1e300; x *= 3.7)
    EXPECT_NEAR(portable_log(x), std::log(x), 3e-16 * std::fabs(std::log(x)) + 3e-16) << x;
  for (double x = -0.3; x < 0.3; x += 0.0137)
    EXPECT_NEAR(portable_log(1 + x), std::log(1 + x), 4e-16) << x;
  for (double x = -700; x < 700; x += 3.21)
    EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 6e-16) << x;
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-800), 0);
  EXPECT_TRUE(std::isinf(portable_exp(800)));
}

TEST(PortableMath, NormalQuantileInvertsTheErrorFunction) {
  for (const double p : {1e-300, 1e-100, 1e-20, 1e-10, 1e-5, 0.001, 0.02, 0.05, 0.074, 0.076, 0.3,
                         0.5, 0.7, 0.925, 0.95, 0.99}) {
    const double z = normal_quantile(p), back = 0.5 * std::erfc(-z / std::sqrt(2.0));
    // A relative error e of z is one of about z^2 e of p.
    EXPECT_NEAR(back / p, 1, 4e-16 * (1 + z * z)) << p;
  }
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_EQ(normal_quantile(0.25), -normal_quantile(0.75));
}

// F(quantile(p)) = p for the distribution function F of each.
TEST(Distributions, QuantilesInvertTheirFunctions) {
  const Distribution uniform{Kind::uniform, {0.9, 1.1}}, normal{Kind::normal, {0.5, 0.1}},
      lognormal{Kind::lognormal, {0.2, 0.7}}, triangular{Kind::triangular, {1, 2, 5}};
  const auto phi = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };
  for (double p = 0.001; p < 1; p += 0.0173) {
    EXPECT_NEAR((uniform.quantile(p) - 0.9) / 0.2, p, 1e-14);
    EXPECT_NEAR(phi((normal.quantile(p) - 0.5) / 0.1), p, 1e-14);
    EXPECT_NEAR(phi((std::log(lognormal.quantile(p)) - 0.2) / 0.7), p, 1e-14);
    const double x = triangular.quantile(p);
    const double F = x <= 2 ? (x - 1) * (x - 1) / 4 : 1 - (5 - x) * (5 - x) / 12;
    EXPECT_NEAR(F, p, 1e-14);
  }
}

// Means and variances of 2^14 Sobol points.
TEST(Distributions, MomentsOfSamples) {
  struct Case {
    Distribution d;
    double mean, variance;
  };
  const double e = std::exp(0.2 + 0.5 * 0.25);
  const Case cases[] = {{{Kind::uniform, {-1, 3}}, 1, 16.0 / 12},
                        {{Kind::normal, {2, 0.5}}, 2, 0.25},
                        {{Kind::lognormal, {0.2, 0.5}}, e, e * e * (std::exp(0.25) - 1)},
                        {{Kind::triangular, {0, 1, 5}}, 2, (0 + 1 + 25 - 0 - 5 - 0) / 18.0},
                        {{Kind::values, {1, 2, 6}}, 3, 14.0 / 3}};
  constexpr int count = 1 << 14;
  for (const Case& c : cases) {
    ASSERT_EQ(check_distribution(c.d), "");
    const Sampler sampler(Sampling::sobol, 1, count, 1);
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double x = c.d.quantile(sampler.unit(0, i)) - c.mean;
      sum += x, squares += x * x;
    }
    EXPECT_NEAR(sum / count, 0, 2e-4 * std::sqrt(c.variance)) << to_string(c.d.kind);
    EXPECT_NEAR(squares / count / c.variance, 1, 5e-3) << to_string(c.d.kind);
  }
}

// Inputs are the same on every machine, to the last bit: those of a study of two inputs, seed 1.
TEST(Distributions, SamplesAreTheSameEverywhere) {
  const Distribution uniform{Kind::uniform, {1, 3}}, normal{Kind::normal, {3, 0.5}};
  const Sampler sampler(Sampling::sobol, 4, 250, 1);
  EXPECT_EQ(uniform.quantile(sampler.unit(0, 0)), 1.1424378220344276);
  EXPECT_EQ(normal.quantile(sampler.unit(1, 0)), 4.1882361517036246);
  EXPECT_EQ(uniform.quantile(sampler.unit(2, 0)), 2.9897643697749974);
  EXPECT_EQ(normal.quantile(sampler.unit(3, 0)), 2.7520447644081756);
}

TEST(Distributions, GridsHitTheirEnds) {
  const Distribution lin{Kind::lin, {0.1, 0.7, 4}}, log{Kind::log, {0.01, 1, 5}},
      list{Kind::list, {3, 1, 2}};
  EXPECT_EQ(lin.count(), 4u);
  EXPECT_EQ(lin.value(0), 0.1);
  EXPECT_NEAR(lin.value(1), 0.3, 1e-16);
  EXPECT_EQ(lin.value(3), 0.7);
  EXPECT_EQ(log.value(4), 1);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(log.value(i + 1) / log.value(i), std::sqrt(10.0), 3e-15);
  EXPECT_EQ(list.value(1), 1);
  EXPECT_EQ((Distribution{Kind::lin, {2, 9, 1}}).value(0), 2);
  EXPECT_LT((Distribution{Kind::log, {-1, -100, 3}}).value(1), 0);
}

TEST(Distributions, BadNumbersAreToldWithWhatIsExpected) {
  const auto expect = [](const Distribution& d, const char* text) {
    EXPECT_NE(check_distribution(d).find(text), std::string::npos) << check_distribution(d);
  };
  expect({Kind::uniform, {1}}, "takes 2 numbers, low and high; got 1");
  expect({Kind::uniform, {2, 1}}, "low and high");
  expect({Kind::normal, {0, -1}}, "deviation not below zero");
  expect({Kind::triangular, {0, 5, 1}}, "rising order");
  expect({Kind::triangular, {1, 1, 1}}, "rising order");
  expect({Kind::log, {-1, 1, 3}}, "one sign");
  expect({Kind::lin, {0, 1, 2.5}}, "number of values");
  expect({Kind::values, {}}, "at least one");
  expect({Kind::uniform, {0, INFINITY}}, "finite");
}

}  // namespace
}  // namespace cartan::test
