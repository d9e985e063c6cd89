// q' = N(q) v of one joint, differentiated by its q and v.
#pragma once

#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

// by_q(i, j, value), by_v(i, j, value): entries that are not zero for every state.
//   u' = 1/2 u (0, w),   p' = R v
template <class ByQ, class ByV>
void list_kinematic_slopes(const Link<double>& link, const double* q, const double* v, ByQ&& by_q,
                           ByV&& by_v) {
  if (!has_quaternion(link)) {
    for (int k = 0; k < link.nv; ++k) by_v(k, k, 1.0);
    return;
  }
  const double half[3] = {0.5 * v[0], 0.5 * v[1], 0.5 * v[2]};
  for (int k = 0; k < 3; ++k) {
    const int l = (k + 1) % 3, m = (k + 2) % 3;
    by_q(0, 1 + k, -half[k]);
    by_q(1 + k, 0, half[k]);
    by_q(1 + k, 1 + l, half[m]);
    by_q(1 + k, 1 + m, -half[l]);
    by_v(0, k, -0.5 * q[1 + k]);
    by_v(1 + k, k, 0.5 * q[0]);
    by_v(1 + k, m, 0.5 * q[1 + l]);
    by_v(1 + k, l, -0.5 * q[1 + m]);
  }
  if (!has_place(link)) return;
  // d(R s) = R (d x s), d = 2 vec(u^-1 du) / |u|^2
  const Quat<double> turn = quaternion_at(q);
  const Mat3<double> R = rotation_matrix(turn);
  const Vec3<double> slide{v[3], v[4], v[5]}, a = turn.vector();
  const double scale = 2 / norm2(turn);
  for (int j = 0; j < 4; ++j) {
    const Vec3<double> e = j > 0 ? unit_vector<double>(j - 1) : Vec3<double>{};
    const Vec3<double> d = j == 0 ? -a : turn.w * e - cross(a, e);
    const Vec3<double> by = R * cross(scale * d, slide);
    for (int k = 0; k < 3; ++k) by_q(4 + k, j, by[k]);
  }
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k) by_v(4 + k, 3 + j, R.c[j][k]);
}

}  // namespace cartan::mechanics
