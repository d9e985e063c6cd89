// Quaternions: order, signs and conventions on cases one can check by hand. The laws and the
// accuracy of exp and log are in tests/laws.
#include "lie/quaternion.h"

#include <gtest/gtest.h>

namespace {

using namespace cartan::test;
using Q = Quat<double>;
using V = Vec3<double>;
using D = Dual<1>;

void expect_near(const V& a, const V& b, double tolerance = 1e-15) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}
void expect_near(const Q& a, const Q& b, double tolerance = 1e-15) {
  EXPECT_NEAR(a.w, b.w, tolerance);
  expect_near(a.vector(), b.vector(), tolerance);
}

const Q i(0, 1, 0, 0), j(0, 0, 1, 0), k(0, 0, 0, 1);

TEST(Quaternion, units_multiply_as_hamilton_wrote) {
  expect_near(i * j, k);
  expect_near(j * k, i);
  expect_near(k * i, j);
  expect_near(j * i, -k);
  expect_near(i * i, Q(-1, 0, 0, 0));
  expect_near(Q() * i, i);
}

TEST(Quaternion, quarter_turn_about_z_takes_x_to_y) {
  const Q q = exp_quat(V(0, 0, pi / 2));
  expect_near(q, Q(std::sqrt(0.5), 0, 0, std::sqrt(0.5)));
  expect_near(rotate(q, V(1, 0, 0)), V(0, 1, 0));
  expect_near(rotation_matrix(q) * V(1, 0, 0), V(0, 1, 0));
  expect_near(rotate_back(q, V(0, 1, 0)), V(1, 0, 0));
}

TEST(Quaternion, inverse_and_length) {
  const Q q(1, -2, 3, 0.5);
  EXPECT_DOUBLE_EQ(norm2(q), 14.25);
  EXPECT_DOUBLE_EQ(norm(normalized(q)), 1);
  expect_near(q * inverse(q), Q());
  expect_near(conjugate(conjugate(q)), q);
}

// a quaternion of any length turns as the unit one does, and its matrix is orthogonal
TEST(Quaternion, length_does_not_matter_for_the_rotation) {
  const Q q(0.4, -1.2, 0.7, 2.5);
  const Mat3<double> R = rotation_matrix(q), U = rotation_matrix(normalized(q));
  for (int c = 0; c < 3; ++c) {
    expect_near(R.c[c], U.c[c]);
    expect_near(R.c[c], rotate(-3.0 * q, V(c == 0, c == 1, c == 2)));
    EXPECT_NEAR(norm(R.c[c]), 1, 1e-15);
  }
  EXPECT_NEAR(determinant(R), 1, 1e-15);
}

TEST(Quaternion, matrix_and_back_in_every_branch) {
  // each of w, x, y, z the largest, both signs of w
  const Q cases[] = {{0.9, 0.1, -0.2, 0.3}, {0.1, 0.9, 0.2, -0.3}, {-0.2, 0.1, 0.9, 0.3},
                     {-0.1, 0.2, 0.3, 0.9}, {0, 1, 0, 0},          {0, 0, -1, 0},
                     {0, 0, 0, 1},          {0.5, 0.5, 0.5, 0.5},  {1, 0, 0, 0}};
  for (const Q& given : cases) {
    const Q q = normalized(given);
    const Q back = from_rotation_matrix(rotation_matrix(q));
    EXPECT_GE(back.w, 0);
    const Q difference = conjugate(q) * back;  // 1 or -1
    EXPECT_NEAR(std::fabs(difference.w), 1, 1e-15);
    expect_near(difference.vector(), V(), 4e-16);
  }
}

TEST(Quaternion, log_takes_the_shorter_way) {
  expect_near(log(exp_quat(V(0, 0, 1.5 * pi))), V(0, 0, -pi / 2), 1e-15);
  expect_near(log(-exp_quat(V(0.3, 0, 0))), V(0.3, 0, 0));
  EXPECT_NEAR(norm(log(Q(0, 0.6, 0, 0.8))), pi, 1e-15);
  expect_near(log(Q()), V());
  expect_near(log(Q(-1, 0, 0, 0)), V());
}

// q' = 1/2 q (0, w): the derivative of R is R hat(w), w in body axes
TEST(Quaternion, rate_belongs_to_the_body_angular_velocity) {
  const Q q = normalized(Q(0.3, -0.7, 0.2, 0.5));
  const V w(0.4, -1.1, 2.0), a(0.3, 1.0, -0.2);
  const Q change = rate(q, w);
  EXPECT_NEAR(q.w * change.w + dot(q.vector(), change.vector()), 0, 4e-16);  // |q| stays
  const Quat<D> moving = Quat<D>(q) + D::variable(0, 0) * Quat<D>(change);
  const Vec3<D> point = rotate(moving, Vec3<D>(a));
  expect_near(V(point.x.d[0], point.y.d[0], point.z.d[0]), rotation_matrix(q) * cross(w, a), 2e-15);
  expect_near(angular_velocity(q, change), w, 2e-15);
}

TEST(Quaternion, slerp_halves_the_angle) {
  const Q p = exp_quat(V(0.1, 0.2, 0.3));
  const Q q = p * exp_quat(V(0, 1.2, 0));
  expect_near(slerp(p, q, 0.5), p * exp_quat(V(0, 0.6, 0)));
  expect_near(slerp(p, -q, 0.5), p * exp_quat(V(0, 0.6, 0)));
  expect_near(slerp(p, q, 1.0), q);
}

}  // namespace
