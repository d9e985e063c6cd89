// knife-edge: normal . (velocity of the point relative to the body it slides on) = 0.
// Its row: beta = the normal, fixed in the body; not integrable, so it has no position.
#pragma once

#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct KnifeEdgeElement {
  Point<S> at;
  Vec3<S> normal;
  int on = world;

  static KnifeEdgeElement make(const KnifeEdgeConstraint& c, const auto& build) {
    KnifeEdgeElement e;
    e.at = build.point(c.body, c.at);
    e.normal = build.direction(c.body, c.normal);
    e.on = build.link_of(c.on);
    build.add_pair(build.add_element_row(false), e.at.link, e.on);
    return e;
  }

  void fill_rows(const Mechanism<S>&, auto& out) const {
    const auto& ws = out.ws;
    const Vec3<S> c = point_position(ws, at), n = direction_at(ws, at.link, normal);
    const auto a = out.side(at.link, c), b = out.side(on, c);
    out.clear_row();
    out.add_slide(out.meet(a, b), n, cross(spin_of(ws, at.link), n));
    ++out.row;
  }
  void fill_positions(const Mechanism<S>&, PositionWriter<S>& out) const { out.write(S(0)); }

  std::string find_degenerate(const MotionWorkspace<S>&) const { return ""; }
  template <class Visit>
  void for_each_coordinate(Visit&&) const {}
  void close_turns(const Mechanism<S>&, MotionWorkspace<S>&, OpenTurns&) const {}
  RowReach row_reach(const Mechanism<S>&) const { return RowReach::pair; }

  void list_wrenches(auto& out) const {
    const Vec3<S> x = point_position(out.ws(), at);
    out.add(at.link, x, out.row_force(true));
    out.add(on, x, out.row_force(false));
  }
};

template <class S>
struct ElementOf<KnifeEdgeConstraint, S> : std::type_identity<KnifeEdgeElement<S>> {};

}  // namespace cartan::mechanics
