#include "analysis/design/second_order.h"

#include <algorithm>
#include <cmath>

#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double around = 1e-3;  // distance of the differences, in units of the sizes

// Active conditions and bounds, in units of the sizes.
MatrixXd active_rows(const DesignProblem& problem, const DesignResult& at) {
  std::vector<VectorXd> rows;
  const double largest = at.multipliers.size() > 0 ? at.multipliers.cwiseAbs().maxCoeff() : 0.0;
  for (int i = 0; i < at.point.constraints.size(); ++i) {
    const bool held =
        i < problem.equalities || (at.point.constraints(i) > -1e-7 && i < at.multipliers.size() &&
                                   at.multipliers(i) > 1e-6 * largest && at.multipliers(i) > 0);
    if (held) rows.push_back(at.point.slopes.row(i).transpose());
  }
  for (const int j : at.at_bound) rows.push_back(VectorXd::Unit(at.theta.size(), j));
  MatrixXd A(rows.size(), at.theta.size());
  for (std::size_t r = 0; r < rows.size(); ++r) A.row(static_cast<int>(r)) = rows[r].transpose();
  return A;
}

// The gradient of the Lagrangian in units of the sizes; false: there is none.
bool slope_at(const DesignProblem& problem, const DesignResult& at, const VectorXd& theta,
              VectorXd& slope) {
  DesignPoint point;
  if (!problem.evaluate(theta, true, point).empty()) return false;
  slope = point.gradient;
  for (int i = 0; i < point.constraints.size() && i < at.multipliers.size(); ++i)
    slope += at.multipliers(i) * point.slopes.row(i).transpose();
  slope = slope.cwiseProduct(problem.size);
  return slope.allFinite();
}

double violation_of(const DesignProblem& problem, const DesignPoint& point) {
  double sum = 0;
  for (int i = 0; i < point.constraints.size(); ++i)
    sum += i < problem.equalities ? std::fabs(point.constraints(i))
                                  : std::max(0.0, point.constraints(i));
  return sum;
}

}  // namespace

OpenCurvature find_open_curvature(const DesignProblem& problem, const DesignResult& at) {
  OpenCurvature result;
  const int n = static_cast<int>(at.theta.size());
  const MatrixXd A = active_rows(problem, at);
  MatrixXd Z = MatrixXd::Identity(n, n);
  if (A.rows() > 0) {
    const Eigen::ColPivHouseholderQR<MatrixXd> qr(A.transpose());
    const int rank = static_cast<int>(qr.rank());
    Z = MatrixXd(qr.householderQ()).rightCols(n - rank);
  }
  result.verdict = "minimum";
  if (Z.cols() == 0) return result;
  // curvature along the columns of Z alone: bounds that are active are not left
  MatrixXd R(Z.cols(), Z.cols());
  for (int k = 0; k < Z.cols(); ++k) {
    const VectorXd step = around * Z.col(k).cwiseProduct(problem.size);
    const auto within = [&](const VectorXd& theta) {
      return (theta.array() >= problem.lower.array()).all() &&
             (theta.array() <= problem.upper.array()).all();
    };
    VectorXd up = at.theta + step, down = at.theta - step, above, below;
    double width = 2 * around;
    if (!within(up)) up = at.theta, width -= around;
    if (!within(down)) down = at.theta, width -= around;
    result.evaluations += 2;
    if (width == 0 || !slope_at(problem, at, up, above) || !slope_at(problem, at, down, below)) {
      result.verdict = "unknown";
      return result;
    }
    R.col(k) = Z.transpose() * (above - below) / width;
  }
  R = 0.5 * (R + R.transpose()).eval();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(R);
  const VectorXd values = eigen.eigenvalues();
  const double size = std::max(values.cwiseAbs().maxCoeff(), 1e-12 * std::fabs(at.point.objective));
  if (values(0) < -1e-3 * size) {
    result.verdict = "saddle";
    result.direction = Z * eigen.eigenvectors().col(0);
  } else if (!(values(0) > 1e-6 * size)) {
    result.verdict = "flat";
  }
  return result;
}

bool leave_saddle(const DesignProblem& problem, const DesignResult& at,
                  const OpenCurvature& curvature, VectorXd& start, int& evaluations) {
  const double allowed = violation_of(problem, at.point);
  for (double part = 0.2; part > 1e-4; part /= 2) {
    double best = at.point.objective;
    bool found = false;
    for (const double sign : {1.0, -1.0}) {
      VectorXd theta = at.theta + sign * part * curvature.direction.cwiseProduct(problem.size);
      theta = theta.cwiseMax(problem.lower).cwiseMin(problem.upper);
      DesignPoint point;
      ++evaluations;
      if (!problem.evaluate(theta, false, point).empty()) continue;
      // conditions bend away with the square of the step
      if (!(point.objective < best) || violation_of(problem, point) > allowed + 10 * part * part)
        continue;
      best = point.objective;
      start = theta;
      found = true;
    }
    if (found) return true;
  }
  return false;
}

}  // namespace cartan::analysis
