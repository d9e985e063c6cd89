// The ellipsoidal joint: closed forms of its steady motions, and the sphere as a case of the
// spherical joint.
#include <cmath>

#include "motion.h"

namespace cartan::test::exact {
namespace {

RotationText about(Values axis, double angle) {
  return {RotationText::Kind::axis_angle, {axis[0], axis[1], axis[2], angle}, {}};
}

// On an ellipsoid of revolution (a = b) with a symmetric body (A, A, C) that has its centre of mass
// at the origin of C, at the tilt theta of n, precession f and spin w3 about n:
//   T = 1/2 m (a^2 sin^2 f^2 + (a^2 cos^2 + c^2 sin^2) theta'^2)
//       + 1/2 A (theta'^2 + sin^2 f^2) + 1/2 C w3^2,   V = m g c cos
//   steady:  (m a^2 + A) cos(theta) f^2 - C w3 f + m g c = 0
TEST(Ellipsoidal, SteadyPrecessionOnAnEllipsoidOfRevolution) {
  const double m = 2, g = 9.81, a = 0.5, c = 0.3, A = 0.2, C = 0.3, theta = 0.7, f = 1.3;
  const double w3 = ((m * a * a + A) * std::cos(theta) * f * f + m * g * c) / (C * f);
  BodyText body;
  body.mass = m;
  body.inertia = {A, A, C};
  JointText joint = joint_to_world("ellipsoidal");
  joint.sizes["radii"] = {a, a, c};
  joint.position.given = true;
  joint.position.rotation = about({0, 1, 0}, theta);
  // precession about P's z, seen from C, and the rest of the spin
  joint.velocity = {-f * std::sin(theta), 0, w3};
  ModelDescription d = one_body(body, joint);
  d.gravity = {0, 0, -g};
  int samples = 0;
  run_everywhere(d, {.duration = 2, .step = 0.002}, [&](const Sample& s) {
    const Vec3<double>& p = s.seen.bodies[0].position;
    EXPECT_NEAR(p.x, a * std::sin(theta) * std::cos(f * s.t), 1e-9) << s.t;
    EXPECT_NEAR(p.y, a * std::sin(theta) * std::sin(f * s.t), 1e-9) << s.t;
    EXPECT_NEAR(p.z, c * std::cos(theta), 1e-9) << s.t;
    EXPECT_NEAR(s.seen.v[0][2], w3, 1e-9) << s.t;
    ++samples;
  });
  EXPECT_GT(samples, 1000);
}

// In the plane of x and z the body swings as a bead on an ellipse that carries it along:
//   1/2 (m (a^2 cos^2 + c^2 sin^2) + B) theta'^2 + m g c cos(theta) = constant
TEST(Ellipsoidal, SwingInAPlaneKeepsItsIntegral) {
  const double m = 1.5, g = 9.81, a = 0.8, b = 0.4, c = 0.3, B = 0.05, start = 2.2;
  BodyText body;
  body.mass = m;
  body.inertia = {0.04, B, 0.06};
  JointText joint = joint_to_world("ellipsoidal");
  joint.sizes["radii"] = {a, b, c};
  joint.position.given = true;
  joint.position.rotation = about({0, 1, 0}, start);
  ModelDescription d = one_body(body, joint);
  d.gravity = {0, 0, -g};
  double lowest = start;
  run_everywhere(d, {.duration = 3, .step = 0.002}, [&](const Sample& s) {
    const double theta = 2 * std::atan2(s.seen.q[0][2], s.seen.q[0][0]), rate = s.seen.v[0][1];
    const double sine = std::sin(theta), cosine = std::cos(theta);
    const double moment = m * (a * a * cosine * cosine + c * c * sine * sine) + B;
    EXPECT_NEAR(0.5 * moment * rate * rate + m * g * c * cosine, m * g * c * std::cos(start), 1e-9)
        << s.t;
    const Vec3<double>& p = s.seen.bodies[0].position;
    EXPECT_NEAR(p.x, a * sine, 1e-12);
    EXPECT_NEAR(p.y, 0, 1e-12);
    EXPECT_NEAR(p.z, c * cosine, 1e-12);
    lowest = std::max(lowest, std::fabs(theta));
  });
  EXPECT_GT(lowest, 3.1);
}

// A sphere of radius r: the same as a spherical joint at r below the origin of C.
TEST(Ellipsoidal, SphereIsASphericalJoint) {
  const double r = 0.37;
  BodyText body;
  body.mass = 1.2;
  body.com = {0.1, -0.05, 0.2};
  body.inertia = {0.03, 0.05, 0.04, 0.004, -0.003, 0.002};
  std::vector<std::vector<Vec3<double>>> paths;
  for (const char* type : {"ellipsoidal", "spherical"}) {
    const bool ball = std::string(type) == "spherical";
    JointText joint = joint_to_world(type, {}, {"body", ball ? Values{0, 0, -r} : Values{0, 0, 0}});
    if (!ball) joint.sizes["radii"] = {r, r, r};
    joint.position.given = true;
    joint.position.rotation = about({1, 2, -1}, 0.8);
    joint.velocity = {1.5, -0.7, 3};
    paths.emplace_back();
    run_everywhere(one_body(body, joint), {.duration = 1, .step = 0.002},
                   [&](const Sample& s) { paths.back().push_back(s.seen.bodies[0].position); });
  }
  ASSERT_EQ(paths[0].size(), paths[1].size());
  double moved = 0;
  for (std::size_t k = 0; k < paths[0].size(); ++k) {
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(paths[0][k][i], paths[1][k][i], 1e-10);
    moved = std::max(moved, norm(paths[0][k] - paths[0][0]));
  }
  EXPECT_GT(moved, 0.3);
}

}  // namespace
}  // namespace cartan::test::exact
