#include "mechanics/stepping/nearest_direction.h"

#include <array>

namespace cartan::mechanics {
namespace {

using Vector = Vec3<double>;

// Up to four points of the differences a - b, and of their hull the point nearest to the origin.
class Simplex {
 public:
  void add(const Vector& x) { at_[static_cast<std::size_t>(size_++)] = x; }
  bool has(const Vector& x) const {
    for (int i = 0; i < size_; ++i)
      if (at_[i].x == x.x && at_[i].y == x.y && at_[i].z == x.z) return true;
    return false;
  }

  // Keeps the points that it lies between.
  Vector nearest() {
    Vector best;
    double least = 1e300;
    unsigned kept = 0;
    for (unsigned set = 1; set < (1u << size_); ++set) {
      Vector y;
      if (!nearest_of(set, y)) continue;
      if (const double d = norm2(y); d < least) least = d, best = y, kept = set;
    }
    int count = 0;
    for (int i = 0; i < size_; ++i)
      if (kept >> i & 1) at_[static_cast<std::size_t>(count++)] = at_[i];
    size_ = count;
    return best;
  }

 private:
  // The point of the plane through a subset, where it lies inside of it: weights w_i >= 0, sum 1,
  // y = sum w_i x_i with y.(x_i - x_0) = 0.
  bool nearest_of(unsigned set, Vector& y) const {
    const Vector* x[4];
    int n = 0;
    for (int i = 0; i < size_; ++i)
      if (set >> i & 1) x[n++] = &at_[i];
    if (n == 1) {
      y = *x[0];
      return true;
    }
    const Vector d = *x[1] - *x[0];
    if (n == 2) {
      const double s = -dot(d, *x[0]) / norm2(d);
      y = *x[0] + s * d;
      return s > 0 && s < 1;
    }
    const Vector e = *x[2] - *x[0];
    if (n == 3) {
      const double dd = norm2(d), ee = norm2(e), de = dot(d, e), p = -dot(d, *x[0]),
                   q = -dot(e, *x[0]), D = dd * ee - de * de;
      if (!(D > 1e-20 * dd * ee)) return false;
      const double s = (p * ee - q * de) / D, t = (q * dd - p * de) / D;
      y = *x[0] + s * d + t * e;
      return s > 0 && t > 0 && s + t < 1;
    }
    const Vector f = *x[3] - *x[0], o = -*x[0];
    const double D = dot(d, cross(e, f));
    if (D == 0) return false;
    const double s = dot(o, cross(e, f)) / D, t = dot(d, cross(o, f)) / D,
                 u = dot(d, cross(e, o)) / D;
    y = {};
    return s > 0 && t > 0 && u > 0 && s + t + u < 1;
  }

  std::array<Vector, 4> at_;
  int size_ = 0;
};

const Vector& farthest(const std::vector<Vector>& points, const Vector& d) {
  const Vector* best = &points[0];
  double most = dot(d, *best);
  for (const Vector& x : points)
    if (const double along = dot(d, x); along > most) best = &x, most = along;
  return *best;
}

}  // namespace

Vec3<double> nearest_direction(const std::vector<Vector>& corners_a, const Vector& middle_a,
                               const std::vector<Vector>& corners_b, const Vector& middle_b) {
  constexpr double nearer = 1e-3;
  constexpr int most = 40;
  const Vector between = middle_a - middle_b;
  for (const double size : {0.95, 0.7, 0.3}) {
    Simplex simplex;
    Vector y = between;
    for (int k = 0; k < most; ++k) {
      const Vector x = between + size * ((farthest(corners_a, -y) - middle_a) -
                                         (farthest(corners_b, y) - middle_b));
      if (norm2(y) - dot(y, x) <= nearer * norm2(y) || simplex.has(x)) break;
      simplex.add(x);
      y = simplex.nearest();
      if (norm2(y) == 0) break;
    }
    if (norm2(y) > 0) return (1 / norm(y)) * y;
  }
  return norm2(between) > 0 ? (1 / norm(between)) * between : Vector{0, 0, 1};
}

}  // namespace cartan::mechanics
