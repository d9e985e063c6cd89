// planar: C slides in the plane (e1, e2) of P and turns about its normal n = e1 x e2.
//   R = exp(n q2), p = q0 e1 + q1 e2      psi_0 = R^T e1, psi_1 = R^T e2, phi_2 = n
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct PlanarJoint : CommonJoint {
  static constexpr JointType type = JointType::planar;
  static constexpr bool has_constant_columns(bool) { return false; }

  // e1 = P's x axis made orthogonal to n, or its y axis when n is too close to x; e2 = n x e1
  template <class S>
  static void set_directions(std::span<const S> a, Link<S>& link) {
    link.normal = unit(Vec3<S>{a[0], a[1], a[2]});
    const bool steep = value_of(abs(link.normal.x)) > 0.9;
    const Vec3<S> start = steep ? Vec3<S>{S(0), S(1), S(0)} : Vec3<S>{S(1), S(0), S(0)};
    link.axis = unit(start - dot(start, link.normal) * link.normal);
    link.axis2 = cross(link.normal, link.axis);
  }

  template <class S>
  static void fill_motion(const Link<S>& link, const S* q, const S* v, JointMotion<S>& m) {
    m.R = turned_about(link.normal, q[2]);
    m.p = q[0] * link.axis + q[1] * link.axis2;
    const Vec3<S> w = v[2] * link.normal;
    m.psi[0] = transpose_times(m.R, link.axis);
    m.psi[1] = transpose_times(m.R, link.axis2);
    m.varies = true;
    m.psi_dot[0] = cross(m.psi[0], w);
    m.psi_dot[1] = cross(m.psi[1], w);
    m.phi[2] = link.normal;
  }
  template <class S>
  static void fill_displacement(const Link<S>& link, const S*, const S* d,
                                JointDisplacement<S>& x) {
    x.turn = exp_quat(d[2] * link.normal);
    x.shift = d[0] * link.axis + d[1] * link.axis2;
  }
  template <class S, class Equations>
  static void hold(const LoopJoint<S>& loop, Equations&& hold) {
    hold.along(loop.shape.normal);
    hold.axis(loop.shape.normal);
  }
  template <class S>
  static void fill_coordinates(const LoopJoint<S>& loop, const RelativePose<S>& x, const int* turns,
                               S* q) {
    q[0] = dot(loop.shape.axis, x.p);
    q[1] = dot(loop.shape.axis2, x.p);
    q[2] = angle_near(loop_angle(loop, x.R), turns[0]);
  }
  template <class S>
  static void fill_speeds(const LoopJoint<S>& loop, const LoopSpeedWriter<S>& speeds) {
    speeds.slide_along_P(0, loop.shape.axis);
    speeds.slide_along_P(1, loop.shape.axis2);
    speeds.turn_about_P(2, loop.shape.normal);
  }

  template <class Add>
  static void list_fields(int nv, Add&& add) {
    add(JointField::Kind::shift, 0, nv);
    add(JointField::Kind::right, 3, 5);
    add(JointField::Kind::left, 2, 3);
  }
  // left: (-y, x, 1); right: the unit vectors of C's axes in the plane
  template <class S>
  static void fill_field(const JointField& field, const S* q, const S* v, S* dq, S* dv) {
    if (field.kind == JointField::Kind::left) {
      dq[0] = -q[1], dq[1] = q[0], dq[2] = S(1);
      dv[0] = -v[1], dv[1] = v[0];
      return;
    }
    S s, c;
    sincos(q[2], s, c);
    const bool first = field.component == 3;
    dq[0] = first ? c : -s;
    dq[1] = first ? s : c;
    dv[0] = -v[2] * dq[1];
    dv[1] = v[2] * dq[0];
  }
};

}  // namespace cartan::mechanics
