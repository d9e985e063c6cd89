// coupler: sum factor q = offset over coordinates of joints, in the tree or in loops.
#pragma once

#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/links.h"

namespace cartan {

template <class S>
struct CouplerTermElement {
  int joint = 0, component = 0;
  S factor{};
};

template <class S>
struct CouplerElement {
  std::vector<CouplerTermElement<S>> terms;
  S offset{};

  static CouplerElement make(const CouplerConstraint& c, const auto& build) {
    CouplerElement e;
    e.offset = build.number(c.offset);
    const int row = build.add_element_row(true);
    for (const CouplerTerm& term : c.terms) {
      e.terms.push_back({term.joint, term.component, build.number(term.factor)});
      build.add_speed(row, term.joint, term.component, e.terms.back().factor);
    }
    return e;
  }

  void fill_rows(const Mechanism<S>& mechanism, RowWriter<S>& out) const {
    auto& ws = out.ws;
    out.clear_row();
    for (const CouplerTermElement<S>& term : terms) {
      const int l = mechanism.loop_of_joint[term.joint];
      if (l >= 0) {
        add_loop_speed(mechanism, l, term.component, term.factor, out);
        continue;
      }
      // its rate is a term on v' (RowTerm)
      const Link<S>& link = mechanism.links[mechanism.link_of_joint[term.joint]];
      ws.row_speed[out.row] += term.factor * ws.v[link.v0 + term.component];
    }
    ++out.row;
  }
  void fill_positions(const Mechanism<S>& mechanism, PositionWriter<S>& out) const {
    S sum = -offset;
    S turn(0);  // what a whole turn of an open angle changes
    for (const CouplerTermElement<S>& term : terms) {
      const auto at = coordinates_of(mechanism, out.ws, term.joint);
      sum += term.factor * at.q[term.component];
      if (is_open_angle(mechanism, out.ws, term.joint, term.component)) turn = term.factor;
    }
    out.write(value_of(abs(turn)) == 0 ? sum : turn * within_half_turn(sum / turn));
  }

  std::string find_degenerate(const MotionWorkspace<S>&) const { return ""; }
  template <class Visit>
  void for_each_coordinate(Visit&& visit) const {
    for (const CouplerTermElement<S>& term : terms) visit(term.joint, term.component);
  }
  // The equation has several whole turns open at most; the last unknown angle takes them.
  void close_turns(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, OpenTurns& open) const {
    double sum = -value_of(offset), factor = 0;
    int last = -1;
    for (const CouplerTermElement<S>& term : terms) {
      sum += value_of(term.factor * coordinates_of(mechanism, ws, term.joint).q[term.component]);
      const int l = mechanism.loop_of_joint[term.joint];
      const int entry = l < 0 ? -1 : turn_of(mechanism.loops[l], term.component);
      if (entry >= 0 && open.unknown[entry]) last = entry, factor = value_of(term.factor);
    }
    if (last >= 0 && factor != 0) open.turn_back(last, sum / factor);
  }

  void list_wrenches(auto& out) const {
    out.clear();
    std::vector<int> joints;
    for (const CouplerTermElement<S>& term : terms) {
      coordinates_of(out.mechanism(), out.ws(), term.joint).tau[term.component] +=
          term.factor * out.ws().lambda[out.first_row()];
      out.once(joints, term.joint);
    }
    for (int joint : joints) out.add_joint(joint);
  }
};

template <class S>
struct ElementOf<CouplerConstraint, S> : std::type_identity<CouplerElement<S>> {};

}  // namespace cartan
