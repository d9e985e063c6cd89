#include "analysis/tangents.h"

#include "core/dense.h"
#include "system/state_equations.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double dependent_share =
    1e-9;  // rows of constraints below this, of the largest, depend on others

// C = dc/dx E(x), in tangent numbers.
MatrixXd constraint_rows(const System& system, StateView at, Workspace& workspace) {
  MatrixXd C(system.constraint_count(), embedded_numbers(system));
  system.constraint_jacobian(at, C, workspace);
  return tangent_columns(system, at.x, C);
}

Eigen::ColPivHouseholderQR<MatrixXd> factor(const MatrixXd& matrix) {
  Eigen::ColPivHouseholderQR<MatrixXd> qr(matrix.rows(), matrix.cols());
  qr.setThreshold(dependent_share);
  qr.compute(matrix);
  return qr;
}

}  // namespace

int embedded_numbers(const System& system) {
  return system.space().size() - system.quadratures();
}

int tangent_numbers(const System& system) {
  return system.space().tangent_size() - system.quadratures();
}

StateSpace space_without_quadratures(const System& system) {
  StateSpace result;
  const std::vector<StateBlock>& blocks = system.space().blocks();
  for (const StateBlock& b : blocks) {
    const bool last = &b == &blocks.back();
    if (b.kind == StateBlock::Kind::quaternion)
      result.add_quaternion();
    else if (b.kind == StateBlock::Kind::pose)
      result.add_pose();
    else
      result.add_vector(b.size - (last ? system.quadratures() : 0));
  }
  return result;
}

MatrixXd tangent_map(const System& system, std::span<const double> x) {
  const StateSpace& space = system.space();
  const int n = embedded_numbers(system), m = tangent_numbers(system);
  if (n == m) return MatrixXd::Identity(n, n);
  MatrixXd E(n, m);
  std::vector<double> xi(space.tangent_size(), 0.0), rate(space.size(), 0.0);
  for (int j = 0; j < m; ++j) {
    xi[j] = 1;
    space.to_embedded(x, xi, rate);
    xi[j] = 0;
    E.col(j) = Eigen::Map<const VectorXd>(rate.data(), n);
  }
  return E;
}

MatrixXd tangent_columns(const System& system, std::span<const double> x,
                         const Eigen::Ref<const MatrixXd>& rows) {
  const StateSpace& space = system.space();
  const int numbers = static_cast<int>(rows.cols());
  MatrixXd result(rows.rows(), tangent_place(space, numbers));
  std::vector<double> xi(space.tangent_size(), 0.0), rate(space.size(), 0.0);
  for (const StateBlock& block : space.blocks()) {
    if (block.x >= numbers) break;
    if (block.kind == StateBlock::Kind::vector) {
      const int count = std::min(block.size, numbers - block.x);
      result.middleCols(block.tangent, count) = rows.middleCols(block.x, count);
      continue;
    }
    for (int j = block.tangent; j < block.tangent + block.size - 1; ++j) {
      xi[j] = 1;
      space.to_embedded(x, xi, rate);
      xi[j] = 0;
      result.col(j) = rows.middleCols(block.x, block.size) *
                      Eigen::Map<const VectorXd>(rate.data() + block.x, block.size);
    }
  }
  return result;
}

VectorXd tangent_rate(const System& system, StateView at, Workspace& workspace) {
  std::vector<double> rate(system.space().size()), xi(system.space().tangent_size());
  system.derivative(at, rate, workspace);
  system.space().to_tangent(at.x, rate, xi);
  return Eigen::Map<const VectorXd>(xi.data(), tangent_numbers(system));
}

MatrixXd allowed_directions(const System& system, StateView at, Workspace& workspace) {
  const int m = tangent_numbers(system);
  if (system.constraint_count() == 0) return MatrixXd::Identity(m, m);
  // C^T P = Q R: the columns of Q beyond the rank are orthogonal to all rows of C
  const auto qr = factor(constraint_rows(system, at, workspace).transpose());
  const MatrixXd Q = qr.householderQ();
  return Q.rightCols(m - qr.rank());
}

MatrixXd align_basis(const MatrixXd& B, MatrixXd& reference) {
  if (reference.rows() != B.rows() || reference.cols() != B.cols()) reference = B;
  if (B.cols() == 0) return B;
  const Eigen::JacobiSVD<MatrixXd> svd(B.transpose() * reference,
                                       Eigen::ComputeFullU | Eigen::ComputeFullV);
  const MatrixXd aligned = B * (svd.matrixU() * svd.matrixV().transpose());
  if (svd.singularValues().minCoeff() < 0.5) reference = aligned;
  return aligned;
}

void keep_allowed(const System& system, StateView at, std::span<const int> which, MatrixXd& columns,
                  Workspace& workspace) {
  const int rows = system.constraint_count(), last = static_cast<int>(which.size());
  if (rows == 0 || columns.cols() == 0) return;
  const MatrixXd C = constraint_rows(system, at, workspace);
  MatrixXd residual = C * columns;
  if (last > 0) {
    MatrixXd C_p(rows, last);
    system.constraint_parameter_jacobian(at, which, C_p, workspace);
    residual.rightCols(last) += C_p;
  }
  // least norm: C = P R^T Q^T from C^T P = Q R, d = -Q R^-T P^T residual on the independent rows
  const auto qr = factor(C.transpose());
  const int rank = static_cast<int>(qr.rank());
  const MatrixXd chosen = (qr.colsPermutation().transpose() * residual).topRows(rank);
  const MatrixXd R = qr.matrixR().topLeftCorner(rank, rank);
  const MatrixXd y = R.triangularView<Eigen::Upper>().transpose().solve(chosen);
  const MatrixXd Q = qr.householderQ();
  columns -= Q.leftCols(rank) * y;
}

void displace(const System& system, const VectorXd& d, State& state) {
  std::vector<double> whole(system.space().tangent_size(), 0.0);
  std::copy(d.begin(), d.end(), whole.begin());
  const std::vector<double> x = state.x;
  system.space().plus(x, whole, state.x);
  system.space().normalise(state.x);
}

VectorXd difference(const System& system, std::span<const double> x1, std::span<const double> x0) {
  std::vector<double> d(system.space().tangent_size());
  system.space().minus(x1, x0, d);
  return Eigen::Map<const VectorXd>(d.data(), tangent_numbers(system));
}

MatrixXd difference_rate(const System& system, const VectorXd& d, const MatrixXd& columns) {
  const StateSpace& space = system.space();
  std::vector<double> at(space.tangent_size(), 0.0), xi = at, rate = at;
  std::copy(d.begin(), d.end(), at.begin());
  MatrixXd result(columns.rows(), columns.cols());
  for (int j = 0; j < columns.cols(); ++j) {
    std::copy(columns.col(j).begin(), columns.col(j).end(), xi.begin());
    space.displacement_rate(at, xi, rate);
    result.col(j) = Eigen::Map<const VectorXd>(rate.data(), columns.rows());
  }
  return result;
}

}  // namespace cartan::analysis
