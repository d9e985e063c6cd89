// rotation-elements at the command line: multipliers of eval, the integrator that belongs to it.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/closed_models.h"
#include "cli/command_line.h"

namespace cartan::test {
namespace {

using nlohmann::json;

// Three equations hold the point of a spherical joint; they are the reaction with the other sign.
TEST(RotationElements, EvalReportsAllMultipliers) {
  const std::string model = example_path("spherical_double");
  const json result =
      expect_json(run_cartan({"eval", model, "--formulation", "rotation-elements", "--json"}));
  const json other = expect_json(run_cartan({"eval", model, "--json"}));
  EXPECT_FALSE(other.contains("Lambda"));
  ASSERT_EQ(result["Lambda"].size(), 2u);
  ASSERT_EQ(result["Lambda_joint"].size(), 2u);
  for (const auto& [body, L] : result["Lambda"].items()) {
    ASSERT_EQ(L.size(), 3u) << body;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_EQ(L[r][c], L[c][r]) << body;
  }
  for (const auto& [joint, force] : result["Lambda_joint"].items()) {
    ASSERT_EQ(force.size(), 3u) << joint;
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(force[k].get<double>(), -other["reactions"][joint]["force"][k].get<double>(),
                  1e-9)
          << joint;
  }
}

TEST(RotationElements, HeldMultipliersBelongToIt) {
  const std::string model = example_path("spherical_double");
  expect_refusal(run_cartan({"run", model, "--integrator", "held-multipliers"}),
                 "the formulation 'rotation-elements'");
  const json result = expect_json(
      run_cartan({"run", model, "--formulation", "rotation-elements", "--integrator",
                  "held-multipliers", "--step", "1e-4", "--duration", "0.01", "--json"}));
  EXPECT_EQ(result["status"], "completed");
  EXPECT_EQ(result["steps"], 100);
}

// The drift of R^T R - 1 is seen when nothing is projected.
TEST(RotationElements, DriftIsReported) {
  const std::string model = example_path("spherical_double");
  const auto error = [&](const char* stabilisation) {
    return expect_json(run_cartan({"run", model, "--formulation", "rotation-elements",
                                   "--integrator", "rk4", "--step", "1e-3", "--duration", "0.5",
                                   "--stabilisation", stabilisation, "--json"}))["unit_norm_error"]
        .get<double>();
  };
  EXPECT_LT(error("projection"), 1e-14);
  EXPECT_GT(error("none"), 1e-10);
}

}  // namespace
}  // namespace cartan::test
