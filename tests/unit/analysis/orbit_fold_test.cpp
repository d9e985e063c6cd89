// Orbits on both sides of a fold, known in closed form.
#include "support.h"

namespace cartan::test {
namespace {

// Circles r^2 = 1 +- sqrt(a) run through in the time 2 pi; m = exp(2 pi d(r g)/dr) with
// g = a - (r^2 - 1)^2. Both meet in a fold at a = 0, and beyond it there is none.
const char* const fold_model = R"(
name = "fold of circles"
[parameters]
a = 0.04
start = 1.1
[definitions]
g = "a - (x^2 + y^2 - 1)^2"
[variables]
x = { initial = "start", rate = "x*g - y" }
y = { initial = 0, rate = "y*g + x" }
)";

std::string with(const std::string& text, const std::string& from, const std::string& to) {
  std::string result = text;
  return result.replace(result.find(from), from.size(), to);
}

TEST(OrbitFold, CirclesOnBothSidesOfAFold) {
  for (const double side : {1.0, -1.0}) {
    const Example e =
        load_text(with(fold_model, "start = 1.1", side > 0 ? "start = 1.1" : "start = 0.9"));
    ASSERT_TRUE(e) << e.problem;
    const auto section = function_of(e, "y");
    const Orbit orbit = orbit_of(e, orbit_options(6, section.get()));
    const double s = side * 0.2, r = std::sqrt(1 + s);
    EXPECT_NEAR(orbit.point.period, 2 * pi, 1e-12);
    EXPECT_NEAR(orbit.state().x[0], r, 1e-12);
    const std::complex<double> other = orbit.multipliers[side > 0 ? 1 : 0];
    EXPECT_NEAR(other.real() / std::exp(-8 * pi * r * r * s), 1, 1e-10);
    EXPECT_EQ(orbit.stable, side > 0);
    EXPECT_EQ(orbit.neutral, 1);
  }
}

TEST(OrbitFold, BeyondTheFoldThereIsNoOrbit) {
  const Example e = load_text(with(fold_model, "a = 0.04", "a = -0.001"));
  const auto section = function_of(e, "y");
  const Orbit orbit =
      find_orbit(*e.system, e.system->initial_state(), orbit_options(6.2, section.get()));
  EXPECT_FALSE(orbit.found());
  EXPECT_NE(orbit.problem.find("no orbit was found"), std::string::npos) << orbit.problem;
  EXPECT_NE(orbit.problem.find("fold"), std::string::npos) << orbit.problem;
}

}  // namespace
}  // namespace cartan::test
