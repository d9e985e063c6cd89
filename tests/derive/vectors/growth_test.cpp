// What derivations cost: time, memory, operations.
#include <gtest/gtest.h>

#include "cost.h"
#include "derivations/bicycle.h"
#include "derivations/pendulum_chain.h"
#include "symbolic/count.h"

namespace cartan::derivations {
namespace {

long operations(const PendulumChain& chain) {
  std::vector<Expression> all = chain.equations.M;
  all.insert(all.end(), chain.equations.f.begin(), chain.equations.f.end());
  return count_shared(chain.graph, all).total();
}

// At 8, 16, 24, 32 links: no third difference of M and f, no second one of f alone.
TEST(Growth, OperationsAreQuadraticForcesLinear) {
  for (const Angles angles : {Angles::absolute, Angles::relative}) {
    long total[4], forces[4];
    for (int k = 0; k < 4; ++k) {
      const auto chain = derive_pendulum_chain(8 * (k + 1), angles);
      total[k] = operations(*chain);
      forces[k] = count_shared(chain->graph, chain->equations.f).total();
    }
    EXPECT_LE(total[3] - 3 * total[2] + 3 * total[1] - total[0], 0);
    for (int k = 0; k < 2; ++k) EXPECT_LE(forces[k + 2] - 2 * forces[k + 1] + forces[k], 0);
    RecordProperty(angles == Angles::absolute ? "absolute_32" : "relative_32",
                   static_cast<int>(total[3]));
  }
}

// Without sharing, evaluated components swell a millionfold; delayed ones far less; with sharing
// neither.
TEST(Growth, DelayedComponentsSwellLess) {
  auto cost = [](int links, Components components) {
    const auto chain = describe_pendulum_chain(links, Angles::absolute, components);
    const std::vector<Expression> equations = derive_as_document(*chain, components);
    return std::pair{count_unshared(chain->graph, equations).total(),
                     count_shared(chain->graph, equations).total()};
  };
  const auto [evaluated, evaluated_shared] = cost(5, Components::evaluated);
  const auto [delayed, delayed_shared] = cost(5, Components::delayed);
  EXPECT_GT(evaluated, 1000 * delayed);
  EXPECT_LT(delayed_shared, delayed / 5);
  EXPECT_LT(delayed_shared, evaluated_shared);
}

TEST(Growth, SixtyDegreesOfFreedom) {
  for (const Angles angles : {Angles::absolute, Angles::relative}) {
    const Clock clock;
    const auto chain = derive_pendulum_chain(30, angles);
    EXPECT_LT(clock.seconds(), 2);
    EXPECT_EQ(chain->equations.size(), 60);
    EXPECT_TRUE(chain->kinematics.ok());
    RecordProperty(angles == Angles::absolute ? "absolute_ms" : "relative_ms",
                   static_cast<int>(1e3 * clock.seconds()));
  }
  EXPECT_LT(megabytes(), 500);
}

TEST(LongGrowth, TwoHundredDegreesOfFreedom) {
  for (const Angles angles : {Angles::absolute, Angles::relative}) {
    const Clock clock;
    const auto chain = derive_pendulum_chain(100, angles);
    EXPECT_LT(clock.seconds(), 20);
    EXPECT_LE(operations(*chain), 70L * 100 * 100);
  }
}

TEST(Growth, BicycleAtAllSpeeds) {
  const Clock clock;
  const auto bicycle = derive_bicycle();
  const BicycleLinearisation linear = linearise(*bicycle);
  EXPECT_LT(clock.seconds(), 1);
  EXPECT_EQ(linear.A.size(), 16u);
  EXPECT_TRUE(bicycle->kinematics.ok());
  RecordProperty("ms", static_cast<int>(1e3 * clock.seconds()));
}

}  // namespace
}  // namespace cartan::derivations
