#include "analysis/linearisation.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "analysis/equilibrium.h"
#include "analysis/null_space.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Complex = std::complex<double>;

constexpr double symmetry_rank_tolerance = 1e-9;  // of constraints and symmetries
constexpr double neutral_tolerance = 1e-14;       // of the map between non-neutral directions ...
constexpr double noise_factor = 10;               // ... or of the rounding seen in what must vanish
constexpr double rounding = 4e-15;                // of eigenvalues, relative to the matrix
constexpr double real_tolerance = 1e-9;           // real parts below it, relative, count as zero

// Symmetries that stay on the manifold at a fixed time, in coordinates of T.
Matrix calc_tangent_symmetries(const SteadyProblem& problem, const State& state, const Matrix& C,
                               const Matrix& T) {
  const Matrix Y = problem.to_tangent(state, problem.generators(state));
  if (C.rows() == 0) return T.transpose() * Y;
  return T.transpose() * (Y * null_space(C * Y, symmetry_rank_tolerance, C.cwiseAbs().maxCoeff()));
}

// Splits what A annihilates off the block from `neutral` on, until nothing is left. How small is
// nothing: a little more than the rounding in A, so that an eigenvalue that passes through zero
// (a bifurcation) is not taken for a neutral direction before it is there.
void split_null_directions(Matrix& W, const Matrix& A, double noise, int& neutral) {
  const Eigen::Index n = A.rows();
  while (neutral < n) {
    const Matrix rest = W.rightCols(n - neutral);
    const Matrix block = rest.transpose() * A * rest;
    const double least = std::max(neutral_tolerance * block.norm(), noise_factor * noise);
    const Matrix null = null_space_below(block, std::max(least, 1e-17));
    if (null.cols() == 0) return;
    Matrix turned(n - neutral, n - neutral);
    turned.leftCols(null.cols()) = null;
    turned.rightCols(n - neutral - null.cols()) = complement(null);
    W.rightCols(n - neutral) = rest * turned;
    neutral += static_cast<int>(null.cols());
  }
}

// Eigenvectors of [[N, B], [0, R]] that belong to R's eigenvalue: (y, r), (N - lambda) y = -B r.
Eigen::VectorXcd complete_mode(const Matrix& blocks, int neutral, Complex lambda,
                               const Eigen::VectorXcd& r) {
  Eigen::VectorXcd mode = Eigen::VectorXcd::Zero(blocks.rows());
  mode.tail(r.size()) = r;
  if (neutral == 0) return mode;
  Eigen::MatrixXcd N = blocks.topLeftCorner(neutral, neutral).cast<Complex>();
  N.diagonal().array() -= lambda;
  const Eigen::FullPivLU<Eigen::MatrixXcd> lu(N);
  if (lu.rcond() < 1e-10) return mode;  // resonant with a symmetry: known only up to it
  mode.head(neutral) = lu.solve(-blocks.topRightCorner(neutral, r.size()).cast<Complex>() * r);
  return mode;
}

void normalise(Eigen::VectorXcd& mode) {
  Eigen::Index largest;
  if (mode.cwiseAbs().maxCoeff(&largest) > 0) mode /= Complex(mode[largest]);
}

void sort_modes(Linearisation& result) {
  std::vector<int> order(result.eigenvalues.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](int a, int b) {
    const Complex x = result.eigenvalues[a], y = result.eigenvalues[b];
    return x.real() != y.real() ? x.real() > y.real() : x.imag() > y.imag();
  };
  std::stable_sort(order.begin(), order.end(), before);
  const auto values = result.eigenvalues;
  const Eigen::MatrixXcd modes = result.modes;
  for (std::size_t k = 0; k < order.size(); ++k) {
    result.eigenvalues[k] = values[order[k]];
    result.modes.col(k) = modes.col(order[k]);
  }
}

void judge(Linearisation& result, const Eigen::VectorXcd& values) {
  const double size = values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0;
  const double most = values.size() > 0 ? values.real().maxCoeff() : 0;
  const double zero = real_tolerance * std::max(1.0, size);
  result.stable = most <= zero;
  result.asymptotic = values.size() > 0 && most < -zero;
}

// Real parts that are rounding become zero, so that undamped motions are sorted by frequency.
void clean(Eigen::VectorXcd& values, double size) {
  for (Complex& value : values)
    if (value.imag() != 0 && std::fabs(value.real()) < rounding * size) value.real(0);
}

void solve_eigenproblem(const NeutralSplit& split, Linearisation& result) {
  const Matrix &T = split.T, &blocks = split.A;
  const int neutral = split.neutral;
  const Eigen::Index n = blocks.rows(), rest = n - neutral;
  Eigen::EigenSolver<Matrix> solver;
  Eigen::VectorXcd values;
  if (rest > 0) {
    solver.compute(blocks.bottomRightCorner(rest, rest));
    values = solver.eigenvalues();
    clean(values, blocks.bottomRightCorner(rest, rest).norm());
  }
  result.eigenvalues.assign(neutral, Complex(0, 0));
  result.modes.resize(T.rows(), n);
  for (int k = 0; k < neutral; ++k) {
    Eigen::VectorXcd mode = T.col(k).cast<Complex>();
    normalise(mode);
    result.modes.col(k) = mode;
  }
  for (Eigen::Index k = 0; k < rest; ++k) {
    const Eigen::VectorXcd inner =
        complete_mode(blocks, neutral, values[k], solver.eigenvectors().col(k));
    Eigen::VectorXcd mode = T.cast<Complex>() * inner;
    normalise(mode);
    result.eigenvalues.push_back(values[k]);
    result.modes.col(neutral + k) = mode;
  }
  judge(result, values);
  sort_modes(result);
}

}  // namespace

double Linearisation::frequency(std::size_t k) const {
  return std::fabs(eigenvalues[k].imag()) / (2 * std::numbers::pi);
}

double Linearisation::damping(std::size_t k) const {
  const double size = std::abs(eigenvalues[k]);
  return size > 0 ? (0 - eigenvalues[k].real()) / size : 0;  // no minus zero
}

std::string refuse_steady(const System& system) {
  const MotionGeometry* geometry = system.geometry();
  if (!geometry)
    return "steady motions are found in joint coordinates and speeds; use the formulation "
           "recursive";
  if (system.space().tangent_size() == system.quadratures()) return "nothing in it can move";
  const std::string timed = geometry->time_dependence();
  if (timed.empty()) return "";
  return fmt::format(
      "{} depends on time, so that no state is steady; a periodic motion can be found by `orbit`",
      timed);
}

NeutralSplit split_neutral(const SteadyProblem& problem, const State& state, const Vector& c) {
  NeutralSplit split;
  const Matrix C = problem.constraint_matrix(state);
  const Matrix T = null_space(C, symmetry_rank_tolerance);
  const Matrix DT = problem.to_tangent(state, problem.residual_matrix(state, c)) * T;
  const Matrix A = T.transpose() * DT;
  if (!A.allFinite()) {
    split.T = T;
    split.A = A;
    return split;
  }
  // combinations of size one that move nothing here are none, whatever rounding leaves of them
  const Matrix G =
      column_space(calc_tangent_symmetries(problem, state, C, T), symmetry_rank_tolerance, 1.0);
  Matrix W(A.rows(), A.rows());
  W.leftCols(G.cols()) = G;
  W.rightCols(A.rows() - G.cols()) = complement(G);
  split.symmetric = split.neutral = static_cast<int>(G.cols());
  // A must map T into T and G into G; what it does besides is rounding
  const double noise = std::max((DT - T * A).norm(), (complement(G).transpose() * A * G).norm());
  split_null_directions(W, A, noise, split.neutral);
  split.T = T * W;
  split.A = W.transpose() * A * W;
  return split;
}

Linearisation linearise(const SteadyProblem& problem, const State& state) {
  Linearisation result;
  result.state = state;
  result.c = problem.explain(state);
  result.residual = problem.steadiness(state, result.c);
  if (!(result.residual < steady_tolerance)) {
    result.problem = fmt::format(
        "the state is not steady: {:.3g} % of its rate is no motion along a symmetry, where {:.1g} "
        "% would count as rounding; look for a steady state near it",
        100 * result.residual, 100 * steady_tolerance);
    return result;
  }
  result.state = polish(problem, state, result.c);
  const NeutralSplit split = split_neutral(problem, result.state, result.c);
  result.dimension = static_cast<int>(split.T.cols());
  if (!split.A.allFinite()) {
    result.problem = "the derivatives at this state are not finite";
    return result;
  }
  result.neutral = split.neutral;
  solve_eigenproblem(split, result);
  return result;
}

Linearisation linearise(const System& system, const State& state, Workspace& workspace) {
  Linearisation result;
  result.problem = refuse_steady(system);
  if (!result.problem.empty()) return result;
  const SteadyProblem problem(system, find_symmetries(system, state, workspace), workspace);
  return linearise(problem, state);
}

}  // namespace cartan::analysis
