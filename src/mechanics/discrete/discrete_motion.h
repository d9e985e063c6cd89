// The discrete Lagrangian of a mechanism, and the momenta and forces that belong to it, O(n).
//
// Link i is turned by R(W_i) (world axes) and its centre of mass c_i shifted while q0 goes to q1:
//   K_d = sum_i ( m_i |c_i1 - c_i0|^2 + U_i . J_i U_i ) / (2 h),     U_i = log(R_i0^T R_i1)
// J_i about the centre of mass, link axes. Its derivatives are momenta of the links in the world's
// axes that are the same at both ends of the step,
//   P_i = m_i (c_i1 - c_i0) / h,
//   L_i = R_i0 dexp^-1_{-U} (J_i U) / h = R_i1 dexp^-1_U (J_i U) / h
// so that what a free mechanism has of linear and angular momentum stays. Summed inward over the
// tree and taken along the motion columns S(q) of the joints they are the generalised momenta:
//   -D1 K_d = S(q0)^T (L, P) at c_0,    D2 K_d = S(q1)^T (L, P) at c_1
// Momenta and forces are kept link by link, (moment about the centre of mass, force), followed by
// what acts in the joints. Sums over a long chain are large and their rounding would shake the tip;
// differences link by link are small.
// Outward, with e_i the joint's own turn and s_i its shift (joint_displacement.h):
//   W_i = W_p exp(..e_i),   o_i1 - o_i0 = (o_p1 - o_p0) + (W_p - 1) r_i + W_p s_i
// Rows without a position (rolling, knife edges), whose wrench on link i is (n, f) about its
// origin:
//   gap = sum_i (n_0 + n_1)/2 . log W_i + (f_0 + f_1)/2 . (o_i1 - o_i0)
// which changes its sign when the ends are exchanged, as everything above does: order two.
#pragma once

#include <memory>

#include "mechanics/machine/mechanism.h"
#include "system/discrete_mechanics.h"

namespace cartan::mechanics {

// Of a mechanism in joint coordinates, or with all bodies free (Mechanism::absolute). Copies what
// it is given; the model must live on.
std::unique_ptr<DiscreteMechanics> make_discrete_motion(const Mechanism<double>& mechanism,
                                                        const Mechanism<Dual4>& dual_mechanism);

}  // namespace cartan::mechanics
