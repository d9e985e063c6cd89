// Gauss-Legendre methods on the canonical equations: orders, and what the implicit midpoint rule
// does to the energy in the long run.
//
// With plain joints gl1 on (q, p) is a symplectic map: it follows a motion of nearly the same
// energy exactly, and H oscillates with an amplitude of order h^2 without drifting. With ball
// joints the state is (unit quaternion, momentum in body axes): gl1 keeps |u| = 1 and is symmetric
// in time but not symplectic. Symmetry alone forbids a drift in reversible motions that return (the
// top, small swings); in chaotic motions the energy then wanders.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>
#include <Eigen/QR>

#include "order/energy_record.h"
#include "support/example.h"

namespace cartan::test {
namespace {

// ------------------------------------------------------------------------------------------ orders

// q and v at half time and at the end.
std::vector<double> end_of(const Example& chain, const std::string& method, int steps) {
  const double times[] = {0.5, 1};
  std::vector<double> all;
  for (const State& state :
       states_at(*chain.system, times, {.integrator = method, .step = 1.0 / steps})) {
    const Observation now = observe(chain.mechanism(), state);
    for (const auto* lists : {&now.q, &now.v})
      for (const std::vector<double>& list : *lists)
        all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

struct Method {
  const char* name;
  int order, first;
  double ratio;
};

TEST(CanonicalOrder, SpatialChain) {
  const Settings spatial = {{"tilt", 0.5}, {"sway", 0.5}, {"turn", 3}};
  const Example chain = load_example("four_link", "canonical", spatial);
  const Example other = load_example("four_link", "recursive", spatial);
  ASSERT_TRUE(chain && other);
  const std::vector<double> exact = end_of(other, "gl8", 512);
  EXPECT_LE(largest_difference(end_of(chain, "gl8", 512), exact), 1e-11);
  for (const Method& method :
       {Method{"gl1", 2, 512, 2}, Method{"gl2", 4, 64, 2}, Method{"gl3", 6, 48, std::sqrt(2.0)}}) {
    constexpr int refinements = 3;
    Eigen::MatrixXd A(refinements + 1, 2);
    Eigen::VectorXd y(refinements + 1);
    for (int k = 0; k <= refinements; ++k) {
      const int steps =
          2 * static_cast<int>(std::lround(0.5 * method.first * std::pow(method.ratio, k)));
      const double error = largest_difference(end_of(chain, method.name, steps), exact);
      EXPECT_GT(error, 1e-11) << method.name << " " << steps;
      EXPECT_LT(error, 1e-3) << method.name << " " << steps;
      A(k, 0) = 1;
      A(k, 1) = -std::log(steps);
      y[k] = std::log(error);
    }
    const double order = A.colPivHouseholderQr().solve(y)[1];
    EXPECT_GE(order, method.order - 0.1) << method.name;
    EXPECT_LE(order, method.order + 0.3) << method.name;
    std::printf("%s on canonical: order %.3f, errors %.2g to %.2g\n", method.name, order,
                std::exp(y[0]), std::exp(y[refinements]));
  }
}

// ------------------------------------------------------------------------------------------ energy

TEST(CanonicalEnergy, MidpointOnTheHeavyTop) {
  const Example top = load_example("heavy_top", "canonical");
  ASSERT_TRUE(top);
  expect_no_drift(record_energy(top, "gl1", 0.002, 50000, 5));
}
TEST(CanonicalEnergy, MidpointOnFourLinks) {
  const Example chain = load_example("four_link", "canonical");
  ASSERT_TRUE(chain);
  expect_no_drift(record_energy(chain, "gl1", 0.01, 50000, 5));
}
// A chaotic motion with plain joints tells symplectic from symmetric.
void expect_symplectic(long steps, int every) {
  const Example momenta = load_example("revolute_chain_3", "canonical");
  const Example speeds = load_example("revolute_chain_3", "recursive");
  ASSERT_TRUE(momenta && speeds);
  const EnergyRecord kept = record_energy(momenta, "gl1", 0.002, steps, every);
  const EnergyRecord wandering = record_energy(speeds, "gl1", 0.002, steps, every);
  expect_no_drift(kept);
  EXPECT_LE(kept.amplitude, wandering.amplitude);
}
TEST(CanonicalEnergy, MidpointOnThreeHinges) {
  expect_symplectic(100000, 5);
}
TEST(LongCanonicalEnergy, MidpointOnThreeHinges) {
  expect_symplectic(1000000, 25);
}
// Ball joints in wild motion: told, not asked for.
TEST(LongCanonicalEnergy, MidpointOnWildBallJoints) {
  for (const char* formulation : {"canonical", "recursive"}) {
    const Example chain =
        load_example("four_link", formulation, {{"tilt", 1.5}, {"sway", 0.5}, {"turn", 3}});
    ASSERT_TRUE(chain);
    EXPECT_LE(record_energy(chain, "gl1", 0.002, 200000, 5).unit_norm_error, 1e-12);
  }
}
TEST(LongCanonicalEnergy, MidpointOnTheHeavyTop) {
  const Example top = load_example("heavy_top", "canonical");
  ASSERT_TRUE(top);
  expect_no_drift(record_energy(top, "gl1", 0.002, 1000000, 25));
}
TEST(LongCanonicalEnergy, MidpointOnFourLinks) {
  const Example chain = load_example("four_link", "canonical");
  ASSERT_TRUE(chain);
  expect_no_drift(record_energy(chain, "gl1", 0.01, 1000000, 25));
}

}  // namespace
}  // namespace cartan::test
