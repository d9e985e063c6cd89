#include "analysis/expansions/manifold_bend.h"

#include "analysis/tangents.h"

namespace cartan::analysis {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

std::span<const double> bend_view(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
std::span<double> bend_view(Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

// Rows that are normal to the tangent space: of constraints, and of |q|^2 = 1.
ManifoldBend::ManifoldBend(const System& system, const State& state, StateCurvature& curvature,
                           Workspace& workspace)
    : state_(state),
      curvature_(curvature),
      n_(system.space().size()),
      kept_(embedded_numbers(system)),
      rows_(system.constraint_count()) {
  Matrix C(rows_, n_);
  system.constraint_jacobian(state_, C, workspace);
  for (const StateBlock& b : system.space().blocks())
    if (b.kind != StateBlock::Kind::vector) quaternions_.push_back(b.x);
  Matrix normals = Matrix::Zero(rows_ + static_cast<Eigen::Index>(quaternions_.size()), kept_);
  normals.topRows(rows_) = C.leftCols(kept_);
  for (std::size_t i = 0; i < quaternions_.size(); ++i)
    for (int k = 0; k < 4; ++k)
      normals(rows_ + static_cast<Eigen::Index>(i), quaternions_[i] + k) =
          2 * state_.x[quaternions_[i] + k];
  normals_ = Eigen::CompleteOrthogonalDecomposition<Matrix>(normals.rows(), normals.cols());
  normals_.setThreshold(1e-9);
  normals_.compute(normals);
}

Vector ManifoldBend::padded(const Vector& x) const {
  Vector all = Vector::Zero(n_);
  all.head(x.size()) = x;
  return all;
}

Vector ManifoldBend::solve(const Vector& of_constraints, const Vector& of_quaternions) const {
  Vector all(of_constraints.size() + of_quaternions.size());
  all << of_constraints, of_quaternions;
  if (all.size() == 0) return Vector::Zero(kept_);
  return -normals_.solve(all);
}

Vector ManifoldBend::second(const Vector& u, const Vector& w, int parameter) const {
  const Vector U = padded(u), W = padded(w);
  Vector functions = Vector::Zero(rows_);
  if (rows_ > 0)
    curvature_.constraints(state_, bend_view(U), bend_view(W), parameter, bend_view(functions));
  Vector lengths(static_cast<Eigen::Index>(quaternions_.size()));
  for (std::size_t i = 0; i < quaternions_.size(); ++i)
    lengths[static_cast<Eigen::Index>(i)] =
        2 * U.segment<4>(quaternions_[i]).dot(W.segment<4>(quaternions_[i]));
  return solve(functions, lengths);
}

// |q|^2 has no third derivative.
Vector ManifoldBend::third(const Vector& u, const Vector& w, const Vector& v) const {
  const Vector U = padded(u), W = padded(w), V = padded(v);
  Vector functions = Vector::Zero(rows_);
  if (rows_ > 0)
    curvature_.third_constraints(state_, bend_view(U), bend_view(W), bend_view(V),
                                 bend_view(functions));
  return follow(functions);
}

Vector ManifoldBend::follow(const Vector& change) const {
  return solve(change, Vector::Zero(static_cast<Eigen::Index>(quaternions_.size())));
}

}  // namespace cartan::analysis
