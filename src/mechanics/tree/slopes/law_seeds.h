// Links as dual numbers, moved along few directions: what laws are differentiated by
// (local_slopes.h, law_products.h).
#pragma once

#include "mechanics/constraints/row_slopes.h"
#include "mechanics/joints/joint_law.h"
#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics::seeds {

inline constexpr int link_directions = 12;

// A link's displacement, and the change of its velocities.
struct LinkTwist {
  Vec3<double> turn, shift, spin, slide;
};

inline void set_lane(Vec3<Dual4>& to, int lane, const Vec3<double>& slope) {
  to.x.d[lane] = slope.x, to.y.d[lane] = slope.y, to.z.d[lane] = slope.z;
}
inline Vec3<Dual4> constant(const Vec3<double>& a) {
  return {Dual4(a.x), Dual4(a.y), Dual4(a.z)};
}
inline Vec3<double> lane_of(const Vec3<Dual4>& a, int lane) {
  return {a.x.d[lane], a.y.d[lane], a.z.d[lane]};
}
inline Vec3<double> number_of(const Vec3<Dual4>& a) {
  return {a.x.a, a.y.a, a.z.a};
}

// What laws read of a link: no accelerations.
inline void set_link_at(const LinkState<double>& from, LinkState<Dual4>& to) {
  for (int j = 0; j < 3; ++j) to.R.c[j] = constant(from.R.c[j]);
  to.o = constant(from.o);
  to.w = constant(from.w);
  to.u = constant(from.u);
}

// All lanes displace a link; no lane moves it any more.
inline void displace_link(const LinkState<double>& from, const LinkMoves& moves,
                          LinkState<Dual4>& to) {
  const auto set = [](Vec3<Dual4>& x, const lanes::VectorsOf<lanes::Four>& by) {
    for (int k = 0; k < 3; ++k) __builtin_memcpy(x[k].d.data(), &by[k], sizeof by[k]);
  };
  for (int j = 0; j < 3; ++j) set(to.R.c[j], lanes::cross(moves.turn, from.R.c[j]));
  set(to.o, moves.shift);
}
inline void stop_link(LinkState<Dual4>& to) {
  for (int j = 0; j < 3; ++j) to.R.c[j] = constant(number_of(to.R.c[j]));
  to.o = constant(number_of(to.o));
}

// One lane along a twist.
inline void move_link(const LinkState<double>& from, const LinkTwist& twist, int lane,
                      LinkState<Dual4>& to) {
  for (int j = 0; j < 3; ++j) set_lane(to.R.c[j], lane, cross(twist.turn, from.R.c[j]));
  set_lane(to.o, lane, twist.shift);
  set_lane(to.w, lane, twist.spin);
  set_lane(to.u, lane, twist.slide);
}

// Directions first ... first + 3 of the twelve: turn, shift, spin, slide.
inline void seed_link(const LinkState<double>& from, int first, LinkState<Dual4>& to) {
  set_link_at(from, to);
  for (int lane = 0; lane < 4; ++lane) {
    const int k = first + lane;
    const Vec3<double> e = unit_vector<double>(k % 3);
    switch (k / 3) {
      case 0:
        for (int j = 0; j < 3; ++j) set_lane(to.R.c[j], lane, cross(e, from.R.c[j]));
        break;
      case 1:
        set_lane(to.o, lane, e);
        break;
      case 2:
        set_lane(to.w, lane, e);
        break;
      default:
        set_lane(to.u, lane, e);
    }
  }
}

}  // namespace cartan::mechanics::seeds
