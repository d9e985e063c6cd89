#include "symbolic/vectors/vectors.h"

namespace cartan::symbolic {
namespace {

// D v' for every column v of the identity, given how one vector goes over
template <class Map>
Mat3<Expression> map_columns(const Mat3<Expression>& m, Map&& map) {
  return Mat3<Expression>::columns(map(m.c[0]), map(m.c[1]), map(m.c[2]));
}

Vec3<Expression> in_frame_of(const Dyad& a, const Vector& v) {
  return components(v, a.frame());
}

}  // namespace

Dyad Dyad::inertia(Frame frame, const Expression& i11, const Expression& i22, const Expression& i33,
                   const Expression& i12, const Expression& i13, const Expression& i23) {
  return {frame, full(Sym3<Expression>{i11, i22, i33, i12, i13, i23})};
}

// R D R^T: columns turned, then rows.
Dyad express(const Dyad& a, Frame frame) {
  if (a.is_zero() || a.frame() == frame) return a;
  Frames& frames = *frame.frames;
  auto turn = [&](const Vec3<Expression>& v) {
    return frames.transform(v, a.frame().index, frame.index);
  };
  const Mat3<Expression> half = transpose(map_columns(a.components(), turn));
  return {frame, transpose(map_columns(half, turn))};
}

Dyad operator+(const Dyad& a, const Dyad& b) {
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  return {b.frame(), express(a, b.frame()).components() + b.components()};
}

Vector operator*(const Dyad& a, const Vector& v) {
  if (a.is_zero() || v.is_zero()) return {};
  return {a.frame(), a.components() * in_frame_of(a, v)};
}

Vector operator*(const Vector& v, const Dyad& a) {
  if (a.is_zero() || v.is_zero()) return {};
  return {a.frame(), transpose_times(a.components(), in_frame_of(a, v))};
}

Dyad outer(const Vector& a, const Vector& b) {
  if (a.is_zero() || b.is_zero()) return {};
  const Frame frame = natural_frame(b);
  return {frame, outer(components(a, frame), components(b, frame))};
}

Dyad cross(const Vector& v, const Dyad& a) {
  if (a.is_zero() || v.is_zero()) return {};
  return {a.frame(), hat(in_frame_of(a, v)) * a.components()};
}

Dyad cross(const Dyad& a, const Vector& v) {
  if (a.is_zero() || v.is_zero()) return {};
  return {a.frame(), a.components() * hat(in_frame_of(a, v))};
}

Dyad skew(const Vector& v) {
  if (v.is_zero()) return {};
  const Frame frame = natural_frame(v);
  return {frame, hat(components(v, frame))};
}

Vector axial(const Dyad& a) {
  if (a.is_zero()) return {};
  const Mat3<Expression>& m = a.components();
  const Expression half = 0.5;
  return {a.frame(), half * (m(2, 1) - m(1, 2)), half * (m(0, 2) - m(2, 0)),
          half * (m(1, 0) - m(0, 1))};
}

Dyad local_derivative(const Dyad& a) {
  if (a.is_zero()) return a;
  Kinematics& kinematics = a.frame().frames->kinematics();
  return {a.frame(), map_columns(a.components(),
                                 [&](const Vec3<Expression>& c) { return kinematics.rate(c); })};
}

// D' in A = D' in B + w x D - D x w, w of B relative to A.
Dyad derivative(const Dyad& a, Frame frame) {
  if (a.is_zero()) return a;
  const Vector w = frame.frames->angular_velocity(a.frame(), frame);
  if (w.is_zero()) return local_derivative(a);
  return local_derivative(a) + cross(w, a) - cross(a, w);
}

}  // namespace cartan::symbolic
