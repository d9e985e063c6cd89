#include <algorithm>

#include "io/toml_section.h"
#include "io/toml_sections.h"
#include "model/type_names.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

const std::vector<KeyRule> force_keys = keys_of_types(static_cast<const ForceLaw*>(nullptr));

// Whether `from` and `to` of a type have axes of their own.
template <class... F>
bool takes_frames(const std::string& type, const std::variant<F...>*) {
  const auto any = [](const auto& keys) {
    return std::any_of(std::begin(keys), std::end(keys),
                       [](const ElementKey& key) { return key.frame; });
  };
  return ((type == F::type && any(F::keys)) || ...);
}

const std::vector<KeyRule> bearing_keys = {{"at"}, {"radial"}, {"axial"}};

// Keys with a member of their own in ForceText, or read in a way of their own.
bool has_member(std::string_view key) {
  static constexpr std::string_view members[] = {
      "name",      "type",      "joint",     "body",        "on",        "from", "to",
      "at",        "force",     "torque",    "frame",       "length",    "rest", "value",
      "stiffness", "damping",   "measure",   "coulomb",     "viscous",   "load", "bearings",
      "medium",    "quadratic", "smoothing", "coefficient", "deflection"};
  return std::find(std::begin(members), std::end(members), key) != std::end(members);
}

void read_bearings(const TomlNode& node, ForceText& force, Diagnostics& problems) {
  const char* const expected = "a list of bearings { at = [x, y, z], radial = c, axial = c }";
  force.bearings_where = node.where;
  if (node.is(Kind::table)) {  // one may stand for a list of one
    TomlNode list;
    list.kind = Kind::array;
    list.where = node.where;
    list.items.push_back(node);
    return read_bearings(list, force, problems);
  }
  if (!expect(node, Kind::array, expected, problems)) return;
  for (const TomlNode& item : node.items) {
    if (!expect(item, Kind::table, "a bearing { at = [x, y, z], radial = c, axial = c }", problems))
      continue;
    const TomlSection section(item, problems);
    BearingText bearing;
    bearing.where = item.where;
    section.read("at", bearing.at);
    section.read("radial", bearing.radial);
    section.read("axial", bearing.axial);
    section.finish(bearing_keys);
    force.bearings.push_back(std::move(bearing));
  }
}

}  // namespace

ForceText read_force(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  ForceText force;
  force.where = table.where;
  section.read("name", force.name, force.name_where);
  section.read("type", force.type, force.type_where);
  section.read("joint", force.joint);
  section.read("body", force.body);
  section.read("on", force.on);
  const PlacementForm form = takes_frames(force.type, static_cast<const ForceLaw*>(nullptr))
                                 ? PlacementForm::frame
                                 : PlacementForm::point;
  read_placement(section, "from", form, force.from);
  read_placement(section, "to", form, force.to);
  section.read("at", force.at);
  section.read("force", force.force);
  section.read("torque", force.torque);
  section.read("frame", force.frame);
  section.read("stiffness", force.stiffness);
  section.read("damping", force.damping);
  section.read("length", force.length);
  if (const TomlNode* rest = section.find("rest")) {
    if (rest->is(Kind::table))
      force.rest_rotation = read_rotation(*rest, problems);
    else
      force.rest = read_values(*rest, problems);
  }
  section.read("measure", force.measure, force.measure_where);
  section.read("value", force.value);
  section.read("coulomb", force.coulomb);
  section.read("viscous", force.viscous);
  section.read("quadratic", force.quadratic);
  section.read("load", force.load);
  section.read("smoothing", force.smoothing);
  if (const TomlNode* bearings = section.find("bearings"))
    read_bearings(*bearings, force, problems);
  section.read("coefficient", force.coefficient);
  section.read("medium", force.medium);
  section.read("deflection", force.deflection);
  for (const KeyRule& rule : force_keys)
    if (!has_member(rule.key) && section.has(rule.key))
      section.read(rule.key, force.numbers[rule.key]);
  const bool known = std::count(force_types.begin(), force_types.end(), force.type) > 0;
  section.finish(force_keys, "force", known ? force.type : "");
  return force;
}

}  // namespace cartan::io
