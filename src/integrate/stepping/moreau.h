// Moreau's time stepping for many contacts: no event is located, impulses and forces of contacts
// are one thing, found for all contacts of a step together (cone_problem.h).
//
//   v_free = v0 + h a(t + h/2, q0 (+) h/2 (v0 + v1)/2, (v0 + v1)/2)         all but contacts
//   v1 = v_free + sum W P                                                     theta = 1/2
// with rows J, u = J v, and W = M^-1 J^T in the middle of the free motion;
//   a contact that it would close within the step, g + h (u0 + u_free)/2 <= 0:
//     0 <= P_n, u1 + e u0 >= 0, complementary; |P_t| <= mu P_n against the sliding u1
//     (e = 0 where the flight that would follow is shorter than the step)
//   all others near: 0 <= P_n, g + h (u0 + u1)/2 >= 0, complementary; they have room left
//   q1 = q0 (+) (h (v0 + v1)/2 + sum W nu),  0 <= nu, g + J (h (v0 + v1)/2 + sum W nu) >= 0,
//     complementary: the least change, in the metric of the masses, after which nothing overlaps;
//     what curvature leaves is taken back once more at q1
//
// With theta = 1/2 a contact takes the energy -P . (u0 + u1)/2, and the correction of positions
// lifts nu . (J a): both count as work. Where contacts would gain together (a motion that turns
// round within the step), their laws ask for u1 + u0 instead of u1: no work, no gain. Order 1:
// instants of impacts are known to a step. Source: Moreau, Unilateral contact and dry friction in
// finite freedom dynamics (1988).
#pragma once

#include <memory>

#include "integrate/integrator.h"

namespace cartan::integrate {

inline constexpr double default_moreau_tolerance = 1e-6;  // of the largest impulse

std::unique_ptr<Integrator> make_moreau_integrator(const System& system,
                                                   const IntegratorOptions& options);
// "" or why not.
std::string refuse_moreau(const System& system);

}  // namespace cartan::integrate
