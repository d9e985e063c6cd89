// Poses, rotations and inertias of drafts.
#include <cmath>

#include "import/draft.h"

namespace cartan::import {
namespace {

using V = Vec3<double>;
using Q = Quat<double>;

// R I R^T, with I as six numbers
void turn_moments(double (&moments)[6], const Q& q) {
  const Mat3<double> R = rotation_matrix(q);
  double full[3][3] = {{moments[0], moments[3], moments[4]},
                       {moments[3], moments[1], moments[5]},
                       {moments[4], moments[5], moments[2]}};
  double half[3][3], turned[3][3];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      half[i][j] = 0;
      for (int k = 0; k < 3; ++k) half[i][j] += R(i, k) * full[k][j];
    }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      turned[i][j] = 0;
      for (int k = 0; k < 3; ++k) turned[i][j] += half[i][k] * R(j, k);
    }
  const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k)
    moments[k] = 0.5 * (turned[rows[k]][columns[k]] + turned[columns[k]][rows[k]]);
}

bool is_identity(const Q& q) {
  return q.x == 0 && q.y == 0 && q.z == 0;
}

// Adds m (|d|^2 1 - d d^T)
void add_point(double (&moments)[6], double mass, const V& d) {
  moments[0] += mass * (d.y * d.y + d.z * d.z);
  moments[1] += mass * (d.x * d.x + d.z * d.z);
  moments[2] += mass * (d.x * d.x + d.y * d.y);
  moments[3] -= mass * d.x * d.y;
  moments[4] -= mass * d.x * d.z;
  moments[5] -= mass * d.y * d.z;
}

DraftInertia solid(double mass, double xx, double yy, double zz) {
  DraftInertia piece;
  piece.mass = mass;
  piece.moments[0] = xx, piece.moments[1] = yy, piece.moments[2] = zz;
  return piece;
}

}  // namespace

V rotate(const Q& q, const V& v) {
  return is_identity(q) ? v : rotation_matrix(q) * v;
}

DraftPose compose(const DraftPose& X_AB, const DraftPose& X_BC) {
  DraftPose result;
  result.p = X_AB.p + rotate(X_AB.q, X_BC.p);
  if (is_identity(X_AB.q)) {
    result.q = X_BC.q;
    result.rpy = X_BC.rpy;
  } else if (is_identity(X_BC.q)) {
    result.q = X_AB.q;
    result.rpy = X_AB.rpy;
  } else {
    result.q = normalized(X_AB.q * X_BC.q);
  }
  return result;
}

DraftPose inverse(const DraftPose& X_AB) {
  DraftPose result;
  result.q = conjugate(normalized(X_AB.q));
  result.p = -rotate(result.q, X_AB.p);
  return result;
}

Q quaternion_from_axis(const V& axis, double angle) {
  const double length = norm(axis);
  if (length == 0 || angle == 0) return {};
  return {std::cos(angle / 2), (std::sin(angle / 2) / length) * axis};
}

Q quaternion_from_rpy(const V& rpy) {
  return quaternion_from_axis({0, 0, 1}, rpy.z) * quaternion_from_axis({0, 1, 0}, rpy.y) *
         quaternion_from_axis({1, 0, 0}, rpy.x);
}

Q quaternion_from_axes(const V& x, const V& y) {
  const V a = (1 / norm(x)) * x;
  V b = y - dot(a, y) * a;
  b = (1 / norm(b)) * b;
  const V c = cross(a, b);
  // The largest of the four components first: no cancellation.
  const double t[4] = {a.x + b.y + c.z, a.x - b.y - c.z, b.y - a.x - c.z, c.z - a.x - b.y};
  int k = 0;
  for (int i = 1; i < 4; ++i)
    if (t[i] > t[k]) k = i;
  const double big = 0.5 * std::sqrt(1 + t[k]), f = 0.25 / big;
  if (k == 0) return {big, f * (b.z - c.y), f * (c.x - a.z), f * (a.y - b.x)};
  if (k == 1) return {f * (b.z - c.y), big, f * (b.x + a.y), f * (c.x + a.z)};
  if (k == 2) return {f * (c.x - a.z), f * (b.x + a.y), big, f * (c.y + b.z)};
  return {f * (a.y - b.x), f * (c.x + a.z), f * (c.y + b.z), big};
}

Q quaternion_to_direction(const V& z) {
  const double length = norm(z);
  if (length == 0) return {};
  const V d = (1 / length) * z;
  const V axis{-d.y, d.x, 0};  // e_z x d
  const double sine = norm(axis);
  if (sine < 1e-12) return d.z > 0 ? Q{} : Q{0, 1, 0, 0};
  return quaternion_from_axis(axis, std::atan2(sine, d.z));
}

DraftPose rpy_pose(const V& p, const V& rpy) {
  DraftPose pose;
  pose.p = p;
  pose.q = quaternion_from_rpy(rpy);
  if (rpy.x != 0 || rpy.y != 0 || rpy.z != 0) pose.rpy = rpy;
  return pose;
}

DraftInertia placed(const DraftInertia& piece, const DraftPose& X_BP) {
  DraftInertia result = piece;
  result.com = X_BP.p + rotate(X_BP.q, piece.com);
  if (!is_identity(X_BP.q)) turn_moments(result.moments, X_BP.q);
  return result;
}

DraftInertia sum(const std::vector<DraftInertia>& pieces) {
  if (pieces.size() == 1) return pieces[0];
  DraftInertia total;
  V moment;
  for (const DraftInertia& piece : pieces) {
    total.mass += piece.mass;
    moment += piece.mass * piece.com;
  }
  if (total.mass <= 0) return total;
  total.com = (1 / total.mass) * moment;
  for (const DraftInertia& piece : pieces) {
    for (int k = 0; k < 6; ++k) total.moments[k] += piece.moments[k];
    add_point(total.moments, piece.mass, piece.com - total.com);
  }
  return total;
}

DraftInertia solid_box(double mass, const V& s) {
  const double f = mass / 12;
  return solid(mass, f * (s.y * s.y + s.z * s.z), f * (s.x * s.x + s.z * s.z),
               f * (s.x * s.x + s.y * s.y));
}

DraftInertia solid_ellipsoid(double mass, const V& s) {
  const double f = mass / 5;
  return solid(mass, f * (s.y * s.y + s.z * s.z), f * (s.x * s.x + s.z * s.z),
               f * (s.x * s.x + s.y * s.y));
}

DraftInertia solid_cylinder(double mass, double r, double length) {
  const double across = mass * (3 * r * r + length * length) / 12;
  return solid(mass, across, across, mass * r * r / 2);
}

// Cylinder and two half balls of one density; a half ball's centre lies 3 r / 8 from its disc.
DraftInertia solid_capsule(double mass, double r, double length) {
  const double volume = M_PI * r * r * (length + 4 * r / 3);
  if (volume <= 0) return solid(mass, 0, 0, 0);
  const double tube = mass * (M_PI * r * r * length) / volume, ball = mass - tube;
  const double along = tube * r * r / 2 + ball * 2 * r * r / 5;
  const double across = tube * (3 * r * r + length * length) / 12 +
                        ball * (2 * r * r / 5 + length * length / 4 + 3 * length * r / 8);
  return solid(mass, across, across, along);
}

}  // namespace cartan::import
