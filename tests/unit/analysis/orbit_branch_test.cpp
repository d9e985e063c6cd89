// Orbits along a parameter, on systems whose orbits and multipliers are known in closed form.
#include "analysis/orbit_branch.h"

#include "support.h"

namespace cartan::test {
namespace {

using Complex = std::complex<double>;
constexpr double pi = 3.14159265358979323846;

OrbitFamily family_of(const Example& e, const std::string& parameter, const std::string& section) {
  OrbitFamily family;
  const Model& model = *e.model;
  family.parameter = model.find_parameter(parameter);
  family.make = [&model, index = family.parameter, section](double p) {
    OrbitMember member;
    std::string problem;
    std::vector<double> values = parameter_values(model);
    values[index] = p;
    member.system = make_system(model, values, "recursive", problem);
    if (!section.empty())
      member.section = make_state_function(*member.system, model, section, problem);
    return member;
  };
  return family;
}

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

TEST(OrbitBranch, CirclesOnBothSidesOfAFold) {
  for (const double side : {1.0, -1.0}) {
    const Example e =
        load_text(with(fold_model, "start = 1.1", side > 0 ? "start = 1.1" : "start = 0.9"));
    ASSERT_TRUE(e) << e.problem;
    const auto section = function_of(e, "y");
    const Orbit orbit = orbit_of(e, orbit_options(6, section.get()));
    const double s = side * 0.2, r = std::sqrt(1 + s);
    EXPECT_NEAR(orbit.point.period, 2 * pi, 1e-12);
    EXPECT_NEAR(orbit.state().x[0], r, 1e-12);
    const Complex other = orbit.multipliers[side > 0 ? 1 : 0];
    EXPECT_NEAR(other.real() / std::exp(-8 * pi * r * r * s), 1, 1e-10);
    EXPECT_EQ(orbit.stable, side > 0);
    EXPECT_EQ(orbit.neutral, 1);
  }
}

TEST(OrbitBranch, BeyondTheFoldThereIsNoOrbit) {
  const Example e = load_text(with(fold_model, "a = 0.04", "a = -0.001"));
  const auto section = function_of(e, "y");
  const Orbit orbit =
      find_orbit(*e.system, e.system->initial_state(), orbit_options(6.2, section.get()));
  EXPECT_FALSE(orbit.found());
  EXPECT_NE(orbit.problem.find("no orbit was found"), std::string::npos) << orbit.problem;
  EXPECT_NE(orbit.problem.find("fold"), std::string::npos) << orbit.problem;
}

// dr/da = 1/(4 r sqrt a), the period stays.
TEST(OrbitBranch, SlopeAlongTheParameter) {
  const Example e = load_text(fold_model);
  OrbitFamily family = family_of(e, "a", "y");
  const auto section = function_of(e, "y");
  const Orbit start = orbit_of(e, orbit_options(6, section.get()));
  const Orbit orbit = find_member(family, 0.04, start.point);
  ASSERT_TRUE(orbit.found()) << orbit.problem;
  const Eigen::VectorXd slope = orbit_slope(orbit);
  EXPECT_NEAR(slope[0], 1 / (4 * std::sqrt(1.2) * 0.2), 1e-10);
  EXPECT_NEAR(slope[1], 0, 1e-10);
  EXPECT_NEAR(slope[2], 0, 1e-10);
}

// A driven oscillator: the product of its multipliers is exp(-damping T), so that a complex pair
// leaves the unit circle exactly where the damping is zero.
TEST(OrbitBranch, TorusOfADrivenOscillator) {
  const Example e = load_example("duffing", "recursive", {{"drive", 0.05}, {"damping", 0.1}});
  ASSERT_TRUE(e) << e.problem;
  OrbitFamily family = family_of(e, "damping", "");
  family.options.problem.driven = true;
  OrbitOptions options = orbit_options(2 * pi / 1.2);
  options.problem.driven = true;
  const Orbit start = orbit_of(e, options);
  ASSERT_NE(start.multipliers[0].imag(), 0);
  const OrbitBifurcationPoint point =
      locate_orbit_bifurcation(family, OrbitBifurcation::torus, 0.1, -0.06, start);
  ASSERT_EQ(point.problem, "");
  EXPECT_NEAR(point.parameter, 0, 1e-11);
  EXPECT_NEAR(std::abs(point.orbit.multipliers[0]), 1, 1e-10);
}

TEST(OrbitBranch, TestFunctions) {
  const std::vector<Complex> m = {Complex(1.0, 1e-9), Complex(-1.2, 0), Complex(0.5, 0.2),
                                  Complex(0.5, -0.2)};
  EXPECT_NEAR(orbit_test_function(OrbitBifurcation::period_doubling, m, 1),
              -0.2 * std::norm(Complex(1.5, 0.2)), 1e-12);
  EXPECT_NEAR(orbit_test_function(OrbitBifurcation::fold, m, 1),
              -2.2 * std::norm(Complex(-0.5, 0.2)), 1e-12);
  const Complex a = -1.2 * m[2] - 1.0;
  EXPECT_NEAR(orbit_test_function(OrbitBifurcation::torus, m, 1), std::norm(a) * (0.29 - 1), 1e-12);
}

}  // namespace
}  // namespace cartan::test
