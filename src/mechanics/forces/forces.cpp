#include "mechanics/forces/forces.h"

#include "core/mixed.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/force_laws.h"
#include "mechanics/machine/single_laws.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {

template <class S>
S calc_kinetic_energy(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws) {
  S sum(0);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const LinkState<S>& x = ws.links[i];
    const LinkBody<S>& body = mechanism.bodies[i];
    const Vec3<S> v = x.u + cross(x.w, x.R * body.com_L);
    const Vec3<S> w = transpose_times(x.R, x.w);
    sum += mechanism.links[i].mass * norm2(v) + dot(w, body.J_com_L * w);
  }
  for (const Link<S>& link : mechanism.links)
    if (link.geared)
      for (int j = link.v0; j < link.v0 + link.nv; ++j) sum += mechanism.rotor[j] * square(ws.v[j]);
  for (const LoopRotor<S>& rotor : mechanism.loop_rotors)
    sum +=
        rotor.inertia * square(ws.loop_v[mechanism.loops[rotor.loop].shape.v0 + rotor.component]);
  return S(0.5) * sum;
}

template <class S>
S calc_gravity_potential(const Mechanism<S>& mechanism, const MotionWorkspace<S>& ws) {
  S sum(0);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const LinkState<S>& x = ws.links[i];
    sum -= mechanism.links[i].mass * dot(ws.gravity, x.o + x.R * mechanism.bodies[i].com_L);
  }
  return sum;
}

template <class S>
S calc_potential_energy(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  S sum = calc_gravity_potential(mechanism, ws);
  for (const ForceElement<S>& element : mechanism.forces)
    sum += std::visit([&](const auto& e) { return e.potential(mechanism, ws); }, element);
  return sum;
}

template <class S>
void fill_forces(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!mechanism.has_forces) return;
  for (Vec3<S>& n : ws.wrench_n) n = {};
  for (Vec3<S>& f : ws.wrench_f) f = {};
  for (S& tau : ws.tau) tau = S(0);
  for (S& tau : ws.loop_tau) tau = S(0);
  if (mechanism.needs_energy) {
    ws.kinetic = calc_kinetic_energy(mechanism, ws);
    ws.potential = calc_potential_energy(mechanism, ws);
  }
  for (std::size_t k = 0; k < mechanism.forces.size(); ++k)
    ws.force_energy[k] =
        std::visit([&](const auto& e) { return e.apply(mechanism, ws); }, mechanism.forces[k]);
  if (mechanism.loops_act) apply_loop_forces(mechanism, ws);
}

template <class S>
void apply_force(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, int k) {
  if (std::holds_alternative<Friction<S>>(mechanism.forces[k]))
    return apply_friction(mechanism, ws, k);
  ws.force_energy[k] =
      std::visit([&](const auto& e) { return e.apply(mechanism, ws); }, mechanism.forces[k]);
}
template void apply_force<Dual4>(const Mechanism<Dual4>&, MotionWorkspace<Dual4>&, int);

#define CARTAN_INSTANTIATE(S)                                                           \
  template void fill_forces<S>(const Mechanism<S>&, MotionWorkspace<S>&);               \
  template S calc_kinetic_energy<S>(const Mechanism<S>&, const MotionWorkspace<S>&);    \
  template S calc_gravity_potential<S>(const Mechanism<S>&, const MotionWorkspace<S>&); \
  template S calc_potential_energy<S>(const Mechanism<S>&, MotionWorkspace<S>&);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
