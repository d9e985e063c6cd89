// Convex bodies made of points and of meshes: their faces, and what is told where a mesh is not
// convex.
#include "model/polyhedron.h"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random.h"

namespace cartan::test {
namespace {

using Corners = std::vector<Vec3<double>>;

// The box of half widths h about the origin, each face cut into n x n squares of two triangles.
Corners grid_box(const Vec3<double>& h, int n) {
  Corners corners;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto corner = [&](int u, int v) {
            Vec3<double> x;
            x[axis] = side * h[axis];
            x[(axis + 1) % 3] = h[(axis + 1) % 3] * (2.0 * (i + u) / n - 1);
            x[(axis + 2) % 3] = h[(axis + 2) % 3] * (2.0 * (j + v) / n - 1);
            return x;
          };
          const int up[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
          for (int k = 0; k < 6; ++k) {
            const int* at = up[side > 0 ? k : 5 - k];
            corners.push_back(corner(at[0], at[1]));
          }
        }
  return corners;
}

Polyhedron made_of(const Corners& points) {
  std::string problem;
  const Polyhedron body = make_polyhedron(points, problem);
  EXPECT_EQ(problem, "");
  return body;
}

TEST(Polyhedra, FacesInOnePlaneAreOne) {
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const Vec3<double> half{random.uniform(0.1, 1), random.uniform(0.1, 1), random.uniform(0.1, 1)};
    const Mat3<double> R = rotation_matrix(random.rotation());
    Corners corners = grid_box(half, 4);
    const bool single = trial % 2 != 0;  // as STL keeps them
    for (Vec3<double>& x : corners) {
      x = R * x;
      if (single)
        for (int k = 0; k < 3; ++k) x[k] = static_cast<float>(x[k]);
    }
    const Polyhedron box = made_of(corners);
    EXPECT_EQ(box.corners.size(), 8u);
    EXPECT_EQ(box.faces.size(), 6u);
    EXPECT_EQ(box.edges.size(), 12u);
    EXPECT_NEAR(box.inner, std::min({half.x, half.y, half.z}), single ? 1e-6 : 1e-14);
    EXPECT_EQ(explain_not_convex(make_mesh(corners), box), "");
    for (const Polyhedron::Edge& edge : box.edges) EXPECT_NE(edge.left, edge.right);
  }
}

TEST(Polyhedra, DodecahedronHasTwelvePentagons) {
  const double g = 0.5 * (1 + std::sqrt(5.0));
  Corners corners;
  for (const double a : {-1.0, 1.0})
    for (const double b : {-1.0, 1.0}) {
      for (const double c : {-1.0, 1.0}) corners.push_back({a, b, c});
      corners.push_back({0, a / g, b * g});
      corners.push_back({a / g, b * g, 0});
      corners.push_back({a * g, 0, b / g});
    }
  const Polyhedron body = made_of(corners);
  EXPECT_EQ(body.corners.size(), 20u);
  EXPECT_EQ(body.faces.size(), 12u);
  EXPECT_EQ(body.edges.size(), 30u);
  for (const Polyhedron::Face& face : body.faces) EXPECT_EQ(face.size, 5);
  // edge 2/g: its inner radius is the edge times sqrt(5/2 + 11/10 sqrt 5) / 2
  EXPECT_NEAR(body.inner, std::sqrt(2.5 + 1.1 * std::sqrt(5.0)) / g, 1e-14);
}

TEST(Polyhedra, ScaleAndMirror) {
  const Polyhedron body = made_of({{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}});
  const Polyhedron mirror = moved_polyhedron(body, {-1, 2, 1}, {0, 0, 1});
  for (const Polyhedron::Face& face : mirror.faces)
    for (const Vec3<double>& c : mirror.corners) EXPECT_LE(dot(face.normal, c), face.level + 1e-14);
  EXPECT_GT(mirror.inner, 0);
  for (const Polyhedron::Edge& edge : mirror.edges) {
    // the face on the left goes along the edge
    const Polyhedron::Face& left = mirror.faces[edge.left];
    bool found = false;
    for (int k = 0; k < left.size; ++k)
      found |= mirror.loop[left.first + k] == edge.from &&
               mirror.loop[left.first + (k + 1) % left.size] == edge.to;
    EXPECT_TRUE(found);
  }
}

TEST(Polyhedra, TellsWhereAMeshIsNotConvex) {
  Corners corners = grid_box({0.5, 0.5, 0.5}, 2);
  for (Vec3<double>& x : corners)
    if (x.x == 0 && x.y == 0 && x.z > 0) x.z = 0.4;  // a dent in the middle of the top
  const Polyhedron hull = made_of(corners);
  EXPECT_EQ(hull.corners.size(), 8u);
  EXPECT_EQ(explain_not_convex(make_mesh(corners), hull),
            "at (0, 0, 0.4) its surface lies 0.1 inside its hull");
  Corners open = grid_box({0.5, 0.5, 0.5}, 1);
  open.resize(open.size() - 6);  // no lid
  EXPECT_EQ(explain_not_convex(make_mesh(open), made_of(open)),
            "its surface is open: 16.7 % of its hull is missing");
  std::string problem;
  EXPECT_TRUE(
      make_polyhedron({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 1e-9}}, problem).corners.empty());
  EXPECT_NE(problem.find("lie in one plane"), std::string::npos) << problem;
}

TEST(Polyhedra, RefusesTooManyCornersInTime) {
  Random random(4);
  Corners points;
  for (int k = 0; k < 100000; ++k) points.push_back(random.direction());
  std::string problem;
  EXPECT_TRUE(make_polyhedron(points, problem).corners.empty());
  EXPECT_NE(problem.find("more than 2000 corners"), std::string::npos) << problem;
}

}  // namespace
}  // namespace cartan::test
