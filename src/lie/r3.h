// R^3 with addition: the commutative group, for which exp and log do nothing. With it, products
// such as SO(3) x R^3 need no special case.
#pragma once

#include <array>

#include "core/vec3.h"

namespace cartan::lie {

template <class S>
struct R3 {
  using Scalar = S;
  using Element = Vec3<S>;
  using Tangent = Vec3<S>;
  static constexpr int dim = 3;

  static Element identity() { return Element(); }
  static Element compose(const Element& a, const Element& b) { return a + b; }
  static Element inverse(const Element& a) { return -a; }
  static Element exp(const Tangent& u) { return u; }
  static Tangent log(const Element& a) { return a; }
  static Tangent Ad(const Element&, const Tangent& u) { return u; }
  static Tangent ad(const Tangent&, const Tangent&) { return Tangent(); }
  static Tangent dexp(const Tangent&, const Tangent& v) { return v; }
  static Tangent dexp_inverse(const Tangent&, const Tangent& v) { return v; }
  static Element interpolate(const Element& a, const Element& b, const S& s) {
    return a + s * (b - a);
  }
  static std::array<S, 3> flatten(const Tangent& u) { return {u.x, u.y, u.z}; }
  static Tangent unflatten(const std::array<S, 3>& a) { return {a[0], a[1], a[2]}; }
};

}  // namespace cartan::lie
