#include "integrate/stepping/cone_block.h"

#include <algorithm>
#include <cmath>

namespace cartan::integrate {
namespace {

// The nearest point of the cone |t| <= mu n.
Triple nearest_in_cone(const Triple& x, double mu) {
  const double size = std::sqrt(x[1] * x[1] + x[2] * x[2]);
  if (size <= mu * x[0]) return x;
  if (mu * size <= -x[0]) return {0, 0, 0};
  const double n = (x[0] + mu * size) / (1 + mu * mu), scale = mu * n / size;
  return {n, scale * x[1], scale * x[2]};
}

}  // namespace

void ConeBlock::prepare() {
  // by Cholesky's factors, next to singular ones a little stiffer
  const double tiny = 1e-13 * (A[0][0] + A[1][1] + A[2][2]);
  const double a = A[0][0] + tiny, l1 = A[1][0] / a, l2 = A[2][0] / a;
  const double d = A[1][1] + tiny - l1 * A[1][0], e = A[1][2] - l1 * A[2][0], l3 = e / d;
  const double f = A[2][2] + tiny - l2 * A[2][0] - l3 * e;
  sticks_ = a > 0 && d > 0 && f > 0;
  if (sticks_) {
    const double m20 = l3 * l1 - l2;  // rows of L^-1: (1, 0, 0), (-l1, 1, 0), (m20, -l3, 1)
    inverse_[0][0] = 1 / a + l1 * l1 / d + m20 * m20 / f;
    inverse_[0][1] = inverse_[1][0] = -l1 / d - l3 * m20 / f;
    inverse_[0][2] = inverse_[2][0] = m20 / f;
    inverse_[1][1] = 1 / d + l3 * l3 / f;
    inverse_[1][2] = inverse_[2][1] = -l3 / f;
    inverse_[2][2] = 1 / f;
  }
  // axes of S
  const double c1 = A[1][0], c2 = A[2][0], n = std::max(A[0][0], 1e-300);
  const double xx = A[1][1] - c1 * c1 / n, xy = A[1][2] - c1 * c2 / n, yy = A[2][2] - c2 * c2 / n;
  const double half = 0.5 * (xx - yy), mean = 0.5 * (xx + yy), root = std::hypot(half, xy);
  const double angle = 0.5 * std::atan2(xy, half);
  axis_[0] = std::cos(angle), axis_[1] = std::sin(angle);
  stiff_[0] = mean + root, stiff_[1] = std::max(mean - root, 0.0);
  c_[0] = axis_[0] * c1 + axis_[1] * c2;
  c_[1] = axis_[0] * c2 - axis_[1] * c1;
}

// Whether P = -A^-1 b lies in the cone.
bool ConeBlock::stick(const Triple& b, Triple& P) const {
  if (!sticks_) return false;
  for (int i = 0; i < 3; ++i)
    P[i] = -(inverse_[i][0] * b[0] + inverse_[i][1] * b[1] + inverse_[i][2] * b[2]);
  return P[0] >= 0 && (std::isinf(mu) || P[1] * P[1] + P[2] * P[2] <= mu * mu * P[0] * P[0]);
}

Triple ConeBlock::answer(const Triple& b, double& alpha) const {
  if (b[0] >= 0) return {0, 0, 0};
  if (mu == 0) return {-b[0] / A[0][0], 0, 0};
  Triple P{};
  if (stick(b, P)) return P;
  if (std::isinf(mu)) return {0, 0, 0};
  return slip(b, alpha);
}

// excess = |P_t| - mu P_n is positive at alpha = 0 (it would not stick) and negative far out.
Triple ConeBlock::slip(const Triple& b, double& alpha) const {
  constexpr int most = 100;
  const double a = A[0][0], b1 = axis_[0] * b[1] + axis_[1] * b[2],
               b2 = axis_[0] * b[2] - axis_[1] * b[1];
  const double s1 = b1 - c_[0] * b[0] / a, s2 = b2 - c_[1] * b[0] / a;
  double low = 0, high = INFINITY, p1 = 0, p2 = 0, normal = 0;
  double at = alpha > 0 ? alpha : 0.1 * (stiff_[0] + stiff_[1]);
  for (int k = 0; k < most; ++k) {
    const double k1 = 1 / (stiff_[0] + at), k2 = 1 / (stiff_[1] + at);
    p1 = -s1 * k1, p2 = -s2 * k2;
    normal = -(b[0] + c_[0] * p1 + c_[1] * p2) / a;
    const double size = std::sqrt(p1 * p1 + p2 * p2), excess = size - mu * normal;
    if (std::fabs(excess) <= 1e-15 * mu * std::fabs(normal)) break;
    (excess > 0 ? low : high) = at;
    const double slope =
        -(p1 * p1 * k1 + p2 * p2 * k2) / size - mu * (c_[0] * p1 * k1 + c_[1] * p2 * k2) / a;
    double next = at - excess / slope;
    if (!(next > low && next < high)) next = std::isinf(high) ? 4 * at : 0.5 * (low + high);
    if (std::fabs(next - at) <= 1e-16 * at) break;
    at = next;
  }
  alpha = at;
  // on the cone to rounding
  normal = std::max(normal, 0.0);
  const double size = std::sqrt(p1 * p1 + p2 * p2), scale = size > 0 ? mu * normal / size : 0;
  return {normal, scale * (axis_[0] * p1 - axis_[1] * p2), scale * (axis_[1] * p1 + axis_[0] * p2)};
}

// P = n q with q = (1, mu d) on the cone: n = -b.q / q.A q, and d is where w has nothing across it,
// q'.w = 0 with q' = mu (0, d turned by a right angle). Newton's method for the angle of d. False:
// it did not lead to the least.
bool ConeBlock::least_on_cone(const Triple& b, Triple& P) const {
  const auto times = [&](const Triple& x, int i) {
    return A[i][0] * x[0] + A[i][1] * x[1] + A[i][2] * x[2];
  };
  const auto dot = [](const Triple& x, const Triple& y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
  };
  double x = P[1], y = P[2];
  if (x == 0 && y == 0) x = -b[1], y = -b[2];
  for (int k = 0; k < 30; ++k) {
    const double length = std::sqrt(x * x + y * y);
    if (!(length > 0)) return false;
    x /= length, y /= length;
    const Triple q{1, mu * x, mu * y}, across{0, -mu * y, mu * x};
    const Triple Aq{times(q, 0), times(q, 1), times(q, 2)};
    const double h = dot(q, Aq), n = -dot(b, q) / h, slope = dot(across, Aq);
    const Triple w{b[0] + n * Aq[0], b[1] + n * Aq[1], b[2] + n * Aq[2]};
    const double off = dot(across, w), grows = -(dot(b, across) + 2 * n * slope) / h;
    const double rate = n * (across[1] * times(across, 1) + across[2] * times(across, 2)) +
                        grows * slope - (q[1] * w[1] + q[2] * w[2]);
    if (!(n > 0 && rate > 0)) return false;
    P = {n, n * q[1], n * q[2]};
    const double turn = off / rate;
    if (std::fabs(turn) < 1e-15) return w[0] >= 0;
    const double least_turn = std::clamp(turn, -0.5, 0.5), was = x;
    x += least_turn * y, y -= least_turn * was;
  }
  return false;
}

// Inside the cone the equations are linear. On it Newton's method, and where that fails projected
// gradients with Nesterov's extrapolation, in steps of one over the trace of A.
Triple ConeBlock::least(const Triple& b, const Triple& start) const {
  if (mu == 0) return {std::max(-b[0] / A[0][0], 0.0), 0, 0};
  Triple P{};
  if (b[0] >= mu * std::sqrt(b[1] * b[1] + b[2] * b[2])) return P;
  if (stick(b, P)) return P;
  if (std::isinf(mu)) return {0, 0, 0};
  P = start;
  if (least_on_cone(b, P)) return P;
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
