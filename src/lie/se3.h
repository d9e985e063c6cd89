// SE(3): poses, twists, wrenches.
//
//   Pose    X = (R, p): point -> R point + p; X_AB X_BC = X_AC
//   Twist   V = (w, v), angular first: X' = X hat(V), w in body axes, v = R^T p'
//   Wrench  (n, f), moment first: power = n.w + f.v
//
//   exp(w, v) = (exp w, dexp_w v)
//   log(R, p) = (w, dexp^-1_w p), w = log R
//   Ad_X (a, b)   = (R a, R b + p x R a)
//   ad_V (a, b)   = (w x a, w x b + v x a)
//
// A twist is an angular vector over the dual numbers, w + e v with e^2 = 0, and its bracket is the
// cross product carried over to them. Hence any function 1 + f1(x) hat(w) + f2(x) hat(w)^2 of
// SO(3), x = |w|^2, becomes on SE(3) the block matrix [F 0; Q F], where Q is the derivative of F at
// w along v:
//
//   Q = f1 hat(v) + f2 (hat(w) hat(v) + hat(v) hat(w)) + 2 (w.v) (f1' hat(w) + f2' hat(w)^2).
//
// dexp has f1 = (1 - cos t)/t^2, f2 = (t - sin t)/t^3; dexp^-1 has f1 = -1/2,
// f2 = (1 - (t/2) cot(t/2))/t^2. No power of ad beyond the second is needed.
#pragma once

#include <array>

#include "core/vec3.h"
#include "lie/series.h"
#include "lie/so3.h"

namespace cartan::lie {

template <class S>
struct Pose {
  Mat3<S> R = Mat3<S>::identity();
  Vec3<S> p;

  friend Pose operator*(const Pose& a, const Pose& b) { return {a.R * b.R, a.R * b.p + a.p}; }
  friend Vec3<S> operator*(const Pose& a, const Vec3<S>& point) { return a.R * point + a.p; }
};

template <class S>
Pose<S> inverse(const Pose<S>& X) {
  return {transpose(X.R), -transpose_times(X.R, X.p)};
}
// a^-1 b
template <class S>
Pose<S> inverse_times(const Pose<S>& a, const Pose<S>& b) {
  return {transpose(a.R) * b.R, transpose_times(a.R, b.p - a.p)};
}
// X^-1 point
template <class S>
Vec3<S> inverse_times(const Pose<S>& X, const Vec3<S>& point) {
  return transpose_times(X.R, point - X.p);
}

template <class S>
struct Twist {
  Vec3<S> w, v;

  Twist& operator+=(const Twist& o) {
    w += o.w, v += o.v;
    return *this;
  }
  Twist& operator-=(const Twist& o) {
    w -= o.w, v -= o.v;
    return *this;
  }
  friend Twist operator+(const Twist& a, const Twist& b) { return {a.w + b.w, a.v + b.v}; }
  friend Twist operator-(const Twist& a, const Twist& b) { return {a.w - b.w, a.v - b.v}; }
  friend Twist operator-(const Twist& a) { return {-a.w, -a.v}; }
  friend Twist operator*(const S& s, const Twist& a) { return {s * a.w, s * a.v}; }
};

template <class S>
struct Wrench {
  Vec3<S> n, f;

  Wrench& operator+=(const Wrench& o) {
    n += o.n, f += o.f;
    return *this;
  }
  Wrench& operator-=(const Wrench& o) {
    n -= o.n, f -= o.f;
    return *this;
  }
  friend Wrench operator+(const Wrench& a, const Wrench& b) { return {a.n + b.n, a.f + b.f}; }
  friend Wrench operator-(const Wrench& a, const Wrench& b) { return {a.n - b.n, a.f - b.f}; }
  friend Wrench operator-(const Wrench& a) { return {-a.n, -a.f}; }
  friend Wrench operator*(const S& s, const Wrench& a) { return {s * a.n, s * a.f}; }
};

// power
template <class S>
S dot(const Wrench<S>& F, const Twist<S>& V) {
  return dot(F.n, V.w) + dot(F.f, V.v);
}

// V_A = Ad_X V_B for X = X_AB: the same motion seen from the other frame
template <class S>
Twist<S> Ad(const Pose<S>& X, const Twist<S>& V) {
  const Vec3<S> w = X.R * V.w;
  return {w, X.R * V.v + cross(X.p, w)};
}
template <class S>
Twist<S> Ad_inverse(const Pose<S>& X, const Twist<S>& V) {
  return {transpose_times(X.R, V.w), transpose_times(X.R, V.v - cross(X.p, V.w))};
}
// F_B = Ad_X^T F_A for X = X_AB: equal power, F_A . Ad_X V_B = F_B . V_B
template <class S>
Wrench<S> Ad_transpose(const Pose<S>& X, const Wrench<S>& F) {
  return {transpose_times(X.R, F.n - cross(X.p, F.f)), transpose_times(X.R, F.f)};
}
// F_A = Ad_X^-T F_B for X = X_AB: a wrench carried from B to A
template <class S>
Wrench<S> Ad_inverse_transpose(const Pose<S>& X, const Wrench<S>& F) {
  const Vec3<S> f = X.R * F.f;
  return {X.R * F.n + cross(X.p, f), f};
}

template <class S>
Twist<S> ad(const Twist<S>& V, const Twist<S>& U) {
  return {cross(V.w, U.w), cross(V.w, U.v) + cross(V.v, U.w)};
}
// ad_V^T F: F . ad_V U = (ad_V^T F) . U
template <class S>
Wrench<S> ad_transpose(const Twist<S>& V, const Wrench<S>& F) {
  return {cross(F.n, V.w) + cross(F.f, V.v), cross(F.f, V.w)};
}

// A 6x6 matrix [ww 0; vw vv] acting on twists, its transpose acting on wrenches. Ad, ad, dexp and
// dexp^-1 all have this shape.
template <class S>
struct TwistMap {
  Mat3<S> ww, vw, vv;

  friend Twist<S> operator*(const TwistMap& m, const Twist<S>& V) {
    return {m.ww * V.w, m.vw * V.w + m.vv * V.v};
  }
  friend TwistMap operator*(const TwistMap& a, const TwistMap& b) {
    return {a.ww * b.ww, a.vw * b.ww + a.vv * b.vw, a.vv * b.vv};
  }
};

template <class S>
Wrench<S> transpose_times(const TwistMap<S>& m, const Wrench<S>& F) {
  return {transpose_times(m.ww, F.n) + transpose_times(m.vw, F.f), transpose_times(m.vv, F.f)};
}
template <class S>
TwistMap<S> Ad_matrix(const Pose<S>& X) {
  return {X.R, cross(X.p, X.R), X.R};
}
template <class S>
TwistMap<S> ad_matrix(const Twist<S>& V) {
  return {hat(V.w), hat(V.v), hat(V.w)};
}

// 1 + f1 hat(w) + f2 hat(w)^2 over the dual numbers (see the head of this file); slope: by x =
// |w|^2
template <class S>
struct DualHatPolynomial {
  S f1, f2, f1_slope, f2_slope;

  Twist<S> apply(const Twist<S>& u, const Twist<S>& a) const {
    const Vec3<S> wa = cross(u.w, a.w), va = cross(u.v, a.w), wwa = cross(u.w, wa);
    const Vec3<S> wb = cross(u.w, a.v);
    const S along = S(2) * dot(u.w, u.v);
    const Vec3<S> linear = f1 * (wb + va) + f2 * (cross(u.w, wb + va) + cross(u.v, wa));
    return {a.w + f1 * wa + f2 * wwa, a.v + linear + along * (f1_slope * wa + f2_slope * wwa)};
  }
  TwistMap<S> matrix(const Twist<S>& u) const {
    const Mat3<S> F = hat_polynomial(u.w, f1, f2);
    const Mat3<S> W = hat(u.w), V = hat(u.v);
    const S along = S(2) * dot(u.w, u.v);
    const Mat3<S> slope =
        (along * f1_slope) * W - (along * f2_slope) * full(minus_hat_squared(u.w));
    return {F, f1 * V + f2 * (W * V + V * W) + slope, F};
  }
};

template <class S>
DualHatPolynomial<S> dexp_polynomial(const Twist<S>& u) {
  const series::HalfAngle<S> half(norm2(u.w));
  const S exp3 = half.exp3();
  return {half.exp2, exp3, half.exp2_slope(), half.exp3_slope(exp3)};
}
template <class S>
DualHatPolynomial<S> dexp_inverse_polynomial(const Twist<S>& u) {
  const S x = norm2(u.w);
  return {S(-0.5), series::dexp_inverse_coefficient(x), S(0), series::dexp_inverse_slope(x)};
}

template <class S>
struct SE3 {
  using Scalar = S;
  using Element = Pose<S>;
  using Tangent = Twist<S>;
  static constexpr int dim = 6;

  static Element identity() { return Element(); }
  static Element compose(const Element& a, const Element& b) { return a * b; }
  static Element inverse(const Element& a) { return lie::inverse(a); }

  static Element exp(const Tangent& u) {
    const series::HalfAngle<S> half(norm2(u.w));
    const Vec3<S> wv = cross(u.w, u.v);
    return {hat_polynomial(u.w, half.sinc, half.exp2),
            u.v + half.exp2 * wv + half.exp3() * cross(u.w, wv)};
  }
  static Tangent log(const Element& X) {
    const Vec3<S> w = SO3<S>::log(X.R);
    return {w, SO3<S>::dexp_inverse(w, X.p)};
  }
  static Tangent Ad(const Element& X, const Tangent& u) { return lie::Ad(X, u); }
  static Tangent ad(const Tangent& u, const Tangent& v) { return lie::ad(u, v); }

  static Tangent dexp(const Tangent& u, const Tangent& v) { return dexp_polynomial(u).apply(u, v); }
  static Tangent dexp_inverse(const Tangent& u, const Tangent& v) {
    return dexp_inverse_polynomial(u).apply(u, v);
  }
  static TwistMap<S> dexp_matrix(const Tangent& u) { return dexp_polynomial(u).matrix(u); }
  static TwistMap<S> dexp_inverse_matrix(const Tangent& u) {
    return dexp_inverse_polynomial(u).matrix(u);
  }

  // a screw motion: constant body twist log(a^-1 b)
  static Element interpolate(const Element& a, const Element& b, const S& s) {
    return a * exp(s * log(inverse_times(a, b)));
  }

  static std::array<S, 6> flatten(const Tangent& u) {
    return {u.w.x, u.w.y, u.w.z, u.v.x, u.v.y, u.v.z};
  }
  static Tangent unflatten(const std::array<S, 6>& a) {
    return {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
  }
};

}  // namespace cartan::lie
