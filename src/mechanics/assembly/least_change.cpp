#include "mechanics/assembly/least_change.h"

#include "core/dense.h"
#include "mechanics/constraints/constraint_rows.h"

namespace cartan::mechanics {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rows_meet = 1e-9;  // rows this close to the others depend on them

// Columns of N that have entries in the same places.
struct FreeChanges {
  std::vector<int> places;
  MatrixXd columns;  // places x changes
};

// With d = L^-T z: the shortest z with (J L^-T) z = rhs, and d for all z that it leaves free, where
// somebody wants them.
VectorXd solve_block(const MatrixXd& metric, const MatrixXd& J, const VectorXd& rhs,
                     MatrixXd* free) {
  const Eigen::LLT<MatrixXd> factor(metric);
  MatrixXd W = factor.matrixL().solve(J.transpose()).transpose();
  const VectorXd scale = W.rowwise().norm().cwiseInverse();
  W = scale.asDiagonal() * W;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(rows_meet);
  solver.compute(W);
  // W = Q [T 0; 0 0] Z P^T: the last rows of Z P^T span what W does not see
  if (free && solver.rank() < W.cols())
    *free = factor.matrixU().solve((solver.colsPermutation() * solver.matrixZ().transpose())
                                       .rightCols(W.cols() - solver.rank())
                                       .eval());
  return factor.matrixU().solve(solver.solve(VectorXd(scale.cwiseProduct(rhs))));
}

// z with N^T M (d + N z) = 0, added to d.
void add_free_changes(const Metric& metric, const std::vector<FreeChanges>& free, VectorXd& d) {
  Eigen::Index count = 0;
  std::vector<Eigen::Index> start;
  for (const FreeChanges& f : free) {
    start.push_back(count);
    count += f.columns.cols();
  }
  if (count == 0) return;
  // N^T y
  const auto project = [&](const VectorXd& y) {
    VectorXd projected(count);
    for (std::size_t a = 0; a < free.size(); ++a)
      projected.segment(start[a], free[a].columns.cols()) =
          free[a].columns.transpose() * y(free[a].places);
    return projected;
  };
  MatrixXd K(count, count);
  VectorXd change = VectorXd::Zero(d.size());
  for (std::size_t a = 0; a < free.size(); ++a) {
    for (Eigen::Index k = 0; k < free[a].columns.cols(); ++k) {
      change(free[a].places) = free[a].columns.col(k);
      K.col(start[a] + k) = project(metric.times(change));
    }
    change(free[a].places).setZero();
  }
  const VectorXd z = Eigen::LLT<MatrixXd>(K).solve(VectorXd(-project(metric.times(d))));
  for (std::size_t a = 0; a < free.size(); ++a)
    d(free[a].places) += free[a].columns * z.segment(start[a], free[a].columns.cols());
}

// d of the blocks, what each of them leaves free, and the speeds that none of them meets.
struct BlockChange {
  VectorXd d;
  std::vector<FreeChanges> free;
  std::vector<int> others;
  std::size_t blocks = 0;
};

BlockChange solve_blocks(const Metric& metric, const ChangeEquations& equations,
                         const VectorXd& rhs, bool wants_free) {
  BlockChange result{VectorXd::Zero(metric.size()), {}, {}};
  SparseMatrix J = equations.J;
  for (Eigen::Index r = 0; r < J.rows() && J.cols() > 0; ++r)
    if (!(J.row(r).norm() > cancelled * equations.sizes[r]))
      for (SparseMatrix::InnerIterator entry(J, r); entry; ++entry) entry.valueRef() = 0;
  std::vector<char> met(result.d.size(), 0);
  const std::vector<RowBlock> blocks = find_row_blocks(J);
  for (const RowBlock& block : blocks) {
    FreeChanges left{block.columns, {}};
    result.d(block.columns) = solve_block(metric.part(block.columns), block.part_of(J),
                                          rhs(block.rows), wants_free ? &left.columns : nullptr);
    for (const int j : block.columns) met[j] = 1;
    if (left.columns.cols() > 0) result.free.push_back(std::move(left));
  }
  result.blocks = blocks.size();
  for (std::size_t j = 0; j < met.size(); ++j)
    if (!met[j]) result.others.push_back(static_cast<int>(j));
  return result;
}

}  // namespace

VectorXd calc_block_change(const Metric& metric, const ChangeEquations& equations,
                           const VectorXd& rhs) {
  return solve_blocks(metric, equations, rhs, false).d;
}

VectorXd calc_least_change(const Metric& metric, const ChangeEquations& equations,
                           const VectorXd& rhs) {
  BlockChange change = solve_blocks(metric, equations, rhs, true);
  // one block of all columns: its change is the shortest already
  if (change.blocks == 0 || (change.blocks == 1 && change.others.empty())) return change.d;
  const auto count = static_cast<Eigen::Index>(change.others.size());
  if (count > 0)
    change.free.push_back({std::move(change.others), MatrixXd::Identity(count, count)});
  add_free_changes(metric, change.free, change.d);
  return change.d;
}

}  // namespace cartan::mechanics
