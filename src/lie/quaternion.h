// Quaternions q = w + x i + y j + z k as rotations, and S3, the group of those of length one.
//
//   product    (a, u)(b, v) = (ab - u.v, a v + b u + u x v)
//   rotation   R(q) = 1 + (2/|q|^2) (w hat(v) + hat(v)^2),  R(pq) = R(p) R(q),  R(-q) = R(q)
//   exp        a in R^3 (rotation vector) -> (cos(|a|/2), sin(|a|/2) a/|a|)
//   rate       R' = R hat(w)  <=>  q' = 1/2 q (0, w),  w in body axes
//
// R is homogeneous of degree zero in q: a quaternion whose length has drifted, or an intermediate
// stage of an integrator, still gives an exactly orthogonal matrix (to rounding).
#pragma once

#include <array>

#include "core/vec3.h"
#include "lie/series.h"

namespace cartan::lie {

template <class S>
struct Quat {
  S w = S(1), x{}, y{}, z{};  // the default is no rotation

  Quat() = default;
  Quat(const S& w_, const S& x_, const S& y_, const S& z_) : w(w_), x(x_), y(y_), z(z_) {}
  Quat(const S& w_, const Vec3<S>& v) : w(w_), x(v.x), y(v.y), z(v.z) {}
  template <class T>
  requires(!std::is_same_v<T, S> && std::is_convertible_v<T, S>) explicit Quat(const Quat<T>& o)
      : w(o.w), x(o.x), y(o.y), z(o.z) {}

  Vec3<S> vector() const { return {x, y, z}; }

  friend Quat operator+(const Quat& p, const Quat& q) {
    return {p.w + q.w, p.x + q.x, p.y + q.y, p.z + q.z};
  }
  friend Quat operator-(const Quat& p, const Quat& q) {
    return {p.w - q.w, p.x - q.x, p.y - q.y, p.z - q.z};
  }
  friend Quat operator-(const Quat& q) { return {-q.w, -q.x, -q.y, -q.z}; }
  friend Quat operator*(const S& s, const Quat& q) { return {s * q.w, s * q.x, s * q.y, s * q.z}; }
  friend Quat operator*(const Quat& p, const Quat& q) {
    return {p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
            p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
            p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
            p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
  }
};

template <class S>
Quat<S> conjugate(const Quat<S>& q) {
  return {q.w, -q.x, -q.y, -q.z};
}
template <class S>
S norm2(const Quat<S>& q) {
  return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
}
template <class S>
S norm(const Quat<S>& q) {
  return sqrt(norm2(q));
}
template <class S>
Quat<S> normalized(const Quat<S>& q) {
  return (S(1) / norm(q)) * q;
}
template <class S>
Quat<S> inverse(const Quat<S>& q) {
  return (S(1) / norm2(q)) * conjugate(q);
}

// R = 1 + (2/|q|^2)(w hat(v) + hat(v)^2), for a quaternion of any length
template <class S>
Mat3<S> rotation_matrix(const Quat<S>& q) {
  const S s = S(2) / norm2(q);
  const S sx = s * q.x, sy = s * q.y, sz = s * q.z;
  const S wx = q.w * sx, wy = q.w * sy, wz = q.w * sz;
  const S xx = q.x * sx, yy = q.y * sy, zz = q.z * sz;
  const S xy = q.x * sy, xz = q.x * sz, yz = q.y * sz;
  return Mat3<S>::columns({S(1) - (yy + zz), xy + wz, xz - wy},
                          {xy - wz, S(1) - (xx + zz), yz + wx},
                          {xz + wy, yz - wx, S(1) - (xx + yy)});
}

// R(q) a without forming R: a + s (w (v x a) + v x (v x a)), s = 2/|q|^2
template <class S>
Vec3<S> rotate(const Quat<S>& q, const Vec3<S>& a) {
  const Vec3<S> v = q.vector();
  const Vec3<S> va = (S(2) / norm2(q)) * cross(v, a);
  return a + q.w * va + cross(v, va);
}
// R(q)^T a
template <class S>
Vec3<S> rotate_back(const Quat<S>& q, const Vec3<S>& a) {
  return rotate(conjugate(q), a);
}

template <class C, class S>
Quat<S> select_quat(const C& c, const Quat<S>& p, const Quat<S>& q) {
  return {select(c, p.w, q.w), select(c, p.x, q.x), select(c, p.y, q.y), select(c, p.z, q.z)};
}

// The unit quaternion of R with w >= 0. The rows below are 4 q_k q for k = w, x, y, z, linear in R;
// the one with the largest q_k (at least 1/2) is divided by its length, so no digit is lost for any
// rotation.
template <class S>
Quat<S> from_rotation_matrix(const Mat3<S>& R) {
  const S a = R(2, 1) - R(1, 2), b = R(0, 2) - R(2, 0), c = R(1, 0) - R(0, 1);
  const S d = R(1, 0) + R(0, 1), e = R(0, 2) + R(2, 0), f = R(2, 1) + R(1, 2);
  const S r0 = R(0, 0), r1 = R(1, 1), r2 = R(2, 2);
  const Quat<S> by_w(S(1) + r0 + r1 + r2, a, b, c);
  const Quat<S> by_x(a, S(1) + r0 - r1 - r2, d, e);
  const Quat<S> by_y(b, d, S(1) - r0 + r1 - r2, f);
  const Quat<S> by_z(c, e, f, S(1) - r0 - r1 + r2);
  const Quat<S> wx = select_quat(less(by_w.w, by_x.x), by_x, by_w);
  const Quat<S> yz = select_quat(less(by_y.y, by_z.z), by_z, by_y);
  const S largest_wx = max(by_w.w, by_x.x), largest_yz = max(by_y.y, by_z.z);
  const Quat<S> q = select_quat(less(largest_wx, largest_yz), yz, wx);
  return select(less(q.w, S(0)), S(-1), S(1)) / norm(q) * q;
}

// exp: the unit quaternion of the rotation vector a
template <class S>
Quat<S> exp_quat(const Vec3<S>& a) {
  S c, s;
  series::cosine_and_sinc(S(0.25) * norm2(a), c, s);  // at t/2
  return {c, S(0.5) * s * a};
}

// log: the rotation vector of R(q), of length in [0, pi]; q of any length but zero, q and -q alike.
// With n = |v| and w made >= 0: 2 atan2(n, w)/n v. Near the identity 2/w atan(r)/r with r = n/w, a
// series in r^2, so that nothing is divided by n; near the half turn w is small and atan2 loses
// nothing.
template <class S>
Vec3<S> log(const Quat<S>& q) {
  const S sign = select(less(q.w, S(0)), S(-1), S(1));
  const S w = sign * q.w;
  const S n2 = norm2(q.vector());
  const auto small = less(n2, S(series::arc_switch) * w * w);
  const S safe_w = select(small, w, S(1));
  const S ratio2 = select(small, n2, S(0)) / (safe_w * safe_w);
  const S n = sqrt(select(small, S(1), n2));
  const S factor = select(small, series::arc_ratio(ratio2) / safe_w, atan2(n, w) / n);
  return S(2) * sign * factor * q.vector();
}

// q' = 1/2 q (0, w), w in body axes
template <class S>
Quat<S> rate(const Quat<S>& q, const Vec3<S>& w) {
  return S(0.5) * (q * Quat<S>(S(0), w));
}
// The body angular velocity of a given rate: w = 2 vec(q^-1 q')
template <class S>
Vec3<S> angular_velocity(const Quat<S>& q, const Quat<S>& q_rate) {
  return S(2) * (inverse(q) * q_rate).vector();
}

// From p (s = 0) to q (s = 1) at constant angular velocity along the shorter way: at s = 1 the
// result is q or -q, the same rotation.
template <class S>
Quat<S> slerp(const Quat<S>& p, const Quat<S>& q, const S& s) {
  return p * exp_quat(s * log(conjugate(p) * q));
}

}  // namespace cartan::lie
