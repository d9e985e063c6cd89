#include "analysis/transition.h"

#include <algorithm>
#include <cmath>

#include "analysis/tangents.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double largest_condition = 100;  // of a factor, about
constexpr int sweeps = 24;                 // of the QR iteration
constexpr double similar = 10;             // sizes of eigenvalues that are solved together
constexpr double invariant = 1e-8;         // of subspaces that are solved apart

// Ratio of the largest to the smallest diagonal entry of R: a cheap, sure sign of a condition.
double estimate_condition(const MatrixXd& F) {
  if (F.cols() == 0) return 1;
  const Eigen::HouseholderQR<MatrixXd> qr(F);
  const VectorXd d = qr.matrixQR().diagonal().cwiseAbs();
  return d.maxCoeff() / d.minCoeff();
}

MatrixXd side_by_side(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd both(a.rows(), a.cols() + b.cols());
  both << a, b;
  return both;
}

}  // namespace

MatrixXd Transition::product() const {
  MatrixXd result = factors.front();
  for (std::size_t k = 1; k < factors.size(); ++k) result = factors[k] * result;
  return result;
}

Transition calc_transition(Flow& flow, const State& start, double t, const MatrixXd& from,
                           const MatrixXd& by_parameters) {
  Transition result;
  const System& system = flow.system();
  const int d = static_cast<int>(from.cols());
  MatrixXd columns, here = from, next;
  flow.start(start, side_by_side(from, by_parameters));
  const auto take_factor = [&] {
    next = allowed_directions(system, flow.state(), flow.workspace());
    if (next.cols() != d) {
      result.problem = "the constraints change their number along the motion";
      return false;
    }
    result.factors.push_back(next.transpose() * columns.leftCols(d));
    here = next;
    result.states.push_back(flow.state());
    result.bases.push_back(here);
    return true;
  };
  const auto split = [&] {
    columns = flow.columns();
    if (!columns.allFinite()) return false;
    if (estimate_condition(columns.leftCols(d)) < largest_condition) return true;
    // while a contact is closed there are fewer directions: the factor ends later
    if (allowed_directions(system, flow.state(), flow.workspace()).cols() != d) return true;
    if (!take_factor()) return false;
    flow.set_columns(side_by_side(here, columns.rightCols(columns.cols() - d)));
    return true;
  };
  const std::string problem = flow.advance(t, split);
  if (result.problem.empty()) result.problem = problem;
  if (result.problem.empty() && (flow.state().t != t || !columns.allFinite()))
    result.problem = "derivatives along the motion grow beyond all numbers";
  if (!result.problem.empty()) return result;
  columns = flow.columns();
  if (!take_factor()) return result;
  result.end = flow.state();
  result.end_directions = here;
  result.end_rate = tangent_rate(system, result.end, flow.workspace());
  result.by_parameters = columns.rightCols(columns.cols() - d);
  return result;
}

MatrixXd least_parameter_motion(const System& system, const State& state,
                                std::span<const int> which, Workspace& workspace) {
  MatrixXd motion = MatrixXd::Zero(tangent_numbers(system), static_cast<int>(which.size()));
  keep_allowed(system, state, which, motion, workspace);
  return motion;
}

// A Q0 = Qk (Rk ... R1). Repeated with Q0 = Qk, the columns of Q turn into the invariant subspaces
// of A in the order of their sizes, and Q0^T A Q0 = (Q0^T Qk) Rk ... R1 becomes block triangular:
// one block for each group of similar sizes. A block's product is formed with its scale apart.
std::vector<std::complex<double>> product_eigenvalues(const std::vector<MatrixXd>& factors) {
  const int n = static_cast<int>(factors.front().cols());
  MatrixXd Q = MatrixXd::Identity(n, n), start = Q;
  std::vector<MatrixXd> R(factors.size());
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    start = Q;
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const Eigen::HouseholderQR<MatrixXd> qr(factors[k] * Q);
      Q = qr.householderQ();
      R[k] = qr.matrixQR().triangularView<Eigen::Upper>();
    }
  }
  VectorXd size = VectorXd::Zero(n);  // logarithms
  for (const MatrixXd& r : R) size += r.diagonal().cwiseAbs().array().log().matrix();

  // A real gap between sizes leaves Q0^T Qk block diagonal to rounding. Where sizes are equal (no
  // losses) but positions and speeds have different scales, R may show gaps that are none.
  const MatrixXd turn = start.transpose() * Q;
  const auto separate = [&](int k) {
    return size[k] <= size[k - 1] - std::log(similar) &&
           turn.block(k, 0, n - k, k).norm() < invariant;
  };
  std::vector<std::complex<double>> result;
  for (int first = 0, last; first < n; first = last) {
    last = first + 1;
    while (last < n && !separate(last)) ++last;
    const int count = last - first;
    MatrixXd block = MatrixXd::Identity(count, count);
    double scale = 0;
    for (const MatrixXd& r : R) {
      block = r.block(first, first, count, count) * block;
      const double largest = block.cwiseAbs().maxCoeff();
      if (!(largest > 0)) break;
      block /= largest;
      scale += std::log(largest);
    }
    block = turn.block(first, first, count, count) * block;
    const Eigen::EigenSolver<MatrixXd> solver(block, false);
    for (int i = 0; i < count; ++i) result.push_back(std::exp(scale) * solver.eigenvalues()[i]);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return std::abs(a) > std::abs(b); });
  return result;
}

}  // namespace cartan::analysis
