// Frames, vectors, dyads: identities with random numbers, and what is refused.
#include <cmath>

#include <gtest/gtest.h>

#include "support/random.h"
#include "symbolic/differentiate.h"
#include "symbolic/vectors/vectors.h"

namespace cartan::test {
namespace {

// Values are those at the sample point: every symbol gets a random one.
class FramesTest : public testing::Test {
 protected:
  ExpressionGraph graph;
  Kinematics kinematics{graph};
  Frames frames{kinematics};
  Random random{7};
  int count = 0;

  // a coordinate with a speed as its rate
  Expression angle() {
    const std::string number = std::to_string(++count);
    const Expression q = kinematics.coordinate("q" + number, random.uniform(-2, 2));
    kinematics.set_rate(q, kinematics.speed("u" + number, random.uniform(-2, 2)));
    return q;
  }
  Vec3<Expression> components_of_time() {
    Vec3<Expression> c;
    for (int i = 0; i < 3; ++i) c[i] = sin(angle()) * random.uniform(-1, 1);
    return c;
  }
  std::string problems() const { return kinematics.problems().text(); }
  static void expect_equal(const Vec3<Expression>& a, const Vec3<Expression>& b) {
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(a[i].sample(), b[i].sample(), 1e-13) << i;
  }
  static void expect_equal(const Expression& a, const Expression& b) {
    EXPECT_NEAR(a.sample(), b.sample(), 1e-13);
  }
};

TEST_F(FramesTest, RotationAboutAnAxis) {
  const Frame N = frames.frame("N");
  const Expression q = angle();
  const Frame A = frames.rotate(N, "A", 3, q);
  const Mat3<Expression> R = frames.direction_cosines(N, A);
  EXPECT_TRUE(identical(R(0, 0), cos(q)) && identical(R(1, 0), sin(q)));
  EXPECT_TRUE(identical(R(0, 1), -sin(q)) && identical(R(2, 2), 1));
  // the same about a vector
  const Frame B = frames.rotate(N, "B", Vec3<Expression>(0, 0, 1), q);
  expect_equal(frames.direction_cosines(N, B).c[0], R.c[0]);
  expect_equal(frames.direction_cosines(N, B).c[1], R.c[1]);
  // a general axis is its own image
  const Vec3<double> a = random.direction();
  const Vec3<Expression> axis(a.x, a.y, a.z);
  const Frame C = frames.rotate(N, "C", axis, angle());
  expect_equal(components(Vector(C, axis), N), axis);
  EXPECT_TRUE(kinematics.ok()) << problems();
}

TEST_F(FramesTest, EulerSequence) {
  const Frame N = frames.frame("N");
  const Expression a = angle(), b = angle(), c = angle();
  const Frame E = frames.euler(N, "E", "313", {a, b, c});
  const Frame A = frames.rotate(N, "A", 3, a), B = frames.rotate(A, "B", 1, b),
              C = frames.rotate(B, "C", 3, c);
  for (int j = 0; j < 3; ++j)
    expect_equal(frames.direction_cosines(N, E).c[j], frames.direction_cosines(N, C).c[j]);
  expect_equal(components(frames.angular_velocity(E, N), N),
               components(frames.angular_velocity(C, N), N));
}

// Angular velocities are stored rotation by rotation; (5.8) gives them from direction cosines.
TEST_F(FramesTest, AngularVelocityFollowsFromDirectionCosines) {
  const Frame N = frames.frame("N");
  const Frame A = frames.euler(N, "A", "12", {angle(), angle()});
  const Vec3<double> a = random.direction();
  const Frame B = frames.rotate(A, "B", Vec3<Expression>(a.x, a.y, a.z), angle());
  const Frame M = frames.frame("M");
  const Frame C = frames.direction_cosines(M, "C", frames.direction_cosines(N, B));
  expect_equal(components(frames.angular_velocity(B, N), B),
               components(frames.angular_velocity(C, M), C));
  // of N relative to B it is the opposite
  expect_equal(components(frames.angular_velocity(N, B), B),
               components(-frames.angular_velocity(B, N), B));
}

TEST_F(FramesTest, DerivativeInAnyFrame) {
  const Frame N = frames.frame("N");
  const Frame A = frames.rotate(N, "A", 1, angle()), B = frames.rotate(A, "B", 2, angle());
  const Frame C = frames.rotate(N, "C", 3, angle());
  const Vector v = Vector(B, components_of_time()) + Vector(C, components_of_time()) +
                   Vector(N, components_of_time());
  for (const Frame frame : {N, A, B, C}) {
    // the robust way: components there, differentiated
    const Vec3<Expression> expected = components(local_derivative(express(v, frame)), N);
    expect_equal(components(derivative(v, frame), N), expected);
  }
  // of a dyad: (D v)' = D' v + D v'
  const Dyad D = outer(Vector(C, components_of_time()), Vector(B, components_of_time()));
  expect_equal(components(derivative(D * v, A), N),
               components(derivative(D, A) * v + D * derivative(v, A), N));
  EXPECT_TRUE(kinematics.ok()) << problems();
}

TEST_F(FramesTest, Algebra) {
  const Frame N = frames.frame("N");
  const Frame A = frames.rotate(N, "A", 1, angle()), B = frames.rotate(A, "B", 2, angle());
  const Frame C = frames.rotate(N, "C", 3, angle());
  const Vector a = Vector(A, components_of_time()) + Vector(C, components_of_time());
  const Vector b = Vector(B, components_of_time()) + Vector(N, components_of_time());
  const Vector c = Vector(C, components_of_time());
  const Vec3<Expression> an = components(a, N), bn = components(b, N), cn = components(c, N);
  expect_equal(dot(a, b), dot(an, bn));
  expect_equal(components(cross(a, b), N), cross(an, bn));
  expect_equal(dot(cross(a, b), c), dot(cross(b, c), a));
  expect_equal(magnitude(a), norm(an));
  expect_equal(components(a - Expression(2) * b, N), an - Expression(2) * bn);
  // dyads
  expect_equal(components(outer(a, b) * c, N), dot(bn, cn) * an);
  expect_equal(components(c * outer(a, b), N), dot(an, cn) * bn);
  expect_equal(components(skew(a) * b, N), cross(an, bn));
  expect_equal(components(axial(skew(a)), N), an);
  expect_equal(components(cross(a, outer(b, c)) * a, N), dot(cn, an) * cross(an, bn));
  expect_equal(components(cross(outer(b, c), a) * b, N), dot(cn, cross(an, bn)) * bn);
  expect_equal(components((outer(a, b) + outer(b, c)) * c, N), dot(bn, cn) * an + dot(cn, cn) * bn);
  expect_equal(components(express(outer(a, b), C) * c, N), dot(bn, cn) * an);
  expect_equal(components(Dyad::unit(B) * a, N), an);
  EXPECT_TRUE(kinematics.ok()) << problems();
}

// A sum is a list of terms; terms of one frame are added, and what cancels is gone.
TEST_F(FramesTest, SumsStaySums) {
  const Frame N = frames.frame("N"), A = frames.rotate(N, "A", 3, angle());
  const Expression K = graph.symbol("K"), P = graph.symbol("P");
  const int before = graph.size();
  const Vector v = Vector(N, K, 0, 0) + Vector(A, P, 0, 0);
  EXPECT_EQ(v.terms().size(), 2u);
  EXPECT_EQ(graph.size(), before);  // nothing was computed
  EXPECT_EQ((v + Vector(A, 0, P, 0)).terms().size(), 2u);
  EXPECT_EQ((v - Vector(A, P, 0, 0)).terms().size(), 1u);
  EXPECT_TRUE((v - v).is_zero());
  EXPECT_TRUE(identical(components(v, A).y, -sin(angle() * 0 + kinematics.coordinates()[0]) * K));
}

// Trees may be joined at any two frames, whatever was defined first.
TEST_F(FramesTest, TreesCanBeJoined) {
  const Frame A = frames.frame("A");
  const Frame B = frames.rotate(A, "B", 1, angle()), C = frames.rotate(B, "C", 2, angle());
  const Vector w = frames.angular_velocity(C, A);
  const Mat3<Expression> R = frames.direction_cosines(A, C);
  const Frame N = frames.frame("N");
  frames.rotate(N, "C", 3, angle());  // C gets a second neighbour, its tree another root
  EXPECT_TRUE(kinematics.ok()) << problems();
  for (int j = 0; j < 3; ++j) expect_equal(frames.direction_cosines(A, C).c[j], R.c[j]);
  expect_equal(components(frames.angular_velocity(C, A), A), components(w, A));
  expect_equal(components(frames.angular_velocity(A, N), N),
               components(frames.angular_velocity(C, N) - frames.angular_velocity(C, A), N));
}

TEST_F(FramesTest, AngularVelocityMayBeGiven) {
  const Frame N = frames.frame("N"), A = frames.euler(N, "A", "1", {angle()});
  const Expression w = kinematics.speed("w", 0.7);
  frames.set_angular_velocity(A, N, {w, 0, 0});
  EXPECT_TRUE(identical(components(frames.angular_velocity(A, N), A).x, w));
  expect_equal(components(derivative(Vector(A, 0, 1, 0), N), A), {0, 0, w});
}

// ---------------------------------------------------------------------------------------- refusals

TEST_F(FramesTest, CycleIsRefused) {
  const Frame N = frames.frame("N"), A = frames.rotate(N, "A", 1, angle());
  const Frame B = frames.rotate(A, "B", 2, angle());
  const Mat3<Expression> before = frames.direction_cosines(N, B);
  frames.rotate(B, "N", 3, angle());
  EXPECT_FALSE(kinematics.ok());
  EXPECT_NE(problems().find("rotation from B to N would close a cycle"), std::string::npos)
      << problems();
  EXPECT_NE(problems().find("B - A - N"), std::string::npos) << problems();
  EXPECT_NE(problems().find("leave one relation out"), std::string::npos) << problems();
  EXPECT_TRUE(identical(frames.direction_cosines(N, B)(0, 0), before(0, 0)));  // nothing changed
}

TEST_F(FramesTest, CycleOfNamesIsRefused) {
  frames.rotate({{"N", "A", 1, angle()},
                 {"B", "C", 2, angle()},
                 {"A", "B", 3, angle()},
                 {"C", "N", 1, angle()}});
  EXPECT_EQ(kinematics.problems().findings().size(), 1u);
  EXPECT_NE(problems().find("C - B - A - N"), std::string::npos) << problems();
}

TEST_F(FramesTest, SecondDefinitionIsRefused) {
  const Frame N = frames.frame("N");
  frames.rotate(N, "A", 1, angle());
  frames.rotate(N, "A", 2, angle());
  EXPECT_NE(problems().find("Frames N and A are related already"), std::string::npos) << problems();
}

TEST_F(FramesTest, SelfAndWrongAxesAreRefused) {
  const Frame N = frames.frame("N");
  frames.rotate(N, "N", 1, angle());
  frames.rotate(N, "A", 4, angle());
  frames.rotate(N, "B", Vec3<Expression>(1, 1, 0), angle());
  frames.euler(N, "C", "31", {angle()});
  frames.rotate(Frame{}, "D", 1, angle());
  EXPECT_EQ(kinematics.problems().findings().size(), 5u) << problems();
  EXPECT_NE(problems().find("cannot be turned from itself"), std::string::npos);
  EXPECT_NE(problems().find("choose 1, 2 or 3"), std::string::npos);
  EXPECT_NE(problems().find("unit vector"), std::string::npos);
  EXPECT_NE(problems().find("one digit 1, 2 or 3 for each"), std::string::npos);
  EXPECT_NE(problems().find("does not exist"), std::string::npos);
}

TEST_F(FramesTest, UnrelatedFramesAreToldApart) {
  const Frame N = frames.frame("N"), A = frames.frame("A");
  EXPECT_EQ(dot(Vector(N, 1, 0, 0), Vector(A, 1, 0, 0)).sample(), 0);
  EXPECT_NE(problems().find("Frames N and A are not related"), std::string::npos) << problems();
}

TEST_F(FramesTest, MissingKinematicEquation) {
  const Expression q = kinematics.coordinate("q_roll", 0.3);
  const Frame N = frames.frame("N"), A = frames.rotate(N, "A", 1, q);
  const Vector v = derivative(Vector(A, 0, 1, 0), N);
  EXPECT_TRUE(v.is_zero());
  EXPECT_NE(problems().find("Coordinate q_roll has no kinematic differential equation"),
            std::string::npos)
      << problems();
  EXPECT_NE(problems().find("set_rate(q_roll, ...)"), std::string::npos) << problems();
  EXPECT_EQ(kinematics.problems().findings().size(), 1u);  // told once
  kinematics.set_rate(q, kinematics.speed("u", 2));
  EXPECT_EQ(components(derivative(Vector(A, 0, 1, 0), N), A).z.sample(), 2);
}

TEST_F(FramesTest, RateOfAnExpressionIsRefused) {
  kinematics.set_rate(2 * angle(), Expression(1));
  kinematics.set_rate(Expression(3), Expression(1));
  EXPECT_EQ(kinematics.problems().findings().size(), 2u);
}

}  // namespace
}  // namespace cartan::test
