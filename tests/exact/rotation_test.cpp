// Closed forms in Jacobi elliptic functions: pendulum, heavy top, free asymmetric body.
#include <cmath>

#include "motion.h"
#include "support/example.h"

namespace cartan::test::exact {
namespace {

using test::Jacobi;
using test::jacobi;

// Half angle and rate of a pendulum released at rest from `amplitude`:
//   sin(theta/2) = k cd(w t, k),  k = sin(amplitude/2)
struct Swing {
  long double angle, rate;
};
Swing pendulum(long double w, long double amplitude, long double t) {
  const long double k = std::sin(amplitude / 2);
  const Jacobi j = jacobi(w * t, k);
  const long double s = k * j.cn / j.dn;
  // (cn/dn)' = -(1 - k^2) sn/dn^2
  const long double rate = -2 * k * w * (1 - k * k) * j.sn / (j.dn * j.dn) / std::sqrt(1 - s * s);
  return {2 * std::asin(s), rate};
}

// Prism 2 x 0.2 x 0.2 m of 50 kg hung at one end (case S0.1).
ModelDescription rod_on(JointText joint, double gravity = 9.81) {
  BodyText rod;
  rod.mass = 50;
  rod.com = {0, 0, -1};
  rod.inertia = {"50*4.04/12", "50*4.04/12", "50*0.08/12"};
  ModelDescription d = one_body(rod, std::move(joint));
  d.gravity = {0, 0, -gravity};
  return d;
}
const long double rod_frequency = std::sqrt(50 * 9.81L / (50 + 50 * 4.04L / 12));

TEST(Pendulum, SphericalJointFollowsTheEllipticFunction) {
  JointText joint = joint_to_world("spherical");
  joint.position.given = true;
  joint.position.rotation = {RotationText::Kind::axis_angle, {1, 0, 0, 0.1}, {}};
  double turned = 0;
  run_everywhere(rod_on(joint), {}, [&](const Sample& s) {
    const Swing exact = pendulum(rod_frequency, 0.1L, s.t);
    const double angle = 2 * std::atan2(s.seen.q[0][1], s.seen.q[0][0]);
    EXPECT_NEAR(angle, static_cast<double>(exact.angle), 2e-13) << s.t;
    EXPECT_NEAR(s.seen.v[0][0], static_cast<double>(exact.rate), 6e-13) << s.t;
    turned = std::max(turned, std::fabs(angle - 0.1));
  });
  EXPECT_GT(turned, 0.15);
}

TEST(Pendulum, RevoluteJointSwingsAlmostOverTheTop) {
  JointText joint = joint_to_world("revolute", {1, 0, 0});
  joint.position.given = true;
  joint.position.coordinates = {3.0};
  for (const char* method : {"gl3", "dop853"}) {
    double lowest = 3;
    const double tolerance = std::string(method) == "gl3" ? 0 : 1e-13;
    run_everywhere(rod_on(joint),
                   {.duration = 5, .step = 0.002, .integrator = method, .tolerance = tolerance},
                   [&](const Sample& s) {
                     const Swing exact = pendulum(rod_frequency, 3.0L, s.t);
                     EXPECT_NEAR(s.seen.q[0][0], static_cast<double>(exact.angle), 1e-10) << s.t;
                     lowest = std::min(lowest, s.seen.q[0][0]);
                   });
    EXPECT_LT(lowest, -2.9);
  }
}

// Symmetric heavy top (case S0.4): u = cos(theta) = u1 + (u0 - u1) cd^2, spin and L_z constant.
TEST(HeavyTop, NutationFollowsTheEllipticFunction) {
  BodyText top;
  ShapeText rod, disc;
  rod.kind = disc.kind = ShapeText::Kind::cylinder;
  rod.size = {0.05, 0.4};
  rod.at = {0, 0, 0.2};
  disc.size = {0.4, 0.05};
  disc.at = {0, 0, 0.425};
  top.shapes = {rod, disc};
  top.density = 1000;
  JointText pivot = joint_to_world("spherical");
  pivot.position.given = true;
  pivot.position.rotation = {RotationText::Kind::rpy, {0.3, 0, 0}, {}};
  pivot.velocity = {0, 0, 50};

  const long double I1 = 5.71966212494191731L, I3 = 2.01454628911445491L;
  const long double beta = 38.7954685890834192L, a = I3 * 50 / I1, u0 = std::cos(0.3L);
  // beta u^2 - a^2 u + a^2 u0 - beta = 0: the lower turning point u1 and the root u2 outside
  const long double root = std::sqrt(a * a * a * a - 4 * beta * (a * a * u0 - beta));
  const long double u1 = (a * a - root) / (2 * beta), u2 = (a * a + root) / (2 * beta);
  // u'^2 = beta (u - u0)(u - u1)(u - u2), so k^2 = (u0 - u1)/(u2 - u1), c^2 = beta (u2 - u1)/4
  const long double k = std::sqrt((u0 - u1) / (u2 - u1)), c = std::sqrt(beta * (u2 - u1)) / 2;

  double lowest = 1, spin_error = 0;
  run_everywhere(one_body(top, pivot), {.step = 0.002, .integrator = "gl4"}, [&](const Sample& s) {
    const Jacobi j = jacobi(c * s.t, k);
    const long double cd = j.cn / j.dn, exact = u1 + (u0 - u1) * cd * cd;
    const Mat3<double> R = rotation_matrix(s.seen.bodies[0].orientation);
    EXPECT_NEAR(R(2, 2), static_cast<double>(exact), 2e-12) << s.t;
    EXPECT_NEAR(s.seen.angular_momentum.z, 96.22847895118107088, 1e-10);
    EXPECT_NEAR(s.seen.kinetic + s.seen.potential, 2624.1759986294011401, 1e-9);
    spin_error = std::max(spin_error, std::fabs(s.seen.v[0][2] - 50));
    lowest = std::min(lowest, R(2, 2));
  });
  EXPECT_LT(spin_error, 1e-11);
  EXPECT_LT(lowest, std::cos(0.345));
}

// Euler's free body, I1 < I2 < I3, starting with w2 = 0 on the side of the largest moment.
TEST(FreeBody, AngularVelocityFollowsTheEllipticFunctions) {
  const long double I1 = 1, I2 = 2, I3 = 2.5L, w1 = 1.2L, w3 = 1.5L;
  const long double E2 = I1 * w1 * w1 + I3 * w3 * w3, M2 = I1 * I1 * w1 * w1 + I3 * I3 * w3 * w3;
  ASSERT_GT(M2, E2 * I2);
  const long double rate = std::sqrt((I3 - I2) * (M2 - E2 * I1) / (I1 * I2 * I3));
  const long double k = std::sqrt((I2 - I1) * (E2 * I3 - M2) / ((I3 - I2) * (M2 - E2 * I1)));
  const long double a2 = std::sqrt((E2 * I3 - M2) / (I2 * (I3 - I2)));
  BodyText body;
  body.mass = 3;
  body.inertia = {1, 2, 2.5};
  JointText joint = joint_to_world("free");
  joint.position.given = true;
  joint.position.rotation = {RotationText::Kind::axis_angle, {1, 2, 3, 0.7}, {}};
  joint.velocity = {1.2, 0, 1.5, 0, 0, 0};
  ModelDescription d = one_body(body, joint);
  d.gravity = {0, 0, 0};
  double largest = 0;
  Vec3<double> L0;
  run_everywhere(d, {}, [&](const Sample& s) {
    const Jacobi j = jacobi(rate * s.t, k);
    const Vec3<double>& w = s.seen.bodies[0].angular;
    EXPECT_NEAR(w.x, static_cast<double>(w1 * j.cn), 1e-12) << s.t;
    EXPECT_NEAR(w.y, static_cast<double>(a2 * j.sn), 1e-12) << s.t;
    EXPECT_NEAR(w.z, static_cast<double>(w3 * j.dn), 1e-12) << s.t;
    if (s.t == 0) L0 = s.seen.angular_momentum;
    EXPECT_LT(norm(s.seen.angular_momentum - L0), 1e-11);
    largest = std::max(largest, w.y);
  });
  EXPECT_GT(largest, 0.9 * static_cast<double>(a2));
}

}  // namespace
}  // namespace cartan::test::exact
