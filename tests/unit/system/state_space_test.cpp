// Axioms of plus and minus, tangent rates, displacement rates, and the length of unit quaternions.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lie/quaternion.h"
#include "lie/se3.h"
#include "system/state_space.h"

namespace cartan::test {
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

// A pose between vectors, and one at the end.
StateSpace make_pose_space() {
  StateSpace space;
  space.add_vector(1);
  space.add_pose();
  space.add_quaternion();
  space.add_vector(2);
  space.add_pose();
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

TEST(StateSpace, LayoutWithPoses) {
  const StateSpace space = make_pose_space();
  EXPECT_EQ(space.size(), 21);
  EXPECT_EQ(space.tangent_size(), 18);
  ASSERT_EQ(space.blocks().size(), 5u);
  EXPECT_EQ(space.blocks()[1].kind, StateBlock::Kind::pose);
  EXPECT_EQ(space.blocks()[1].size, 7);
  EXPECT_EQ(space.blocks()[2].x, 8);
  EXPECT_EQ(space.blocks()[2].tangent, 7);
  EXPECT_EQ(space.blocks()[4].x, 14);
  EXPECT_EQ(space.blocks()[4].tangent, 12);
}

void check_plus_and_minus(const StateSpace& space, double slack) {
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
      EXPECT_LT(largest_difference(d, back), slack);
      EXPECT_LT(space.unit_norm_error(y), 1e-15);
      std::vector<double> again(space.size());
      space.plus(x, back, again);
      EXPECT_LT(largest_difference(again, y), slack);
    }
  }
}

TEST(StateSpace, PlusOfMinusAndMinusOfPlus) {
  check_plus_and_minus(make_space(), 4e-15);
}

TEST(StateSpace, PlusOfMinusAndMinusOfPlusWithPoses) {
  check_plus_and_minus(make_pose_space(), 2e-14);
}

void check_zero(const StateSpace& space) {
  std::mt19937 random(8);
  const std::vector<double> x = random_point(space, random);
  std::vector<double> zero(space.tangent_size(), 0.0), y(space.size()),
      d(space.tangent_size(), 1.0);
  space.plus(x, zero, y);
  EXPECT_EQ(y, x);
  space.minus(x, x, d);
  EXPECT_LT(largest_difference(d, zero), 1e-15);
}

TEST(StateSpace, ZeroIsNeutral) {
  check_zero(make_space());
  check_zero(make_pose_space());
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

// ----------------------------------------------------------------------------------- tangent rates

std::vector<double> random_tangent(const StateSpace& space, double size, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<double> d(space.tangent_size());
  for (double& value : d) value = size * std::tanh(normal(random));
  return d;
}

// d/ds g(s) at s = 0 by a central difference of order eight.
template <class Curve>
std::vector<double> slope(const Curve& g, std::size_t size) {
  const double h = 0.02, weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  std::vector<double> sum(size, 0.0);
  for (int k = 1; k <= 4; ++k) {
    const std::vector<double> up = g(k * h), down = g(-k * h);
    for (std::size_t i = 0; i < size; ++i) sum[i] += weights[k - 1] * (up[i] - down[i]) / h;
  }
  return sum;
}

// The curve x (+) s xi has the tangent rate xi at s = 0, and everywhere on it.
TEST(StateSpace, ToTangentOfStraightLines) {
  const StateSpace space = make_pose_space();
  std::mt19937 random(11);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> x = random_point(space, random);
    const std::vector<double> xi = random_tangent(space, 1, random);
    for (double at : {0.0, 0.7}) {
      const auto curve = [&](double s) {
        std::vector<double> d = xi, y(space.size());
        for (double& value : d) value *= at + s;
        space.plus(x, d, y);
        return y;
      };
      std::vector<double> seen(space.tangent_size());
      space.to_tangent(curve(0), slope(curve, space.size()), seen);
      EXPECT_LT(largest_difference(seen, xi), 2e-12);
    }
  }
}

// A turn about z at 3 rad/s while the position runs along the world's x: the twist is in body axes.
TEST(StateSpace, ToTangentOfAKnownMotion) {
  StateSpace space;
  space.add_pose();
  space.add_quaternion();
  space.add_vector(2);
  const double a = 0.4, c = std::cos(a / 2), s = std::sin(a / 2), w = 3;
  const std::vector<double> x = {c, 0, 0, s, 5, 6, 7, c, 0, 0, s, 1, 2};
  const std::vector<double> rate = {-s * w / 2, 0, 0, c * w / 2, 2, 0, 0,
                                    -s * w / 2, 0, 0, c * w / 2, 8, 9};
  const std::vector<double> expected = {0, 0, w, 2 * std::cos(a), -2 * std::sin(a), 0, 0, 0,
                                        w, 8, 9};
  std::vector<double> xi(11);
  space.to_tangent(x, rate, xi);
  EXPECT_LT(largest_difference(xi, expected), 2e-15);
}

// Along any curve y(s) = x0 (+) d(s): d' from d and the tangent rate of y.
TEST(StateSpace, DisplacementRateAlongACurve) {
  const StateSpace space = make_pose_space();
  std::mt19937 random(12);
  for (double size : {1e-9, 1e-5, 1e-3, 0.1, 1.0, 1.7})
    for (int trial = 0; trial < 10; ++trial) {
      const std::vector<double> x0 = random_point(space, random);
      const std::vector<double> d = random_tangent(space, size, random),
                                v = random_tangent(space, 1, random),
                                a = random_tangent(space, 1, random);
      const auto displacement = [&](double s) {
        std::vector<double> value = d;
        for (std::size_t i = 0; i < value.size(); ++i) value[i] += s * v[i] + s * s * a[i];
        return value;
      };
      const auto curve = [&](double s) {
        std::vector<double> y(space.size());
        space.plus(x0, displacement(s), y);
        return y;
      };
      std::vector<double> xi(space.tangent_size()), rate(space.tangent_size());
      space.to_tangent(curve(0), slope(curve, space.size()), xi);
      space.displacement_rate(d, xi, rate);
      EXPECT_LT(largest_difference(rate, v), 1e-11) << size;
    }
}

// At d = 0 and along d itself nothing is changed.
TEST(StateSpace, DisplacementRateLeavesStraightLines) {
  const StateSpace space = make_pose_space();
  std::mt19937 random(13);
  const std::vector<double> xi = random_tangent(space, 1, random), zero(space.tangent_size(), 0.0);
  std::vector<double> rate(space.tangent_size());
  space.displacement_rate(zero, xi, rate);
  EXPECT_EQ(rate, xi);
  std::vector<double> along = xi;
  for (double& value : along) value *= 1.3;
  space.displacement_rate(along, xi, rate);
  EXPECT_LT(largest_difference(rate, xi), 2e-15);
}

// What a displacement that changes does to its end is undone by the rate of the displacement.
TEST(StateSpace, TurnsUndoDisplacementRates) {
  const StateSpace space = make_pose_space();
  std::mt19937 random(17);
  double largest = 0;
  for (const double size : {1e-9, 1e-3, 0.1, 1.0, 1.7}) {
    const std::vector<double> d = random_tangent(space, size, random),
                              v = random_tangent(space, 1, random);
    std::vector<double> end = v, back(space.tangent_size());
    for (const StateBlock& b : space.blocks()) {
      if (b.kind == StateBlock::Kind::vector) continue;
      std::vector<double> turned(6, 0.0);
      int entries = 0;
      StateSpace::fill_turn(b, d, [&](int row, int column, double value) {
        turned[row] += value * v[b.tangent + column];
        ++entries;
      });
      const int count = b.kind == StateBlock::Kind::pose ? 6 : 3;
      EXPECT_EQ(entries, count * count);
      std::copy_n(turned.begin(), count, end.begin() + b.tangent);
    }
    space.displacement_rate(d, end, back);
    EXPECT_LT(largest_difference(back, v), 1e-14) << size;
    largest = std::max(largest, largest_difference(end, v));
  }
  EXPECT_GT(largest, 0.1);
}

// A pose block is SE(3): the same numbers as the functions on matrices.
TEST(StateSpace, PosesAreSE3) {
  using Group = SE3<double>;
  StateSpace space;
  space.add_pose();
  std::mt19937 random(14);
  const auto pose = [](const std::vector<double>& x) {
    return Pose<double>{rotation_matrix(Quat<double>(x[0], x[1], x[2], x[3])),
                        Vec3<double>(x[4], x[5], x[6])};
  };
  const auto twist = [](const std::vector<double>& d) {
    return Group::unflatten({d[0], d[1], d[2], d[3], d[4], d[5]});
  };
  const auto expect_equal = [](const Pose<double>& a, const Pose<double>& b) {
    for (double s : {-1.0, 0.0, 2.0}) {
      const Vec3<double> point(s, 1 - s, 0.5), gap = a * point - b * point;
      EXPECT_LT(std::sqrt(dot(gap, gap)), 2e-14);
    }
  };
  const auto numbers = [](const Twist<double>& V) {
    const auto flat = Group::flatten(V);
    return std::vector<double>(flat.begin(), flat.end());
  };
  for (double size : {1e-7, 0.01, 1.0, 1.6})
    for (int trial = 0; trial < 20; ++trial) {
      const std::vector<double> x = random_point(space, random);
      const std::vector<double> d = random_tangent(space, size, random),
                                xi = random_tangent(space, 1, random);
      std::vector<double> y(7), back(6), rate(6);
      space.plus(x, d, y);
      expect_equal(pose(y), pose(x) * Group::exp(twist(d)));
      space.minus(y, x, back);
      EXPECT_LT(largest_difference(back, numbers(Group::log(inverse(pose(x)) * pose(y)))), 2e-14);
      space.displacement_rate(d, xi, rate);
      EXPECT_LT(largest_difference(rate, numbers(Group::dexp_inverse(-twist(d), twist(xi)))),
                1e-15);
    }
}

// A screw motion is a straight line on a pose, not on the product of a quaternion and a vector.
TEST(StateSpace, ScrewsAreStraightOnPosesOnly) {
  StateSpace pose, product;
  pose.add_pose();
  product.add_quaternion();
  product.add_vector(3);
  const double radius = 2, pitch = 0.3;
  const auto at = [&](double a) {
    return std::vector<double>{
        std::cos(a / 2),      0,        0, std::sin(a / 2), radius * std::cos(a),
        radius * std::sin(a), pitch * a};
  };
  const auto middle = [&](const StateSpace& space) {
    std::vector<double> d(6), x(7);
    space.minus(at(1.2), at(0), d);
    for (double& value : d) value /= 2;
    space.plus(at(0), d, x);
    return x;
  };
  EXPECT_LT(largest_difference(middle(pose), at(0.6)), 2e-15);
  EXPECT_GT(largest_difference(middle(product), at(0.6)), 0.1);
}

TEST(StateSpace, NormaliseTouchesTheQuaternionOfAPose) {
  StateSpace space;
  space.add_pose();
  std::vector<double> x = {2, 0, 0, 0, 3, 4, 5};
  EXPECT_EQ(space.unit_norm_error(x), 1);
  space.normalise(x);
  EXPECT_EQ(x, (std::vector<double>{1, 0, 0, 0, 3, 4, 5}));
}

TEST(StateSpace, TangentAndEmbeddedRatesAreInverse) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const StateSpace& space : {make_space(), make_pose_space()}) {
    const std::vector<double> x = random_point(space, random);
    std::vector<double> xi(space.tangent_size()), rate(space.size()), back(space.tangent_size());
    for (double& number : xi) number = normal(random);
    space.to_embedded(x, xi, rate);
    space.to_tangent(x, rate, back);
    EXPECT_LT(largest_difference(xi, back), 1e-14);
  }
}

}  // namespace
}  // namespace cartan::test
