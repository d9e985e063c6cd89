// Closed orbits as equations: nodes x_0 .. x_{N-1} on the orbit, the flow over T/N from each to the
// next, the last one to the first.
//
//   r_i = B_{i+1}^T (phi_{T/N}(x_i) (-) x_{i+1}) = 0,   i = 0 .. N-1
//   h(x_0) = 0                                          (period unknown: where on the orbit to
//   begin)
//
// An orbit may close up to a relabelling of equal parts: x_0 is compared with the end after names
// were exchanged (one step of a walker). Coordinates that do not enter the equations may then come
// back shifted; x_0 keeps its place along them.
//
// Unknowns: displacements y_i of the nodes along their allowed directions B_i, and the period. All
// derivatives are exact: of the flow by the variational equations, of differences by dexp^-1.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/transition.h"
#include "system/state_function.h"

namespace cartan::analysis {

struct ShootingProblem {
  bool driven = false;                     // the period is given (time enters), not unknown
  const StateFunction* section = nullptr;  // h; null: x_0 keeps its place along the motion
  // Quantities with values they are to have at x_0, where orbits come in families.
  std::vector<std::pair<const StateFunction*, double>> holds;
  std::vector<int> parameters;  // for derivatives
  // Number k of x_0 is compared with number swap[k] of the end; empty: with its own. An exchange
  // undoes itself.
  std::vector<int> swap;
  int swap_times = 1;  // exchanges in once around, at equal times
  // Along branches: per node a basis that directions are turned next to, so that the unknowns mean
  // the same from point to point (align_basis).
  std::vector<Eigen::MatrixXd>* references = nullptr;
};

// The allowed directions B_i of all nodes.
std::vector<Eigen::MatrixXd> node_directions(const System& system, const ShootingProblem& problem,
                                             const std::vector<State>& nodes, Workspace& workspace);

struct ShootingPoint {
  std::vector<State> nodes;
  double period = 0;
};

struct ShootingEquations {
  std::string problem;  // why there are none
  Eigen::VectorXd residual;
  Eigen::MatrixXd matrix;         // d residual / d (y_0, y_1, .., period)
  Eigen::MatrixXd by_parameters;  // d residual / d p, nodes moving least
  Eigen::VectorXd by_period;      // d residual / d period of the flow's end, driven or not
  std::vector<Eigen::MatrixXd> directions;     // B_i
  std::vector<Eigen::MatrixXd> factors;        // of the flow once around
  std::vector<std::pair<int, int>> turns;      // numbers of x that come back changed by whole turns
  std::vector<std::pair<int, double>> shifts;  // of orbits up to a swap: that come back shifted
  double unlike = 0;  // rates at the end, swapped, less those at x_0; relative
  double rate = 0;    // largest rate at the nodes
};

// Nodes at equal times along the motion from a state; "" or why not.
std::string make_shooting_point(const System& system, const State& start, double period, int nodes,
                                const FlowOptions& options, ShootingPoint& point);

// `flow` has as many columns as there are allowed directions, and those of the problem's
// parameters.
ShootingEquations linearise_shooting(Flow& flow, const ShootingProblem& problem,
                                     const ShootingPoint& point);

// Moves the nodes and the period by a step of the unknowns. "" or why the constraints forbid it.
std::string apply_shooting_step(const System& system, const ShootingEquations& equations,
                                const Eigen::VectorXd& step, ShootingPoint& point,
                                Workspace& workspace);

// "" or a sentence: time enters where the period is unknown, or with another period.
std::string refuse_time(const System& system, const ShootingProblem& problem,
                        const ShootingPoint& point, Workspace& workspace);

}  // namespace cartan::analysis
