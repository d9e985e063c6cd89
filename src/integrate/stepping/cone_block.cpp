// The laws of a single contact, all others kept.
#include <algorithm>
#include <cmath>

#include "integrate/stepping/cone_problem.h"

namespace cartan::integrate {
namespace {

// x with (S + alpha 1) x = -s, S symmetric and semidefinite.
struct Tangents {
  double xx, xy, yy;
  std::array<double, 2> s;
  std::array<double, 2> answer(double alpha) const {
    const double a = xx + alpha, b = yy + alpha, d = a * b - xy * xy;
    return {(-b * s[0] + xy * s[1]) / d, (-a * s[1] + xy * s[0]) / d};
  }
};

// Slipping: w_t = -alpha P_t with the alpha > 0 at which |P_t| = mu P_n. The normal impulse is
// eliminated; mu P_n - |P_t| is negative at alpha = 0 (it would not stick) and positive far out.
Triple solve_slipping(const double (&A)[3][3], const Triple& b, double mu) {
  const double a = A[0][0], c1 = A[1][0], c2 = A[2][0];
  const Tangents tangents{A[1][1] - c1 * c1 / a,
                          A[1][2] - c1 * c2 / a,
                          A[2][2] - c2 * c2 / a,
                          {b[1] - c1 * b[0] / a, b[2] - c2 * b[0] / a}};
  Triple P{};
  const auto left_over = [&](double alpha) {
    const std::array<double, 2> t = tangents.answer(alpha);
    P = {-(b[0] + c1 * t[0] + c2 * t[1]) / a, t[0], t[1]};
    return mu * P[0] - std::hypot(t[0], t[1]);
  };
  double low = 0, high = 0.1 * (tangents.xx + tangents.yy), at_low = left_over(1e-12 * high);
  double at_high = left_over(high);
  for (int k = 0; k < 200 && at_high < 0; ++k) {
    low = high, at_low = at_high;
    high *= 4;
    at_high = left_over(high);
  }
  for (int k = 0; k < 80 && high - low > 1e-15 * high; ++k) {  // regula falsi (Illinois)
    double alpha = low + (high - low) * at_low / (at_low - at_high);
    if (!(alpha > low && alpha < high)) alpha = 0.5 * (low + high);
    const double value = left_over(alpha);
    if (std::fabs(value) <= 1e-15 * mu * std::fabs(P[0])) break;
    if (value < 0) {
      low = alpha, at_low = value;
      at_high *= 0.5;
    } else {
      high = alpha, at_high = value;
      at_low *= 0.5;
    }
  }
  // on the cone to rounding
  const double size = std::sqrt(P[1] * P[1] + P[2] * P[2]);
  P[0] = std::max(P[0], 0.0);
  if (size > 0) P[1] *= mu * P[0] / size, P[2] *= mu * P[0] / size;
  return P;
}

bool solve_sticking(const double (&A)[3][3], const Triple& b, Triple& P) {
  const double tiny = 1e-13 * (A[0][0] + A[1][1] + A[2][2]);
  const double a = A[0][0] + tiny, l1 = A[1][0] / a, l2 = A[2][0] / a;
  const double d = A[1][1] + tiny - l1 * A[1][0], e = A[1][2] - l1 * A[2][0];
  const double f = A[2][2] + tiny - l2 * A[2][0] - e * e / d;
  if (!(d > 0 && f > 0)) return false;
  const double y1 = -b[1] + l1 * b[0], y2 = -b[2] + l2 * b[0] - e / d * y1;
  P[2] = y2 / f;
  P[1] = (y1 - e * P[2]) / d;
  P[0] = (-b[0] - A[1][0] * P[1] - A[2][0] * P[2]) / a;
  return true;
}

// The nearest point of the cone |t| <= mu n.
Triple nearest_in_cone(const Triple& x, double mu) {
  const double size = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (size <= mu * x[0]) return x;
  if (mu * size <= -x[0]) return {0, 0, 0};
  const double n = (x[0] + mu * size) / (1 + mu * mu), scale = mu * n / size;
  return {n, scale * x[1], scale * x[2]};
}

}  // namespace

Triple solve_cone_block(const double (&A)[3][3], const Triple& b, double mu) {
  if (b[0] >= 0) return {0, 0, 0};
  Triple P{};
  if (mu == 0) return {-b[0] / A[0][0], 0, 0};
  if (solve_sticking(A, b, P) && P[0] >= 0 && std::sqrt(P[1] * P[1] + P[2] * P[2]) <= mu * P[0])
    return P;
  if (std::isinf(mu)) return P[0] > 0 ? P : Triple{};
  return solve_slipping(A, b, mu);
}

// Inside the cone the equations are linear. On it: projected gradients with Nesterov's
// extrapolation, in steps of one over the trace of A.
Triple solve_convex_block(const double (&A)[3][3], const Triple& b, double mu, Triple start) {
  if (mu == 0) return {std::max(-b[0] / A[0][0], 0.0), 0, 0};
  if (std::isinf(mu)) return solve_cone_block(A, b, mu);
  Triple P{};
  if (b[0] >= mu * std::sqrt(b[1] * b[1] + b[2] * b[2])) return P;
  if (solve_sticking(A, b, P) && P[0] >= 0 && std::sqrt(P[1] * P[1] + P[2] * P[2]) <= mu * P[0])
    return P;
  const double step = 1 / (A[0][0] + A[1][1] + A[2][2]);
  P = nearest_in_cone(start, mu);
  Triple y = P;
  double momentum = 1;
  for (int k = 0; k < 200; ++k) {
    Triple next{};
    for (int i = 0; i < 3; ++i)
      next[i] = y[i] - step * (A[i][0] * y[0] + A[i][1] * y[1] + A[i][2] * y[2] + b[i]);
    next = nearest_in_cone(next, mu);
    double moved = 0, size = 0, turned = 0;
    for (int i = 0; i < 3; ++i) {
      moved = std::max(moved, std::fabs(next[i] - P[i]));
      size = std::max(size, std::fabs(next[i]));
      turned += (y[i] - next[i]) * (next[i] - P[i]);
    }
    const double grown = turned > 0 ? 1 : 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
    const double ahead = turned > 0 ? 0 : (momentum - 1) / grown;
    for (int i = 0; i < 3; ++i) y[i] = next[i] + ahead * (next[i] - P[i]);
    momentum = grown;
    P = next;
    if (moved <= 1e-15 * size) break;
  }
  return P;
}

}  // namespace cartan::integrate
