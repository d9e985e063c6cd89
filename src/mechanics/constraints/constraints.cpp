#include "mechanics/constraints/constraints.h"

#include "mechanics/absolute/absolute_solver.h"
#include "mechanics/constraints/row_writer.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/joints/loop_rows.h"
#include "mechanics/joints/turns.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/single_laws.h"
#include "symbolic/expression.h"

namespace cartan {
namespace {

template <class S>
Vec3<S> direction_at(const MotionWorkspace<S>& ws, int link, const Vec3<S>& d) {
  return link == world ? d : ws.links[link].R * d;
}
template <class S>
Vec3<S> spin_of(const MotionWorkspace<S>& ws, int link) {
  return link == world ? Vec3<S>{} : ws.links[link].w;
}

template <class S>
void place_loop(const LoopJoint<S>& loop, const MotionWorkspace<S>& ws, LoopState<S>& x) {
  auto place = [&](int link, const Pose<S>& X, Mat3<S>& R, Vec3<S>& o) {
    if (link == world) {
      R = X.R;
      o = X.p;
      return;
    }
    R = ws.links[link].R * X.R;
    o = ws.links[link].o + ws.links[link].R * X.p;
  };
  place(loop.parent, loop.P, x.R_P, x.o_P);
  place(loop.child, loop.C, x.R_C, x.o_C);
}

template <class S>
void fill_loop(const LoopJoint<S>& loop, const LoopState<S>& x, RowWriter<S>& out) {
  const Side<S> a = side_at(out.ws, loop.child, x.o_C), b = side_at(out.ws, loop.parent, x.o_C);
  for_each_loop_row(loop, x, b.w, a.w,
                    [&](const Vec3<S>& alpha, const Vec3<S>& beta, const Vec3<S>& alpha_rate,
                        const Vec3<S>& beta_rate) {
                      out.clear_row();
                      out.add(a, b, alpha, beta, alpha_rate, beta_rate, a.u);
                      ++out.row;
                    });
}

template <class S>
struct RowFiller {
  const Mechanism<S>& mechanism;
  RowWriter<S>& out;

  void operator()(const DistanceElement<S>& e) const {
    MotionWorkspace<S>& ws = out.ws;
    const Vec3<S> x = point_position(ws, e.from), y = point_position(ws, e.to), d = y - x;
    const Side<S> a = side_at(ws, e.to.link, y), b = side_at(ws, e.from.link, y);
    const S inverse = S(1) / norm(d);
    const Vec3<S> n = inverse * d, rate = point_velocity(ws, e.to) - point_velocity(ws, e.from);
    const Vec3<S> n_rate = inverse * (rate - dot(n, rate) * n);
    out.clear_row();
    out.add(a, b, {}, n, {}, n_rate, a.u);
    ++out.row;
  }

  void operator()(const DriveElement<S>& e) const {
    MotionWorkspace<S>& ws = out.ws;
    S rate[6], acceleration[6];
    evaluate_program(mechanism, ws, e.rate, rate);
    evaluate_program(mechanism, ws, e.acceleration, acceleration);
    const int i = mechanism.link_of_joint[e.joint];
    const JointCoordinates<S> joint = coordinates_of(mechanism, ws, e.joint);
    for (int k = 0; k < joint.joint.nv; ++k) {
      out.clear_row();
      if (i >= 0) {
        ws.prescribed[joint.joint.v0 + k] = acceleration[k];
        ws.row_speed[out.row] = joint.v[k];
      } else {
        add_loop_speed(mechanism, mechanism.loop_of_joint[e.joint], k, S(1), out);
      }
      ws.row_speed[out.row] -= rate[k];
      ws.row_rest[out.row] -= acceleration[k];
      ++out.row;
    }
  }

  void operator()(const CouplerElement<S>& e) const {
    MotionWorkspace<S>& ws = out.ws;
    out.clear_row();
    for (const CouplerTermElement<S>& term : e.terms) {
      const int l = mechanism.loop_of_joint[term.joint];
      if (l >= 0) {
        add_loop_speed(mechanism, l, term.component, term.factor, out);
        continue;
      }
      // its rate is a term on v' (RowTerm)
      const Link<S>& link = mechanism.links[mechanism.link_of_joint[term.joint]];
      ws.row_speed[out.row] += term.factor * ws.v[link.v0 + term.component];
    }
    ++out.row;
  }

  // d = -(n - (n.a) a) / |...| points from the centre to the lowest point of the rim
  void operator()(const RollingDiscElement<S>& e) const {
    MotionWorkspace<S>& ws = out.ws;
    const Vec3<S> n = direction_at(ws, e.plane.link, e.normal);
    const Vec3<S> axis = direction_at(ws, e.center.link, e.axis);
    const Vec3<S> w_plane = spin_of(ws, e.plane.link), w_disc = spin_of(ws, e.center.link);
    const Vec3<S> n_rate = cross(w_plane, n), axis_rate = cross(w_disc, axis);
    const S along = dot(n, axis);
    const Vec3<S> down = along * axis - n;
    const Vec3<S> down_rate =
        (dot(n_rate, axis) + dot(n, axis_rate)) * axis + along * axis_rate - n_rate;
    const S inverse = S(1) / norm(down);
    const Vec3<S> d = inverse * down;
    const Vec3<S> d_rate = inverse * (down_rate - dot(d, down_rate) * d);
    const Vec3<S> c = point_position(ws, e.center) + e.radius * d;
    const Vec3<S> c_rate = point_velocity(ws, e.center) + e.radius * d_rate;
    const Side<S> a = side_at(ws, e.center.link, c), b = side_at(ws, e.plane.link, c);
    for (const Vec3<S>* direction : {&e.normal, &e.along1, &e.along2}) {
      const Vec3<S> beta = direction_at(ws, e.plane.link, *direction);
      out.clear_row();
      out.add(a, b, {}, beta, {}, cross(w_plane, beta), c_rate);
      ++out.row;
    }
  }

  void operator()(const KnifeEdgeElement<S>& e) const {
    MotionWorkspace<S>& ws = out.ws;
    const Vec3<S> c = point_position(ws, e.at), normal = direction_at(ws, e.at.link, e.normal);
    const Side<S> a = side_at(ws, e.at.link, c), b = side_at(ws, e.on, c);
    out.clear_row();
    out.add(a, b, {}, normal, {}, cross(a.w, normal), a.u);
    ++out.row;
  }
};

template <class S>
struct PositionFiller {
  const Mechanism<S>& mechanism;
  MotionWorkspace<S>& ws;
  int row = 0;

  void write(const S& value) { ws.row_position[row++] = value; }

  void operator()(const DistanceElement<S>& e) {
    write(norm(point_position(ws, e.to) - point_position(ws, e.from)) - e.length);
  }
  // An angle of a loop joint whose turns are not known yet.
  bool is_open(int joint, int k) const {
    const int l = mechanism.loop_of_joint[joint];
    const int turn = l < 0 ? -1 : turn_of(mechanism.loops[l], k);
    return turn >= 0 && turns_in(mechanism, ws)[turn] == no_turn;
  }
  void operator()(const DriveElement<S>& e) {
    S target[6];
    evaluate_program(mechanism, ws, e.position->program, target);
    const JointCoordinates<S> joint = coordinates_of(mechanism, ws, e.joint);
    for (int k = 0; k < joint.joint.nv; ++k) {
      const S d = joint.q[k] - target[k];
      write(is_open(e.joint, k) ? within_half_turn(d) : d);
    }
  }
  void operator()(const CouplerElement<S>& e) {
    S sum = -e.offset;
    S turn(0);  // what a whole turn of an open angle changes
    for (const CouplerTermElement<S>& term : e.terms) {
      const JointCoordinates<S> joint = coordinates_of(mechanism, ws, term.joint);
      sum += term.factor * joint.q[term.component];
      if (is_open(term.joint, term.component)) turn = term.factor;
    }
    write(value_of(abs(turn)) == 0 ? sum : turn * within_half_turn(sum / turn));
  }
  void operator()(const RollingDiscElement<S>& e) {
    const Vec3<S> n = direction_at(ws, e.plane.link, e.normal);
    const Vec3<S> axis = direction_at(ws, e.center.link, e.axis);
    const Vec3<S> down = dot(n, axis) * axis - n;
    const Vec3<S> c = point_position(ws, e.center) + (e.radius / norm(down)) * down;
    write(dot(n, c - point_position(ws, e.plane)));
    write(S(0));
    write(S(0));
  }
  void operator()(const KnifeEdgeElement<S>&) { write(S(0)); }
};

// y' = -2 rate y - rate^2 g instead of 0
template <class S>
void add_baumgarte(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  fill_constraint_positions(mechanism, ws);
  const S rate = mechanism.baumgarte;
  for (int r = 0; r < mechanism.row_count(); ++r)
    ws.row_rest[r] += S(2) * rate * ws.row_speed[r] + rate * rate * ws.row_position[r];
}

template <class S>
void update_plan(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  const int* active = ws.mode.data() + mechanism.mode_count;
  if (ws.plan.valid && std::equal(ws.plan.active.begin(), ws.plan.active.end(), active)) return;
  if (!mechanism.absolute) return make_constraint_plan(mechanism, active, ws.plan, ws.fronts);
  if constexpr (!std::is_same_v<S, Expression>) make_sparse_rows(mechanism, active, ws.sparse);
  ws.plan.active.assign(active, active + mechanism.row_count());
  ws.plan.valid = true;
}

}  // namespace

template <class S>
void fill_loop_coordinates(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
    const LoopJoint<S>& loop = mechanism.loops[l];
    const LoopState<S>& x = ws.loops[l];
    const Side<S> a = side_at(ws, loop.child, x.o_C), b = side_at(ws, loop.parent, x.o_C);
    calc_loop_coordinates(loop, x, turns_in(mechanism, ws), ws.loop_q.data() + loop.shape.q0);
    calc_loop_speed_rows(loop, x, b.w, a.w, ws.loop_speed.data() + loop.shape.v0);
    for (int k = 0; k < loop.shape.nv; ++k) {
      const LoopSpeed<S>& s = ws.loop_speed[loop.shape.v0 + k];
      ws.loop_v[loop.shape.v0 + k] = dot(s.alpha, a.w - b.w) + dot(s.beta, a.u - b.u);
    }
  }
}

template <class S>
void calc_loop_accelerations(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, S* vdot) {
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
    const LoopJoint<S>& loop = mechanism.loops[l];
    const Vec3<S>& c = ws.loops[l].o_C;
    const Side<S> a = side_at(ws, loop.child, c), b = side_at(ws, loop.parent, c);
    auto acceleration = [&](int link, const Side<S>& side, Vec3<S>& dw, Vec3<S>& du) {
      du = -ws.gravity;  // the links' accelerations include it
      if (link == world) return;
      dw = ws.links[link].dw;
      du = ws.links[link].du + cross(dw, side.arm) + side.spin;
    };
    Vec3<S> dw_a, du_a, dw_b, du_b;
    acceleration(loop.child, a, dw_a, du_a);
    acceleration(loop.parent, b, dw_b, du_b);
    const Vec3<S> u = a.u - b.u;
    for (int k = 0; k < loop.shape.nv; ++k) {
      const LoopSpeed<S>& s = ws.loop_speed[loop.shape.v0 + k];
      vdot[loop.shape.v0 + k] = dot(s.alpha, dw_a - dw_b) + dot(s.beta, du_a - du_b) +
                                dot(s.alpha_rate, a.w - b.w) + dot(s.beta_rate, u) -
                                dot(s.beta, cross(b.w, u));
    }
  }
}

template <class S>
void calc_loop_wrench(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws, int l,
                      Vec3<S>& torque, Vec3<S>& force) {
  const LoopJoint<S>& loop = mechanism.loops[l];
  torque = force = {};
  for (std::size_t s = 0; s < mechanism.sources.size(); ++s) {
    const RowSource& source = mechanism.sources[s];
    if (source.loop != l || !source.on_child) continue;
    const Vec3<S> origin = source.link == world ? Vec3<S>{} : ws.links[source.link].o;
    const Vec3<S> arm = ws.loops[l].o_C - origin;
    force += ws.lambda[source.row] * ws.source_f[s];
    torque += ws.lambda[source.row] * (ws.source_n[s] - cross(arm, ws.source_f[s]));
  }
  for (const LoopRotor<S>& rotor : mechanism.loop_rotors) {
    if (rotor.loop != l) continue;
    const int k = loop.shape.v0 + rotor.component;
    const S size = -rotor.inertia * ws.loop_vdot[k];
    force += size * ws.loop_speed[k].beta;
    torque += size * ws.loop_speed[k].alpha;
  }
  if (!mechanism.has_forces || !mechanism.loops_act) return;
  for (int k = loop.shape.v0; k < loop.shape.v0 + loop.shape.nv; ++k) {
    force += ws.loop_tau[k] * ws.loop_speed[k].beta;
    torque += ws.loop_tau[k] * ws.loop_speed[k].alpha;
  }
}

template <class S>
void apply_loop_forces(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
    const LoopJoint<S>& loop = mechanism.loops[l];
    Vec3<S> torque, force;
    for (int k = loop.shape.v0; k < loop.shape.v0 + loop.shape.nv; ++k) {
      torque += ws.loop_tau[k] * ws.loop_speed[k].alpha;
      force += ws.loop_tau[k] * ws.loop_speed[k].beta;
    }
    const Vec3<S>& c = ws.loops[l].o_C;
    add_force(ws, loop.child, c, force);
    add_force(ws, loop.parent, c, -force);
    if (loop.child != world) ws.wrench_n[loop.child] += torque;
    if (loop.parent != world) ws.wrench_n[loop.parent] -= torque;
  }
}

template <class S>
void fill_constraints(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l)
    place_loop(mechanism.loops[l], ws, ws.loops[l]);
  if (mechanism.loops_act) fill_loop_coordinates(mechanism, ws);
  RowWriter<S> out{ws};
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l)
    fill_loop(mechanism.loops[l], ws.loops[l], out);
  for (const ConstraintElement<S>& element : mechanism.constraints)
    std::visit(RowFiller<S>{mechanism, out}, element);
  if (!mechanism.contacts.empty()) fill_contact_rows(mechanism, ws);
  if (value_of(mechanism.baumgarte) != 0) add_baumgarte(mechanism, ws);
  update_plan(mechanism, ws);
}

template <class S>
void fill_rows_of(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int loop, int element,
                  int row, std::size_t source) {
  RowWriter<S> out{ws, row, source};
  if (loop < 0) return std::visit(RowFiller<S>{mechanism, out}, mechanism.constraints[element]);
  place_loop(mechanism.loops[loop], ws, ws.loops[loop]);
  fill_loop(mechanism.loops[loop], ws.loops[loop], out);
}
template void fill_rows_of<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int, int, int,
                                  std::size_t);

template <class S>
void fill_constraint_positions(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  PositionFiller<S> filler{mechanism, ws};
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l)
    for_each_loop_position(mechanism.loops[l], ws.loops[l],
                           [&](const S& value) { filler.write(value); });
  for (const ConstraintElement<S>& element : mechanism.constraints) std::visit(filler, element);
  if (!mechanism.contacts.empty()) fill_contact_positions(mechanism, ws);
}

template <class S>
void fill_drive_multipliers(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  fill_reactions(mechanism, ws);
  for (std::size_t r = 0; r < mechanism.rows.size(); ++r) {
    const int speed = mechanism.rows[r].driven_speed;
    if (speed < 0) continue;
    const auto& drive = std::get<DriveElement<S>>(mechanism.constraints[mechanism.rows[r].element]);
    const int i = mechanism.link_of_joint[drive.joint];
    const int k = speed - mechanism.links[i].v0;
    S force = joint_force_component(mechanism, ws, i, k) + mechanism.rotor[speed] * ws.vdot[speed];
    if (mechanism.has_forces) force -= ws.tau[speed];
    for (const RowTerm<S>& term : mechanism.terms)
      if (term.link == i && term.component == k) force -= term.factor * ws.lambda[term.row];
    ws.lambda[r] = force;
  }
}

template <class S>
S calc_row_power(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int r) {
  const ConstraintRow& row = mechanism.rows[r];
  if (!row.drive) return S(0);
  const auto& drive = std::get<DriveElement<S>>(mechanism.constraints[row.element]);
  const int k = r - mechanism.constraint_row0[row.element];
  return ws.lambda[r] * coordinates_of(mechanism, ws, drive.joint).v[k];
}

template <class S>
S calc_drive_power(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  S power(0);
  for (int r = 0; r < mechanism.row_count(); ++r) power += calc_row_power(mechanism, ws, r);
  return power;
}

template <class S>
void size_constraints(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  const std::size_t rows = mechanism.rows.size();
  ws.loops.resize(mechanism.loops.size());
  ws.loop_speed.resize(mechanism.loop_nv);
  ws.loop_q.assign(mechanism.loop_nq, S(0));
  ws.loop_v.assign(mechanism.loop_nv, S(0));
  ws.loop_tau.assign(mechanism.loop_nv, S(0));
  ws.source_n.resize(mechanism.sources.size());
  ws.source_f.resize(mechanism.sources.size());
  for (auto* numbers : {&ws.row_rest, &ws.row_speed, &ws.row_position, &ws.lambda})
    numbers->assign(rows, S(0));
  ws.prescribed.assign(mechanism.nv, S(0));
  ws.mode.assign(mechanism.mode_count, 0);
  ws.mode.resize(mechanism.turn0(), 1);
  for (int r = mechanism.contact_row0; r < mechanism.row_count(); ++r)
    ws.mode[mechanism.mode_count + r] = 0;
  ws.mode.resize(mechanism.mode_size(), no_turn);
}

#define CARTAN_INSTANTIATE(S)                                                                      \
  template void fill_loop_coordinates<S>(const Mechanism<S>&, MotionWorkspace<S>&);                \
  template void calc_loop_accelerations<S>(const Mechanism<S>&, const MotionWorkspace<S>&, S*);    \
  template void apply_loop_forces<S>(const Mechanism<S>&, MotionWorkspace<S>&);                    \
  template void calc_loop_wrench<S>(const Mechanism<S>&, const MotionWorkspace<S>&, int, Vec3<S>&, \
                                    Vec3<S>&);                                                     \
  template void fill_constraints<S>(const Mechanism<S>&, MotionWorkspace<S>&);                     \
  template void fill_constraint_positions<S>(const Mechanism<S>&, MotionWorkspace<S>&);            \
  template void fill_drive_multipliers<S>(const Mechanism<S>&, MotionWorkspace<S>&);               \
  template S calc_row_power<S>(const Mechanism<S>&, MotionWorkspace<S>&, int);                     \
  template S calc_drive_power<S>(const Mechanism<S>&, MotionWorkspace<S>&);                        \
  template void size_constraints<S>(const Mechanism<S>&, MotionWorkspace<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
#undef CARTAN_INSTANTIATE

}  // namespace cartan
