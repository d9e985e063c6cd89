// Normal forms of bifurcations of steady motions, from exact second and third derivatives, on the
// manifold of the constraints and up to symmetries.
//
// About a steady state x* the field h = f - sum_k c_k Y_k is expanded along its critical direction;
// speeds c + a along the symmetries may change with the amplitude, and what is held keeps its value
// (of oscillations: its mean). All equations are those of steady_problem.h at higher order.
//
// Hopf point, critical pair i w with A q = i w q, p^T A = i w p^T, p^T q = 1:
//   x = x* + z q + z' q' + W20 z^2 / 2 + W11 z z' + ..      (': conjugate)
//   (2 i w - B) W20 = D2 h(q, q)
//   B W11 - Y a = -D2 h(q, q'),     held: y'(W11) = -D2 y(q, q')
//   c1 = p^T (D3 h(q, q, q') + 2 D2 h(q, W11) + D2 h(q', W20) - 2 sum a_k DY_k q) / 2
//   dz/dt = (i w + l' dp) z + c1 |z|^2 z
// First Lyapunov coefficient: Re c1 / w with |q| = 1 (Kuznetsov, Elements of Applied Bifurcation
// Theory, 3rd ed., eq. 5.39); negative: supercritical.
//
// Fold and branch point: with the null vector (q, a) of the steady equations K and the left one
// psi, psi q = 1 on the rows of h, x = x* + s q + s^2 W / 2 + ..,
//   b = psi D2(q, q) / 2,     K W = -D2(q, q),     c = psi (D3(q, q, q) + 3 D2(q, W)) / 6
//   ds/dt = psi K_p dp + l' dp s + b s^2 + c s^3
// D2, D3 are those of (h, held), symmetries with the speeds a of each order included. A fold has
// psi K_p and b, a transcritical crossing l' and b, a pitchfork l' and c.
//
// `slope` is dp / de^2 (transcritical: dp / de) of the branch that is born, or of the fold itself,
// where e is the displacement along q with its largest number one; the same e as in
// orbit_continuation.h.
#pragma once

#include <complex>
#include <optional>
#include <string>

#include "analysis/continuation.h"
#include "analysis/expansions/field_expansion.h"

namespace cartan::analysis {

struct NormalForm {
  std::string kind;               // "hopf", "fold", "transcritical", "pitchfork", "period-doubling"
  std::string problem;            // why there are no coefficients: a sentence
  double coefficient = 0;         // l1, b, c: sizes belong to a critical vector of length one
  std::complex<double> cubic;     // of Hopf points: c1
  std::complex<double> crossing;  // l', change of the critical value by the parameter
  std::optional<double> slope;

  // "supercritical", "subcritical" or "": where nothing is decided.
  std::string criticality() const;
};

// Where a steady motion changes along a branch: its point, what is held there, its tangent.
struct SteadyPoint {
  const SteadyProblem& problem;
  State state;
  Eigen::VectorXd c;
  std::vector<Held> held;            // functions in the order of the curvature's list
  Eigen::VectorXd tangent;           // of (d, c, p); empty: no branch is known
  Eigen::VectorXd parameter_column;  // of the steady equations; empty: no parameter
  bool moves_system = false;         // the parameter is number 0 of the curvature's list
};

NormalForm calc_hopf_form(const SteadyPoint& point, std::complex<double> critical,
                          StateCurvature& curvature);
// `turns`: a fold, otherwise a branch point.
NormalForm calc_steady_form(const SteadyPoint& point, bool turns, StateCurvature& curvature);

}  // namespace cartan::analysis
