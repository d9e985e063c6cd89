#include "mechanics/stepping/closest_points.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cartan::mechanics {
namespace {

using Vector = Vec3<double>;

// A difference of two corners.
struct Difference {
  Vector at;
  int a = 0, b = 0;
};

// Up to four differences, and of their hull the point nearest to the origin.
class Simplex {
 public:
  void add(const Difference& x) { at_[static_cast<std::size_t>(size_++)] = x; }
  bool has(const Difference& x) const {
    for (int i = 0; i < size_; ++i)
      if (at_[i].a == x.a && at_[i].b == x.b) return true;
    return false;
  }
  int size() const { return size_; }
  const Difference& operator[](int i) const { return at_[i]; }
  double weight(int i) const { return weight_[i]; }

  // Keeps those that it lies between.
  Vector nearest() {
    Vector best;
    double least = 1e300;
    unsigned kept = 0;
    std::array<double, 4> weight{}, of_best{};
    for (unsigned set = 1; set < (1u << size_); ++set) {
      if (!weigh(set, weight)) continue;
      Vector y;
      for (int i = 0, k = 0; i < size_; ++i)
        if (set >> i & 1) y += weight[k++] * at_[i].at;
      if (const double d = norm2(y); d < least) least = d, best = y, kept = set, of_best = weight;
    }
    int count = 0;
    for (int i = 0; i < size_; ++i)
      if (kept >> i & 1) at_[count++] = at_[i];
    size_ = count;
    weight_ = of_best;
    return best;
  }

 private:
  // Of the point nearest to the origin in the plane through a subset, where that lies inside of it:
  // y = sum w_i x_i with w_i > 0, sum 1, y.(x_i - x_0) = 0.
  bool weigh(unsigned set, std::array<double, 4>& w) const {
    const Vector* x[4] = {};
    int n = 0;
    for (int i = 0; i < size_; ++i)
      if (set >> i & 1) x[n++] = &at_[i].at;
    w = {1, 0, 0, 0};
    if (n == 1) return true;
    const Vector d = *x[1] - *x[0], o = -*x[0];
    if (n == 2) {
      w[1] = dot(d, o) / norm2(d);
    } else if (const Vector e = *x[2] - *x[0]; n == 3) {
      const Vector across = cross(d, e);
      const double D = norm2(across);
      if (!(D > 1e-20 * norm2(d) * norm2(e))) return false;
      w[1] = dot(cross(o, e), across) / D;
      w[2] = dot(cross(d, o), across) / D;
    } else {
      const Vector f = *x[3] - *x[0];
      const double D = dot(d, cross(e, f));
      if (D == 0) return false;
      w[1] = dot(o, cross(e, f)) / D;
      w[2] = dot(d, cross(o, f)) / D;
      w[3] = dot(d, cross(e, o)) / D;
    }
    w[0] = 1 - w[1] - w[2] - w[3];
    return std::all_of(w.begin(), w.begin() + n, [](double each) { return each > 0; });
  }

  std::array<Difference, 4> at_;
  std::array<double, 4> weight_{};
  int size_ = 0;
};

int farthest(const std::vector<Vector>& points, const Vector& d) {
  int best = 0;
  double most = -1e300;
  for (std::size_t k = 0; k < points.size(); ++k)
    if (const double along = dot(d, points[k]); along > most)
      best = static_cast<int>(k), most = along;
  return best;
}

// The shortest difference of two bodies made smaller by `size`; zero where they overlap. Ends where
// what is still to be gained is below a part `nearer`.
Vector approach(const CornerCloud& a, const CornerCloud& b, double size, double nearer,
                Simplex& simplex) {
  constexpr int most = 100;
  const Vector between = a.middle - b.middle;
  Vector y = between;
  for (int k = 0; k < most; ++k) {
    Difference x;
    x.a = farthest(a.corners, -y), x.b = farthest(b.corners, y);
    x.at = between + size * ((a.corners[x.a] - a.middle) - (b.corners[x.b] - b.middle));
    if (simplex.size() > 0 && norm2(y) - dot(y, x.at) <= nearer * norm2(y)) break;
    if (simplex.has(x) || simplex.size() == 4) break;
    simplex.add(x);
    y = simplex.nearest();
    if (simplex.size() == 4) return {};
  }
  return y;
}

}  // namespace

ClosestPoints find_closest_points(const CornerCloud& a, const CornerCloud& b) {
  Simplex simplex;
  const Vector y = approach(a, b, 1, 1e-14, simplex);
  ClosestPoints found;
  found.distance = norm(y);
  if (found.distance == 0) return found;
  found.corner_a = simplex[0].a, found.corner_b = simplex[0].b;
  for (int i = 0; i < simplex.size(); ++i) {
    found.a += simplex.weight(i) * a.corners[simplex[i].a];
    found.b += simplex.weight(i) * b.corners[simplex[i].b];
  }
  return found;
}

Vec3<double> nearest_direction(const CornerCloud& a, const CornerCloud& b) {
  for (const double size : {0.95, 0.7, 0.3}) {
    Simplex simplex;
    const Vector y = approach(a, b, size, 1e-3, simplex);
    if (norm2(y) > 0) return (1 / norm(y)) * y;
  }
  const Vector between = a.middle - b.middle;
  return norm2(between) > 0 ? (1 / norm(between)) * between : Vector{0, 0, 1};
}

}  // namespace cartan::mechanics
