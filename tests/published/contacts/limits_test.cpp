// Derivatives through impacts that slide, through the limit of infinitely many, exponents: closed
// forms.
#include <cmath>

#include <gtest/gtest.h>

#include "analysis/flow.h"
#include "analysis/lyapunov.h"
#include "analysis/tangents.h"
#include "support/example.h"

namespace cartan::test {
namespace {

// A ball without spin that falls obliquely and slides in the impact: friction takes mu (1 + e) v_n
// from the speed of the centre along it and turns the ball. v = (vx, vy), t1 = sqrt(2 h / g):
//   x(T) = vx T - mu (1 + e) g t1 (vx/|v|) (T - t1)
TEST(ContactLimits, ImpactThatSlides) {
  const double g = 9.81, h = 0.5, e = 0.6, mu = 0.1, vx = 3, vy = 1, T = 0.5, R = 0.1;
  const Example ball = load_text(R"toml(
name = "oblique"
[parameters]
mu = 0.1
e = 0.6
[[body]]
name = "ball"
mass = 2
inertia = [0.008, 0.008, 0.008]
[[joint]]
name = "free"
type = "free"
parent = { body = "world" }
child = { body = "ball" }
position = { at = [0, 0, 0.6] }
velocity = [0, 0, 0, 3, 1, 0]
[[contact]]
name = "floor"
a = { body = "ball", sphere = 0.1 }
b = { body = "world", plane = [0, 0, 1] }
restitution = "e"
friction = "mu"
)toml");
  ASSERT_TRUE(ball) << ball.problem;
  const System& system = *ball.system;
  const std::vector<int> which = {ball.model->find_parameter("mu"),
                                  ball.model->find_parameter("e")};
  const int n = tangent_numbers(system);
  Flow flow(system, n + 2, which, {});
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(n, n + 2);
  start.leftCols(n).setIdentity();
  flow.start(system.initial_state(), start);
  ASSERT_EQ(flow.advance(T), "");
  EXPECT_EQ(flow.jumps(), 1);
  const Eigen::MatrixXd S = flow.columns();  // tangent: turn, place; spin, velocity
  const double t1 = std::sqrt(2 * h / g), v = std::hypot(vx, vy), s = T - t1, k = mu * (1 + e) * g;
  const int x = 3, y = 4, z = 5, u = 9, w = 10;
  const double dt1 = 1 / (g * t1);  // by the height
  EXPECT_NEAR(S(x, u), T - k * t1 * s * vy * vy / (v * v * v), 1e-10);
  EXPECT_NEAR(S(x, w), k * t1 * s * vx * vy / (v * v * v), 1e-10);
  EXPECT_NEAR(S(y, u), k * t1 * s * vx * vy / (v * v * v), 1e-10);
  EXPECT_NEAR(S(x, z), -k * vx / v * (s - t1) * dt1, 1e-10);
  EXPECT_NEAR(S(x, n), -(1 + e) * g * t1 * vx / v * s, 1e-10);
  EXPECT_NEAR(S(x, n + 1), -mu * g * t1 * vx / v * s, 1e-10);
  // the spin: R m times the change of the speed along the floor, over the inertia
  EXPECT_NEAR(S(7, n + 1), R * 2 / 0.008 * mu * g * t1 * vx / v, 1e-8);
}

// Behind the limit the ball rests: heights and restitution have no effect any more, where it is
// along the floor has.
TEST(ContactLimits, BallAtRestHasForgotten) {
  const Example ball = load_example("bouncing_ball");
  const System& system = *ball.system;
  const std::vector<int> which = {ball.model->find_parameter("h"), ball.model->find_parameter("e"),
                                  ball.model->find_parameter("R")};
  Flow flow(system, 9, which, {});
  Eigen::MatrixXd start = Eigen::MatrixXd::Zero(6, 9);
  start.leftCols(6).setIdentity();
  start(2, 6) = start(2, 8) = 1;
  flow.start(system.initial_state(), start);
  ASSERT_EQ(flow.advance(5), "");
  const Eigen::MatrixXd S = flow.columns();
  Eigen::MatrixXd expected = Eigen::MatrixXd::Zero(6, 9);
  expected(0, 0) = expected(1, 1) = expected(3, 3) = expected(4, 4) = 1;
  expected(0, 3) = expected(1, 4) = 5;
  expected(2, 8) = 1;  // it lies on the floor, whose distance is R
  EXPECT_LT((S - expected).cwiseAbs().maxCoeff(), 1e-9) << S;
}

// The time of the limit shows where the floor moves on behind it: a ball beside it is not touched.
// Rest on a slope: while the ball bounces it slides down with g sin, at rest too (no friction), so
// that the limit leaves no trace along the slope: x = h sin + g sin t^2/2 whatever happens.
TEST(ContactLimits, AlongASlope) {
  std::string text = example_text("bouncing_ball");
  const std::string old = "b = { body = \"world\", plane = [0, 0, 1] }";
  text.replace(text.find(old), old.size(), "b = { body = \"world\", plane = [0.6, 0, 0.8] }");
  const Example ball = load_text(text);
  ASSERT_TRUE(ball) << ball.problem;
  const System& system = *ball.system;
  Flow flow(system, 6, {}, {});
  flow.start(system.initial_state(), Eigen::MatrixXd::Identity(6, 6));
  const double T = 6;
  ASSERT_EQ(flow.advance(T), "");
  const Eigen::MatrixXd S = flow.columns();
  // directions: down the slope (0.8, -0.6), sideways y
  Eigen::VectorXd along(6), speed(6);
  along << 0.8, 0, -0.6, 0, 0, 0;
  speed << 0, 0, 0, 0.8, 0, -0.6;
  EXPECT_LT((S * along - along).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((S * speed - speed - T * along).cwiseAbs().maxCoeff(), 1e-9);
  Eigen::VectorXd across(6);
  across << 0.6, 0, 0.8, 0, 0, 0;
  EXPECT_LT((S * across).cwiseAbs().maxCoeff(), 1e-9);
}

// Between impacts a ball's flow keeps areas, an impact shrinks them by e^2: the exponents sum to
// ln(e^2) times the number of impacts per time, chaotic or not.
TEST(ContactLimits, ExponentsOfAShakenBall) {
  const Example ball = load_example("shaken_ball", "recursive",
                                    {{"a", 0.005}, {"w", 60}, {"e", 0.8}, {"z0", 0.1}, {"v0", 0}});
  ASSERT_TRUE(ball) << ball.problem;
  LyapunovOptions options;
  options.duration = 2;
  options.transient = 0;
  const LyapunovResult found =
      calc_lyapunov_exponents(*ball.system, ball.system->initial_state(), options);
  ASSERT_EQ(found.problem, "");
  ASSERT_EQ(found.exponents.size(), 2u);
  EXPECT_GT(found.exponents[0], 1);  // chaos
  const int impacts = 14;            // before t = 2, reference case C1.c2
  EXPECT_NEAR(found.exponents[0] + found.exponents[1], impacts * std::log(0.64) / 2, 1e-6);
}

}  // namespace
}  // namespace cartan::test
