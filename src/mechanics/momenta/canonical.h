// Canonical equations, O(n) (formulation `canonical`): state (q, p) with p = dT/dv, the momenta
// conjugate to the joint speeds v.
//
// Momenta. World axes; link i has the momentum P = m u + w x mc, L = J w + mc x u about its origin
// o (J, mc about o). The subtree outboard of joint i has the sums, about o_i:
//   P_i = own + sum over children P_c          L_i = own + sum (L_c + r_c x P_c)
// Column k of joint i moves all of that subtree as one rigid body by (phi_k, psi_k), so
//   p_k = dT/dv_k = phi_k . L_i + psi_k . P_i                                       (= (M v)_k)
//
// Speeds. M(q) v = p is solved by the articulated bodies of recursive.h in a mechanism at rest,
// without gravity and forces, whose joint forces are p: its accelerations are v.
//
// Rates. With F, N all forces on the subtree and their moment about o_i, Newton and Euler say
//   P_i' = F          L_i' = N - u_i x P_i          (o_i moves)
// F, N are gravity and the applied wrenches (N^a, F^a), summed inward like the momenta, and the
// wrench through joint i, of which phi_k . n + psi_k . f = tau_k is all that its columns see:
// reactions and the forces of joints further out drop out. Differentiating p_k:
//   p_k' = tau_k + phi_k . N^a + psi_k . F^a + phi_k' . L_i + (psi_k' + u_i x phi_k) . P_i
// Where a column is fixed in the link, phi' = w x phi and psi' = w x psi, this is
//   p_k' = tau_k + phi_k . (N^a + L x w + P x u) + psi_k . (F^a + P x w)
// which is the coadjoint term ad*_V (L, P) of spherical and free joints (free body: p' = p x w).
// No derivative of M or M^-1 is taken, and p' = M v' + M' v. A rotor adds I v_k to p_k and takes
// I v_k' from what its joint transmits: p_k' is the same.
//
// Units. Momenta of one mechanism differ in size as its inertias do: 4000 kg m^2 about the hinge of
// a chain, 0.3 about a rod. Rounding of the large ones is noise in the small ones, far above their
// own last digit, and an iteration that asks every number of the state to settle relative to max(1,
// |x|) would wait in vain. So the state holds p in a unit that fits the largest inertia, a power of
// two.
#pragma once

#include "mechanics/machine/motion_workspace.h"

namespace cartan::mechanics {

template <class S>
struct CanonicalWorkspace {
  MotionWorkspace<S> motion;
  double unit = 1;            // of the momenta in states
  std::vector<S> v, still;    // speeds that belong to p; zeros
  std::vector<Vec3<S>> L, P;  // fill_momenta: of the subtree, about the link's origin
  std::vector<Vec3<S>> N, F;  // calc_momentum_rates: applied to the subtree, likewise
};

template <class S>
CanonicalWorkspace<S> make_canonical_workspace(const Mechanism<S>& mechanism, double unit);

// The power of two nearest to the largest inertia a joint meets: mass, or polar moment about the
// link's origin, of what it carries; needs fill_kinematics.
double calc_momentum_unit(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws);

// All momenta below in w.unit.

// w.v with M(q) v = p.
template <class S>
void solve_speeds(const Mechanism<S>& mechanism, const S& t, const S* q, const S* p,
                  CanonicalWorkspace<S>& w);

// Momenta of the subtrees; needs fill_kinematics(w.motion).
template <class S>
void fill_momenta(const Mechanism<S>& mechanism, CanonicalWorkspace<S>& w);

// p = M v; needs fill_momenta.
template <class S>
void calc_joint_momenta(const Mechanism<S>& mechanism, const CanonicalWorkspace<S>& w, S* p);

// p'; needs fill_momenta and all forces, those of friction too.
template <class S>
void calc_momentum_rates(const Mechanism<S>& mechanism, CanonicalWorkspace<S>& w, S* rates);

// (q, p, z[, work])' at x = (q, p, z[, work]), z the [variables] beside the bodies.
template <class S>
void calc_canonical_rates(const Mechanism<S>& mechanism, const S& t, const S* x, S* xdot,
                          CanonicalWorkspace<S>& w);

}  // namespace cartan::mechanics
