// rolling-disc: a wheel on a plane; vectors in the axes of their links.
//   d = -(n - (n.a) a) / |...| points from the centre to the lowest point of the rim
// With a round rim, a tube of radius r about a circle of radius R - r, the lowest point is below
// that of the circle: c = o + (R - r) d - r n.
// Its rows: c = that point; beta = the normal and two directions of the plane. The first is
// integrable: the lowest point is in the plane.
#pragma once

#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct RollingDiscElement {
  Point<S> center;
  Vec3<S> axis;
  S radius{}, rim{};
  Point<S> plane;
  Vec3<S> normal, along1, along2;

  static RollingDiscElement make(const RollingDiscConstraint& c, const auto& build) {
    RollingDiscElement e;
    e.center = build.point(c.body, c.center);
    e.axis = build.direction(c.body, c.axis);
    e.radius = build.number(c.radius);
    e.rim = build.number(c.rim);
    e.plane = build.point(c.plane.body, c.plane.point);
    e.normal = build.direction(c.plane.body, c.plane.normal);
    e.along1 = build.orthogonal_to(e.normal);
    e.along2 = cross(e.normal, e.along1);
    for (int k = 0; k < 3; ++k)
      build.add_pair(build.add_element_row(k == 0), e.center.link, e.plane.link);
    return e;
  }

  void fill_rows(const Mechanism<S>&, auto& out) const {
    const auto& ws = out.ws;
    const Vec3<S> n = direction_at(ws, plane.link, normal);
    const Vec3<S> a = direction_at(ws, center.link, axis);
    const Vec3<S> w_plane = spin_of(ws, plane.link), w_disc = spin_of(ws, center.link);
    const Vec3<S> n_rate = cross(w_plane, n), a_rate = cross(w_disc, a);
    const S along = dot(n, a);
    const Vec3<S> down = along * a - n;
    const Vec3<S> down_rate = (dot(n_rate, a) + dot(n, a_rate)) * a + along * a_rate - n_rate;
    const S inverse = S(1) / norm(down);
    const Vec3<S> d = inverse * down;
    const Vec3<S> d_rate = inverse * (down_rate - dot(d, down_rate) * d);
    const S circle = radius - rim;
    const Vec3<S> c = point_position(ws, center) + circle * d - rim * n;
    const Vec3<S> c_rate = point_velocity(ws, center) + circle * d_rate - rim * n_rate;
    const auto wheel = out.side(center.link, c), ground = out.side(plane.link, c);
    const auto contact = out.meet(wheel, ground, c_rate);
    for (const Vec3<S>* direction : {&normal, &along1, &along2}) {
      if (!out.is_wanted()) {
        out.skip_row();
        continue;
      }
      const Vec3<S> beta = direction_at(ws, plane.link, *direction);
      out.clear_row();
      out.add_slide(contact, beta, cross(w_plane, beta));
      ++out.row;
    }
  }
  void fill_positions(const Mechanism<S>&, PositionWriter<S>& out) const {
    const auto& ws = out.ws;
    const Vec3<S> n = direction_at(ws, plane.link, normal);
    const Vec3<S> a = direction_at(ws, center.link, axis);
    const Vec3<S> down = dot(n, a) * a - n;
    const Vec3<S> c = point_position(ws, center) + ((radius - rim) / norm(down)) * down - rim * n;
    out.write(dot(n, c - point_position(ws, plane)));
    out.write(S(0));
    out.write(S(0));
  }

  std::string find_degenerate(const MotionWorkspace<S>& ws) const {
    const Vec3<S> n = direction_at(ws, plane.link, normal), a = direction_at(ws, center.link, axis);
    if (value_of(norm(cross(n, a))) >= 1e-9) return "";
    return "the disc lies flat on the plane (its axis is parallel to the normal), so it has no "
           "lowest point; tilt it";
  }
  template <class Visit>
  void for_each_coordinate(Visit&&) const {}
  void close_turns(const Mechanism<S>&, MotionWorkspace<S>&, OpenTurns&) const {}
  RowReach row_reach(const Mechanism<S>&) const { return RowReach::pair; }

  void list_wrenches(auto& out) const {
    const Vec3<S> contact = out.contact_point(center.link);
    out.add(center.link, contact, out.row_force(true));
    out.add(plane.link, contact, out.row_force(false));
  }
};

template <class S>
struct ElementOf<RollingDiscConstraint, S> : std::type_identity<RollingDiscElement<S>> {};

}  // namespace cartan::mechanics
