// screw: C turns about the axis a and advances by the pitch h per radian.
//   R = exp(a q), p = h q a      (phi, psi) = (a, h a)
#pragma once

#include "mechanics/joints/joint_law.h"

namespace cartan::mechanics {

struct ScrewJoint : PlainJoint {
  static constexpr JointType type = JointType::screw;
  static constexpr bool has_constant_columns(bool) { return true; }

  template <class S>
  static const S& pitch(const Link<S>& link) {
    return link.sizes.x;
  }

  template <class S>
  static void fill_motion(const Link<S>& link, const S* q, const S*, JointMotion<S>& m) {
    m.R = turned_about(link.axis, q[0]);
    m.p = (pitch(link) * q[0]) * link.axis;
    m.phi[0] = link.axis;
    m.psi[0] = pitch(link) * link.axis;
  }
  template <class S>
  static void fill_displacement(const Link<S>& link, const S*, const S* d,
                                JointDisplacement<S>& x) {
    x.turn = exp_quat(d[0] * link.axis);
    x.shift = (pitch(link) * d[0]) * link.axis;
  }
  // The last one: h angle - a . p, after any number of turns.
  template <class S, class Equations>
  static void hold(const LoopJoint<S>& loop, Equations&& hold) {
    const S& h = pitch(loop.shape);
    const Vec3<S>& axis = loop.shape.axis;
    hold.along(loop.side1);
    hold.along(loop.side2);
    hold.axis(axis);
    hold.equation(
        [&](const RelativePose<S>& x) {
          const S advance = h * loop_angle(loop, x.R) - dot(axis, x.p);
          return value_of(h) == 0 ? advance : h * within_half_turn(advance / h);
        },
        [&](const auto& x, const auto& w_P, const auto&, auto&& row) {
          const auto a = x.R_P * axis, rate = cross(w_P, a);
          row(h * a, -a, h * rate, -rate);
        });
  }
  // The displacement tells the turns, unless there is no pitch.
  template <class S>
  static void fill_coordinates(const LoopJoint<S>& loop, const RelativePose<S>& x, const int* turns,
                               S* q) {
    const S& h = pitch(loop.shape);
    const S angle = loop_angle(loop, x.R);
    if (value_of(h) == 0) {
      q[0] = angle_near(angle, turns[0]);
      return;
    }
    const S turned = dot(loop.shape.axis, x.p) / h;
    q[0] = turned - within_half_turn(turned - angle);
  }
  template <class S>
  static void fill_speeds(const LoopJoint<S>& loop, const LoopSpeedWriter<S>& speeds) {
    speeds.turn_about_P(0, loop.shape.axis);
  }
};

}  // namespace cartan::mechanics
