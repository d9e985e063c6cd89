#include "derivations/spherical_pendulum.h"

namespace cartan::derivations {

std::unique_ptr<Derivation> derive_spherical_pendulum() {
  auto result = std::make_unique<Derivation>();
  ExpressionGraph& graph = result->graph;
  Frames& frames = result->frames;
  const Expression m = graph.symbol("m", 1), L = graph.symbol("L", 1), g = graph.symbol("g", 1);
  const Expression a = graph.symbol("a", 0.2), w = graph.symbol("w", 30);
  const Expression c = graph.symbol("c", 0.2);
  const Expression Omega = graph.symbol("Omega", 0), latitude = graph.symbol("latitude", 1);
  const Expression t = result->kinematics.time();
  const auto [q, u] = result->kinematics.standard(2);

  // P: down, north, east; the planet turns about an axis fixed in space and in P
  const Frame N = frames.frame("N");
  const Vec3<Expression> axis(-sin(latitude), cos(latitude), 0);
  const Frame P = frames.rotate(N, "P", axis, Omega * t);
  const Frame B = frames.euler(P, "B", "32", {q[0], q[1]});

  const Vector r = Vector(P, -a * sin(w * t), 0, 0) + Vector(B, L, 0, 0);
  const Vector through_air = derivative(r, P);
  const Vector force = Vector(P, m * g, 0, 0) - c * magnitude(through_air) * through_air;
  KaneSystem system(N);
  system.add_particle(m, derivative(r, N), force);
  result->equations = system.equations(u);
  return result;
}

}  // namespace cartan::derivations
