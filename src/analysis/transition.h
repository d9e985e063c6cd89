// The derivative of the flow over a time as a product of well-conditioned factors, and the
// eigenvalues of such products.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "analysis/flow.h"

namespace cartan::analysis {

// x0 (+) B0 y  ->  x1 (+) B1 F y,   F = F_k ... F_1
// B0, B1: allowed directions at both ends. Strong contraction in F is not lost in rounding, because
// each factor has a modest condition.
struct Transition {
  std::vector<Eigen::MatrixXd> factors;
  std::vector<State> states;           // where each factor ends
  std::vector<Eigen::MatrixXd> bases;  // allowed directions there
  State end;
  Eigen::MatrixXd end_directions;  // B1
  Eigen::VectorXd end_rate;        // tangent numbers
  Eigen::MatrixXd by_parameters;   // tangent numbers x parameters, see calc_transition
  std::string problem;             // why there is none

  Eigen::MatrixXd product() const;
};

// From `start` to time t. `from`: allowed directions at the start; `by_parameters`: d start / d p
// (tangent numbers x parameters). Together as many columns as the flow has.
Transition calc_transition(Flow& flow, const State& start, double t, const Eigen::MatrixXd& from,
                           const Eigen::MatrixXd& by_parameters);

// d x / d p of a state when nothing else is said: the smallest motion that keeps the constraints,
// zero where there are none.
Eigen::MatrixXd least_parameter_motion(const System& system, const State& state,
                                       std::span<const int> which, Workspace& workspace);

// Eigenvalues of F_k ... F_1, sorted by size descending, each to high relative accuracy: sweeps of
// QR separate sizes that differ much; what is of similar size is multiplied out and solved
// together.
std::vector<std::complex<double>> product_eigenvalues(const std::vector<Eigen::MatrixXd>& factors);

}  // namespace cartan::analysis
