// Butcher tableaus are data.
//
//   explicit    k_i = f(t + c_i h, x + h sum_{j<i} a_ij k_j),   x1 = x + h sum b_i k_i
//   collocation k_i = f(t + c_i h, x + h sum_j a_ij k_j),       the same update
//
// Dense output of the explicit methods, all in one form (theta in [0, 1]):
//   x(theta) = x0 + theta (F0 + (1-theta)(F1 + theta (F2 + (1-theta)(F3 + theta (F4 + ...)))))
//   F0 = x1 - x0,  F1 = h k_0 - F0,  F2 = 2 F0 - h (k_0 + k_s),  F_{3+r} = h sum_i d_ri k_i
// with k_s = f(t + h, x1). Without rows d it is the cubic through both ends and their slopes.
#pragma once

#include <span>
#include <vector>

#include "core/folders.h"

namespace cartan::integrate {

struct ExplicitTableau {
  int stages = 0;  // s
  int extra = 0;   // stages s+1 .. s+extra, only for dense output; k_s is f(t + h, x1)
  int order = 0;
  int dense_order = 0;
  std::vector<double> c;               // s + 1 + extra
  std::vector<std::vector<double>> a;  // row i: a_ij, j < i; row s holds b
  std::vector<double> error;           // weights of the error estimate; empty: none
  std::vector<double> error_low;       // a second, coarser one (8(5,3)); empty: none
  int error_order = 0;                 // the local error estimate behaves as h^(error_order + 1)
  std::vector<std::vector<double>> d;  // rows of the dense output
  const std::vector<double>& b() const { return a[stages]; }
  bool error_uses_end() const { return static_cast<int>(error.size()) > stages; }
};

const ExplicitTableau& classical_rk4();
const ExplicitTableau& dormand_prince_54();   // Dormand, Prince 1980
const ExplicitTableau& dormand_prince_853();  // Hairer's 8(5,3) with the dense output of order 7

// Gauss-Legendre collocation, s stages, order 2s: c_i are the zeros of the Legendre polynomial P_s
// on [0, 1], a_ij and b_j the integrals of the Lagrange polynomials l_j over [0, c_i] and [0, 1].
// Symmetric in every bit: b_j = b_{s-1-j}, a_{s-1-i,s-1-j} = b_j - a_ij (i in the upper half).
struct CollocationTableau {
  int stages = 0;
  std::vector<double> c, b;
  std::vector<double> a;  // row-major s x s
  double at(int i, int j) const { return a[i * stages + j]; }
};
inline constexpr int max_gauss_stages = 8;
CollocationTableau make_gauss_legendre(int stages);  // 1 .. max_gauss_stages

// weights[j] = integral of l_j from 0 to theta: x(theta) = x0 + h sum_j weights[j] k_j.
void fill_collocation_weights(const CollocationTableau& tableau, double theta,
                              std::span<double> weights);

// weights[j] = l_j(at) for Lagrange polynomials on `nodes`.
void fill_lagrange_weights(std::span<const double> nodes, double at, std::span<double> weights);

}  // namespace cartan::integrate
