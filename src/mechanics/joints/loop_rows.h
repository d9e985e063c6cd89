// A loop joint's equations and its own coordinates, from the frames P and C in the world. Which
// ones a joint has is told by its type (`hold`, all_joints.h) in the words of the two writers here:
// the first writes rows of the Jacobian and their rates, the second what is missing to zero.
//   origin()      the origin of C is that of P: 3 equations
//   along(e)      it does not move along e, fixed in P
//   rotation()    C does not turn against P: 3 equations
//   axis(a)       a is the same direction in both: 2 equations, along side1 and side2
//   angle(e, a)   the angle between e, fixed in P, and a, fixed in C, stays what it is
//   equation(value, row)   any other: value(pose), and row(state, w_P, w_C, write)
#pragma once

#include "mechanics/joints/all_joints.h"

namespace cartan {

// Calls row(alpha, beta, alpha_rate, beta_rate) for every equation. w_P, w_C: angular velocities of
// the two sides.
template <class S, class Write>
struct LoopRowWriter {
  const LoopJoint<S>& loop;
  const LoopState<S>& x;
  const Vec3<S>&w_P, &w_C;
  Write& row;

  void origin() {
    for (int k = 0; k < 3; ++k) along(unit_vector<S>(k));
  }
  void along(const Vec3<S>& e_P) {
    const Vec3<S> e = x.R_P * e_P;
    row(Vec3<S>(), e, Vec3<S>(), cross(w_P, e));
  }
  void rotation() {
    for (int k = 0; k < 3; ++k) {
      const Vec3<S> e = x.R_P * unit_vector<S>(k);
      row(e, Vec3<S>(), cross(w_P, e), Vec3<S>());
    }
  }
  void axis(const Vec3<S>& a) {
    angle(loop.side1, a);
    angle(loop.side2, a);
  }
  void angle(const Vec3<S>& e_P, const Vec3<S>& a_C) {
    const Vec3<S> e = x.R_P * e_P, a = x.R_C * a_C;
    row(cross(a, e), Vec3<S>(), cross(cross(w_C, a), e) + cross(a, cross(w_P, e)), Vec3<S>());
  }
  template <class Value, class Row>
  void equation(Value&&, Row&& other) {
    other(x, w_P, w_C, row);
  }
};

template <class S, class F>
void for_each_loop_row(const LoopJoint<S>& loop, const LoopState<S>& x, const Vec3<S>& w_P,
                       const Vec3<S>& w_C, F&& row) {
  LoopRowWriter<S, F> writer{loop, x, w_P, w_C, row};
  visit_joint(loop.shape.type, [&](auto joint) { joint.hold(loop, writer); });
}

inline int loop_row_count(JointType type) {
  return 6 - info(type).nv;
}

template <class S>
RelativePose<S> relative_pose(const LoopState<S>& x) {
  return {transpose_times(x.R_P, x.o_C - x.o_P), transpose(x.R_P) * x.R_C};
}

// Residuals g in the order of the rows.
template <class S, class Write>
struct LoopPositionWriter {
  const LoopJoint<S>& loop;
  const RelativePose<S>& x;
  Write& row;

  void origin() { row(x.p.x), row(x.p.y), row(x.p.z); }
  void along(const Vec3<S>& e) { row(dot(e, x.p)); }
  void rotation() {
    const Vec3<S> turn = log(from_rotation_matrix(x.R));
    row(turn.x), row(turn.y), row(turn.z);
  }
  // angle between the two directions times the direction of the tilt
  void axis(const Vec3<S>& a) {
    const Vec3<S> turned = x.R * a;
    const S along = dot(a, turned);
    const S across2 = square(dot(loop.side1, turned)) + square(dot(loop.side2, turned));
    const auto tilted = less(S(1e-16), across2);
    const S across = sqrt(select(tilted, across2, S(1)));
    const S scale = select(tilted, atan2(across, along) / across, S(1));
    // pointing exactly backwards there is no direction of the tilt; any will do
    const auto backwards = less(along, S(0));
    const S lost = select(tilted, S(0), select(backwards, S(pi), S(0)));
    row(scale * dot(loop.side1, turned) + lost);
    row(scale * dot(loop.side2, turned));
  }
  void angle(const Vec3<S>& e, const Vec3<S>& a) { row(dot(e, x.R * a) - dot(e, a)); }
  template <class Value, class Row>
  void equation(Value&& value, Row&&) {
    row(value(x));
  }
};

template <class S, class F>
void for_each_loop_position(const LoopJoint<S>& loop, const LoopState<S>& x, F&& row) {
  const RelativePose<S> pose = relative_pose(x);
  LoopPositionWriter<S, F> writer{loop, pose, row};
  visit_joint(loop.shape.type, [&](auto joint) { joint.hold(loop, writer); });
}

// q of the joint. `turns`: the entries of the mechanism (turns.h), which decide between angles that
// differ by whole turns and between the two quaternions.
template <class S>
void calc_loop_coordinates(const LoopJoint<S>& loop, const LoopState<S>& x, const int* turns,
                           S* q) {
  const RelativePose<S> pose = relative_pose(x);
  visit_joint(loop.shape.type,
              [&](auto joint) { joint.fill_coordinates(loop, pose, turns + loop.turn0, q); });
}

// The joint's speeds as rows on the relative motion (they need not vanish, unlike the rows above).
template <class S>
void calc_loop_speed_rows(const LoopJoint<S>& loop, const LoopState<S>& x, const Vec3<S>& w_P,
                          const Vec3<S>& w_C, LoopSpeed<S>* v) {
  const LoopSpeedWriter<S> writer{x, w_P, w_C, v};
  visit_joint(loop.shape.type, [&](auto joint) { joint.fill_speeds(loop, writer); });
}

}  // namespace cartan
