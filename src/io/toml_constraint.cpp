#include <algorithm>

#include "io/toml_section.h"
#include "io/toml_sections.h"
#include "model/type_names.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

const std::vector<KeyRule> constraint_keys =
    keys_of_types(static_cast<const ConstraintLaw*>(nullptr));
const std::vector<KeyRule> plane_keys = {{"point"}, {"normal"}, {"body"}};

void read_terms(const TomlNode& node, ConstraintText& constraint, Diagnostics& problems) {
  const char* const expected = "a list of terms [[\"joint[i]\", factor], ...]";
  constraint.terms_where = node.where;
  if (!expect(node, Kind::array, expected, problems)) return;
  for (const TomlNode& item : node.items) {
    if (!item.is(Kind::array) || item.items.size() != 2 || !item.items[0].is(Kind::text)) {
      problems.error(item.where, "expected a term [\"joint[i]\", factor]");
      continue;
    }
    CouplerTermText term;
    term.where = item.items[0].where;
    term.coordinate = item.items[0].text;
    term.factor = read_value(item.items[1], problems);
    constraint.terms.push_back(std::move(term));
  }
}

void read_plane(const TomlNode& node, ConstraintText& constraint, Diagnostics& problems) {
  constraint.plane_where = node.where;
  if (!expect(node, Kind::table, "a plane { point = [..], normal = [..], body = \"world\" }",
              problems)) {
    constraint.plane_normal.where = node.where;  // reported: not missing
    return;
  }
  const TomlSection section(node, problems);
  section.read("point", constraint.plane_point);
  section.read("normal", constraint.plane_normal);
  section.read("body", constraint.plane_body);
  section.finish(plane_keys);
}

}  // namespace

ConstraintText read_constraint(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  ConstraintText constraint;
  constraint.where = table.where;
  section.read("name", constraint.name, constraint.name_where);
  section.read("type", constraint.type, constraint.type_where);
  section.read("joint", constraint.joint);
  section.read("body", constraint.body);
  section.read("on", constraint.on);
  read_placement(section, "from", PlacementForm::point, constraint.from);
  read_placement(section, "to", PlacementForm::point, constraint.to);
  section.read("length", constraint.length);
  section.read("position", constraint.position);
  if (const TomlNode* terms = section.find("terms")) read_terms(*terms, constraint, problems);
  section.read("offset", constraint.offset);
  section.read("center", constraint.center);
  section.read("axis", constraint.axis);
  section.read("radius", constraint.radius);
  section.read("rim", constraint.rim);
  if (const TomlNode* plane = section.find("plane")) read_plane(*plane, constraint, problems);
  section.read("at", constraint.at);
  section.read("normal", constraint.normal);
  const bool known =
      std::count(constraint_types.begin(), constraint_types.end(), constraint.type) > 0;
  section.finish(constraint_keys, "constraint", known ? constraint.type : "");
  return constraint;
}

}  // namespace cartan::io
