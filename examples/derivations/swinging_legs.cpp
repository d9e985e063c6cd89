#include "derivations/swinging_legs.h"

namespace cartan::derivations {

std::unique_ptr<SwingingLegs> derive_swinging_legs() {
  auto result = std::make_unique<SwingingLegs>();
  ExpressionGraph& graph = result->graph;
  Frames& frames = result->frames;
  const Expression m1 = graph.symbol("m1", 1), m2 = graph.symbol("m2", 0.5);
  const Expression m3 = graph.symbol("m3", 0.4), L = graph.symbol("L", 0.3);
  const Expression k = graph.symbol("k", 20), g = graph.symbol("g", 9.81);
  const auto [q, u] = result->kinematics.standard(3);
  result->q = q, result->u = u;

  // n1 down, n2 along the line
  const Frame N = frames.frame("N");
  const Frame B = frames.rotate(N, "B", 3, q[1]), C = frames.rotate(N, "C", 3, q[2]);

  const Vector r1(N, 0, q[0], 0);
  const Vector r2 = r1 + Vector(B, L, 0, 0), r3 = r1 + Vector(C, L, 0, 0);
  auto weight = [&](const Expression& m) { return Vector(N, m * g, 0, 0); };
  auto bar = [&](const Expression& m, Frame frame) {
    const Expression I = m * (2 * L) * (2 * L) / 12;
    return Dyad::inertia(frame, 0, I, I);
  };

  result->system = std::make_unique<KaneSystem>(N);
  KaneSystem& system = *result->system;
  system.add_particle(m1, derivative(r1, N), weight(m1) + Vector(N, 0, -k * q[0], 0));
  system.add_body(m2, bar(m2, B), derivative(r2, N), frames.angular_velocity(B, N), weight(m2));
  system.add_body(m3, bar(m3, C), derivative(r3, N), frames.angular_velocity(C, N), weight(m3));
  result->equations = system.equations(u);
  return result;
}

}  // namespace cartan::derivations
