// Axioms of plus and minus, and the length of unit quaternions.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "system/state_space.h"

namespace cartan {
namespace {

StateSpace make_space() {
  StateSpace space;
  space.add_vector(2);
  space.add_quaternion();
  space.add_vector(1);
  space.add_vector(2);  // merges with the one before
  space.add_quaternion();
  return space;
}

std::vector<double> random_point(const StateSpace& space, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> x(space.size());
  for (double& value : x) value = normal(random);
  space.normalise(x);
  return x;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
  return worst;
}

TEST(StateSpace, Layout) {
  const StateSpace space = make_space();
  EXPECT_EQ(space.size(), 13);
  EXPECT_EQ(space.tangent_size(), 11);
  ASSERT_EQ(space.blocks().size(), 4u);
  EXPECT_EQ(space.blocks()[2].size, 3);
  EXPECT_EQ(space.blocks()[2].x, 6);
  EXPECT_EQ(space.blocks()[2].tangent, 5);
  EXPECT_EQ(space.blocks()[3].x, 9);
  EXPECT_EQ(space.blocks()[3].tangent, 8);
}

TEST(StateSpace, PlusOfMinusAndMinusOfPlus) {
  const StateSpace space = make_space();
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (double size : {1e-12, 1e-8, 1e-4, 1e-2, 0.3, 1.0, 1.7}) {
    for (int trial = 0; trial < 20; ++trial) {
      const std::vector<double> x = random_point(space, random);
      std::vector<double> d(space.tangent_size()), y(space.size()), back(space.tangent_size());
      for (double& value : d)
        value = size * std::tanh(normal(random));  // rotations below a half turn
      space.plus(x, d, y);
      space.minus(y, x, back);
      EXPECT_LT(largest_difference(d, back), 4e-15);
      EXPECT_LT(space.unit_norm_error(y), 1e-15);
      std::vector<double> again(space.size());
      space.plus(x, back, again);
      EXPECT_LT(largest_difference(again, y), 4e-15);
    }
  }
}

TEST(StateSpace, ZeroIsNeutral) {
  const StateSpace space = make_space();
  std::mt19937 random(8);
  const std::vector<double> x = random_point(space, random);
  std::vector<double> zero(space.tangent_size(), 0.0), y(space.size()),
      d(space.tangent_size(), 1.0);
  space.plus(x, zero, y);
  EXPECT_EQ(y, x);
  space.minus(x, x, d);
  EXPECT_LT(largest_difference(d, zero), 1e-15);
}

TEST(StateSpace, NormaliseTouchesQuaternionsOnly) {
  const StateSpace space = make_space();
  std::mt19937 random(9);
  std::vector<double> x = random_point(space, random);
  const std::vector<double> kept = x;
  for (int i = 2; i < 6; ++i) x[i] *= 1.001;
  EXPECT_NEAR(space.unit_norm_error(x), 0.001, 1e-12);
  space.normalise(x);
  EXPECT_LT(largest_difference(x, kept), 1e-15);
  EXPECT_LT(space.unit_norm_error(x), 2.3e-16);
}

}  // namespace
}  // namespace cartan
