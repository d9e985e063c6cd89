// The normal form of a period doubling, from exact second and third derivatives of the flow.
//
// Derivatives of the flow along a curve x(e) = x + e a + e^2 b / 2 + e^3 c / 6 of starts obey
//   a' = Df a,   b' = Df b + D2 f(a, a),   c' = Df c + 3 D2 f(a, b) + D3 f(a, a, a)
// (one evaluation of f over Mixed numbers gives all). With M q = -q, p^T M = -p^T, p^T q = 1 of the
// transition matrix M over the period T, a curve is chosen that comes back to itself up to the
// third order, e -> -e + C e^3:
//   a = q,   (M - 1) h + d f = -b(T),   x(e) = x + e q + e^2 h / 2 + ..
//   C = p^T (c(T) - 3 d Df q) / 6
// where T + d e^2 / 2 is the time of return (driven: d = 0). C > 0 is supercritical: orbits of
// twice the period attract (Kuznetsov, Elements of Applied Bifurcation Theory, 3rd ed., eq. 5.64;
// |q| = 1).
#pragma once

#include "analysis/expansions/normal_forms.h"
#include "analysis/flow.h"

namespace cartan::analysis {

NormalForm calc_doubling_form(const System& system, const State& start, double period, bool driven,
                              StateCurvature& curvature, const FlowOptions& options);

}  // namespace cartan::analysis
