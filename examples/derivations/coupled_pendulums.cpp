#include "derivations/coupled_pendulums.h"

namespace cartan::derivations {

std::unique_ptr<CoupledPendulums> derive_coupled_pendulums(bool with_subexpressions) {
  auto result = std::make_unique<CoupledPendulums>();
  ExpressionGraph& graph = result->graph;
  Frames& frames = result->frames;
  const Expression m = graph.symbol("m", 0.0164), L = graph.symbol("L", 0.198);
  const Expression K = graph.symbol("K", 0.586), g = graph.symbol("g", 9.80665);
  const Expression wa = graph.symbol("wa", 0), omega = graph.symbol("omega", 0);
  const Expression vd = graph.symbol("vd", 0);
  const Expression t = result->kinematics.time();
  const auto [q, u] = result->kinematics.standard(3);
  auto named = [&](const auto& x, int level) {
    return with_subexpressions ? result->names.define(x, level) : x;
  };

  const Frame N = frames.frame("N");
  const Frame A = frames.rotate(N, "A", 3, -q[0]);
  const Frame B = frames.rotate(A, "B", 1, q[1]);

  const Vector s1(N, wa * sin(omega * t), 0, 0), s2(N, wa * sin(omega * t), K, 0);
  const Vector r1 = named(express(s1 + Vector(B, 0, L, 0), N), 2);
  const Vector d = named(r1 - s2, 2);
  const Expression dd = dot(d, d);

  // w1: n1 without its part along d; turned about d by q3
  const Dyad unit = Dyad::unit(N);
  const Dyad across = unit - (1 / dd) * outer(d, d);
  const Vector w1 = named(across * Vector(N, 1, 0, 0), 2);
  const Dyad turn = cos(q[2]) * unit + ((1 - cos(q[2])) / dd) * outer(d, d) +
                    cross((sin(q[2]) / magnitude(d)) * d, unit);
  const Vector w2 = named(turn * w1, 2);
  const Expression radius = named(sqrt(L * L - dd / 4), 2);
  const Vector w3 = named((radius / named(magnitude(w2), 2)) * w2, 2);
  const Vector r2 = named(Expression(0.5) * (r1 + s2) + w3, 2);

  const Vector v1 = derivative(r1, N), v2 = derivative(r2, N);
  auto force = [&](const Vector& v) {
    return Vector(N, m * g, 0, 0) - (vd * named(magnitude(v), 0)) * v;
  };
  KaneSystem system(N);
  system.add_particle(m, v1, force(v1));
  system.add_particle(m, v2, force(v2));
  result->equations = system.equations(u);
  result->equations.M = result->names.expand(result->equations.M);
  result->equations.f = result->names.expand(result->equations.f);
  auto expanded = [&](const Vector& r) {
    const Vec3<Expression> x = components(r, N);
    return Vector(N, result->names.expand(x.x), result->names.expand(x.y),
                  result->names.expand(x.z));
  };
  result->r1 = expanded(r1);
  result->r2 = expanded(r2);
  return result;
}

}  // namespace cartan::derivations
