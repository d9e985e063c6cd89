#include "mechanics/forces/dry_friction.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/forces.h"
#include "mechanics/forces/friction_law.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/single_laws.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

// The wrench on the joint's child side about C's origin, in C's axes.
template <class S>
void joint_wrench_on_child(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws,
                           const Friction<S>& e, Vec3<S>& n, Vec3<S>& f) {
  const int i = e.link;
  if (i < 0) {
    const int l = mechanism.loop_of_joint[e.joint];
    calc_loop_wrench(mechanism, ws, l, n, f);
    n = transpose_times(ws.loops[l].R_C, n);
    f = transpose_times(ws.loops[l].R_C, f);
    return;
  }
  const Link<S>& link = mechanism.links[i];
  const LinkState<S>& x = ws.links[i];
  n = transpose_times(x.R, ws.joint_n[i]);
  f = transpose_times(x.R, ws.joint_f[i]);
  if (!mechanism.model->tree[i].reversed) return;
  // the link frame is P: the child gets the opposite wrench, moved from P's origin to C's
  JointMotion<S> m = forward_motion(link, ws.q + link.q0, ws.v + link.v0);
  if (link.motion == Motion::rotation1) m.R = transpose(m.R);  // its axis has been turned round
  n = -transpose_times(m.R, n - cross(m.p, f));
  f = -transpose_times(m.R, f);
}

// Removes what the joint's own generalised force transmits; the motion columns of all joints that
// may have bearings are mutually orthogonal.
template <class S>
void keep_constraint_part(const JointCoordinates<S>& at, Vec3<S>& n, Vec3<S>& f) {
  const JointMotion<S> m = forward_motion(at.joint, at.q, at.v);
  for (int k = 0; k < at.joint.nv; ++k) {
    const S length2 = norm2(m.phi[k]) + norm2(m.psi[k]);
    const S share = (dot(m.phi[k], n) + dot(m.psi[k], f)) / length2;
    n -= share * m.phi[k];
    f -= share * m.psi[k];
  }
}

// Components of all bearing loads, from the accelerations in ws, in the order of the rows.
template <class S>
void calc_bearing_components(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, S* out) {
  fill_reactions(mechanism, ws);
  for_each_friction(mechanism, [&](int, const Friction<S>& e) {
    if (e.bearings.empty()) return;
    Vec3<S> n, f;
    joint_wrench_on_child(mechanism, ws, e, n, f);
    keep_constraint_part(coordinates_of(mechanism, ws, e.joint), n, f);
    for (const BearingRow<S>& b : e.bearings)
      for (int r = 0; r < b.rows; ++r) *out++ = dot(b.force[r], f) + dot(b.torque[r], n);
  });
}

// Solves the small dense system a x = b in place (row-major), without pivoting: a is the identity
// minus what friction feeds back.
template <class S>
void solve_small(S* a, S* b, int n) {
  for (int k = 0; k < n; ++k) {
    const S inverse_pivot = S(1) / a[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      const S factor = a[i * n + k] * inverse_pivot;
      for (int j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
    b[i] = b[i] / a[i * n + i];
  }
}

// residual_k = F_k - sum_b c_b |l_b(F)| and its matrix of derivatives.
template <class S>
void fill_load_equations(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  const int nb = mechanism.bearing_count;
  const int rows = static_cast<int>(ws.bearing_base.size());
  int row = 0;
  for_each_friction(mechanism, [&](int, const Friction<S>& e) {
    if (e.bearings.empty()) return;
    const int k = e.load0;
    S* derivative = ws.bearing_matrix.data() + k * nb;
    for (int j = 0; j < nb; ++j) derivative[j] = S(j == k ? 1 : 0);
    S residual = ws.friction_load[k];
    for (const BearingRow<S>& b : e.bearings) {
      S load[3], length2(0);
      for (int r = 0; r < b.rows; ++r) {
        load[r] = ws.bearing_base[row + r];
        for (int j = 0; j < nb; ++j)
          load[r] += ws.friction_load[j] * ws.bearing_unit[j * rows + row + r];
        length2 += load[r] * load[r];
      }
      const S length = sqrt(length2);
      residual -= b.factor * length;
      const S safe = select(less(S(1e-150), length), length, S(1));
      for (int j = 0; j < nb; ++j)
        for (int r = 0; r < b.rows; ++r)
          derivative[j] -= b.factor * load[r] * ws.bearing_unit[j * rows + row + r] / safe;
      row += b.rows;
    }
    ws.bearing_residual[k] = residual;
  });
}

template <class S>
double largest_change(const std::vector<S>& step, const std::vector<S>& value) {
  double largest = 0;
  for (std::size_t k = 0; k < step.size(); ++k)
    largest = std::max(largest, value_of(abs(step[k])) / (1 + value_of(abs(value[k]))));
  return largest;
}

// max(load, 0), whose derivative at zero is that of the load: a constant that begins or ends at its
// bound zero is seen.
template <class S>
S not_negative(const S& load) {
  return select(less(load, S(0)), S(0), load);
}

// Code cannot ask an expression whether it has converged: it takes a fixed number of Newton steps,
// well above what is needed where friction is a correction (three to five).
constexpr int steps_in_code = 8;

template <class S>
void solve_loads(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  constexpr bool symbolic = std::is_same_v<S, Expression>;
  constexpr int most = symbolic ? steps_in_code : 60;
  // Newton's steps after convergence make derivatives exact too: one for the first, two for the
  // second ones
  int open = std::is_same_v<S, Mixed> ? 2 : 1;
  for (int iteration = 0; iteration < most; ++iteration) {
    fill_load_equations(mechanism, ws);
    solve_small(ws.bearing_matrix.data(), ws.bearing_residual.data(), mechanism.bearing_count);
    for (int k = 0; k < mechanism.bearing_count; ++k)
      ws.friction_load[k] = not_negative(ws.friction_load[k] - ws.bearing_residual[k]);
    if constexpr (symbolic) continue;
    if (open == 0) return;
    if (largest_change(ws.bearing_residual, ws.friction_load) < 1e-13) --open;
  }
  ws.failed = !symbolic;
}

// Loads that the file gives as expressions. A negative one would push: it counts as none.
template <class S>
void fill_given_loads(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  for_each_friction(mechanism, [&](int k, const Friction<S>& e) {
    if (!e.load) return;
    evaluate_program(mechanism, ws, e.load->program, &ws.given_load[k]);
    ws.given_load[k] = not_negative(ws.given_load[k]);
  });
}

// Forces without friction, to come back to.
template <class S>
void keep_applied(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  std::copy(ws.tau.begin(), ws.tau.end(), ws.applied_tau.begin());
  if (!mechanism.loop_friction) return;
  ws.applied_loop_tau = ws.loop_tau;
  ws.applied_n = ws.wrench_n;
  ws.applied_f = ws.wrench_f;
}
// What friction adds to the loop joints' forces acts on the links.
template <class S>
void push_loop_friction(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!mechanism.loop_friction) return;
  ws.wrench_n = ws.applied_n;
  ws.wrench_f = ws.applied_f;
  for (std::size_t k = 0; k < ws.loop_tau.size(); ++k) ws.loop_tau[k] -= ws.applied_loop_tau[k];
  apply_loop_forces(mechanism, ws);
  for (std::size_t k = 0; k < ws.loop_tau.size(); ++k) ws.loop_tau[k] += ws.applied_loop_tau[k];
}

// Without push_loop_friction.
template <class S>
void set_tau(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, bool with_loads) {
  std::copy(ws.applied_tau.begin(), ws.applied_tau.end(), ws.tau.begin());
  if (mechanism.loop_friction)
    std::copy(ws.applied_loop_tau.begin(), ws.applied_loop_tau.end(), ws.loop_tau.begin());
  for_each_friction(mechanism, [&](int k, const Friction<S>& e) {
    const S load =
        ws.given_load[k] + (with_loads && e.load0 >= 0 ? ws.friction_load[e.load0] : S(0));
    ws.force_energy[k] = {S(0), S(0),
                          add_joint_friction(e, coordinates_of(mechanism, ws, e.joint), ws, load)};
  });
}

}  // namespace

template <class S>
void apply_friction(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int k) {
  const Friction<S>& e = std::get<Friction<S>>(mechanism.forces[k]);
  S load(0);
  if (e.load) {
    evaluate_program(mechanism, ws, e.load->program, &load);
    load = not_negative(load);
  }
  ws.force_energy[k] = {S(0), S(0),
                        add_joint_friction(e, coordinates_of(mechanism, ws, e.joint), ws, load)};
}
template void apply_friction<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int);

template <class S>
void set_friction_locks(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  ws.any_locked = false;
  if (mechanism.friction_modes == 0) return;
  std::fill(ws.locked.begin(), ws.locked.end(), 0);
  for_each_friction(mechanism, [&](int, const Friction<S>& e) {
    if (e.smooth) return;
    const Link<S>& link = mechanism.links[e.link];
    for (int c = 0; c < link.nv; ++c) {
      const bool stuck = is_stuck(e, ws, e.rotation ? 0 : c);
      if (stuck) ws.locked[link.v0 + c] = 1;
      ws.any_locked |= stuck;
    }
  });
}

template <class S>
void solve_with_friction(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                         AccelerationSolver<S> solve) {
  ws.failed = false;
  if (!mechanism.has_friction) return solve(mechanism, ws);
  fill_given_loads(mechanism, ws);
  keep_applied(mechanism, ws);
  set_friction_locks(mechanism, ws);
  set_tau(mechanism, ws, false);
  push_loop_friction(mechanism, ws);
  solve(mechanism, ws);
  if (mechanism.bearing_count == 0) return;

  const std::size_t rows = ws.bearing_base.size();
  calc_bearing_components(mechanism, ws, ws.bearing_base.data());
  for_each_friction(mechanism, [&](int, const Friction<S>& e) {
    if (e.load0 < 0) return;
    set_tau(mechanism, ws, false);
    add_unit_load(e, coordinates_of(mechanism, ws, e.joint), ws);
    push_loop_friction(mechanism, ws);
    solve(mechanism, ws);
    S* unit = ws.bearing_unit.data() + e.load0 * rows;
    calc_bearing_components(mechanism, ws, unit);
    for (std::size_t r = 0; r < rows; ++r) unit[r] -= ws.bearing_base[r];
  });
  for (S& load : ws.friction_load) load = S(0);
  solve_loads(mechanism, ws);
  set_tau(mechanism, ws, true);
  push_loop_friction(mechanism, ws);
  solve(mechanism, ws);
}

template <class S>
void add_friction_at_loads(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, const S* loads) {
  ws.any_locked = false;
  if (!mechanism.has_friction) return;
  fill_given_loads(mechanism, ws);
  keep_applied(mechanism, ws);
  set_friction_locks(mechanism, ws);
  std::copy(loads, loads + mechanism.bearing_count, ws.friction_load.begin());
  set_tau(mechanism, ws, true);
  push_loop_friction(mechanism, ws);
}

template <class S>
void calc_load_residuals(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, S* residuals) {
  if (mechanism.bearing_count == 0) return;
  calc_bearing_components(mechanism, ws, ws.bearing_base.data());
  const S* component = ws.bearing_base.data();
  for_each_friction(mechanism, [&](int, const Friction<S>& e) {
    if (e.bearings.empty()) return;
    S residual = ws.friction_load[e.load0];
    for (const BearingRow<S>& b : e.bearings) {
      S length2(0);
      for (int r = 0; r < b.rows; ++r, ++component) length2 += *component * *component;
      // at zero load the length has no derivative; zero is one of its slopes
      const auto loaded = less(S(1e-300), length2);
      residual -= b.factor * select(loaded, sqrt(select(loaded, length2, S(1))), S(0));
    }
    residuals[e.load0] = residual;
  });
}

namespace {

bool is_first_to_hold(const Mechanism<double>& mechanism, int k, const Friction<double>& e) {
  bool first = true;
  for_each_friction(mechanism, [&](int other, const Friction<double>& o) {
    if (other < k && o.joint == e.joint && !o.smooth) first = false;
  });
  return first;
}

}  // namespace

void add_friction_alone(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws, int k) {
  const Friction<double>& e = std::get<Friction<double>>(mechanism.forces[k]);
  const JointCoordinates<double> at = coordinates_of(mechanism, ws, e.joint);
  const double load = ws.given_load[k] + (e.load0 >= 0 ? ws.friction_load[e.load0] : 0);
  add_joint_friction(e, at, ws, load);
  if (e.smooth || !is_first_to_hold(mechanism, k, e)) return;
  for (int c = 0; c < at.joint.nv; ++c)
    if (is_stuck(e, ws, e.rotation ? 0 : c))
      at.tau[c] += joint_force_component(mechanism, ws, e.link, c) -
                   ws.applied_tau[mechanism.links[e.link].v0 + c];
}

namespace {

bool rests(const double* v, int count) {
  double sum = 0;
  for (int k = 0; k < count; ++k) sum += v[k] * v[k];
  return std::sqrt(sum) <= rest_rate;
}

// The way component c goes: by its speed, or at rest by its acceleration. Zero: neither. (A
// spherical joint that begins to turn has no direction in its speed: add_starting_torque.)
int direction_of_motion(const Friction<double>& e, const double* v, const double* a, int c) {
  if (e.rotation) return rests(v, 3) ? 0 : slip_mode({v[0], v[1], v[2]});
  const double motion = rests(v + c, 1) ? a[c] : v[c];
  return rests(&motion, 1) ? 0 : (motion > 0 ? 1 : -1);
}

void add_starting_torque(const Friction<double>& e, const double* a, double load, double* tau) {
  const Vec3<double> rate{a[0], a[1], a[2]};
  const Vec3<double> torque = -(friction_magnitude(e, 0, load, 0.0) / norm(rate)) * rate;
  for (int i = 0; i < 3; ++i) tau[i] += torque[i];
}

}  // namespace

std::vector<StickingForce> add_friction_at_accelerations(const Mechanism<double>& mechanism,
                                                         MotionWorkspace<double>& ws) {
  std::vector<StickingForce> sticking;
  if (!mechanism.has_friction) return sticking;
  for_each_friction(mechanism, [&](int, const Friction<double>& e) {
    if (e.smooth) return;
    const int v0 = mechanism.links[e.link].v0;
    for (int c = 0; c < e.components(); ++c)
      ws.mode[e.mode0 + c] = direction_of_motion(e, ws.v + v0, ws.vdot.data() + v0, c);
  });
  fill_given_loads(mechanism, ws);
  keep_applied(mechanism, ws);
  if (mechanism.bearing_count > 0) {
    // the constraint part of the wrenches follows from the accelerations alone
    calc_bearing_components(mechanism, ws, ws.bearing_base.data());
    std::fill(ws.bearing_unit.begin(), ws.bearing_unit.end(), 0.0);
    std::fill(ws.friction_load.begin(), ws.friction_load.end(), 0.0);
    fill_load_equations(mechanism, ws);
    for (int k = 0; k < mechanism.bearing_count; ++k) ws.friction_load[k] = -ws.bearing_residual[k];
  }
  set_tau(mechanism, ws, true);
  push_loop_friction(mechanism, ws);
  for_each_friction(mechanism, [&](int k, const Friction<double>& e) {
    if (e.smooth) return;
    const int v0 = mechanism.links[e.link].v0;
    const double load = ws.given_load[k] + (e.load0 >= 0 ? ws.friction_load[e.load0] : 0);
    const double* a = ws.vdot.data() + v0;
    for (int c = 0; c < e.components(); ++c) {
      if (!is_stuck(e, ws, c)) continue;
      if (e.rotation && !rests(a, 3))
        add_starting_torque(e, a, load, ws.tau.data() + v0);
      else
        sticking.push_back({k, v0 + c, e.rotation ? 3 : 1, friction_magnitude(e, c, load, 0.0)});
    }
  });
  return sticking;
}

#define CARTAN_INSTANTIATE(S)                                                                 \
  template void add_friction_at_loads<S>(const Mechanism<S>&, MotionWorkspace<S>&, const S*); \
  template void calc_load_residuals<S>(const Mechanism<S>&, MotionWorkspace<S>&, S*);
CARTAN_INSTANTIATE(double)
CARTAN_INSTANTIATE(Dual4)
#undef CARTAN_INSTANTIATE
template void set_friction_locks<double>(const Mechanism<double>&, MotionWorkspace<double>&);
template void solve_with_friction<double>(const Mechanism<double>&, MotionWorkspace<double>&,
                                          AccelerationSolver<double>);
template void solve_with_friction<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&,
                                         AccelerationSolver<Dual4>);
template void solve_with_friction<Pack4>(const Mechanism<Pack4>&, MotionWorkspace<Pack4>&,
                                         AccelerationSolver<Pack4>);
template void solve_with_friction<Mixed>(const Mechanism<Mixed>&, MotionWorkspace<Mixed>&,
                                         AccelerationSolver<Mixed>);
template void solve_with_friction<Expression>(const Mechanism<Expression>&,
                                              MotionWorkspace<Expression>&,
                                              AccelerationSolver<Expression>);

}  // namespace cartan::mechanics
