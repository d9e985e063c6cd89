// Shells and hulls: against sums over slices, closed forms, and each other; and as MJCF says them.
#include "import/surface_mass.h"

#include <cmath>

#include "imports.h"
#include "model/convex_hull.h"
#include "support/random.h"

namespace cartan::test {
namespace {

Mesh box_mesh(double a, double b, double c) {
  std::vector<Vec3<double>> corners;
  for (const double x : {-a, a})
    for (const double y : {-b, b})
      for (const double z : {-c, c}) corners.push_back({x, y, z});
  return convex_hull(corners);
}

// A surface of revolution: mean of z^2 and of the square of the radius, by the midpoint rule.
struct Slices {
  double area = 0, zz = 0, rr = 0;
  template <class Radius, class Length>
  void add(double from, double to, Radius&& radius, Length&& length) {
    const int n = 20000;
    for (int k = 0; k < n; ++k) {
      const double s = from + (to - from) * (k + 0.5) / n;
      const auto [r, z] = radius(s);
      const double dA = 2 * M_PI * r * length(s) * (to - from) / n;
      area += dA;
      zz += dA * z * z;
      rr += dA * r * r;
    }
  }
  double along() const { return rr / area; }
  double across() const { return (zz + rr / 2) / area; }
};

TEST(Shells, OfRoundBodiesAreTheSumsOfTheirSlices) {
  const double r = 0.3, h = 0.7;
  using Pair = std::pair<double, double>;
  Slices cylinder, capsule;
  for (Slices* each : {&cylinder, &capsule})
    each->add(
        -h, h, [&](double z) { return Pair(r, z); }, [](double) { return 1.0; });
  for (const double end : {-h, h})
    cylinder.add(
        0, r, [&](double s) { return Pair(s, end); }, [](double) { return 1.0; });
  for (const double sign : {-1.0, 1.0})
    capsule.add(
        0, M_PI / 2, [&](double a) { return Pair(r * std::cos(a), sign * (h + r * std::sin(a))); },
        [&](double) { return r; });
  for (const auto& [type, slices] :
       {std::pair("cylinder", cylinder), std::pair("capsule", capsule)}) {
    SCOPED_TRACE(type);
    const auto form = primitive_shell(type, {r, h, 0});
    ASSERT_TRUE(form);
    EXPECT_NEAR(form->area, slices.area, 1e-8);
    EXPECT_NEAR(form->unit.moments[2], slices.along(), 1e-8);
    EXPECT_NEAR(form->unit.moments[0], slices.across(), 1e-8);
    EXPECT_EQ(form->unit.moments[0], form->unit.moments[1]);
  }
  // a capsule without a tube is a sphere
  const auto ball = primitive_shell("sphere", {r, 0, 0}),
             short_capsule = primitive_shell("capsule", {r, 0, 0});
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(ball->unit.moments[k], short_capsule->unit.moments[k], 1e-16);
  EXPECT_FALSE(primitive_shell("ellipsoid", {1, 2, 3}));
}

TEST(Shells, OfABoxAreThoseOfItsTriangles) {
  const auto closed = primitive_shell("box", {0.2, 0.5, 0.9});
  const ShellForm triangles = mesh_shell(box_mesh(0.2, 0.5, 0.9));
  ASSERT_TRUE(closed);
  EXPECT_NEAR(triangles.area, closed->area, 1e-14);
  for (int k = 0; k < 6; ++k)
    EXPECT_NEAR(triangles.unit.moments[k], closed->unit.moments[k], 1e-15);
}

// Points of a box, many of them on its faces and edges, and what lies inside does not count.
TEST(Hulls, OfPointsInABoxAreTheBox) {
  Random random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3<double> s{random.uniform(0.1, 2), random.uniform(0.1, 2), random.uniform(0.1, 2)};
    std::vector<Vec3<double>> points;
    for (int k = 0; k < 300; ++k) {
      Vec3<double> p;
      for (int i = 0; i < 3; ++i) {
        const double side = random.uniform(-1, 1);
        p[i] = s[i] * (random.chance(0.4) ? (side > 0 ? 1 : -1) : side);
      }
      points.push_back(p);
    }
    for (int k = 0; k < 8; ++k)
      points.push_back({k & 1 ? s.x : -s.x, k & 2 ? s.y : -s.y, k & 4 ? s.z : -s.z});
    MeshSolid solid;
    EXPECT_EQ(calc_mesh_solid(convex_hull(points), solid), "") << trial;
    EXPECT_NEAR(solid.volume, 8 * s.x * s.y * s.z, 1e-11);
    EXPECT_NEAR(solid.second[0] / solid.volume, s.x * s.x / 3, 1e-11);
    EXPECT_NEAR(norm(solid.center), 0, 1e-11);
  }
  EXPECT_TRUE(
      convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 3, 0}}).triangles.empty());
  EXPECT_TRUE(convex_hull({{0, 0, 0}, {1, 0, 0}}).triangles.empty());
}

// Of points on a sphere: every one is a corner, and the surface is closed.
TEST(Hulls, KeepEveryPointOfASphere) {
  Random random(11);
  std::vector<Vec3<double>> points;
  for (int k = 0; k < 400; ++k) points.push_back(random.direction());
  const Mesh hull = convex_hull(points);
  EXPECT_EQ(hull.vertices.size(), points.size());
  EXPECT_EQ(hull.triangles.size(), 2 * points.size() - 4);  // Euler
  MeshSolid solid;
  EXPECT_EQ(calc_mesh_solid(hull, solid), "");
  EXPECT_GT(solid.volume, 4.0);
}

BodyText body_of(const Imported& imported) {
  Diagnostics problems("model");
  const auto description = describe_import(*imported.model, "model.xml", problems);
  EXPECT_TRUE(description) << problems.text();
  return description->bodies.at(0);
}

const char* const cube = "vertex='0 0 0 2 0 0 0 2 0 2 2 0 0 0 2 2 0 2 0 2 2 2 2 2 1 1 1 0.5 1 1.5'";

TEST(Shells, OfMjcf) {
  const auto sphere = body_of(expect_import(
      mujoco("<body><joint/><geom size='0.5' density='8' shellinertia='true'/></body>")));
  EXPECT_NEAR(sphere.mass->number, 8 * M_PI, 1e-12);
  EXPECT_NEAR(sphere.inertia[0].number, 8 * M_PI * 2 * 0.25 / 3, 1e-12);
  // vertices without faces: their hull, here a cube of length 2 whose middle is (1, 1, 1)
  const auto solid = body_of(expect_import(
      mujoco("<body><joint/><geom type='mesh' mesh='c' density='3'/></body>",
             "<asset><mesh name='c' inertia='exact' " + std::string(cube) + "/></asset>")));
  EXPECT_NEAR(solid.mass->number, 24, 1e-11);
  EXPECT_NEAR(solid.com[1].number, 1, 1e-12);
  EXPECT_NEAR(solid.inertia[2].number, 24 * 4 / 6.0, 1e-11);
  // the same as a shell: 24 m^2
  const auto shell = body_of(expect_import(
      mujoco("<body><joint/><geom type='mesh' mesh='c' density='3' shellinertia='false'/></body>",
             "<asset><mesh name='c' inertia='shell' " + std::string(cube) + "/></asset>")));
  const auto box = primitive_shell("box", {1, 1, 1});
  EXPECT_NEAR(shell.mass->number, 72, 1e-11);
  EXPECT_NEAR(shell.inertia[0].number, 72 * box->unit.moments[0], 1e-10);
}

// A tetrahedron with faces, and the hull of an open one.
TEST(Hulls, OfMjcf) {
  const std::string points = "vertex='0 0 0 1 0 0 0 1 0 0 0 1' ";
  for (const std::string& mesh : {points + "inertia='exact' face='0 2 1 0 1 3 0 3 2 1 2 3'",
                                  points + "inertia='convex' face='0 2 1 0 1 3'"}) {
    const auto body = body_of(
        expect_import(mujoco("<body><joint/><geom type='mesh' mesh='t' density='600'/></body>",
                             "<asset><mesh name='t' " + mesh + "/></asset>")));
    EXPECT_NEAR(body.mass->number, 100, 1e-12);
    EXPECT_NEAR(body.inertia[0].number, 600 * 2 / 160.0, 1e-12);
    EXPECT_NEAR(body.inertia[3].number, 600 / 480.0, 1e-12);
  }
  EXPECT_NE(refusal(mujoco("<body><joint/><geom type='mesh' mesh='t'/></body>",
                           "<asset><mesh name='t' " + points + "face='0 2 9'/></asset>"))
                .find("a face names a vertex that is not there"),
            std::string::npos);
  EXPECT_NE(refusal(mujoco("<body><joint/><geom type='mesh' mesh='t'/></body>",
                           "<asset><mesh name='t' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/></asset>"))
                .find("its points lie in a plane"),
            std::string::npos);
}

}  // namespace
}  // namespace cartan::test
