// [variables] files with equations that have no rates: semi-explicit systems of index 1.
//   x' = -z,  0 = z + z^3 - x        z' = -z / (1 + 3 z^2), so  ln z + 3/2 z^2 + t  is constant
#include <gtest/gtest.h>

#include <cmath>

#include "io/toml_reader.h"
#include "mechanics/variables/variables.h"
#include "support/example.h"

namespace cartan::test {
namespace {

const char* const cubic = R"toml(
name = "cubic"
[parameters]
a = 1
start = 2
[variables]
x = { initial = "start", rate = "-z" }
z = { initial = 0.3 }
equations = ["z + a*z^3 = x"]
)toml";

// Why a file has no system: what the check says, or the start.
std::string problem_of(const std::string& text) {
  Diagnostics problems("model");
  const auto description = read_model_text(text, "", problems);
  const std::optional<Model> model =
      description ? check_model(*description, problems) : std::optional<Model>();
  if (!model) return problems.text();
  std::string problem;
  EXPECT_FALSE(make_system(*model, parameter_values(*model), "recursive", problem));
  return problem;
}

double invariant(const State& s) {
  return std::log(s.x[1]) + 1.5 * s.x[1] * s.x[1] + s.t;
}

State end_of(const System& system, const std::string& integrator, double step, double tolerance) {
  SimulateOptions options;
  options.integrator = integrator;
  options.step = step;
  options.tolerance = tolerance;
  const std::vector<double> times = {1.5};
  return states_at(system, times, options)[0];
}

TEST(Algebraic, TheStartIsDecidedByTheEquations) {
  const Example example = load_text(cubic);
  ASSERT_TRUE(example) << example.problem;
  const State start = example.system->initial_state();
  EXPECT_DOUBLE_EQ(start.x[0], 2);
  EXPECT_NEAR(start.x[1], 1, 1e-15);  // 1 + 1 = 2
  const auto& plain = dynamic_cast<const VariablesSystem&>(*example.system);
  ASSERT_EQ(plain.decided_starts().size(), 1u);
  EXPECT_EQ(plain.decided_starts()[0].variable, 1);
  EXPECT_EQ(plain.decided_starts()[0].written, 0.3);
}

TEST(Algebraic, MotionInClosedForm) {
  for (const char* formulation : {"recursive", "generated"}) {
    const Example example = load_text(cubic, formulation);
    ASSERT_TRUE(example) << example.problem;
    const double constant = invariant(example.system->initial_state());
    for (const char* integrator :
         {"rk4", "rk45", "dop853", "gl1", "gl2", "gl3", "rkmk4", "cvode"}) {
      SCOPED_TRACE(integrator);
      const State end = end_of(*example.system, integrator, 1e-3, 1e-12);
      const double expected = std::string(integrator) == "gl1" ? 1e-6 : 3e-10;
      EXPECT_NEAR(invariant(end), constant, expected);
      const double z = end.x[1];
      // Newton's method ends at four roundings of 1 + z, here with a slope below 3
      EXPECT_NEAR(z + z * z * z, end.x[0], 1e-14);
      EXPECT_LT(z, 0.6);
    }
  }
}

TEST(Algebraic, OrdersAreKept) {
  const Example example = load_text(cubic);
  ASSERT_TRUE(example) << example.problem;
  const double constant = invariant(example.system->initial_state());
  const auto error = [&](const char* integrator, double step) {
    return std::fabs(invariant(end_of(*example.system, integrator, step, 1e-14)) - constant);
  };
  EXPECT_NEAR(std::log2(error("gl1", 0.05) / error("gl1", 0.025)), 2, 0.1);
  EXPECT_NEAR(std::log2(error("rk4", 0.1) / error("rk4", 0.05)), 4, 0.4);
  EXPECT_NEAR(std::log2(error("gl2", 0.1) / error("gl2", 0.05)), 4, 0.3);
}

// d x' / d x = -dz/dx = -1 / (1 + 3 z^2): the one eigenvalue on the manifold; and constraints and
// their derivatives by x and by parameters against differences.
TEST(Algebraic, DerivativesOfTheConstraints) {
  const Example example = load_text(cubic);
  ASSERT_TRUE(example) << example.problem;
  const System& system = *example.system;
  const auto workspace = system.make_workspace();
  ASSERT_EQ(system.constraint_count(), 1);
  State at = system.initial_state();
  Eigen::MatrixXd C(1, 2), by_p(1, 2);
  system.constraint_jacobian(at, C, *workspace);
  const std::vector<int> which = {0, 1};
  system.constraint_parameter_jacobian(at, which, by_p, *workspace);
  EXPECT_NEAR(std::fabs(C(0, 1)), 4, 1e-14);  // 1 + 3 z^2
  EXPECT_NEAR(C(0, 0) / C(0, 1), -0.25, 1e-15);
  EXPECT_NEAR(by_p(0, 0) / C(0, 1), 0.25, 1e-15);  // z^3
  EXPECT_EQ(by_p(0, 1), 0);
  // the start: dz/d start = 1/4, dz/da = -1/4
  const auto& plain = dynamic_cast<const VariablesSystem&>(system);
  Eigen::MatrixXd slopes(2, 2);
  plain.fill_start_slopes(which, {}, slopes);
  EXPECT_NEAR(slopes(0, 1), 1, 1e-15);
  EXPECT_NEAR(slopes(1, 1), 0.25, 1e-14);
  EXPECT_NEAR(slopes(1, 0), -0.25, 1e-14);
}

// Two algebraic variables in one block, time in the equations.
TEST(Algebraic, TimeInTheEquations) {
  const std::string singular = problem_of(R"toml(
[variables]
x = { initial = 0, rate = "y" }
y = { initial = 0.1 }
w = { initial = 0.1 }
equations = ["y + w = 2*cos(t)", "y*w = cos(t)^2"]
)toml");
  // y = w = cos(t) is a double root: the matrix is singular there
  EXPECT_NE(singular.find("singular"), std::string::npos) << singular;
  const Example good = load_text(R"toml(
[variables]
x = { initial = 0, rate = "y" }
y = { initial = 0.1 }
w = { initial = 0.1 }
equations = ["y + w^3 = cos(t) + 8", "y - w = cos(t) - 2"]
)toml");
  ASSERT_TRUE(good) << good.problem;  // w = 2, y = cos(t)
  const State end = end_of(*good.system, "gl3", 0.01, 1e-13);
  EXPECT_NEAR(end.x[0], std::sin(1.5), 1e-12);
  EXPECT_NEAR(end.x[1], std::cos(1.5), 1e-14);
  EXPECT_NEAR(end.x[2], 2, 1e-14);
}

TEST(Algebraic, NoStartIsTold) {
  const std::string none = problem_of(R"toml(
[variables]
x = { initial = -2, rate = "-z" }
z = { initial = 0.3 }
equations = ["z^2 = x"]
)toml");
  EXPECT_NE(none.find("z^2 = x"), std::string::npos) << none;
}

// A pendulum in Cartesian coordinates has index 3: its hidden constraint is told.
TEST(Algebraic, HigherIndexIsRefusedWithTheHiddenConstraint) {
  const std::string pendulum = problem_of(R"toml(
[variables]
x = { initial = 1, rate = "u" }
y = { initial = 0, rate = "v" }
u = { initial = 0, rate = "-x*p" }
v = { initial = 0, rate = "-y*p - 9.81" }
p = { initial = 0 }
equations = ["x^2 + y^2 = 1"]
)toml");
  EXPECT_NE(pendulum.find("hidden constraint, 2*(x*u + y*v) = 0"), std::string::npos) << pendulum;
  EXPECT_NE(pendulum.find("index above 1"), std::string::npos);
  // p cancels: what is written there does not help
  const std::string cancels = problem_of(R"toml(
[variables]
x = { initial = 1, rate = "p" }
p = { initial = 0 }
equations = ["x + p - p = cos(t)"]
)toml");
  EXPECT_NE(cancels.find("hidden constraint, p + sin(t) = 0"), std::string::npos) << cancels;
}

// The diode: u falls as the closed form of the lossless part demands, d(C u^2/2)/dt = -u i.
TEST(Algebraic, Diode) {
  const Example example = load_example("diode_circuit");
  ASSERT_TRUE(example) << example.problem;
  const State start = example.system->initial_state();
  const double i = start.x[1], v = start.x[2];
  EXPECT_NEAR(v + 50 * i, 1, 1e-14);
  EXPECT_NEAR(i / (1e-6 * std::expm1(v / 0.05)), 1, 1e-12);
}

}  // namespace
}  // namespace cartan::test
