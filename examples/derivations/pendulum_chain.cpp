#include "derivations/pendulum_chain.h"

#include <fmt/format.h>

namespace cartan::derivations {
namespace {

// a + b with its components in the frame of b.
Vector evaluated_sum(const Vector& a, const Vector& b) {
  if (b.is_zero()) return a;
  return express(a, natural_frame(b)) + b;
}

// Differentiated in N by its components there, and told in the frame it came in.
Vector evaluated_derivative(const Vector& a, Frame N) {
  if (a.is_zero()) return a;
  return express(local_derivative(express(a, N)), natural_frame(a));
}

}  // namespace

std::unique_ptr<PendulumChain> describe_pendulum_chain(int links, Angles angles,
                                                       Components components) {
  auto result = std::make_unique<PendulumChain>();
  Frames& frames = result->frames;
  Kinematics& kinematics = result->kinematics;
  const bool delayed = components == Components::delayed;
  const Expression a = result->graph.symbol("a", 0.1), omega = result->graph.symbol("omega", 2);
  const Expression t = kinematics.time();
  const Frame N = frames.frame("N");  // n3 down
  result->system = std::make_unique<KaneSystem>(N);

  const Expression mass = 1, L = 1, g = 1;
  Vector joint(N, 0, 0, a * sin(omega * t));
  Frame before = N;
  for (int i = 1; i <= links; ++i) {
    Expression q[2], u[2];
    for (int k = 0; k < 2; ++k) {
      const int number = 2 * i - 1 + k;
      q[k] = kinematics.coordinate(fmt::format("q{}", number), 0.1 + 0.2 * std::sin(number));
      u[k] = kinematics.speed(fmt::format("u{}", number), 0.3 * std::cos(2 * number));
      kinematics.set_rate(q[k], u[k]);
      result->q.push_back(q[k]);
      result->u.push_back(u[k]);
    }
    const Frame B = frames.euler(before, fmt::format("B{}", i), "12", {q[0], q[1]});
    if (angles == Angles::relative) before = B;
    const Vector link(B, 0, 0, L);
    const Vector half = Expression(0.5) * link;
    const Vector centre = delayed ? joint + half : evaluated_sum(joint, half);
    joint = delayed ? joint + link : evaluated_sum(joint, link);
    result->system->add_body(
        mass, Dyad::inertia(B, mass * L * L / 12, mass * L * L / 12, mass * L * L / 100),
        delayed ? derivative(centre, N) : evaluated_derivative(centre, N),
        frames.angular_velocity(B, N), Vector(N, 0, 0, mass * g));
  }
  return result;
}

std::unique_ptr<PendulumChain> derive_pendulum_chain(int links, Angles angles) {
  auto result = describe_pendulum_chain(links, angles);
  result->equations = result->system->equations(result->u);
  return result;
}

std::vector<Expression> derive_as_document(PendulumChain& chain, Components components) {
  const KaneSystem& system = *chain.system;
  const Tangents tangents = symbolic::tangents(system.velocity(), chain.u);
  SystemVector rate;
  if (components == Components::delayed) {
    rate = system.momentum_rate();
  } else {
    const Frame N = chain.frames.frame("N");
    const SystemVector momentum = system.inertia() * system.velocity();
    for (const Vector& p : momentum.entries) rate.entries.push_back(evaluated_derivative(p, N));
  }
  return kane(tangents, system.force() - rate);
}

}  // namespace cartan::derivations
