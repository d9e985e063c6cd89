// Friction in closed form: blocks that stop, stick, break loose; discs that spin down.
#include <cmath>

#include "motion.h"

namespace cartan::test::exact {
namespace {

constexpr double g = 9.81;
const char* const methods[] = {"gl3", "rk4", "dop853", "rkmk4"};

ForceText friction(double coulomb, double viscous = 0, double quadratic = 0) {
  ForceText f;
  f.type = "friction";
  f.joint = "joint";
  if (coulomb != 0) f.coulomb = {coulomb};
  if (viscous != 0) f.viscous = {viscous};
  if (quadratic != 0) f.quadratic = {quadratic};
  return f;
}

// A block of 2 kg on a slide that rises at `slope` (x axis turned about y).
ModelDescription block(double slope, double speed, double coulomb) {
  BodyText body;
  body.mass = 2;
  JointText joint = joint_to_world("prismatic", {std::cos(slope), 0, std::sin(slope)});
  joint.velocity = {speed};
  ModelDescription d = one_body(body, joint);
  if (coulomb > 0) d.forces.push_back(friction(coulomb));
  return d;
}

TEST(Block, StopsAtTheExactTimeAndSticks) {
  const double F = 5, v0 = 1.7, m = 2, stop = v0 * m / F, reach = v0 * v0 * m / (2 * F);
  for (const char* method : methods) {
    int moving = 0, stuck = 0;
    run_everywhere(block(0, v0, F), {.duration = 2, .step = 0.013, .integrator = method},
                   [&](const Sample& s) {
                     if (s.t < stop) {
                       EXPECT_NEAR(s.seen.q[0][0], v0 * s.t - 0.5 * F / m * s.t * s.t, 1e-12)
                           << s.t;
                       EXPECT_NEAR(s.seen.v[0][0], v0 - F / m * s.t, 1e-12) << s.t;
                       EXPECT_EQ(s.mode[0], 1);
                       ++moving;
                     } else {
                       EXPECT_NEAR(s.seen.q[0][0], reach, 1e-12) << s.t;
                       EXPECT_EQ(s.seen.v[0][0], 0) << s.t;
                       EXPECT_EQ(s.mode[0], 0);
                       ++stuck;
                     }
                     EXPECT_NEAR(s.seen.work, s.seen.kinetic - 0.5 * m * v0 * v0, 1e-11) << s.t;
                   });
    EXPECT_GT(moving, 100);
    EXPECT_GT(stuck, 100);
  }
}

// At rest on a slope: holds below the limit, slides with g sin - F/m above.
TEST(Block, SticksBelowTheLimitAndSlipsAbove) {
  const double slope = 0.3, pull = 2 * g * std::sin(slope);
  double slid = 0;
  for (const char* method : methods) {
    run_everywhere(block(slope, 0, 1.0001 * pull), {.duration = 1, .integrator = method},
                   [&](const Sample& s) {
                     EXPECT_EQ(s.seen.q[0][0], 0);
                     EXPECT_EQ(s.seen.v[0][0], 0);
                     EXPECT_EQ(s.mode[0], 0);
                   });
    run_everywhere(block(slope, 0, 0.9 * pull), {.duration = 1, .integrator = method},
                   [&](const Sample& s) {
                     const double a = -0.1 * pull / 2;
                     EXPECT_NEAR(s.seen.q[0][0], 0.5 * a * s.t * s.t, 1e-12) << s.t;
                     EXPECT_NEAR(s.seen.v[0][0], a * s.t, 1e-12) << s.t;
                     EXPECT_EQ(s.mode[0], -1);
                     slid = s.seen.q[0][0];
                   });
  }
  EXPECT_LT(slid, -0.1);
}

// Pushed up a slope too steep to hold it: turns round at once and slides down more slowly.
TEST(Block, TurnsRoundOnASteepSlope) {
  const double slope = 0.8, m = 2, F = 4, v0 = 3, pull = g * std::sin(slope);
  ASSERT_GT(m * pull, F);
  const double up = pull + F / m, down = pull - F / m, top = v0 / up, height = v0 * v0 / (2 * up);
  for (const char* method : methods) {
    double lowest = 1;
    run_everywhere(block(slope, v0, F), {.duration = 1.5, .step = 0.011, .integrator = method},
                   [&](const Sample& s) {
                     const double after = s.t - top;
                     const double x = after < 0 ? v0 * s.t - 0.5 * up * s.t * s.t
                                                : height - 0.5 * down * after * after;
                     const double v = after < 0 ? v0 - up * s.t : -down * after;
                     EXPECT_NEAR(s.seen.q[0][0], x, 1e-11) << s.t;
                     EXPECT_NEAR(s.seen.v[0][0], v, 1e-11) << s.t;
                     lowest = std::min(lowest, s.seen.q[0][0]);
                   });
    EXPECT_LT(lowest, 0);
  }
}

// Pulled by A sin t: sticks until A sin t = F, slips, and sticks again when it comes to rest.
TEST(Block, BreaksLooseWhenTheForceReachesTheLimit) {
  const double A = 8, F = 5, m = 2, start = std::asin(F / A);
  ModelDescription d = block(0, 0, F);
  ForceText pull;
  pull.type = "joint";
  pull.joint = "joint";
  pull.value = {"8*sin(t)"};
  d.forces.push_back(pull);
  auto speed = [&](double t) {
    return A / m * (std::cos(start) - std::cos(t)) - F / m * (t - start);
  };
  auto place = [&](double t) {
    return A / m * (std::cos(start) * (t - start) - std::sin(t) + std::sin(start)) -
           0.5 * F / m * (t - start) * (t - start);
  };
  double low = start + 0.5, high = 4;  // the speed returns to zero in between
  for (int k = 0; k < 100; ++k) (speed(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
  const double stop = low;
  ASSERT_LT(std::fabs(A * std::sin(stop)),
            F);  // there friction holds it, beyond the end of the run
  for (const char* method : methods) {
    int before = 0, moving = 0, after = 0;
    run_everywhere(d, {.duration = 3.8, .step = 0.01, .integrator = method}, [&](const Sample& s) {
      if (s.t < start) {
        EXPECT_EQ(s.seen.q[0][0], 0) << s.t;
        EXPECT_EQ(s.seen.v[0][0], 0) << s.t;
        ++before;
      } else if (s.t < stop) {
        EXPECT_NEAR(s.seen.q[0][0], place(s.t), 1e-9) << s.t;
        EXPECT_NEAR(s.seen.v[0][0], speed(s.t), 1e-9) << s.t;
        ++moving;
      } else {
        EXPECT_NEAR(s.seen.q[0][0], place(stop), 1e-9) << s.t;
        EXPECT_EQ(s.seen.v[0][0], 0) << s.t;
        ++after;
      }
    });
    EXPECT_GT(before, 50);
    EXPECT_GT(moving, 50);
    EXPECT_GT(after, 20);
  }
}

ModelDescription disc(double speed, const ForceText& law) {
  BodyText body;
  body.mass = 3;
  body.inertia = {0.2, 0.2, 0.4};
  JointText joint = joint_to_world("revolute", {0, 0, 1});
  joint.velocity = {speed};
  ModelDescription d = one_body(body, joint);
  d.forces.push_back(law);
  return d;
}

TEST(Disc, SpinsDownByViscousAndQuadraticFriction) {
  const double J = 0.4, w0 = -9, c = 0.3;
  run_everywhere(disc(w0, friction(0, c)), {.duration = 3}, [&](const Sample& s) {
    EXPECT_NEAR(s.seen.v[0][0], w0 * std::exp(-c / J * s.t), 1e-11) << s.t;
    EXPECT_NEAR(s.seen.q[0][0], w0 * J / c * (1 - std::exp(-c / J * s.t)), 1e-11) << s.t;
  });
  double last = 0;
  run_everywhere(disc(w0, friction(0, 0, c)), {.duration = 3}, [&](const Sample& s) {
    const double rate = c * std::fabs(w0) / J;
    EXPECT_NEAR(s.seen.v[0][0], w0 / (1 + rate * s.t), 1e-9) << s.t;
    EXPECT_NEAR(s.seen.q[0][0], -J / c * std::log(1 + rate * s.t), 1e-9) << s.t;
    last = s.seen.v[0][0];
  });
  EXPECT_LT(last, -0.1);
}

// Coulomb and viscous together stop it in finite time: w' = -(C + c w)/J.
TEST(Disc, StopsInFiniteTime) {
  const double J = 0.4, w0 = 6, C = 0.5, c = 0.2, stop = J / c * std::log(1 + c * w0 / C);
  const double turned = J / c * w0 - C / c * stop;
  int still = 0;
  run_everywhere(disc(w0, friction(C, c)), {.duration = 4}, [&](const Sample& s) {
    const double decay = std::exp(-c / J * s.t);
    if (s.t < stop) {
      EXPECT_NEAR(s.seen.v[0][0], (w0 + C / c) * decay - C / c, 1e-11) << s.t;
      return;
    }
    EXPECT_EQ(s.seen.v[0][0], 0) << s.t;
    EXPECT_NEAR(s.seen.q[0][0], turned, 1e-10) << s.t;
    ++still;
  });
  EXPECT_GT(still, 20);
}

// A rotor on a horizontal axle: two bearings carry half its weight each, friction c m g.
TEST(Rotor, BearingsBrakeItByItsWeight) {
  const double m = 5, J = 0.3, c = 0.004, w0 = 2, brake = c * m * g / J, stop = w0 / brake;
  BodyText rotor;
  rotor.mass = m;
  rotor.inertia = {0.3, 0.2, 0.2};
  JointText axle = joint_to_world("revolute", {1, 0, 0});
  axle.velocity = {w0};
  ModelDescription d = one_body(rotor, axle);
  ForceText law;
  law.type = "friction";
  law.joint = "joint";
  for (double x : {-0.25, 0.25}) {
    BearingText bearing;
    bearing.at = {x, 0, 0};
    bearing.radial = c;
    law.bearings.push_back(bearing);
  }
  d.forces.push_back(law);
  int moving = 0, still = 0;
  run_everywhere(d, {.duration = 4}, [&](const Sample& s) {
    if (s.t < stop) {
      EXPECT_NEAR(s.seen.v[0][0], w0 - brake * s.t, 1e-11) << s.t;
      ++moving;
    } else {
      EXPECT_EQ(s.seen.v[0][0], 0) << s.t;
      EXPECT_NEAR(s.seen.q[0][0], 0.5 * w0 * stop, 1e-11) << s.t;
      ++still;
    }
  });
  EXPECT_GT(moving, 20);
  EXPECT_GT(still, 20);
}

// Held at exactly its limit when the pull begins to grow: F = C + t, so x'' = t from the start.
TEST(Block, LetsGoFromExactlyItsLimit) {
  const double C = 4;
  BodyText block;
  block.mass = 1;
  ModelDescription d = one_body(block, joint_to_world("prismatic", {1, 0, 0}));
  ForceText pull;
  pull.type = "joint";
  pull.joint = "joint";
  pull.value = {"4 + t"};
  d.forces.push_back(pull);
  d.forces.push_back(friction(C));
  double last = 0;
  run_everywhere(d, {.duration = 2}, [&](const Sample& s) {
    EXPECT_NEAR(s.seen.v[0][0], s.t * s.t / 2, 1e-12) << s.t;
    EXPECT_NEAR(s.seen.q[0][0], s.t * s.t * s.t / 6, 1e-12) << s.t;
    last = s.seen.q[0][0];
  });
  EXPECT_GT(last, 1);
}

// A sphere in a ball joint keeps its axis of rotation while friction takes its spin, then rests.
TEST(Ball, FrictionOfABallJointStopsIt) {
  const double J = 0.5, C = 0.7, speed = 3, stop = speed * J / C;
  BodyText ball;
  ball.mass = 1;
  ball.inertia = {J, J, J};
  JointText joint = joint_to_world("spherical");
  joint.velocity = {1, 2, 2};
  ModelDescription d = one_body(ball, joint);
  d.forces.push_back(friction(C));
  int still = 0;
  for (const char* integrator : {"dop853", "gl3", "rk4"})
    run_everywhere(d, {.duration = 3, .integrator = integrator}, [&](const Sample& s) {
      const double rest = std::max(0.0, 1 - s.t / stop);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(s.seen.v[0][k], (k == 0 ? 1 : 2) * rest, 2e-9) << s.t;
      if (rest > 0) return;
      const double angle = 0.5 * speed * stop;
      EXPECT_NEAR(std::fabs(s.seen.q[0][0]), std::fabs(std::cos(0.5 * angle)), 2e-9) << s.t;
      EXPECT_EQ(s.seen.v[0][0], 0);
      ++still;
    });
  EXPECT_GT(still, 20);
}

}  // namespace
}  // namespace cartan::test::exact
