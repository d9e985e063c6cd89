#include "mechanics/machine/mechanism.h"

#include <algorithm>

#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/bearings.h"
#include "mechanics/joints/joint_shape.h"
#include "mechanics/joints/turns.h"
#include "mechanics/machine/motion_workspace.h"
#include "mechanics/machine/switched_model.h"
#include "model/mass_properties.h"
#include "symbolic/expression.h"

namespace cartan {
namespace {

// Exactly the identity in value and in every derivative or lane: then products can be skipped.
bool is_exactly(double x, double y) {
  return x == y;
}
template <int N>
bool is_exactly(const Dual<N>& x, double y) {
  return x.a == y && std::all_of(x.d.begin(), x.d.end(), [](double d) { return d == 0; });
}
template <int N>
bool is_exactly(const Pack<N>& x, double y) {
  return std::all_of(x.lane, x.lane + N, [&](double d) { return d == y; });
}
bool is_exactly(const Expression& x, double y) {
  return x.is_number() && x.number() == y;
}
template <class S>
bool is_identity(const Mat3<S>& R) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (!is_exactly(R(i, j), i == j ? 1 : 0)) return false;
  return true;
}
template <class S>
signed char coordinate_axis(const Vec3<S>& a) {
  for (int k = 0; k < 3; ++k)
    if (is_exactly(a[k], 1) && is_exactly(a[(k + 1) % 3], 0) && is_exactly(a[(k + 2) % 3], 0))
      return static_cast<signed char>(k);
  return -1;
}

template <class S>
void set_motion(Link<S>& link) {
  switch (link.type) {
    case JointType::fixed:
      link.motion = Motion::weld;
      break;
    case JointType::revolute:
      // seen from the other side the same angle turns about the opposite axis
      link.motion = Motion::rotation1;
      if (link.reversed) link.axis = -link.axis;
      link.reversed = false;
      link.axis_index = coordinate_axis(link.axis);
      break;
    case JointType::spherical:
      link.motion = link.reversed ? Motion::general : Motion::rotation3;
      break;
    case JointType::free:
      link.motion = Motion::free6;
      break;
    default:
      link.motion = Motion::general;
  }
}

// Mass properties in the link frame: origin and axes of the outboard joint frame.
template <class S>
void set_inertia(const MassProperties<S>& properties, const Pose<S>& X_BL, Link<S>& link,
                 LinkBody<S>& body) {
  body.X_LB = inverse(X_BL);
  body.com_L = body.X_LB.R * (properties.com - X_BL.p);
  body.J_com_L =
      is_identity(body.X_LB.R) ? properties.inertia : rotate(body.X_LB.R, properties.inertia);
  body.J_com_B = properties.inertia;
  link.mass = properties.mass;
  link.mc = properties.mass * body.com_L;
  link.J = body.J_com_L + properties.mass * minus_hat_squared(body.com_L);
  link.principal = is_exactly(link.J.xy, 0) && is_exactly(link.J.xz, 0) && is_exactly(link.J.yz, 0);
}

template <class S>
void add_link(const Model& model, const TreeJoint& step, Mechanism<S>& mechanism) {
  const std::span<const S> parameters = mechanism.parameters;
  const Joint& joint = model.joints[step.joint];
  Link<S> link;
  LinkBody<S> body;
  link.parent = step.inboard == world ? world : mechanism.link_of_body[step.inboard];
  link.type = joint.type;
  link.reversed = step.reversed;
  link.nq = joint.nq();
  link.nv = joint.nv();
  body.body = step.outboard;
  body.joint = step.joint;
  const Placement& inboard = step.reversed ? joint.child : joint.parent;
  const Placement& outboard = step.reversed ? joint.parent : joint.child;
  Pose<S> X_tree = calc_frame<S>(inboard, parameters);
  if (link.parent != world) X_tree = mechanism.bodies[link.parent].X_LB * X_tree;
  link.R_tree = X_tree.R;
  link.p_tree = X_tree.p;
  link.turned = !is_identity(link.R_tree);
  set_joint_axes(joint, parameters, link);
  set_motion(link);
  const MassProperties<S> properties =
      calc_mass_properties<S>(model.bodies[step.outboard], parameters);
  Pose<S> X_outboard = calc_frame<S>(outboard, parameters);
  if (joint.at_centre_of_mass) X_outboard.p = properties.com;
  set_inertia(properties, X_outboard, link, body);
  const int index = static_cast<int>(mechanism.links.size());
  mechanism.link_of_body[step.outboard] = index;
  mechanism.link_of_joint[step.joint] = index;
  mechanism.links.push_back(link);
  mechanism.bodies.push_back(body);
}

// States follow the file: offsets in the order of the tree joints in the file.
template <class S>
void set_offsets(const Model& model, Mechanism<S>& mechanism) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const int index = mechanism.link_of_joint[j];
    if (index < 0) continue;
    Link<S>& link = mechanism.links[index];
    link.q0 = mechanism.nq;
    link.v0 = mechanism.nv;
    mechanism.nq += link.nq;
    mechanism.nv += link.nv;
  }
}

template <class S>
void mark_children(Mechanism<S>& mechanism) {
  std::vector<bool> seen(mechanism.links.size(), false);
  for (std::size_t i = mechanism.links.size(); i-- > 0;) {
    const int parent = mechanism.links[i].parent;
    if (parent == world) continue;
    mechanism.links[i].last_child = !seen[parent];
    mechanism.links[parent].leaf = false;
    seen[parent] = true;
  }
}

// Builds the numbers of each kind of force element.
template <class S>
struct ForceBuilder {
  Mechanism<S>& mechanism;
  std::span<const S> parameters = mechanism.parameters;

  S number(const Formula& f, double otherwise = 0) const {
    return f.given() ? evaluate<S>(f, parameters)[0] : S(otherwise);
  }
  std::vector<S> numbers(const Formula& f, int size) const {
    if (!f.given()) return std::vector<S>(size, S(0));
    return evaluate<S>(f, parameters);
  }
  Point<S> point(int body, const Formula& at) const {
    const Vec3<S> p = at.given() ? calc_vec3<S>(at, parameters) : Vec3<S>{};
    if (body == world) return {world, p};
    const int link = mechanism.link_of_body[body];
    return {link, mechanism.bodies[link].X_LB * p};
  }
  void use(int joint) const { mechanism.loops_act |= mechanism.link_of_joint[joint] < 0; }
  const Formula* given(const Formula& f) const { return f.given() ? &f : nullptr; }
  int link_of(int body) const { return body == world ? world : mechanism.link_of_body[body]; }

  ForceElement<S> operator()(const SpringForce& f) const {
    Spring<S> e{point(f.from.body, f.from.at), point(f.to.body, f.to.at), number(f.stiffness),
                number(f.damping), number(f.length)};
    e.zero_length = is_exactly(e.length, 0);
    mechanism.has_power |= value_of(abs(e.damping)) != 0;
    return e;
  }
  ForceElement<S> operator()(const TorsionForce& f) const {
    Torsion<S> e;
    e.joint = f.joint;
    use(f.joint);
    const int nv = mechanism.model->joints[f.joint].nv();
    e.measure = f.measure;
    e.rotation = mechanism.model->joints[f.joint].type == JointType::spherical;
    e.stiffness = numbers(f.stiffness, nv);
    e.damping = numbers(f.damping, nv);
    if (e.rotation)
      e.rest_rotation = calc_quaternion<S>(f.rest_rotation, parameters);
    else
      e.rest = numbers(f.rest, nv);
    mechanism.has_power |= f.measure == TorsionMeasure::euler321_literal;
    for (const S& c : e.damping) mechanism.has_power |= value_of(abs(c)) != 0;
    return e;
  }
  ForceElement<S> operator()(const WrenchForce& f) const {
    mechanism.has_power = true;
    return WrenchElement<S>{link_of(f.body), point(f.body, f.at), link_of(f.frame), given(f.force),
                            given(f.torque)};
  }
  ForceElement<S> operator()(const JointForce& f) const {
    mechanism.has_power = true;
    use(f.joint);
    return JointElement<S>{f.joint, &f.value};
  }
  ForceElement<S> operator()(const PotentialForce& f) const {
    mechanism.has_power |= f.value.program.depends_on(Quantity::time);
    return PotentialElement<S>{&f.value};
  }
  ForceElement<S> operator()(const DragForce& f) const {
    mechanism.has_power = true;
    return DragElement<S>{point(f.body, f.at), link_of(f.on), number(f.coefficient),
                          given(f.medium)};
  }
  ForceElement<S> operator()(const FrictionForce& f) const {
    mechanism.has_power = true;
    mechanism.has_friction = true;
    Friction<S> e;
    e.joint = f.joint;
    e.link = mechanism.link_of_joint[f.joint];
    use(f.joint);
    mechanism.loop_friction |= e.link < 0;
    const Joint& joint = mechanism.model->joints[f.joint];
    e.rotation = joint.type == JointType::spherical;
    const int components = e.rotation ? 1 : joint.nv();
    e.coulomb = numbers(f.coulomb, components);
    e.viscous = numbers(f.viscous, components);
    e.quadratic = numbers(f.quadratic, components);
    e.load = given(f.load);
    e.smooth = f.smoothing.given();
    e.smoothing = number(f.smoothing, 1);
    if (!e.smooth) {
      e.mode0 = mechanism.friction_modes;
      mechanism.friction_modes += components;
    }
    if (!f.bearings.empty()) {
      e.load0 = mechanism.bearing_count++;
      const std::vector<S> a = evaluate<S>(joint.axes, parameters);
      const Vec3<S> axis = a.size() >= 3 ? unit(Vec3<S>{a[0], a[1], a[2]}) : Vec3<S>{};
      e.bearings = make_bearings<S>(f.bearings, joint.type, axis, parameters);
    }
    return e;
  }
};

// The programs force elements evaluate while forces are filled.
void for_each_program(const Model& model, auto&& visit) {
  visit(model.gravity.program);
  for (const Force& force : model.forces) {
    if (const auto* f = std::get_if<WrenchForce>(&force.law))
      visit(f->force.program), visit(f->torque.program);
    else if (const auto* f = std::get_if<JointForce>(&force.law))
      visit(f->value.program);
    else if (const auto* f = std::get_if<PotentialForce>(&force.law))
      visit(f->value.program);
    else if (const auto* f = std::get_if<DragForce>(&force.law))
      visit(f->medium.program);
    else if (const auto* f = std::get_if<FrictionForce>(&force.law))
      visit(f->load.program);
  }
}

template <class S>
bool mentions_loop(const Mechanism<S>& mechanism, const Program& program) {
  return std::any_of(program.inputs.begin(), program.inputs.end(), [&](const Symbol& s) {
    const bool joint = s.quantity == Quantity::joint_q || s.quantity == Quantity::joint_v;
    return joint && mechanism.link_of_joint[s.index] < 0;
  });
}

template <class S>
void set_gravity(const Model& model, Mechanism<S>& mechanism) {
  const Program& program = model.gravity.program;
  mechanism.gravity_varies = program.depends_on(Quantity::time) || model.gravity_frame != world;
  if (mechanism.gravity_varies) {
    mechanism.gravity_rate = differentiate(program, Symbol{Quantity::time, 0, 0});
    mechanism.has_power = true;
  } else {
    mechanism.gravity = calc_vec3<S>(model.gravity, std::span<const S>(mechanism.parameters));
  }
}

}  // namespace

template <class S>
Mechanism<S> make_mechanism(const Model& model, std::span<const S> parameters) {
  Mechanism<S> mechanism;
  mechanism.model = &model;
  mechanism.parameters.assign(parameters.begin(), parameters.end());
  mechanism.link_of_body.assign(model.bodies.size(), -1);
  mechanism.link_of_joint.assign(model.joints.size(), -1);
  for (const TreeJoint& step : model.tree) add_link(model, step, mechanism);
  set_offsets(model, mechanism);
  mark_children(mechanism);
  set_gravity(model, mechanism);
  add_constraints(model, mechanism);
  mechanism.has_forces = !model.forces.empty() || !model.contacts.empty();
  for (const Force& force : model.forces)
    mechanism.forces.push_back(std::visit(ForceBuilder<S>{mechanism}, force.law));
  mechanism.contact_mode0 = mechanism.friction_modes + count_switches(model);
  mechanism.mode_count = mechanism.contact_mode0 + static_cast<int>(mechanism.contacts.size());
  for_each_program(model, [&](const Program& p) {
    mechanism.needs_energy |= p.depends_on(Quantity::kinetic) || p.depends_on(Quantity::potential);
    mechanism.loops_act |= mentions_loop(mechanism, p);
  });
  for (const Event& e : model.events)
    mechanism.loops_act |= mentions_loop(mechanism, e.when.program);
  for (const Output& o : model.outputs)
    mechanism.loops_act |= mentions_loop(mechanism, o.value.program);
  for (const Event& e : model.events) {
    mechanism.has_power |= !e.jumps.empty();
    for (const Jump& jump : e.jumps)
      mechanism.loops_act |= mentions_loop(mechanism, jump.value.program);
  }
  for (const Contact& c : model.contacts)
    mechanism.loops_act |= mentions_loop(mechanism, c.active.program);
  add_turns(model, mechanism);
  return mechanism;
}

template <class S>
MotionWorkspace<S> make_motion_workspace(const Mechanism<S>& mechanism) {
  const Model& model = *mechanism.model;
  const std::size_t n = mechanism.links.size(), nv = mechanism.nv;
  MotionWorkspace<S> ws;
  ws.links.resize(n);
  ws.factors.resize(n);
  for (auto* columns : {&ws.phi, &ws.psi, &ws.phi_rate, &ws.psi_rate}) columns->resize(nv);
  for (auto* vectors : {&ws.wrench_n, &ws.wrench_f, &ws.joint_n, &ws.joint_f}) vectors->resize(n);
  ws.locked.assign(nv, 0);
  ws.tau.assign(nv, S(0));
  ws.applied_tau.assign(nv, S(0));
  ws.vdot.assign(nv, S(0));
  ws.force_energy.resize(mechanism.forces.size());
  size_constraints(mechanism, ws);

  std::size_t rows = 0;
  for (const ForceElement<S>& element : mechanism.forces)
    if (const auto* e = std::get_if<Friction<S>>(&element))
      for (const BearingRow<S>& b : e->bearings) rows += b.rows;
  const std::size_t nb = mechanism.bearing_count;
  ws.friction_load.assign(nb, S(0));
  ws.given_load.assign(mechanism.forces.size(), S(0));
  ws.bearing_base.assign(rows, S(0));
  ws.bearing_unit.assign(rows * nb, S(0));
  ws.bearing_residual.assign(nb, S(0));
  ws.bearing_matrix.assign(nb * nb, S(0));

  std::size_t inputs = 0, code = 0, outputs = 0;
  auto measure = [&](const Program& p) {
    inputs = std::max(inputs, p.inputs.size());
    code = std::max(code, p.scratch_size());
    outputs = std::max(outputs, p.outputs.size());
  };
  for_each_program(model, measure);
  measure(mechanism.gravity_rate);
  for (const ConstraintElement<S>& element : mechanism.constraints)
    if (const auto* drive = std::get_if<DriveElement<S>>(&element))
      for (const Program* p : {&drive->position->program, &drive->rate, &drive->acceleration})
        measure(*p);
  for (const Event& e : model.events) measure(e.when.program);
  for (const Output& o : model.outputs) measure(o.value.program);
  for (const Contact& c : model.contacts) measure(c.active.program);
  for (const Event& e : model.events)
    for (const Jump& jump : e.jumps) measure(jump.value.program);
  ws.inputs.assign(inputs, S(0));
  ws.gradient.assign(inputs, S(0));
  ws.scratch.assign(code, S(0));
  ws.adjoints.assign(code, S(0));
  ws.outputs.assign(outputs, S(0));
  return ws;
}

#define CARTAN_INSTANTIATE(S)                                                \
  template Mechanism<S> make_mechanism<S>(const Model&, std::span<const S>); \
  template MotionWorkspace<S> make_motion_workspace<S>(const Mechanism<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
#undef CARTAN_INSTANTIATE

}  // namespace cartan
