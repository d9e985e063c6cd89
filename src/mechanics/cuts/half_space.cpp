#include "mechanics/cuts/half_space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/mass_properties.h"

namespace cartan::mechanics {
namespace {

using Vec3d = Vec3<double>;

// n . x > d in the axes of a shape, for density one.
struct ShapePlane {
  Vec3d n;
  double d = 0;
};

void add_part(PartMoments& sum, const PartMoments& more, double factor = 1) {
  sum.mass += factor * more.mass;
  sum.first += factor * more.first;
  sum.second += factor * more.second;
}

// ---- boxes

using Tetrahedron = std::array<Vec3d, 4>;

void add_tetrahedron(const Tetrahedron& v, PartMoments& sum) {
  const double volume = std::fabs(dot(v[1] - v[0], cross(v[2] - v[0], v[3] - v[0]))) / 6;
  Vec3d total;
  Mat3<double> squares;
  for (const Vec3d& x : v) total += x, squares += outer(x, x);
  sum.mass += volume;
  sum.first += (volume / 4) * total;
  sum.second += (volume / 20) * (squares + outer(total, total));
}

// Corners in front first; edges across the plane are cut where they meet it.
void add_front(Tetrahedron v, const ShapePlane& side, PartMoments& sum) {
  const auto height = [&](const Vec3d& x) { return dot(side.n, x) - side.d; };
  std::sort(v.begin(), v.end(),
            [&](const Vec3d& a, const Vec3d& b) { return height(a) > height(b); });
  const auto count =
      std::count_if(v.begin(), v.end(), [&](const Vec3d& x) { return height(x) > 0; });
  const auto meet = [&](const Vec3d& a, const Vec3d& b) {
    const double ha = height(a), hb = height(b);
    return a + (ha / (ha - hb)) * (b - a);
  };
  if (count == 0) return;
  if (count == 4) return add_tetrahedron(v, sum);
  if (count == 1)
    return add_tetrahedron({v[0], meet(v[0], v[1]), meet(v[0], v[2]), meet(v[0], v[3])}, sum);
  if (count == 3) {  // a wedge between the triangle in front and its section
    const Vec3d a = meet(v[0], v[3]), b = meet(v[1], v[3]), c = meet(v[2], v[3]);
    add_tetrahedron({v[0], v[1], v[2], a}, sum);
    add_tetrahedron({v[1], v[2], a, b}, sum);
    add_tetrahedron({v[2], a, b, c}, sum);
    return;
  }
  const Vec3d a = meet(v[0], v[2]), b = meet(v[0], v[3]), c = meet(v[1], v[2]),
              d = meet(v[1], v[3]);
  add_tetrahedron({v[0], a, b, v[1]}, sum);
  add_tetrahedron({a, b, v[1], c}, sum);
  add_tetrahedron({b, v[1], c, d}, sum);
}

PartMoments cut_box(const std::vector<double>& size, const ShapePlane& side) {
  const auto corner = [&](int k) {
    return Vec3d{(k & 1 ? 0.5 : -0.5) * size[0], (k & 2 ? 0.5 : -0.5) * size[1],
                 (k & 4 ? 0.5 : -0.5) * size[2]};
  };
  // the six ways along edges from one corner to the opposite one
  constexpr int ways[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
  PartMoments sum;
  for (const auto& way : ways)
    add_front({corner(0), corner(way[0]), corner(way[1]), corner(7)}, side, sum);
  return sum;
}

// ---- spheres

PartMoments cut_sphere(double r, const ShapePlane& side) {
  const double h = std::clamp(side.d, -r, r);
  const auto power = [&](int k) { return (std::pow(r, k) - std::pow(h, k)) / k; };  // int z^(k-1)
  const double along = pi * (r * r * power(3) - power(5));
  const double across = pi / 4 * (std::pow(r, 4) * power(1) - 2 * r * r * power(3) + power(5));
  PartMoments part;
  part.mass = pi * (r * r * power(1) - power(3));
  part.first = pi * (r * r * power(2) - power(4)) * side.n;
  part.second = across * Mat3<double>::identity() + (along - across) * outer(side.n, side.n);
  return part;
}

// ---- cylinders along z

// Gauss' rule with 24 points on [-1, 1]; nodes by Newton's method on Legendre polynomials.
struct GaussRule {
  static constexpr int count = 24;
  std::array<double, count> x{}, weight{};
  GaussRule() {
    for (int i = 0; i < count; ++i) {
      double z = std::cos(pi * (i + 0.75) / (count + 0.5)), slope = 0;
      for (int repeat = 0; repeat < 20; ++repeat) {
        double before = 1, here = z;
        for (int k = 2; k <= count; ++k) {
          const double next = ((2 * k - 1) * z * here - (k - 1) * before) / k;
          before = here;
          here = next;
        }
        slope = count * (z * here - before) / (z * z - 1);
        z -= here / slope;
      }
      x[i] = z;
      weight[i] = 2 / ((1 - z * z) * slope * slope);
    }
  }
};

// The part u > r cos(angle) of a disc: area, int u, int u^2, int v^2.
struct DiscPart {
  double area, u, uu, vv;
  DiscPart(double r, double angle) {
    const double s = std::sin(angle), s2 = std::sin(2 * angle), s4 = std::sin(4 * angle);
    const double r2 = r * r;
    area = r2 * (angle - 0.5 * s2);
    u = 2.0 / 3 * r2 * r * s * s * s;
    uu = r2 * r2 / 4 * (angle - s4 / 4);
    vv = r2 * r2 * (angle / 4 - s2 / 6 + s4 / 48);
  }
};

class CylinderCut {
 public:
  CylinderCut(double r, double length, const ShapePlane& side) : r_(r), half_(length / 2) {
    across_ = std::hypot(side.n.x, side.n.y);
    e_ = across_ > 0 ? Vec3d{side.n.x / across_, side.n.y / across_, 0} : Vec3d{1, 0, 0};
    nz_ = side.n.z, d_ = side.d;
  }

  PartMoments calc() {
    // the chord of the slice at z is at u = (d - nz z) / across; it enters the disc at both ends of
    // [from, to] and lies beyond it outside
    if (across_ < 1e-14) {
      const double z = d_ / nz_;
      nz_ > 0 ? add_full(z, half_) : add_full(-half_, z);
      return sum_;
    }
    const auto chord = [&](double z) { return (d_ - nz_ * z) / across_; };
    if (std::fabs(nz_) * 2 * half_ < 1e-6 * across_ * r_) {  // (almost) parallel to the axis
      add_slices(-half_, half_, [&](double z) { return angle_at(chord(z)); });
      return sum_;
    }
    double from = (d_ - across_ * r_) / nz_, to = (d_ + across_ * r_) / nz_;
    // where the chord is at -r the whole disc is in front
    if (nz_ > 0)
      add_full(to, half_);
    else
      add_full(-half_, to);
    if (from > to) std::swap(from, to);
    from = std::clamp(from, -half_, half_), to = std::clamp(to, -half_, half_);
    if (from < to) add_segments(angle_at(chord(from)), angle_at(chord(to)));
    return sum_;
  }

 private:
  double angle_at(double chord) const { return std::acos(std::clamp(chord / r_, -1.0, 1.0)); }

  void add_slice(double z, double dz, const DiscPart& part) {
    const Vec3d v{-e_.y, e_.x, 0}, axis{0, 0, 1};
    const double mass = part.area * dz, along = part.u * dz;
    sum_.mass += mass;
    sum_.first += along * e_ + mass * z * axis;
    sum_.second += dz * (part.uu * outer(e_, e_) + part.vv * outer(v, v)) +
                   along * z * (outer(e_, axis) + outer(axis, e_)) +
                   mass * z * z * outer(axis, axis);
  }
  void add_full(double from, double to) {
    from = std::clamp(from, -half_, half_), to = std::clamp(to, -half_, half_);
    if (from < to) add_slices(from, to, [](double) { return pi; });
  }
  template <class Angle>
  void add_slices(double from, double to, Angle&& angle) {
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    for (int k = 0; k < GaussRule::count; ++k) {
      const double z = middle + half * rule().x[k];
      add_slice(z, half * rule().weight[k], DiscPart(r_, angle(z)));
    }
  }
  // z = (d - across r cos(angle)) / nz
  void add_segments(double from, double to) {
    const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
    for (int k = 0; k < GaussRule::count; ++k) {
      const double angle = middle + half * rule().x[k];
      const double z = (d_ - across_ * r_ * std::cos(angle)) / nz_;
      const double dz = across_ * r_ * std::sin(angle) / std::fabs(nz_);
      add_slice(z, dz * std::fabs(half) * rule().weight[k], DiscPart(r_, angle));
    }
  }
  static const GaussRule& rule() {
    static const GaussRule rule;
    return rule;
  }

  double r_, half_, across_ = 0, nz_ = 0, d_ = 0;
  Vec3d e_;  // the normal's direction across the axis
  PartMoments sum_;
};

// ---- bodies

PartMoments cut_shape(const Shape& shape, const ShapePlane& side,
                      std::span<const double> parameters) {
  const std::vector<double> x = evaluate<double>(shape.size, parameters);
  PartMoments part;
  switch (shape.kind) {
    case ShapeText::Kind::box:
      return cut_box(x, side);
    case ShapeText::Kind::sphere:
      return cut_sphere(x[0], side);
    case ShapeText::Kind::cylinder:
      return CylinderCut(x[0], x[1], side).calc();
    case ShapeText::Kind::tube:
      part = CylinderCut(x[1], x[2], side).calc();
      add_part(part, CylinderCut(x[0], x[2], side).calc(), -1);
      return part;
    case ShapeText::Kind::mesh:  // refused by the check where it has mass
      break;
  }
  return part;
}

// Moments about the origin of a shape as those about the body's.
PartMoments moved_part(const PartMoments& part, const Mat3<double>& R, const Vec3d& p) {
  PartMoments result;
  const Vec3d first = R * part.first;
  result.mass = part.mass;
  result.first = first + part.mass * p;
  result.second =
      R * part.second * transpose(R) + outer(first, p) + outer(p, first) + part.mass * outer(p, p);
  return result;
}

PartMoments cut_line(const Body& body, const CutPlane* plane, std::span<const double> parameters) {
  const std::vector<double> x = evaluate<double>(body.line, parameters);
  const Vec3d a{x[0], x[1], x[2]}, along = Vec3d{x[3], x[4], x[5]} - a;
  double from = 0, to = 1;
  if (plane) {
    const double height = dot(plane->normal, a - plane->at), rise = dot(plane->normal, along);
    const double meet = rise == 0 ? (height > 0 ? 0 : 1) : std::clamp(-height / rise, 0.0, 1.0);
    (rise < 0 ? to : from) = meet;
  }
  const double mass = evaluate<double>(body.mass, parameters)[0];
  const auto power = [&](int k) { return mass * (std::pow(to, k) - std::pow(from, k)) / k; };
  PartMoments part;
  part.mass = power(1);
  part.first = power(1) * a + power(2) * along;
  part.second = power(1) * outer(a, a) + power(2) * (outer(a, along) + outer(along, a)) +
                power(3) * outer(along, along);
  return part;
}

PartMoments calc_part(const Body& body, const CutPlane* plane, std::span<const double> parameters) {
  if (body.line.given()) return cut_line(body, plane, parameters);
  const double density = evaluate<double>(body.density, parameters)[0];
  PartMoments sum;
  for (const Shape& shape : body.shapes) {
    const Mat3<double> R = calc_rotation<double>(shape.rotate, parameters);
    const Vec3d p = calc_vec3<double>(shape.at, parameters);
    ShapePlane side{{0, 0, 1}, -std::numeric_limits<double>::max()};
    if (plane) side = {transpose_times(R, plane->normal), dot(plane->normal, plane->at - p)};
    add_part(sum, moved_part(cut_shape(shape, side, parameters), R, p), density);
  }
  return sum;
}

}  // namespace

PartMoments calc_front_part(const Body& body, const CutPlane& plane,
                            std::span<const double> parameters) {
  return calc_part(body, &plane, parameters);
}
PartMoments calc_whole_part(const Body& body, std::span<const double> parameters) {
  return calc_part(body, nullptr, parameters);
}

}  // namespace cartan::mechanics
