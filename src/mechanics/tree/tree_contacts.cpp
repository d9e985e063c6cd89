// Contacts of a mechanism's system and the jumps of its events.
#include <algorithm>
#include <array>
#include <cmath>

#include "mechanics/constraints/closed_recursion.h"
#include "mechanics/constraints/projection.h"
#include "mechanics/forces/applied_forces.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/several_points.h"
#include "mechanics/tree/tree_system_class.h"

namespace cartan::mechanics {

bool TreeSystem::settle(State& state, Workspace& workspace) const {
  if (mechanism_.contacts.empty()) return false;
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  return contact_events(state, w.motion, w.jumps).settle();
}

void TreeSystem::close_contacts(std::span<const int> contacts, State& state,
                                Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  contact_events(state, w.motion, w.jumps).close(contacts);
}

std::string TreeSystem::hold_contacts(std::span<const int> contacts, State& state,
                                      Workspace& workspace) const {
  if (mechanism_.contacts.empty()) return "";
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  return contact_events(state, w.motion, w.jumps).hold(contacts);
}

// Next to a standstill the direction of sliding may turn fast, as quickly as the speed falls: steps
// are to become shorter in proportion.
void TreeSystem::watch_sliding(const State& state, TreeWorkspace& w) const {
  constexpr double announced = 0.4;  // part of the time to the standstill
  const double passed = state.t - w.slide_t;
  w.slides.resize(mechanism_.contacts.size(), 0.0);
  for (std::size_t k = 0; k < mechanism_.contacts.size(); ++k) {
    double slide = 0;
    if (state.mode[mechanism_.contact_mode0 + k] == contact_slips) {
      const Vec3<double> u = calc_contact_speed(mechanism_, w.motion, mechanism_.contacts[k]);
      slide = std::hypot(u.y, u.z);
      const double fall = w.slides[k] - slide;
      if (passed > 0 && fall > 0) {
        const double left = announced * slide * passed / fall;
        if (w.jumps.soon == 0 || left < w.jumps.soon) w.jumps.soon = left;
      }
    }
    w.slides[k] = slide;
  }
  w.slide_t = state.t;
}

// All new values from the values before; then loops and constraints are kept, speeds by the impulse
// that belongs to it. What that does to the energy counts as work.
bool TreeSystem::make_jump(const Event& event, State& state, TreeWorkspace& w) const {
  if (event.jumps.empty()) return false;
  MotionWorkspace<double>& ws = w.motion;
  const double before = energy_at(state, ws);
  fill_energies(ws);
  if (!mechanism_.loops.empty()) fill_loop_coordinates(mechanism_, ws);
  std::vector<std::vector<double>> values;
  for (const Jump& jump : event.jumps) {
    values.emplace_back(jump.value.size());
    evaluate_program(mechanism_, ws, jump.value.program, values.back().data());
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Jump& jump = event.jumps[k];
    if (jump.what == Jump::What::variable) {
      state.x[mechanism_.nq + mechanism_.nv + jump.index] = values[k][0];
      continue;
    }
    const int i = mechanism_.link_of_joint[jump.index];
    if (i < 0) continue;  // refused when the system was made
    const Link<double>& link = mechanism_.links[i];
    const int first = jump.what == Jump::What::speed ? mechanism_.nq + link.v0 : link.q0;
    std::copy(values[k].begin(), values[k].end(), state.x.begin() + first + jump.component);
  }
  space_.normalise(state.x);
  if (!mechanism_.rows.empty()) {
    kinematics_at(state, ws);
    project_state(mechanism_, state.t, state.x.data(), state.x.data() + mechanism_.nq, ws);
  }
  const double change = energy_at(state, ws) - before;
  if (quadratures() > 0) state.x[mechanism_.state_size()] += change;
  if (!mechanism_.contacts.empty()) {
    contact_events(state, ws, w.jumps).start();
    contact_events(state, ws, w.jumps).settle();
  }
  if (mechanism_.friction_modes > 0)
    start_friction(mechanism_, friction_state(state), ws, formulation_.solve);
  return true;
}

std::vector<ContactReport> TreeSystem::report_contacts(StateView at, Workspace& workspace) const {
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  std::vector<ContactReport> result(model_.contacts.size());
  if (any_closed(at.mode)) {
    solve_at(at, ws);
    use_least_multipliers(mechanism_, ws);
  } else {
    kinematics_at(at, ws);
  }
  fill_columns(mechanism_, ws);
  std::vector<char> seen(result.size(), 0);
  for (std::size_t k = 0; k < mechanism_.contacts.size(); ++k) {
    const ContactElement<double>& e = mechanism_.contacts[k];
    ContactReport& r = result[e.contact];
    const double gap = calc_gap(mechanism_, ws, e);
    const int mode = ws.mode[mechanism_.contact_mode0 + k];
    const Vec3<double> force = calc_contact_force(mechanism_, ws, static_cast<int>(k));
    const bool free = !e.rubs && e.kind != ContactKind::stop;
    const int shown = mode == contact_open ? 0 : is_slipping(mode) || free ? 2 : 1;
    if (!seen[e.contact] || gap < r.gap) r.gap = gap;
    seen[e.contact] = 1;
    r.mode = std::max(r.mode, shown);
    r.normal += force.x;
    if (e.kind == ContactKind::stop) {
      std::array<double, 6> tau{};
      tau[e.component] = e.sign * force.x;
      const JointWrench w = calc_joint_wrench(mechanism_, ws, e.joint, tau.data());
      const Joint& of = model_.joints[e.joint];
      r.point = w.point, r.force = w.force, r.torque = w.torque;
      r.body_a = of.child.body, r.body_b = of.parent.body;
      r.in_joint = true;
      continue;
    }
    const ContactFrame<double> f = calc_contact_frame(e.on, e.kind, ws);
    const Vec3<double> all = force.x * f.n + force.y * f.t1 + force.z * f.t2;
    // the point where the sum acts: weighted by normal forces
    r.point = force.x > 0 && r.normal > 0 ? r.point + (force.x / r.normal) * (f.c - r.point)
                                          : (seen[e.contact] && r.normal > 0 ? r.point : f.c);
    r.force += all;
    r.tangential = norm(r.force - dot(r.force, f.n) * f.n);
    r.body_a = e.on.a_link == world ? world : mechanism_.bodies[e.on.a_link].body;
    r.body_b = e.on.b_link == world ? world : mechanism_.bodies[e.on.b_link].body;
  }
  return result;
}

namespace {

// Whether a jump that was repeated gives the state that the motion goes on from.
bool is_same_jump(const std::vector<Dual4>& made, std::span<const double> after) {
  constexpr double close = 1e-6;
  double size = 1;
  for (const Dual4& x : made) size = std::max(size, std::fabs(x.a));
  for (std::size_t i = 0; i < made.size(); ++i)
    if (!(std::fabs(made[i].a - after[i]) <= close * size)) return false;
  return true;
}

// Speeds v with M (v+ - v) = J^T P so that every active row y has the speed `factor` y less than
// before.
template <class S>
void change_speeds(const Mechanism<S>& mechanism, const S& t, const S* q, S* v,
                   const std::vector<S>& factor, MotionWorkspace<S>& ws) {
  fill_kinematics<S>(mechanism, t, q, v, ws);
  std::vector<S> rest(ws.row_speed.size()), still(mechanism.nv, S(0));
  for (std::size_t r = 0; r < rest.size(); ++r) rest[r] = factor[r] * ws.row_speed[r];
  fill_kinematics<S>(mechanism, t, q, still.data(), ws);
  ws.row_rest = rest;
  ws.any_locked = false;
  ws.gravity = {};
  std::fill(ws.prescribed.begin(), ws.prescribed.end(), S(0));
  std::fill(ws.tau.begin(), ws.tau.end(), S(0));
  std::fill(ws.wrench_n.begin(), ws.wrench_n.end(), Vec3<S>{});
  std::fill(ws.wrench_f.begin(), ws.wrench_f.end(), Vec3<S>{});
  solve_closed(mechanism, ws);
  for (int j = 0; j < mechanism.nv; ++j) v[j] += ws.vdot[j];
}

}  // namespace

// New values of an event, all from those before.
void TreeSystem::set_jumps(const Mechanism<Dual4>& mechanism, const Event& event, const Dual4& t,
                           const Dual4* x, Dual4* result, MotionWorkspace<Dual4>& ws) const {
  fill_kinematics<Dual4>(mechanism, t, x, x + mechanism.nq, ws);
  ws.kinetic = calc_kinetic_energy(mechanism, ws);
  ws.potential = calc_potential_energy(mechanism, ws);
  if (!mechanism.loops.empty()) fill_loop_coordinates(mechanism, ws);
  set_variables(mechanism, x + mechanism.nq + mechanism.nv, ws);
  for (const Jump& jump : event.jumps) {
    std::vector<Dual4> values(jump.value.size());
    evaluate_program(mechanism, ws, jump.value.program, values.data());
    if (jump.what == Jump::What::variable) {
      result[mechanism.nq + mechanism.nv + jump.index] = values[0];
      continue;
    }
    const Link<Dual4>& link = mechanism.links[mechanism.link_of_joint[jump.index]];
    const int first = jump.what == Jump::What::speed ? mechanism.nq + link.v0 : link.q0;
    std::copy(values.begin(), values.end(), result + first + jump.component);
  }
}

// The jump over dual numbers; an impact as it was found in plain ones.
std::string TreeSystem::jump_slope(int which, StateView before, StateView after,
                                   std::span<const int> parameters, JumpSlope& slope,
                                   Workspace& workspace) const {
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  const int own = static_cast<int>(model_.events.size()), n = mechanism_.state_size();
  const bool closes = which < 0;  // nothing but what closes
  const Event* event = !closes && which < own ? &model_.events[which] : nullptr;
  const int of_contact = which - contact_event0();
  if (event ? event->jumps.empty() : !closes && (of_contact < 0 || which >= turn_event0()))
    return System::jump_slope(which, before, after, parameters, slope, workspace);
  ImpactRecord impact;
  if (!event && !closes && of_contact < 2 * static_cast<int>(mechanism_.contacts.size())) {
    State start{
        before.t, {before.x.begin(), before.x.end()}, {before.mode.begin(), before.mode.end()}};
    JumpNotes notes;
    if (contact_events(start, w.motion, notes).find_impact(of_contact, impact) &&
        impact.phases.empty())
      return notes.problem;
  }
  if (event && !mechanism_.rows.empty())
    for (const Jump& jump : event->jumps)
      if (jump.what == Jump::What::position)
        return "event '" + event->name +
               "' sets positions of a mechanism with constraints, and derivatives of that are not "
               "taken";
  const auto run = [&](const Mechanism<Dual4>& mechanism, const Dual4& t, const Dual4* x,
                       Dual4* result, MotionWorkspace<Dual4>& ws) {
    std::copy(before.mode.begin(), before.mode.end(), ws.mode.begin());
    std::copy(x, x + n, result);
    if (event) set_jumps(mechanism, *event, t, x, result, ws);
    if (mechanism.rows.empty()) return;
    if (!impact.phases.empty()) apply_impact(mechanism, t, x, result + mechanism.nq, impact, ws);
    // what is closed from here on has no speed left: by this impact, as the end of a sequence of
    // them, or as sliding that ends (across its direction, where friction has taken it away)
    std::vector<Dual4> factor(mechanism.rows.size(), Dual4(event ? 1.0 : 0.0));
    std::copy(after.mode.begin(), after.mode.end(), ws.mode.begin());
    for (int r = mechanism.contact_row0; r < mechanism.row_count(); ++r)
      factor[r] = Dual4(after.mode[mechanism.mode_count + r] != 0 ? 1.0 : 0.0);
    change_speeds(mechanism, t, result, result + mechanism.nq, factor, ws);
  };
  MotionWorkspace<Dual4>& dual = dual_of(w);
  slope.by_x.setZero(n, n);
  differentiate_columns(before.x.first(static_cast<std::size_t>(n)), n, slope.by_x, w.dual_x,
                        w.dual_xdot, [&](const Dual4* x, Dual4* result) {
                          run(dual_mechanism_, Dual4(before.t), x, result, dual);
                        });
  const std::vector<Dual4> x(before.x.begin(), before.x.end());
  std::vector<Dual4> result(n);
  run(dual_mechanism_, Dual4::variable(before.t, 0), x.data(), result.data(), dual);
  slope.by_time.resize(n);
  for (int i = 0; i < n; ++i) slope.by_time[i] = result[i].d[0];
  if (!mechanism_.contacts.empty() && !is_same_jump(result, after.x))
    return "more than one thing happens at once at '" +
           (closes ? std::string("contacts that close") : events_[which].name) +
           "' (a jump that is an impact, too), and derivatives of that are not taken";
  slope.by_parameters.setZero(n, static_cast<int>(parameters.size()));
  seeded_of(w, parameters)
      .fill_columns(slope.by_parameters,
                    [&](const Mechanism<Dual4>& m, MotionWorkspace<Dual4>& ws) {
                      run(m, Dual4(before.t), x.data(), result.data(), ws);
                      return std::span<const Dual4>(result);
                    });
  return "";
}

}  // namespace cartan::mechanics
