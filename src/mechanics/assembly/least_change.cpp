#include "mechanics/assembly/least_change.h"

#include "core/dense.h"
#include "mechanics/constraints/constraint_matrix.h"
#include "mechanics/constraints/row_blocks.h"

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

// With d = L^-T z: the shortest z with (J L^-T) z = rhs, and d for all z that it leaves free.
VectorXd solve_block(const MatrixXd& metric, const MatrixXd& J, const VectorXd& rhs,
                     MatrixXd& free) {
  const Eigen::LLT<MatrixXd> factor(metric);
  MatrixXd W = factor.matrixL().solve(J.transpose()).transpose();
  const VectorXd scale = W.rowwise().norm().cwiseInverse();
  W = scale.asDiagonal() * W;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(rows_meet);
  solver.compute(W);
  const Eigen::Index left = W.cols() - solver.rank();
  // W = Q [T 0; 0 0] Z P^T: the last rows of Z P^T span what W does not see
  free = factor.matrixU().solve(
      (solver.colsPermutation() * solver.matrixZ().transpose()).rightCols(left).eval());
  return factor.matrixU().solve(solver.solve(VectorXd(scale.cwiseProduct(rhs))));
}

MatrixXd part_of(const MatrixXd& whole, const std::vector<int>& rows,
                 const std::vector<int>& columns) {
  return RowBlock{rows, columns}.part_of(whole);
}

// z with N^T M (d + N z) = 0, added to d.
void add_free_changes(const MatrixXd& metric, const std::vector<FreeChanges>& free, VectorXd& d) {
  Eigen::Index count = 0;
  std::vector<Eigen::Index> start;
  for (const FreeChanges& f : free) {
    start.push_back(count);
    count += f.columns.cols();
  }
  if (count == 0) return;
  const VectorXd momentum = metric * d;
  MatrixXd K(count, count);
  VectorXd rhs(count);
  for (std::size_t a = 0; a < free.size(); ++a) {
    const FreeChanges& x = free[a];
    const Eigen::Index xs = x.columns.cols();
    rhs.segment(start[a], xs) = -(x.columns.transpose() * momentum(x.places));
    for (std::size_t b = 0; b <= a; ++b)
      K.block(start[a], start[b], xs, free[b].columns.cols()) =
          x.columns.transpose() * part_of(metric, x.places, free[b].places) * free[b].columns;
  }
  const VectorXd z = Eigen::LLT<MatrixXd>(K).solve(rhs);
  for (std::size_t a = 0; a < free.size(); ++a)
    d(free[a].places) += free[a].columns * z.segment(start[a], free[a].columns.cols());
}

}  // namespace

VectorXd calc_least_change(const MatrixXd& metric, const ChangeEquations& equations,
                           const VectorXd& rhs) {
  VectorXd d = VectorXd::Zero(metric.rows());
  MatrixXd J = equations.J;
  for (Eigen::Index r = 0; r < J.rows(); ++r)
    if (!(J.row(r).norm() > cancelled * equations.sizes[r])) J.row(r).setZero();
  const std::vector<RowBlock> blocks = find_row_blocks(J);
  if (blocks.empty()) return d;
  std::vector<FreeChanges> free;
  std::vector<char> met(d.size(), 0);
  for (const RowBlock& block : blocks) {
    FreeChanges left{block.columns, {}};
    d(block.columns) = solve_block(part_of(metric, block.columns, block.columns), block.part_of(J),
                                   rhs(block.rows), left.columns);
    for (const int j : block.columns) met[j] = 1;
    if (left.columns.cols() > 0) free.push_back(std::move(left));
  }
  // one block of all columns: its change is the shortest already
  if (blocks.size() == 1 && blocks[0].columns.size() == met.size()) return d;
  std::vector<int> others;
  for (std::size_t j = 0; j < met.size(); ++j)
    if (!met[j]) others.push_back(static_cast<int>(j));
  const auto count = static_cast<Eigen::Index>(others.size());
  if (count > 0) free.push_back({others, MatrixXd::Identity(count, count)});
  add_free_changes(metric, free, d);
  return d;
}

}  // namespace cartan::mechanics
