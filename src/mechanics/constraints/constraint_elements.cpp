// Loop joints and constraints of the model as numbers, and the list of their rows.
#include <fmt/format.h>

#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/joints/joint_shape.h"
#include "mechanics/joints/loop_rows.h"
#include "model/mass_properties.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {

std::string row_owner(const Model& model, const ConstraintRow& row) {
  if (row.loop >= 0)
    return fmt::format("joint '{}'", model.joints[model.loop_joints[row.loop]].name);
  if (row.element < 0) return "a contact";
  return fmt::format("constraint '{}'", model.constraints[row.element].name);
}

namespace {

template <class S>
struct ConstraintBuilder {
  const Model& model;
  Mechanism<S>& mechanism;
  int element = 0;  // the constraint being built
  std::span<const S> parameters = mechanism.parameters;

  int link_of(int body) const { return body == world ? world : mechanism.link_of_body[body]; }
  // A pose or direction given in a body, in its link.
  Pose<S> in_link(int body, const Pose<S>& X) const {
    return body == world ? X : mechanism.bodies[link_of(body)].X_LB * X;
  }
  Point<S> point(int body, const Formula& at) const {
    Pose<S> X;
    X.p = calc_vec3<S>(at, parameters);
    return {link_of(body), in_link(body, X).p};
  }
  Vec3<S> direction(int body, const Formula& d) const {
    const Vec3<S> unit_vector = unit(calc_vec3<S>(d, parameters));
    return body == world ? unit_vector : mechanism.bodies[link_of(body)].X_LB.R * unit_vector;
  }
  S number(const Formula& f) const { return evaluate<S>(f, parameters)[0]; }

  int add_row(ConstraintRow row) const {
    mechanism.rows.push_back(row);
    return mechanism.row_count() - 1;
  }
  void add_pair(int row, int a, int b, int loop = -1) const {
    mechanism.sources.push_back({row, a, loop, true});
    mechanism.sources.push_back({row, b, loop, false});
  }
  int add_element_row(bool holonomic) const {
    ConstraintRow row;
    row.element = element;
    row.holonomic = holonomic;
    return add_row(row);
  }
  // A speed of a joint as part of a row.
  void add_speed(int row, int joint, int component, const S& factor) const {
    const int l = mechanism.loop_of_joint[joint];
    if (l < 0) {
      mechanism.terms.push_back({row, mechanism.link_of_joint[joint], component, factor});
      return;
    }
    mechanism.loops_act = true;
    add_pair(row, mechanism.loops[l].child, mechanism.loops[l].parent, l);
  }

  void add_loop(int joint_index) const {
    const Joint& joint = model.joints[joint_index];
    LoopJoint<S> loop;
    loop.joint = joint_index;
    loop.shape.type = joint.type;
    loop.shape.nq = joint.nq();
    loop.shape.nv = joint.nv();
    loop.shape.q0 = mechanism.loop_nq;
    loop.shape.v0 = mechanism.loop_nv;
    mechanism.loop_nq += joint.nq();
    mechanism.loop_nv += joint.nv();
    set_joint_axes(joint, parameters, loop.shape);
    set_sides(loop);
    loop.parent = link_of(joint.parent.body);
    loop.child = link_of(joint.child.body);
    loop.P = in_link(joint.parent.body, calc_frame<S>(joint.parent, parameters));
    loop.C = in_link(joint.child.body, calc_frame<S>(joint.child, parameters));
    const int index = static_cast<int>(mechanism.loops.size());
    mechanism.loop_of_joint[joint_index] = index;
    mechanism.loop_row0.push_back(mechanism.row_count());
    for (int k = 0; k < loop_row_count(joint.type); ++k) {
      ConstraintRow row;
      row.loop = index;
      add_pair(add_row(row), loop.child, loop.parent, index);
    }
    mechanism.loops.push_back(loop);
  }
  // The coordinate axis farthest from the joint's, made orthogonal to it; a plane has its own.
  void set_sides(LoopJoint<S>& loop) const {
    const Vec3<S>& axis = loop.shape.axis;
    if (value_of(norm2(loop.shape.normal)) != 0) {
      loop.side1 = loop.shape.axis;
      loop.side2 = loop.shape.axis2;
      return;
    }
    if (value_of(norm2(axis)) == 0) return;
    loop.side1 = orthogonal_to(axis);
    loop.side2 = cross(axis, loop.side1);
  }
  Vec3<S> orthogonal_to(const Vec3<S>& axis) const {
    int least = 0;
    for (int k = 1; k < 3; ++k)
      if (value_of(abs(axis[k])) < value_of(abs(axis[least]))) least = k;
    Vec3<S> e;
    e[least] = S(1);
    return unit(e - dot(e, axis) * axis);
  }

  template <class Law>
  ConstraintElement<S> operator()(const Law& c) const {
    return ElementOf<Law, S>::type::make(c, *this);
  }
};

}  // namespace

template <class S>
void add_constraints(const Model& model, Mechanism<S>& mechanism) {
  mechanism.loop_of_joint.assign(model.joints.size(), -1);
  ConstraintBuilder<S> build{model, mechanism};
  for (int joint : model.loop_joints) build.add_loop(joint);
  for (std::size_t k = 0; k < model.constraints.size(); ++k) {
    build.element = static_cast<int>(k);
    mechanism.constraint_row0.push_back(mechanism.row_count());
    mechanism.constraints.push_back(std::visit(build, model.constraints[k].law));
  }
  mechanism.contact_row0 = mechanism.row_count();
  mechanism.contact_source0 = mechanism.sources.size();
  add_contacts(model, mechanism);
}

#define CARTAN_INSTANTIATE(S) template void add_constraints<S>(const Model&, Mechanism<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
