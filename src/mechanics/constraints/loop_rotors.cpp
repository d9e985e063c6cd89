#include "mechanics/constraints/loop_rotors.h"

#include <algorithm>

#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/machine/kinematics.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

template <class S>
int rotor_speed(const Mechanism<S>& mechanism, const LoopRotor<S>& rotor) {
  return mechanism.loops[rotor.loop].shape.v0 + rotor.component;
}

// A generalised force in the rotor's coordinate, as wrenches on the links about their origins.
template <class S>
void push_rotor(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws,
                const LoopRotor<S>& rotor, const S& size, std::vector<Vec3<S>>& n,
                std::vector<Vec3<S>>& f) {
  const LoopJoint<S>& loop = mechanism.loops[rotor.loop];
  const LoopSpeed<S>& s = ws.loop_speed[rotor_speed(mechanism, rotor)];
  const Vec3<S> torque = size * s.alpha, force = size * s.beta;
  const auto add = [&](int link, const Vec3<S>& moment, const Vec3<S>& push) {
    if (link == world) return;
    f[link] += push;
    n[link] += moment + cross(ws.loops[rotor.loop].o_C - ws.links[link].o, push);
  };
  add(loop.child, torque, force);
  add(loop.parent, -torque, -force);
}

// S of one rotor.
template <class S>
void fill_rotor_row(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws,
                    const LoopRotor<S>& rotor, std::vector<S>& row) {
  const LoopJoint<S>& loop = mechanism.loops[rotor.loop];
  const LoopSpeed<S>& s = ws.loop_speed[rotor_speed(mechanism, rotor)];
  row.assign(mechanism.nv, S(0));
  for (const bool child : {true, false}) {
    const int end = child ? loop.child : loop.parent;
    if (end == world) continue;
    const Vec3<S> f = child ? s.beta : -s.beta;
    Vec3<S> n = (child ? s.alpha : -s.alpha) + cross(ws.loops[rotor.loop].o_C - ws.links[end].o, f);
    for (int i = end; i != world; i = mechanism.links[i].parent) {
      const Link<S>& link = mechanism.links[i];
      for (int j = link.v0; j < link.v0 + link.nv; ++j)
        row[j] += dot(ws.phi[j], n) + dot(ws.psi[j], f);
      n += cross(ws.links[i].r, f);
    }
  }
}

// a x = b in place, row-major, without pivoting (see the head of the header).
template <class S>
void solve_rotor_matrix(S* a, S* b, int n) {
  for (int k = 0; k < n; ++k) {
    const S inverse = S(1) / a[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      const S factor = a[i * n + k] * inverse;
      for (int j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int j = i + 1; j < n; ++j) b[i] -= a[i * n + j] * b[j];
    b[i] = b[i] / a[i * n + i];
  }
}

}  // namespace

template <class S>
void fill_rotor_wrenches(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  calc_loop_accelerations(mechanism, ws, ws.loop_vdot.data());
  for (Vec3<S>& n : ws.rotor_n) n = {};
  for (Vec3<S>& f : ws.rotor_f) f = {};
  for (const LoopRotor<S>& rotor : mechanism.loop_rotors)
    push_rotor(mechanism, ws, rotor, -rotor.inertia * ws.loop_vdot[rotor_speed(mechanism, rotor)],
               ws.rotor_n, ws.rotor_f);
}

template <class S>
void solve_with_loop_rotors(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                            AccelerationSolver<S> solve) {
  const std::vector<LoopRotor<S>>& rotors = mechanism.loop_rotors;
  const int count = static_cast<int>(rotors.size());
  std::vector<Vec3<S>>&n = ws.wrench_n, &f = ws.wrench_f;
  // the applied wrenches are kept in the room of those of the rotors
  std::copy(n.begin(), n.end(), ws.rotor_n.begin());
  std::copy(f.begin(), f.end(), ws.rotor_f.begin());
  const auto apply_only = [&] {
    std::copy(ws.rotor_n.begin(), ws.rotor_n.end(), n.begin());
    std::copy(ws.rotor_f.begin(), ws.rotor_f.end(), f.begin());
  };
  const auto solve_and_read = [&](S* to) {
    solve(mechanism, ws);
    calc_loop_accelerations(mechanism, ws, ws.loop_vdot.data());
    for (int k = 0; k < count; ++k) to[k] = ws.loop_vdot[rotor_speed(mechanism, rotors[k])];
  };
  S* base = ws.rotor_base.data();
  S* column = base + count;
  solve_and_read(base);
  for (int r = 0; r < count; ++r) {
    apply_only();
    push_rotor(mechanism, ws, rotors[r], S(1), n, f);
    solve_and_read(column);
    for (int k = 0; k < count; ++k)
      ws.rotor_matrix[k * count + r] =
          (column[k] - base[k]) * rotors[r].inertia + S(k == r ? 1 : 0);
  }
  solve_rotor_matrix(ws.rotor_matrix.data(), base, count);
  apply_only();
  for (int k = 0; k < count; ++k)
    push_rotor(mechanism, ws, rotors[k], -rotors[k].inertia * base[k], n, f);
  solve(mechanism, ws);
  apply_only();
  fill_rotor_wrenches(mechanism, ws);
}

template <class S>
void add_loop_rotors(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, S* M, S* rhs) {
  if (mechanism.loop_rotors.empty()) return;
  if (rhs) {
    std::fill(ws.vdot.begin(), ws.vdot.end(), S(0));
    fill_accelerations(mechanism, ws);
    calc_loop_accelerations(mechanism, ws, ws.loop_vdot.data());
  }
  std::vector<S>& row = ws.rotor_row;
  const int nv = mechanism.nv;
  for (const LoopRotor<S>& rotor : mechanism.loop_rotors) {
    fill_rotor_row(mechanism, ws, rotor, row);
    for (int i = 0; i < nv; ++i) {
      const S share = rotor.inertia * row[i];
      for (int j = 0; j < nv; ++j) M[static_cast<std::size_t>(i) * nv + j] += share * row[j];
      if (rhs) rhs[i] -= share * ws.loop_vdot[rotor_speed(mechanism, rotor)];
    }
  }
}

#define CARTAN_INSTANTIATE(S)                                                       \
  template void fill_rotor_wrenches<S>(const Mechanism<S>&, MotionWorkspace<S>&);   \
  template void solve_with_loop_rotors<S>(const Mechanism<S>&, MotionWorkspace<S>&, \
                                          AccelerationSolver<S>);                   \
  template void add_loop_rotors<S>(const Mechanism<S>&, MotionWorkspace<S>&, S* M, S* rhs);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
