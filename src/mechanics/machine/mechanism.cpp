#include "mechanics/machine/mechanism.h"

#include <algorithm>

#include "core/lanes/sines.h"
#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/bearings.h"
#include "mechanics/joints/joint_shape.h"
#include "mechanics/joints/turns.h"
#include "mechanics/machine/motion_workspace.h"
#include "mechanics/machine/switched_model.h"
#include "model/mass_properties.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
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
bool is_exactly(const Mixed& x, double y) {
  return x.a == y && x.u == 0 && x.w == 0 && x.uw == 0;
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
  link.motion = visit_joint(link.type, [](auto joint) { return joint.motion_kind; });
  if (link.motion == Motion::rotation1) {
    // seen from the other side the same angle turns about the opposite axis
    if (link.reversed) link.axis = -link.axis;
    link.reversed = false;
    link.axis_index = coordinate_axis(link.axis);
  } else if (link.motion == Motion::rotation3 && link.reversed) {
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

// Rotors of tree joints by speeds, of loop joints in a list.
template <class S>
void set_rotors(const Model& model, Mechanism<S>& mechanism) {
  mechanism.rotor.assign(mechanism.nv, S(0));
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!joint.inertia.given()) continue;
    const std::vector<S> inertia =
        evaluate<S>(joint.inertia, std::span<const S>(mechanism.parameters));
    const int i = mechanism.link_of_joint[j];
    for (int k = 0; k < joint.nv(); ++k)
      if (i >= 0)
        mechanism.rotor[mechanism.links[i].v0 + k] = inertia[k];
      else
        mechanism.loop_rotors.push_back({mechanism.loop_of_joint[j], k, inertia[k]});
    if (i < 0) continue;
    mechanism.links[i].geared = true;
    // a ball with a rotor hands something of the link's inertia on, which rotation3 knows not
    if (mechanism.links[i].motion == Motion::rotation3) mechanism.links[i].motion = Motion::general;
  }
  // they act on the links like forces, and need the loop joints' speeds
  if (mechanism.loop_rotors.empty()) return;
  mechanism.has_forces = mechanism.loops_act = true;
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
    if (link.motion == Motion::rotation1) {
      link.turn = static_cast<int>(mechanism.turning.size());
      mechanism.turning.push_back(link.q0);
    }
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

template <class S>
void set_subtrees(Mechanism<S>& mechanism) {
  const int n = static_cast<int>(mechanism.links.size());
  Subtrees& s = mechanism.subtrees;
  std::vector<int> size(n + 1, 0), next(n + 1, 0);  // the last: of the world
  const auto at = [&](int link) { return link == world ? n : link; };
  for (int i = n - 1; i >= 0; --i) {
    size[i] += mechanism.links[i].nv;
    size[at(mechanism.links[i].parent)] += size[i];
  }
  s.begin.resize(n);
  s.end.resize(n);
  s.speed.resize(mechanism.nv);
  for (int i = 0; i < n; ++i) {
    const Link<S>& link = mechanism.links[i];
    s.begin[i] = next[at(link.parent)];
    s.end[i] = next[at(link.parent)] += size[i];
    next[i] = s.begin[i] + link.nv;
    for (int k = 0; k < link.nv; ++k) s.speed[s.begin[i] + k] = link.v0 + k;
  }
  for (int k = 0; k < mechanism.nv; ++k) s.in_file_order &= s.speed[k] == k;
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
  // A unit vector in the axes of the link.
  Vec3<S> direction(int body, const Formula& along) const {
    const Vec3<S> d = unit(calc_vec3<S>(along, parameters));
    return body == world ? d : mechanism.bodies[link_of(body)].X_LB.R * d;
  }
  Pose<S> frame(const Placement& placement) const {
    const Pose<S> X = calc_frame<S>(placement, parameters);
    return placement.body == world ? X : mechanism.bodies[link_of(placement.body)].X_LB * X;
  }
  Quat<S> quaternion(const Rotation& rotation) const {
    return calc_quaternion<S>(rotation, parameters);
  }
  bool is_zero(const S& x) const { return is_exactly(x, 0); }
  const Model& model() const { return *mechanism.model; }
  // A joint whose coordinates or speeds the element uses.
  int joint(int index) const {
    mechanism.loops_act |= mechanism.link_of_joint[index] < 0;
    return index;
  }
  std::vector<BearingRow<S>> bearings(const FrictionForce& f, const Joint& joint) const {
    const std::vector<S> a = evaluate<S>(joint.axes, parameters);
    const Vec3<S> axis = a.size() >= 3 ? unit(Vec3<S>{a[0], a[1], a[2]}) : Vec3<S>{};
    return make_bearings<S>(f.bearings, joint.type, axis, parameters);
  }
  const Formula* given(const Formula& f) const { return f.given() ? &f : nullptr; }
  int link_of(int body) const { return body == world ? world : mechanism.link_of_body[body]; }

  template <class Law>
  ForceElement<S> operator()(const Law& f) const {
    const typename ElementOf<Law, S>::type element = ElementOf<Law, S>::type::make(f, *this);
    mechanism.has_power |= element.does_work();
    return element;
  }
};

// The programs force elements evaluate while forces are filled.
void for_each_program(const Model& model, auto&& visit) {
  visit(model.gravity.program);
  for (const Force& force : model.forces)
    for_each_expression(force, [&](const Formula& f) { visit(f.program); });
}

template <class S>
bool mentions_loop(const Mechanism<S>& mechanism, const Program& program) {
  return std::any_of(program.inputs.begin(), program.inputs.end(), [&](const Symbol& s) {
    const bool joint = s.quantity == Quantity::joint_q || s.quantity == Quantity::joint_v ||
                       s.quantity == Quantity::joint_acceleration;
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
  set_subtrees(mechanism);
  set_gravity(model, mechanism);
  add_constraints(model, mechanism);
  mechanism.has_forces = !model.forces.empty() || !model.contacts.empty();
  mechanism.nz = static_cast<int>(model.variables.size());
  set_rotors(model, mechanism);
  for (const Force& force : model.forces)
    mechanism.forces.push_back(std::visit(ForceBuilder<S>{mechanism}, force.law));
  mechanism.contact_mode0 = mechanism.friction_modes + count_switches(model);
  mechanism.mode_count = mechanism.contact_mode0 + static_cast<int>(mechanism.contacts.size());
  for_each_program(model, [&](const Program& p) {
    mechanism.needs_energy |= p.depends_on(Quantity::kinetic) || p.depends_on(Quantity::potential);
    mechanism.loops_act |= mentions_loop(mechanism, p);
  });
  for (const Variable& variable : model.variables) {
    const Program& rate = variable.rate.program;
    mechanism.variables_need_energy |=
        rate.depends_on(Quantity::kinetic) || rate.depends_on(Quantity::potential);
    mechanism.loops_act |= mentions_loop(mechanism, rate);
  }
  if (model.implicit) {
    const Program& form = model.implicit->form.program;
    mechanism.variables_need_energy |=
        form.depends_on(Quantity::kinetic) || form.depends_on(Quantity::potential);
    mechanism.loops_act |= mentions_loop(mechanism, form);
  }
  for (const Event& e : model.events)
    mechanism.loops_act |= mentions_loop(mechanism, e.when.program);
  for (const Output& o : model.outputs) {
    mechanism.loops_act |= mentions_loop(mechanism, o.value.program);
    for (const Quantity quantity :
         {Quantity::joint_acceleration, Quantity::body_acceleration, Quantity::point_acceleration,
          Quantity::reaction, Quantity::multiplier})
      mechanism.outputs_need_motion |= o.value.program.depends_on(quantity);
  }
  for (const NamedPoint& point : model.points)
    mechanism.points.push_back(ForceBuilder<S>{mechanism}.point(point.body, point.at));
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
  const std::size_t turns = (mechanism.turning.size() + sine_group - 1) / sine_group * sine_group;
  ws.sine.assign(turns, S(0));
  ws.cosine.assign(turns, S(0));
  for (auto* columns : {&ws.phi, &ws.psi, &ws.phi_rate, &ws.psi_rate}) columns->resize(nv);
  for (auto* vectors : {&ws.wrench_n, &ws.wrench_f, &ws.joint_n, &ws.joint_f}) vectors->resize(n);
  ws.locked.assign(nv, 0);
  ws.tau.assign(nv, S(0));
  ws.applied_tau.assign(nv, S(0));
  ws.vdot.assign(nv, S(0));
  ws.force_energy.resize(mechanism.forces.size());
  ws.variables.assign(mechanism.nz, S(0));
  ws.loop_vdot.assign(mechanism.loop_nv, S(0));
  if (const std::size_t count = mechanism.loop_rotors.size(); count > 0) {
    ws.rotor_n.resize(n);
    ws.rotor_f.resize(n);
    ws.rotor_base.assign(2 * count, S(0));
    ws.rotor_matrix.assign(count * count, S(0));
  }
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
    if (const auto* coupler = std::get_if<CouplerElement<S>>(&element))
      coupler->for_each_program(measure);
    else if (const auto* drive = std::get_if<DriveElement<S>>(&element))
      for (const Program* p : {&drive->position->program, &drive->rate, &drive->acceleration})
        measure(*p);
  for (const Variable& variable : model.variables) measure(variable.rate.program);
  if (model.implicit) measure(model.implicit->form.program);
  ws.implicit.make_room(model);
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
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
