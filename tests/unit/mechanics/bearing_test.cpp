// Bearing loads: the lever rule, and loads consistent with the accelerations they cause.
#include <gtest/gtest.h>

#include <cmath>

#include "formulations/formulations.h"
#include "io/toml_reader.h"

namespace cartan::test {
namespace {

std::optional<Model> read(const std::string& text) {
  Diagnostics problems;
  const auto description = read_model_text(text, ".", problems);
  EXPECT_TRUE(description) << problems.text();
  if (!description) return {};
  auto model = check_model(*description, problems);
  EXPECT_TRUE(model) << problems.text();
  return model;
}

// A wheel of mass m on a horizontal axle (y), centre of mass on the axis at y = 0.2; bearings at
// y = -0.1 and y = 0.3: static loads m g/4 and 3 m g/4. Spinning, so friction brakes it with
// mu (m g/4 + 3 m g/4), with mu 3 m g/4 when only the far bearing rubs.
std::string wheel(const std::string& bearings) {
  return R"(
[[body]]
name = "wheel"
mass = 4
com = [0, 0.2, 0]
inertia = [0.5, 0.9, 0.5]
[[joint]]
name = "axle"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "wheel" }
velocity = 3
[[force]]
type = "friction"
joint = "axle"
)" + bearings;
}

double brake(const std::string& bearings) {
  const auto model = read(wheel(bearings));
  std::string problem;
  const auto system = make_system(*model, parameter_values(*model), "recursive", problem);
  EXPECT_EQ(problem, "");
  std::vector<double> xdot(system->space().size());
  auto workspace = system->make_workspace();
  system->derivative(system->initial_state(), xdot, *workspace);
  return -xdot[1] * 0.9;
}

TEST(Bearings, TwoBearingsShareByTheLeverRule) {
  const double weight = 4 * 9.81;
  EXPECT_NEAR(
      brake("bearings = [{ at = [0, -0.1, 0], radial = 0.2 }, { at = [0, 0.3, 0], radial = 0.2 }]"),
      0.2 * weight, 1e-12);
  EXPECT_NEAR(
      brake("bearings = [{ at = [0, -0.1, 0], radial = 0 }, { at = [0, 0.3, 0], radial = 0.2 }]"),
      0.2 * 0.75 * weight, 1e-12);
}

// A heavy arm off its hinge axis: load = reaction force at the one bearing point, which changes
// with the braking itself. Closed form: planar arm of mass m, length a to the centre of mass,
// inertia J about the hinge, horizontal at angular speed w, hinge friction mu |F|:
//   J w' = m g a - mu |F| sign w        F = (m a w^2 along, m g - m a w' across)
TEST(Bearings, LoadsAreConsistentWithTheAccelerationsTheyCause) {
  const auto model = read(R"(
[[body]]
name = "arm"
mass = 2
com = [0.5, 0, 0]
inertia = [0.01, 0.06, 0.06]
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "world" }
child = { body = "arm" }
velocity = 4
[[force]]
type = "friction"
joint = "hinge"
bearings = [{ at = [0, 0, 0], radial = 0.3 }]
)");
  const double m = 2, a = 0.5, g = 9.81, w = 4, J = 0.06 + m * a * a, mu = 0.3;
  for (const FormulationInfo& row : formulation_table()) {
    if (!row.refusal(*model).empty()) continue;
    const auto system = row.make(*model, parameter_values(*model));
    std::vector<double> xdot(system->space().size());
    auto workspace = system->make_workspace();
    system->derivative(system->initial_state(), xdot, *workspace);
    const double dw = xdot[1];
    const double load = std::hypot(m * a * w * w, m * g - m * a * dw);
    EXPECT_GT(load, 1);
    EXPECT_NEAR(J * dw, m * g * a - mu * load, 1e-12) << row.name;
    // power of friction is what the element reports
    const DynamicsReport report = system->report_dynamics(system->initial_state(), *workspace);
    EXPECT_NEAR(report.forces[0].power, -mu * load * w, 1e-11);
  }
}

// Exact Jacobian through the nested solve, against the same solve at shifted states.
TEST(Bearings, JacobianSeesThroughTheLoads) {
  const auto model =
      read(wheel("coulomb = 0.1\nsmoothing = 3\nbearings = [{ at = [0, -0.1, 0], radial = 0.2, "
                 "axial = 0.1 }, "
                 "{ at = [0.02, 0.3, 0.01], radial = 0.2 }]"));
  const auto system = find_formulation("recursive")->make(*model, parameter_values(*model));
  State state = system->initial_state();
  auto workspace = system->make_workspace();
  const int n = system->space().size();
  Eigen::MatrixXd J(n, n);
  system->jacobian(state, J, *workspace);
  std::vector<double> plus(n), minus(n);
  for (int j = 0; j < 2; ++j) {
    const double h = 1e-6, x = state.x[j];
    state.x[j] = x + h;
    system->derivative(state, plus, *workspace);
    state.x[j] = x - h;
    system->derivative(state, minus, *workspace);
    state.x[j] = x;
    for (int i = 0; i < n; ++i) EXPECT_NEAR(J(i, j), (plus[i] - minus[i]) / (2 * h), 1e-7);
  }
  EXPECT_GT(std::fabs(J(1, 1)), 1e-3);
}

}  // namespace
}  // namespace cartan::test
