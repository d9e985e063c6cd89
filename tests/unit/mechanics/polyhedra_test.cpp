// Convex bodies with plane faces against boxes, which have closed forms of their own, against the
// hull of all differences of corners, and against distances of all features one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "mechanics/stepping/narrow_phase.h"
#include "model/convex_hull.h"
#include "support/random.h"

namespace cartan::test {
namespace {

using mechanics::Solid;
using mechanics::SolidKind;
using mechanics::TouchPlace;
using Vector = Vec3<double>;
using Points = std::vector<Vector>;

constexpr double flat_rounding = 1e-13;  // of places within a metre or two

std::vector<TouchPlace> places_of(const Solid& a, const Solid& b, double reach) {
  static mechanics::TouchScratch scratch;
  std::vector<TouchPlace> places;
  find_touch_places(a, b, reach, scratch, places);
  std::vector<std::uint32_t> features;
  for (const TouchPlace& place : places) {
    features.push_back(place.feature);
    EXPECT_NEAR(norm(place.normal), 1, flat_rounding);
    EXPECT_LE(place.gap, reach);
  }
  std::sort(features.begin(), features.end());
  EXPECT_EQ(std::adjacent_find(features.begin(), features.end()), features.end());
  return places;
}

double least_gap(const std::vector<TouchPlace>& places) {
  double least = std::numeric_limits<double>::infinity();
  for (const TouchPlace& place : places) least = std::min(least, place.gap);
  return least;
}

// About the middle of its points, as pieces of groups are.
Polyhedron body_of(const Points& points) {
  std::string problem;
  const Polyhedron made = make_polyhedron(points, problem);
  EXPECT_EQ(problem, "");
  return moved_polyhedron(made, {1, 1, 1}, -made.middle);
}

Solid placed(const Polyhedron& body, const Mat3<double>& R, const Vector& p) {
  Solid solid;
  solid.kind = SolidKind::polyhedron;
  solid.body = &body;
  solid.R = R, solid.p = p;
  return solid;
}

Points world_corners(const Solid& solid) {
  Points points;
  for (const Vector& c : solid.body->corners) points.push_back(solid.p + solid.R * c);
  return points;
}

Points corners_of_box(const Vector& half) {
  Points corners;
  for (int k = 0; k < 8; ++k)
    corners.push_back(
        {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z});
  return corners;
}

// ------------------------------------------------------------------------ boxes in two ways

// The same places, in whatever order.
void expect_same(const std::vector<TouchPlace>& found, const std::vector<TouchPlace>& wanted,
                 const std::string& name) {
  EXPECT_EQ(found.size(), wanted.size()) << name;
  for (const TouchPlace& w : wanted)
    EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                            [&](const TouchPlace& f) {
                              return norm(f.point - w.point) < 1e-12 &&
                                     norm(f.normal - w.normal) < 1e-12 &&
                                     std::fabs(f.gap - w.gap) < flat_rounding;
                            }))
        << name << ": no place with gap " << w.gap;
}

struct TwoWays {
  Polyhedron body;
  Solid box, mesh;
};

void make_two_ways(TwoWays& made, Random& random) {
  const Vector half{random.uniform(0.1, 0.5), random.uniform(0.1, 0.5), random.uniform(0.1, 0.5)};
  made.body = body_of(corners_of_box(half));
  made.box.kind = SolidKind::box;
  made.box.half = half;
  // also axes along those of the world, where faces lie flat on each other
  made.box.R = random.chance(0.2) ? Mat3<double>::identity() : rotation_matrix(random.rotation());
  made.mesh = placed(made.body, made.box.R, {});
}

void move_to(TwoWays& both, const Vector& p) {
  both.box.p = both.mesh.p = p;
}

TEST(Polyhedra, CubesTouchAsBoxesDo) {
  Random random(5);
  int touching = 0, flat = 0, edges = 0;
  for (int k = 0; k < 4000; ++k) {
    TwoWays a, b;
    make_two_ways(a, random), make_two_ways(b, random);
    const Vector d = random.direction();
    // along d until they just touch, a little more or less
    double apart = 2;
    for (double step = 1; step > 1e-3; step /= 2) {
      move_to(a, apart * d);
      apart += places_of(a.box, b.box, 0.0).empty() ? -step : step;
    }
    move_to(a, (apart + random.uniform(-0.02, 0.02)) * d);
    const std::vector<TouchPlace> wanted = places_of(a.box, b.box, 0.01);
    touching += !wanted.empty();
    flat += wanted.size() > 2;
    edges += wanted.size() == 1 && wanted[0].feature >= mechanics::edge_features;
    const std::string name = std::to_string(k);
    expect_same(places_of(a.mesh, b.mesh, 0.01), wanted, name + " mesh on mesh");
    expect_same(places_of(a.mesh, b.box, 0.01), wanted, name + " mesh on box");
    expect_same(places_of(a.box, b.mesh, 0.01), wanted, name + " box on mesh");
  }
  EXPECT_GT(touching, 2000);
  EXPECT_GT(flat, 100);
  EXPECT_GT(edges, 300);
}

Solid round_solid(SolidKind kind, Random& random) {
  Solid solid;
  solid.kind = kind;
  solid.radius = random.uniform(0.05, 0.2);
  if (kind == SolidKind::capsule) solid.length = random.uniform(0.1, 0.6);
  if (kind == SolidKind::hollow) solid.radius = random.uniform(0.9, 1.1);
  solid.R = random.chance(0.2) ? Mat3<double>::identity() : rotation_matrix(random.rotation());
  solid.normal = random.chance(0.2) ? Vector{0, 0, 1} : random.direction();
  solid.p = kind == SolidKind::hollow ? random.vector(0.2) : random.vector(0.8);
  return solid;
}

TEST(Polyhedra, CubesTouchOtherShapesAsBoxesDo) {
  Random random(6);
  for (const SolidKind kind :
       {SolidKind::sphere, SolidKind::capsule, SolidKind::plane, SolidKind::hollow}) {
    int touching = 0;
    for (int k = 0; k < 2000; ++k) {
      TwoWays cube;
      make_two_ways(cube, random);
      const Solid other = round_solid(kind, random);
      const bool second = kind == SolidKind::plane || kind == SolidKind::hollow;
      const auto wanted =
          second ? places_of(cube.box, other, 0.05) : places_of(other, cube.box, 0.05);
      touching += !wanted.empty();
      expect_same(second ? places_of(cube.mesh, other, 0.05) : places_of(other, cube.mesh, 0.05),
                  wanted, std::to_string(static_cast<int>(kind)) + " " + std::to_string(k));
    }
    EXPECT_GT(touching, 50) << static_cast<int>(kind);
  }
}

// --------------------------------------------------------------------------- closed forms

TEST(Polyhedra, OctahedraAndTetrahedraInClosedForm) {
  const Polyhedron octahedron =
      body_of({{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}});
  EXPECT_EQ(octahedron.faces.size(), 8u);
  const Mat3<double> I = Mat3<double>::identity();
  const Solid still = placed(octahedron, I, {});
  Solid ball;
  ball.radius = 0.5;
  ball.p = {1, 1, 1};  // over a face: its plane is x + y + z = 1
  EXPECT_NEAR(least_gap(places_of(ball, still, 1)), 2 / std::sqrt(3.0) - 0.5, flat_rounding);
  ball.p = {1, 1, 0};  // before an edge
  EXPECT_NEAR(least_gap(places_of(ball, still, 1)), std::sqrt(0.5) - 0.5, flat_rounding);
  ball.p = {1.8, 0, 0};  // before a corner
  EXPECT_NEAR(least_gap(places_of(ball, still, 1)), 0.3, flat_rounding);
  ball.p = {0.1, 0.1, 0.2};  // inside
  EXPECT_NEAR(least_gap(places_of(ball, still, 1)), -0.6 / std::sqrt(3.0) - 0.5, flat_rounding);
  // a tip over the middle of a face of the same body
  const double up = 1 / std::sqrt(3.0);
  for (const double gap : {0.03, -0.03}) {
    const Vector n{up, up, up}, above = (up + gap) * n;
    Solid tip = placed(octahedron, I, {});
    tip.R = Mat3<double>::columns({up, up, up}, {-std::sqrt(0.5), std::sqrt(0.5), 0},
                                  {-std::sqrt(1.0 / 6), -std::sqrt(1.0 / 6), std::sqrt(2.0 / 3)});
    tip.p = above + n;
    EXPECT_NEAR(least_gap(places_of(tip, still, 0.1)), gap, flat_rounding);
    EXPECT_NEAR(least_gap(places_of(still, tip, 0.1)), gap, flat_rounding);
  }
  // opposite edges of two tetrahedra cross
  const Polyhedron tetrahedron = body_of({{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}});
  EXPECT_EQ(tetrahedron.edges.size(), 6u);
  for (const double gap : {0.03, -0.03}) {
    const Solid below = placed(tetrahedron, I, {}),
                above = placed(tetrahedron, I, {0.1, 0.2, 2 + gap});
    const std::vector<TouchPlace> places = places_of(above, below, 0.1);
    ASSERT_EQ(places.size(), 1u);
    EXPECT_NEAR(places[0].gap, gap, flat_rounding);
    EXPECT_LT(norm(places[0].normal - Vector{0, 0, 1}), flat_rounding);
    // the upper edge of one is x = y, the lower one of the other x - 0.1 = -(y - 0.2)
    EXPECT_LT(norm(places[0].point - Vector{0.15, 0.15, 1}), flat_rounding);
  }
}

// -------------------------------------------------------------------- against brute force

// Few corners and many, slender and round.
Polyhedron random_body(Random& random) {
  Points points;
  const int n = random.chance(0.5) ? random.integer(4, 10) : random.integer(20, 60);
  const Vector stretch{random.uniform(0.1, 1), random.uniform(0.3, 1), random.uniform(0.3, 1)};
  for (int k = 0; k < n; ++k) {
    const Vector d = random.direction();
    points.push_back({stretch.x * d.x, stretch.y * d.y, stretch.z * d.z});
  }
  std::string problem;
  const Polyhedron made = make_polyhedron(points, problem);
  return problem.empty() && made.inner > 0.02 ? moved_polyhedron(made, {1, 1, 1}, -made.middle)
                                              : random_body(random);
}

// Of the hull of all a - b, the face that is farthest from the origin or least deep.
double parting_of(const Solid& a, const Solid& b) {
  Points differences;
  const Points of_b = world_corners(b);
  for (const Vector& x : world_corners(a))
    for (const Vector& y : of_b) differences.push_back(x - y);
  const Mesh hull = convex_hull(differences);
  double most = -1e300;
  for (const auto& [i, j, k] : hull.triangles) {
    const Vector& x = hull.vertices[i];
    const Vector n = cross(hull.vertices[j] - x, hull.vertices[k] - x);
    if (norm(n) > 1e-9) most = std::max(most, -dot(n, x) / norm(n));
  }
  return most;
}

double distance_to_segment(const Vector& x, const Vector& a, const Vector& b) {
  const double s = std::clamp(dot(b - a, x - a) / norm2(b - a), 0.0, 1.0);
  return norm(x - a - s * (b - a));
}

double distance_of_segments(const Vector& a, const Vector& b, const Vector& c, const Vector& d) {
  const Vector u = b - a, v = d - c, n = cross(u, v), r = c - a;
  double least = std::min({distance_to_segment(a, c, d), distance_to_segment(b, c, d),
                           distance_to_segment(c, a, b), distance_to_segment(d, a, b)});
  if (norm2(n) < 1e-20) return least;
  const double s = dot(cross(r, v), n) / norm2(n), t = dot(cross(r, u), n) / norm2(n);
  if (s > 0 && s < 1 && t > 0 && t < 1) least = std::min(least, std::fabs(dot(n, r)) / norm(n));
  return least;
}

// Of a point over the inside of a face from it, else far.
double distance_over_face(const Vector& x, const Polyhedron& body, const Polyhedron::Face& face) {
  const double height = dot(face.normal, x) - face.level;
  if (height < 0) return 1e300;
  for (int k = 0; k < face.size; ++k) {
    const Vector &a = body.corner_of(face, k), &b = body.corner_of(face, (k + 1) % face.size);
    if (dot(cross(face.normal, b - a), x - a) < 0) return 1e300;
  }
  return height;
}

Polyhedron in_world(const Solid& solid) {
  Polyhedron world = *solid.body;
  for (Vector& c : world.corners) c = solid.p + solid.R * c;
  for (Polyhedron::Face& face : world.faces) {
    face.normal = solid.R * face.normal;
    face.level = dot(face.normal, world.corner_of(face, 0));
  }
  return world;
}

// Corners over faces, edges and edges.
double distance_of(const Polyhedron& a, const Polyhedron& b) {
  double least = 1e300;
  for (const auto& [one, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
    for (const Vector& x : one->corners)
      for (const Polyhedron::Face& face : other->faces)
        least = std::min(least, distance_over_face(x, *other, face));
  for (const Polyhedron::Edge& e : a.edges)
    for (const Polyhedron::Edge& f : b.edges)
      least = std::min(least, distance_of_segments(a.corners[e.from], a.corners[e.to],
                                                   b.corners[f.from], b.corners[f.to]));
  return least;
}

double apart_on_axis(const Solid& a, const Solid& b, const Vector& n) {
  double least = 1e300, most = -1e300;
  for (const Vector& x : world_corners(a)) least = std::min(least, dot(n, x));
  for (const Vector& y : world_corners(b)) most = std::max(most, dot(n, y));
  return least - most;
}

TEST(Polyhedra, RandomPairsPartAlongTheBestAxis) {
  Random random(7);
  int overlapping = 0, apart = 0, exact = 0, many = 0;
  for (int k = 0; k < 150; ++k) {
    const Polyhedron one = random_body(random), other = random_body(random);
    Solid a = placed(one, rotation_matrix(random.rotation()), {});
    const Solid b = placed(other, rotation_matrix(random.rotation()), random.vector(0.2));
    const Vector d = random.direction();
    // along d until the least overlap is what we want
    const double wanted = random.uniform(-0.01, 0.01);
    double low = 0, high = 4;
    for (int step = 0; step < 12; ++step) {
      a.p = b.p + 0.5 * (low + high) * d;
      (parting_of(a, b) > wanted ? high : low) = 0.5 * (low + high);
    }
    const double best = parting_of(a, b), small = 1e-3 * std::min(one.inner, other.inner);
    const std::vector<TouchPlace> places = places_of(a, b, 0.05);
    many += one.edges.size() * other.edges.size() > 1000;
    if (best < 0) {
      // of one rank of axes or the other
      ++overlapping;
      ASSERT_FALSE(places.empty()) << k;
      EXPECT_LE(-least_gap(places), -best + 2 * small + flat_rounding) << k;
      // of an axis that is not quite the best one, the deepest corner may lie beside the face
      EXPECT_NEAR(least_gap(places), apart_on_axis(a, b, places[0].normal), 2 * small) << k;
      exact += std::fabs(least_gap(places) - best) < 1e-12;
      continue;
    }
    ++apart;
    const double distance = distance_of(in_world(a), in_world(b));
    EXPECT_GE(distance, best - flat_rounding);
    if (distance > best + flat_rounding)
      continue;  // nearest at a corner: no face and no pair of edges
    ASSERT_FALSE(places.empty()) << k;
    EXPECT_NEAR(least_gap(places), distance, 2 * small) << k;
    exact += std::fabs(least_gap(places) - distance) < 1e-12;
  }
  EXPECT_GT(overlapping, 40);
  EXPECT_GT(apart, 40);
  EXPECT_GT(exact, 90);
  EXPECT_GT(many, 40);
}

// Also where a corner is nearest to an edge or a corner.
TEST(Polyhedra, AsFarAsTheNearestPoints) {
  Random random(10);
  int corners = 0, exact = 0;
  for (int k = 0; k < 200; ++k) {
    const Polyhedron one = random_body(random), other = random_body(random);
    const Solid a = placed(one, rotation_matrix(random.rotation()), random.direction());
    const Solid b = placed(other, rotation_matrix(random.rotation()), random.direction());
    const double best = parting_of(a, b);
    if (best < 0.01) continue;
    const double distance = distance_of(in_world(a), in_world(b));
    corners += distance > best + 1e-6;
    const std::vector<TouchPlace> places = places_of(a, b, 4);
    EXPECT_NEAR(least_gap(places), distance, 2e-3 * std::min(one.inner, other.inner)) << k;
    exact += std::fabs(least_gap(places) - distance) < 1e-12;
  }
  EXPECT_GT(corners, 30);
  EXPECT_GT(exact, 80);
}

Mat3<double> turned_by(const Vector& w) {
  return rotation_matrix(lie::exp_quat(w));
}

// Faces that are next to parallel and touch with edges: as soon as the bodies turn, other edges
// come together. The places foresee how near.
TEST(Polyhedra, EdgesSeeTheFacesBesideThem) {
  Random random(9);
  int edges = 0, elsewhere = 0;
  for (int k = 0; k < 2000; ++k) {
    TwoWays a, b;
    make_two_ways(a, random), make_two_ways(b, random);
    a.mesh.R = turned_by(random.vector(0.03)) * turned_by({0, 0, random.uniform(0, 3)});
    b.mesh.R = Mat3<double>::identity();
    a.mesh.p = {random.uniform(-0.3, 0.3), random.uniform(-0.3, 0.3), 0};
    const auto lift = [&](double gap) {
      for (int round = 0; round < 3; ++round) {
        const std::vector<TouchPlace> places = places_of(a.mesh, b.mesh, 3);
        if (places.empty()) return;
        a.mesh.p.z += gap - least_gap(places);
      }
    };
    a.mesh.p.z = a.box.half.z + b.box.half.z + 0.2;
    lift(1e-4);
    const std::vector<TouchPlace> places = places_of(a.mesh, b.mesh, 0.05);
    if (places.empty() || places[0].feature < mechanics::edge_features ||
        places[0].feature >= mechanics::corner_features)
      continue;
    ++edges;
    const Vector w = random.vector(0.02);
    double foreseen = 1e300, here = 0;
    for (const TouchPlace& place : places) {
      const double gap = place.gap + dot(place.normal, cross(w, place.point - a.mesh.p));
      foreseen = std::min(foreseen, gap);
      if (&place == &places[0]) here = gap;
    }
    elsewhere += here - foreseen > 1e-3;
    a.mesh.R = turned_by(w) * a.mesh.R;
    EXPECT_NEAR(least_gap(places_of(a.mesh, b.mesh, 3)), foreseen, 1e-3) << k;
  }
  EXPECT_GT(edges, 200);
  EXPECT_GT(elsewhere, 50);
}

TEST(Polyhedra, BallsAndCapsulesAreAsFarAsTheNearestFeature) {
  Random random(8);
  int balls = 0, capsules = 0;
  for (int k = 0; k < 1000; ++k) {
    const Polyhedron body = random_body(random);
    const Solid b = placed(body, rotation_matrix(random.rotation()), random.vector(0.2));
    const Polyhedron world = in_world(b);
    Solid a = round_solid(k % 2 ? SolidKind::sphere : SolidKind::capsule, random);
    const Vector from = a.p - a.length * a.R.c[2], to = a.p + a.length * a.R.c[2];
    // does the middle line keep out of the body?
    double inside = 1e300;
    for (int i = 0; i <= 100; ++i) {
      double highest = -1e300;
      for (const Polyhedron::Face& face : world.faces)
        highest = std::max(highest, dot(face.normal, from + 0.01 * i * (to - from)) - face.level);
      inside = std::min(inside, highest);
    }
    if (inside < 0.01) continue;
    double distance = 1e300;
    for (const Vector& x : {from, to})
      for (const Polyhedron::Face& face : world.faces)
        distance = std::min(distance, distance_over_face(x, world, face));
    for (const Polyhedron::Edge& e : world.edges) {
      const Vector &y = world.corners[e.from], &z = world.corners[e.to];
      distance = std::min(
          distance, k % 2 ? distance_to_segment(from, y, z) : distance_of_segments(from, to, y, z));
    }
    const double gap = least_gap(places_of(a, b, 2));
    EXPECT_NEAR(gap, distance - a.radius, 1e-12) << k;
    EXPECT_NEAR(least_gap(places_of(b, a, 2)), gap, flat_rounding);
    ++(k % 2 ? balls : capsules);
  }
  EXPECT_GT(balls, 200);
  EXPECT_GT(capsules, 100);
}

}  // namespace
}  // namespace cartan::test
