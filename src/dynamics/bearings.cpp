#include "dynamics/bearings.h"

#include <Eigen/Dense>

#include "model/mass_properties.h"

namespace cartan {
namespace {

// Two unit vectors completing `axis` to an orthonormal triad.
template <class S>
std::pair<Vec3<S>, Vec3<S>> across(const Vec3<S>& axis) {
  const Vec3<S> helper = value_of(abs(axis.x)) < 0.7 ? Vec3<S>{S(1), S(0), S(0)}
                                                     : Vec3<S>{S(0), S(1), S(0)};
  Vec3<S> first = cross(axis, helper);
  first = (S(1) / norm(first)) * first;
  return {first, cross(axis, first)};
}

template <class S>
struct Matrix {  // row-major
  int rows = 0, columns = 0;
  std::vector<S> entry;
  Matrix(int r, int c) : rows(r), columns(c), entry(static_cast<std::size_t>(r) * c, S(0)) {}
  S& operator()(int i, int j) { return entry[static_cast<std::size_t>(i) * columns + j]; }
  const S& operator()(int i, int j) const {
    return entry[static_cast<std::size_t>(i) * columns + j];
  }
};

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A) {
  return A.completeOrthogonalDecomposition().pseudoInverse();
}

Matrix<double> pseudo_inverse(const Matrix<double>& A) {
  Eigen::MatrixXd dense(A.rows, A.columns);
  for (int i = 0; i < A.rows; ++i)
    for (int j = 0; j < A.columns; ++j) dense(i, j) = A(i, j);
  const Eigen::MatrixXd P = pseudo_inverse(dense);
  Matrix<double> result(A.columns, A.rows);
  for (int i = 0; i < A.columns; ++i)
    for (int j = 0; j < A.rows; ++j) result(i, j) = P(i, j);
  return result;
}

// At constant rank  dP = -P dA P + P P^T dA^T (1 - A P) + (1 - P A) dA^T P^T P.
template <int N>
Matrix<Dual<N>> pseudo_inverse(const Matrix<Dual<N>>& A) {
  Eigen::MatrixXd value(A.rows, A.columns);
  for (int i = 0; i < A.rows; ++i)
    for (int j = 0; j < A.columns; ++j) value(i, j) = A(i, j).a;
  const Eigen::MatrixXd P = pseudo_inverse(value);
  const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(A.rows, A.rows) - value * P;
  const Eigen::MatrixXd right = Eigen::MatrixXd::Identity(A.columns, A.columns) - P * value;
  Matrix<Dual<N>> result(A.columns, A.rows);
  for (int i = 0; i < A.columns; ++i)
    for (int j = 0; j < A.rows; ++j) result(i, j) = Dual<N>(P(i, j));
  for (int k = 0; k < N; ++k) {
    Eigen::MatrixXd dA(A.rows, A.columns);
    for (int i = 0; i < A.rows; ++i)
      for (int j = 0; j < A.columns; ++j) dA(i, j) = A(i, j).d[k];
    const Eigen::MatrixXd dP = -P * dA * P + P * P.transpose() * dA.transpose() * left +
                               right * dA.transpose() * P.transpose() * P;
    for (int i = 0; i < A.columns; ++i)
      for (int j = 0; j < A.rows; ++j) result(i, j).d[k] = dP(i, j);
  }
  return result;
}

template <int N>
Matrix<Pack<N>> pseudo_inverse(const Matrix<Pack<N>>& A) {
  Matrix<Pack<N>> result(A.columns, A.rows);
  for (int k = 0; k < N; ++k) {
    Matrix<double> lane(A.rows, A.columns);
    for (std::size_t e = 0; e < A.entry.size(); ++e) lane.entry[e] = A.entry[e][k];
    const Matrix<double> P = pseudo_inverse(lane);
    for (std::size_t e = 0; e < P.entry.size(); ++e) result.entry[e][k] = P.entry[e];
  }
  return result;
}

// One group of load components whose norm counts: directions at a point.
template <class S>
struct LoadGroup {
  Vec3<S> at;
  std::vector<Vec3<S>> directions;
  S factor;
};

template <class S>
std::vector<LoadGroup<S>> make_groups(const std::vector<Bearing>& bearings, JointType type,
                                      const Vec3<S>& axis, std::span<const S> parameters) {
  const Vec3<S> e[3] = {{S(1), S(0), S(0)}, {S(0), S(1), S(0)}, {S(0), S(0), S(1)}};
  std::vector<LoadGroup<S>> groups;
  for (const Bearing& b : bearings) {
    const Vec3<S> at = calc_vec3<S>(b.at, parameters);
    if (type == JointType::spherical) {
      groups.push_back({at, {e[0], e[1], e[2]}, evaluate<S>(b.radial, parameters)[0]});
      continue;
    }
    const auto [first, second] = across(axis);
    if (b.radial.given())
      groups.push_back({at, {first, second}, evaluate<S>(b.radial, parameters)[0]});
    if (b.axial.given()) groups.push_back({at, {axis}, evaluate<S>(b.axial, parameters)[0]});
  }
  return groups;
}

}  // namespace

template <class S>
std::vector<BearingRow<S>> make_bearings(const std::vector<Bearing>& bearings, JointType type,
                                         const Vec3<S>& axis, std::span<const S> parameters) {
  const std::vector<LoadGroup<S>> groups = make_groups(bearings, type, axis, parameters);
  int columns = 0;
  for (const LoadGroup<S>& g : groups) columns += static_cast<int>(g.directions.size());
  Matrix<S> A(6, columns);  // wrench (force, torque) of unit loads
  int column = 0;
  for (const LoadGroup<S>& g : groups)
    for (const Vec3<S>& d : g.directions) {
      const Vec3<S> torque = cross(g.at, d);
      for (int i = 0; i < 3; ++i) A(i, column) = d[i], A(3 + i, column) = torque[i];
      ++column;
    }
  const Matrix<S> P = pseudo_inverse(A);
  std::vector<BearingRow<S>> rows;
  int row = 0;
  for (const LoadGroup<S>& g : groups) {
    BearingRow<S> b;
    b.factor = g.factor;
    b.rows = static_cast<int>(g.directions.size());
    for (int r = 0; r < b.rows; ++r, ++row) {
      b.force[r] = {P(row, 0), P(row, 1), P(row, 2)};
      b.torque[r] = {P(row, 3), P(row, 4), P(row, 5)};
    }
    rows.push_back(b);
  }
  return rows;
}

#define CARTAN_INSTANTIATE(S)                                                            \
  template std::vector<BearingRow<S>> make_bearings<S>(const std::vector<Bearing>&,      \
                                                       JointType, const Vec3<S>&,        \
                                                       std::span<const S>);
CARTAN_FOR_EACH_SCALAR(CARTAN_INSTANTIATE)
#undef CARTAN_INSTANTIATE

}  // namespace cartan
