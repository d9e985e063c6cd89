#include "mechanics/constraints/constraints.h"

#include <cassert>

#include "core/mixed.h"
#include "mechanics/absolute/absolute_solver.h"
#include "mechanics/constraints/row_slopes.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/joints/loop_rows.h"
#include "mechanics/joints/turns.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/single_laws.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

template <class... E>
constexpr bool are_constraint_laws(const std::variant<E...>*) {
  return (ConstraintElementLaw<E> && ...);
}
static_assert(are_constraint_laws(static_cast<const ConstraintElement<double>*>(nullptr)));

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

// The rows of a loop joint one after the other (loop_rows.h).
template <class Vector, class Writer, class Meeting>
struct LoopRow {
  Writer& out;
  const Meeting at;

  bool skips() {
    if (out.is_wanted()) return false;
    out.skip_row();
    return true;
  }
  void turn(const Vector& alpha, const Vector& alpha_rate) {
    out.clear_row();
    out.add_turn(at, alpha, alpha_rate);
    ++out.row;
  }
  void slide(const Vector& beta, const Vector& beta_rate) {
    out.clear_row();
    out.add_slide(at, beta, beta_rate);
    ++out.row;
  }
  void operator()(const Vector& alpha, const Vector& beta, const Vector& alpha_rate,
                  const Vector& beta_rate) {
    out.clear_row();
    out.add(at, alpha, beta, alpha_rate, beta_rate);
    ++out.row;
  }
};

template <class S, class State, class Writer>
void fill_loop(const LoopJoint<S>& loop, const State& x, bool world_axes, Writer& out) {
  using Vector = std::remove_cvref_t<decltype(x.o_C)>;
  const auto a = out.side(loop.child, x.o_C), b = out.side(loop.parent, x.o_C);
  const auto at = out.meet(a, b);
  LoopRow<Vector, Writer, decltype(at)> write{out, at};
  if (!world_axes) return for_each_loop_row(loop, x, b.w, a.w, write);
  const auto p = out.side(loop.parent, x.o_P);
  for_each_world_row(loop, x, b.w, a.w, write, [&](const Vector& e) {
    out.clear_row();
    out.add_between(a, p, e);
    ++out.row;
  });
}

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
  if constexpr (!std::is_same_v<S, Expression> && !std::is_same_v<S, Mixed>)
    make_sparse_rows(mechanism, active, ws.sparse);
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
  for (std::size_t k = 0; k < mechanism.terms.size(); ++k)
    ws.term_factor[k] = mechanism.terms[k].factor;
  RowWriter<S> out{ws};
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l)
    fill_loop(mechanism.loops[l], ws.loops[l], mechanism.world_rows, out);
  for (const ConstraintElement<S>& element : mechanism.constraints)
    std::visit([&](const auto& e) { e.fill_rows(mechanism, out); }, element);
  if (!mechanism.contacts.empty()) fill_contact_rows(mechanism, ws);
  if (value_of(mechanism.baumgarte) != 0) add_baumgarte(mechanism, ws);
  update_plan(mechanism, ws);
}

void fill_row_slopes(const Mechanism<Dual4>& mechanism, int element, RowSlopes& out) {
  const auto fill = [&](const auto& e) {
    if constexpr (requires { e.fill_rows(mechanism, out); })
      e.fill_rows(mechanism, out);
    else
      assert(e.row_reach(mechanism) != RowReach::pair);
  };
  std::visit(fill, mechanism.constraints[element]);
}

template <class L>
void fill_loop_slopes(const Mechanism<double>& mechanism, int loop, RowSlopesOf<L>& out) {
  const LoopJoint<double>& joint = mechanism.loops[loop];
  fill_loop(joint, out.place(joint, out.still.loops[loop]), mechanism.world_rows, out);
}
template void fill_loop_slopes(const Mechanism<double>&, int, RowSlopesOf<lanes::Four>&);
template void fill_loop_slopes(const Mechanism<double>&, int, RowSlopesOf<lanes::Lanes>&);

template <class S>
void fill_constraint_positions(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  PositionWriter<S> out{ws};
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l)
    for_each_loop_position(mechanism.loops[l], ws.loops[l], mechanism.world_rows,
                           [&](const S& value) { out.write(value); });
  for (const ConstraintElement<S>& element : mechanism.constraints)
    std::visit([&](const auto& e) { e.fill_positions(mechanism, out); }, element);
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
    for (std::size_t m = 0; m < mechanism.terms.size(); ++m) {
      const RowTerm<S>& term = mechanism.terms[m];
      if (term.link == i && term.component == k) force -= ws.term_factor[m] * ws.lambda[term.row];
    }
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
  ws.term_factor.assign(mechanism.terms.size(), S(0));
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
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
