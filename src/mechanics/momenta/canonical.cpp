#include "mechanics/momenta/canonical.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/variable_states.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/tree_report.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

// Adds vectors (moment about the link's origin, force) of every link to those of its parent.
template <class S>
void sum_inward(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws,
                std::vector<Vec3<S>>& moment, std::vector<Vec3<S>>& force) {
  for (int i = static_cast<int>(mechanism.links.size()) - 1; i >= 0; --i) {
    const int parent = mechanism.links[i].parent;
    if (parent == world) continue;
    moment[parent] += moment[i] + cross(ws.links[i].r, force[i]);
    force[parent] += force[i];
  }
}

// Forces of joints that need no accelerations.
template <class S>
void leave_accelerations(const Mechanism<S>&, MotionWorkspace<S>&) {}

// Adds friction to ws.tau. Only loads of bearings depend on accelerations.
template <class S>
void add_friction(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  ws.failed = false;
  if (!mechanism.has_friction) return;
  solve_with_friction(
      mechanism, ws, mechanism.bearing_count > 0 ? solve_accelerations<S> : leave_accelerations<S>);
}

}  // namespace

template <class S>
CanonicalWorkspace<S> make_canonical_workspace(const Mechanism<S>& mechanism, double unit) {
  CanonicalWorkspace<S> w;
  w.unit = unit;
  w.motion = make_motion_workspace(mechanism);
  w.v.assign(mechanism.nv, S(0));
  w.still.assign(mechanism.nv, S(0));
  for (auto* vectors : {&w.L, &w.P, &w.N, &w.F}) vectors->resize(mechanism.links.size());
  return w;
}

double calc_momentum_unit(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws) {
  struct Composite {
    double mass = 0, polar = 0;  // polar: integral of the squared distance from the link's origin
    Vec3<double> mc;
  };
  std::vector<Composite> carried(mechanism.links.size());
  double largest = 0;
  for (int i = static_cast<int>(mechanism.links.size()) - 1; i >= 0; --i) {
    const Link<double>& link = mechanism.links[i];
    const LinkState<double>& x = ws.links[i];
    Composite& c = carried[i];
    c.mass += link.mass;
    c.polar += 0.5 * (link.J.xx + link.J.yy + link.J.zz);
    c.mc += x.R * link.mc;
    largest = std::max({largest, c.mass, c.polar});
    for (int j = link.v0; j < link.v0 + link.nv; ++j)
      largest = std::max(largest, mechanism.rotor[j]);
    if (link.parent == world) continue;
    Composite& p = carried[link.parent];
    p.mass += c.mass;
    p.polar += c.polar + 2 * dot(x.r, c.mc) + c.mass * norm2(x.r);
    p.mc += c.mc + c.mass * x.r;
  }
  return largest > 0 ? std::exp2(std::round(std::log2(largest))) : 1;
}

template <class S>
void solve_speeds(const Mechanism<S>& mechanism, const S& t, const S* q, const S* p,
                  CanonicalWorkspace<S>& w) {
  MotionWorkspace<S>& ws = w.motion;
  fill_kinematics<S>(mechanism, t, q, w.still.data(), ws);
  ws.gravity = {};
  for (Vec3<S>& n : ws.wrench_n) n = {};
  for (Vec3<S>& f : ws.wrench_f) f = {};
  for (int j = 0; j < mechanism.nv; ++j) ws.tau[j] = S(w.unit) * p[j];
  solve_accelerations(mechanism, ws);
  std::copy(ws.vdot.begin(), ws.vdot.end(), w.v.begin());
  std::fill(ws.tau.begin(), ws.tau.end(), S(0));
}

template <class S>
void fill_momenta(const Mechanism<S>& mechanism, CanonicalWorkspace<S>& w) {
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    const LinkState<S>& x = w.motion.links[i];
    const Vec3<S> mc = x.R * link.mc;
    w.L[i] = x.R * (link.J * transpose_times(x.R, x.w)) + cross(mc, x.u);
    w.P[i] = link.mass * x.u + cross(x.w, mc);
  }
  sum_inward(mechanism, w.motion, w.L, w.P);
}

template <class S>
void calc_joint_momenta(const Mechanism<S>& mechanism, const CanonicalWorkspace<S>& w, S* p) {
  const MotionWorkspace<S>& ws = w.motion;
  const S scale(1 / w.unit);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    const LinkState<S>& x = ws.links[i];
    for (int k = 0; k < link.nv; ++k) {
      const int j = link.v0 + k;
      const S v = ws.v[j];  // p may stand where v does
      if (link.motion == Motion::rotation1)
        p[j] = scale * dot(x.s, w.L[i]);
      else if (link.motion == Motion::rotation3)
        p[j] = scale * dot(x.R.c[k], w.L[i]);
      else
        p[j] = scale * (dot(ws.phi[j], w.L[i]) + dot(ws.psi[j], w.P[i]));
      if (link.geared) p[j] += scale * mechanism.rotor[j] * v;
    }
  }
}

template <class S>
void calc_momentum_rates(const Mechanism<S>& mechanism, CanonicalWorkspace<S>& w, S* rates) {
  const MotionWorkspace<S>& ws = w.motion;
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    w.N[i] = cross(ws.links[i].R * link.mc, ws.gravity);
    w.F[i] = link.mass * ws.gravity;
    if (mechanism.has_forces) {
      w.N[i] += ws.wrench_n[i];
      w.F[i] += ws.wrench_f[i];
    }
  }
  sum_inward(mechanism, ws, w.N, w.F);
  const S scale(1 / w.unit);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    const LinkState<S>& x = ws.links[i];
    const Vec3<S> moving = w.N[i] + cross(w.P[i], x.u);   // N^a - u x P
    const Vec3<S> turning = moving + cross(w.L[i], x.w);  // for columns fixed in the link
    for (int k = 0; k < link.nv; ++k) {
      const int j = link.v0 + k;
      S rate = mechanism.has_forces ? ws.tau[j] : S(0);
      if (link.motion == Motion::rotation1)
        rate += dot(x.s, turning);
      else if (link.motion == Motion::rotation3)
        rate += dot(x.R.c[k], turning);
      else
        rate += dot(ws.phi[j], moving) + dot(ws.psi[j], w.F[i]) + dot(ws.phi_rate[j], w.L[i]) +
                dot(ws.psi_rate[j], w.P[i]);
      rates[j] = scale * rate;
    }
  }
}

template <class S>
void calc_canonical_rates(const Mechanism<S>& mechanism, const S& t, const S* x, S* xdot,
                          CanonicalWorkspace<S>& w) {
  MotionWorkspace<S>& ws = w.motion;
  set_variables(mechanism, x + mechanism.nq + mechanism.nv, ws);
  solve_speeds(mechanism, t, x, x + mechanism.nq, w);
  fill_kinematics<S>(mechanism, t, x, w.v.data(), ws);
  fill_forces(mechanism, ws);
  add_friction(mechanism, ws);
  fill_momenta(mechanism, w);
  for (const Link<S>& link : mechanism.links)
    calc_coordinate_rates(link, x + link.q0, w.v.data() + link.v0, xdot + link.q0);
  S* rates = xdot + mechanism.nq;
  calc_momentum_rates(mechanism, w, rates);
  rates += mechanism.nv;
  calc_variable_rates(mechanism, ws, rates);
  if (mechanism.has_power) rates[mechanism.nz] = calc_nonconservative_power(mechanism, ws);
  if (ws.failed) xdot[0] = S(std::numeric_limits<double>::quiet_NaN());
}

#define CARTAN_INSTANTIATE(S)                                                                 \
  template CanonicalWorkspace<S> make_canonical_workspace<S>(const Mechanism<S>&, double);    \
  template void solve_speeds<S>(const Mechanism<S>&, const S&, const S*, const S*,            \
                                CanonicalWorkspace<S>&);                                      \
  template void fill_momenta<S>(const Mechanism<S>&, CanonicalWorkspace<S>&);                 \
  template void calc_joint_momenta<S>(const Mechanism<S>&, const CanonicalWorkspace<S>&, S*); \
  template void calc_momentum_rates<S>(const Mechanism<S>&, CanonicalWorkspace<S>&, S*);      \
  template void calc_canonical_rates<S>(const Mechanism<S>&, const S&, const S*, S*,          \
                                        CanonicalWorkspace<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
