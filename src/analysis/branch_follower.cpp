#include "analysis/branch_follower.h"

#include <cmath>

#include <fmt/format.h>

#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Equations = ContinuationProblem::Equations;

constexpr double branch_rank_tolerance = 1e-10;
constexpr int most_corrections = 12;

MatrixXd scaled(const Equations& at) {
  return at.matrix * at.weights.cwiseInverse().asDiagonal();
}

// (A W^-1; row) with one more row.
MatrixXd bordered(const MatrixXd& A, const VectorXd& row) {
  MatrixXd B(A.rows() + 1, A.cols());
  B << A, row.transpose();
  return B;
}

VectorXd solve_least(const MatrixXd& A, const VectorXd& right) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver(A.rows(), A.cols());
  solver.setThreshold(branch_rank_tolerance);
  solver.compute(A);
  return solver.solve(right);
}

// Of the vectors A annihilates the one with the largest part along the parameter; empty where A
// annihilates none.
VectorXd first_tangent(const MatrixXd& A) {
  const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
  const VectorXd& s = svd.singularValues();
  const Eigen::Index n = A.cols();
  if (s.size() == n && s[n - 1] > 1e-6 * s[0]) return {};
  Eigen::Index rank = 0;
  while (rank < s.size() && rank < n - 1 && s[rank] > 1e-9 * s[0]) ++rank;
  const MatrixXd null = svd.matrixV().rightCols(n - rank);
  const VectorXd t = null * null.row(n - 1).transpose();
  return t.norm() > 1e-9 ? VectorXd(t.normalized()) : VectorXd(svd.matrixV().col(n - 1));
}

}  // namespace

double weighted_dot(const VectorXd& a, const VectorXd& b, const VectorXd& weights) {
  return a.cwiseProduct(weights).dot(b.cwiseProduct(weights));
}

int BranchFollower::correct(ContinuationPoint& point, const VectorXd* row, Equations& at) {
  trouble.clear();
  double last = 0;
  for (int iteration = 0; iteration <= most_corrections; ++iteration) {
    at = problem_.linearise(point);
    trouble = at.problem;
    if (!trouble.empty()) return -1;
    if (!at.residual.allFinite() || !at.matrix.allFinite()) {
      trouble = "the equations have no finite value";
      return -1;
    }
    const double size = at.residual.lpNorm<Eigen::Infinity>();
    if (size <= options_.tolerance * at.size) return iteration;
    if (iteration > 0 && size > 0.5 * last) {  // rounding stops it, or it does not converge
      if (size <= 100 * options_.tolerance * at.size) return iteration;
      if (iteration > 3) break;
    }
    last = size;
    const Eigen::Index n = at.matrix.cols();
    const VectorXd border =
        row ? VectorXd(row->cwiseProduct(at.weights)) : VectorXd(VectorXd::Unit(n, n - 1));
    VectorXd right(at.residual.size() + 1);
    right << -at.residual, 0.0;
    VectorXd step = solve_least(bordered(scaled(at), border), right);
    if (!row) step[n - 1] = 0;  // not even by rounding
    if (!step.allFinite()) break;
    trouble = problem_.move(step.cwiseQuotient(at.weights), point);
    if (!trouble.empty()) return -1;
  }
  trouble = fmt::format("Newton's method does not converge (the residual is {:.2g})", last);
  return -1;
}

std::optional<BranchSample> BranchFollower::sample(ContinuationPoint point, const Equations& at,
                                                   const VectorXd* before, double arc) {
  BranchSample s;
  s.matrix = scaled(at);
  s.weights = at.weights;
  VectorXd t;
  if (before) {
    const VectorXd border = before->cwiseProduct(at.weights);
    t = solve_least(bordered(s.matrix, border.normalized()),
                    VectorXd::Unit(s.matrix.rows() + 1, s.matrix.rows()));
  } else {
    t = first_tangent(s.matrix);
    if (t.size() == 0) {
      trouble =
          "the solution at the start stands alone: the parameter is not free (an expression "
          "must be a quantity that members of a family differ in, of orbits a conserved one)";
      return std::nullopt;
    }
    if (t[t.size() - 1] * (options_.to - options_.from) < 0) t = -t;
  }
  s.tangent = t.normalized().cwiseQuotient(at.weights);
  s.spectrum = problem_.calc_spectrum(point);
  trouble = s.spectrum.problem;
  if (!trouble.empty()) return std::nullopt;
  s.point = std::move(point);
  s.stable = s.spectrum.unstable() == 0;
  s.arc = arc;
  return s;
}

std::optional<BranchSample> BranchFollower::advance(const BranchSample& from, double s,
                                                    int& iterations) {
  ContinuationPoint point = from.point;
  trouble = problem_.move(s * from.tangent, point);
  if (!trouble.empty()) return std::nullopt;
  Equations at;
  iterations = correct(point, &from.tangent, at);
  if (iterations < 0) return std::nullopt;
  return sample(std::move(point), at, &from.tangent, from.arc + s);
}

}  // namespace cartan::analysis
