// The two ways in which one evaluation x' = f(t, x), written over a scalar, serves more than one
// point: packs of four points side by side, and dual numbers for the columns of the Jacobian.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/scalar.h"

namespace cartan::mechanics {

// Point k stands at x[k n], its derivative goes to the same place of xdot; `evaluate(t, x, xdot)`
// works on packs. Lanes without a point of their own repeat the last one.
template <class Evaluate>
void evaluate_in_packs(std::span<const double> times, std::span<const double> x,
                       std::span<double> xdot, std::vector<Pack4>& pack_x,
                       std::vector<Pack4>& pack_xdot, Evaluate&& evaluate) {
  const std::size_t count = times.size(), n = x.size() / count;
  pack_x.resize(n);
  pack_xdot.resize(n);
  for (std::size_t first = 0; first < count; first += 4) {
    auto point = [&](int lane) { return std::min(first + lane, count - 1); };
    for (std::size_t i = 0; i < n; ++i)
      pack_x[i] = Pack4::map([&](int lane) { return x[point(lane) * n + i]; });
    evaluate(Pack4::map([&](int lane) { return times[point(lane)]; }), pack_x.data(),
             pack_xdot.data());
    for (std::size_t lane = 0; lane < 4 && first + lane < count; ++lane)
      for (std::size_t i = 0; i < n; ++i)
        xdot[(first + lane) * n + i] = pack_xdot[i][static_cast<int>(lane)];
  }
}

// Columns of the first `varying` numbers, four per call of `evaluate(x, values)`; the others are
// zero. There are as many values as J has rows: rates, or any other functions of x.
template <class Evaluate>
void differentiate_columns(std::span<const double> x, int varying, Eigen::Ref<Eigen::MatrixXd> J,
                           std::vector<Dual4>& dual_x, std::vector<Dual4>& dual_values,
                           Evaluate&& evaluate) {
  const int n = static_cast<int>(J.rows());
  dual_x.assign(x.begin(), x.end());
  dual_values.resize(n);
  J.setZero();
  for (int first = 0; first < varying; first += 4) {
    const int count = std::min(4, varying - first);
    for (int k = 0; k < count; ++k) dual_x[first + k] = Dual4::variable(x[first + k], k);
    evaluate(dual_x.data(), dual_values.data());
    for (int k = 0; k < count; ++k) {
      for (int i = 0; i < n; ++i) J(i, first + k) = dual_values[i].d[k];
      dual_x[first + k] = x[first + k];
    }
  }
}

}  // namespace cartan::mechanics
