#include "system/cone_block.h"

#include <algorithm>
#include <cmath>

namespace cartan::system {
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

void ConeBlock::Axes::turn(double xx, double xy, double yy, double least) {
  const double half = 0.5 * (xx - yy), mean = 0.5 * (xx + yy), root = std::hypot(half, xy);
  const double angle = 0.5 * std::atan2(xy, half);
  x = std::cos(angle), y = std::sin(angle);
  stiff[0] = mean + root > least ? mean + root : 0;
  stiff[1] = mean - root > least ? mean - root : 0;
}

void ConeBlock::prepare() {
  const double least = 1e-13 * (A[0][0] + A[1][1] + A[2][2]);
  const double c1 = A[1][0], c2 = A[2][0], a = std::max(A[0][0], 1e-300);
  closed_.turn(A[1][1] - c1 * c1 / a, A[1][2] - c1 * c2 / a, A[2][2] - c2 * c2 / a, least);
  closed_.c[0] = (closed_.x * c1 + closed_.y * c2) / a;
  closed_.c[1] = (closed_.x * c2 - closed_.y * c1) / a;
  open_.turn(A[1][1], A[1][2], A[2][2], least);
}

// s = b_t - c b_n/a; c is zero where the contact is open.
ConeBlock::Rest ConeBlock::rest(const Axes& axes, const Triple& b, double given) const {
  const double b1 = axes.x * b[1] + axes.y * b[2], b2 = axes.x * b[2] - axes.y * b[1];
  const bool closed = &axes == &closed_;
  return {&axes,
          {b1 - axes.c[0] * b[0], b2 - axes.c[1] * b[0]},
          closed && A[0][0] > 0 ? -b[0] / A[0][0] : 0,
          given};
}

// Whether P at alpha = 0 lies in the cone.
bool ConeBlock::stick(const Rest& rest, Triple& P) const {
  const Axes& axes = *rest.axes;
  double p[2], normal = rest.normal;
  for (int i = 0; i < 2; ++i) {
    p[i] = axes.stiff[i] > 0 ? -rest.s[i] / axes.stiff[i] : 0;
    normal -= axes.c[i] * p[i];
  }
  P = {normal, axes.x * p[0] - axes.y * p[1], axes.y * p[0] + axes.x * p[1]};
  if (normal < 0) return false;
  if (std::isinf(mu)) return true;
  const double limit = mu * (normal + rest.given);
  // an axis that does not move may slide all the same
  const double sliding = std::max(axes.stiff[0] > 0 ? 0 : std::fabs(rest.s[0]),
                                  axes.stiff[1] > 0 ? 0 : std::fabs(rest.s[1]));
  return p[0] * p[0] + p[1] * p[1] <= limit * limit &&
         sliding <= 1e-12 * std::max({std::fabs(rest.s[0]), std::fabs(rest.s[1]),
                                      A[0][0] * std::fabs(rest.normal)});
}

Triple ConeBlock::answer(const Triple& b, double& alpha, double given) const {
  const Triple none{};
  if (b[0] >= 0 && given == 0) return none;
  Triple P{};
  if (mu == 0) return {A[0][0] > 0 ? std::max(-b[0] / A[0][0], 0.0) : 0, 0, 0};
  const Rest closed = rest(closed_, b, given);
  if (A[0][0] > 0) {
    if (stick(closed, P)) return P;
    if (!std::isinf(mu) && slip(closed, alpha, P)) return P;
  }
  if (given == 0) return none;
  const Rest open = rest(open_, b, given);
  if (!stick(open, P) && !slip(open, alpha, P)) return none;
  return P;
}

// excess = |P_t| - mu (P_n + given) is positive at alpha = 0 (it would not stick) and negative far
// out. False: it is not, or P_n is negative where it is zero.
bool ConeBlock::slip(const Rest& rest, double& alpha, Triple& P) const {
  constexpr int most = 100;
  const double *stiff = rest.axes->stiff, *c = rest.axes->c;
  const auto& s = rest.s;
  if (!(rest.normal + rest.given > 0)) return false;
  double low = 0, high = INFINITY, p1 = 0, p2 = 0, normal = 0;
  double at = alpha > 0 ? alpha : 0.1 * (stiff[0] + stiff[1]);
  for (int k = 0; k < most; ++k) {
    const double k1 = 1 / (stiff[0] + at), k2 = 1 / (stiff[1] + at);
    p1 = -s[0] * k1, p2 = -s[1] * k2;
    normal = rest.normal - c[0] * p1 - c[1] * p2;
    const double load = normal + rest.given, size = std::sqrt(p1 * p1 + p2 * p2),
                 excess = size - mu * load;
    if (std::fabs(excess) <= 1e-15 * mu * std::fabs(load)) break;
    (excess > 0 ? low : high) = at;
    const double slope =
        -(p1 * p1 * k1 + p2 * p2 * k2) / size - mu * (c[0] * p1 * k1 + c[1] * p2 * k2);
    double next = at - excess / slope;
    if (!(next > low && next < high)) next = std::isinf(high) ? 4 * at : 0.5 * (low + high);
    if (std::fabs(next - at) <= 1e-16 * at) break;
    at = next;
  }
  if (normal < 0 && rest.given > 0) return false;
  alpha = at;
  // on the cone to rounding
  normal = std::max(normal, 0.0);
  const double size = std::sqrt(p1 * p1 + p2 * p2),
               scale = size > 0 ? mu * (normal + rest.given) / size : 0;
  p1 *= scale, p2 *= scale;
  P = {normal, rest.axes->x * p1 - rest.axes->y * p2, rest.axes->y * p1 + rest.axes->x * p2};
  return true;
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
  if (stick(rest(closed_, b, 0), P)) return P;
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

}  // namespace cartan::system
