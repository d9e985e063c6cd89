// point-on-plane: normal . (x - point of the plane) = 0.
// Its row: beta = the normal, fixed in the body of the plane; c = the point x.
#pragma once

#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct PointOnPlaneElement {
  Point<S> at, plane;
  Vec3<S> normal;

  static PointOnPlaneElement make(const PointOnPlaneConstraint& c, const auto& build) {
    PointOnPlaneElement e{build.point(c.body, c.at), build.point(c.plane.body, c.plane.point),
                          build.direction(c.plane.body, c.plane.normal)};
    build.add_pair(build.add_element_row(true), e.at.link, e.plane.link);
    return e;
  }

  void fill_rows(const Mechanism<S>&, auto& out) const {
    const auto& ws = out.ws;
    const Vec3<S> x = point_position(ws, at), n = direction_at(ws, plane.link, normal);
    const auto a = out.side(at.link, x), b = out.side(plane.link, x);
    out.clear_row();
    out.add_slide(out.meet(a, b), n, cross(spin_of(ws, plane.link), n));
    ++out.row;
  }
  void fill_positions(const Mechanism<S>&, PositionWriter<S>& out) const {
    const auto& ws = out.ws;
    const Vec3<S> gap = point_position(ws, at) - point_position(ws, plane);
    out.write(dot(direction_at(ws, plane.link, normal), gap));
  }

  std::string find_degenerate(const MotionWorkspace<S>&) const { return ""; }
  template <class Visit>
  void for_each_coordinate(Visit&&) const {}
  void close_turns(const Mechanism<S>&, MotionWorkspace<S>&, OpenTurns&) const {}
  RowReach row_reach(const Mechanism<S>&) const { return RowReach::pair; }

  void list_wrenches(auto& out) const {
    const Vec3<S> x = point_position(out.ws(), at);
    out.add(at.link, x, out.row_force(true));
    out.add(plane.link, x, out.row_force(false));
  }
};

template <class S>
struct ElementOf<PointOnPlaneConstraint, S> : std::type_identity<PointOnPlaneElement<S>> {};

}  // namespace cartan::mechanics
