// Orbits of source 004 (cases S4.5 and S4.6), whose figures are known to more digits than doubles
// have.
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/orbit.h"
#include "mechanics/machine/state_expression.h"
#include "support/example.h"

namespace cartan::test {
namespace {

struct Found {
  Example example;
  std::unique_ptr<StateFunction> section;
  Orbit orbit;
};

Found find(const std::string& name, const Settings& settings, const std::string& section,
           double period) {
  Found found{load_example(name, "recursive", settings), nullptr, {}};
  EXPECT_TRUE(found.example) << found.example.problem;
  std::string problem;
  const System& system = *found.example.system;
  found.section = make_state_function(system, *found.example.model, section, problem);
  EXPECT_TRUE(found.section) << problem;
  OrbitOptions options;
  options.period = period;
  options.problem.section = found.section.get();
  found.orbit = find_orbit(system, system.initial_state(), options);
  EXPECT_TRUE(found.orbit.found()) << found.orbit.problem;
  return found;
}

TEST(PublishedOrbits, VanDerPol) {
  const Found found = find("van_der_pol", {{"start", 2}}, "x1", 6.5);
  const Orbit& orbit = found.orbit;
  ASSERT_TRUE(orbit.found());
  EXPECT_NEAR(orbit.point.period, 6.66328685932313018969, 1e-12);
  EXPECT_NEAR(orbit.state().x[1], 2.00861986087484313651, 1e-12);
  EXPECT_NEAR(orbit.multipliers[0].real(), 1, 1e-12);
  EXPECT_NEAR(orbit.multipliers[1].real() / 8.596950636038051861e-4, 1, 1e-10);
  EXPECT_TRUE(orbit.stable);
  EXPECT_TRUE(orbit.attracting);
}

TEST(PublishedOrbits, Roessler) {
  const Found found = find("roessler", {}, "y", 6);
  const Orbit& orbit = found.orbit;
  ASSERT_TRUE(orbit.found());
  EXPECT_LE(orbit.newton_steps, 6);
  EXPECT_NEAR(orbit.point.period, 6.174637520583301482, 1e-12);
  EXPECT_NEAR(orbit.state().x[0], 3.152548632195287254, 1e-12);
  EXPECT_NEAR(orbit.state().x[1], 0, 1e-13);
  EXPECT_NEAR(orbit.state().x[2], 2.663171626064349229, 1e-12);
  EXPECT_NEAR(orbit.multipliers[0].real(), 1, 1e-12);
  EXPECT_NEAR(orbit.multipliers[1].real(), -0.600539137949363470, 1e-12);
  EXPECT_NEAR(orbit.multipliers[2].real() / -1.14888789838776e-9, 1, 1e-9);
  for (const auto& m : orbit.multipliers) EXPECT_EQ(m.imag(), 0);
  EXPECT_TRUE(orbit.stable);
}

}  // namespace
}  // namespace cartan::test
