// ellipsoidal: the origin of C stays on an ellipsoid with its axes along P's, at the place that the
// direction n of C's z axis tells; C turns as it likes.
//   R = R(u), n = R z, p = D n with D = diag(a, b, c)
//   phi_k = e_k, psi_k = M (e_k x z) with M = R^T D R, M' = M hat(w) - hat(w) M
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct EllipsoidalJoint : BallJoint {
  static constexpr JointType type = JointType::ellipsoidal;
  static constexpr bool has_constant_columns(bool) { return false; }

  template <class S>
  static Vec3<S> stretched(const Link<S>& link, const Vec3<S>& n) {
    return {link.sizes.x * n.x, link.sizes.y * n.y, link.sizes.z * n.z};
  }

  template <class S>
  static void fill_motion(const Link<S>& link, const S* q, const S* v, JointMotion<S>& m) {
    m.R = rotation_matrix(quaternion_at(q));
    m.p = stretched(link, m.R.c[2]);
    m.varies = true;
    const Vec3<S> w{v[0], v[1], v[2]}, z = unit_vector<S>(2);
    const auto M = [&](const Vec3<S>& a) { return transpose_times(m.R, stretched(link, m.R * a)); };
    for (int k = 0; k < 3; ++k) {
      m.phi[k] = unit_vector<S>(k);
      const Vec3<S> side = cross(m.phi[k], z);
      m.psi[k] = M(side);
      m.psi_dot[k] = M(cross(w, side)) - cross(w, m.psi[k]);
    }
  }
  // p1 - p = D R (R(turn) - 1) z
  template <class S>
  static void fill_displacement(const Link<S>& link, const S* q, const S* d,
                                JointDisplacement<S>& x) {
    x.turn = exp_quat(Vec3<S>{d[0], d[1], d[2]});
    x.shift = stretched(
        link, rotation_matrix(quaternion_at(q)) * turned_difference(x.turn, unit_vector<S>(2)));
  }
  // e . p = r e . n for the axes e of P, r its half axis:  e . u - r w . (n x e) = 0
  template <class S, class Equations>
  static void hold(const LoopJoint<S>& loop, Equations&& hold) {
    for (int k = 0; k < 3; ++k) {
      const S& r = loop.shape.sizes[k];
      hold.equation([&](const RelativePose<S>& x) { return x.p[k] - r * x.R.c[2][k]; },
                    [&](const auto& x, const auto& w_P, const auto& w_C, auto&& row) {
                      const auto e = frame_axis(x.R_P, k), n = frame_axis(x.R_C, 2);
                      const auto e_rate = cross(w_P, e), n_rate = cross(w_C, n);
                      row(-r * cross(n, e), e, -r * (cross(n_rate, e) + cross(n, e_rate)), e_rate);
                    });
    }
  }
};

}  // namespace cartan::mechanics
