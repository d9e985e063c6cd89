#include "support/naive_forces.h"

#include <algorithm>
#include <cmath>

#include "core/scalar.h"

namespace cartan::test {
namespace {

// Everything a force law may look at.
struct Situation {
  const NaiveTree& tree;
  const NaiveState& state;
  const std::vector<NaiveBody>& bodies;
  std::vector<double> q_rate;
  NaiveForces& out;

  double number(const Formula& f, double otherwise = 0) const {
    return f.given() ? evaluate<double>(f, std::span<const double>(tree.parameters))[0] : otherwise;
  }
  std::vector<double> numbers(const Formula& f, int size) const {
    return f.given() ? evaluate<double>(f, std::span<const double>(tree.parameters))
                     : std::vector<double>(size, 0.0);
  }
  Vec3<double> vec3(const Formula& f) const {
    return calc_vec3<double>(f, std::span<const double>(tree.parameters));
  }
};

double symbol_value(const Situation& s, const Symbol& symbol) {
  const int i = symbol.index, c = symbol.component;
  switch (symbol.quantity) {
    case Quantity::time:
      return s.state.t;
    case Quantity::parameter:
      return s.tree.parameters[i];
    case Quantity::joint_q:
      return s.state.q[s.tree.joints[i].q0 + c];
    case Quantity::joint_v:
      return s.state.v[s.tree.joints[i].v0 + c];
    case Quantity::body_position:
      return s.bodies[i].X.p[c];
    case Quantity::body_velocity:
      return s.bodies[i].origin_velocity[c];
    case Quantity::body_angular:
      return transpose_times(s.bodies[i].X.R, s.bodies[i].w)[c];
    case Quantity::kinetic:
      return s.out.kinetic;
    case Quantity::potential:
      return s.out.potential;
    case Quantity::variable:
      return s.tree.variables[i];
    case Quantity::body_rotation:
      return s.bodies[i].X.R(c / 3, c % 3);
    case Quantity::point_position:
    case Quantity::point_velocity: {
      const NamedPoint& point = s.tree.model->points[i];
      const Vec3<double> at = s.vec3(point.at);
      const bool place = symbol.quantity == Quantity::point_position;
      if (point.body == world) return place ? at[c] : 0;
      const NaiveBody& body = s.bodies[point.body];
      const Vec3<double> x = body.X.p + body.X.R * at;
      return place ? x[c] : body.velocity_at(x)[c];
    }
    default:
      break;
  }
  return std::nan("");
}

template <class S, class F>
std::vector<S> evaluate_with(const Program& program, F&& input) {
  std::vector<S> inputs, scratch(program.scratch_size()), outputs(program.outputs.size());
  for (std::size_t k = 0; k < program.inputs.size(); ++k) inputs.push_back(input(k));
  evaluate<S>(program, inputs, scratch, outputs);
  return outputs;
}
std::vector<double> evaluate_at(const Situation& s, const Formula& formula) {
  return evaluate_with<double>(
      formula.program, [&](std::size_t k) { return symbol_value(s, formula.program.inputs[k]); });
}
Vec3<double> evaluate_vector(const Situation& s, const Formula& formula) {
  if (!formula.given()) return {};
  const std::vector<double> x = evaluate_at(s, formula);
  return {x[0], x[1], x[2]};
}

void push(const Situation& s, int body, const Vec3<double>& at, const Vec3<double>& force) {
  if (body == world) return;
  s.out.force[body] += force;
  s.out.torque[body] += cross(at - s.bodies[body].com, force);
}

struct MovingPoint {
  Vec3<double> x, v;
};
MovingPoint moving_point(const Situation& s, int body, const Formula& at) {
  const Vec3<double> p = s.vec3(at);
  if (body == world) return {p, {}};
  const Vec3<double> x = s.bodies[body].X * p;
  return {x, s.bodies[body].velocity_at(x)};
}
Vec3<Dual4> dual(const MovingPoint& p) {
  Vec3<Dual4> x(p.x);
  for (int k = 0; k < 3; ++k) x[k].d[0] = p.v[k];
  return x;
}

// Damper along the line of the points (no rest length: in all directions), spring from its
// potential.
NaiveEnergy apply(const Situation& s, const SpringForce& f) {
  const MovingPoint from = moving_point(s, f.from.body, f.from.at);
  const MovingPoint to = moving_point(s, f.to.body, f.to.at);
  const double k = s.number(f.stiffness), c = s.number(f.damping), length = s.number(f.length);
  const Vec3<Dual4> d = dual(to) - dual(from);
  const Vec3<double> relative = to.v - from.v;
  Dual4 V;
  Vec3<double> spring, damper;
  if (length == 0) {
    V = 0.5 * k * norm2(d);
    spring = -k * (to.x - from.x);
    damper = -c * relative;
  } else {
    const Dual4 distance = norm(d);
    V = 0.5 * k * square(distance - length);
    const Vec3<double> n = (1 / distance.a) * (to.x - from.x);
    spring = -k * (distance.a - length) * n;
    damper = -c * distance.d[0] * n;
  }
  push(s, f.to.body, to.x, spring + damper);
  push(s, f.from.body, from.x, -(spring + damper));
  return {V.a, V.d[0], dot(damper, relative)};
}

Vec3<double> direction_of(const Vec3<double>& a) {
  return (1 / norm(a)) * a;
}

// Directions from the wheel's plane: where it meets the ground, and across that.
NaiveEnergy apply(const Situation& s, const TyreForce& f) {
  const MovingPoint center = moving_point(s, f.body, f.at);
  const bool fixed = f.on == world;
  const Vec3<double> n = direction_of(fixed ? s.vec3(f.normal)
                                            : s.bodies[f.on].X.R * s.vec3(f.normal)),
                     a = direction_of(s.bodies[f.body].X.R * s.vec3(f.axis));
  const Vec3<double> heading = direction_of(cross(a, n)), across = cross(n, heading);
  const Vec3<double> contact = center.x + s.number(f.radius) * cross(a, heading);
  const double size =
      s.number(f.stiffness) / s.number(f.relaxation) * s.tree.variables[f.deflection];
  const Vec3<double> force = size * across, moment = -s.number(f.trail) * size * n;
  double power = 0;
  for (const auto& [body, sign] : {std::pair(f.body, 1.0), std::pair(f.on, -1.0)}) {
    if (body == world) continue;
    s.out.torque[body] += sign * moment;
    push(s, body, contact, sign * force);
    power +=
        sign * (dot(force, s.bodies[body].velocity_at(contact)) + dot(moment, s.bodies[body].w));
  }
  return {0, 0, power};
}

// The potential's slope along each unit twist of `to` relative to `from` (at the origin of T, axes
// of the world) is minus the wrench; the power of the dampers is told by rates of the same numbers.
NaiveEnergy apply(const Situation& s, const BushingForce& f) {
  const std::span<const double> parameters(s.tree.parameters);
  const auto pose = [&](const Placement& p) {
    const Pose<double> X{calc_rotation<double>(p.rotate, parameters),
                         calc_vec3<double>(p.at, parameters)};
    return p.body == world ? X : s.bodies[p.body].X * X;
  };
  const Pose<double> F = pose(f.from), T = pose(f.to);
  const MovingPoint to = moving_point(s, f.to.body, f.to.at);
  const auto spin = [&](int body) { return body == world ? Vec3<double>{} : s.bodies[body].w; };
  const Vec3<double> w = spin(f.to.body) - spin(f.from.body);
  const MovingPoint from = moving_point(s, f.from.body, f.from.at);
  const Vec3<double> u = to.v - from.v - cross(spin(f.from.body), T.p - F.p);
  const std::vector<double> k = s.numbers(f.stiffness, 6), c = s.numbers(f.damping, 6);
  // V with derivatives along three twists of T relative to F, and along the motion
  const auto potential = [&](const Vec3<double>* turning, const Vec3<double>* moving) {
    Mat3<Dual4> R{Mat3<Dual4>(T.R)};
    Vec3<Dual4> p(T.p);
    for (int a = 0; a < 4; ++a) {
      const Mat3<double> dR = hat(turning[a]) * T.R;
      for (int i = 0; i < 3; ++i) {
        p[i].d[a] = moving[a][i];
        for (int j = 0; j < 3; ++j) R.c[j][i].d[a] = dR(i, j);
      }
    }
    const Mat3<Dual4> R_F(F.R);
    const Vec3<Dual4> d = transpose_times(R_F, p - Vec3<Dual4>(F.p));
    const Vec3<Dual4> turn = log(from_rotation_matrix(transpose(R_F) * R));
    Dual4 V;
    for (int i = 0; i < 3; ++i) V += 0.5 * (k[i] * square(d[i]) + k[3 + i] * square(turn[i]));
    return V;
  };
  const Vec3<double> none[4] = {}, x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const Vec3<double> all[4] = {x, y, z, u}, turns[4] = {x, y, z, w};
  const Vec3<double> still[4] = {{}, {}, {}, u}, motion[4] = {{}, {}, {}, w};
  const Dual4 along = potential(none, all), about = potential(turns, none);
  const Dual4 moving = potential(motion, still);
  const Vec3<double> rate = transpose_times(F.R, u), turning = transpose_times(T.R, w);
  Vec3<double> loss, turning_loss;
  for (int i = 0; i < 3; ++i) loss[i] = c[i] * rate[i], turning_loss[i] = c[3 + i] * turning[i];
  const Vec3<double> force = -Vec3<double>{along.d[0], along.d[1], along.d[2]} - F.R * loss;
  const Vec3<double> torque =
      -Vec3<double>{about.d[0], about.d[1], about.d[2]} - T.R * turning_loss;
  push(s, f.to.body, T.p, force);
  push(s, f.from.body, T.p, -force);
  if (f.to.body != world) s.out.torque[f.to.body] += torque;
  if (f.from.body != world) s.out.torque[f.from.body] -= torque;
  return {moving.a, moving.d[3], -dot(loss, rate) - dot(turning_loss, turning)};
}

// R = Rz(yaw) Ry(pitch) Rx(roll)
Vec3<Dual4> roll_pitch_yaw(const Mat3<Dual4>& R) {
  return {atan2(R(2, 1), R(2, 2)), asin(-R(2, 0)), atan2(R(1, 0), R(0, 0))};
}

NaiveEnergy apply_spherical(const Situation& s, const TorsionForce& f, const NaiveJoint& j) {
  const std::vector<double> k = s.numbers(f.stiffness, 3), c = s.numbers(f.damping, 3);
  const double* q = s.state.q.data() + j.q0;
  const double* v = s.state.v.data() + j.v0;
  // the joint's quaternion with its derivatives along the three speeds and along the motion
  Quat<Dual4> u(Quat<double>(q[0], q[1], q[2], q[3]));
  for (int a = 0; a < 4; ++a) {
    const Vec3<double> w = a < 3
                               ? Vec3<double>{a == 0 ? 1.0 : 0, a == 1 ? 1.0 : 0, a == 2 ? 1.0 : 0}
                               : Vec3<double>{v[0], v[1], v[2]};
    const Quat<double> du = 0.5 * (Quat<double>(q[0], q[1], q[2], q[3]) * Quat<double>(0, w));
    u.w.d[a] = du.w, u.x.d[a] = du.x, u.y.d[a] = du.y, u.z.d[a] = du.z;
  }
  const Quat<double> rest =
      calc_quaternion<double>(f.rest_rotation, std::span<const double>(s.tree.parameters));
  const Quat<Dual4> relative = Quat<Dual4>(conjugate(rest)) * u;
  const Mat3<Dual4> R = rotation_matrix(relative);
  const Vec3<Dual4> angle =
      f.measure == TorsionMeasure::rotation_vector ? log(relative) : roll_pitch_yaw(R);
  NaiveEnergy energy;
  for (int i = 0; i < 3; ++i) {
    s.out.tau[j.v0 + i] -= c[i] * v[i];
    energy.power -= c[i] * v[i] * v[i];
  }
  if (f.measure == TorsionMeasure::euler321_literal) {
    // moments -k (roll, pitch, yaw) about the axes of the rest frame (P, when rest is the identity)
    for (int i = 0; i < 3; ++i)
      for (int b = 0; b < 3; ++b) {
        const double moment = -k[b] * angle[b].a * R(b, i).a;
        s.out.tau[j.v0 + i] += moment;
        energy.power += moment * v[i];
      }
    return energy;
  }
  Dual4 V;
  for (int i = 0; i < 3; ++i) V += 0.5 * k[i] * square(angle[i]);
  for (int i = 0; i < 3; ++i) s.out.tau[j.v0 + i] -= V.d[i];
  energy.potential = V.a;
  energy.potential_rate = V.d[3];
  return energy;
}

NaiveEnergy apply(const Situation& s, const TorsionForce& f) {
  const NaiveJoint& j = s.tree.joints[f.joint];
  if (is_ball(j.type)) return apply_spherical(s, f, j);
  const std::vector<double> k = s.numbers(f.stiffness, j.nv), c = s.numbers(f.damping, j.nv),
                            rest = s.numbers(f.rest, j.nv);
  NaiveEnergy energy;
  for (int i = 0; i < j.nv; ++i) {
    const double q = s.state.q[j.q0 + i] - rest[i], v = s.state.v[j.v0 + i];
    s.out.tau[j.v0 + i] += -k[i] * q - c[i] * v;
    energy.potential += 0.5 * k[i] * q * q;
    energy.potential_rate += k[i] * q * v;
    energy.power -= c[i] * v * v;
  }
  return energy;
}

NaiveEnergy apply(const Situation& s, const WrenchForce& f) {
  Vec3<double> force = evaluate_vector(s, f.force), torque = evaluate_vector(s, f.torque);
  if (f.frame != world) {
    force = s.bodies[f.frame].X.R * force;
    torque = s.bodies[f.frame].X.R * torque;
  }
  const MovingPoint at = moving_point(s, f.body, f.at);
  push(s, f.body, at.x, force);
  s.out.torque[f.body] += torque;
  return {0, 0, dot(force, at.v) + dot(torque, s.bodies[f.body].w)};
}

NaiveEnergy apply(const Situation& s, const JointForce& f) {
  const NaiveJoint& j = s.tree.joints[f.joint];
  const std::vector<double> value = evaluate_at(s, f.value);
  NaiveEnergy energy;
  for (int i = 0; i < j.nv; ++i) {
    s.out.tau[j.v0 + i] += value[i];
    energy.power += value[i] * s.state.v[j.v0 + i];
  }
  return energy;
}

double input_rate(const Situation& s, const Symbol& symbol) {
  if (symbol.quantity == Quantity::time) return 1;
  if (symbol.quantity == Quantity::joint_q)
    return s.q_rate[s.tree.joints[symbol.index].q0 + symbol.component];
  if (symbol.quantity == Quantity::body_position)
    return s.bodies[symbol.index].origin_velocity[symbol.component];
  return 0;
}

// V with forward derivatives: input k along direction 0.
double potential_slope(const Situation& s, const Program& program, std::size_t which) {
  return evaluate_with<Dual4>(program,
                              [&](std::size_t k) {
                                const double x = symbol_value(s, program.inputs[k]);
                                return k == which ? Dual4::variable(x, 0) : Dual4(x);
                              })[0]
      .d[0];
}

// A coordinate as a function of its joint's speeds: dq_c/dt for each unit speed.
std::vector<double> coordinate_slopes(const Situation& s, const NaiveJoint& j, int component) {
  std::vector<double> slopes, v(s.tree.nv, 0.0);
  for (int i = 0; i < j.nv; ++i) {
    v[j.v0 + i] = 1;
    slopes.push_back(calc_naive_rates(s.tree, s.state.q, v)[j.q0 + component]);
    v[j.v0 + i] = 0;
  }
  return slopes;
}

NaiveEnergy apply(const Situation& s, const PotentialForce& f) {
  const Program& program = f.value.program;
  NaiveEnergy energy;
  const Dual4 V = evaluate_with<Dual4>(program, [&](std::size_t k) {
    Dual4 x(symbol_value(s, program.inputs[k]));
    x.d[0] = input_rate(s, program.inputs[k]);
    return x;
  })[0];
  energy.potential = V.a;
  energy.potential_rate = V.d[0];
  for (std::size_t k = 0; k < program.inputs.size(); ++k) {
    const Symbol& symbol = program.inputs[k];
    const double slope = potential_slope(s, program, k);
    if (symbol.quantity == Quantity::time) energy.power += slope;
    if (symbol.quantity == Quantity::joint_q) {
      const NaiveJoint& j = s.tree.joints[symbol.index];
      const std::vector<double> slopes = coordinate_slopes(s, j, symbol.component);
      for (int i = 0; i < j.nv; ++i) s.out.tau[j.v0 + i] -= slope * slopes[i];
    }
    if (symbol.quantity == Quantity::body_position) {
      Vec3<double> force;
      force[symbol.component] = -slope;
      push(s, symbol.index, s.bodies[symbol.index].X.p, force);
    }
  }
  return energy;
}

NaiveEnergy apply(const Situation& s, const DragForce& f) {
  const MovingPoint at = moving_point(s, f.body, f.at);
  Vec3<double> wind = evaluate_vector(s, f.medium);
  if (f.on != world) wind += s.bodies[f.on].velocity_at(at.x);
  const Vec3<double> relative = at.v - wind;
  const Vec3<double> force = -s.number(f.coefficient) * norm(relative) * relative;
  push(s, f.body, at.x, force);
  double power = dot(force, at.v);
  if (f.on != world) {
    push(s, f.on, at.x, -force);
    power -= dot(force, s.bodies[f.on].velocity_at(at.x));
  }
  return {0, 0, power};
}

NaiveEnergy apply(const Situation& s, const FrictionForce& f) {
  NaiveEnergy energy;
  if (f.load.given()) energy.load = std::max(0.0, evaluate_at(s, f.load)[0]);
  return energy;
}

// V = -sum m g.x, with g fixed to a body's axes where the model says so.
void apply_gravity(const Situation& s) {
  const Program& program = s.tree.model->gravity.program;
  const std::vector<Dual4> g = evaluate_with<Dual4>(program, [&](std::size_t k) {
    Dual4 x(symbol_value(s, program.inputs[k]));
    x.d[0] = program.inputs[k].quantity == Quantity::time ? 1 : 0;
    return x;
  });
  Vec3<double> value{g[0].a, g[1].a, g[2].a}, slope{g[0].d[0], g[1].d[0], g[2].d[0]};
  if (const int frame = s.tree.model->gravity_frame; frame != world) {
    value = s.bodies[frame].X.R * value;
    slope = s.bodies[frame].X.R * slope + cross(s.bodies[frame].w, value);
  }
  s.out.gravity = value;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    const double m = s.tree.bodies[i].mass;
    s.out.force[i] += m * value;
    s.out.potential -= m * dot(value, s.bodies[i].com);
    s.out.gravity_rate -= m * (dot(value, s.bodies[i].com_velocity) + dot(slope, s.bodies[i].com));
    s.out.gravity_power -= m * dot(slope, s.bodies[i].com);
  }
}

double kinetic_energy(const Situation& s) {
  double sum = 0;
  for (std::size_t i = 0; i < s.bodies.size(); ++i) {
    const Vec3<double> w = transpose_times(s.bodies[i].X.R, s.bodies[i].w);
    sum += s.tree.bodies[i].mass * norm2(s.bodies[i].com_velocity) +
           dot(w, s.tree.bodies[i].inertia * w);
  }
  for (int k = 0; k < s.tree.nv; ++k) sum += s.tree.rotor[k] * s.state.v[k] * s.state.v[k];
  return 0.5 * sum;
}

}  // namespace

NaiveForces calc_naive_forces(const NaiveTree& tree, const NaiveState& state,
                              const std::vector<NaiveBody>& bodies) {
  NaiveForces out;
  out.force.resize(bodies.size());
  out.torque.resize(bodies.size());
  out.tau.assign(tree.nv, 0.0);
  const Situation s{tree, state, bodies, calc_naive_rates(tree, state.q, state.v), out};
  out.kinetic = kinetic_energy(s);
  apply_gravity(s);
  // Conservative elements first: expressions may mention the potential of all of them.
  auto is_conservative = [](const Force& force) {
    return std::holds_alternative<SpringForce>(force.law) ||
           std::holds_alternative<BushingForce>(force.law) ||
           std::holds_alternative<TorsionForce>(force.law) ||
           std::holds_alternative<PotentialForce>(force.law);
  };
  out.elements.resize(tree.model->forces.size());
  for (bool conservative : {true, false})
    for (std::size_t k = 0; k < out.elements.size(); ++k) {
      const Force& force = tree.model->forces[k];
      if (is_conservative(force) != conservative) continue;
      out.elements[k] = std::visit([&](const auto& law) { return apply(s, law); }, force.law);
      out.potential += out.elements[k].potential;
    }
  return out;
}

}  // namespace cartan::test
