// [[contact]]: two surfaces that may not pass through each other. [[contacts]]: those of all pairs
// of some bodies, written out here as if each pair had a [[contact]].
#include <set>
#include <utility>

#include <fmt/format.h>

#include "io/toml_section.h"
#include "io/toml_sections.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

const std::vector<KeyRule> contact_keys = {{"name"},     {"a"},   {"b"},     {"restitution"},
                                           {"friction"}, {"law"}, {"active"}};
const std::vector<KeyRule> side_keys = {
    {"body"}, {"at"},        {"rotate"}, {"point"},  {"sphere"}, {"disc"},  {"capsule"},
    {"box"},  {"ellipsoid"}, {"plane"},  {"inside"}, {"mesh"},   {"scale"}, {"hull"}};
const std::vector<KeyRule> disc_keys = {{"radius"}, {"axis"}};
const char* const shapes[] = {"sphere",    "disc", "capsule", "box",
                              "ellipsoid", "mesh", "plane",   "point"};

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
              "ellipsoid, mesh, plane, point)",
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
    else if (side.shape == "mesh")
      section.read("mesh", side.mesh);
    else if (side.shape == "point" && value->is(Kind::array))
      section.read("point", side.at);
    else if (side.shape != "point")
      section.read(shape, side.size);
  }
  for (const char* key : {"scale", "hull"})
    if (const TomlNode* value = section.find(key); value && side.shape != "mesh")
      problems.error(value->where, "'" + std::string(key) + "' belongs to a mesh");
  if (side.shape == "mesh") section.read("scale", side.size), section.read("hull", side.hull);
  if (side.shape.empty()) side.shape = "point";
  section.finish(side_keys);
}

// What both forms say about the touching itself.
void read_laws(const TomlSection& section, ContactText& contact) {
  section.read("restitution", contact.restitution);
  if (const TomlNode* friction = section.find("friction")) {
    contact.rough = friction->is(Kind::text) && friction->text == "rough";
    if (!contact.rough) section.read("friction", contact.friction);
  }
  section.read("law", contact.law, contact.law_where);
  section.read("active", contact.active);
}

// -- groups

const std::vector<KeyRule> group_keys = {{"bodies"},   {"against"}, {"restitution"},
                                         {"friction"}, {"law"},     {"active"}};

constexpr std::size_t most_located = 5000;  // pairs whose impacts are located one by one

// `*` stands for any letters, also none: after a mismatch the last one takes a letter more.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p, ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

// A body of a group with the surfaces that touch.
struct GroupMember {
  const BodyText* body;
  std::vector<ContactSideText> sides;
};

class ContactGroup {
 public:
  ContactGroup(const TomlNode& table, ModelDescription& model, Diagnostics& problems)
      : section_(table, problems), model_(model), problems_(problems) {
    law_.where = table.where;
    read_laws(section_, law_);
    section_.finish(group_keys);
  }

  void write_out() {
    const std::vector<GroupMember> bodies = list_bodies();
    const std::vector<ContactSideText> surfaces = read_surfaces();
    const std::size_t first = model_.contacts.size(), pairs = bodies.size() * bodies.size() / 2;
    if (pairs <= most_located)
      for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t j = i + 1; j < bodies.size(); ++j)
          if (!are_joined(bodies[i].body->name, bodies[j].body->name))
            add_pair(bodies[i], bodies[j]);
    ContactGroupText group;
    for (const GroupMember& member : bodies)
      for (const ContactSideText& side : member.sides) {
        group.sides.push_back(side);
        for (std::size_t k = 0; k < surfaces.size() && pairs <= most_located; ++k)
          add_surface(
              side, surfaces[k],
              member.body->name + "_surface" + (surfaces.size() > 1 ? std::to_string(k + 1) : ""));
      }
    if (pairs > most_located)
      group.not_located = fmt::format(
          "a group of [[contacts]] with {} bodies has {} pairs, and impacts are located for up to "
          "{} of them; use the integrator moreau",
          bodies.size(), bodies.size() * (bodies.size() - 1) / 2, most_located);
    else if (unknown_ > 0)
      group.not_located = fmt::format(
          "{}{}: where impacts are located, spheres can touch spheres, every other shape only "
          "planes; leave such bodies to groups of their own, with `against`, or use the integrator "
          "moreau",
          unknown_pair_, unknown_ > 1 ? fmt::format(" and {} pairs more", unknown_ - 1) : "");
    if (!group.not_located.empty()) model_.contacts.resize(first);
    const bool touches = bodies.size() > 1 || !surfaces.empty();
    group.surfaces = surfaces;
    group.law = law_;
    model_.contact_groups.push_back(std::move(group));
    if (added_ == 0 && unknown_ == 0 && (pairs <= most_located || !touches) &&
        !problems_.has_errors())
      problems_.error(law_.where,
                      "these bodies have nothing to touch; expected two bodies with shapes that "
                      "no joint connects, or `against = { plane = [0, 0, 1] }`");
  }

 private:
  // In the order of the file, each once. A name stands for the shapes of the body, a table for a
  // surface in their place.
  std::vector<GroupMember> list_bodies() {
    std::vector<GroupMember> bodies;
    const TomlNode* list = section_.find("bodies");
    if (!list) {
      problems_.error(law_.where, "missing key 'bodies' of [[contacts]]");
      return bodies;
    }
    if (!expect(*list, Kind::array, "a list of names, such as [\"ball*\", \"box\"]", problems_))
      return bodies;
    std::vector<bool> chosen(model_.bodies.size(), false);
    std::vector<std::vector<ContactSideText>> given(model_.bodies.size());
    for (const TomlNode& item : list->items) {
      ContactSideText side;
      if (!read_member(item, side)) continue;
      bool found = false;
      for (std::size_t b = 0; b < chosen.size(); ++b) {
        if (!matches(side.body.name, model_.bodies[b].name)) continue;
        found = chosen[b] = true;
        if (side.shape.empty()) continue;
        given[b].push_back(side);
        given[b].back().body.name = model_.bodies[b].name;
      }
      if (!found) complain_about(side.body.name, item.where);
    }
    for (std::size_t b = 0; b < chosen.size(); ++b)
      if (chosen[b])
        bodies.push_back({&model_.bodies[b],
                          given[b].empty() ? sides_of(model_.bodies[b]) : std::move(given[b])});
    return bodies;
  }
  // A pattern of names in side.body; false: complained about.
  bool read_member(const TomlNode& item, ContactSideText& side) {
    side.body.where = item.where;
    if (!item.is(Kind::table)) {
      side.body.name = item.text;
      return expect(item, Kind::text,
                    "the name of a body, `*` for any letters, or { body = \"..\", capsule = "
                    "[radius, length] }",
                    problems_);
    }
    const TomlNode* body = TomlSection(item, problems_).find("body");
    if (!body) problems_.error(item.where, "missing key 'body' of a surface of [[contacts]]");
    read_side(item, side, problems_);
    if (!body || !body->is(Kind::text) || side.shape == "reported") return false;
    for (const char* known : {"sphere", "capsule", "box", "mesh"})
      if (side.shape == known) return true;
    problems_.error(item.where,
                    "a body of [[contacts]] touches as a sphere, capsule, box or mesh, not "
                    "as a " +
                        side.shape +
                        "; planes belong into `against`, a disc or an ellipsoid into "
                        "a [[contact]]");
    return false;
  }
  void complain_about(const std::string& name, const Location& where) {
    problems_.error(where,
                    name == "world"
                        ? "the world has no shapes; name its surfaces by `against = { plane = "
                          "[0, 0, 1], at = [0, 0, 0] }`, one or a list"
                        : "no body is called '" + name + "' (`*` stands for any letters)");
  }

  std::vector<ContactSideText> read_surfaces() {
    std::vector<ContactSideText> surfaces;
    const TomlNode* node = section_.find("against");
    if (!node) return surfaces;
    const auto read_one = [&](const TomlNode& item) {
      read_side(item, surfaces.emplace_back(), problems_);
      if (surfaces.back().body.empty()) surfaces.back().body = {"world"};
    };
    if (node->is(Kind::array))
      for (const TomlNode& item : node->items) read_one(item);
    else
      read_one(*node);
    return surfaces;
  }

  bool are_joined(const std::string& a, const std::string& b) {
    if (joined_.empty())
      for (const JointText& joint : model_.joints)
        joined_.emplace(std::minmax(joint.parent.body.name, joint.child.body.name));
    return joined_.contains(std::minmax(a, b));
  }

  // The surfaces of a body are its shapes; of cylinders and tubes it is told.
  std::vector<ContactSideText> sides_of(const BodyText& body) {
    std::vector<ContactSideText> sides;
    for (const ShapeText& shape : body.shapes) {
      const bool round = shape.kind == ShapeText::Kind::sphere;
      const bool mesh = shape.kind == ShapeText::Kind::mesh;
      if (!round && !mesh && shape.kind != ShapeText::Kind::box) {
        refuse_shape(body.name);
        return {};
      }
      ContactSideText side;
      side.body = {body.name};
      side.body.where = law_.where;
      side.where = law_.where;
      side.shape = round ? "sphere" : mesh ? "mesh" : "box";
      side.mesh = shape.mesh;
      side.size = shape.size;
      side.at = shape.at;
      side.rotate = shape.rotate;
      sides.push_back(std::move(side));
    }
    return sides;
  }
  void refuse_shape(const std::string& body) {
    problems_.error(
        law_.where,
        fmt::format("body '{0}' has a shape that [[contacts]] does not take, a cylinder or a tube "
                    "(it takes spheres, boxes and convex meshes); say what touches in its place, "
                    "one surface or several: bodies = [{{ body = \"{0}\", capsule = [radius, "
                    "length] }}] (or sphere, box, mesh; with at, rotate)",
                    body));
  }

  void add_pair(const GroupMember& a, const GroupMember& b) {
    for (const ContactSideText& one : a.sides)
      for (const ContactSideText& other : b.sides) {
        if (one.shape == "sphere" && other.shape == "sphere") {
          add(one, other, a.body->name + "_" + b.body->name);
        } else if (unknown_++ == 0) {
          unknown_pair_ = fmt::format("a {} of body '{}' against a {} of body '{}'", one.shape,
                                      a.body->name, other.shape, b.body->name);
        }
      }
  }
  // Boxes, capsules and meshes of the world are known to moreau alone.
  void add_surface(const ContactSideText& side, const ContactSideText& surface,
                   const std::string& name) {
    const bool round = surface.shape == "sphere" || surface.shape == "point";
    if (surface.shape == "plane" || (round && side.shape == "sphere"))
      add(side, surface, name);
    else if (unknown_++ == 0)
      unknown_pair_ =
          fmt::format("a {} of body '{}' against a {}", side.shape, side.body.name, surface.shape);
  }
  void add(const ContactSideText& a, const ContactSideText& b, const std::string& name) {
    ContactText contact = law_;
    contact.group = static_cast<int>(model_.contact_groups.size());
    contact.name = name;
    for (int k = 2; !names_.insert(contact.name).second; ++k)
      contact.name = name + "_" + std::to_string(k);
    contact.name_where = law_.where;
    contact.a = a;
    contact.b = b;
    model_.contacts.push_back(std::move(contact));
    ++added_;
  }

  const TomlSection section_;
  ModelDescription& model_;
  Diagnostics& problems_;
  ContactText law_;
  std::set<std::pair<std::string, std::string>> joined_;  // names in order
  std::set<std::string> names_;
  std::string unknown_pair_;
  int unknown_ = 0, added_ = 0;
};

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
  read_laws(section, contact);
  section.finish(contact_keys);
  return contact;
}

void read_contact_groups(const TomlNode& list, ModelDescription& model, Diagnostics& problems) {
  if (!expect(list, Kind::array, "a list of tables: [[contacts]]", problems)) return;
  for (const TomlNode& item : list.items)
    if (expect(item, Kind::table, "a table: [[contacts]]", problems))
      ContactGroup(item, model, problems).write_out();
}

}  // namespace cartan::io
