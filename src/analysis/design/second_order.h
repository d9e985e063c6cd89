// Is a stationary point a minimum? The curvature of the Lagrangian along the directions that active
// constraints and bounds leave open, from differences of exact gradients around the point.
#pragma once

#include "analysis/design/optimisation.h"

namespace cartan::analysis {

struct OpenCurvature {
  std::string verdict;        // "minimum", "flat", "saddle", "unknown"
  Eigen::VectorXd direction;  // of a saddle: downhill both ways, in units of the sizes
  int evaluations = 0;
};

OpenCurvature find_open_curvature(const DesignProblem& problem, const DesignResult& at);

// A point beside the saddle where the objective is lower and conditions hold about as well; false:
// none was found.
bool leave_saddle(const DesignProblem& problem, const DesignResult& at,
                  const OpenCurvature& curvature, Eigen::VectorXd& start, int& evaluations);

}  // namespace cartan::analysis
