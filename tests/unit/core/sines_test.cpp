// Sines and cosines four abreast against long double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/lanes/sines.h"
#include "support/random.h"

namespace cartan::test {
namespace {

double unit_of_last_place(double x) {
  return std::nextafter(std::fabs(x), INFINITY) - std::fabs(x);
}

struct WorstUnits {
  double sine = 0, cosine = 0;
};

void compare(const double (&angle)[4], WorstUnits& worst) {
  double sine[4], cosine[4];
  core::fill_sines(4, angle, sine, cosine);
  for (int k = 0; k < 4; ++k) {
    const long double x = angle[k], s = std::sin(x), c = std::cos(x);
    worst.sine = std::max<double>(
        worst.sine, std::fabs(sine[k] - s) / unit_of_last_place(static_cast<double>(s)));
    worst.cosine = std::max<double>(
        worst.cosine, std::fabs(cosine[k] - c) / unit_of_last_place(static_cast<double>(c)));
  }
}

// Half a unit by the last sum, 0.3 by the products in its smaller term. Where k is large, that term
// is not much smaller for angles near a multiple of pi/2, and takes another unit.
double most_units(double range) {
  return range <= 1e4 ? 0.9 : 1.7;
}

TEST(SinesFourAbreast, AreWithinAUnitOfTheLastPlace) {
  Random random(3);
  for (const double range : {0.01, 0.8, 4.0, 100.0, 1e4, 1e6, 2e6}) {
    WorstUnits worst;
    for (int k = 0; k < 100000; ++k) {
      const double angle[4] = {random.uniform(-range, range), random.uniform(-range, range),
                               random.uniform(-range, range), random.uniform(-range, range)};
      compare(angle, worst);
    }
    EXPECT_LT(worst.sine, most_units(range)) << range;
    EXPECT_LT(worst.cosine, most_units(range)) << range;
    EXPECT_GT(worst.sine, 0.3) << range;  // it is compared with more digits
  }
}

// Where the result is small, its own last place counts.
TEST(SinesFourAbreast, LoseNothingNearMultiplesOfARightAngle) {
  WorstUnits worst;
  for (int k = 1; k < 600000; k = k * 9 / 8 + 1) {
    const double near = k * 1.5707963267948966;
    const double angle[4] = {near, std::nextafter(near, 0), std::nextafter(near, INFINITY), -near};
    compare(angle, worst);
  }
  EXPECT_LT(worst.sine, 0.6);
  EXPECT_LT(worst.cosine, 0.6);
}

TEST(SinesFourAbreast, LargeAnglesAndNoNumbersAreThoseOfTheLibrary) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double angle[4] = {3e22, -infinity, std::nan(""), 0.0};
  double sine[4], cosine[4];
  core::fill_sines(4, angle, sine, cosine);
  EXPECT_EQ(sine[0], std::sin(3e22));
  EXPECT_EQ(cosine[0], std::cos(3e22));
  EXPECT_TRUE(std::isnan(sine[1]) && std::isnan(cosine[1]));
  EXPECT_TRUE(std::isnan(sine[2]) && std::isnan(cosine[2]));
  EXPECT_EQ(sine[3], 0);
  EXPECT_EQ(cosine[3], 1);
}

}  // namespace
}  // namespace cartan::test
