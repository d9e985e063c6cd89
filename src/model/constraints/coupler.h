// coupler: a weighted sum of joint coordinates keeps its value (gears, differentials), or follows a
// function of coordinates (cams, wheels that are not round).
#pragma once

#include <algorithm>
#include <optional>

#include "model/joint_types.h"
#include "model/quantities.h"

namespace cartan::model {

struct CouplerTerm {
  int joint = 0, component = 0;
  Formula factor;
};

// "joint" or "joint[i]", as written in a term.
struct CoordinateName {
  std::string joint;
  int component = -1;  // not written
};
std::optional<CoordinateName> parse_coordinate(const std::string& text);

// Why a function of coordinates is not smooth: a word that switches, or "".
std::string find_switching_word(const Program& program);

struct CouplerConstraint {
  static constexpr const char* type = "coupler";
  static constexpr ElementKey keys[] = {{"terms"}, {"offset"}};

  std::vector<CouplerTerm> terms;
  Formula offset;  // a number, or an expression of coordinates

  bool is_curved() const { return offset.program.depends_on(Quantity::joint_q); }

  template <class Self, class Visit>
  static void for_each_expression(Self&& coupler, Visit&& visit) {
    if (coupler.is_curved()) visit(coupler.offset);
  }

  void write(auto& out) const {
    out.list("terms", terms, [](const CouplerTerm& term, auto& one) {
      one.joint("joint", term.joint);
      one.integer("component", term.component);
      one.number("factor", term.factor);
    });
    out.number("offset", offset);
  }

  static CouplerConstraint check(auto& check, const ConstraintText& text, const auto& owner) {
    CouplerConstraint coupler;
    if (text.terms.empty() && text.terms_where.line == 0)
      check.require(Values{}, {"terms", owner});
    else if (text.terms.empty() && !check.problems.has_errors())
      check.problems.error(text.terms_where, "expected at least one term [\"joint[i]\", factor]");
    bool moves = text.terms.empty();
    for (const CouplerTermText& item : text.terms) {
      std::optional<CouplerTerm> term = check_term(check, item, owner, moves);
      moves |= !term;
      if (term) coupler.terms.push_back(std::move(*term));
    }
    if (!moves)
      check.problems.error(text.terms_where, "all factors in terms of constraint '" + owner.name +
                                                 "' are zero; expected at least one that is not");
    coupler.offset = or_default(check_offset(check, text, owner), {0});
    return coupler;
  }

 private:
  static Formula check_offset(auto& check, const ConstraintText& text, const auto& owner) {
    if (!text.offset || text.offset->reported) return {};
    Formula offset = check.formulas.compile(*text.offset, Scope::coordinates);
    if (!offset.program.depends_on(Quantity::joint_q))  // a number: its value is looked at
      return offset.given() ? check.number(text.offset, {"offset", owner}).formula : offset;
    if (const std::string word = find_switching_word(offset.program); !word.empty()) {
      check.problems.error(text.offset->where,
                           "offset of constraint '" + owner.name + "': '" + word +
                               "' of a coordinate; where the slope of the function jumps, speeds "
                               "would too: use smooth functions, or a table through points "
                               "('spline')");
      return {};
    }
    for (const Symbol& symbol : offset.program.inputs) {
      if (symbol.quantity != Quantity::joint_q) continue;
      const JointType type = *check.names.joint_type(symbol.index);
      if (plain_coordinates(type)) continue;
      check.problems.error(text.offset->where, "offset of constraint '" + owner.name + "': a " +
                                                   info(type).name +
                                                   " joint has no plain coordinates to couple");
      return {};
    }
    return offset;
  }
  // `moves` becomes true unless the factor is zero.
  static std::optional<CouplerTerm> check_term(auto& check, const CouplerTermText& text,
                                               const auto& owner, bool& moves) {
    const std::optional<CoordinateName> coordinate = parse_coordinate(text.coordinate);
    if (!coordinate || coordinate->joint.empty()) {
      check.problems.error(
          text.where,
          "'" + text.coordinate + "' is not a coordinate; expected \"joint\" or \"joint[i]\"");
      return std::nullopt;
    }
    Reference reference(coordinate->joint);
    reference.where = text.where;
    CouplerTerm term;
    term.joint = check.joint(reference, {"terms", owner});
    if (term.joint == unresolved) return std::nullopt;
    const JointType type = *check.names.joint_type(term.joint);
    const int nv = info(type).nv;
    term.component = std::max(coordinate->component, 0);
    if (!plain_coordinates(type))
      check.problems.error(text.where, "a " + std::string(info(type).name) +
                                           " joint has no plain coordinates to couple");
    else if (coordinate->component < 0 && nv > 1)
      check.problems.error(text.where, "joint '" + reference.name + "' has " + std::to_string(nv) +
                                           " coordinates; write \"" + reference.name + "[i]\"");
    else if (term.component >= nv)
      check.problems.error(text.where, "'" + text.coordinate +
                                           "' does not exist; the index goes up to " +
                                           std::to_string(nv - 1));
    const auto factor = check.number(text.factor, {"factor in terms", owner});
    moves |= !factor.ok() || factor.values[0] != 0;
    term.factor = factor.formula;
    return term;
  }
};

}  // namespace cartan::model
