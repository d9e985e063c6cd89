// Identification: parameters of a model from measurements of several experiments.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/fits/least_squares.h"
#include "analysis/fits/prediction.h"

namespace cartan::analysis {

// One experiment with given values of the free parameters.
struct FitInstance {
  std::unique_ptr<System> system;
  std::vector<std::unique_ptr<StateFunction>> quantities;
  State start;
  Eigen::MatrixXd start_by_parameters;  // embedded numbers without quadratures x parameters
};

struct FitColumn {
  std::string name;
  int quantity = -1;             // of the instance; -1: the time of the event
  double scale = 1, offset = 0;  // measured = scale * quantity + offset
  double sigma = 1;              // of a measurement
  std::vector<double> measured;  // one per row; not a number: missing
  // Compared is by how much the quantity fell since the row before (energy lost), not its value;
  // the offset drops out.
  bool losses = false;
};

struct FitExperiment {
  std::string name;
  // "" or why there is no system for these values.
  std::function<std::string(const Eigen::VectorXd& theta, FitInstance& instance)> make;
  std::vector<int> parameters;  // the free ones, as the systems count them
  std::vector<double> times;    // of the rows; empty: rows are crossings of `event`
  int event = -1;
  double duration = 0;
  std::vector<FitColumn> columns;

  int rows() const { return columns.empty() ? 0 : static_cast<int>(columns[0].measured.size()); }
};

// A residual and where it comes from.
struct FitPoint {
  int experiment = 0, column = 0, row = 0;
  double t = 0, measured = 0, before = 0, after = 0;  // before and after the fit
};

// Simulations run at `simulate.tolerance` where values are wanted. Derivatives come from
// simulations of their own, with the motion's sensitivities, at no less than `slope_tolerance`:
// they steer the iteration and give the covariance, which both need a few digits only.
struct FitProblem {
  std::vector<FitExperiment> experiments;
  Eigen::VectorXd start, lower, upper, size;  // of the free parameters
  SimulateOptions simulate;
  double slope_tolerance = 1e-8;
  int threads = 0;  // for experiments side by side; 0: as many as the machine has
};

struct FitResult : LeastSquaresResult {
  std::vector<FitPoint> points;
};

FitResult fit_parameters(const FitProblem& problem, const LeastSquaresOptions& options);

}  // namespace cartan::analysis
