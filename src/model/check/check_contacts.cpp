// Stops of joints and contacts of surfaces.
#include <algorithm>
#include <unordered_set>

#include "model/check/check_elements.h"

namespace cartan::model {
namespace {

Formula check_restitution(CheckContext& check, const std::optional<Value>& value,
                          const Owner& owner) {
  const Field field{"restitution", owner};
  const Checked checked = check.number(value, field);
  check.demand(checked, field, "between 0 and 1", [](double e) { return e >= 0 && e <= 1; });
  return or_default(checked.formula, {0});
}

void check_stop(CheckContext& check, int joint, int component, int count, const StopText& text) {
  const std::string& name = check.text.joints[joint].name;
  const Owner owner{"joint", name, text.where};
  if (!text.lower && !text.upper && !check.problems.has_errors() && count == 1)
    check.problems.error(text.where, "the stop of joint '" + name +
                                         "' has neither 'lower' nor 'upper'; expected a bound");
  std::vector<double> bounds;
  for (const bool upper : {false, true}) {
    const std::optional<Value>& value = upper ? text.upper : text.lower;
    if (!value) continue;
    const Checked bound = check.number(value, {upper ? "upper" : "lower", owner});
    Contact contact;
    contact.name = name + (count > 1 ? "[" + std::to_string(component) + "]" : "") +
                   (upper ? " upper" : " lower");
    contact.joint = joint;
    contact.component = component;
    contact.upper = upper;
    contact.bound = bound.formula;
    contact.restitution = check_restitution(check, text.restitution, owner);
    contact.where = text.where;
    if (bound.ok()) bounds.push_back(bound.values[0]);
    check.model.contacts.push_back(std::move(contact));
  }
  if (bounds.size() == 2 && !(bounds[0] < bounds[1]))
    check.problems.error(text.where, "the stop of joint '" + name +
                                         "' leaves no room: 'lower' must be below 'upper'");
}

void check_stops(CheckContext& check) {
  for (std::size_t j = 0; j < check.text.joints.size(); ++j) {
    const JointText& text = check.text.joints[j];
    const std::optional<JointType> type = joint_type_from_name(text.type);
    if (text.stops_where.line == 0 && text.stops.empty()) continue;
    if (!type || !plain_coordinates(*type)) {
      if (type)
        check.problems.error(text.stops_where,
                             "a " + std::string(info(*type).name) +
                                 " joint has no plain coordinates to stop; use a [[contact]]");
      continue;
    }
    const int count = info(*type).nv;
    if (static_cast<int>(text.stops.size()) != count) {
      check.problems.error(text.stops_where,
                           "stop of joint '" + text.name + "' must be " +
                               (count == 1 ? "one table"
                                           : "a list of " + std::to_string(count) +
                                                 " tables, empty ones for "
                                                 "coordinates without a stop"));
      continue;
    }
    for (int k = 0; k < count; ++k) check_stop(check, static_cast<int>(j), k, count, text.stops[k]);
  }
}

struct ContactShapeRule {
  const char* name;
  ContactShape shape;
  int numbers;
};
constexpr ContactShapeRule contact_shape_rules[] = {
    {"point", ContactShape::point, 0}, {"sphere", ContactShape::sphere, 1},
    {"disc", ContactShape::disc, 1},   {"capsule", ContactShape::capsule, 2},
    {"box", ContactShape::box, 3},     {"ellipsoid", ContactShape::ellipsoid, 3},
    {"mesh", ContactShape::mesh, 0},   {"plane", ContactShape::plane, 3}};

// What a mesh touches as. A plane sees no more of any surface than its hull; `whole`: other bodies
// touch it too, and it must be convex or said to be taken as its hull.
bool check_touching_mesh(CheckContext& check, const ContactSideText& text, const Owner& owner,
                         bool whole, ContactSide& side) {
  side.size = check_scale(check, text.size, owner);
  if (text.mesh.name.empty()) {
    if (text.mesh.where.line == 0 || !check.problems.has_errors())
      check.problems.error(text.where, "a mesh without a file; expected mesh = \"FILE.stl\"");
    return false;
  }
  const MeshFiles::Hull& found = check.meshes.find_hull(text.mesh.name);
  if (!found.body) {
    check.problems.error(text.where, found.problem);
    return false;
  }
  side.hull = found.body;
  if (!whole || text.hull || found.dent.empty()) return true;
  check.problems.error(text.where, "mesh '" + text.mesh.name + "' of body '" + text.body.name +
                                       "' is not convex: " + found.dent +
                                       "; say that its hull touches, { body = \"" + text.body.name +
                                       "\", mesh = \"" + text.mesh.name +
                                       "\", hull = true }, or put several convex meshes, spheres, "
                                       "capsules or boxes in its place");
  return false;
}

// False: complained about.
bool check_side(CheckContext& check, const ContactSideText& text, const char* key,
                const Owner& owner, bool in_group, ContactSide& side) {
  const auto* rule = std::find_if(std::begin(contact_shape_rules), std::end(contact_shape_rules),
                                  [&](const ContactShapeRule& r) { return text.shape == r.name; });
  if (rule == std::end(contact_shape_rules)) return false;
  side.shape = rule->shape;
  side.inside = text.inside;
  PlacementText place;
  place.body = text.body;
  place.at = text.at;
  place.rotate = text.rotate;
  place.where = text.where;
  side.place = check.placement(place, {key, owner});
  const Field size{std::string(rule->name) + " of side " + key, owner, {rule->numbers}};
  if (rule->numbers > 0) {
    check.require(text.size, size);
    const Checked checked = check.numbers(text.size, size);
    if (side.shape == ContactShape::plane)
      check.demand_direction(checked, size);
    else
      check.demand_positive(checked, size);
    side.size = checked.formula;
  }
  if (side.shape == ContactShape::disc) {
    const Field axis{"axis of side " + std::string(key), owner, {3}};
    check.require(text.axis, axis);
    const Checked checked = check.numbers(text.axis, axis);
    check.demand_direction(checked, axis);
    side.axis = checked.formula;
  }
  if (side.inside && side.shape != ContactShape::sphere) {
    check.problems.error(text.where, "only a sphere can be touched from inside; remove 'inside'");
    return false;
  }
  if (side.shape == ContactShape::mesh && !check_touching_mesh(check, text, owner, in_group, side))
    return false;
  return side.place.body != unresolved && (rule->numbers == 0 || side.size.given());
}

bool is_round(const ContactSide& side) {
  return side.shape == ContactShape::sphere || side.shape == ContactShape::point;
}

// Planes and hollow spheres are side b.
bool check_pair(CheckContext& check, const ContactText& text, Contact& contact) {
  const auto belongs_second = [](const ContactSide& s) {
    return s.shape == ContactShape::plane || s.inside;
  };
  if (belongs_second(contact.a) && !belongs_second(contact.b)) std::swap(contact.a, contact.b);
  if (belongs_second(contact.a)) {
    check.problems.error(text.where, "contact '" + contact.name +
                                         "': two planes or hollow spheres cannot touch; expected "
                                         "a body with a convex surface on one side");
    return false;
  }
  if (contact.a.place.body == contact.b.place.body) {
    check.problems.error(text.where, "contact '" + contact.name +
                                         "' is between a body and itself; expected two bodies");
    return false;
  }
  if (contact.b.shape == ContactShape::plane || (is_round(contact.a) && is_round(contact.b)))
    return true;
  check.problems.error(text.where,
                       "contact '" + contact.name +
                           "': these two shapes are not known together; expected a plane on one "
                           "side (any other shape against it), or two spheres");
  return false;
}

// Restitution, friction, law, where it counts.
void check_laws(CheckContext& check, const ContactText& text, const Owner& owner,
                Contact& contact) {
  contact.where = text.where;
  contact.restitution = check_restitution(check, text.restitution, owner);
  contact.rough = text.rough;
  const Field friction{"friction", owner};
  const Checked mu = check.number(text.friction, friction);
  check.demand(mu, friction, "a number that is not negative, or \"rough\"",
               [](double x) { return x >= 0; });
  contact.friction = mu.formula;
  contact.poisson = text.law == "poisson";
  if (!text.law.empty() && text.law != "newton" && text.law != "poisson")
    check.problems.error(text.law_where, "unknown law '" + text.law + "'" +
                                             check.suggest(text.law, {"newton", "poisson"}));
  if (text.active && !text.active->reported)
    contact.active = check.formulas.compile(*text.active, Scope::everything);
}

void check_contact(CheckContext& check, const ContactText& text, const std::string& name) {
  const Owner owner{"contact", name, text.where};
  Contact contact;
  contact.name = name;
  contact.group = text.group;
  const bool a = check_side(check, text.a, "a", owner, false, contact.a);
  const bool b = check_side(check, text.b, "b", owner, false, contact.b);
  check_laws(check, text, owner, contact);
  if (a && b) check_pair(check, text, contact);
  check.model.contacts.push_back(std::move(contact));
}

void check_group(CheckContext& check, const ContactGroupText& text) {
  const Owner owner{"group of contacts", "", text.law.where};
  ContactGroup group;
  group.not_located = text.not_located;
  for (const ContactSideText& side : text.sides)
    if (!check_side(check, side, "a", owner, true, group.sides.emplace_back())) break;
  for (const ContactSideText& side : text.surfaces)
    check_side(check, side, "b", owner, true, group.surfaces.emplace_back());
  check_laws(check, text.law, owner, group.law);
  check.model.contact_groups.push_back(std::move(group));
}

}  // namespace

void check_contacts(CheckContext& check) {
  check_stops(check);
  std::unordered_set<std::string> taken;
  for (const Contact& stop : check.model.contacts) taken.insert(stop.name);
  for (const ContactText& text : check.text.contacts)
    if (!text.name.empty()) taken.insert(text.name);
  int number = 0;
  for (const ContactText& text : check.text.contacts) {
    std::string name = text.name;
    while (name.empty() && !taken.insert("contact" + std::to_string(++number)).second) {
    }
    check_contact(check, text, name.empty() ? "contact" + std::to_string(number) : name);
  }
  // mistakes in what was written out are told there
  for (const ContactGroupText& text : check.text.contact_groups)
    if (!check.problems.has_errors()) check_group(check, text);
}

}  // namespace cartan::model
