// SO(3), rotation matrices, and S3, unit quaternions: one Lie algebra, R^3 with the cross product.
//
// The names are the same for every group (see docs/notation.md):
//
//   exp, log           tangent <-> element; log gives angles in [0, pi]
//   Ad(g, u)           g u g^-1                  = R u
//   ad(u, v)           [u, v]                    = u x v
//   dexp(u, v)         sum_k ad_u^k v / (k+1)!   = v + c2 u x v + c3 u x (u x v)
//   dexp_inverse(u, v)                           = v - 1/2 u x v + b u x (u x v)
//
// with c2 = (1 - cos t)/t^2, c3 = (t - sin t)/t^3, b = (1 - (t/2) cot(t/2))/t^2, t = |u|. Then
//
//   d/ds exp(u(s)) = hat(dexp_u u') exp(u) = exp(u) hat(dexp_{-u} u'),
//
// so body (left-trivialised) velocities carry the minus sign: w = dexp_{-u} u', u' = dexp^-1_{-u}
// w. dexp_inverse is singular at the full turn.
#pragma once

#include <array>

#include "core/vec3.h"
#include "lie/quaternion.h"
#include "lie/series.h"

namespace cartan::lie {

// 1 + f1 hat(u) + f2 hat(u)^2
template <class S>
Mat3<S> hat_polynomial(const Vec3<S>& u, const S& f1, const S& f2) {
  const Sym3<S> m = minus_hat_squared(u);
  const Vec3<S> a = f1 * u;
  const S xy = -(f2 * m.xy), xz = -(f2 * m.xz), yz = -(f2 * m.yz);
  return Mat3<S>::columns({S(1) - f2 * m.xx, xy + a.z, xz - a.y},
                          {xy - a.z, S(1) - f2 * m.yy, yz + a.x},
                          {xz + a.y, yz - a.x, S(1) - f2 * m.zz});
}

// What SO(3) and S3 share: everything that happens in the Lie algebra.
template <class S>
struct RotationAlgebra {
  using Scalar = S;
  using Tangent = Vec3<S>;
  static constexpr int dim = 3;

  static Tangent ad(const Tangent& u, const Tangent& v) { return cross(u, v); }

  static Tangent dexp(const Tangent& u, const Tangent& v) {
    const series::HalfAngle<S> half(norm2(u));
    const Tangent uv = cross(u, v);
    return v + half.exp2 * uv + half.exp3() * cross(u, uv);
  }
  static Tangent dexp_inverse(const Tangent& u, const Tangent& v) {
    const Tangent uv = cross(u, v);
    return v - S(0.5) * uv + series::dexp_inverse_coefficient(norm2(u)) * cross(u, uv);
  }
  static Mat3<S> dexp_matrix(const Tangent& u) {
    const series::HalfAngle<S> half(norm2(u));
    return hat_polynomial(u, half.exp2, half.exp3());
  }
  static Mat3<S> dexp_inverse_matrix(const Tangent& u) {
    return hat_polynomial(u, S(-0.5), series::dexp_inverse_coefficient(norm2(u)));
  }

  static std::array<S, 3> flatten(const Tangent& u) { return {u.x, u.y, u.z}; }
  static Tangent unflatten(const std::array<S, 3>& a) { return {a[0], a[1], a[2]}; }
};

template <class S>
struct SO3 : RotationAlgebra<S> {
  using Element = Mat3<S>;
  using Tangent = Vec3<S>;

  static Element identity() { return Element::identity(); }
  static Element compose(const Element& a, const Element& b) { return a * b; }
  static Element inverse(const Element& a) { return transpose(a); }

  // 1 + (sin t/t) hat(u) + ((1 - cos t)/t^2) hat(u)^2
  static Element exp(const Tangent& u) {
    const series::HalfAngle<S> half(norm2(u));
    return hat_polynomial(u, half.sinc, half.exp2);
  }
  // By way of the quaternion, whose largest component is never small: no digit is lost near the
  // identity nor near the half turn.
  static Tangent log(const Element& R) { return lie::log(from_rotation_matrix(R)); }

  static Tangent Ad(const Element& R, const Tangent& u) { return R * u; }

  // a (s = 0) to b (s = 1) with constant body angular velocity log(a^-1 b)
  static Element interpolate(const Element& a, const Element& b, const S& s) {
    return a * exp(s * log(inverse(a) * b));
  }
};

// Unit quaternions. Tangents are rotation vectors (twice the quaternion's own), so that S3 and SO3
// differ only in how an element is written; q and -q are one rotation and have one log.
template <class S>
struct S3 : RotationAlgebra<S> {
  using Element = Quat<S>;
  using Tangent = Vec3<S>;

  static Element identity() { return Element(); }
  static Element compose(const Element& a, const Element& b) { return a * b; }
  static Element inverse(const Element& a) { return conjugate(a); }
  static Element exp(const Tangent& u) { return exp_quat(u); }
  static Tangent log(const Element& q) { return lie::log(q); }
  static Tangent Ad(const Element& q, const Tangent& u) { return rotate(q, u); }
  static Element interpolate(const Element& a, const Element& b, const S& s) {
    return slerp(a, b, s);
  }
};

}  // namespace cartan::lie
