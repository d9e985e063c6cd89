// exp, log, dexp and dexp^-1 of rotations and poses against extended precision, over all angles
// from 1e-12 to the half turn and beyond, both sides of every switch, for several axes.
//
// Errors are in eps (2.2e-16). exp: error of each entry of a matrix with entries up to one, and,
// for the part that is small when the angle is, relative to the angle. log: the rotation vector's
// error relative to its own length (near the half turn that is an absolute error of pi times as
// much). dexp, dexp^-1: relative to the largest entry of the reference matrix. Beyond the half turn
// the limits are wider: |u|^2 is rounded to eps/2 and cos t then moves by t times that; dexp^-1 has
// a pole at the full turn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "angles.h"
#include "extended.h"
#include "lie/se3.h"
#include "lie/so3.h"

namespace {

using namespace cartan::test;
using extended::Matrix;
using extended::Real;
using V = Vec3<double>;

constexpr double eps = 2.220446049250313e-16;

// An error, never forgetting a NaN.
struct Worst {
  double eps_units = 0;
  void see(Real error, double scale = 1) {
    const double e = extended::to_double(extended::abs(error)) / (scale * eps);
    if (!(e <= eps_units)) eps_units = e;
  }
  void demand(const char* what, double limit) const {
    std::printf("  %-44s %.2f eps\n", what, eps_units);
    EXPECT_LE(eps_units, limit) << what;
    EXPECT_GT(eps_units, 0) << what << ": nothing was measured";
  }
};

const std::vector<V>& axes() {
  static const std::vector<V> list = [] {
    std::vector<V> a = {{1, 0, 0},  {0, -1, 0},    {0, 0, 1},      {1, 1, 1},
                        {1, -2, 3}, {-3, 1, 1e-7}, {0.1, 5, -0.3}, {1e-9, 1e-4, -1}};
    for (V& v : a) v = (1 / norm(v)) * v;
    return a;
  }();
  return list;
}

// calls f(rotation vector, its length) for every angle, with three of the axes in turn
template <class F>
void for_each_rotation(double largest, F&& f) {
  std::size_t turn = 0;
  for (double t : laws::angles(largest))
    for (int k = 0; k < 3; ++k) f(t * axes()[turn++ % axes().size()], t);
}

Matrix<3> exact_exp(const V& u) {
  return extended::exp_series<3>(extended::hat({u.x, u.y, u.z}), 0);
}
Mat3<double> rounded(const Matrix<3>& m) {
  Mat3<double> r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r(i, j) = extended::to_double(m[i][j]);
  return r;
}
// (cos(t/2), sin(t/2) u/t)
std::array<Real, 4> exact_quat(const V& u) {
  const Real x = (Real(u.x) * u.x + Real(u.y) * u.y + Real(u.z) * u.z) / 4;
  const Real s = extended::tail(x, 1) / 2;
  return {extended::tail(x, 0), s * u.x, s * u.y, s * u.z};
}
Quat<double> rounded(const std::array<Real, 4>& q) {
  return {extended::to_double(q[0]), extended::to_double(q[1]), extended::to_double(q[2]),
          extended::to_double(q[3])};
}
double size(const Matrix<6>& m) {
  Real largest = 0;
  for (const auto& row : m)
    for (Real x : row) largest = std::max(largest, extended::abs(x));
  return extended::to_double(largest);
}

// The angular part of R, (R - R^T)/2, is of the size of the angle: compared relative to it.
TEST(Accuracy, rotation_exp) {
  Worst half_turn, full_turn, small_part, quat, orthogonal;
  for_each_rotation(2 * pi, [&](const V& u, double t) {
    const Matrix<3> exact = exact_exp(u);
    const Mat3<double> R = SO3<double>::exp(u);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        (t <= pi ? half_turn : full_turn).see(R(i, j) - exact[i][j]);
        if (t > 0 && t <= pi && i != j) small_part.see(R(i, j) - exact[i][j], std::min(t, 1.0));
      }
    const Quat<double> q = S3<double>::exp(u);
    const auto exact_q = exact_quat(u);
    quat.see(q.w - exact_q[0]);
    quat.see(q.x - exact_q[1], std::min(t + 1e-300, 1.0));
    quat.see(q.y - exact_q[2], std::min(t + 1e-300, 1.0));
    quat.see(q.z - exact_q[3], std::min(t + 1e-300, 1.0));
    orthogonal.see(norm(q) - 1);
    orthogonal.see(norm(R.c[0]) - 1), orthogonal.see(dot(R.c[0], R.c[1]));
  });
  half_turn.demand("SO3 exp, entries, to the half turn", 8);
  full_turn.demand("SO3 exp, entries, to the full turn", 8);
  small_part.demand("SO3 exp, off diagonal relative to the angle", 6);
  quat.demand("S3 exp", 4);
  orthogonal.demand("orthogonality", 8);
}

// Log of the correctly rounded exponential gives the rotation vector back. From the half turn on,
// the shorter way round is returned: there the result is compared with u (1 - 2 pi/t), and at the
// half turn itself (either sign is right) with the nearer of the two.
void see_log(Worst& worst, const V& u, double t, const V& found) {
  if (t == 0) {
    EXPECT_EQ(norm(found), 0);
    return;
  }
  EXPECT_LE(norm(found), pi * (1 + 4 * eps));
  const Real two_pi = Real(2 * pi) + Real(2.4492935982947064e-16);  // rounded pi plus its rest
  const Real length = extended::sqrt(Real(u.x) * u.x + Real(u.y) * u.y + Real(u.z) * u.z);
  const bool around = dot(found, u) < 0;
  if (std::fabs(t - pi) > 8 * eps) {
    EXPECT_EQ(around, t > pi) << t;
  }
  const Real factor = around ? 1 - two_pi / length : Real(1);
  for (int i = 0; i < 3; ++i) worst.see(found[i] - factor * u[i], norm(found));
}

TEST(Accuracy, rotation_log) {
  Worst matrix, quat, minus_quat, scaled_quat;
  for_each_rotation(pi + 0.1, [&](const V& u, double t) {
    see_log(matrix, u, t, SO3<double>::log(rounded(exact_exp(u))));
    const Quat<double> q = rounded(exact_quat(u));
    see_log(quat, u, t, S3<double>::log(q));
    see_log(minus_quat, u, t, S3<double>::log(-q));
    see_log(scaled_quat, u, t, S3<double>::log(3.7 * q));
  });
  matrix.demand("SO3 log, relative", 6);
  quat.demand("S3 log, relative", 6);
  minus_quat.demand("S3 log of -q, relative", 6);
  scaled_quat.demand("S3 log of 3.7 q, relative", 6);
}

TEST(Accuracy, log_exp_round_trip) {
  Worst matrix, quat;
  for_each_rotation(pi + 0.1, [&](const V& u, double t) {
    see_log(matrix, u, t, SO3<double>::log(SO3<double>::exp(u)));
    see_log(quat, u, t, S3<double>::log(S3<double>::exp(u)));
  });
  matrix.demand("SO3 log exp", 8);
  quat.demand("S3 log exp", 8);
}

TEST(Accuracy, quaternion_and_matrix) {
  Worst to_matrix, any_length, to_quat;
  for_each_rotation(pi, [&](const V& u, double t) {
    const auto exact = exact_quat(u);
    const Quat<double> q = rounded(exact);
    const Matrix<3> R = exact_exp(u);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        to_matrix.see(rotation_matrix(q)(i, j) - R[i][j]);
        any_length.see(rotation_matrix(1e-3 * q)(i, j) - R[i][j]);
      }
    Quat<double> p = from_rotation_matrix(rounded(R));
    const double sign = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0 ? -1 : 1;
    p = sign * p;
    to_quat.see(p.w - exact[0]);
    const double scale = std::min(t + 1e-300, 1.0);
    to_quat.see(p.x - exact[1], scale), to_quat.see(p.y - exact[2], scale);
    to_quat.see(p.z - exact[3], scale);
  });
  to_matrix.demand("rotation_matrix", 6);
  any_length.demand("rotation_matrix, any length", 6);
  to_quat.demand("from_rotation_matrix", 6);
}

// A twist with its linear part across and along the axis, of a size unlike the angle's.
Twist<double> screw(const V& u, double t) {
  return {u, {0.7, -1.1 + t, 0.4}};
}
std::array<Real, 6> digits(const Twist<double>& u) {
  return {u.w.x, u.w.y, u.w.z, u.v.x, u.v.y, u.v.z};
}

TEST(Accuracy, pose_exp_log) {
  Worst translation, back;
  for (double t : laws::angles(pi)) {
    if (t > pi - 1e-12) continue;  // the rotation vector's sign is open there
    for (const V& axis : {axes()[1], axes()[3], axes()[4], axes()[6]}) {
      const Twist<double> u = screw(t * axis, t);
      const Matrix<4> exact = extended::exp_series<4>(extended::twist_matrix(digits(u)), 0);
      const Pose<double> X = SE3<double>::exp(u);
      for (int i = 0; i < 3; ++i) translation.see(X.p[i] - exact[i][3], norm(u.v));
      const Twist<double> l = SE3<double>::log(X);
      for (int i = 0; i < 3; ++i) back.see(l.v[i] - u.v[i], norm(u.v));
    }
  }
  translation.demand("SE3 exp, translation", 4);
  back.demand("SE3 log exp, linear part", 8);
}

template <class Map>
void see_blocks(Worst& worst, const Matrix<6>& exact, const Map& map) {
  const double scale = size(exact);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      worst.see(map.ww(i, j) - exact[i][j], scale);
      worst.see(map.vw(i, j) - exact[i + 3][j], scale);
      worst.see(map.vv(i, j) - exact[i + 3][j + 3], scale);
    }
}
template <class Action>
void see_action(Worst& worst, const Matrix<6>& exact, Action&& action) {
  const double scale = size(exact);
  for (int j = 0; j < 6; ++j) {
    std::array<double, 6> unit{};
    unit[j] = 1;
    const auto column = SE3<double>::flatten(action(SE3<double>::unflatten(unit)));
    for (int i = 0; i < 6; ++i) worst.see(column[i] - exact[i][j], scale);
  }
}

TEST(Accuracy, pose_dexp) {
  Worst matrix, action, inverse_matrix, inverse_action, near_pole;
  std::vector<double> grid;
  const std::vector<double> all = laws::angles(6.2);
  for (std::size_t i = 0; i < all.size(); i += 2) grid.push_back(all[i]);
  for (double t : grid)
    for (const V& axis : {axes()[2], axes()[4]}) {
      const Twist<double> u = screw(t * axis, t);
      const Matrix<6> exact = extended::exp_series<6>(extended::ad_matrix(digits(u)), 1);
      see_blocks(matrix, exact, SE3<double>::dexp_matrix(u));
      see_action(action, exact, [&](const auto& v) { return SE3<double>::dexp(u, v); });
      const Matrix<6> inverse = extended::inverse<6>(exact);
      if (t > pi) {
        see_blocks(near_pole, inverse, SE3<double>::dexp_inverse_matrix(u));
        continue;
      }
      see_blocks(inverse_matrix, inverse, SE3<double>::dexp_inverse_matrix(u));
      see_action(inverse_action, inverse,
                 [&](const auto& v) { return SE3<double>::dexp_inverse(u, v); });
    }
  matrix.demand("SE3 dexp, blocks", 8);
  action.demand("SE3 dexp, action", 8);
  inverse_matrix.demand("SE3 dexp^-1, blocks, to the half turn", 8);
  inverse_action.demand("SE3 dexp^-1, action, to the half turn", 8);
  near_pole.demand("SE3 dexp^-1, blocks, to 6.2", 40);
}

}  // namespace
