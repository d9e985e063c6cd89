// Source 003's derivations by hand (sec. 5.1, appendix C.2), with the matrices B, B' and D written
// down as the document writes them, proved equal to the vector language's, symbol by symbol:
//   M* = B^T M B,   N* = B^T (M B' + D M B),   M* q'' = F* - N* q'
#include <vector>

#include <gtest/gtest.h>

#include "symbolic/kane_system.h"
#include "symbolic/zero.h"

namespace cartan {
namespace {

using V = Vec3<Expression>;
using R3 = Mat3<Expression>;

// One body's rows of B and B': x' in the inertial frame, w in its own.
struct Rows {
  Expression mass;
  R3 J;
  V omega;  // for D
  V force, torque;
  std::vector<V> Bx, Bw, dBx, dBw;  // by column
};

struct Matrices {
  std::vector<Expression> M;     // M*
  std::vector<Expression> rest;  // F* - N* q'
};

Matrices moving_frame(const std::vector<Rows>& bodies, const std::vector<Expression>& rates) {
  const std::size_t n = rates.size();
  Matrices result{std::vector<Expression>(n * n), std::vector<Expression>(n)};
  for (const Rows& body : bodies)
    for (std::size_t i = 0; i < n; ++i) {
      result.rest[i] += dot(body.Bx[i], body.force) + dot(body.Bw[i], body.torque);
      for (std::size_t j = 0; j < n; ++j) {
        result.M[i * n + j] +=
            body.mass * dot(body.Bx[i], body.Bx[j]) + dot(body.Bw[i], body.J * body.Bw[j]);
        const V turning = body.J * body.dBw[j] + cross(body.omega, body.J * body.Bw[j]);
        result.rest[i] -=
            (body.mass * dot(body.Bx[i], body.dBx[j]) + dot(body.Bw[i], turning)) * rates[j];
      }
    }
  return result;
}

// Rotation matrices about axis 2 and 3, and their rates.
R3 turn(int axis, const Expression& angle) {
  const Expression c = cos(angle), s = sin(angle);
  if (axis == 2) return R3::columns({c, 0, -s}, {0, 1, 0}, {s, 0, c});
  return R3::columns({c, s, 0}, {-s, c, 0}, {0, 0, 1});
}
R3 turn_rate(int axis, const Expression& angle, const Expression& rate) {
  const Expression c = rate * cos(angle), s = rate * sin(angle);
  if (axis == 2) return R3::columns({-s, 0, -c}, {0, 0, 0}, {c, 0, -s});
  return R3::columns({-s, c, 0}, {-c, -s, 0}, {0, 0, 0});
}
R3 diagonal(const Expression& a, const Expression& b, const Expression& c) {
  return R3::columns({a, 0, 0}, {0, b, 0}, {0, 0, c});
}
const V e2(0, 1, 0), e3(0, 0, 1), zero;

struct Setting {
  ExpressionGraph graph;
  Kinematics kinematics{graph};
  Frames frames{kinematics};
  Expression g = graph.symbol("g", 9.81);

  Expression symbol(const char* name) {
    return graph.symbol(name, 0.1 * (1 + graph.symbol_count()));
  }
  Expression angle(const char* name, const char* rate) {
    const Expression q = kinematics.coordinate(name, 0.3);
    kinematics.set_rate(q, kinematics.speed(rate, 0.7));
    return q;
  }
  Vector weight(const Expression& mass) { return {frames.frame("N"), 0, 0, -mass * g}; }

  void expect_equal(const Matrices& by_hand, const MotionEquations& found) {
    ASSERT_TRUE(kinematics.ok()) << kinematics.problems().text();
    for (std::size_t k = 0; k < found.M.size(); ++k)
      EXPECT_TRUE(is_identically_zero(graph, by_hand.M[k] - found.M[k])) << "M " << k;
    for (std::size_t k = 0; k < found.f.size(); ++k)
      EXPECT_TRUE(is_identically_zero(graph, by_hand.rest[k] - found.f[k])) << "f " << k;
    // and the proof can fail
    EXPECT_FALSE(is_identically_zero(graph, by_hand.M[0] - 2 * found.M[0]));
    EXPECT_FALSE(is_identically_zero(graph, by_hand.rest[0] + found.f[0]));
  }
};

TEST(MovingFrameByHand, PlanarPendulum) {
  Setting s;
  const Expression L1 = s.symbol("L1"), m1 = s.symbol("m1"), F1 = s.symbol("F1");
  const Expression J11 = s.symbol("J11"), J15 = s.symbol("J15"), J19 = s.symbol("J19");
  const Expression Th1 = s.angle("Th1", "dTh1"), dTh1 = s.kinematics.speeds()[0];

  Rows body{m1, diagonal(J11, J15, J19), {0, dTh1, 0}, {0, 0, -s.g * m1}, {0, F1, 0}, {}, {}, {},
            {}};
  body.Bx = {V(-L1 * sin(Th1), 0, -L1 * cos(Th1))};
  body.Bw = {e2};
  body.dBx = {V(-L1 * cos(Th1) * dTh1, 0, L1 * sin(Th1) * dTh1)};
  body.dBw = {zero};

  const Frame N = s.frames.frame("N"), A = s.frames.rotate(N, "A", 2, Th1);
  KaneSystem system(N);
  system.add_body(m1, Dyad::inertia(A, J11, J15, J19), derivative(Vector(A, L1, 0, 0), N),
                  s.frames.angular_velocity(A, N), s.weight(m1), Vector(A, 0, F1, 0));
  s.expect_equal(moving_frame({body}, {dTh1}), system.equations({dTh1}));
}

TEST(MovingFrameByHand, ConstructedPendulum) {
  Setting s;
  const Expression m1 = s.symbol("m1"), m2 = s.symbol("m2"), F1 = s.symbol("F1"),
                   F2 = s.symbol("F2");
  const Expression J11 = s.symbol("J11"), J12 = s.symbol("J12"), J13 = s.symbol("J13");
  const Expression J15 = s.symbol("J15"), J16 = s.symbol("J16"), J19 = s.symbol("J19");
  const Expression J21 = s.symbol("J21"), J25 = s.symbol("J25"), J29 = s.symbol("J29");
  const Expression L11 = s.symbol("L11"), L12 = s.symbol("L12"), L13 = s.symbol("L13");
  const Expression l1 = s.symbol("l1"), l3 = s.symbol("l3"), L21 = s.symbol("L21");
  const Expression Th1 = s.angle("Th1", "dTh1"), Th2 = s.angle("Th2", "dTh2");
  const Expression dTh1 = s.kinematics.speeds()[0], dTh2 = s.kinematics.speeds()[1];

  const R3 R1 = turn(3, Th1), R21 = turn(2, Th2), dR1 = turn_rate(3, Th1, dTh1),
           dR21 = turn_rate(2, Th2, dTh2);
  const V r1(L11, L12, L13), rp1(l1, -L12, l3), r2p(L21, 0, 0), r2 = r1 + rp1 + R21 * r2p;
  const R3 J1 = R3::columns({J11, J12, J13}, {J12, J15, J16}, {J13, J16, J19});
  Rows column{m1, J1, {0, 0, dTh1}, {0, 0, -m1 * s.g}, {0, 0, F1}, {}, {}, {}, {}};
  column.Bx = {-(R1 * cross(r1, e3)), zero};
  column.Bw = {e3, zero};
  column.dBx = {-(dR1 * cross(r1, e3)), zero};
  column.dBw = {zero, zero};
  const V omega2 = transpose(R21) * V(0, 0, dTh1) + V(0, dTh2, 0);
  Rows arm{m2, diagonal(J21, J25, J29), omega2, {0, 0, -m2 * s.g}, {0, F2, 0}, {}, {}, {}, {}};
  arm.Bx = {-(R1 * cross(r2, e3)), -(R1 * (R21 * cross(r2p, e2)))};
  arm.Bw = {transpose(R21) * e3, e2};
  arm.dBx = {-(dR1 * cross(r2, e3)) - R1 * cross(dR21 * r2p, e3),
             -(dR1 * (R21 * cross(r2p, e2))) - R1 * (dR21 * cross(r2p, e2))};
  arm.dBw = {transpose(dR21) * e3, zero};

  const Frame N = s.frames.frame("N"), A = s.frames.rotate(N, "A", 3, Th1),
              B = s.frames.rotate(A, "B", 2, Th2);
  const Vector c1(A, r1), c2 = c1 + Vector(A, rp1) + Vector(B, r2p);
  KaneSystem system(N);
  const Vector moment(A, 0, F2, 0);  // acts on the arm, and back on the column
  system.add_body(m1, Dyad(A, J1), derivative(c1, N), s.frames.angular_velocity(A, N), s.weight(m1),
                  Vector(A, 0, 0, F1) - moment);
  system.add_body(m2, Dyad::inertia(B, J21, J25, J29), derivative(c2, N),
                  s.frames.angular_velocity(B, N), s.weight(m2), moment);
  const MotionEquations found = system.equations({dTh1, dTh2});
  s.expect_equal(moving_frame({column, arm}, {dTh1, dTh2}), found);

  // the equations as the document prints them (PendulumOnASTickManualEqu)
  const Expression c = cos(Th2), sn = sin(Th2), twice = sin(2 * Th2);
  const Expression above1 = F1 - J21 * dTh1 * dTh2 * twice + J29 * dTh1 * dTh2 * twice +
                            L21 * L21 * dTh1 * dTh2 * m2 * twice +
                            2 * L21 * dTh1 * dTh2 * l1 * m2 * sn +
                            2 * L11 * L21 * dTh1 * dTh2 * m2 * sn;
  const Expression below1 = J19 + J21 + L11 * L11 * m1 + L11 * L11 * m2 + L12 * L12 * m1 +
                            l1 * l1 * m2 - J21 * c * c + J29 * c * c + 2 * L11 * l1 * m2 +
                            L21 * L21 * m2 * c * c + 2 * L11 * L21 * m2 * c + 2 * L21 * l1 * m2 * c;
  const Expression above2 = -(J29 * dTh1 * dTh1 * twice / 2 - J21 * dTh1 * dTh1 * twice / 2 - F2 -
                              L21 * s.g * m2 * c + L21 * L21 * dTh1 * dTh1 * m2 * twice / 2 +
                              L21 * dTh1 * dTh1 * l1 * m2 * sn + L11 * L21 * dTh1 * dTh1 * m2 * sn);
  const Expression below2 = J25 + L21 * L21 * m2;
  EXPECT_TRUE(is_identically_zero(s.graph, found.M[1]));
  EXPECT_TRUE(is_identically_zero(s.graph, found.f[0] / found.M[0] - above1 / below1));
  EXPECT_TRUE(is_identically_zero(s.graph, found.f[1] / found.M[3] - above2 / below2));
}

TEST(MovingFrameByHand, RotatedDoublePendulum) {
  Setting s;
  const Expression L1 = s.symbol("L1"), L2 = s.symbol("L2"), L3 = s.symbol("L3");
  const Expression m1 = s.symbol("m1"), m2 = s.symbol("m2"), m3 = s.symbol("m3");
  const Expression F1 = s.symbol("F1"), F2 = s.symbol("F2"), F3 = s.symbol("F3");
  Expression J[3][3];
  const char* names[3][3] = {{"J11", "J15", "J19"}, {"J21", "J25", "J29"}, {"J31", "J35", "J39"}};
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) J[i][k] = s.symbol(names[i][k]);
  const Expression Th1 = s.angle("Th1", "dTh1"), Th2 = s.angle("Th2", "dTh2"),
                   Th3 = s.angle("Th3", "dTh3");
  const std::vector<Expression> rates = s.kinematics.speeds();

  const R3 R1 = turn(3, Th1), R21 = turn(2, Th2), R32 = turn(2, Th3), R2 = R1 * R21;
  const R3 dR1 = turn_rate(3, Th1, rates[0]), dR21 = turn_rate(2, Th2, rates[1]),
           dR32 = turn_rate(2, Th3, rates[2]);
  const V r1(L1, 0, 0), rp1(L1, 0, 0), r2p(L2, 0, 0), r32(L3, 0, 0), b3 = R32 * r32,
                                                                     db3 = dR32 * r32;
  const V to2 = cross(rp1 + R21 * r2p, e3), side2 = cross(r2p, e2);
  auto rows = [&](int i, const Expression& m, const V& omega, const V& torque) {
    return Rows{m, diagonal(J[i][0], J[i][1], J[i][2]), omega, {0, 0, -m * s.g}, torque, {}, {}, {},
                {}};
  };
  const V w1(0, 0, rates[0]), w2 = transpose(R21) * w1 + V(0, rates[1], 0);
  const V w3 = transpose(R32) * w2 + V(0, rates[2], 0);
  Rows rod = rows(0, m1, w1, {0, -F2 + F3, F1}), upper = rows(1, m2, w2, {0, F2 - F3, 0});
  Rows lower = rows(2, m3, w3, {0, F3, 0});
  rod.Bx = {-(R1 * cross(r1, e3)), zero, zero};
  rod.Bw = {e3, zero, zero};
  rod.dBx = {-(dR1 * cross(r1, e3)), zero, zero};
  rod.dBw = {zero, zero, zero};
  upper.Bx = {-(R1 * to2) - R1 * cross(r1, e3), -(R2 * side2), zero};
  upper.Bw = {transpose(R21) * e3, e2, zero};
  upper.dBx = {-(dR1 * to2) - R1 * cross(dR21 * r2p, e3) - dR1 * cross(r1, e3),
               -(dR1 * (R21 * side2)) - R1 * (dR21 * side2), zero};
  upper.dBw = {transpose(dR21) * e3, zero, zero};
  lower.Bx = {-(R1 * (to2 + cross(r1, e3))) + R1 * cross(e3, R21 * b3),
              -(R2 * side2) + R2 * cross(e2, b3), -(R2 * (R32 * cross(r32, e2)))};
  lower.Bw = {transpose(R32) * (transpose(R21) * e3), transpose(R32) * e2, e2};
  lower.dBx = {-(dR1 * (to2 + cross(r1, e3))) - R1 * cross(dR21 * r2p, e3) +
                   dR1 * cross(e3, R21 * b3) + R1 * cross(e3, dR21 * b3) +
                   R1 * cross(e3, R21 * db3),
               -(dR1 * (R21 * side2)) - R1 * (dR21 * side2) + dR1 * (R21 * cross(e2, b3)) +
                   R1 * (dR21 * cross(e2, b3)) + R1 * (R21 * cross(e2, db3)),
               -(dR1 * (R21 * (R32 * cross(r32, e2)))) - R1 * (dR21 * (R32 * cross(r32, e2))) -
                   R1 * (R21 * (dR32 * cross(r32, e2)))};
  lower.dBw = {transpose(dR32) * (transpose(R21) * e3) + transpose(R32) * (transpose(dR21) * e3),
               transpose(dR32) * e2, zero};

  // the lower pendulum hangs on the upper one's mass centre
  const Frame N = s.frames.frame("N"), A = s.frames.rotate(N, "A", 3, Th1);
  const Frame B = s.frames.rotate(A, "B", 2, Th2), C = s.frames.rotate(B, "C", 2, Th3);
  const Vector c1(A, r1), c2 = c1 + Vector(A, rp1) + Vector(B, r2p), c3 = c2 + Vector(C, r32);
  const Vector moment2(A, 0, F2, 0), moment3(B, 0, F3, 0);
  KaneSystem system(N);
  auto add = [&](int i, const Expression& m, const Vector& centre, Frame frame,
                 const Vector& torque) {
    system.add_body(m, Dyad::inertia(frame, J[i][0], J[i][1], J[i][2]), derivative(centre, N),
                    s.frames.angular_velocity(frame, N), s.weight(m), torque);
  };
  add(0, m1, c1, A, Vector(A, 0, 0, F1) - moment2);
  add(1, m2, c2, B, moment2 - moment3);
  add(2, m3, c3, C, moment3);
  s.expect_equal(moving_frame({rod, upper, lower}, rates), system.equations(rates));
}

}  // namespace
}  // namespace cartan
