// coupler: sum factor q = offset over coordinates of joints, in the tree or in loops. The offset is
// a number, or a function g of coordinates (a cam, wheels that are not round):
//   y  = sum (factor - g_i) v_i,   y' = sum (factor - g_i) v_i' - sum g_ij v_i v_j
// with g_i = dg/dq_i and g_ij as programs of their own.
#pragma once

#include <algorithm>

#include "mechanics/joints/turn_memory.h"
#include "mechanics/machine/links.h"

namespace cartan::mechanics {

template <class S>
struct CouplerTermElement {
  int joint = 0, component = 0;
  S factor{};
  int place = -1;  // of a tree joint: in Mechanism::terms
  int slope = -1;  // which of the coordinates that the offset depends on; -1: it does not
};

template <class S>
struct CouplerElement {
  std::vector<CouplerTermElement<S>> terms;
  S offset{};                         // a number, or
  const Formula* relation = nullptr;  // g
  std::vector<Program> slopes;        // g_i
  std::vector<Program> curvatures;    // g_ij, row by row

  static CouplerElement make(const CouplerConstraint& c, const auto& build) {
    CouplerElement e;
    for (const CouplerTerm& term : c.terms)
      e.terms.push_back({term.joint, term.component, build.number(term.factor)});
    if (c.is_curved())
      e.set_relation(c.offset);
    else
      e.offset = build.number(c.offset);
    const int row = build.add_element_row(true);
    for (CouplerTermElement<S>& term : e.terms) {
      if (build.mechanism.link_of_joint[term.joint] >= 0)
        term.place = static_cast<int>(build.mechanism.terms.size());
      build.add_speed(row, term.joint, term.component, term.factor);
    }
    return e;
  }
  bool is_curved() const { return relation != nullptr; }

  template <class Visit>
  void for_each_program(Visit&& visit) const {
    if (is_curved()) visit(relation->program);
    for (const Program& p : slopes) visit(p);
    for (const Program& p : curvatures) visit(p);
  }

  void fill_rows(const Mechanism<S>& mechanism, RowWriter<S>& out) const {
    auto& ws = out.ws;
    out.clear_row();
    for (const CouplerTermElement<S>& term : terms) {
      const S factor = factor_of(mechanism, ws, term);
      const auto at = coordinates_of(mechanism, ws, term.joint);
      if (term.slope >= 0)
        ws.row_rest[out.row] -= slope_rate(mechanism, ws, term.slope) * at.v[term.component];
      if (term.place < 0) {
        add_loop_speed(mechanism, mechanism.loop_of_joint[term.joint], term.component, factor, out);
        continue;
      }
      // its rate is a term on v' (RowTerm)
      ws.term_factor[term.place] = factor;
      ws.row_speed[out.row] += factor * at.v[term.component];
    }
    ++out.row;
  }
  void fill_positions(const Mechanism<S>& mechanism, PositionWriter<S>& out) const {
    S sum = -value_of_offset(mechanism, out.ws);
    S turn(0);  // what a whole turn of an open angle changes
    for (const CouplerTermElement<S>& term : terms) {
      const auto at = coordinates_of(mechanism, out.ws, term.joint);
      sum += term.factor * at.q[term.component];
      if (term.slope < 0 && is_open_angle(mechanism, out.ws, term.joint, term.component))
        turn = term.factor;
    }
    out.write(value_of(abs(turn)) == 0 ? sum : turn * within_half_turn(sum / turn));
  }

  std::string find_degenerate(const MotionWorkspace<S>&) const { return ""; }
  template <class Visit>
  void for_each_coordinate(Visit&& visit) const {
    for (const CouplerTermElement<S>& term : terms) visit(term.joint, term.component);
  }
  RowReach row_reach(const Mechanism<S>& mechanism) const {
    const bool in_loops = std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
      return mechanism.link_of_joint[term.joint] < 0;
    });
    return is_curved() || in_loops ? RowReach::other : RowReach::speeds;
  }
  // The equation has several whole turns open at most; the last unknown angle takes them.
  void close_turns(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, OpenTurns& open) const {
    double sum = -value_of(value_of_offset(mechanism, ws)), factor = 0;
    int last = -1;
    for (const CouplerTermElement<S>& term : terms) {
      sum += value_of(term.factor * coordinates_of(mechanism, ws, term.joint).q[term.component]);
      const int l = mechanism.loop_of_joint[term.joint];
      const int entry = l < 0 || term.slope >= 0 ? -1 : turn_of(mechanism.loops[l], term.component);
      if (entry >= 0 && open.unknown[entry]) last = entry, factor = value_of(term.factor);
    }
    if (last >= 0 && factor != 0) open.turn_back(last, sum / factor);
  }

  void list_wrenches(auto& out) const {
    out.clear();
    std::vector<int> joints;
    for (const CouplerTermElement<S>& term : terms) {
      coordinates_of(out.mechanism(), out.ws(), term.joint).tau[term.component] +=
          factor_of(out.mechanism(), out.ws(), term) * out.ws().lambda[out.first_row()];
      out.once(joints, term.joint);
    }
    for (int joint : joints) out.add_joint(joint);
  }

 private:
  // Coordinates that stand in the offset alone become terms with the factor zero.
  void set_relation(const Formula& formula) {
    relation = &formula;
    std::vector<Symbol> by;
    for (const Symbol& symbol : formula.program.inputs) {
      if (symbol.quantity != Quantity::joint_q) continue;
      auto term = terms.begin();
      while (term != terms.end() &&
             (term->joint != symbol.index || term->component != symbol.component))
        ++term;
      if (term == terms.end()) term = terms.insert(term, {symbol.index, symbol.component, S(0)});
      term->slope = static_cast<int>(by.size());
      by.push_back(symbol);
    }
    for (const Symbol& i : by) {
      slopes.push_back(differentiate(formula.program, i));
      for (const Symbol& j : by) curvatures.push_back(differentiate(slopes.back(), j));
    }
  }

  static S evaluate_one(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                        const Program& program) {
    S value;
    evaluate_program(mechanism, ws, program, &value);
    return value;
  }
  S value_of_offset(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) const {
    return is_curved() ? evaluate_one(mechanism, ws, relation->program) : offset;
  }
  S factor_of(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
              const CouplerTermElement<S>& term) const {
    if (term.slope < 0) return term.factor;
    return term.factor - evaluate_one(mechanism, ws, slopes[term.slope]);
  }
  // d g_i / dt
  S slope_rate(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int i) const {
    const int n = static_cast<int>(slopes.size());
    S sum(0);
    for (const CouplerTermElement<S>& term : terms) {
      if (term.slope < 0) continue;
      sum += evaluate_one(mechanism, ws, curvatures[i * n + term.slope]) *
             coordinates_of(mechanism, ws, term.joint).v[term.component];
    }
    return sum;
  }
};

template <class S>
struct ElementOf<CouplerConstraint, S> : std::type_identity<CouplerElement<S>> {};

}  // namespace cartan::mechanics
