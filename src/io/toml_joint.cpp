#include "io/toml_section.h"
#include "io/toml_sections.h"
#include "model/model.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

// The types a key belongs to.
template <class Fits>
std::vector<std::string> types_with(Fits&& fits) {
  std::vector<std::string> names;
  for (const JointTypeInfo& row : all_joint_types())
    if (fits(row)) names.push_back(row.name);
  return names;
}
std::vector<std::string> types_with(DirectionKey key) {
  return types_with([&](const JointTypeInfo& row) { return row.keys.directions == key; });
}

std::vector<KeyRule> make_joint_keys() {
  std::vector<KeyRule> keys = {{"name"},
                               {"type"},
                               {"parent"},
                               {"child"},
                               {"loop"},
                               {"axis", types_with(DirectionKey::axis)},
                               {"axes", types_with(DirectionKey::axes)},
                               {"normal", types_with(DirectionKey::normal)}};
  for (const JointTypeInfo& row : all_joint_types())
    if (const char* key = row.keys.size.key) keys.push_back({key, {row.name}});
  const auto moves = types_with([](const JointTypeInfo& row) { return row.nv > 0; });
  keys.push_back({"position", moves});
  keys.push_back({"velocity", moves});
  keys.push_back({"inertia"});
  keys.push_back({"stop", types_with([](const JointTypeInfo& row) {
                    return row.nv > 0 && !has_quaternion(row.type);
                  })});
  return keys;
}
const std::vector<KeyRule> joint_keys = make_joint_keys();
const std::vector<KeyRule> stop_keys = {{"lower"}, {"upper"}, {"restitution"}};
const std::vector<KeyRule> position_keys = {
    {"axis"}, {"angle"}, {"quaternion"}, {"rpy"}, {"at", types_with([](const JointTypeInfo& row) {
                                                     return has_quaternion(row.type) &&
                                                            plain_count(row.type) > 0;
                                                   })}};

// What is not a rotation joint has its position as plain numbers; an unknown type is taken as
// written.
void read_position(const TomlNode& node, const std::string& type, JointText::Position& position,
                   Diagnostics& problems) {
  position.given = true;
  const std::optional<JointType> known = joint_type_from_name(type);
  const bool rotation = known && has_quaternion(*known);
  if (node.is(Kind::table) && (rotation || !known)) {
    const TomlSection section(node, problems);
    position.rotation = read_rotation_keys(section);
    section.read("at", position.at);
    section.finish(position_keys, "joint", type);
  } else if (rotation) {
    problems.error(node.where, "expected the position of a " + type +
                                   " joint as { axis = [..], angle = .. }, "
                                   "{ quaternion = [..] } or { rpy = [..] }" +
                                   (plain_count(*known) > 0 ? ", with `at = [x, y, z]`" : "") +
                                   ", got " + describe(node));
  } else {
    position.coordinates = read_values(node, problems);
  }
}

void read_axes(const TomlNode& node, std::vector<Values>& axes, Diagnostics& problems) {
  const char* const expected = "two axes: [[x, y, z], [x, y, z]]";
  if (!expect(node, Kind::array, expected, problems)) return;
  if (node.items.size() != 2) {
    problems.error(node.where, "expected " + std::string(expected) + ", got " +
                                   std::to_string(node.items.size()));
    return;
  }
  for (const TomlNode& item : node.items) axes.push_back(read_values(item, problems));
}

// One table for a joint with one coordinate, a list of them for several.
void read_stops(const TomlNode& node, JointText& joint, Diagnostics& problems) {
  joint.stops_where = node.where;
  const auto read_one = [&](const TomlNode& table) {
    StopText stop;
    stop.where = table.where;
    if (expect(table, Kind::table, "a stop { lower = .., upper = .., restitution = .. }",
               problems)) {
      const TomlSection section(table, problems);
      section.read("lower", stop.lower);
      section.read("upper", stop.upper);
      section.read("restitution", stop.restitution);
      section.finish(stop_keys);
    }
    joint.stops.push_back(std::move(stop));
  };
  if (!node.is(Kind::array)) return read_one(node);
  for (const TomlNode& item : node.items) read_one(item);
}

}  // namespace

JointText read_joint(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  JointText joint;
  joint.where = table.where;
  section.read("name", joint.name, joint.name_where);
  section.read("type", joint.type, joint.type_where);
  read_placement(section, "parent", PlacementForm::frame, joint.parent);
  read_placement(section, "child", PlacementForm::frame, joint.child);
  const std::optional<JointType> type = joint_type_from_name(joint.type);
  const bool normal = type && info(*type).keys.directions == DirectionKey::normal;
  section.read(normal ? "normal" : "axis", joint.axis);
  if (const TomlNode* axes = section.find("axes")) {
    joint.axes_where = axes->where;
    read_axes(*axes, joint.axes, problems);
  }
  for (const JointTypeInfo& row : all_joint_types())
    if (const char* key = row.keys.size.key; key && section.has(key))
      section.read(key, joint.sizes[key]);
  if (const TomlNode* position = section.find("position"))
    read_position(*position, joint.type, joint.position, problems);
  section.read("velocity", joint.velocity);
  joint.velocity_given = section.has("velocity");
  if (const TomlNode* stop = section.find("stop")) read_stops(*stop, joint, problems);
  section.read("loop", joint.loop);
  section.read("inertia", joint.inertia);
  section.finish(joint_keys, "joint", type ? joint.type : "");
  return joint;
}

}  // namespace cartan::io
