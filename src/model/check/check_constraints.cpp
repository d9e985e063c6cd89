#include <algorithm>
#include <charconv>

#include "model/check/check_elements.h"
#include "model/type_names.h"

namespace cartan {
namespace {

using ConstraintLaw = decltype(Constraint::law);

void refuse_same_body(CheckContext& check, int a, int b, Location where, const Owner& owner) {
  if (a == b && a != unresolved)
    check.problems.error(where,
                         "constraint '" + owner.name +
                             "' acts between a body and itself; expected two different bodies");
}

ConstraintLaw check_distance(CheckContext& check, const ConstraintText& text, const Owner& owner) {
  DistanceConstraint distance;
  distance.from = check.placement(text.from, {"from", owner});
  distance.to = check.placement(text.to, {"to", owner});
  refuse_same_body(check, distance.from.body, distance.to.body, text.where, owner);
  const Field field{"length", owner};
  check.require(text.length, field);
  const Checked length = check.number(text.length, field);
  check.demand(length, field, "positive (two points that coincide need a spherical joint)",
               [](double x) { return x > 0; });
  distance.length = length.formula;
  return distance;
}

ConstraintLaw check_drive(CheckContext& check, const ConstraintText& text, const Owner& owner) {
  DriveConstraint drive;
  drive.joint = check.joint(text.joint, {"joint", owner});
  check.require(text.position, {"position", owner});
  if (drive.joint == unresolved) return drive;
  const JointType type = *check.names.joint_type(drive.joint);
  if (!plain_coordinates(type)) {
    check.problems.error(text.joint.where,
                         "constraint '" + owner.name + "': a " + info(type).name +
                             " joint cannot be driven; expected a joint with plain "
                             "coordinates");
    return drive;
  }
  drive.position =
      check.expressions(text.position, {"position", owner, {info(type).nv}}, Scope::drive);
  return drive;
}

struct Coordinate {
  std::string joint;
  int component = -1;  // not written
};
// "joint" or "joint[i]"
std::optional<Coordinate> parse_coordinate(const std::string& text) {
  const std::size_t open = text.find('[');
  Coordinate result{text.substr(0, open)};
  if (open == std::string::npos) return result;
  const char *begin = text.data() + open + 1, *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, result.component);
  if (error != std::errc() || result.component < 0 || stop + 1 != end || *stop != ']')
    return std::nullopt;
  return result;
}

std::optional<CouplerTerm> check_term(CheckContext& check, const CouplerTermText& text,
                                      const Owner& owner) {
  const std::optional<Coordinate> coordinate = parse_coordinate(text.coordinate);
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
    check.problems.error(
        text.where,
        "'" + text.coordinate + "' does not exist; the index goes up to " + std::to_string(nv - 1));
  term.factor = check.number(text.factor, {"factor in terms", owner}).formula;
  return term;
}

ConstraintLaw check_coupler(CheckContext& check, const ConstraintText& text, const Owner& owner) {
  CouplerConstraint coupler;
  if (text.terms.empty() && text.terms_where.line == 0)
    check.require(Values{}, {"terms", owner});
  else if (text.terms.empty() && !check.problems.has_errors())
    check.problems.error(text.terms_where, "expected at least one term [\"joint[i]\", factor]");
  bool moves = text.terms.empty();
  for (const CouplerTermText& item : text.terms) {
    if (std::optional<CouplerTerm> term = check_term(check, item, owner)) {
      moves |= !term->factor.given() || evaluate<double>(term->factor, check.parameters)[0] != 0;
      coupler.terms.push_back(std::move(*term));
    } else {
      moves = true;
    }
  }
  if (!moves)
    check.problems.error(text.terms_where, "all factors in terms of constraint '" + owner.name +
                                               "' are zero; expected at least one that is not");
  coupler.offset = or_default(check.number(text.offset, {"offset", owner}).formula, {0});
  return coupler;
}

// A direction that must be there.
Formula direction(CheckContext& check, const Values& values, const Field& field) {
  check.require(values, field);
  const Checked checked = check.numbers(values, field);
  check.demand_direction(checked, field);
  return checked.formula;
}

ConstraintLaw check_rolling_disc(CheckContext& check, const ConstraintText& text,
                                 const Owner& owner) {
  RollingDiscConstraint disc;
  disc.body = check.body(text.body, {"body", owner}, false);
  disc.center = or_default(check.numbers(text.center, {"center", owner, {3}}).formula, {0, 0, 0});
  disc.axis = direction(check, text.axis, {"axis", owner, {3}});
  const Field radius_field{"radius", owner};
  check.require(text.radius, radius_field);
  const Checked radius = check.number(text.radius, radius_field);
  check.demand_positive(radius, radius_field);
  disc.radius = radius.formula;
  disc.plane_point =
      or_default(check.numbers(text.plane_point, {"plane point", owner, {3}}).formula, {0, 0, 0});
  if (text.plane_where.line == 0 && text.plane_normal.empty()) {
    check.require(Values{}, {"plane", owner});
  } else {
    const Owner plane{owner.kind, owner.name, text.plane_where};
    disc.plane_normal = direction(check, text.plane_normal, {"plane normal", plane, {3}});
  }
  if (!text.plane_body.empty())
    disc.plane_body = check.body(text.plane_body, {"plane body", owner}, true);
  refuse_same_body(check, disc.body, disc.plane_body, text.where, owner);
  return disc;
}

ConstraintLaw check_knife_edge(CheckContext& check, const ConstraintText& text,
                               const Owner& owner) {
  KnifeEdgeConstraint edge;
  edge.body = check.body(text.body, {"body", owner}, false);
  edge.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
  edge.normal = direction(check, text.normal, {"normal", owner, {3}});
  if (!text.on.empty()) edge.on = check.body(text.on, {"on", owner}, true);
  refuse_same_body(check, edge.body, edge.on, text.where, owner);
  return edge;
}

using CheckConstraint = ConstraintLaw (*)(CheckContext&, const ConstraintText&, const Owner&);
const std::unordered_map<std::string, CheckConstraint> constraint_laws = {
    {"distance", check_distance},
    {"drive", check_drive},
    {"coupler", check_coupler},
    {"rolling-disc", check_rolling_disc},
    {"knife-edge", check_knife_edge}};

// Two drives cannot both have their way with one joint.
void refuse_second_drives(CheckContext& check) {
  const std::vector<Constraint>& all = check.model.constraints;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto* drive = std::get_if<DriveConstraint>(&all[i].law);
    if (!drive || all[i].type != "drive" || drive->joint == unresolved) continue;
    for (std::size_t k = 0; k < i; ++k) {
      const auto* earlier = std::get_if<DriveConstraint>(&all[k].law);
      if (!earlier || all[k].type != "drive" || earlier->joint != drive->joint ||
          all[k].name == all[i].name)  // told already
        continue;
      check.problems.error(all[i].where, "constraint '" + all[i].name +
                                             "' drives a joint that constraint '" + all[k].name +
                                             "' drives already; expected one drive for a joint");
      break;
    }
  }
}

}  // namespace

void check_constraints(CheckContext& check) {
  const std::vector<std::string> names = element_names(check.text.constraints);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ConstraintText& text = check.text.constraints[i];
    const Owner owner{"constraint", names[i], text.where};
    Constraint constraint;
    constraint.name = names[i];
    constraint.type = text.type;
    constraint.where = text.where;
    if (check_element_type(check, text, owner, constraint_types))
      constraint.law = constraint_laws.at(text.type)(check, text, owner);
    check.model.constraints.push_back(std::move(constraint));
  }
  refuse_second_drives(check);
}

}  // namespace cartan
