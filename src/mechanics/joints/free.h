// free: C moves and turns as it likes; speeds are its twist in C's axes (product: w in C's axes and
// p' in P's).
//   R = R(u), p = (q4, q5, q6)      (phi, psi) = 1
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct FreeJoint : BallJoint {
  static constexpr JointType type = JointType::free;
  static constexpr Motion motion_kind = Motion::free6;
  static constexpr bool has_constant_columns(bool reversed) { return !reversed; }

  template <class S>
  static void fill_motion(const Link<S>&, const S* q, const S*, JointMotion<S>& m) {
    m.R = rotation_matrix(quaternion_at(q));
    m.p = {q[4], q[5], q[6]};
    for (int k = 0; k < 3; ++k) m.phi[k] = m.psi[k + 3] = unit_vector<S>(k);
  }
  template <class S>
  static void fill_displacement(const Link<S>& link, const S* q, const S* d,
                                JointDisplacement<S>& x) {
    x.turn = exp_quat(Vec3<S>{d[0], d[1], d[2]});
    const Vec3<S> linear{d[3], d[4], d[5]};
    x.shift = link.product ? linear : rotation_matrix(quaternion_at(q)) * linear;
  }
  template <class S, class Equations>
  static void hold(const LoopJoint<S>&, Equations&&) {}
  template <class S>
  static void fill_coordinates(const LoopJoint<S>& loop, const RelativePose<S>& x, const int* turns,
                               S* q) {
    BallJoint::fill_coordinates(loop, x, turns, q);
    write_vector(x.p, q + 4);
  }
  template <class S>
  static void fill_speeds(const LoopJoint<S>& loop, const LoopSpeedWriter<S>& speeds) {
    BallJoint::fill_speeds(loop, speeds);
    for (int k = 0; k < 3; ++k) speeds.slide_along_C(k + 3, k);
  }

  template <class Add>
  static void list_fields(int, Add&& add) {
    add(JointField::Kind::right, 0, 6);
    add(JointField::Kind::left, 0, 6);
  }
  // right, S = (a, s):  p' = R s,  w' = w x a,  u' = u x a + w x s
  template <class S>
  static void fill_field(const JointField& field, const S* q, const S* v, S* dq, S* dv) {
    const bool left = field.kind == JointField::Kind::left, turn = field.component < 3;
    const Vec3<S> e = unit_vector<S>(field.component % 3);
    const Vec3<S> w{v[0], v[1], v[2]}, u{v[3], v[4], v[5]};
    if (turn) write_turn(quaternion_at(q), e, left, dq);
    if (left) {
      write_vector(turn ? cross(e, Vec3<S>{q[4], q[5], q[6]}) : e, dq + 4);
    } else if (turn) {
      write_vector(cross(w, e), dv);
      write_vector(cross(u, e), dv + 3);
    } else {
      write_vector(rotation_matrix(quaternion_at(q)) * e, dq + 4);
      write_vector(cross(w, e), dv + 3);
    }
  }
};

}  // namespace cartan::mechanics
