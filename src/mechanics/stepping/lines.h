// Nearest points of two lines of finite length.
#pragma once

#include <algorithm>

#include "core/vec3.h"

namespace cartan::mechanics {

// Parameters s, t of the nearest points of p + s d (|s| <= a) and q + t e (|t| <= b), |d| = |e|
// = 1.
inline void find_nearest_on_lines(const Vec3<double>& p, const Vec3<double>& d, double a,
                                  const Vec3<double>& q, const Vec3<double>& e, double b, double& s,
                                  double& t) {
  const Vec3<double> r = q - p;
  const double c = dot(d, e), rest = 1 - c * c;
  s = rest > 1e-12 ? std::clamp((dot(d, r) - c * dot(e, r)) / rest, -a, a) : 0.0;
  t = std::clamp(c * s - dot(e, r), -b, b);
  s = std::clamp(dot(d, r) + c * t, -a, a);
}

}  // namespace cartan::mechanics
