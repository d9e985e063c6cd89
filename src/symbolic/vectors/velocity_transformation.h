// Speeds in which the mass matrix is diagonal (source 004, chapter 3), over any scalar.
//
// With tangent vectors b_k and mass matrix M = b . inertia b, two ways lead to the same
//   M = W^T D W,     W unit upper triangular,  D diagonal,     new speeds  W u
// the factorisation of M, and Gram and Schmidt's orthogonalisation of the tangent vectors, which
// gives the new tangent vectors too: b = d W, d_j orthogonal. In these speeds the equations of
// motion M u' = R become (3.48-3.50)
//   D (W u)' = D W' u + x,     W^T x = R.
// The rate of W needs that of M only: with S = W^-T M' W^-1,
//   D' = diag S,     W' = X W,     X_ij = S_ij / D_i for j > i, else 0,
// from M' = W'^T D W + W^T D' W + W^T D W' multiplied by W^-T and W^-1.
#pragma once

#include <cassert>
#include <vector>

#include "core/scalar.h"

namespace cartan::symbolic {

// Square matrices are row by row.
template <class S>
struct VelocityTransformation {
  int size = 0;
  std::vector<S> W;         // unit upper triangular
  std::vector<S> diagonal;  // of the new mass matrix

  const S& w(int i, int j) const { return W[i * size + j]; }
  S& w(int i, int j) { return W[i * size + j]; }
};

template <class S>
VelocityTransformation<S> identity_transformation(int size) {
  VelocityTransformation<S> t;
  t.size = size;
  t.W.assign(size * size, S(0));
  t.diagonal.assign(size, S(0));
  for (int i = 0; i < size; ++i) t.w(i, i) = S(1);
  return t;
}

// From the mass matrix; only its upper triangle is read.
template <class S>
VelocityTransformation<S> factorise_mass_matrix(const std::vector<S>& M, int size) {
  assert(static_cast<int>(M.size()) == size * size);
  VelocityTransformation<S> t = identity_transformation<S>(size);
  std::vector<S> rest = M;
  for (int i = 0; i < size; ++i) {
    t.diagonal[i] = rest[i * size + i];
    for (int j = i + 1; j < size; ++j) t.w(i, j) = rest[i * size + j] / t.diagonal[i];
    for (int j = i + 1; j < size; ++j)
      for (int k = j; k < size; ++k)
        rest[j * size + k] = rest[j * size + k] - t.w(i, j) * rest[i * size + k];
  }
  return t;
}

// From tangent vectors of any kind T with inner(a, b) and the operations a - s b. They are replaced
// by orthogonal ones, in place.
template <class S, class T, class Inner>
VelocityTransformation<S> orthogonalise(std::vector<T>& tangents, Inner&& inner) {
  const int size = static_cast<int>(tangents.size());
  VelocityTransformation<S> t = identity_transformation<S>(size);
  for (int i = 0; i < size; ++i) {
    t.diagonal[i] = inner(tangents[i], tangents[i]);
    for (int j = i + 1; j < size; ++j) {
      t.w(i, j) = inner(tangents[i], tangents[j]) / t.diagonal[i];
      tangents[j] = tangents[j] - t.w(i, j) * tangents[i];
    }
  }
  return t;
}

// W u
template <class S>
std::vector<S> new_speeds(const VelocityTransformation<S>& t, const std::vector<S>& u) {
  std::vector<S> result(u);
  for (int i = 0; i < t.size; ++i)
    for (int j = i + 1; j < t.size; ++j) result[i] = result[i] + t.w(i, j) * u[j];
  return result;
}

// The u of W u = v
template <class S>
std::vector<S> old_speeds(const VelocityTransformation<S>& t, std::vector<S> v) {
  for (int i = t.size - 1; i >= 0; --i)
    for (int j = i + 1; j < t.size; ++j) v[i] = v[i] - t.w(i, j) * v[j];
  return v;
}

// The x of W^T x = R: the forces that belong to the new speeds.
template <class S>
std::vector<S> new_forces(const VelocityTransformation<S>& t, std::vector<S> R) {
  for (int i = 0; i < t.size; ++i)
    for (int j = i + 1; j < t.size; ++j) R[j] = R[j] - t.w(i, j) * R[i];
  return R;
}

// M u' = R solved for u'.
template <class S>
std::vector<S> solve(const VelocityTransformation<S>& t, std::vector<S> R) {
  R = new_forces(t, std::move(R));
  for (int i = 0; i < t.size; ++i) R[i] = R[i] / t.diagonal[i];
  return old_speeds(t, std::move(R));
}

// W' and D' where M changes by M' (symmetric).
template <class S>
VelocityTransformation<S> rate_of(const VelocityTransformation<S>& t,
                                  const std::vector<S>& M_rate) {
  const int n = t.size;
  std::vector<S> s = M_rate;  // columns, then rows: S = W^-T M' W^-1
  auto eliminate = [&](auto at) {
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) s[at(j, k)] = s[at(j, k)] - t.w(i, j) * s[at(i, k)];
  };
  eliminate([n](int j, int k) { return j * n + k; });
  eliminate([n](int j, int k) { return k * n + j; });
  VelocityTransformation<S> rate;
  rate.size = n;
  rate.W.assign(n * n, S(0));
  for (int i = 0; i < n; ++i) rate.diagonal.push_back(s[i * n + i]);
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      for (int k = i + 1; k <= j; ++k)
        rate.w(i, j) = rate.w(i, j) + s[i * n + k] / t.diagonal[i] * t.w(k, j);
  return rate;
}

// (W u)' from u, the forces R of M u' = R, and the rate of the transformation.
template <class S>
std::vector<S> new_accelerations(const VelocityTransformation<S>& t,
                                 const VelocityTransformation<S>& rate, const std::vector<S>& u,
                                 const std::vector<S>& R) {
  std::vector<S> result = new_forces(t, R);
  for (int i = 0; i < t.size; ++i) {
    result[i] = result[i] / t.diagonal[i];
    for (int j = i + 1; j < t.size; ++j) result[i] = result[i] + rate.w(i, j) * u[j];
  }
  return result;
}

}  // namespace cartan::symbolic
