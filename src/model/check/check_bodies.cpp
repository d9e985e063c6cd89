#include <Eigen/Eigenvalues>
#include <algorithm>

#include "model/check/check_elements.h"

namespace cartan::model {
namespace {

constexpr double inertia_tolerance = 1e-9;  // of the largest principal moment

struct ShapeRule {
  const char* key;
  int size;
};
ShapeRule rule_of(ShapeText::Kind kind) {
  switch (kind) {
    case ShapeText::Kind::box:
      return {"box", 3};
    case ShapeText::Kind::cylinder:
      return {"cylinder", 2};
    case ShapeText::Kind::tube:
      return {"tube", 3};
    case ShapeText::Kind::mesh:
      return {"scale", 3};
    case ShapeText::Kind::sphere:
      break;
  }
  return {"sphere", 1};
}

// False: the body is drawn without it. A picture can do without a file that is not there, a mass
// cannot.
bool check_mesh(CheckContext& check, const ShapeText& text, const Owner& owner, bool has_mass,
                Shape& shape) {
  shape.mesh_file = text.mesh.name;
  shape.size = check_scale(check, text.size, owner);
  if (text.mesh.name.empty()) {
    if (text.mesh.where.line == 0 || !check.problems.has_errors())
      check.problems.error(text.where, "a mesh without a file; expected mesh = \"FILE.stl\"");
    return false;
  }
  const MeshFiles::Entry& entry = check.meshes.find(text.mesh.name);
  if (!entry.mesh && entry.missing && !has_mass) {
    check.problems.warning(text.mesh.where,
                           entry.problem + "; body '" + owner.name + "' is drawn without it");
    return false;
  }
  if (!entry.mesh) {
    check.problems.error(text.mesh.where, entry.problem);
    return false;
  }
  shape.mesh = entry.mesh;
  if (!has_mass) return true;
  const std::string open = calc_mesh_solid(*shape.mesh, shape.solid);
  if (!open.empty())
    check.problems.error(text.mesh.where, "the mass of body '" + owner.name +
                                              "' cannot follow from the mesh '" + text.mesh.name +
                                              "': " + open +
                                              "; state mass, com and inertia, or mend the mesh");
  return open.empty();
}

std::optional<Shape> check_shape(CheckContext& check, const ShapeText& text, const Owner& owner,
                                 bool has_mass) {
  const ShapeRule rule = rule_of(text.kind);
  const Field field{rule.key, owner, {rule.size}};
  Shape shape;
  shape.kind = text.kind;
  shape.color = text.color;
  shape.at = or_default(check.numbers(text.at, {"shape at", owner, {3}}).formula, {0, 0, 0});
  shape.rotate = check.rotation(text.rotate, {"shape rotate", owner});
  if (text.kind == ShapeText::Kind::mesh) {
    if (check_mesh(check, text, owner, has_mass, shape)) return shape;
    return std::nullopt;
  }
  check.require(text.size, field);
  const Checked size = check.numbers(text.size, field);
  check.demand_positive(size, field);
  if (text.kind == ShapeText::Kind::tube && size.ok() && size.values[0] >= size.values[1])
    check.problems.error(size.formula.where,
                         CheckContext::name_of(field) +
                             " has an inner radius that is not below the outer one; "
                             "expected [inner, outer, length]");
  shape.size = size.formula;
  return shape;
}

// Principal moments of [xx, yy, zz, xy, xz, yz], ascending
Eigen::Vector3d principal_moments(const std::vector<double>& i) {
  Eigen::Matrix3d m;
  m << i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2];
  return Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m, Eigen::EigenvaluesOnly).eigenvalues();
}

void check_moments(CheckContext& check, std::vector<double> inertia, const Formula& formula,
                   const Field& field) {
  inertia.resize(6);
  const Eigen::Vector3d moments = principal_moments(inertia);
  const double slack = inertia_tolerance * moments.cwiseAbs().maxCoeff();
  const std::string shown =
      text_of(moments[0]) + ", " + text_of(moments[1]) + ", " + text_of(moments[2]);
  if (moments[0] < -slack)
    check.problems.error(formula.where,
                         CheckContext::name_of(field) +
                             " is not positive semidefinite: its principal moments are " + shown);
  else if (moments[0] + moments[1] < moments[2] - slack)
    check.problems.error(
        formula.where, CheckContext::name_of(field) +
                           " violates the triangle inequality: no body has the principal moments " +
                           shown + "; the largest must not exceed the sum of the others");
}

// [xx, yy, zz] becomes six numbers.
Values full_inertia(const Values& values) {
  Values all = values;
  while (all.size() < 6) all.push_back(Value(0));
  return all;
}

void check_stated_mass(CheckContext& check, const BodyText& text, const Owner& owner, Body& body) {
  const Field mass_field{"mass", owner}, inertia_field{"inertia", owner, {3, 6}};
  if (!text.mass)
    check.problems.error(owner.where, "missing key 'mass' of body '" + owner.name +
                                          "'; expected a number, 0 for a body without mass, or "
                                          "'density' with shapes");
  const Checked mass = check.number(text.mass, mass_field);
  check.demand(mass, mass_field, "at least 0", [](double x) { return x >= 0; });
  body.mass = mass.formula;
  body.com = or_default(check.numbers(text.com, {"com", owner, {3}}).formula, {0, 0, 0});
  const Checked inertia = check.numbers(text.inertia, inertia_field);
  if (inertia.ok()) {
    check_moments(check, inertia.values, inertia.formula, inertia_field);
    body.inertia = check.formulas.compile(full_inertia(text.inertia), Scope::numbers);
  } else {
    body.inertia = constant_formula({0, 0, 0, 0, 0, 0});
  }
}

void check_density(CheckContext& check, const BodyText& text, const Owner& owner, Body& body) {
  const Field field{"density", owner};
  const Checked density = check.number(text.density, field);
  check.demand_positive(density, field);
  body.density = density.formula;
  const auto refuse = [&](bool given, Location where, const char* key) {
    if (given)
      check.problems.error(where,
                           std::string("'") + key + "' beside 'density' of body '" + owner.name +
                               "': mass, com and inertia follow from the shapes; expected one or "
                               "the other");
  };
  refuse(text.mass.has_value(), text.mass ? text.mass->where : Location{}, "mass");
  refuse(!text.com.empty(), text.com.where, "com");
  refuse(!text.inertia.empty(), text.inertia.where, "inertia");
  if (text.shapes.empty() && text.shapes_where.line == 0)
    check.problems.error(text.density->where,
                         "'density' of body '" + owner.name + "' needs at least one shape");
}

// com and inertia follow from the ends.
void check_line(CheckContext& check, const BodyText& text, const Owner& owner, Body& body) {
  const auto refuse = [&](bool given, Location where, const char* key) {
    if (given)
      check.problems.error(where, std::string("'") + key + "' beside 'line' of body '" +
                                      owner.name +
                                      "': a uniform rod has its mass alone; expected one or the "
                                      "other");
  };
  refuse(text.density.has_value(), text.density ? text.density->where : Location{}, "density");
  refuse(!text.com.empty(), text.com.where, "com");
  refuse(!text.inertia.empty(), text.inertia.where, "inertia");
  const Field from{"line from", owner, {3}}, to{"line to", owner, {3}};
  const Checked a = check.numbers(text.line_from, from), b = check.numbers(text.line_to, to);
  if (!a.ok() || !b.ok()) return;
  if (a.values == b.values)
    check.problems.error(text.line_where, "the ends of 'line' of body '" + owner.name +
                                              "' coincide; expected a rod of some length");
  Values ends = text.line_from;
  for (const Value& value : text.line_to) ends.push_back(value);
  body.line = check.formulas.compile(ends, Scope::numbers);
}

void check_group(CheckContext& check, const BodyText& text, Body& body) {
  static const std::vector<std::string> known = {"auto", "se3", "so3r3"};
  if (text.group == "se3")
    body.group = BodyGroup::se3;
  else if (text.group == "so3r3")
    body.group = BodyGroup::so3r3;
  else if (text.group == "auto")
    body.group = BodyGroup::automatic;
  else if (!text.group.empty())
    check.problems.error(text.group_where,
                         "unknown group '" + text.group + "'" + check.suggest(text.group, known));
}

}  // namespace

Formula check_scale(CheckContext& check, const Values& text, const Owner& owner) {
  const Field field{"scale", owner, {1, 3}};
  const Checked scale = check.numbers(text, field);
  check.demand(scale, field, "other than 0", [](double x) { return x != 0; });
  if (!scale.ok()) return constant_formula({1, 1, 1});
  Values three = text;
  while (three.size() < 3) three.push_back(three[0]);
  return check.formulas.compile(three, Scope::numbers);
}

void check_bodies(CheckContext& check) {
  for (const BodyText& text : check.text.bodies) {
    const Owner owner{"body", text.name, text.where};
    Body body;
    body.name = text.name;
    body.where = text.where;
    for (const ShapeText& shape : text.shapes)
      if (std::optional<Shape> checked = check_shape(check, shape, owner, text.density.has_value()))
        body.shapes.push_back(std::move(*checked));
    const bool line = text.line_where.line > 0 || !text.line_from.empty();
    if (line) check_line(check, text, owner, body);
    if (text.density && !line)
      check_density(check, text, owner, body);
    else
      check_stated_mass(check, text, owner, body);
    check_group(check, text, body);
    check.model.bodies.push_back(std::move(body));
  }
}

}  // namespace cartan::model
