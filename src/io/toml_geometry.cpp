// Rotations and placements, which many sections share.
#include <algorithm>

#include "io/toml_section.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

struct RotationForm {
  RotationText::Kind kind;
  const char* key;
  std::size_t length;
};
constexpr RotationForm rotation_forms[] = {
    {RotationText::Kind::axis_angle, "axis", 3},
    {RotationText::Kind::quaternion, "quaternion", 4},
    {RotationText::Kind::rpy, "rpy", 3},
};
const char* const rotation_example =
    "a rotation: { axis = [x, y, z], angle = a }, { quaternion = [w, x, y, z] } or "
    "{ rpy = [roll, pitch, yaw] }";

const std::vector<KeyRule> rotation_keys = {{"axis"}, {"angle"}, {"quaternion"}, {"rpy"}};

}  // namespace

RotationText read_rotation_keys(const TomlSection& section) {
  RotationText rotation;
  rotation.where = section.where();
  int given = 0;
  for (const RotationForm& form : rotation_forms) {
    if (!section.has(form.key)) continue;
    if (++given > 1) {
      section.problems().error(section.where(), "more than one rotation given; expected " +
                                                    std::string(rotation_example));
      return {RotationText::Kind::none, {}, section.where()};
    }
    rotation.kind = form.kind;
    section.read(form.key, rotation.values);
    if (rotation.values.empty()) {
      rotation.kind = RotationText::Kind::none;
    } else if (rotation.values.size() != form.length) {
      section.problems().error(rotation.values.where, "'" + std::string(form.key) + "' must have " +
                                                          std::to_string(form.length) +
                                                          " numbers, got " +
                                                          std::to_string(rotation.values.size()));
      rotation.kind = RotationText::Kind::none;
    }
  }
  if (section.has("axis") != section.has("angle")) {
    section.problems().error(section.where(), section.has("axis")
                                                  ? "missing key 'angle' beside 'axis'"
                                                  : "missing key 'axis' beside 'angle'");
    rotation.kind = RotationText::Kind::none;
  } else if (section.has("angle")) {
    Value angle;
    section.read("angle", angle);
    if (angle.reported) rotation.kind = RotationText::Kind::none;
    rotation.values.push_back(angle);
  }
  if (rotation.kind == RotationText::Kind::none) rotation.values.clear();
  return rotation;
}

RotationText read_rotation(const TomlNode& node, Diagnostics& problems) {
  RotationText rotation;
  rotation.where = node.where;
  if (!expect(node, Kind::table, rotation_example, problems)) return rotation;
  const TomlSection section(node, problems);
  rotation = read_rotation_keys(section);
  section.finish(rotation_keys);
  if (node.entries.empty())
    problems.error(node.where,
                   "expected " + std::string(rotation_example) + ", got an empty table");
  return rotation;
}

PlacementText read_placement(const TomlNode& node, PlacementForm form, Diagnostics& problems) {
  PlacementText placement;
  placement.where = node.where;
  const bool frame = form == PlacementForm::frame;
  if (!expect(node, Kind::table,
              frame ? "{ body = \"name\", at = [x, y, z] }, `rotate` optional"
                    : "{ body = \"name\", at = [x, y, z] }",
              problems)) {
    placement.body.where = node.where;  // reported: its body is not missing
    return placement;
  }
  const TomlSection section(node, problems);
  section.read("body", placement.body);
  section.read("at", placement.at);
  if (frame) section.read("rotate", placement.rotate);
  static const std::vector<KeyRule> point_keys = {{"body"}, {"at"}};
  static const std::vector<KeyRule> frame_keys = {{"body"}, {"at"}, {"rotate"}};
  section.finish(frame ? frame_keys : point_keys);
  return placement;
}

void read_placement(const TomlSection& section, const std::string& key, PlacementForm form,
                    PlacementText& placement) {
  if (const TomlNode* node = section.find(key))
    placement = read_placement(*node, form, section.problems());
}

}  // namespace cartan::io
