// distance: | x_to - x_from | = length.
// Its row: beta = unit vector n of the line, c = the point `to`.
#pragma once

#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct DistanceElement {
  Point<S> from, to;
  S length{};

  static DistanceElement make(const DistanceConstraint& c, const auto& build) {
    DistanceElement e{build.point(c.from.body, c.from.at), build.point(c.to.body, c.to.at),
                      build.number(c.length)};
    build.add_pair(build.add_element_row(true), e.to.link, e.from.link);
    return e;
  }

  void fill_rows(const Mechanism<S>&, auto& out) const {
    const auto& ws = out.ws;
    const Vec3<S> x = point_position(ws, from), y = point_position(ws, to), d = y - x;
    const auto a = out.side(to.link, y), b = out.side(from.link, y);
    const S inverse = S(1) / norm(d);
    const Vec3<S> n = inverse * d, rate = point_velocity(ws, to) - point_velocity(ws, from);
    const Vec3<S> n_rate = inverse * (rate - dot(n, rate) * n);
    out.clear_row();
    out.add_slide(out.meet(a, b), n, n_rate);
    ++out.row;
  }
  void fill_positions(const Mechanism<S>&, PositionWriter<S>& out) const {
    out.write(norm(point_position(out.ws, to) - point_position(out.ws, from)) - length);
  }

  std::string find_degenerate(const MotionWorkspace<S>& ws) const {
    if (value_of(norm(point_position(ws, to) - point_position(ws, from)) - S(1e-9) * length) >= 0)
      return "";
    return "its two points coincide at the start, so the direction between them is not known; "
           "move one of them";
  }
  template <class Visit>
  void for_each_coordinate(Visit&&) const {}
  void close_turns(const Mechanism<S>&, MotionWorkspace<S>&, OpenTurns&) const {}
  RowReach row_reach(const Mechanism<S>&) const { return RowReach::pair; }

  void list_wrenches(auto& out) const {
    out.add(to.link, point_position(out.ws(), to), out.row_force(true));
    out.add(from.link, point_position(out.ws(), from), out.row_force(false));
  }
};

template <class S>
struct ElementOf<DistanceConstraint, S> : std::type_identity<DistanceElement<S>> {};

}  // namespace cartan::mechanics
