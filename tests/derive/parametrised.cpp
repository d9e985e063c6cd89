#include "derive/parametrised.h"

#include <cstdio>

#include "model/formulas.h"

namespace cartan::test {
namespace {

struct Writer {
  Random& random;

  void operator()(Value& value) {
    if (random.chance(0.5)) return;
    char text[64];
    std::snprintf(text, sizeof text, " + (%.3f)*s%d", random.away_from_zero(0.05, 0.3),
                  random.integer(0, 3));
    value = Value("(" + text_of(value) + ")" + text);
  }
  void operator()(Values& values) {
    for (Value& value : values) (*this)(value);
  }
  void operator()(std::optional<Value>& value) {
    if (value) (*this)(*value);
  }
  void operator()(RotationText& rotation) { (*this)(rotation.values); }
  void operator()(PlacementText& placement) {
    (*this)(placement.at);
    (*this)(placement.rotate);
  }
  void operator()(BodyText& body) {
    (*this)(body.mass);
    (*this)(body.com);
    (*this)(body.inertia);
    (*this)(body.density);
    for (ShapeText& shape : body.shapes) {
      (*this)(shape.size);
      (*this)(shape.at);
      (*this)(shape.rotate);
    }
  }
  void operator()(JointText& joint) {
    (*this)(joint.parent);
    (*this)(joint.child);
    (*this)(joint.axis);
    for (Values& axis : joint.axes) (*this)(axis);
    for (auto& [key, size] : joint.sizes) (*this)(size);
    (*this)(joint.inertia);
  }
  void operator()(ForceText& force) {
    (*this)(force.from.at);
    (*this)(force.to.at);
    for (Values* values :
         {&force.at, &force.force, &force.torque, &force.stiffness, &force.damping, &force.rest,
          &force.value, &force.coulomb, &force.viscous, &force.quadratic, &force.medium})
      (*this)(*values);
    (*this)(force.length);
    (*this)(force.rest_rotation);
    (*this)(force.smoothing);
    (*this)(force.coefficient);
    for (BearingText& bearing : force.bearings) {
      (*this)(bearing.at);
      (*this)(bearing.radial);
      (*this)(bearing.axial);
    }
  }
  void operator()(ConstraintText& constraint) {
    (*this)(constraint.from.at);
    (*this)(constraint.to.at);
    for (Values* values :
         {&constraint.position, &constraint.center, &constraint.axis, &constraint.plane_point,
          &constraint.plane_normal, &constraint.at, &constraint.normal})
      (*this)(*values);
    (*this)(constraint.length);
    (*this)(constraint.offset);
    (*this)(constraint.radius);
    for (CouplerTermText& term : constraint.terms) (*this)(term.factor);
  }
};

}  // namespace

void parametrise(ModelDescription& model, Random& random) {
  Writer write{random};
  write(model.gravity);
  for (BodyText& body : model.bodies) write(body);
  for (JointText& joint : model.joints) write(joint);
  for (ForceText& force : model.forces) write(force);
  for (ConstraintText& constraint : model.constraints) write(constraint);
  for (const char* name : {"s0", "s1", "s2"}) model.parameters.push_back({name, 0.0});
  model.parameters.push_back({"s3", "2*s0 - s1"});
}

std::vector<double> parameters_with(const Model& model, int which, double value) {
  std::vector<double> values(model.parameters.size());
  for (int i : model.parameter_order)
    values[i] = i == which ? value : evaluate<double>(model.parameters[i].value, values)[0];
  return values;
}

}  // namespace cartan::test
