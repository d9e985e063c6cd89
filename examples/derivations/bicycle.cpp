#include "derivations/bicycle.h"

#include "symbolic/differentiate.h"
#include "symbolic/substitute.h"

namespace cartan::derivations {
namespace {

constexpr double degree = pi / 180;

}  // namespace

std::unique_ptr<Bicycle> derive_bicycle() {
  auto result = std::make_unique<Bicycle>();
  ExpressionGraph& graph = result->graph;
  Kinematics& kinematics = result->kinematics;
  Frames& frames = result->frames;
  auto parameter = [&](const char* name, double value) { return graph.symbol(name, value); };
  const Expression R1 = parameter("R1", 0.354), R2 = parameter("R2", 0.354);
  const Expression L = parameter("L", 1.062), b = parameter("b", 0.0480);
  const Expression sigma = parameter("sigma", 20.09 * degree), g = parameter("g", 9.80665);
  const Expression mw = parameter("mw", 1.2), mf = parameter("mf", 8), ms = parameter("ms", 1);
  const Expression jm = parameter("jm", 1.5);

  const Expression q1 = kinematics.coordinate("q1", 0.1), q2 = kinematics.coordinate("q2", -0.2);
  const Expression delta = kinematics.coordinate("delta", 9.705202960851574e-4);
  const Expression q3 = kinematics.coordinate("q3");
  const Expression u1 = kinematics.speed("u1"), u2 = kinematics.speed("u2");
  const Expression u3 = kinematics.speed("u3", -0.87), u4 = kinematics.speed("u4", 13.7);
  const Expression u5 = kinematics.speed("u5", 14), ud = kinematics.speed("ud");
  kinematics.set_rate(q1, u1);
  kinematics.set_rate(q2, u2);
  kinematics.set_rate(q3, u3);
  kinematics.set_rate(delta, ud);

  // n1 forward, n2 right, n3 down. Wheels are round: no frame has to turn with them.
  const Frame N = frames.frame("N");
  const Frame R = frames.rotate(N, "R", 3, q3), A = frames.rotate(R, "A", 1, q1);
  const Frame F = frames.rotate(A, "F", 2, delta), C = frames.rotate(F, "C", 2, sigma);
  const Frame S = frames.rotate(C, "S", 3, q2);

  // rear contact P1, wheel centres C1 and C2, A1 on the steering axis, front contact P2
  const Vector P1C1(A, 0, 0, -R1);
  const Vector C1A1(F, L - b - (R1 - R2) * tan(sigma), 0, 0);
  const Vector A1C2(S, b * cos(sigma), 0, (R1 - R2) / cos(sigma) + b * sin(sigma));
  const Vector down(N, 0, 0, 1), axle(S, 0, 1, 0);
  const Vec3<Expression> lowest = components(down - dot(down, axle) * axle, S);
  const Vector C2P2 = (R2 / norm(lowest)) * Vector(S, lowest);
  result->gap = dot(P1C1 + C1A1 + A1C2 + C2P2, down);

  // contacts at rest: the wheel's particle in P1 and in P2
  const Vector wF = frames.angular_velocity(F, N), wS = frames.angular_velocity(S, N);
  const Vector w1 = wF + Vector(F, 0, -u4, 0), w2 = wS + Vector(S, 0, -u5, 0);
  const Vector v1 = cross(w1, P1C1);
  const Vector vA1 = v1 + cross(wF, C1A1);
  const Vector v2 = vA1 + cross(wS, A1C2);
  const Vector slip = v2 + cross(w2, C2P2);
  const std::vector<Expression> constraints = {
      dot(slip, Vector(R, 1, 0, 0)), dot(slip, Vector(R, 0, 1, 0)), kinematics.rate(result->gap)};
  const std::vector<Expression> all = {u1, u2, u3, u4, u5, ud};
  result->rolling = solve_for_dependent(kinematics, constraints, all, {u3, u4, ud});

  KaneSystem system(N);
  auto weight = [&](const Expression& m) { return Vector(N, 0, 0, m * g); };
  auto wheel = [&](Frame frame, const Expression& radius) {
    const Expression I = jm * mw * radius * radius;
    return Dyad::inertia(frame, I / 4, I / 2, I / 4);
  };
  system.add_body(mw, wheel(F, R1), v1, w1, weight(mw));
  system.add_body(mw, wheel(S, R2), v2, w2, weight(mw));
  system.add_body(mf, Dyad::inertia(F, 1.0, 1.5, 0.5), v1 + cross(wF, Vector(F, 0.6, 0, -0.3)), wF,
                  weight(mf));
  system.add_body(ms, Dyad::inertia(S, 0.04, 0.03, 0.01),
                  vA1 + cross(wS, Vector(S, 0.01, 0, -0.35)), wS, weight(ms));
  result->equations = reduce(graph, system.equations(all), result->rolling);
  result->speeds = {u1, u2, u5};
  result->q1 = q1, result->q2 = q2, result->delta = delta;
  result->frame_rates = components(wF, F);
  return result;
}

// Upright and straight f = 0 and u' = 0, so that M d(u') = (df/dx) dx. Speed and pitch do not
// change to first order: only lean and steer are coupled.
BicycleLinearisation linearise(Bicycle& bicycle) {
  ExpressionGraph& graph = bicycle.graph;
  BicycleLinearisation result;
  result.v = graph.symbol("v", 5);
  const std::vector<Expression>& u = bicycle.speeds;
  const std::vector<Expression> x = {bicycle.q1, bicycle.q2, u[0], u[1]};
  const std::vector<Expression> state = {bicycle.q1, bicycle.q2, bicycle.delta, u[0], u[1], u[2]};
  const std::vector<Expression> straight = {0, 0, 0, 0, 0, result.v / graph.symbol("R2")};

  const MotionEquations& equations = bicycle.equations;
  const std::vector<Expression> f = {equations.f[0], equations.f[1]};
  const std::vector<Expression> M =
      substitute(graph, std::vector{equations.M[0], equations.M[1], equations.M[3], equations.M[4]},
                 state, straight);
  std::vector<Expression> slopes(2 * x.size());
  for (std::size_t k = 0; k < x.size(); ++k) {
    const std::vector<Expression> by_x =
        substitute(graph, differentiate(graph, f, x[k]), state, straight);
    for (int i = 0; i < 2; ++i) slopes[i * x.size() + k] = by_x[i];
  }
  const std::vector<Expression> lower = solve_linear(M, slopes, 2, static_cast<int>(x.size()));
  result.A = {0, 0, 1, 0, 0, 0, 0, 1};
  result.A.insert(result.A.end(), lower.begin(), lower.end());
  return result;
}

}  // namespace cartan::derivations
