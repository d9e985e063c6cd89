#include "io/toml_section.h"
#include "io/toml_sections.h"
#include "model/model.h"

namespace cartan {
namespace {

using Kind = TomlNode::Kind;

const std::vector<std::string> with_motion = {"revolute",    "prismatic",   "screw",
                                              "cylindrical", "universal",   "planar",
                                              "spherical",   "translation", "free"};
const std::vector<KeyRule> joint_keys = {
    {"name"},
    {"type"},
    {"parent"},
    {"child"},
    {"loop"},
    {"axis", {"revolute", "prismatic", "screw", "cylindrical"}},
    {"axes", {"universal"}},
    {"normal", {"planar"}},
    {"pitch", {"screw"}},
    {"position", with_motion},
    {"velocity", with_motion},
    {"stop",
     {"revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "translation"}},
};
const std::vector<KeyRule> stop_keys = {{"lower"}, {"upper"}, {"restitution"}};
const std::vector<KeyRule> position_keys = {
    {"axis"}, {"angle"}, {"quaternion"}, {"rpy"}, {"at", {"free"}}};

// What is not a rotation joint has its position as plain numbers; an unknown type is taken as
// written.
void read_position(const TomlNode& node, const std::string& type, JointText::Position& position,
                   Diagnostics& problems) {
  position.given = true;
  const bool rotation = type == "spherical" || type == "free";
  const bool known = joint_type_from_name(type).has_value();
  if (node.is(Kind::table) && (rotation || !known)) {
    const TomlSection section(node, problems);
    position.rotation = read_rotation_keys(section);
    section.read("at", position.at);
    section.finish(position_keys, "joint", type);
  } else if (rotation) {
    problems.error(node.where, "expected the position of a " + type +
                                   " joint as { axis = [..], angle = .. }, "
                                   "{ quaternion = [..] } or { rpy = [..] }" +
                                   (type == "free" ? ", with `at = [x, y, z]`" : "") + ", got " +
                                   describe(node));
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
  section.read(joint.type == "planar" ? "normal" : "axis", joint.axis);
  if (const TomlNode* axes = section.find("axes")) {
    joint.axes_where = axes->where;
    read_axes(*axes, joint.axes, problems);
  }
  section.read("pitch", joint.pitch);
  if (const TomlNode* position = section.find("position"))
    read_position(*position, joint.type, joint.position, problems);
  section.read("velocity", joint.velocity);
  joint.velocity_given = section.has("velocity");
  if (const TomlNode* stop = section.find("stop")) read_stops(*stop, joint, problems);
  section.read("loop", joint.loop);
  section.finish(joint_keys, "joint", joint_type_from_name(joint.type) ? joint.type : "");
  return joint;
}

}  // namespace cartan
