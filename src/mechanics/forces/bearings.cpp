#include "mechanics/forces/bearings.h"

#include <cmath>

#include "core/mixed.h"
#include "model/mass_properties.h"
#include "symbolic/expression.h"

namespace cartan::mechanics {
namespace {

// Two unit vectors completing `axis` to an orthonormal triad.
template <class S>
std::pair<Vec3<S>, Vec3<S>> across(const Vec3<S>& axis) {
  const Vec3<S> helper =
      value_of(abs(axis.x)) < 0.7 ? Vec3<S>{S(1), S(0), S(0)} : Vec3<S>{S(0), S(1), S(0)};
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

using Dense = Matrix<double>;

template <class S>
Matrix<S> product(const Matrix<S>& a, const Matrix<S>& b) {
  Matrix<S> c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.columns; ++k)
      for (int j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}
template <class S>
Matrix<S> transposed_matrix(const Matrix<S>& a) {
  Matrix<S> t(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) t(j, i) = a(i, j);
  return t;
}
// 1 - a
Dense complement(Dense a) {
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) a(i, j) = (i == j) - a(i, j);
  return a;
}
void add(Dense& sum, const Dense& a, double factor) {
  for (std::size_t e = 0; e < sum.entry.size(); ++e) sum.entry[e] += factor * a.entry[e];
}

// Rotates rows and columns p, q of the symmetric G so that G(p, q) vanishes; V collects the
// rotations.
void rotate_away(Dense& G, Dense& V, int p, int q) {
  if (G(p, q) == 0) return;
  const double theta = (G(q, q) - G(p, p)) / (2 * G(p, q));
  const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::hypot(theta, 1));
  const double c = 1 / std::hypot(t, 1), s = t * c;
  auto turn = [&](double& x, double& y) {
    const double old = x;
    x = c * old - s * y;
    y = s * old + c * y;
  };
  for (int k = 0; k < G.rows; ++k) turn(G(k, p), G(k, q));
  for (int k = 0; k < G.rows; ++k) turn(G(p, k), G(q, k));
  for (int k = 0; k < G.rows; ++k) turn(V(k, p), V(k, q));
}

// P = A^T (A A^T)^+ by Jacobi's eigenvalues of A A^T, then one step P (2 - A P) that gives back the
// digits lost by squaring A.
Dense pseudo_inverse(const Dense& A) {
  const Dense T = transposed_matrix(A);
  Dense G = product(A, T), V = complement(Dense(A.rows, A.rows));
  for (int sweep = 0; sweep < 12; ++sweep)
    for (int p = 0; p < A.rows; ++p)
      for (int q = p + 1; q < A.rows; ++q) rotate_away(G, V, p, q);
  double largest = 0;
  for (int k = 0; k < A.rows; ++k) largest = std::max(largest, G(k, k));
  Dense W(A.rows, A.rows);
  for (int k = 0; k < A.rows; ++k)
    if (G(k, k) > 1e-12 * largest)
      for (int i = 0; i < A.rows; ++i)
        for (int j = 0; j < A.rows; ++j) W(i, j) += V(i, k) * V(j, k) / G(k, k);
  Dense P = product(T, W);
  const Dense defect = complement(product(A, P));
  add(P, product(P, defect), 1);
  return P;
}

// At constant rank  dP = -P dA P + P P^T dA^T (1 - A P) + (1 - P A) dA^T P^T P.
template <int N>
Matrix<Dual<N>> pseudo_inverse(const Matrix<Dual<N>>& A) {
  Dense value(A.rows, A.columns);
  for (std::size_t e = 0; e < A.entry.size(); ++e) value.entry[e] = A.entry[e].a;
  const Dense P = pseudo_inverse(value), PT = transposed_matrix(P);
  const Dense left = complement(product(value, P)), right = complement(product(P, value));
  Matrix<Dual<N>> result(A.columns, A.rows);
  for (std::size_t e = 0; e < P.entry.size(); ++e) result.entry[e] = Dual<N>(P.entry[e]);
  for (int k = 0; k < N; ++k) {
    Dense dA(A.rows, A.columns);
    for (std::size_t e = 0; e < A.entry.size(); ++e) dA.entry[e] = A.entry[e].d[k];
    const Dense dAT = transposed_matrix(dA);
    Dense dP = product(product(product(P, PT), dAT), left);
    add(dP, product(product(right, dAT), product(PT, P)), 1);
    add(dP, product(product(P, dA), P), -1);
    for (std::size_t e = 0; e < P.entry.size(); ++e) result.entry[e].d[k] = dP.entry[e];
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

// Rows that are no combination of those before them, by Gram and Schmidt at the sample point.
template <class S>
std::vector<int> independent_rows(const Matrix<S>& A) {
  std::vector<int> chosen;
  std::vector<std::vector<double>> basis;
  for (int i = 0; i < A.rows; ++i) {
    std::vector<double> row(A.columns);
    double before = 0, left = 0;
    for (int j = 0; j < A.columns; ++j) row[j] = value_of(A(i, j)), before += row[j] * row[j];
    for (int twice = 0; twice < 2; ++twice)
      for (const std::vector<double>& b : basis) {
        double along = 0;
        for (int j = 0; j < A.columns; ++j) along += b[j] * row[j];
        for (int j = 0; j < A.columns; ++j) row[j] -= along * b[j];
      }
    for (const double x : row) left += x * x;
    if (!(left > 1e-12 * before)) continue;
    for (double& x : row) x /= std::sqrt(left);
    basis.push_back(row);
    chosen.push_back(i);
  }
  return chosen;
}

// Of a symmetric positive definite matrix, by Gauss and Jordan without pivoting.
template <class S>
Matrix<S> inverse(Matrix<S> a) {
  const int n = a.rows;
  Matrix<S> result(n, n);
  for (int i = 0; i < n; ++i) result(i, i) = S(1);
  for (int k = 0; k < n; ++k) {
    const S scale = S(1) / a(k, k);
    for (int j = 0; j < n; ++j) a(k, j) *= scale, result(k, j) *= scale;
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const S factor = a(i, k);
      for (int j = 0; j < n; ++j)
        a(i, j) -= factor * a(k, j), result(i, j) -= factor * result(k, j);
    }
  }
  return result;
}

// A = F G with independent rows G of A:  P = G^T (G G^T)^-1 (F^T F)^-1 F^T. Which rows those are,
// and so the rank, is that of the sample point. For scalars without a formula of their own.
template <class S>
Matrix<S> pseudo_inverse(const Matrix<S>& A) {
  const std::vector<int> chosen = independent_rows(A);
  const int rank = static_cast<int>(chosen.size());
  Matrix<S> G(rank, A.columns);
  for (int i = 0; i < rank; ++i)
    for (int j = 0; j < A.columns; ++j) G(i, j) = A(chosen[i], j);
  const Matrix<S> to_loads =
      product(transposed_matrix(G), inverse(product(G, transposed_matrix(G))));
  Matrix<S> F = product(A, to_loads);
  for (int i = 0; i < rank; ++i)  // these rows are those of the identity
    for (int j = 0; j < rank; ++j) F(chosen[i], j) = S(i == j ? 1 : 0);
  const Matrix<S> T = transposed_matrix(F);
  return product(to_loads, product(inverse(product(T, F)), T));
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
    if (info(type).bearings == JointBearings::ball) {
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

#define CARTAN_INSTANTIATE(S)                                                                  \
  template std::vector<BearingRow<S>> make_bearings<S>(const std::vector<Bearing>&, JointType, \
                                                       const Vec3<S>&, std::span<const S>);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::mechanics
