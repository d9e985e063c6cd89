#include "analysis/orbit_branch.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/dense.h"

namespace cartan {
namespace {

using Complex = std::complex<double>;

// All but the `count` nearest to 1.
std::vector<Complex> without_neutral(std::vector<Complex> m, int count) {
  std::sort(m.begin(), m.end(), [](const Complex& a, const Complex& b) {
    return std::abs(a - 1.0) < std::abs(b - 1.0);
  });
  m.erase(m.begin(), m.begin() + std::min<std::ptrdiff_t>(count, std::ssize(m)));
  return m;
}

}  // namespace

const char* to_string(OrbitBifurcation kind) {
  switch (kind) {
    case OrbitBifurcation::fold:
      return "fold";
    case OrbitBifurcation::period_doubling:
      return "period doubling";
    case OrbitBifurcation::torus:
      return "torus";
  }
  return "";
}

// Multipliers come in conjugate pairs, so the products are real.
double orbit_test_function(OrbitBifurcation kind, const std::vector<Complex>& multipliers,
                           int neutral) {
  const std::vector<Complex> m = without_neutral(multipliers, neutral);
  Complex product = 1;
  for (std::size_t i = 0; i < m.size(); ++i) {
    if (kind == OrbitBifurcation::fold) product *= m[i] - 1.0;
    if (kind == OrbitBifurcation::period_doubling) product *= m[i] + 1.0;
    if (kind == OrbitBifurcation::torus)
      for (std::size_t j = i + 1; j < m.size(); ++j) product *= m[i] * m[j] - 1.0;
  }
  return product.real();
}

Orbit find_member(const OrbitFamily& family, double p, const ShootingPoint& guess) {
  const OrbitMember member = family.make(p);
  OrbitOptions options = family.options;
  options.problem.section = member.section.get();
  options.problem.parameters = {family.parameter};
  for (std::size_t k = 0; k < options.problem.holds.size() && k < member.holds.size(); ++k)
    options.problem.holds[k].first = member.holds[k].get();
  return find_orbit(*member.system, guess, options);
}

Eigen::VectorXd orbit_slope(const Orbit& orbit) {
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(orbit.equations.matrix);
  return -solver.solve(orbit.equations.by_parameters.col(0));
}

std::string predict_member(const System& system, const Orbit& orbit, double dp,
                           ShootingPoint& guess) {
  guess = orbit.point;
  return apply_shooting_step(system, orbit.equations, dp * orbit_slope(orbit), guess,
                             *system.make_workspace());
}

OrbitBifurcationPoint locate_orbit_bifurcation(const OrbitFamily& family, OrbitBifurcation kind,
                                               double p0, double p1, const Orbit& at) {
  OrbitBifurcationPoint result;
  result.kind = kind;
  const int neutral = at.neutral;
  struct End {
    double p, value;
    Orbit orbit;
  };
  const auto solve = [&](const End& from, double p) {
    End end{p, 0, {}};
    ShootingPoint guess;
    // constraints of the neighbour's system keep the guess consistent
    result.problem = predict_member(*family.make(p).system, from.orbit, p - from.p, guess);
    if (!result.problem.empty()) return end;
    end.orbit = find_member(family, p, guess);
    result.problem = end.orbit.problem;
    if (result.problem.empty())
      end.value = orbit_test_function(kind, end.orbit.multipliers, neutral);
    return end;
  };
  const auto nearest = [](const End& a, const End& b, double p) -> const End& {
    return std::fabs(a.p - p) < std::fabs(b.p - p) ? a : b;
  };
  ShootingPoint start = at.point;
  End left{p0, 0, find_member(family, p0, start)};
  result.problem = left.orbit.problem;
  if (!result.problem.empty()) return result;
  left.value = orbit_test_function(kind, left.orbit.multipliers, neutral);
  End right = solve(left, p1);
  if (result.problem.empty() && (left.value < 0) == (right.value < 0))
    result.problem =
        fmt::format("no {} between {:g} and {:g}: the test function goes from {:g} to {:g}",
                    to_string(kind), p0, p1, left.value, right.value);
  const double resolution = 1e-13 * std::max({std::fabs(p0), std::fabs(p1), 1e-3});
  for (int i = 0; i < 40 && result.problem.empty(); ++i) {
    if (std::fabs(right.p - left.p) <= resolution) break;
    End middle = solve(left, 0.5 * (left.p + right.p));
    if (!result.problem.empty() || middle.value == 0) {
      if (middle.value == 0) left = middle, right = std::move(middle);
      break;
    }
    // Ridders: the exponential factor that makes the three values a straight line
    const double root = std::sqrt(middle.value * middle.value - left.value * right.value);
    const double sign = left.value < right.value ? -1 : 1;
    const double p = middle.p + (middle.p - left.p) * sign * middle.value / root;
    End best = solve(nearest(left, middle, p), p);
    if (!result.problem.empty()) break;
    const double last_width = std::fabs(right.p - left.p);
    for (End* end : {&middle, &best}) {
      if (end->p <= std::min(left.p, right.p) || end->p >= std::max(left.p, right.p)) continue;
      ((end->value < 0) == (left.value < 0) ? left : right) = *end;
    }
    const double value = std::min(std::fabs(left.value), std::fabs(right.value));
    if (value < 1e-12 || std::fabs(right.p - left.p) == last_width) break;
  }
  const End& end = std::fabs(left.value) < std::fabs(right.value) ? left : right;
  result.parameter = end.p;
  result.width = std::fabs(right.p - left.p);
  result.orbit = end.orbit;
  return result;
}

}  // namespace cartan
