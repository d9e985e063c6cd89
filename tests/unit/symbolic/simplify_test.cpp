// Collected forms, as they are read.
#include "symbolic/simplify/simplify.h"

#include <gtest/gtest.h>

#include <limits>

#include "random_program.h"
#include "symbolic/differentiate.h"
#include "symbolic/flatten.h"
#include "symbolic/print/print.h"

namespace cartan::test::symbolic_test {
namespace {

class Simplify : public testing::Test {
 protected:
  std::string text(const Expression& e) { return to_text(graph, simplify(graph, e)); }

  ExpressionGraph graph;
  Expression m1 = graph.symbol("m1", 1.5), m2 = graph.symbol("m2", 0.7);
  Expression l1 = graph.symbol("l1", 0.9), l2 = graph.symbol("l2", 1.2), g = graph.symbol("g", 9.8);
  Expression q1 = graph.symbol("q1", 0.4), q2 = graph.symbol("q2", 1.3), q3 = graph.symbol("q3", 2);
  Expression v1 = graph.symbol("v1", -0.3), v2 = graph.symbol("v2", 0.6);
};

TEST_F(Simplify, Collects) {
  EXPECT_EQ(text((m1 + m2) * (m1 - m2) + m2 * m2), "m1^2");
  EXPECT_EQ(text((m1 + m2) * l1 - m2 * l1), "m1*l1");
  EXPECT_EQ(text(m1 * l1 + m2 * l1), "(m1 + m2)*l1");
  EXPECT_EQ(text(0.1 * m1 + 0.2 * m1), "0.3*m1");
  EXPECT_EQ(text((m1 * m1 - m2 * m2) / (m1 - m2)), "m1 + m2");
  EXPECT_EQ(text(m1 / (m1 + m2) + m2 / (m1 + m2)), "1");
  EXPECT_EQ(text(1 / m1 + 1 / m2), "1/m1 + 1/m2");
  EXPECT_EQ(text(m1 * (1 / (m1 * m2))), "1/m2");
  EXPECT_EQ(text(sqrt(m1 + m2) * (sqrt(m1 + m2) * l1)), "(m1 + m2)*l1");
}

TEST_F(Simplify, SquaresAndProductsOfSums) {
  EXPECT_EQ(text(v1 * v1 + 2 * v1 * v2 + v2 * v2), "(v1 + v2)^2");
  EXPECT_EQ(text(l1 * (v1 * v1 - 2 * v1 * v2 + v2 * v2)), "l1*(v1 - v2)^2");
  EXPECT_EQ(text(4 * v1 * v1 + 12 * v1 * v2 + 9 * v2 * v2), "4*(v1 + 3*v2/2)^2");
  const Expression sum = v1 + v2 - l1;
  EXPECT_EQ(text(v1 * v1 + v2 * v2 + l1 * l1 + 2 * (v1 * v2 - v1 * l1 - v2 * l1)), text(sum * sum));
  EXPECT_EQ(text(m1 * l1 + m1 * l2 + m2 * l1 + m2 * l2), "(m1 + m2)*(l1 + l2)");
  EXPECT_EQ(text(m1 * l1 * v1 - m1 * l1 * v2 + m2 * v1 - m2 * v2), "(m1*l1 + m2)*(v1 - v2)");
  // almost squares and products are none
  for (const Expression& e : {v1 * v1 + 2 * v1 * v2 + 2 * v2 * v2, v1 * v1 + v1 * v2 + v2 * v2,
                              v1 * v1 + 2 * v1 * v2 - v2 * v2})
    EXPECT_EQ(text(e).find(")^2"), std::string::npos) << text(e);
  EXPECT_EQ(text(m1 * l1 + m1 * l2 + m2 * l1 + 2 * m2 * l2).find(")*("), std::string::npos);
}

TEST_F(Simplify, TrigonometricPairs) {
  const Expression s1 = sin(q1), c1 = cos(q1), s2 = sin(q2), c2 = cos(q2), s3 = sin(q3),
                   c3 = cos(q3);
  EXPECT_EQ(text(m1 * l1 * s1 * s1 + l1 * m1 * c1 * c1), "m1*l1");
  EXPECT_EQ(text(m1 * s1 * s1 + m2 * c1 * c1), "m1*sin(q1)^2 + m2*cos(q1)^2");
  EXPECT_EQ(text(c1 * c2 - s1 * s2), "cos(q1 + q2)");
  EXPECT_EQ(text(m1 * (c1 * c2 + s1 * s2)), "m1*cos(q1 - q2)");
  EXPECT_EQ(text(l2 * (s1 * c2 + c1 * s2) * g), "l2*g*sin(q1 + q2)");
  EXPECT_EQ(text(s1 * c2 - c1 * s2), "sin(q1 - q2)");
  const Expression c12 = c1 * c2 - s1 * s2, s12 = s1 * c2 + c1 * s2;
  EXPECT_EQ(text(c12 * c3 - s12 * s3), "cos(q1 + q2 + q3)");
  EXPECT_EQ(text(c12 * c12 + s12 * s12), "1");
  EXPECT_EQ(text(sin(q1 + q2) * sin(q1 + q2) + cos(q1 + q2) * cos(q1 + q2) + m1), "m1 + 1");
  EXPECT_EQ(text(sin(q1 + q2) * c2 - cos(q1 + q2) * s2), "sin(q1)");
  EXPECT_EQ(text(sin(q1 + pi / 2) - c1), "0");
  EXPECT_EQ(text(2 * s1 * c1 - sin(2 * q1)), "0");
}

// Lagrange's equations of the planar double pendulum, relative angles.
TEST_F(Simplify, DoublePendulum) {
  const Expression x1 = l1 * sin(q1), y1 = -l1 * cos(q1);
  const Expression x2 = x1 + l2 * sin(q1 + q2), y2 = y1 - l2 * cos(q1 + q2);
  const std::vector<Expression> positions{x1, y1, x2, y2}, q{q1, q2}, v{v1, v2};
  const std::vector<Expression> speeds = total_time_derivative(graph, positions, q, v);
  const Expression kinetic = 0.5 * m1 * (speeds[0] * speeds[0] + speeds[1] * speeds[1]) +
                             0.5 * m2 * (speeds[2] * speeds[2] + speeds[3] * speeds[3]);
  const Expression potential = m1 * g * y1 + m2 * g * y2;
  const auto mass = [&](const Expression& a, const Expression& b) {
    return text(differentiate(graph, differentiate(graph, kinetic, a), b));
  };
  EXPECT_EQ(mass(v1, v1), "(m1 + m2)*l1^2 + m2*l2*(2*l1*cos(q2) + l2)");
  EXPECT_EQ(mass(v1, v2), "m2*l2*(l1*cos(q2) + l2)");
  EXPECT_EQ(mass(v2, v2), "m2*l2^2");
  EXPECT_EQ(text(differentiate(graph, potential, q2)), "m2*l2*g*sin(q1 + q2)");
  EXPECT_EQ(text(differentiate(graph, potential, q1)),
            "(m1 + m2)*l1*g*sin(q1) + m2*l2*g*sin(q1 + q2)");
  EXPECT_EQ(text(differentiate(graph, kinetic, q2)), "-m2*l1*l2*v1*(v1 + v2)*sin(q2)");
}

using Vector = std::array<Expression, 3>;

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector sum(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Expression dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
// Components in a frame turned by q about z.
Vector turned(const Vector& a, const Expression& q) {
  return {cos(q) * a[0] + sin(q) * a[1], cos(q) * a[1] - sin(q) * a[0], a[2]};
}

// Two rods with inertia by the three-dimensional recursion of velocities, body frames.
TEST_F(Simplify, DoublePendulumFromThreeDimensionalRecursion) {
  const Expression inertia1 = graph.symbol("I1", 0.2), inertia2 = graph.symbol("I2", 0.3),
                   c1 = graph.symbol("c1", 0.5), c2 = graph.symbol("c2", 0.4);
  const Vector w1{0, 0, v1}, centre1{0, -c1, 0}, tip1{0, -l1, 0}, centre2{0, -c2, 0};
  const Vector w2 = sum(turned(w1, q2), {0, 0, v2});
  const Vector speed1 = cross(w1, centre1), joint2 = turned(cross(w1, tip1), q2);
  const Vector speed2 = sum(joint2, cross(w2, centre2));
  const Vector down = turned({0, -g, 0}, q1), down2 = turned(down, q2);
  const Expression kinetic = 0.5 * (m1 * dot(speed1, speed1) + m2 * dot(speed2, speed2) +
                                    inertia1 * w1[2] * w1[2] + inertia2 * w2[2] * w2[2]);
  const auto mass = [&](const Expression& a, const Expression& b) {
    return text(differentiate(graph, differentiate(graph, kinetic, a), b));
  };
  EXPECT_EQ(mass(v1, v1), "m1*c1^2 + m2*(l1^2 + 2*l1*c2*cos(q2) + c2^2) + I1 + I2");
  EXPECT_EQ(mass(v1, v2), "m2*c2*(l1*cos(q2) + c2) + I2");
  EXPECT_EQ(mass(v2, v2), "m2*c2^2 + I2");
  // moments of the weights about the joints
  const Vector moment2 = cross(centre2, {m2 * down2[0], m2 * down2[1], 0});
  EXPECT_EQ(text(moment2[2]), "-m2*g*c2*sin(q1 + q2)");
  const Expression weight1 = cross(centre1, {m1 * down[0], m1 * down[1], 0})[2];
  const Vector force2 = {m2 * down[0], m2 * down[1], 0};
  EXPECT_EQ(text(weight1 + cross(tip1, force2)[2] + moment2[2]),
            "-(m1*c1 + m2*l1)*g*sin(q1) - m2*g*c2*sin(q1 + q2)");
  // Lagrange: d/dt (dT/dv2) - dT/dq2 without accelerations
  const Expression p2 = differentiate(graph, kinetic, v2);
  const Expression rate =
      total_time_derivative(graph, std::vector{p2}, std::vector{q1, q2}, std::vector{v1, v2})[0];
  EXPECT_EQ(text(rate - differentiate(graph, kinetic, q2)), "m2*l1*v1^2*c2*sin(q2)");
}

TEST_F(Simplify, LargeExpressionsAreReturnedAsTheyAre) {
  Expression power = m1 + m2 + l1 + l2;
  for (int k = 0; k < 8; ++k) power = power * power + q1;
  EXPECT_TRUE(identical(simplify(graph, power), power));
  const Expression infinite = m1 * std::numeric_limits<double>::infinity() + m2 * (q1 + 1) - m2;
  EXPECT_TRUE(identical(simplify(graph, infinite), infinite));
}

// How many expressions became simpler.
int check_values(ProgramMaker maker, int programs, int operations) {
  int simpler = 0;
  for (int k = 0; k < programs; ++k) {
    const RandomProgram random = maker.make(3 + k % operations);
    ExpressionGraph graph;
    const auto symbols = symbols_at(graph, random.point[0]);
    for (const Expression& value : run_symbolic(random.program, symbols)) {
      const Expression simple = simplify(graph, value);
      EXPECT_NEAR(simple.sample(), value.sample(), 1e-8) << k << " " << to_text(graph, value);
      simpler += !identical(simple, value);
    }
  }
  return simpler;
}

TEST(SimplifyRandom, KeepsTheValue) {
  check_values(ProgramMaker(31), 1000, 14);
  EXPECT_GT(check_values(ProgramMaker(32, {Op::add, Op::subtract, Op::multiply, Op::sin, Op::cos,
                                           Op::multiply, Op::divide, Op::sqrt}),
                         1000, 14),
            50);
}

}  // namespace
}  // namespace cartan::test::symbolic_test
