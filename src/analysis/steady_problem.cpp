#include "analysis/steady_problem.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double dependent = 1e-8;  // sine of the angle to the symmetries before

std::span<const double> span_of(const Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

// The quaternion block (of a pose too) a tangent number belongs to, or null.
const StateBlock* rotation_of(const StateSpace& space, int component) {
  for (const StateBlock& b : space.blocks())
    if (b.kind != StateBlock::Kind::vector && component >= b.tangent && component < b.tangent + 3)
      return &b;
  return nullptr;
}

int vector_number(const StateSpace& space, int component) {
  for (const StateBlock& b : space.blocks())
    if (b.kind == StateBlock::Kind::vector && component >= b.tangent &&
        component < b.tangent + b.size)
      return b.x + component - b.tangent;
  return -1;
}

// conj(a) b as (w, x, y, z)
Eigen::Vector4d relative_rotation(const double* a, const double* b) {
  const Eigen::Vector3d av(a[1], a[2], a[3]), bv(b[1], b[2], b[3]);
  Eigen::Vector4d r;
  r[0] = a[0] * b[0] + av.dot(bv);
  r.tail<3>() = a[0] * bv - b[0] * av - av.cross(bv);
  return r;
}

}  // namespace

SteadyProblem::SteadyProblem(const System& system, Symmetries symmetries, Workspace& workspace)
    : system_(system),
      geometry_(*system.geometry()),
      symmetries_(std::move(symmetries)),
      workspace_(workspace),
      size_(system.space().size() - system.quadratures()),
      tangent_(system.space().tangent_size() - system.quadratures()) {}

Matrix SteadyProblem::embedding(const State& state) const {
  const StateSpace& space = system_.space();
  Matrix E = Matrix::Zero(size_, tangent_);
  std::vector<double> xi(space.tangent_size(), 0.0), rate(space.size());
  for (int j = 0; j < tangent_; ++j) {
    xi[j] = 1;
    space.to_embedded(state.x, xi, rate);
    E.col(j) = Eigen::Map<const Vector>(rate.data(), size_);
    xi[j] = 0;
  }
  return E;
}

Matrix SteadyProblem::to_tangent(const State& state, const Matrix& A) const {
  const StateSpace& space = system_.space();
  Matrix result(tangent_, A.cols());
  std::vector<double> rate(space.size(), 0.0), xi(space.tangent_size());
  for (Eigen::Index j = 0; j < A.cols(); ++j) {
    Eigen::Map<Vector>(rate.data(), size_) = A.col(j);
    space.to_tangent(state.x, rate, xi);
    result.col(j) = Eigen::Map<const Vector>(xi.data(), tangent_);
  }
  return result;
}

State SteadyProblem::moved(const State& state, const Vector& d) const {
  State result = state;
  Vector all = Vector::Zero(system_.space().tangent_size());
  all.head(tangent_) = d;
  system_.space().plus(state.x, span_of(all), result.x);
  system_.space().normalise(result.x);
  return result;
}

Vector SteadyProblem::rate(const State& state) const {
  Vector f(system_.space().size());
  system_.derivative(state, {f.data(), static_cast<std::size_t>(f.size())}, workspace_);
  return f.head(size_);
}

Matrix SteadyProblem::generators(const State& state) const {
  const int n = system_.space().size();
  Matrix Y(n, geometry_.field_count()), D(n, geometry_.field_count());
  const std::vector<double> still(n, 0.0);
  geometry_.fields(state, still, Y, D);
  return (Y * symmetries_.fields).topRows(size_);
}

Vector SteadyProblem::constraints(const State& state) const {
  Vector values(system_.constraint_count());
  system_.constraint_values(state, {values.data(), static_cast<std::size_t>(values.size())},
                            workspace_);
  return values;
}

Matrix SteadyProblem::constraint_matrix(const State& state) const {
  Matrix C(system_.constraint_count(), system_.space().size());
  system_.constraint_jacobian(state, C, workspace_);
  return C.leftCols(size_) * embedding(state);
}

Matrix SteadyProblem::field_matrix(const State& state, const Vector& c) const {
  const int n = system_.space().size();
  Matrix J(n, n);
  system_.jacobian(state, J, workspace_);
  const Vector factors = -(symmetries_.fields * c);
  geometry_.add_field_jacobian(state, span_of(factors), J);
  return J.topLeftCorner(size_, size_);
}

Matrix SteadyProblem::residual_matrix(const State& state, const Vector& c) const {
  return field_matrix(state, c) * embedding(state);
}

double SteadyProblem::reference_slope(const State& state, const Held& held,
                                      std::span<const double> reference_rate) const {
  if (held.function) return 0;
  const StateSpace& space = system_.space();
  if (const int i = vector_number(space, held.component); i >= 0) return -reference_rate[i];
  const StateBlock* b = rotation_of(space, held.component);
  if (!b) return 0;
  return 2 *
         relative_rotation(&reference_rate[b->x], &state.x[b->x])[1 + held.component - b->tangent];
}

double SteadyProblem::held_value(const State& state, const Held& held) const {
  if (held.function) return held.function->value(state, workspace_) - held.target;
  const StateSpace& space = system_.space();
  if (const int i = vector_number(space, held.component); i >= 0)
    return state.x[i] - held.reference[i];
  const StateBlock* b = rotation_of(space, held.component);
  if (!b) return 0;  // the translation of a pose is never held
  return 2 *
         relative_rotation(&held.reference[b->x], &state.x[b->x])[1 + held.component - b->tangent];
}

Eigen::RowVectorXd SteadyProblem::held_row(const State& state, const Matrix& E,
                                           const Held& held) const {
  if (held.function) {
    Vector gradient(system_.space().size());
    held.function->gradient(state, {gradient.data(), static_cast<std::size_t>(gradient.size())},
                            workspace_);
    return gradient.head(size_).transpose() * E;
  }
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero(tangent_);
  const StateBlock* b = rotation_of(system_.space(), held.component);
  if (!b) {
    row[held.component] = 1;
    return row;
  }
  // d/de of 2 vec(r exp(e))_j with r = conj(u0) u:  r_w e + r_v x e
  const Eigen::Vector4d r = relative_rotation(&held.reference[b->x], &state.x[b->x]);
  const Eigen::Vector3d rv = r.tail<3>();
  for (int k = 0; k < 3; ++k)
    row[b->tangent + k] = (r[0] * Eigen::Vector3d::Unit(k) +
                           rv.cross(Eigen::Vector3d::Unit(k)))[held.component - b->tangent];
  return row;
}

Vector SteadyProblem::residual(const State& state, const Vector& c,
                               const std::vector<Held>& held) const {
  const Vector g = constraints(state);
  Vector F(size_ + g.size() + static_cast<Eigen::Index>(held.size()));
  F.head(size_) = rate(state) - generators(state) * c;
  F.segment(size_, g.size()) = g;
  for (std::size_t j = 0; j < held.size(); ++j)
    F[size_ + g.size() + j] = held_value(state, held[j]);
  return F;
}

Matrix SteadyProblem::matrix(const State& state, const Vector& c,
                             const std::vector<Held>& held) const {
  const Matrix C = constraint_matrix(state), E = embedding(state);
  Matrix K =
      Matrix::Zero(size_ + C.rows() + static_cast<Eigen::Index>(held.size()), tangent_ + c.size());
  K.topLeftCorner(size_, tangent_) = residual_matrix(state, c);
  K.topRightCorner(size_, c.size()) = -generators(state);
  K.block(size_, 0, C.rows(), tangent_) = C;
  for (std::size_t j = 0; j < held.size(); ++j)
    K.row(size_ + C.rows() + j).head(tangent_) = held_row(state, E, held[j]);
  return K;
}

std::vector<int> SteadyProblem::independent_symmetries(const State& state) const {
  const Matrix Y = to_tangent(state, generators(state));
  Matrix orthonormal(tangent_, 0);
  std::vector<int> which;
  for (Eigen::Index k = 0; k < Y.cols(); ++k) {
    Vector rest = Y.col(k);
    for (int pass = 0; pass < 2; ++pass) rest -= orthonormal * (orthonormal.transpose() * rest);
    if (!(rest.norm() > dependent * Y.col(k).norm())) continue;
    orthonormal.conservativeResize(Eigen::NoChange, orthonormal.cols() + 1);
    orthonormal.rightCols(1) = rest.normalized();
    which.push_back(static_cast<int>(k));
  }
  return which;
}

Vector SteadyProblem::explain(const State& state) const {
  const std::vector<int> which = independent_symmetries(state);
  const Matrix Y = to_tangent(state, generators(state));
  Vector c = Vector::Zero(Y.cols());
  if (which.empty()) return c;
  const Matrix kept = Y(Eigen::all, which);
  const Vector solution = kept.colPivHouseholderQr().solve(to_tangent(state, rate(state)));
  for (std::size_t i = 0; i < which.size(); ++i) c[which[i]] = solution[i];
  return c;
}

double SteadyProblem::steadiness(const State& state, const Vector& c) const {
  const Vector f = rate(state), r = f - generators(state) * c, g = constraints(state);
  if (!f.allFinite()) return INFINITY;
  const double rates = r.cwiseAbs().maxCoeff() / std::max(1.0, f.cwiseAbs().maxCoeff());
  return g.size() > 0 ? std::max(rates, g.cwiseAbs().maxCoeff()) : rates;
}

}  // namespace cartan::analysis
