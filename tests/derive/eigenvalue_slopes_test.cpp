// Derivatives of eigenvalues of steady motions by parameters: against closed forms, and against
// differences of linearisations of models built anew.
#include <gtest/gtest.h>

#include <cmath>

#include "results/design/linear_functionals.h"
#include "support/example.h"

namespace cartan::test {
namespace {

LinearNumbers numbers_of(const Model& model, const std::vector<std::string>& names,
                         bool at_equilibrium, std::string& problem,
                         const std::vector<double>& values = {}) {
  LinearRequest request;
  std::vector<int> which;
  for (const std::string& name : names) which.push_back(model.find_parameter(name));
  request.parameters = values.empty()
                           ? parameter_values(model)
                           : parameter_values(model, which, {values.data(), values.size()});
  request.which = which;
  request.slopes = values.empty();
  request.formulation = "recursive";
  request.at_equilibrium = at_equilibrium;
  request.real_part = request.slowest = true;
  LinearNumbers numbers;
  problem = calc_linear_numbers(model, request, numbers);
  return numbers;
}

// Exact slopes against differences of the values, extrapolated.
void expect_slopes(const Example& example, const std::vector<std::string>& names,
                   bool at_equilibrium, double tolerance) {
  ASSERT_EQ(example.problem, "");
  const Model& model = *example.model;
  std::string problem;
  const LinearNumbers exact = numbers_of(model, names, at_equilibrium, problem);
  ASSERT_EQ(problem, "");
  const std::vector<double> all = parameter_values(model);
  std::vector<double> at;
  for (const std::string& name : names) at.push_back(all[model.find_parameter(name)]);
  for (std::size_t k = 0; k < names.size(); ++k) {
    const double size = std::max(std::fabs(at[k]), 0.1);
    const auto central = [&](double h) {
      Eigen::Vector2d slope = Eigen::Vector2d::Zero();
      for (const double sign : {1.0, -1.0}) {
        std::vector<double> moved = at;
        moved[k] += sign * h * size;
        const LinearNumbers there = numbers_of(model, names, at_equilibrium, problem, moved);
        EXPECT_EQ(problem, "") << names[k];
        slope += sign * Eigen::Vector2d(there.real_part, there.slowest) / (2 * h * size);
      }
      return slope;
    };
    const Eigen::Vector2d rough = central(4e-3), finer = central(2e-3),
                          expected = (4 * finer - rough) / 3;
    const double scale = expected.lpNorm<Eigen::Infinity>() + 0.1;
    EXPECT_NEAR(exact.real_part_slopes[k], expected[0], tolerance * scale) << names[k];
    if (exact.oscillates)
      EXPECT_NEAR(exact.slowest_slopes[k], expected[1], tolerance * scale) << names[k];
  }
}

// x' = s (y - x), y' = x (r - z) - y, z' = x y - b z at x = y = sqrt(b (r - 1)):
//   P = l^3 + (s + b + 1) l^2 + b (s + r) l + 2 s b (r - 1) = 0,   dl/dp = -P_p / P_l.
TEST(EigenvalueSlopes, LorenzMovesWithItsEquilibrium) {
  const Example example = load_text(
      "[parameters]\ns = 10\nr = 20\nb = 2.5\n[variables]\n"
      "x = { initial = 7, rate = \"s*(y - x)\" }\ny = { initial = 7, rate = \"x*(r - z) - y\" }\n"
      "z = { initial = 18, rate = \"x*y - b*z\" }\n");
  std::string problem;
  const LinearNumbers n = numbers_of(*example.model, {"s", "r", "b"}, true, problem);
  ASSERT_EQ(problem, "");
  const double s = 10, r = 20, b = 2.5;
  const std::complex<double> l(n.real_part, n.slowest);
  const auto P_l = 3.0 * l * l + 2 * (s + b + 1) * l + b * (s + r);
  const std::complex<double> by[] = {-(l * l + b * l + 2 * b * (r - 1)) / P_l,
                                     -(b * l + 2 * s * b) / P_l,
                                     -(l * l + (s + r) * l + 2 * s * (r - 1)) / P_l};
  ASSERT_LT(std::abs(l * l * l + (s + b + 1) * l * l + b * (s + r) * l + 2 * s * b * (r - 1)),
            1e-9);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(n.real_part_slopes[k], by[k].real(), 1e-11) << k;
    EXPECT_NEAR(n.slowest_slopes[k], by[k].imag(), 1e-11) << k;
  }
}

// A spherical pendulum with a round bob; theta and W: a start that turns about the vertical.
std::string spherical_pendulum(const std::string& start) {
  return "gravity = [\"g*sin(tilt)\", 0, \"-g*cos(tilt)\"]\n"
         "[parameters]\nL = 0.8\ng = 9.81\ntilt = 0\ntheta = 0.6\nJ = 0.1\n"
         "W = \"sqrt(g/(L*cos(theta)))\"\n[[body]]\nname = \"bob\"\n"
         "mass = 1\ncom = [0, 0, \"-L\"]\ninertia = [\"J\", \"J\", \"J\"]\n[[joint]]\n"
         "name = \"pivot\"\ntype = \"spherical\"\nparent = { body = \"world\" }\n"
         "child = { body = \"bob\" }\n" +
         start;
}

// At rest two modes have one frequency: a double eigenvalue that stays double.
TEST(EigenvalueSlopes, DoubleEigenvalueThatStaysDouble) {
  const Example example = load_text(spherical_pendulum(""));
  std::string problem;
  const LinearNumbers n = numbers_of(*example.model, {"J", "g"}, false, problem);
  ASSERT_EQ(problem, "");
  const double inertia = 0.8 * 0.8 + 0.1, w = std::sqrt(9.81 * 0.8 / inertia);
  EXPECT_NEAR(n.slowest, w, 1e-10);
  EXPECT_NEAR(n.slowest_slopes[0], -0.5 * w / inertia, 1e-9);
  EXPECT_NEAR(n.slowest_slopes[1], 0.5 * w / 9.81, 1e-9);
}

// A cone: the steady motion turns about gravity, and so does its symmetry when gravity is tilted.
TEST(EigenvalueSlopes, SymmetryThatTurns) {
  const Example example = load_text(
      spherical_pendulum("position = { quaternion = [\"cos(theta/2)\", 0, \"sin(theta/2)\", 0] }\n"
                         "velocity = [\"-W*sin(theta)\", 0, \"W*cos(theta)\"]\n"));
  expect_slopes(example, {"g", "L", "theta"}, false, 1e-6);
  expect_slopes(example, {"tilt", "g", "J"}, true, 1e-6);
}

// Two slides whose frequencies coincide: a stiffness of one of them splits them.
TEST(EigenvalueSlopes, SplittingAndMeetingEigenvaluesAreNamed) {
  const std::string pair =
      "[parameters]\nk = 4\ne = 0\n[variables]\nx = { initial = 0, rate = \"u\" }\n"
      "u = { initial = 0, rate = \"-k*x\" }\ny = { initial = 0, rate = \"w\" }\n"
      "w = { initial = 0, rate = \"-(k + e)*y\" }\n";
  std::string problem;
  const Example example = load_text(pair);
  const LinearNumbers both = numbers_of(*example.model, {"k"}, false, problem);
  EXPECT_EQ(problem, "");
  EXPECT_NEAR(both.slowest_slopes[0], 0.25, 1e-12);
  numbers_of(*example.model, {"e"}, false, problem);
  EXPECT_NE(problem.find("splits"), std::string::npos) << problem;
  const Example critical = load_text(
      "[parameters]\nc = 4\n[variables]\nx = { initial = 0, rate = \"u\" }\n"
      "u = { initial = 0, rate = \"-4*x - c*u\" }\n");
  numbers_of(*critical.model, {"c"}, false, problem);
  EXPECT_NE(problem.find("no derivative"), std::string::npos) << problem;
}

// Real parts of two different oscillations that are equal: a kink, named.
TEST(EigenvalueSlopes, KinkIsNamed) {
  const Example example = load_text(
      "[parameters]\nc = 1\nd = 1\n[variables]\nx = { initial = 0, rate = \"u\" }\n"
      "u = { initial = 0, rate = \"-4*x - c*u\" }\ny = { initial = 0, rate = \"w\" }\n"
      "w = { initial = 0, rate = \"-9*y - d*w\" }\n");
  std::string problem;
  const LinearNumbers n = numbers_of(*example.model, {"c", "d"}, false, problem);
  EXPECT_EQ(problem, "");
  EXPECT_NE(n.kink.find("kink"), std::string::npos);
}

// The bicycle in straight running: two rolling wheels, a quaternion, speeds along symmetries.
TEST(EigenvalueSlopes, Bicycle) {
  for (const double v : {4.6, 7.0})
    expect_slopes(load_example("benchmark_bicycle", "recursive", {{"push", 0}, {"v", v}}),
                  {"c", "tilt", "v", "w", "rF"}, false, 2e-6);
}

// Steady motions that themselves follow the parameters, found near the start of the file.
TEST(EigenvalueSlopes, Examples) {
  expect_slopes(load_example("governor"), {"m", "M", "L", "speed"}, true, 1e-5);
}

}  // namespace
}  // namespace cartan::test
