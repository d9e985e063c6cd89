// Minima of smooth functions under constraints and bounds.
//
//   min f(theta)   with   g_i(theta) = 0 (the first), g_i(theta) <= 0,   lower <= theta <= upper
//
// Sequential quadratic programming: the step solves a quadratic program with the linearised
// constraints and Powell's damped BFGS matrix of the Lagrangian; it is shortened until the l1 merit
// function f + nu (violations) falls. Or Ipopt (sparse_program.h), where it is asked for. Unknowns
// are measured in units of their size. Gradients come from the caller, exact.
//
// Where the gradient vanishes there need not be a minimum. So the curvature of the Lagrangian along
// what active constraints leave open is looked at (second_order.h): where it is negative, the
// search goes on downhill from there.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/folders.h"

namespace cartan::analysis {

struct DesignPoint {
  double objective = 0;
  Eigen::VectorXd gradient, constraints;
  Eigen::MatrixXd slopes;  // constraints x unknowns
};

struct DesignProblem {
  // "" or why there is nothing at this theta (the step is then made shorter). `slopes`: gradients
  // are wanted, too.
  std::function<std::string(const Eigen::VectorXd& theta, bool slopes, DesignPoint& point)>
      evaluate;
  Eigen::VectorXd start, lower, upper, size;
  int equalities = 0;  // the first constraints
};

enum class DesignSolver { own, ipopt };

struct DesignOptions {
  DesignSolver solver = DesignSolver::own;
  int iterations = 200;
  double tolerance = 1e-9;  // of the gradient of the Lagrangian and of constraints, relative
  const std::atomic<bool>* stop_requested = nullptr;
  std::function<void(int iteration, double objective)> on_iteration;
};

struct DesignResult {
  bool converged = false;
  std::string problem;  // why not
  Eigen::VectorXd theta, multipliers;
  DesignPoint point;
  double violation = 0, stationarity = 0;  // what the tolerance was compared with
  int iterations = 0, evaluations = 0;
  std::vector<int> at_bound;
  // Of the curvature: "minimum" (positive along all that is open), "flat" (zero along something),
  // "unknown" (it could not be computed); "" where the search did not converge.
  std::string second_order;
  int saddles = 0;  // stationary points that were left because they are no minima
};

DesignResult minimise(const DesignProblem& problem, const DesignOptions& options);

}  // namespace cartan::analysis
