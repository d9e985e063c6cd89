// Pairs of shapes built around a known place: a point, a normal and a gap are drawn first, and both
// shapes are put where the closed form says that they are nearest there.
#include "mechanics/stepping/narrow_phase.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "support/random.h"

namespace cartan::test {
namespace {

using mechanics::Solid;
using mechanics::SolidKind;
using mechanics::TouchPlace;
using Vector = Vec3<double>;

void find_touch_places(const Solid& a, const Solid& b, double reach,
                       std::vector<TouchPlace>& places) {
  static mechanics::TouchScratch scratch;
  mechanics::find_touch_places(a, b, reach, scratch, places);
}

constexpr int pairs_drawn = 300;
constexpr double rounding = 1e-13;  // of places within a metre or two

// Where b ends, the normal from there to a, and how far away a is.
struct Meeting {
  Vector point, normal;
  double gap;
};

Meeting draw_meeting(Random& random) {
  return {random.vector(1), random.direction(), random.uniform(-0.005, 0.02)};
}

// Any direction across this one.
Vector across(const Vector& n, Random& random) {
  const Vector a = cross(n, random.direction());
  return norm(a) > 0.1 ? (1 / norm(a)) * a : across(n, random);
}

// Axes of which the third is given.
Mat3<double> axes_with(const Vector& third, Random& random) {
  const Vector first = across(third, random);
  return Mat3<double>::columns(first, cross(third, first), third);
}

// Shapes that have `surface` as their outermost point along `outward`, there alone.
Solid sphere_at(const Vector& surface, const Vector& outward, Random& random) {
  Solid solid;
  solid.radius = random.uniform(0.05, 0.3);
  solid.p = surface - solid.radius * outward;
  return solid;
}

// Touched at an end that looks there, or along its middle.
Solid capsule_at(const Vector& surface, const Vector& outward, Random& random, bool end) {
  Solid solid;
  solid.kind = SolidKind::capsule;
  solid.radius = random.uniform(0.05, 0.3);
  solid.length = random.uniform(0.1, 0.5);
  Vector axis = across(outward, random);
  double from_middle = random.uniform(-0.8, 0.8) * solid.length;
  if (end) {
    axis = axis + random.uniform(0.2, 3) * outward;
    axis = (1 / norm(axis)) * axis;
    from_middle = solid.length;
    if (random.chance(0.5)) axis = -axis, from_middle = -solid.length;
  }
  solid.R = axes_with(axis, random);
  solid.p = surface - solid.radius * outward - from_middle * axis;
  return solid;
}

Solid capsule_end_at(const Vector& surface, const Vector& outward, Random& random) {
  return capsule_at(surface, outward, random, true);
}
Solid capsule_side_at(const Vector& surface, const Vector& outward, Random& random) {
  return capsule_at(surface, outward, random, false);
}

// Touched at a corner.
Solid box_at(const Vector& surface, const Vector& outward, Random& random) {
  Solid solid;
  solid.kind = SolidKind::box;
  solid.half = {random.uniform(0.1, 0.4), random.uniform(0.1, 0.4), random.uniform(0.1, 0.4)};
  for (;;) {
    solid.R = rotation_matrix(random.rotation());
    const Vector local = transpose_times(solid.R, outward);
    if (std::min({std::fabs(local.x), std::fabs(local.y), std::fabs(local.z)}) < 0.3) continue;
    solid.p = surface;
    for (int k = 0; k < 3; ++k) solid.p -= std::copysign(solid.half[k], local[k]) * solid.R.c[k];
    return solid;
  }
}

// Its face lies there, the place within it.
Solid flat_box_at(const Vector& surface, const Vector& outward, Random& random) {
  Solid solid;
  solid.kind = SolidKind::box;
  solid.half = {random.uniform(0.4, 0.6), random.uniform(0.4, 0.6), random.uniform(0.4, 0.6)};
  solid.R = axes_with(outward, random);
  solid.p = surface - solid.half.z * outward + random.uniform(-0.1, 0.1) * solid.R.c[0] +
            random.uniform(-0.1, 0.1) * solid.R.c[1];
  return solid;
}

// One of its edges lies there, along any direction across the outward one.
Solid edge_at(const Vector& surface, const Vector& outward, Random& random) {
  Solid solid;
  solid.kind = SolidKind::box;
  solid.half = {random.uniform(0.3, 0.5), random.uniform(0.3, 0.5), random.uniform(0.3, 0.5)};
  const Vector along = across(outward, random), third = cross(along, outward);
  const double angle = random.uniform(0.3, 1.2);
  const Vector x = std::cos(angle) * outward + std::sin(angle) * third;
  solid.R = Mat3<double>::columns(x, cross(along, x), along);
  solid.p = surface + random.uniform(-0.1, 0.1) * along;
  for (int k = 0; k < 2; ++k)
    solid.p -= std::copysign(solid.half[k], dot(solid.R.c[k], outward)) * solid.R.c[k];
  return solid;
}

Solid plane_at(const Vector& surface, const Vector& outward, Random& random) {
  Solid solid;
  solid.kind = SolidKind::plane;
  solid.normal = outward;
  solid.p = surface + random.uniform(-1, 1) * across(outward, random);
  return solid;
}

using MakeSolid = Solid (*)(const Vector&, const Vector&, Random&);

// The place with the least gap is the drawn one; no other one is nearer.
void expect_meeting(const std::string& name, const Solid& a, const Solid& b, const Meeting& drawn) {
  std::vector<TouchPlace> places;
  find_touch_places(a, b, 0.05, places);
  ASSERT_FALSE(places.empty()) << name;
  const TouchPlace& found =
      *std::min_element(places.begin(), places.end(),
                        [](const TouchPlace& x, const TouchPlace& y) { return x.gap < y.gap; });
  EXPECT_NEAR(found.gap, drawn.gap, rounding) << name;
  // normals of round shapes are differences of places some centimetres apart
  EXPECT_LT(norm(found.normal - drawn.normal), 100 * rounding) << name;
  // on the surface of b; where b is flat or a plane, what matters is the line of the normal
  const Vector off = found.point - drawn.point;
  EXPECT_LT(norm(off - dot(off, drawn.normal) * drawn.normal), 100 * rounding) << name;
  EXPECT_LE(std::fabs(dot(off, drawn.normal)), std::fabs(drawn.gap) + 100 * rounding) << name;
  for (const TouchPlace& place : places) EXPECT_NEAR(norm(place.normal), 1, rounding) << name;
}

TEST(NarrowPhase, FindsThePlaceThatPairsAreBuiltAround) {
  struct Kind {
    const char* name;
    MakeSolid make;
  };
  const Kind touching[] = {{"sphere", sphere_at},
                           {"end of a capsule", capsule_end_at},
                           {"side of a capsule", capsule_side_at},
                           {"corner", box_at}};
  const Kind touched[] = {{"sphere", sphere_at},
                          {"end of a capsule", capsule_end_at},
                          {"side of a capsule", capsule_side_at},
                          {"corner", box_at},
                          {"edge", edge_at},
                          {"face", flat_box_at},
                          {"plane", plane_at}};
  Random random(1919);
  for (const Kind& a : touching)
    for (const Kind& b : touched) {
      // a side along something flat has no single nearest place (FlatPairsRestOnTheirEnds); two
      // boxes look for the axis that parts them, which corners alone do not have
      const bool flat = b.make == flat_box_at || b.make == plane_at, box = a.make == box_at;
      if (flat && a.make == capsule_side_at) continue;
      if (box && (b.make == box_at || b.make == edge_at)) continue;
      for (int k = 0; k < pairs_drawn; ++k) {
        Meeting drawn = draw_meeting(random);
        Solid sb = b.make(drawn.point, drawn.normal, random);
        const Vector above = drawn.point + drawn.gap * drawn.normal;
        Solid sa = a.make(above, -drawn.normal, random);
        while (a.make == capsule_side_at && (b.make == capsule_side_at || b.make == edge_at) &&
               norm(cross(sa.R.c[2], sb.R.c[2])) < 0.5)
          sa = a.make(above, -drawn.normal, random);
        const std::string name = std::string(a.name) + " on " + b.name;
        expect_meeting(name, sa, sb, drawn);
        if (b.make != plane_at)
          expect_meeting(name + ", exchanged", sb, sa, {above, -drawn.normal, drawn.gap});
      }
    }
}

// Two edges of boxes that cross.
TEST(NarrowPhase, EdgesThatCross) {
  Random random(77);
  for (int k = 0; k < pairs_drawn; ++k) {
    const Meeting drawn = draw_meeting(random);
    const Solid b = edge_at(drawn.point, drawn.normal, random);
    const Vector above = drawn.point + drawn.gap * drawn.normal;
    Solid a = edge_at(above, -drawn.normal, random);
    while (norm(cross(a.R.c[2], b.R.c[2])) < 0.5) a = edge_at(above, -drawn.normal, random);
    expect_meeting("edge on edge", a, b, drawn);
  }
}

// Flat on each other there are places enough to carry a weight anywhere between them.
struct Flat {
  const char* name;
  Solid a, b;
  std::vector<Vector> expected;
};

Solid lying_capsule(double radius, double half, const Vector& p) {
  Solid solid;
  solid.kind = SolidKind::capsule;
  solid.radius = radius, solid.length = half, solid.p = p;
  solid.R = Mat3<double>::columns({0, 0, -1}, {0, 1, 0}, {1, 0, 0});  // along x
  return solid;
}

Solid upright_box(const Vector& half, const Vector& p) {
  Solid solid;
  solid.kind = SolidKind::box;
  solid.half = half, solid.p = p;
  solid.R = Mat3<double>::identity();
  return solid;
}

TEST(NarrowPhase, FlatPairsRestOnTheirEnds) {
  constexpr double r = 0.1, gap = 1e-3;
  const Solid slab = upright_box({0.5, 0.4, 0.05}, {0, 0, -0.05});
  Solid floor;
  floor.kind = SolidKind::plane;
  floor.normal = {0, 0, 1};
  const Flat cases[] = {
      {"capsule on a plane",
       lying_capsule(r, 0.3, {0, 0, r + gap}),
       floor,
       {{-0.3, 0, 0}, {0.3, 0, 0}}},
      {"capsule on a face",
       lying_capsule(r, 0.3, {0, 0, r + gap}),
       slab,
       {{-0.3, 0, 0}, {0.3, 0, 0}}},
      {"capsule longer than the face",
       lying_capsule(r, 0.8, {0, 0, r + gap}),
       slab,
       {{-0.5, 0, 0}, {0.5, 0, 0}}},
      {"capsule with one end beside the face",
       lying_capsule(r, 0.4, {0.3, 0, r + gap}),
       slab,
       {{-0.1, 0, 0}, {0.5, 0, 0}}},
      {"capsules side by side",
       lying_capsule(r, 0.3, {0.1, 0, r + gap}),
       lying_capsule(r, 0.5, {0, 0, -r}),
       {{-0.2, 0, 0}, {0.4, 0, 0}}},
      {"box on a plane",
       upright_box({0.3, 0.2, 0.1}, {0, 0, 0.1 + gap}),
       floor,
       {{-0.3, -0.2, 0}, {0.3, -0.2, 0}, {-0.3, 0.2, 0}, {0.3, 0.2, 0}}},
      {"box over the edge of a face",
       upright_box({0.3, 0.2, 0.1}, {0.4, 0, 0.1 + gap}),
       slab,
       {{0.1, -0.2, 0}, {0.5, -0.2, 0}, {0.1, 0.2, 0}, {0.5, 0.2, 0}}},
  };
  for (const Flat& flat : cases) {
    std::vector<TouchPlace> places;
    find_touch_places(flat.a, flat.b, 0.01, places);
    for (const Vector& wanted : flat.expected) {
      const bool found = std::any_of(places.begin(), places.end(), [&](const TouchPlace& place) {
        const Vector off = place.point - wanted;
        return std::hypot(off.x, off.y) < 1e-12 && std::fabs(place.gap - gap) < 1e-12 &&
               norm(place.normal - Vector{0, 0, 1}) < 1e-12;
      });
      EXPECT_TRUE(found) << flat.name << ": nothing at " << wanted.x << ", " << wanted.y;
    }
    std::vector<int> features;
    for (const TouchPlace& place : places) features.push_back(place.feature);
    std::sort(features.begin(), features.end());
    EXPECT_EQ(std::adjacent_find(features.begin(), features.end()), features.end()) << flat.name;
  }
}

// Next to parallel, but crossed: the ends are farther apart than the middles.
TEST(NarrowPhase, CapsulesNextToParallel) {
  constexpr double angle = 5e-4, r = 0.05, half = 1;
  const Solid below = lying_capsule(r, half, {0, 0, -r});
  Solid above = lying_capsule(r, half, {0, 0, r});
  above.R = Mat3<double>::columns({0, 0, -1}, {-std::sin(angle), std::cos(angle), 0},
                                  {std::cos(angle), std::sin(angle), 0});
  std::vector<TouchPlace> places;
  find_touch_places(above, below, 0.01, places);
  double least = 1;
  for (const TouchPlace& place : places) least = std::min(least, place.gap);
  EXPECT_NEAR(least, 0, rounding);  // the ends alone have (half angle)^2 / (4 r) = 1.2e-6 m
}

}  // namespace
}  // namespace cartan::test
