// The bushing: a body on six springs and dampers swings as six oscillators where they do not mix.
#include <cmath>

#include "lie/quaternion.h"
#include "motion.h"

namespace cartan::test::exact {
namespace {

// Frames turned against the bodies by the same rotation. The body turns about one axis, its inertia
// and the stiffness about all axes being the same: a'' = -(k/J) a - (c/J) a'. Its centre moves
// along the first axis of the frame.
struct Mount {
  double m = 1.5, J = 0.2, k = 40, k_r = 6, c = 0, c_r = 0, x0 = 0.3, a0 = 1.9;

  ModelDescription describe() const {
    const RotationText turned{RotationText::Kind::axis_angle, {0, 0, 1, 0.6}, {}};
    BodyText body;
    body.mass = m;
    body.inertia = {J, J, J};
    JointText joint = joint_to_world("free");
    joint.position.given = true;
    joint.position.rotation = {RotationText::Kind::axis_angle, {1, -2, 0.5, a0}, {}};
    joint.position.at = {x0 * std::cos(0.6), x0 * std::sin(0.6), 0};
    ModelDescription d = one_body(body, joint);
    d.gravity = {0, 0, 0};
    ForceText bushing;
    bushing.type = "bushing";
    bushing.from.body = "world";
    bushing.to.body = "body";
    bushing.from.rotate = bushing.to.rotate = turned;
    bushing.stiffness = {k, 3 * k, 5 * k, k_r, k_r, k_r};
    bushing.damping = {c, 2 * c, c, c_r, c_r, c_r};
    d.forces.push_back(bushing);
    return d;
  }
};

double turned_by(const std::vector<double>& q) {
  return norm(log(Quat<double>(q[0], q[1], q[2], q[3])));
}

// x'' + 2 b x' + w^2 x = 0 from rest at 1
double swing(double w, double b, double t) {
  const double damped = std::sqrt(w * w - b * b);
  return std::exp(-b * t) * (std::cos(damped * t) + b / damped * std::sin(damped * t));
}

void compare(const Mount& mount) {
  double least = 1, turned = 0;
  run_everywhere(mount.describe(), {.duration = 3, .step = 0.005}, [&](const Sample& s) {
    const double x = mount.x0 * swing(std::sqrt(mount.k / mount.m), mount.c / (2 * mount.m), s.t);
    const double a =
        mount.a0 * swing(std::sqrt(mount.k_r / mount.J), mount.c_r / (2 * mount.J), s.t);
    const std::vector<double>& q = s.seen.q[0];
    EXPECT_NEAR(q[4], x * std::cos(0.6), 1e-9) << s.t;
    EXPECT_NEAR(q[5], x * std::sin(0.6), 1e-9) << s.t;
    EXPECT_NEAR(q[6], 0, 1e-10) << s.t;  // what the implicit steps leave
    EXPECT_NEAR(turned_by(q), std::fabs(a), 1e-8) << s.t;
    least = std::min(least, x);
    turned = std::max(turned, std::fabs(a));
  });
  EXPECT_LT(least, -0.05);
  EXPECT_GT(turned, 1.8);
}

TEST(Bushing, SwingsInPlaceAndInRotation) {
  compare({});
}

TEST(Bushing, DampersTakeTheSwingAway) {
  compare({.c = 1.2, .c_r = 0.25});
}

// What one body gets the other loses: momentum and moment of momentum of two free bodies stay.
TEST(Bushing, ActsAndReactsAtOnePoint) {
  ModelDescription d;
  d.name = "two bodies";
  d.gravity = {0, 0, 0};
  for (const char* name : {"a", "b"}) {
    BodyText body;
    body.name = name;
    body.mass = name[0] == 'a' ? 1 : 2.5;
    body.com = {0.1, 0, -0.1};
    body.inertia = {0.1, 0.15, 0.2, 0.01, 0.02, -0.01};
    d.bodies.push_back(body);
    JointText joint = joint_to_world("free", {}, {name});
    joint.name = std::string("j") + name;
    joint.position.given = true;
    joint.position.rotation = {RotationText::Kind::axis_angle, {1, 1, name[0] - 96.0, 0.4}, {}};
    joint.position.at = {name[0] == 'a' ? 0.0 : 0.5, 0.1, 0};
    joint.velocity = {0.5, -1, 0.3, 0.2, 0.4, name[0] == 'a' ? -0.5 : 0.3};
    d.joints.push_back(joint);
  }
  ForceText bushing;
  bushing.type = "bushing";
  bushing.from.body = "a";
  bushing.from.at = {0.2, 0, 0};
  bushing.to.body = "b";
  bushing.to.at = {-0.3, 0.1, 0};
  bushing.stiffness = {30, 50, 20, 3, 2, 4};
  bushing.damping = {1, 2, 0.5, 0.1, 0.3, 0.2};
  d.forces.push_back(bushing);
  std::vector<Vec3<double>> first;
  run_everywhere(d, {.duration = 2, .step = 0.005}, [&](const Sample& s) {
    if (s.t == 0) first = {s.seen.linear_momentum, s.seen.angular_momentum};
    EXPECT_LT(norm(s.seen.linear_momentum - first[0]), 1e-10) << s.t;
    EXPECT_LT(norm(s.seen.angular_momentum - first[1]), 1e-10) << s.t;
  });
  ASSERT_EQ(first.size(), 2u);
  EXPECT_GT(norm(first[1]), 0.1);
}

}  // namespace
}  // namespace cartan::test::exact
