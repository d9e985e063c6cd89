// Source 002: what the configuration space does to the drift of joints, without projection, by the
// Munthe-Kaas method of order four at h = 1e-3. On SE(3) a joint to the ground is kept to rounding,
// on SO(3) x R3 it is not; joints between moving bodies drift alike in both.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "integrate/integrator.h"
#include "support/example.h"

namespace cartan::test {
namespace {

// Largest position violation of each joint at time `duration`, file order.
std::vector<double> drift(const char* example_name, const char* formulation, double duration) {
  const Example example = load_example(example_name, formulation);
  EXPECT_TRUE(example) << example.problem;
  if (!example) return {};
  SimulateOptions options;
  options.integrator = "rkmk4";
  options.step = 1e-3;
  options.duration = duration;
  options.project = false;
  const SimulateReport report =
      simulate(*example.system, example.system->initial_state(), options, Observer{});
  EXPECT_TRUE(report.ok()) << report.message;
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  std::vector<double> positions, speeds, result;
  system.constraint_violations(report.final_state, positions, speeds, *workspace);
  // spherical joints: three rows each
  for (std::size_t r = 0; r < positions.size(); ++r) {
    if (r % 3 == 0) result.push_back(0);
    result.back() = std::max(result.back(), std::fabs(positions[r]));
  }
  return result;
}

TEST(AbsoluteDrift, HeavyTop) {
  EXPECT_LT(drift("heavy_top", "absolute-se3", 1)[0], 1e-13);
  EXPECT_LT(drift("heavy_top", "absolute-se3", 10)[0], 2e-12);
  EXPECT_GT(drift("heavy_top", "absolute-so3r3", 1)[0], 1e-9);
  EXPECT_GT(drift("heavy_top", "absolute-so3r3", 10)[0], 1e-9);
}

TEST(AbsoluteDrift, DoublePendulum) {
  const std::vector<double> se3 = drift("spherical_double", "absolute-se3", 1);
  const std::vector<double> product = drift("spherical_double", "absolute-so3r3", 1);
  ASSERT_EQ(se3.size(), 2u);
  EXPECT_LT(se3[0], 1e-13);
  EXPECT_GT(product[0], 1e-7);
  EXPECT_LT(std::fabs(std::log10(se3[1] / product[1])), 1);
}

TEST(AbsoluteDrift, FloatingPairDriftsAlike) {
  const double se3 = drift("floating_pair", "absolute-se3", 1)[0];
  const double product = drift("floating_pair", "absolute-so3r3", 1)[0];
  EXPECT_LT(std::fabs(std::log10(se3 / product)), 1);
}

TEST(AbsoluteDrift, ClosedThreeBar) {
  const std::vector<double> se3 = drift("spherical_three_bar", "absolute-se3", 1);
  const std::vector<double> product = drift("spherical_three_bar", "absolute-so3r3", 1);
  ASSERT_EQ(se3.size(), 3u);
  EXPECT_LT(se3[0], 1e-13);
  EXPECT_LT(se3[2], 1e-13);
  EXPECT_GT(product[0], 1e-9);
  EXPECT_GT(product[2], 1e-9);
  EXPECT_LT(std::fabs(std::log10(se3[1] / product[1])), 1);
}

}  // namespace
}  // namespace cartan::test
