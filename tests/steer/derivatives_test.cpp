// The sparse matrices of optimal control against differences of what they are derivatives of: with
// rotations, loops, free times, path expressions of time, phases with contacts and impacts.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "analysis/control/steering_program.h"
#include "results/design/steer_setup.h"
#include "support/random.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd full(const SparsePattern& pattern, const std::vector<double>& entries, int rows,
              int columns, bool symmetric) {
  MatrixXd A = MatrixXd::Zero(rows, columns);
  for (int e = 0; e < pattern.size(); ++e) {
    A(pattern.row[e], pattern.column[e]) += entries[e];
    if (symmetric && pattern.row[e] != pattern.column[e])
      A(pattern.column[e], pattern.row[e]) += entries[e];
  }
  return A;
}

void expect_derivatives(const SteerTask& task, int intervals, int points) {
  SteerSetup setup;
  prepare_steering(task, {}, {}, setup);
  SteeringOptions options;
  options.points = points;
  options.intervals = intervals;
  const SteeringMotion guess = first_motion(setup.problem, options, make_steering_guess(setup, 1));
  SteeringProgram program(setup.problem, guess);
  ASSERT_TRUE(program.has_hessian());
  Random random(7);
  VectorXd x = program.first_point();
  for (double& v : x) v += random.uniform(-0.02, 0.02);
  const int n = program.unknowns(), m = program.constraints();
  VectorXd weights(m);
  for (double& w : weights) w = random.uniform(-1, 1);
  std::vector<double> J(program.jacobian_pattern().size()), H(program.hessian_pattern().size());
  ASSERT_TRUE(program.jacobian(x.data(), J.data()));
  ASSERT_TRUE(program.hessian(x.data(), 0.7, weights.data(), H.data()));
  const MatrixXd jacobian = full(program.jacobian_pattern(), J, m, n, false);
  const MatrixXd hessian = full(program.hessian_pattern(), H, n, n, true);
  VectorXd gradient(n);
  ASSERT_TRUE(program.gradient(x.data(), gradient.data()));
  const auto lagrangian_slope = [&](const VectorXd& at) {
    VectorXd g(n);
    program.gradient(at.data(), g.data());
    program.jacobian(at.data(), J.data());
    return VectorXd(0.7 * g +
                    full(program.jacobian_pattern(), J, m, n, false).transpose() * weights);
  };
  const double h = 1e-5;
  double worst = 0, worst_gradient = 0, worst_hessian = 0, largest = 0;
  for (int j = 0; j < n; ++j) {
    VectorXd up = x, down = x, above(m), below(m);
    up(j) += h;
    down(j) -= h;
    program.values(up.data(), above.data());
    program.values(down.data(), below.data());
    worst = std::max(worst, ((above - below) / (2 * h) - jacobian.col(j)).cwiseAbs().maxCoeff());
    double f_up, f_down;
    program.objective(up.data(), f_up);
    program.objective(down.data(), f_down);
    worst_gradient = std::max(worst_gradient, std::fabs((f_up - f_down) / (2 * h) - gradient(j)));
    worst_hessian = std::max(
        worst_hessian, ((lagrangian_slope(up) - lagrangian_slope(down)) / (2 * h) - hessian.col(j))
                           .cwiseAbs()
                           .maxCoeff());
    largest = std::max(largest, hessian.col(j).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, 1e-6 * (1 + jacobian.cwiseAbs().maxCoeff()));
  EXPECT_LT(worst_gradient, 1e-6 * (1 + gradient.cwiseAbs().maxCoeff()));
  EXPECT_LT(worst_hessian, 1e-6 * (1 + largest));
  EXPECT_GT(largest, 1e-3);
}

void expect_derivatives(const std::string& task_name, int intervals, int points) {
  SteerTask task =
      read_steer_task(std::string(CARTAN_ROOT) + "/examples/steering/" + task_name + ".toml");
  if (task_name == "swing_up") task.path.push_back({"cart.q*t + pole.v^2", "-9", "9", {}});
  if (task_name == "slew") task.periodic = true;
  expect_derivatives(task, intervals, points);
}

TEST(Steering, DerivativesOfASwingUp) {
  expect_derivatives("swing_up", 3, 3);
}
TEST(Steering, DerivativesWithRotations) {
  expect_derivatives("slew", 3, 2);
}
TEST(Steering, DerivativesWithFreeTime) {
  expect_derivatives("brachistochrone", 2, 3);
}
TEST(Steering, DerivativesWithLoops) {
  expect_derivatives("four_bar_start", 3, 2);
}
// One phase that repeats with left and right exchanged, with an impact in between.
TEST(Steering, DerivativesOfAStep) {
  expect_derivatives("walk", 2, 2);
}
// Two phases, of which one has free time; forces and cones at their ends, an impact, a given speed.
TEST(Steering, DerivativesOfAHop) {
  expect_derivatives("hop", 2, 2);
}

// Rotations through an impact, and a cone with two tangents: a rod on a ball joint whose end meets
// a smooth slope, beside a block that rests on rough ground.
TEST(Steering, DerivativesInSpace) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("cartan_space_{}", getpid());
  fs::create_directories(folder);
  std::ofstream(folder / "model.toml") << R"(
[inputs]
u = 0
v = 0
[[body]]
name = "rod"
mass = 2
com = [0, 0.1, -0.3]
inertia = [0.1, 0.12, 0.05]
[[joint]]
name = "ball"
type = "spherical"
parent = { body = "world", at = [0, 0, 0.5] }
child = { body = "rod" }
position = { axis = [1, 2, 3], angle = 1.2 }
[[force]]
type = "wrench"
body = "rod"
at = [0, 0, 0]
force = [0, 0, 0]
torque = ["u", "0.5*u + v", "0.2*v"]
[[body]]
name = "block"
mass = 1
[[joint]]
name = "place"
type = "translation"
parent = { body = "world" }
child = { body = "block" }
[[force]]
type = "wrench"
body = "block"
at = [0, 0, 0]
force = ["v", "0.3*u", "u*v"]
torque = [0, 0, 0]
[[contact]]
name = "floor"
a = { body = "rod", point = [0, 0, -0.6] }
b = { body = "world", plane = [0, 0.2, 1] }
[[contact]]
name = "ground"
a = { body = "block", point = [0, 0, 0] }
b = { body = "world", plane = [0, 0, 1] }
friction = 0.7
)";
  std::ofstream(folder / "task.toml") << R"(
model = "model.toml"
periodic = true
[[phase]]
duration = { guess = 0.3, bounds = [0.1, 0.5] }
closed = ["ground"]
[[phase]]
duration = { guess = 0.2, bounds = [0.1, 0.5] }
closed = ["floor", "ground"]
[advance]
"rod.R[0, 1]*ball.v[1]" = { speed = 0.1 }
[minimise]
integral = "u^2 + v^2"
)";
  expect_derivatives(read_steer_task((folder / "task.toml").string()), 2, 2);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace cartan::test
