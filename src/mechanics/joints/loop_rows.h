// A loop joint's equations and its own coordinates, from the frames P and C in the world. Beside
// joint_motion.h the only place that knows joint types one by one.
#pragma once

#include "lie/quaternion.h"
#include "mechanics/joints/turns.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan {

// Calls row(alpha, beta, alpha_rate, beta_rate) for every equation of the joint: translations
// first. w_P, w_C: angular velocities of the two sides.
template <class S, class F>
void for_each_loop_row(const LoopJoint<S>& loop, const LoopState<S>& x, const Vec3<S>& w_P,
                       const Vec3<S>& w_C, F&& row) {
  const Link<S>& j = loop.shape;
  const Vec3<S> none;
  // the origin of C does not move along e (fixed in P)
  auto hold_point = [&](const Vec3<S>& e_P) {
    const Vec3<S> e = x.R_P * e_P;
    row(none, e, none, cross(w_P, e));
  };
  // C does not turn about e (fixed in P)
  auto hold_turn = [&](const Vec3<S>& e_P) {
    const Vec3<S> e = x.R_P * e_P;
    row(e, none, cross(w_P, e), none);
  };
  // e (fixed in P) . a (fixed in C) stays what it is
  auto hold_angle = [&](const Vec3<S>& e_P, const Vec3<S>& a_C) {
    const Vec3<S> e = x.R_P * e_P, a = x.R_C * a_C;
    row(cross(a, e), none, cross(cross(w_C, a), e) + cross(a, cross(w_P, e)), none);
  };
  const Vec3<S> unit[3] = {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}};
  auto hold_all = [&](auto&& hold) {
    for (const Vec3<S>& e : unit) hold(e);
  };
  switch (j.type) {
    case JointType::fixed:
      hold_all(hold_point);
      hold_all(hold_turn);
      break;
    case JointType::revolute:
      hold_all(hold_point);
      hold_angle(loop.side1, j.axis);
      hold_angle(loop.side2, j.axis);
      break;
    case JointType::prismatic:
      hold_point(loop.side1);
      hold_point(loop.side2);
      hold_all(hold_turn);
      break;
    case JointType::screw: {
      hold_point(loop.side1);
      hold_point(loop.side2);
      hold_angle(loop.side1, j.axis);
      hold_angle(loop.side2, j.axis);
      const Vec3<S> a = x.R_P * j.axis, rate = cross(w_P, a);
      row(j.pitch * a, -a, j.pitch * rate, -rate);
      break;
    }
    case JointType::cylindrical:
      hold_point(loop.side1);
      hold_point(loop.side2);
      hold_angle(loop.side1, j.axis);
      hold_angle(loop.side2, j.axis);
      break;
    case JointType::universal:
      hold_all(hold_point);
      hold_angle(j.axis, j.axis2);
      break;
    case JointType::planar:
      hold_point(j.normal);
      hold_angle(loop.side1, j.normal);
      hold_angle(loop.side2, j.normal);
      break;
    case JointType::spherical:
      hold_all(hold_point);
      break;
    case JointType::translation:
      hold_all(hold_turn);
      break;
    case JointType::free:
      break;
  }
}

inline int loop_row_count(JointType type) {
  return 6 - info(type).nv;
}

// The angle without its whole turns, in (-pi, pi].
template <class S>
S within_half_turn(const S& angle) {
  S s, c;
  sincos(angle, s, c);
  return atan2(s, c);
}

// Angle about loop's axis by which C is turned against P.
template <class S>
S loop_angle(const LoopJoint<S>& loop, const Mat3<S>& R) {
  const Vec3<S> a = R * loop.side1, b = R * loop.side2;
  return atan2(dot(loop.side2, a) - dot(loop.side1, b), dot(loop.side1, a) + dot(loop.side2, b));
}

// Residuals g in the order of the rows.
template <class S, class F>
void for_each_loop_position(const LoopJoint<S>& loop, const LoopState<S>& x, F&& row) {
  const Link<S>& j = loop.shape;
  const Vec3<S> p = transpose_times(x.R_P, x.o_C - x.o_P);
  const Mat3<S> R = transpose(x.R_P) * x.R_C;
  auto hold_axis = [&](const Vec3<S>& a) {
    // angle between the two directions times the direction of the tilt
    const Vec3<S> turned = R * a;
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
  };
  auto hold_rotation = [&] {
    const Vec3<S> turn = log(from_rotation_matrix(R));
    row(turn.x), row(turn.y), row(turn.z);
  };
  auto hold_origin = [&] { row(p.x), row(p.y), row(p.z); };
  auto hold_sides = [&] { row(dot(loop.side1, p)), row(dot(loop.side2, p)); };
  switch (j.type) {
    case JointType::fixed:
      hold_origin();
      hold_rotation();
      break;
    case JointType::revolute:
      hold_origin();
      hold_axis(j.axis);
      break;
    case JointType::prismatic:
      hold_sides();
      hold_rotation();
      break;
    case JointType::screw: {
      hold_sides();
      hold_axis(j.axis);
      // any number of turns
      const S advance = j.pitch * loop_angle(loop, R) - dot(j.axis, p);
      row(value_of(j.pitch) == 0 ? advance : j.pitch * within_half_turn(advance / j.pitch));
      break;
    }
    case JointType::cylindrical:
      hold_sides();
      hold_axis(j.axis);
      break;
    case JointType::universal:
      hold_origin();
      row(dot(j.axis, R * j.axis2) - dot(j.axis, j.axis2));
      break;
    case JointType::planar:
      row(dot(j.normal, p));
      hold_axis(j.normal);
      break;
    case JointType::spherical:
      hold_origin();
      break;
    case JointType::translation:
      hold_rotation();
      break;
    case JointType::free:
      break;
  }
}

// q of the joint. `turns`: the entries of the mechanism (turns.h), which decide between angles that
// differ by whole turns and between the two quaternions (screw: the turns its displacement tells).
template <class S>
void calc_loop_coordinates(const LoopJoint<S>& loop, const LoopState<S>& x, const int* turns,
                           S* q) {
  const Link<S>& j = loop.shape;
  turns += loop.turn0;
  const Vec3<S> p = transpose_times(x.R_P, x.o_C - x.o_P);
  const Mat3<S> R = transpose(x.R_P) * x.R_C;
  switch (j.type) {
    case JointType::fixed:
      break;
    case JointType::revolute:
      q[0] = angle_near(loop_angle(loop, R), turns[0]);
      break;
    case JointType::prismatic:
      q[0] = dot(j.axis, p);
      break;
    case JointType::screw: {
      const S angle = loop_angle(loop, R);
      if (value_of(j.pitch) == 0) {
        q[0] = angle_near(angle, turns[0]);
        break;
      }
      const S turned = dot(j.axis, p) / j.pitch;
      q[0] = turned - within_half_turn(turned - angle);
      break;
    }
    case JointType::cylindrical:
      q[0] = angle_near(loop_angle(loop, R), turns[0]);
      q[1] = dot(j.axis, p);
      break;
    case JointType::universal: {
      // R a2 = exp(a1 q1) a2 and R^T a1 = exp(-a2 q2) a1
      const Vec3<S>&a1 = j.axis, &a2 = j.axis2;
      const S c = dot(a1, a2);
      const Vec3<S> b2 = R * a2, b1 = transpose_times(R, a1);
      const S first = atan2(dot(a1, cross(a2, b2)), dot(a2, b2) - c * dot(a1, b2));
      const S second = atan2(dot(a2, cross(b1, a1)), dot(b1, a1) - c * dot(a2, b1));
      q[0] = angle_near(first, turns[0]);
      q[1] = angle_near(second, turns[1]);
      break;
    }
    case JointType::planar:
      q[0] = dot(j.axis, p);
      q[1] = dot(j.axis2, p);
      q[2] = angle_near(loop_angle(loop, R), turns[0]);
      break;
    case JointType::translation:
      q[0] = p.x, q[1] = p.y, q[2] = p.z;
      break;
    case JointType::spherical:
    case JointType::free: {
      const Quat<S> u = from_rotation_matrix(R);
      q[0] = u.w, q[1] = u.x, q[2] = u.y, q[3] = u.z;
      choose_sign(turns[0], q);
      if (j.type == JointType::free) q[4] = p.x, q[5] = p.y, q[6] = p.z;
      break;
    }
  }
}

// The joint's speeds as rows on the relative motion (they need not vanish, unlike the rows above).
template <class S>
void calc_loop_speed_rows(const LoopJoint<S>& loop, const LoopState<S>& x, const Vec3<S>& w_P,
                          const Vec3<S>& w_C, LoopSpeed<S>* v) {
  const Link<S>& j = loop.shape;
  auto turn_about_P = [&](int k, const Vec3<S>& e_P) {
    v[k] = {};
    v[k].alpha = x.R_P * e_P;
    v[k].alpha_rate = cross(w_P, v[k].alpha);
  };
  auto slide_along_P = [&](int k, const Vec3<S>& e_P) {
    v[k] = {};
    v[k].beta = x.R_P * e_P;
    v[k].beta_rate = cross(w_P, v[k].beta);
  };
  const Vec3<S> unit[3] = {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}};
  switch (j.type) {
    case JointType::fixed:
      break;
    case JointType::revolute:
    case JointType::screw:
      turn_about_P(0, j.axis);
      break;
    case JointType::prismatic:
      slide_along_P(0, j.axis);
      break;
    case JointType::cylindrical:
      turn_about_P(0, j.axis);
      slide_along_P(1, j.axis);
      break;
    case JointType::universal: {
      // w = v0 a1 + v1 a2, a1 fixed in P, a2 in C: the dual pair, constant c = a1 . a2
      const Vec3<S> a1 = x.R_P * j.axis, a2 = x.R_C * j.axis2;
      const Vec3<S> a1_rate = cross(w_P, a1), a2_rate = cross(w_C, a2);
      const S c = dot(j.axis, j.axis2), scale = S(1) / (S(1) - c * c);
      v[0] = {};
      v[1] = {};
      v[0].alpha = scale * (a1 - c * a2);
      v[1].alpha = scale * (a2 - c * a1);
      v[0].alpha_rate = scale * (a1_rate - c * a2_rate);
      v[1].alpha_rate = scale * (a2_rate - c * a1_rate);
      break;
    }
    case JointType::planar:
      slide_along_P(0, j.axis);
      slide_along_P(1, j.axis2);
      turn_about_P(2, j.normal);
      break;
    case JointType::translation:
      for (int k = 0; k < 3; ++k) slide_along_P(k, unit[k]);
      break;
    case JointType::spherical:
    case JointType::free:
      for (int k = 0; k < 3; ++k) {
        v[k] = {};
        v[k].alpha = x.R_C.c[k];
        v[k].alpha_rate = cross(w_C, v[k].alpha);
        if (j.type == JointType::spherical) continue;
        v[k + 3] = {};
        v[k + 3].beta = x.R_C.c[k];
        v[k + 3].beta_rate = cross(w_C, v[k + 3].beta);
      }
      break;
  }
}

}  // namespace cartan
