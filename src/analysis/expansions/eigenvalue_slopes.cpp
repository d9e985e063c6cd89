#include "analysis/expansions/eigenvalue_slopes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#include "analysis/expansions/field_expansion.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Complex = std::complex<double>;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using ComplexMatrix = Eigen::MatrixXcd;

constexpr double coincides = 1e-9;      // of the largest eigenvalue
constexpr double least_pairing = 1e-7;  // l^T v of unit vectors below it: vectors are missing
constexpr double agrees = 1e-6;         // of equations that must hold

std::string name_eigenvalue(Complex value) {
  return value.imag() == 0
             ? fmt::format("{:.6g}", value.real())
             : fmt::format("{:.6g} +- {:.6g}i", value.real(), std::fabs(value.imag()));
}

std::span<const double> as_numbers(const Vector& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

// The parts of a linearisation that move with the parameters.
class MovingLinearisation {
 public:
  MovingLinearisation(const SteadyProblem& problem, const Linearisation& at,
                      const SteadySlopes& motion, StateCurvature& curvature)
      : problem_(problem),
        motion_(motion),
        expansion_(problem, at.state, at.c, curvature),
        split_(expansion_.split()),
        A_(expansion_.A()) {}

  Matrix rest_map() const { return A_.bottomRightCorner(rest(), rest()); }

  // R' of one parameter.
  Matrix rest_change(int parameter) const {
    const Matrix change = calc_change(parameter);
    Matrix X = Matrix::Zero(rest(), split_.neutral);
    if (split_.symmetric > 0) X.leftCols(split_.symmetric) = turn_of_symmetries(parameter);
    if (split_.neutral > split_.symmetric) {
      Eigen::CompleteOrthogonalDecomposition<Matrix> solver(rest(), rest());
      solver.setThreshold(1e-7);  // an eigenvalue may vanish here: its vector turns nothing
      solver.compute(rest_map());
      for (int j = split_.symmetric; j < split_.neutral; ++j)
        X.col(j) = solver.solve(X.leftCols(j) * A_.col(j).head(j) - change.col(j).tail(rest()));
    }
    return change.bottomRightCorner(rest(), rest()) - X * A_.topRightCorner(split_.neutral, rest());
  }

 private:
  Eigen::Index rest() const { return A_.rows() - split_.neutral; }

  // A' of one parameter.
  Matrix calc_change(int parameter) const {
    const int n = problem_.system().space().size(), kept = problem_.size();
    const Vector along = motion_.state.col(parameter),
                 factor_change = -motion_.factors.col(parameter);
    Matrix turning = Matrix::Zero(n, n);
    problem_.system().geometry()->add_field_jacobian(expansion_.state(), as_numbers(factor_change),
                                                     turning);
    Matrix change(A_.rows(), A_.cols());
    for (Eigen::Index j = 0; j < A_.cols(); ++j) {
      const Vector z = expansion_.Z().col(j);
      const Vector of_z = expansion_.second(z, along, parameter) +
                          turning.topLeftCorner(kept, kept) * z +
                          expansion_.B() * expansion_.normal().second(z, along, parameter);
      change.col(j) = expansion_.Z().transpose() * of_z;
    }
    return change;
  }

  // The part of the changed symmetries that is neither symmetric nor neutral.
  Matrix turn_of_symmetries(int parameter) const {
    const MotionGeometry& geometry = *problem_.system().geometry();
    const int n = problem_.system().space().size(), kept = problem_.size();
    Vector along = Vector::Zero(n);
    along.head(kept) = motion_.state.col(parameter);
    Matrix Y(n, geometry.field_count()), D(n, geometry.field_count());
    geometry.fields(expansion_.state(), as_numbers(along), Y, D);
    const Matrix& S = problem_.symmetries().fields;
    const Matrix G = (Y * S).topRows(kept),
                 change = (D * S + Y * motion_.symmetries[parameter]).topRows(kept);
    Eigen::CompleteOrthogonalDecomposition<Matrix> solver(G.rows(), G.cols());
    solver.setThreshold(1e-9);
    const Matrix of_Z = solver.compute(G).solve(Matrix(expansion_.Z().leftCols(split_.symmetric)));
    return expansion_.Z().rightCols(rest()).transpose() * change * of_Z;
  }

  const SteadyProblem& problem_;
  const SteadySlopes& motion_;
  const FieldExpansion expansion_;
  const NeutralSplit& split_;
  const Matrix& A_;
};

// Vectors of the eigenvalues nearest to `value`.
ComplexMatrix nearest_vectors(const Matrix& map, Complex value, int count) {
  const Eigen::EigenSolver<Matrix> solver(map);
  std::vector<int> order(map.rows());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  const auto distance = [&](int k) { return std::abs(solver.eigenvalues()[k] - value); };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return distance(a) < distance(b); });
  ComplexMatrix vectors(map.rows(), count);
  for (int k = 0; k < count; ++k) vectors.col(k) = solver.eigenvectors().col(order[k]).normalized();
  return vectors;
}

int count_nearest(const Matrix& map, Complex value) {
  const Eigen::VectorXcd all = Eigen::EigenSolver<Matrix>(map, false).eigenvalues();
  const double near = coincides * std::max(all.cwiseAbs().maxCoeff(), 1e-300);
  return std::max(1, static_cast<int>(((all.array() - value).abs() <= near).count()));
}

}  // namespace

EigenvalueSlopes::EigenvalueSlopes(const SteadyProblem& problem, const Linearisation& linearisation,
                                   const SteadySlopes& motion, StateCurvature& curvature) {
  const MovingLinearisation moving(problem, linearisation, motion, curvature);
  map_ = moving.rest_map();
  for (Eigen::Index k = 0; k < motion.state.cols(); ++k)
    changes_.push_back(moving.rest_change(static_cast<int>(k)));
}

std::vector<int> coinciding_eigenvalues(const Linearisation& linearisation, int which) {
  double near = 0;
  for (const Complex& value : linearisation.eigenvalues)
    near = std::max(near, coincides * std::abs(value));
  std::vector<int> same;
  for (std::size_t k = 0; k < linearisation.eigenvalues.size(); ++k)
    if (linearisation.eigenvalues[k] != Complex(0, 0) &&
        std::abs(linearisation.eigenvalues[k] - linearisation.eigenvalues[which]) <= near)
      same.push_back(static_cast<int>(k));
  return same;
}

EigenvalueSlope EigenvalueSlopes::of(Complex value) const {
  EigenvalueSlope result;
  const int m = count_nearest(map_, value);
  const ComplexMatrix r = nearest_vectors(map_, value, m),
                      l = nearest_vectors(map_.transpose(), value, m);
  const ComplexMatrix pairing = l.transpose() * r;
  if (!(Eigen::JacobiSVD<ComplexMatrix>(pairing).singularValues()[m - 1] > least_pairing)) {
    result.problem = fmt::format(
        "the eigenvalue {} is multiple with too few vectors (two of them meet there): it changes "
        "like a root and has no derivative",
        name_eigenvalue(value));
    return result;
  }
  result.slopes.setZero(static_cast<Eigen::Index>(changes_.size()));
  for (std::size_t j = 0; j < changes_.size(); ++j) {
    const ComplexMatrix slopes =
        pairing.partialPivLu().solve(l.transpose() * changes_[j].cast<Complex>() * r);
    const Complex mean = slopes.trace() / static_cast<double>(m);
    result.slopes[static_cast<Eigen::Index>(j)] = mean;
    const ComplexMatrix split = slopes - mean * ComplexMatrix::Identity(m, m);
    if (m > 1 && split.norm() > agrees * std::max(slopes.norm(), coincides * map_.norm())) {
      result.problem = fmt::format(
          "the eigenvalue {} is {}-fold and splits when a free parameter changes: it has a kink "
          "there and no derivative",
          name_eigenvalue(value), m);
      return result;
    }
  }
  if (!result.slopes.allFinite()) result.problem = "a derivative of an eigenvalue is not finite";
  return result;
}

}  // namespace cartan::analysis
