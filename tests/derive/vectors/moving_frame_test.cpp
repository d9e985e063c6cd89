// Source 003's derivations by hand (by_hand.h) proved equal to the vector language's, symbol by
// symbol: M* q'' = F* - N* q'.
#include <vector>

#include <gtest/gtest.h>

#include "by_hand.h"
#include "symbolic/simplify/zero.h"
#include "symbolic/vectors/kane_system.h"

namespace cartan::test {
namespace {

using V = Vec3<Expression>;

struct Setting {
  ExpressionGraph graph;
  Kinematics kinematics{graph};
  Frames frames{kinematics};
  Names name = [this](const std::string& text) {
    return graph.find_symbol(text) >= 0 ? graph.symbol(text)
                                        : graph.symbol(text, 0.1 * (1 + graph.symbol_count()));
  };

  Expression angle(const char* name, const char* rate) {
    const Expression q = kinematics.coordinate(name, 0.3);
    kinematics.set_rate(q, kinematics.speed(rate, 0.7));
    return q;
  }
  Vector weight(const Expression& mass) { return {frames.frame("N"), 0, 0, -mass * name("g")}; }
  Dyad diagonal_inertia(Frame frame, const std::string& body) {
    return Dyad::inertia(frame, name("J" + body + "1"), name("J" + body + "5"),
                         name("J" + body + "9"));
  }

  void expect_equal(const ByHand& by_hand, const MotionEquations& found) {
    ASSERT_TRUE(kinematics.ok()) << kinematics.problems().text();
    const HandMatrices hand = matrices_of(by_hand);
    const std::size_t n = by_hand.rates.size();
    for (std::size_t k = 0; k < found.M.size(); ++k)
      EXPECT_TRUE(is_identically_zero(graph, hand.M_star[k] - found.M[k])) << "M " << k;
    std::vector<Expression> rest = hand.F_star;
    for (std::size_t k = 0; k < n * n; ++k) rest[k / n] -= hand.N_star[k] * by_hand.rates[k % n];
    for (std::size_t k = 0; k < n; ++k)
      EXPECT_TRUE(is_identically_zero(graph, rest[k] - found.f[k])) << "f " << k;
    // and the proof can fail
    EXPECT_FALSE(is_identically_zero(graph, hand.M_star[0] - 2 * found.M[0]));
    EXPECT_FALSE(is_identically_zero(graph, rest[0] + found.f[0]));
  }
};

TEST(MovingFrameByHand, PlanarPendulum) {
  Setting s;
  const Expression Th1 = s.angle("Th1", "dTh1"), m1 = s.name("m1");
  const Frame N = s.frames.frame("N"), A = s.frames.rotate(N, "A", 2, Th1);
  KaneSystem system(N);
  system.add_body(m1, s.diagonal_inertia(A, "1"), derivative(Vector(A, s.name("L1"), 0, 0), N),
                  s.frames.angular_velocity(A, N), s.weight(m1), Vector(A, 0, s.name("F1"), 0));
  s.expect_equal(planar_pendulum_by_hand(s.name), system.equations(s.kinematics.speeds()));
}

TEST(MovingFrameByHand, ConstructedPendulum) {
  Setting s;
  const Expression Th1 = s.angle("Th1", "dTh1"), Th2 = s.angle("Th2", "dTh2");
  const Expression m1 = s.name("m1"), m2 = s.name("m2");
  const V r1(s.name("L11"), s.name("L12"), s.name("L13"));
  const V rp1(s.name("l1"), -s.name("L12"), s.name("l3")), r2p(s.name("L21"), 0, 0);
  const Frame N = s.frames.frame("N"), A = s.frames.rotate(N, "A", 3, Th1),
              B = s.frames.rotate(A, "B", 2, Th2);
  const Vector c1(A, r1), c2 = c1 + Vector(A, rp1) + Vector(B, r2p);
  KaneSystem system(N);
  const Vector moment(A, 0, s.name("F2"), 0);  // acts on the arm, and back on the column
  system.add_body(m1,
                  Dyad::inertia(A, s.name("J11"), s.name("J15"), s.name("J19"), s.name("J12"),
                                s.name("J13"), s.name("J16")),
                  derivative(c1, N), s.frames.angular_velocity(A, N), s.weight(m1),
                  Vector(A, 0, 0, s.name("F1")) - moment);
  system.add_body(m2, s.diagonal_inertia(B, "2"), derivative(c2, N),
                  s.frames.angular_velocity(B, N), s.weight(m2), moment);
  const MotionEquations found = system.equations(s.kinematics.speeds());
  s.expect_equal(constructed_pendulum_by_hand(s.name), found);

  // the equations as the document prints them
  EXPECT_TRUE(is_identically_zero(s.graph, found.M[1]));
  const PrintedAcceleration printed = constructed_pendulum_printed(s.name, false);
  for (int k = 0; k < 2; ++k)
    EXPECT_TRUE(is_identically_zero(
        s.graph, found.f[k] / found.M[3 * k] - printed.above[k] / printed.below[k]));
}

TEST(MovingFrameByHand, RotatedDoublePendulum) {
  Setting s;
  const Expression Th1 = s.angle("Th1", "dTh1"), Th2 = s.angle("Th2", "dTh2"),
                   Th3 = s.angle("Th3", "dTh3");
  const V r1(s.name("L1"), 0, 0), r2p(s.name("L2"), 0, 0), r32(s.name("L3"), 0, 0);
  // the lower pendulum hangs on the upper one's mass centre
  const Frame N = s.frames.frame("N"), A = s.frames.rotate(N, "A", 3, Th1);
  const Frame B = s.frames.rotate(A, "B", 2, Th2), C = s.frames.rotate(B, "C", 2, Th3);
  const Vector c1(A, r1), c2 = c1 + Vector(A, r1) + Vector(B, r2p), c3 = c2 + Vector(C, r32);
  const Vector moment2(A, 0, s.name("F2"), 0), moment3(B, 0, s.name("F3"), 0);
  KaneSystem system(N);
  auto add = [&](const std::string& i, const Vector& centre, Frame frame, const Vector& torque) {
    const Expression m = s.name("m" + i);
    system.add_body(m, s.diagonal_inertia(frame, i), derivative(centre, N),
                    s.frames.angular_velocity(frame, N), s.weight(m), torque);
  };
  add("1", c1, A, Vector(A, 0, 0, s.name("F1")) - moment2);
  add("2", c2, B, moment2 - moment3);
  add("3", c3, C, moment3);
  s.expect_equal(rotated_double_pendulum_by_hand(s.name), system.equations(s.kinematics.speeds()));
}

}  // namespace
}  // namespace cartan::test
