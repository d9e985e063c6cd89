#include "by_hand.h"

namespace cartan::test {
namespace {

using V = Vec3<Expression>;
using R3 = Mat3<Expression>;

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

}  // namespace

ByHand planar_pendulum_by_hand(const Names& name) {
  const Expression L1 = name("L1"), m1 = name("m1"), F1 = name("F1"), g = name("g");
  const Expression Th1 = name("Th1"), dTh1 = name("dTh1");
  HandBody body{m1,
                diagonal(name("J11"), name("J15"), name("J19")),
                {0, dTh1, 0},
                {0, 0, -g * m1},
                {0, F1, 0},
                {},
                {},
                {},
                {}};
  body.Bx = {V(-L1 * sin(Th1), 0, -L1 * cos(Th1))};
  body.Bw = {e2};
  body.dBx = {V(-L1 * cos(Th1) * dTh1, 0, L1 * sin(Th1) * dTh1)};
  body.dBw = {zero};
  return {{body}, {dTh1}};
}

ByHand constructed_pendulum_by_hand(const Names& name) {
  const Expression m1 = name("m1"), m2 = name("m2"), g = name("g");
  const Expression Th1 = name("Th1"), Th2 = name("Th2"), dTh1 = name("dTh1"), dTh2 = name("dTh2");
  const R3 R1 = turn(3, Th1), R21 = turn(2, Th2), dR1 = turn_rate(3, Th1, dTh1),
           dR21 = turn_rate(2, Th2, dTh2);
  const V r1(name("L11"), name("L12"), name("L13")), rp1(name("l1"), -name("L12"), name("l3"));
  const V r2p(name("L21"), 0, 0), r2 = r1 + rp1 + R21 * r2p;
  const R3 J1 =
      R3::columns({name("J11"), name("J12"), name("J13")}, {name("J12"), name("J15"), name("J16")},
                  {name("J13"), name("J16"), name("J19")});
  HandBody column{m1, J1, {0, 0, dTh1}, {0, 0, -m1 * g}, {0, 0, name("F1")}, {}, {}, {}, {}};
  column.Bx = {-(R1 * cross(r1, e3)), zero};
  column.Bw = {e3, zero};
  column.dBx = {-(dR1 * cross(r1, e3)), zero};
  column.dBw = {zero, zero};
  const V omega2 = transpose(R21) * V(0, 0, dTh1) + V(0, dTh2, 0);
  HandBody arm{m2,
               diagonal(name("J21"), name("J25"), name("J29")),
               omega2,
               {0, 0, -m2 * g},
               {0, name("F2"), 0},
               {},
               {},
               {},
               {}};
  arm.Bx = {-(R1 * cross(r2, e3)), -(R1 * (R21 * cross(r2p, e2)))};
  arm.Bw = {transpose(R21) * e3, e2};
  arm.dBx = {-(dR1 * cross(r2, e3)) - R1 * cross(dR21 * r2p, e3),
             -(dR1 * (R21 * cross(r2p, e2))) - R1 * (dR21 * cross(r2p, e2))};
  arm.dBw = {transpose(dR21) * e3, zero};
  return {{column, arm}, {dTh1, dTh2}};
}

PrintedAcceleration constructed_pendulum_printed(const Names& name, bool by_algorithm) {
  const Expression m1 = name("m1"), m2 = name("m2"), g = name("g"), F1 = name("F1"),
                   F2 = name("F2");
  const Expression L11 = name("L11"), L12 = name("L12"), l1 = name("l1"), L21 = name("L21");
  const Expression J19 = name("J19"), J21 = name("J21"), J25 = name("J25"), J29 = name("J29");
  const Expression Th2 = name("Th2"), dTh1 = name("dTh1"), dTh2 = name("dTh2");
  const Expression c = cos(Th2), s = sin(Th2), twice = sin(2 * Th2);
  PrintedAcceleration printed;
  printed.above[0] = F1 - J21 * dTh1 * dTh2 * twice + J29 * dTh1 * dTh2 * twice +
                     L21 * L21 * dTh1 * dTh2 * m2 * twice + 2 * L21 * dTh1 * dTh2 * l1 * m2 * s +
                     2 * L11 * L21 * dTh1 * dTh2 * m2 * s;
  printed.below[0] = J19 + J21 + L11 * L11 * m1 + L11 * L11 * m2 + L12 * L12 * m1 + l1 * l1 * m2 -
                     J21 * c * c + J29 * c * c + 2 * L11 * l1 * m2 + L21 * L21 * m2 * c * c +
                     2 * L11 * L21 * m2 * c + 2 * L21 * l1 * m2 * c;
  if (by_algorithm) {
    printed.above[1] =
        -(J29 * dTh1 * dTh1 * twice - J21 * dTh1 * dTh1 * twice - 2 * F2 - 2 * L21 * g * m2 * c +
          L21 * L21 * dTh1 * dTh1 * m2 * twice + 2 * L21 * dTh1 * dTh1 * l1 * m2 * s +
          2 * L11 * L21 * dTh1 * dTh1 * m2 * s);
    printed.below[1] = 2 * m2 * L21 * L21 + 2 * J25;
  } else {
    printed.above[1] = -(J29 * dTh1 * dTh1 * twice / 2 - J21 * dTh1 * dTh1 * twice / 2 - F2 -
                         L21 * g * m2 * c + L21 * L21 * dTh1 * dTh1 * m2 * twice / 2 +
                         L21 * dTh1 * dTh1 * l1 * m2 * s + L11 * L21 * dTh1 * dTh1 * m2 * s);
    printed.below[1] = J25 + L21 * L21 * m2;
  }
  return printed;
}

ByHand rotated_double_pendulum_by_hand(const Names& name) {
  const Expression F1 = name("F1"), F2 = name("F2"), F3 = name("F3"), g = name("g");
  const std::vector<Expression> rates = {name("dTh1"), name("dTh2"), name("dTh3")};
  const Expression Th1 = name("Th1"), Th2 = name("Th2"), Th3 = name("Th3");
  const R3 R1 = turn(3, Th1), R21 = turn(2, Th2), R32 = turn(2, Th3), R2 = R1 * R21;
  const R3 dR1 = turn_rate(3, Th1, rates[0]), dR21 = turn_rate(2, Th2, rates[1]),
           dR32 = turn_rate(2, Th3, rates[2]);
  const V r1(name("L1"), 0, 0), rp1 = r1, r2p(name("L2"), 0, 0), r32(name("L3"), 0, 0);
  const V b3 = R32 * r32, db3 = dR32 * r32;
  const V to2 = cross(rp1 + R21 * r2p, e3), side2 = cross(r2p, e2);
  auto rows = [&](const std::string& i, const V& omega, const V& torque) {
    const Expression m = name("m" + i);
    const R3 J = diagonal(name("J" + i + "1"), name("J" + i + "5"), name("J" + i + "9"));
    return HandBody{m, J, omega, {0, 0, -m * g}, torque, {}, {}, {}, {}};
  };
  const V w1(0, 0, rates[0]), w2 = transpose(R21) * w1 + V(0, rates[1], 0);
  const V w3 = transpose(R32) * w2 + V(0, rates[2], 0);
  HandBody rod = rows("1", w1, {0, -F2 + F3, F1}), upper = rows("2", w2, {0, F2 - F3, 0});
  HandBody lower = rows("3", w3, {0, F3, 0});
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
  return {{rod, upper, lower}, rates};
}

HandMatrices matrices_of(const ByHand& hand) {
  const std::size_t n = hand.rates.size();
  HandMatrices result;
  result.B.resize(6 * hand.bodies.size() * n);
  result.Bdot.resize(result.B.size());
  result.M_star.resize(n * n);
  result.N_star.resize(n * n);
  result.F_star.resize(n);
  std::size_t row = 0;
  for (const HandBody& body : hand.bodies) {
    for (std::size_t i = 0; i < n; ++i) {
      for (int k = 0; k < 3; ++k) {
        result.B[(row + k) * n + i] = body.Bx[i][k];
        result.B[(row + 3 + k) * n + i] = body.Bw[i][k];
        result.Bdot[(row + k) * n + i] = body.dBx[i][k];
        result.Bdot[(row + 3 + k) * n + i] = body.dBw[i][k];
      }
      result.F_star[i] += dot(body.Bx[i], body.force) + dot(body.Bw[i], body.torque);
      for (std::size_t j = 0; j < n; ++j) {
        result.M_star[i * n + j] +=
            body.mass * dot(body.Bx[i], body.Bx[j]) + dot(body.Bw[i], body.J * body.Bw[j]);
        const V turning = body.J * body.dBw[j] + cross(body.omega, body.J * body.Bw[j]);
        result.N_star[i * n + j] +=
            body.mass * dot(body.Bx[i], body.dBx[j]) + dot(body.Bw[i], turning);
      }
    }
    row += 6;
  }
  return result;
}

}  // namespace cartan::test
