// The direct product SO(3) x R^3: rotation and position moved independently,
//
//   (R, p)(Q, r) = (R Q, p + r)      exp(w, v) = (exp w, v)      Ad_(R,p) (w, v) = (R w, v).
//
// Elements and tangents are stored as in SE(3), a Pose and a Twist, so that a program can change
// the group and keep its states. The product is not the product of poses (use `compose`, not `*`),
// and the linear part of a tangent is p' in world axes, not R^T p'.
#pragma once

#include <array>

#include "lie/se3.h"
#include "lie/so3.h"

namespace cartan::lie {

template <class S>
struct SO3R3 {
  using Scalar = S;
  using Element = Pose<S>;
  using Tangent = Twist<S>;
  using Rotation = SO3<S>;
  static constexpr int dim = 6;

  static Element identity() { return Element(); }
  static Element compose(const Element& a, const Element& b) { return {a.R * b.R, a.p + b.p}; }
  static Element inverse(const Element& a) { return {transpose(a.R), -a.p}; }
  static Element exp(const Tangent& u) { return {Rotation::exp(u.w), u.v}; }
  static Tangent log(const Element& a) { return {Rotation::log(a.R), a.p}; }
  static Tangent Ad(const Element& a, const Tangent& u) { return {a.R * u.w, u.v}; }
  static Tangent ad(const Tangent& u, const Tangent& v) { return {cross(u.w, v.w), Vec3<S>()}; }
  static Tangent dexp(const Tangent& u, const Tangent& v) {
    return {Rotation::dexp(u.w, v.w), v.v};
  }
  static Tangent dexp_inverse(const Tangent& u, const Tangent& v) {
    return {Rotation::dexp_inverse(u.w, v.w), v.v};
  }
  static TwistMap<S> dexp_matrix(const Tangent& u) {
    return {Rotation::dexp_matrix(u.w), Mat3<S>(), Mat3<S>::identity()};
  }
  static TwistMap<S> dexp_inverse_matrix(const Tangent& u) {
    return {Rotation::dexp_inverse_matrix(u.w), Mat3<S>(), Mat3<S>::identity()};
  }
  // constant body angular velocity, and a straight line walked evenly
  static Element interpolate(const Element& a, const Element& b, const S& s) {
    return {Rotation::interpolate(a.R, b.R, s), a.p + s * (b.p - a.p)};
  }
  static std::array<S, 6> flatten(const Tangent& u) { return SE3<S>::flatten(u); }
  static Tangent unflatten(const std::array<S, 6>& a) { return SE3<S>::unflatten(a); }
};

}  // namespace cartan::lie
