// Closed forms of elementary motions: throw, springs, two bodies in a plane.
#include <cmath>

#include "motion.h"

namespace cartan::test::exact {
namespace {

// A thrown body with its centre of mass off its origin: the centre flies on a parabola, a body with
// equal moments keeps its spin about a fixed axis.
TEST(Projectile, CentreOfMassFliesOnAParabola) {
  BodyText ball;
  ball.mass = 2;
  ball.com = {0.3, -0.2, 0.1};
  ball.inertia = {0.5, 0.5, 0.5};
  JointText joint = joint_to_world("free");
  joint.position.given = true;
  joint.position.rotation = {RotationText::Kind::rpy, {0.2, -0.4, 1}, {}};
  joint.position.at = {1, 2, 3};
  joint.velocity = {0.5, 2, -1, 3, -4, 6};
  ModelDescription d = one_body(ball, joint);
  d.gravity = {0.5, -1, -9.81};
  const Vec3<double> g{0.5, -1, -9.81}, com{0.3, -0.2, 0.1};
  Vec3<double> x0, v0, w0;
  double flown = 0;
  run_everywhere(d, {.duration = 3}, [&](const Sample& s) {
    const BodyState& b = s.seen.bodies[0];
    const Mat3<double> R = rotation_matrix(b.orientation);
    const Vec3<double> x = b.position + R * com, v = b.linear + R * cross(b.angular, com);
    if (s.t == 0) x0 = x, v0 = v, w0 = R * b.angular;
    EXPECT_LT(norm(x - (x0 + s.t * v0 + (0.5 * s.t * s.t) * g)), 1e-11) << s.t;
    EXPECT_LT(norm(v - (v0 + s.t * g)), 1e-11) << s.t;
    EXPECT_LT(norm(R * b.angular - w0), 1e-11) << s.t;
    flown = std::max(flown, norm(x - x0));
  });
  EXPECT_GT(flown, 10);
}

// Mass on a slide with spring and damper to the world, gravity along the slide.
TEST(Oscillator, DampedSpringAndMass) {
  BodyText body;
  body.mass = 2;
  JointText joint = joint_to_world("prismatic", {0, 0, 2});
  joint.position.given = true;
  joint.position.coordinates = {0.4};
  joint.velocity = {-0.3};
  const double m = 2, k = 50, c = 0.8, g = 9.81;
  ForceText spring;
  spring.type = "spring";
  spring.from.body = "world";
  spring.to.body = "body";
  spring.stiffness = {k};
  spring.damping = {c};
  ModelDescription d = one_body(body, joint);
  d.forces.push_back(spring);
  const double rest = -m * g / k, b = c / (2 * m), w = std::sqrt(k / m - b * b);
  const double A = 0.4 - rest, B = (-0.3 + b * A) / w;
  double lost = 0;
  run_everywhere(d, {}, [&](const Sample& s) {
    const double decay = std::exp(-b * s.t), co = std::cos(w * s.t), si = std::sin(w * s.t);
    EXPECT_NEAR(s.seen.q[0][0], rest + decay * (A * co + B * si), 2e-11) << s.t;
    EXPECT_NEAR(s.seen.v[0][0], decay * ((w * B - b * A) * co - (w * A + b * B) * si), 1e-10)
        << s.t;
    // the work quadrature: energy lost is the work of the damper
    const double E0 = 0.5 * m * 0.09 + 0.5 * k * 0.16 + m * g * 0.4;
    EXPECT_NEAR(s.seen.kinetic + s.seen.potential - E0, s.seen.work, 1e-10) << s.t;
    lost = s.seen.work;
  });
  EXPECT_LT(lost, -5);
}

// Disc on a shaft with a torsion spring: the spring's measure of a pure turn is its angle.
TEST(Oscillator, TorsionSpringsOfEveryJointThatTurnsAboutOneAxis) {
  struct Variant {
    const char* type;
    const char* measure;
  };
  for (const Variant& v :
       {Variant{"revolute", ""}, Variant{"spherical", ""}, Variant{"spherical", "euler321"},
        Variant{"spherical", "euler321-literal"}}) {
    SCOPED_TRACE(std::string(v.type) + " " + v.measure);
    const bool ball = std::string(v.type) == "spherical";
    BodyText disc;
    disc.mass = 1;
    disc.inertia = {0.2, 0.2, 0.3};
    JointText joint = joint_to_world(v.type, ball ? Values{} : Values{0, 0, 1});
    joint.position.given = true;
    joint.position.coordinates = ball ? Values{} : Values{0.9};
    if (ball) joint.position.rotation = {RotationText::Kind::axis_angle, {0, 0, 1, 0.9}, {}};
    ForceText spring;
    spring.type = "torsion";
    spring.joint = "joint";
    spring.stiffness = {6};
    spring.measure = v.measure;
    ModelDescription d = one_body(disc, joint);
    d.forces.push_back(spring);
    const double w = std::sqrt(6 / 0.3);
    double lowest = 1;
    run_everywhere(d, {.duration = 3}, [&](const Sample& s) {
      const double angle = ball ? 2 * std::atan2(s.seen.q[0][3], s.seen.q[0][0]) : s.seen.q[0][0];
      // elements of matrices turn twice as fast as quaternions: gl3's error there is 1.006e-11
      EXPECT_NEAR(angle, 0.9 * std::cos(w * s.t), 2e-11) << s.t;
      lowest = std::min(lowest, angle);
    });
    EXPECT_LT(lowest, -0.89);
  }
}

// Two bodies in a tilted plane joined by a spring without length: the common centre moves
// uniformly, the distance oscillates in both directions with the reduced mass.
TEST(TwoBodies, PlanarMotionAboutTheCommonCentre) {
  ModelDescription d;
  d.gravity = {0, 0, 0};
  const double m[2] = {1.5, 0.6}, k = 7;
  const double q[2][3] = {{0.2, -0.1, 0.3}, {1.1, 0.7, -0.4}},
               v[2][3] = {{0.5, 0.2, 1}, {-0.7, 1.1, -2}};
  for (int i = 0; i < 2; ++i) {
    BodyText body;
    body.name = "b" + std::to_string(i);
    body.mass = m[i];
    body.inertia = {0.1, 0.2, 0.15};
    JointText joint = joint_to_world("planar", {1, 2, 2}, {body.name});
    joint.name = "j" + std::to_string(i);
    joint.position.given = true;
    joint.position.coordinates = {q[i][0], q[i][1], q[i][2]};
    joint.velocity = {v[i][0], v[i][1], v[i][2]};
    d.bodies.push_back(body);
    d.joints.push_back(joint);
  }
  ForceText spring;
  spring.type = "spring";
  spring.from.body = "b0";
  spring.to.body = "b1";
  spring.stiffness = {k};
  d.forces.push_back(spring);
  const double total = m[0] + m[1], w = std::sqrt(k * total / (m[0] * m[1]));
  double spread = 0;
  run_everywhere(d, {.duration = 5}, [&](const Sample& s) {
    for (int a = 0; a < 2; ++a) {
      const double centre =
          (m[0] * (q[0][a] + v[0][a] * s.t) + m[1] * (q[1][a] + v[1][a] * s.t)) / total;
      const double apart =
          (q[1][a] - q[0][a]) * std::cos(w * s.t) + (v[1][a] - v[0][a]) / w * std::sin(w * s.t);
      EXPECT_NEAR(s.seen.q[0][a], centre - m[1] / total * apart, 1e-11) << s.t;
      EXPECT_NEAR(s.seen.q[1][a], centre + m[0] / total * apart, 1e-11) << s.t;
      spread = std::max(spread, std::fabs(apart));
    }
    // formulations with free bodies know the angle up to whole turns
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(std::remainder(s.seen.q[i][2] - q[i][2] - v[i][2] * s.t, 2 * pi), 0, 1e-12);
  });
  EXPECT_GT(spread, 0.9);
}

}  // namespace
}  // namespace cartan::test::exact
