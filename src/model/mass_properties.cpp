#include "model/mass_properties.h"
#include "core/mixed.h"
#include "symbolic/expression.h"

namespace cartan::model {
namespace {

// A homogeneous shape about its own centre, in its own axes: volume, and inertia for density one.
template <class S>
struct Solid {
  S volume;
  Sym3<S> inertia;
  Vec3<S> center = {};  // a mesh has its own
};

// Rotationally symmetric about z, of length h, between radii whose squares sum up to r2
template <class S>
Solid<S> round_bar(const S& volume, const S& r2, const S& h) {
  const S across = volume * (S(3) * r2 + h * h) / S(12);
  return {volume, Sym3<S>::diagonal(across, across, volume * r2 / S(2))};
}

// Scaled by s: volume |s1 s2 s3|, centre s c, second moments P_ij s_i s_j; the inertia is
// tr(P) 1 - P.
template <class S>
Solid<S> calc_mesh(const MeshSolid& mesh, const std::vector<S>& s) {
  const S factor = abs(s[0] * s[1] * s[2]);
  const double* p = mesh.second;
  const S xx = factor * s[0] * s[0] * S(p[0]), yy = factor * s[1] * s[1] * S(p[1]),
          zz = factor * s[2] * s[2] * S(p[2]);
  Solid<S> solid{factor * S(mesh.volume),
                 Sym3<S>{yy + zz, xx + zz, xx + yy, -(factor * s[0] * s[1] * S(p[3])),
                         -(factor * s[0] * s[2] * S(p[4])), -(factor * s[1] * s[2] * S(p[5]))}};
  solid.center = {s[0] * S(mesh.center.x), s[1] * S(mesh.center.y), s[2] * S(mesh.center.z)};
  return solid;
}

template <class S>
Solid<S> calc_solid(const Shape& shape, std::span<const S> parameters) {
  const std::vector<S> x = evaluate<S>(shape.size, parameters);
  switch (shape.kind) {
    case ShapeText::Kind::box: {
      const S volume = x[0] * x[1] * x[2], factor = volume / S(12);
      const S a = x[0] * x[0], b = x[1] * x[1], c = x[2] * x[2];
      return {volume, Sym3<S>::diagonal(factor * (b + c), factor * (a + c), factor * (a + b))};
    }
    case ShapeText::Kind::cylinder:
      return round_bar<S>(S(pi) * x[0] * x[0] * x[1], x[0] * x[0], x[1]);
    case ShapeText::Kind::tube: {
      const S inner = x[0] * x[0], outer = x[1] * x[1];
      return round_bar<S>(S(pi) * (outer - inner) * x[2], inner + outer, x[2]);
    }
    case ShapeText::Kind::mesh:
      return calc_mesh(shape.solid, x);
    case ShapeText::Kind::sphere:
      break;
  }
  const S r2 = x[0] * x[0];
  const S volume = S(4.0 / 3.0 * pi) * r2 * x[0], moment = S(0.4) * volume * r2;
  return {volume, Sym3<S>::diagonal(moment, moment, moment)};
}

// Shapes together: volumes add, inertias about the common centre by the parallel-axis theorem.
template <class S>
MassProperties<S> calc_from_shapes(const Body& body, std::span<const S> parameters) {
  const S density = evaluate<S>(body.density, parameters)[0];
  std::vector<MassProperties<S>> parts;
  MassProperties<S> whole;
  Vec3<S> moment;
  for (const Shape& shape : body.shapes) {
    const Solid<S> solid = calc_solid(shape, parameters);
    const Mat3<S> R = calc_rotation(shape.rotate, parameters);
    MassProperties<S> part{density * solid.volume, calc_vec3(shape.at, parameters),
                           density * rotate(R, solid.inertia)};
    if (shape.kind == ShapeText::Kind::mesh) part.com += R * solid.center;
    whole.mass += part.mass;
    moment += part.mass * part.com;
    parts.push_back(part);
  }
  whole.com = (S(1) / whole.mass) * moment;
  for (const MassProperties<S>& part : parts)
    whole.inertia += part.inertia + part.mass * minus_hat_squared(part.com - whole.com);
  return whole;
}

// A thin uniform rod.
template <class S>
MassProperties<S> calc_from_line(const Body& body, std::span<const S> parameters) {
  const std::vector<S> x = evaluate<S>(body.line, parameters);
  const Vec3<S> a{x[0], x[1], x[2]}, b{x[3], x[4], x[5]};
  const S mass = evaluate<S>(body.mass, parameters)[0];
  return {mass, S(0.5) * (a + b), (mass / S(12)) * minus_hat_squared(b - a)};
}

}  // namespace

template <class S>
MassProperties<S> calc_mass_properties(const Body& body, std::span<const S> parameters) {
  if (body.density.given()) return calc_from_shapes(body, parameters);
  if (body.line.given()) return calc_from_line(body, parameters);
  const std::vector<S> i = evaluate<S>(body.inertia, parameters);
  return {evaluate<S>(body.mass, parameters)[0], calc_vec3(body.com, parameters),
          Sym3<S>{i[0], i[1], i[2], i[3], i[4], i[5]}};
}

template <class S>
Quat<S> calc_quaternion(const Rotation& rotation, std::span<const S> parameters) {
  if (rotation.kind == RotationText::Kind::none) return {};
  const std::vector<S> x = evaluate<S>(rotation.values, parameters);
  const auto turn = [](const Vec3<S>& axis, const S& angle) {
    S s, c;
    sincos(S(0.5) * angle, s, c);
    return Quat<S>(c, s * axis);
  };
  switch (rotation.kind) {
    case RotationText::Kind::axis_angle: {
      const Vec3<S> axis{x[0], x[1], x[2]};
      return turn((S(1) / norm(axis)) * axis, x[3]);
    }
    case RotationText::Kind::quaternion:
      return normalized(Quat<S>(x[0], x[1], x[2], x[3]));
    case RotationText::Kind::rpy:
      return turn({S(0), S(0), S(1)}, x[2]) * turn({S(0), S(1), S(0)}, x[1]) *
             turn({S(1), S(0), S(0)}, x[0]);
    case RotationText::Kind::none:
      break;
  }
  return {};
}

template <class S>
Mat3<S> calc_rotation(const Rotation& rotation, std::span<const S> parameters) {
  if (rotation.kind == RotationText::Kind::none) return Mat3<S>::identity();
  return rotation_matrix(calc_quaternion(rotation, parameters));
}

template <class S>
Vec3<S> calc_vec3(const Formula& formula, std::span<const S> parameters) {
  if (!formula.given()) return {};
  const std::vector<S> x = evaluate<S>(formula, parameters);
  return {x[0], x[1], x[2]};
}

#define CARTAN_INSTANTIATE(S)                                                          \
  template MassProperties<S> calc_mass_properties<S>(const Body&, std::span<const S>); \
  template Quat<S> calc_quaternion<S>(const Rotation&, std::span<const S>);            \
  template Mat3<S> calc_rotation<S>(const Rotation&, std::span<const S>);              \
  template Vec3<S> calc_vec3<S>(const Formula&, std::span<const S>);
CARTAN_FOR_EACH_SCALAR_AND_EXPRESSION(CARTAN_INSTANTIATE)
CARTAN_INSTANTIATE(Mixed)
#undef CARTAN_INSTANTIATE

}  // namespace cartan::model
