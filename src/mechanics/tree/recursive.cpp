#include "mechanics/tree/recursive.h"

#include <array>
#include <cmath>

#include "core/mixed.h"
#include "mechanics/constraints/closed_recursion.h"
#include "mechanics/constraints/loop_rotors.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/articulated_body.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {

using namespace articulated;

template <class S>
void solve_accelerations(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws) {
  if (!mechanism.rows.empty()) return solve_closed(mechanism, ws);
  const int n = static_cast<int>(mechanism.links.size());
  for (int i = n - 1; i >= 0; --i) eliminate_from_tip(mechanism, ws, i);
  for (int i = 0; i < n; ++i) accelerate(mechanism, ws, i);
}

template <class S>
void calc_inverse_dynamics(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws,
                           std::span<S> tau) {
  fill_accelerations(mechanism, ws);
  fill_reactions(mechanism, ws);
  for (std::size_t i = 0; i < mechanism.links.size(); ++i) {
    const Link<S>& link = mechanism.links[i];
    for (int k = 0; k < link.nv; ++k)
      tau[link.v0 + k] = joint_force_component(mechanism, ws, static_cast<int>(i), k) +
                         mechanism.rotor[link.v0 + k] * ws.vdot[link.v0 + k];
  }
}

template <class S>
void calc_mass_matrix(const Mechanism<S>& mechanism, MotionWorkspace<S>& ws, std::span<S> M) {
  fill_columns(mechanism, ws);
  const int n = static_cast<int>(mechanism.links.size()), nv = mechanism.nv;
  for (S& entry : M) entry = S(0);
  // composite bodies: A = inertia about o, f = mass times centre of mass, D.xx = mass
  for (int i = 0; i < n; ++i) {
    const Link<S>& link = mechanism.links[i];
    LinkState<S>& x = ws.links[i];
    x.A = link.principal ? rotate_principal(x.R, link.J) : rotate(x.R, link.J);
    x.f = x.R * link.mc;
    x.D.xx = link.mass;
  }
  for (int i = n - 1; i >= 0; --i) {
    const Link<S>& link = mechanism.links[i];
    const LinkState<S>& x = ws.links[i];
    for (int k = 0; k < link.nv; ++k) {
      const int column = link.v0 + k;
      const Vec3<S>&phi = ws.phi[column], &psi = ws.psi[column];
      Vec3<S> n_at = x.A * phi + cross(x.f, psi);
      const Vec3<S> f = x.D.xx * psi + cross(phi, x.f);
      for (int j = i; j != world; j = mechanism.links[j].parent) {
        const Link<S>& ancestor = mechanism.links[j];
        for (int l = 0; l < ancestor.nv; ++l) {
          const int r = ancestor.v0 + l;
          const S value = dot(ws.phi[r], n_at) + dot(ws.psi[r], f);
          M[static_cast<std::size_t>(r) * nv + column] = value;
          M[static_cast<std::size_t>(column) * nv + r] = value;
        }
        n_at += cross(ws.links[j].r, f);
      }
    }
    if (link.parent == world) continue;
    // J' = J + (r.c + c.r) 1 - r c^T - c r^T + m (r.r 1 - r r^T), c the first moment about o
    LinkState<S>& p = ws.links[link.parent];
    const S rc = S(2) * dot(x.r, x.f);
    Sym3<S> shift = x.D.xx * minus_hat_squared(x.r);
    shift += Sym3<S>{rc - S(2) * x.r.x * x.f.x,        rc - S(2) * x.r.y * x.f.y,
                     rc - S(2) * x.r.z * x.f.z,        -(x.r.x * x.f.y + x.r.y * x.f.x),
                     -(x.r.x * x.f.z + x.r.z * x.f.x), -(x.r.y * x.f.z + x.r.z * x.f.y)};
    p.A += x.A + shift;
    p.f += x.f + x.D.xx * x.r;
    p.D.xx += x.D.xx;
  }
  for (int j = 0; j < nv; ++j) M[static_cast<std::size_t>(j) * nv + j] += mechanism.rotor[j];
  add_loop_rotors<S>(mechanism, ws, M.data(), nullptr);
}

// M = S^T I S with the inertia I of x. Scaled by the sizes of the columns and of I its diagonal is
// at most one, and the pivots of its Cholesky factorisation are well above rounding unless some
// motion meets no inertia.
static bool sees_inertia(const Link<double>& link, const double* rotor,
                         const MotionWorkspace<double>& ws, const LinkState<double>& x) {
  const double turn = x.A.xx + x.A.yy + x.A.zz, slide = x.D.xx + x.D.yy + x.D.zz;
  std::array<std::array<double, 6>, 6> M{};
  std::array<double, 6> scale{};
  for (int k = 0; k < link.nv; ++k) {
    const Vec3<double>&phi = ws.phi[link.v0 + k], &psi = ws.psi[link.v0 + k];
    const double size = norm2(phi) * turn + norm2(psi) * slide + rotor[k];
    if (!(size > 0)) return false;
    scale[k] = 1 / std::sqrt(size);
  }
  for (int k = 0; k < link.nv; ++k) {
    const Vec3<double>&phi = ws.phi[link.v0 + k], &psi = ws.psi[link.v0 + k];
    const Vec3<double> n = x.A * phi + x.B * psi, f = transposed(x.B, phi) + x.D * psi;
    for (int l = k; l < link.nv; ++l)
      M[l][k] = scale[k] * scale[l] * (dot(ws.phi[link.v0 + l], n) + dot(ws.psi[link.v0 + l], f));
    M[k][k] += scale[k] * scale[k] * rotor[k];
  }
  for (int k = 0; k < link.nv; ++k) {
    for (int j = 0; j < k; ++j)
      for (int l = k; l < link.nv; ++l) M[l][k] -= M[l][j] * M[k][j];
    if (!(M[k][k] > 1e-12)) return false;
    const double pivot = std::sqrt(M[k][k]);
    for (int l = k; l < link.nv; ++l) M[l][k] /= pivot;
  }
  return true;
}

// The joint sees the articulated body outside it, which is the link's own body and more that is not
// negative. The own body is looked at first: across a long chain the whole is so much larger that
// what a hinge sees of it would pass for rounding.
static bool sees_inertia(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                         int i) {
  const Link<double>& link = mechanism.links[i];
  LinkState<double> own = ws.links[i];
  own.A = rotate(own.R, link.J);
  own.B = hat(own.R * link.mc);
  own.D = Sym3<double>::diagonal(link.mass, link.mass, link.mass);
  const double* rotor = mechanism.rotor.data() + link.v0;
  return sees_inertia(link, rotor, ws, own) || sees_inertia(link, rotor, ws, ws.links[i]);
}

int find_joint_without_inertia(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  fill_columns(mechanism, ws);
  const int n = static_cast<int>(mechanism.links.size());
  ws.any_locked = false;
  for (int i = n - 1; i >= 0; --i) {
    if (mechanism.links[i].leaf) start_link(mechanism, ws, i);
    if (!mechanism.links[i].driven && !sees_inertia(mechanism, ws, i))
      return mechanism.bodies[i].joint;
    if (mechanism.links[i].last_child) start_link(mechanism, ws, mechanism.links[i].parent);
    eliminate(mechanism, ws, i);
  }
  return -1;
}

#define CARTAN_INSTANTIATE(S)                                                                     \
  template void solve_accelerations<S>(const Mechanism<S>&, MotionWorkspace<S>&);                 \
  template void calc_inverse_dynamics<S>(const Mechanism<S>&, MotionWorkspace<S>&, std::span<S>); \
  template void calc_mass_matrix<S>(const Mechanism<S>&, MotionWorkspace<S>&, std::span<S>);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
