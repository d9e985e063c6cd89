// What a joint type tells of itself beside its row in model/joint_types.h: the interface of
// revolute.h, planar.h, ... and what they share. all_joints.h lists the types; a type that does not
// tell everything does not compile.
//
// With V = (w, v) the twist of C relative to P in C's axes, V = sum_k (phi_k, psi_k) v_k; phi_dot,
// psi_dot are the time derivatives of the columns' components in C.
#pragma once

#include <concepts>
#include <span>

#include "lie/quaternion.h"
#include "lie/so3.h"
#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/mechanism.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

template <class S>
struct JointMotion {
  Mat3<S> R = Mat3<S>::identity();  // pose of C in P
  Vec3<S> p;
  Vec3<S> phi[6], psi[6], phi_dot[6], psi_dot[6];
  bool varies = false;  // the last two are not all zero
};

// The change of the pose by a finite displacement d in the joint's own motions.
template <class S>
struct JointDisplacement {
  Quat<S> turn;   // R1 = R R(turn), outboard axes at q
  Vec3<S> shift;  // p1 - p, inboard axes
};

// A vector field on the joint's coordinates that may leave a mechanism's motion unchanged
// (mechanism_geometry.h).
struct JointField {
  enum class Kind { shift, left, right };
  int link = 0;
  Kind kind = Kind::shift;
  int component = 0;  // left, right: 0..2 rotations, 3..5 translations
};

// Frames of a loop joint against each other.
template <class S>
struct RelativePose {
  Vec3<S> p;  // origin of C from that of P, P's axes
  Mat3<S> R;
};

// Axes of a loop joint may be those of frames that move, too (constraints/row_slopes.h).
template <class S>
const Vec3<S>& frame_axis(const Mat3<S>& frame, int k) {
  return frame.c[k];
}

template <class S>
Vec3<S> unit_vector(int k) {
  return {S(k == 0 ? 1 : 0), S(k == 1 ? 1 : 0), S(k == 2 ? 1 : 0)};
}

template <class S>
Vec3<S> unit(const Vec3<S>& a) {
  return (S(1) / norm(a)) * a;
}

// R turned by `angle` about the unit vector a: R exp(a angle).
template <class S>
Mat3<S> turned_about(const Vec3<S>& a, const S& s, const S& c) {
  const S k = S(1) - c;
  Mat3<S> R = k * outer(a, a) + s * hat(a);
  R.c[0].x += c;
  R.c[1].y += c;
  R.c[2].z += c;
  return R;
}
template <class S>
Mat3<S> turned_about(const Vec3<S>& a, const S& angle) {
  S s, c;
  sincos(angle, s, c);
  return turned_about(a, s, c);
}

// (R(e) - 1) a for a unit quaternion e, no digit lost where e is close to one.
template <class S>
Vec3<S> turned_difference(const Quat<S>& e, const Vec3<S>& a) {
  const Vec3<S> va = S(2) * cross(e.vector(), a);
  return e.w * va + cross(e.vector(), va);
}

// Angle about the loop's axis by which C is turned against P.
template <class S>
S loop_angle(const LoopJoint<S>& loop, const Mat3<S>& R) {
  const Vec3<S> a = R * loop.side1, b = R * loop.side2;
  return atan2(dot(loop.side2, a) - dot(loop.side1, b), dot(loop.side1, a) + dot(loop.side2, b));
}

// Writes the speeds of a loop joint as rows on the relative motion (LoopSpeed).
template <class S>
struct LoopSpeedWriter {
  const LoopState<S>& x;
  const Vec3<S>&w_P, &w_C;  // angular velocities of the two sides
  LoopSpeed<S>* v;

  void turn_about_P(int k, const Vec3<S>& e_P) const {
    v[k] = {};
    v[k].alpha = x.R_P * e_P;
    v[k].alpha_rate = cross(w_P, v[k].alpha);
  }
  void slide_along_P(int k, const Vec3<S>& e_P) const {
    v[k] = {};
    v[k].beta = x.R_P * e_P;
    v[k].beta_rate = cross(w_P, v[k].beta);
  }
  void turn_about_C(int k, int axis) const {
    v[k] = {};
    v[k].alpha = x.R_C.c[axis];
    v[k].alpha_rate = cross(w_C, v[k].alpha);
  }
  void slide_along_C(int k, int axis) const {
    v[k] = {};
    v[k].beta = x.R_C.c[axis];
    v[k].beta_rate = cross(w_C, v[k].beta);
  }
};

// ---- what most types have in common

struct CommonJoint {
  static constexpr Motion motion_kind = Motion::general;

  // link.axis, axis2 from the numbers of the model; sizes are set for all.
  template <class S>
  static void set_directions(std::span<const S> a, Link<S>& link) {
    auto vector = [&](int k) { return unit(Vec3<S>{a[k], a[k + 1], a[k + 2]}); };
    if (a.size() >= 3) link.axis = vector(0);
    if (a.size() >= 6) link.axis2 = vector(3);
  }
};

// Coordinates whose rates are the speeds: the motion may be the same from everywhere.
struct PlainJoint : CommonJoint {
  template <class Add>
  static void list_fields(int nv, Add&& add) {
    add(JointField::Kind::shift, 0, nv);
  }
  template <class S>
  static void fill_field(const JointField&, const S*, const S*, S*, S*) {}
};

template <class S>
void write_vector(const Vec3<S>& a, S* to) {
  to[0] = a.x, to[1] = a.y, to[2] = a.z;
}

// u' for the rotation a in P's axes (left) or in C's (right).
template <class S>
void write_turn(const Quat<S>& u, const Vec3<S>& a, bool left, S* dq) {
  const Quat<S> half{S(0), S(0.5) * a.x, S(0.5) * a.y, S(0.5) * a.z};
  const Quat<S> rate = left ? half * u : u * half;
  dq[0] = rate.w, dq[1] = rate.x, dq[2] = rate.y, dq[3] = rate.z;
}

// A unit quaternion alone, speeds w in C's axes.
struct BallJoint : CommonJoint {
  template <class S>
  static void fill_coordinates(const LoopJoint<S>&, const RelativePose<S>& x, const int* turns,
                               S* q) {
    const Quat<S> u = from_rotation_matrix(x.R);
    q[0] = u.w, q[1] = u.x, q[2] = u.y, q[3] = u.z;
    choose_sign(turns[0], q);
  }
  template <class S>
  static void fill_speeds(const LoopJoint<S>&, const LoopSpeedWriter<S>& speeds) {
    for (int k = 0; k < 3; ++k) speeds.turn_about_C(k, k);
  }

  template <class Add>
  static void list_fields(int, Add&& add) {
    add(JointField::Kind::right, 0, 3);
    add(JointField::Kind::left, 0, 3);
  }
  template <class S>
  static void fill_field(const JointField& field, const S* q, const S* v, S* dq, S* dv) {
    const Vec3<S> a = unit_vector<S>(field.component);
    const bool left = field.kind == JointField::Kind::left;
    write_turn(quaternion_at(q), a, left, dq);
    if (!left) write_vector(cross(Vec3<S>{v[0], v[1], v[2]}, a), dv);
  }
};

// ---- the interface

// Stands for both writers of loop_rows.h, for the check below.
struct AnyLoopEquations {
  void origin() {}
  void along(const Vec3<double>&) {}
  void rotation() {}
  void axis(const Vec3<double>&) {}
  void angle(const Vec3<double>&, const Vec3<double>&) {}
  template <class Value, class Row>
  void equation(Value&&, Row&&) {}
};

template <class J>
concept JointLaw = requires(const Link<double>& link, Link<double>& shape,
                            const LoopJoint<double>& loop, const double* q, const double* v,
                            const double* d, double* to, const int* turns,
                            JointMotion<double>& motion, JointDisplacement<double>& displacement,
                            const RelativePose<double>& pose, const LoopSpeedWriter<double>& speeds,
                            const JointField& field, AnyLoopEquations& equations,
                            void (&add)(JointField::Kind, int, int)) {
  { J::type } -> std::convertible_to<JointType>;
  { J::motion_kind } -> std::convertible_to<Motion>;
  // have its motion columns constant components in the axes of the link, also seen from the other
  // side
  { J::has_constant_columns(true) } -> std::same_as<bool>;
  // axes as numbers
  J::set_directions(std::span<const double>(), shape);
  // pose and motion columns at (q, v)
  J::fill_motion(link, q, v, motion);
  // the same joint moved by d
  J::fill_displacement(link, q, d, displacement);
  // equations where it closes a loop, its coordinates there and its speeds
  J::hold(loop, equations);
  J::fill_coordinates(loop, pose, turns, to);
  J::fill_speeds(loop, speeds);
  // candidates for symmetries
  J::list_fields(1, add);
  J::fill_field(field, q, v, to, to);
};

}  // namespace cartan::mechanics
