// [[contact]]: two surfaces that may not pass through each other.
#include "io/toml_section.h"
#include "io/toml_sections.h"

namespace cartan {
namespace {

using Kind = TomlNode::Kind;

const std::vector<KeyRule> contact_keys = {{"name"},     {"a"},   {"b"},     {"restitution"},
                                           {"friction"}, {"law"}, {"active"}};
const std::vector<KeyRule> side_keys = {{"body"},      {"at"},    {"rotate"},  {"point"},
                                        {"sphere"},    {"disc"},  {"capsule"}, {"box"},
                                        {"ellipsoid"}, {"plane"}, {"inside"}};
const std::vector<KeyRule> disc_keys = {{"radius"}, {"axis"}};
const char* const shapes[] = {"sphere", "disc", "capsule", "box", "ellipsoid", "plane", "point"};

void read_disc(const TomlNode& node, ContactSideText& side, Diagnostics& problems) {
  side.size.where = side.axis.where = node.where;  // complained about here, not as missing
  if (!expect(node, Kind::table, "a disc { radius = r, axis = [x, y, z] }", problems)) return;
  const TomlSection section(node, problems);
  if (!section.has("radius") || !section.has("axis"))
    problems.error(node.where, "a disc needs 'radius' and 'axis'");
  section.read("radius", side.size);
  section.read("axis", side.axis);
  section.finish(disc_keys);
}

void read_side(const TomlNode& node, ContactSideText& side, Diagnostics& problems) {
  side.where = node.where;
  if (!expect(node, Kind::table,
              "a surface { body = \"..\", sphere = r, at = [..] } (or disc, capsule, box, "
              "ellipsoid, plane, point)",
              problems)) {
    side.shape = "reported";
    return;
  }
  const TomlSection section(node, problems);
  section.read("body", side.body);
  section.read("at", side.at);
  section.read("rotate", side.rotate);
  section.read("inside", side.inside);
  for (const char* shape : shapes) {
    const TomlNode* value = section.find(shape);
    if (!value) continue;
    if (!side.shape.empty()) {
      problems.error(value->where, "both '" + side.shape + "' and '" + std::string(shape) +
                                       "'; expected one shape for a surface");
      continue;
    }
    side.shape = shape;
    if (side.shape == "disc")
      read_disc(*value, side, problems);
    else if (side.shape == "point" && value->is(Kind::array))
      section.read("point", side.at);
    else if (side.shape != "point")
      section.read(shape, side.size);
  }
  if (side.shape.empty()) side.shape = "point";
  section.finish(side_keys);
}

}  // namespace

ContactText read_contact(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  ContactText contact;
  contact.where = table.where;
  section.read("name", contact.name, contact.name_where);
  for (const char* key : {"a", "b"}) {
    ContactSideText& side = key[0] == 'a' ? contact.a : contact.b;
    if (const TomlNode* node = section.find(key)) {
      read_side(*node, side, problems);
    } else {
      problems.error(table.where, "missing key '" + std::string(key) + "' of a contact");
      side.shape = "reported";
    }
  }
  section.read("restitution", contact.restitution);
  if (const TomlNode* friction = section.find("friction")) {
    contact.rough = friction->is(Kind::text) && friction->text == "rough";
    if (!contact.rough) section.read("friction", contact.friction);
  }
  section.read("law", contact.law, contact.law_where);
  section.read("active", contact.active);
  section.finish(contact_keys);
  return contact;
}

}  // namespace cartan
