#include "analysis/fits/minimisation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/null_space.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr int most_iterations = 500;
constexpr double at_rest = 1e-11;  // of the accelerations, relative to those at the start
constexpr double longest = 0.5;    // step, largest tangent number
constexpr double flat = 1e-9;      // curvature that counts as none, relative

// Positions and speeds are the two halves of the tangent numbers.
struct Halves {
  int positions, speeds;
};

void halt(const SteadyProblem& problem, State& state) {
  std::fill(state.x.begin() + problem.system().kinematic_size(), state.x.begin() + problem.size(),
            0.0);
}

Vector acceleration(const SteadyProblem& problem, const State& state, const Halves& n) {
  return problem.to_tangent(state, problem.rate(state)).bottomRows(n.speeds);
}

// How V curves in the directions the constraints allow, in the metric of the masses.
struct Curvature {
  Matrix B;  // allowed directions
  Matrix P;  // columns: principal directions, in those of B
  Vector values;
  bool real = false;  // they are real numbers: the forces have a potential
  double size() const { return values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0; }
};

Curvature calc_curvature(const SteadyProblem& problem, const State& state, const Halves& n) {
  const Vector none = Vector::Zero(problem.symmetries().count());
  const Matrix D = problem.to_tangent(state, problem.residual_matrix(state, none));
  const Matrix C = problem.constraint_matrix(state);
  Curvature curvature;
  // rows y of the matrix, columns of the speeds
  curvature.B = null_space(C.bottomRightCorner(C.rows() / 2, n.speeds), 1e-9);
  if (curvature.B.cols() == 0) return curvature;
  const Matrix H =
      -(curvature.B.transpose() * D.bottomLeftCorner(n.speeds, n.positions) * curvature.B);
  if (!H.allFinite()) return curvature;
  const Eigen::EigenSolver<Matrix> solver(H);
  curvature.values = solver.eigenvalues().real();
  curvature.P = solver.pseudoEigenvectors();
  curvature.real = solver.eigenvalues().imag().cwiseAbs().maxCoeff() <=
                   1e-6 * std::max(1e-300, curvature.size());
  return curvature;
}

// Newton's step with curvatures made positive; the plain descent where they are not real.
Vector calc_step(const Curvature& curvature, const Vector& a) {
  const Vector r = curvature.B.transpose() * a;
  if (!curvature.real || !(curvature.size() > 0)) return curvature.B * r;
  Vector w = curvature.P.fullPivLu().solve(r);
  for (Eigen::Index i = 0; i < w.size(); ++i)
    w[i] /= std::max(std::fabs(curvature.values[i]), flat * curvature.size());
  const Vector d = curvature.B * (curvature.P * w);
  return d.allFinite() ? d : Vector(curvature.B * r);
}

// From a maximum or a saddle: down along the most negative curvature. Empty at a minimum.
Vector calc_escape(const Curvature& curvature) {
  Eigen::Index least;
  if (!curvature.real || curvature.values.size() == 0 ||
      curvature.values.minCoeff(&least) > -1e-8 * curvature.size())
    return {};
  return 0.01 * (curvature.B * curvature.P.col(least)).normalized();
}

}  // namespace

Minimum minimise_potential(const SteadyProblem& problem, const State& start,
                           const StateFunction& potential) {
  const System& system = problem.system();
  Workspace& workspace = problem.workspace();
  const int speeds = problem.size() - system.kinematic_size();
  const Halves n{problem.tangent() - speeds, speeds};
  Minimum result;
  result.state = start;
  if (n.positions != n.speeds) {
    result.problem = "only mechanisms have positions and a potential energy";
    return result;
  }
  halt(problem, result.state);
  const auto value = [&](const State& state) { return potential.value(state, workspace); };
  result.potential = value(result.state);
  double scale = 1;
  for (; result.iterations < most_iterations; ++result.iterations) {
    const Vector a = acceleration(problem, result.state, n);
    if (!a.allFinite() || !std::isfinite(result.potential)) {
      result.problem = "the forces at this position are not finite numbers";
      return result;
    }
    scale = std::max(scale, a.cwiseAbs().maxCoeff());
    const Curvature curvature = calc_curvature(problem, result.state, n);
    const bool still = a.cwiseAbs().maxCoeff() <= at_rest * scale;
    const Vector step = still ? calc_escape(curvature) : calc_step(curvature, a);
    if (step.size() == 0) break;
    Vector d = Vector::Zero(problem.tangent());
    d.head(n.positions) = step;
    d *= std::min(1.0, longest / d.cwiseAbs().maxCoeff());
    bool lower = false;
    for (int halved = 0; halved < 40 && !lower; ++halved, d *= 0.5) {
      State next = problem.moved(result.state, d);
      if (system.constrained() && !system.project(next, workspace).problem.empty()) continue;
      halt(problem, next);
      const double V = value(next);
      // near the end V no longer resolves what the accelerations still do
      lower =
          V < result.potential || (V <= result.potential + 1e-14 * std::fabs(result.potential) &&
                                   acceleration(problem, next, n).norm() < 0.9 * a.norm());
      if (!lower) continue;
      result.state = next;
      result.potential = V;
    }
    if (!lower) break;
  }
  result.found = acceleration(problem, result.state, n).cwiseAbs().maxCoeff() <= 1e-7 * scale;
  if (!result.found)
    result.problem = fmt::format(
        "the potential energy has no minimum near: after {} steps it is {:.9g} and still falls or "
        "forces that have no potential act",
        result.iterations, result.potential);
  return result;
}

}  // namespace cartan::analysis
