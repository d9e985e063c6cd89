// Poses, twists and wrenches: frames, order and signs. The laws and accuracy are in tests/laws.
#include "lie/se3.h"

#include <gtest/gtest.h>

#include "lie/so3r3.h"

namespace {

using namespace cartan::test;
using V = Vec3<double>;
using D = Dual<1>;

constexpr double tolerance = 4e-15;

void expect_equal(const V& a, const V& b) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}
void expect_equal(const Twist<double>& a, const Twist<double>& b) {
  expect_equal(a.w, b.w), expect_equal(a.v, b.v);
}
void expect_equal(const Wrench<double>& a, const Wrench<double>& b) {
  expect_equal(a.n, b.n), expect_equal(a.f, b.f);
}
void expect_equal(const Pose<double>& a, const Pose<double>& b) {
  expect_equal(a.p, b.p);
  for (int c = 0; c < 3; ++c) expect_equal(a.R.c[c], b.R.c[c]);
}

const Pose<double> X_WA = SE3<double>::exp({{0.3, -0.8, 1.1}, {1, 2, -0.5}});
const Pose<double> X_AB = SE3<double>::exp({{-1.3, 0.2, 0.4}, {-0.3, 0.6, 0.9}});
const Twist<double> V_a{{0.5, -1.0, 0.7}, {1.2, 0.1, -0.4}};
const Twist<double> V_b{{-0.2, 0.9, 1.4}, {0.3, -1.6, 0.8}};
const Wrench<double> F{{0.6, 1.5, -0.9}, {-2.0, 0.4, 1.1}};

TEST(Pose, product_chains_frames) {
  const V point_B(0.2, -0.7, 1.0);
  expect_equal((X_WA * X_AB) * point_B, X_WA * (X_AB * point_B));
  expect_equal(inverse_times(X_WA, X_WA * point_B), point_B);
  expect_equal(inverse_times(X_WA, X_WA * X_AB), X_AB);
  expect_equal(inverse(X_WA) * (X_WA * point_B), point_B);
  expect_equal(Pose<double>() * point_B, point_B);
}

TEST(Pose, screw_by_hand) {
  // a quarter turn about z while moving along x at unit body speed per radian: a quarter circle of
  // radius one that starts along x and ends at (1, 1)
  const Pose<double> X = SE3<double>::exp({{0, 0, pi / 2}, {pi / 2, 0, 0}});
  expect_equal(X.p, V(1, 1, 0));
  expect_equal(X.R * V(1, 0, 0), V(0, 1, 0));
}

// X' = X hat(V): the velocity of a body-fixed point is R (v + w x r)
TEST(Twist, is_a_body_velocity) {
  const D s = D::variable(0, 0);
  auto dual = [](const V& a) { return Vec3<D>(a); };
  const Pose<D> X{Mat3<D>(X_WA.R), dual(X_WA.p)};
  const Pose<D> moved = X * SE3<D>::exp(s * Twist<D>{dual(V_a.w), dual(V_a.v)});
  const V r(0.4, -0.3, 0.8);
  const Vec3<D> point = moved * dual(r);
  expect_equal(V(point.x.d[0], point.y.d[0], point.z.d[0]), X_WA.R * (V_a.v + cross(V_a.w, r)));
}

TEST(Twist, Ad_and_its_inverse_and_transposes) {
  expect_equal(Ad_inverse(X_WA, Ad(X_WA, V_a)), V_a);
  expect_equal(Ad(inverse(X_WA), V_a), Ad_inverse(X_WA, V_a));
  EXPECT_NEAR(dot(F, Ad(X_WA, V_a)), dot(Ad_transpose(X_WA, F), V_a), tolerance);
  expect_equal(Ad_inverse_transpose(X_WA, Ad_transpose(X_WA, F)), F);
  EXPECT_NEAR(dot(Ad_inverse_transpose(X_WA, F), Ad(X_WA, V_a)), dot(F, V_a), tolerance);
  EXPECT_GT(std::fabs(dot(F, V_a)), 0.1);
}

TEST(Twist, a_force_at_a_distance_has_a_moment) {
  const Pose<double> X{Mat3<double>::identity(), {2, 0, 0}};
  expect_equal(Ad_inverse_transpose(X, Wrench<double>{{}, {0, 1, 0}}), {{0, 0, 2}, {0, 1, 0}});
}

TEST(Twist, ad_and_its_transpose) {
  EXPECT_NEAR(dot(F, ad(V_a, V_b)), dot(ad_transpose(V_a, F), V_b), tolerance);
  expect_equal(ad(V_a, V_a), Twist<double>());
  EXPECT_GT(norm(ad(V_a, V_b).v), 0.1);
}

TEST(TwistMap, blocks_are_the_actions) {
  expect_equal(Ad_matrix(X_WA) * V_a, Ad(X_WA, V_a));
  expect_equal(ad_matrix(V_a) * V_b, ad(V_a, V_b));
  expect_equal((Ad_matrix(X_WA) * Ad_matrix(X_AB)) * V_a, Ad(X_WA * X_AB, V_a));
  expect_equal(transpose_times(Ad_matrix(X_WA), F), Ad_transpose(X_WA, F));
  expect_equal(transpose_times(ad_matrix(V_a), F), ad_transpose(V_a, F));
  expect_equal(SE3<double>::dexp_matrix(V_a) * V_b, SE3<double>::dexp(V_a, V_b));
  expect_equal(SE3<double>::dexp_inverse_matrix(V_a) * V_b, SE3<double>::dexp_inverse(V_a, V_b));
  using Direct = SO3R3<double>;
  expect_equal(Direct::dexp_matrix(V_a) * V_b, Direct::dexp(V_a, V_b));
  expect_equal(Direct::dexp_inverse_matrix(V_a) * V_b, Direct::dexp_inverse(V_a, V_b));
  using Rotation = SO3<double>;
  expect_equal(Rotation::dexp_matrix(V_a.w) * V_b.w, Rotation::dexp(V_a.w, V_b.w));
  expect_equal(Rotation::dexp_inverse_matrix(V_a.w) * V_b.w, Rotation::dexp_inverse(V_a.w, V_b.w));
}

// In SO(3) x R^3 a pose moves along a straight line while it turns; in SE(3) along a screw.
TEST(SO3R3, keeps_rotation_and_position_apart) {
  const Twist<double> u{{0, 0, pi / 2}, {1, 0, 0}};
  expect_equal(SO3R3<double>::exp(u).p, V(1, 0, 0));
  EXPECT_GT(norm(SE3<double>::exp(u).p - V(1, 0, 0)), 0.1);
  expect_equal(SO3R3<double>::compose(X_WA, X_AB).p, X_WA.p + X_AB.p);
}

}  // namespace
