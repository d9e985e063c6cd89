// A loop joint's equations and its own coordinates, from the frames P and C in the world. Which
// ones a joint has is told by its type (`hold`, all_joints.h) in the words of the two writers here:
// the first writes rows of the Jacobian and their rates, the second what is missing to zero.
//   origin()      the origin of C is that of P: 3 equations
//   along(e)      it does not move along e, fixed in P
//   rotation()    C does not turn against P: 3 equations
//   axis(a)       a is the same direction in both: 2 equations, along side1 and side2
//   angle(e, a)   the angle between e, fixed in P, and a, fixed in C, stays what it is
//   equation(value, row)   any other: value(pose), and row(state, w_P, w_C, write)
//
// The two equations that are vectors, origin() and rotation(), can be differentiated in the axes of
// P or of the world. With d = o_C - o_P the gap:
//   joint axes   y = d/dt (R_P^T d) = R_P^T (u_C(o_C) - u_P(o_C)): equal and opposite wrenches at
//                one point, so that momentum is kept whatever the gap
//   world axes   y = d' = u_C(o_C) - u_P(o_P), source 002 (43)-(47): forces at two points, the gap
//                apart
// Where the joint is closed both say the same. A gap that errors have opened is carried on by
// y' = 0, in the one case at a rate that turns with the parent, in the other at one fixed in the
// world. It changes the energy at the rate lambda . y. Reactions that turn with the parent, such as
// those that hold a body on a circle, work steadily on the first and not on the second; reactions
// that keep their direction, such as a weight on a pin that turns, the other way round.
#pragma once

#include "mechanics/joints/all_joints.h"

namespace cartan::mechanics {

// Calls row(alpha, beta, alpha_rate, beta_rate) for every equation, row.turn(alpha, alpha_rate) or
// row.slide(beta, beta_rate) where the others are zero, unless row.skips(). w_P, w_C: angular
// velocities of the two sides. State: a LoopState, or frames that move (row_slopes.h).
template <class S, class State, class Rate, class Write>
struct LoopRowWriter {
  const LoopJoint<S>& loop;
  const State& x;
  const Rate &w_P, &w_C;
  Write& row;

  void origin() {
    for (int k = 0; k < 3; ++k) {
      if (row.skips()) continue;
      const auto& e = frame_axis(x.R_P, k);
      row.slide(e, cross(w_P, e));
    }
  }
  void along(const Vec3<S>& e_P) {
    if (row.skips()) return;
    const auto e = x.R_P * e_P;
    row.slide(e, cross(w_P, e));
  }
  void rotation() {
    for (int k = 0; k < 3; ++k) {
      if (row.skips()) continue;
      const auto& e = frame_axis(x.R_P, k);
      row.turn(e, cross(w_P, e));
    }
  }
  void axis(const Vec3<S>& a) {
    angle(loop.side1, a);
    angle(loop.side2, a);
  }
  void angle(const Vec3<S>& e_P, const Vec3<S>& a_C) {
    if (row.skips()) return;
    const auto e = x.R_P * e_P, a = x.R_C * a_C;
    row.turn(cross(a, e), cross(cross(w_C, a), e) + cross(a, cross(w_P, e)));
  }
  template <class Value, class Row>
  void equation(Value&&, Row&& other) {
    if (!row.skips()) other(x, w_P, w_C, row);
  }
};

// The same in world axes. Calls gap(e) for a component of d between material points of both sides.
template <class S, class State, class Rate, class Write, class Gap>
struct WorldRowWriter : LoopRowWriter<S, State, Rate, Write> {
  Gap& gap;

  void origin() {
    for (int k = 0; k < 3; ++k) gap(unit_vector<S>(k));
  }
  void rotation() {
    for (int k = 0; k < 3; ++k)
      if (!this->row.skips()) this->row.turn(unit_vector<S>(k), Vec3<S>());
  }
};

template <class S, class State, class Rate, class F, class G>
void for_each_world_row(const LoopJoint<S>& loop, const State& x, const Rate& w_P, const Rate& w_C,
                        F&& row, G&& gap) {
  WorldRowWriter<S, State, Rate, F, G> writer{{loop, x, w_P, w_C, row}, gap};
  visit_joint(loop.shape.type, [&](auto joint) { joint.hold(loop, writer); });
}

template <class S, class State, class Rate, class F>
void for_each_loop_row(const LoopJoint<S>& loop, const State& x, const Rate& w_P, const Rate& w_C,
                       F&& row) {
  LoopRowWriter<S, State, Rate, F> writer{loop, x, w_P, w_C, row};
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

  const Mat3<S>& axes;  // in which vectors are written, in P's

  void vector(const Vec3<S>& a) {
    for (int k = 0; k < 3; ++k) row(dot(axes.c[k], a));
  }
  void origin() { vector(x.p); }
  void along(const Vec3<S>& e) { row(dot(e, x.p)); }
  void rotation() { vector(log(from_rotation_matrix(x.R))); }
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
void for_each_loop_position(const LoopJoint<S>& loop, const LoopState<S>& x, bool world_axes,
                            F&& row) {
  const RelativePose<S> pose = relative_pose(x);
  const Mat3<S> axes = world_axes ? transpose(x.R_P) : Mat3<S>::identity();
  LoopPositionWriter<S, F> writer{loop, pose, row, axes};
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

}  // namespace cartan::mechanics
