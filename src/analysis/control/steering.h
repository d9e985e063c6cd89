// Steering: collocation, solved on meshes that are refined until their error is small enough.
//
// Where an input lies on a bound for a while and then leaves it, the switch becomes the end of an
// arc, whose time is an unknown; on arcs where the input stays on its bound, it is held there, and
// the sign of its gain is looked at afterwards. What is left is smooth between switches, and meshes
// converge with the order of the method.
#pragma once

#include "analysis/control/mesh_error.h"
#include "analysis/control/steering_problem.h"

namespace cartan::analysis {

// State and inputs at a part (0 to 1) of a phase.
using SteeringGuess =
    std::function<void(int phase, double part, std::vector<double>& x, Eigen::VectorXd& u)>;

struct SteeringOptions {
  CollocationKind kind = CollocationKind::gauss;
  int points = 5;
  int intervals = 0;  // of each phase, to begin with; 0: chosen
  double tolerance = 1e-6;
  double beyond = 1e-5;  // how far paths that are watched may go beyond their bounds
  bool refine = true;
  int refinements = 15;
  int most_intervals = 4000;
  ProgramOptions program;
  std::function<void(const std::string&)> note;
};

struct SteeringResult {
  explicit SteeringResult(SteeringMotion m) : motion(std::move(m)) {}

  bool converged = false;
  std::string problem;  // why not
  SteeringMotion motion;
  double objective = 0;
  MeshErrors errors;
  int iterations = 0;  // of all programs
  int meshes = 0;
  bool strict = false;  // conditions of second order hold
  bool exact_hessian = true;
  std::vector<double> switches;  // times
  int switching_wrong = 0;       // points at which a held input would better leave its bound
};

// The program on one mesh from a guess.
SteeringResult solve_on_mesh(const SteeringProblem& problem, const SteeringMotion& guess,
                             const SteeringOptions& options);
// The first mesh, filled from a guess.
SteeringMotion first_motion(const SteeringProblem& problem, const SteeringOptions& options,
                            const SteeringGuess& guess);
// On, from a solution on a first mesh, until the tolerance is reached.
SteeringResult refine_steering(const SteeringProblem& problem, SteeringResult result,
                               const SteeringOptions& options);

}  // namespace cartan::analysis
