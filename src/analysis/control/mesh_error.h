// How far a motion found by collocation is from the motion that its inputs really cause.
//
// In each interval the equations are solved again from the same start with three points more, which
// gives the error of that interval; the errors then travel with the motion (its exact first-order
// change, constraints kept), so that `error` is what a replay of the inputs from the start shows.
// Measured per coordinate, relative to 1 + its largest size.
//
// Through an impact y+ = R(y-) at a gap h(y) = 0 an error e travels with its time,
//   e+ = R_y (e + f- tau) - f+ tau,     tau = -h_y e / (h_y f- + h_t).
// A contact that lets go does so where its force is zero, and there the rates go on as they are.
#pragma once

#include "analysis/control/steering_problem.h"

namespace cartan::analysis {

struct MeshErrors {
  std::vector<std::vector<double>> local;  // per phase and interval
  double largest = 0;                      // of these
  double error = 0;                        // of the whole motion
  // How far paths that are watched go beyond their bounds between points, relative to 1 + their
  // size.
  std::vector<std::vector<double>> beyond;  // per phase and interval
  double largest_beyond = 0;
};

MeshErrors estimate_mesh_errors(const SteeringProblem& problem, const SteeringMotion& motion);

}  // namespace cartan::analysis
