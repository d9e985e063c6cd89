#include "analysis/expansions/field_expansion.h"

#include <Eigen/QR>

namespace cartan::analysis {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

std::span<const double> view(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}
std::span<double> view(Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

FieldExpansion::FieldExpansion(const SteadyProblem& problem, const State& state, const Vector& c,
                               StateCurvature& curvature)
    : problem_(problem),
      state_(state),
      factors_(-(problem.symmetries().fields * c)),
      curvature_(curvature),
      n_(problem.system().space().size()),
      split_(split_neutral(problem, state, c)),
      B_(problem.field_matrix(state, c)),
      normal_(problem.system(), state, curvature, problem.workspace()) {
  const Matrix columns = problem.embedding(state) * split_.T;
  Z_ = Eigen::HouseholderQR<Matrix>(columns).householderQ() *
       Matrix::Identity(columns.rows(), columns.cols());
  A_ = Z_.transpose() * B_ * Z_;
}

Vector FieldExpansion::padded(const Vector& x) const {
  Vector all = Vector::Zero(n_);
  all.head(x.size()) = x;
  return all;
}

Vector FieldExpansion::second(const Vector& u, const Vector& w, int parameter) const {
  const Vector U = padded(u), W = padded(w);
  Vector result(problem_.size()), bend = Vector::Zero(n_);
  curvature_.rates(state_, view(U), view(W), parameter, view(result));
  problem_.system().geometry()->add_field_curvature(state_, view(factors_), view(U), view(W),
                                                    view(bend));
  return result + bend.head(problem_.size());
}

Vector FieldExpansion::third(const Vector& u, const Vector& w, const Vector& v) const {
  const Vector U = padded(u), W = padded(w), V = padded(v);
  Vector result(problem_.size()), bend = Vector::Zero(n_);
  curvature_.third_rates(state_, view(U), view(W), view(V), view(result));
  problem_.system().geometry()->add_field_third(state_, view(factors_), view(U), view(W), view(V),
                                                view(bend));
  return result + bend.head(problem_.size());
}

Matrix FieldExpansion::drift_matrix(const Vector& a) const {
  const Vector factors = -(problem_.symmetries().fields * a);
  Matrix J = Matrix::Zero(n_, n_);
  problem_.system().geometry()->add_field_jacobian(state_, view(factors), J);
  return J.topLeftCorner(problem_.size(), problem_.size());
}

Vector FieldExpansion::drift_second(const Vector& a, const Vector& u, const Vector& w) const {
  const Vector factors = -(problem_.symmetries().fields * a), U = padded(u), W = padded(w);
  Vector bend = Vector::Zero(n_);
  problem_.system().geometry()->add_field_curvature(state_, view(factors), view(U), view(W),
                                                    view(bend));
  return bend.head(problem_.size());
}

}  // namespace cartan::analysis
