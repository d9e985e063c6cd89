// The linearised System with inputs and outputs, in coordinates that have names.
//
//   z' = A z + B u,   y = C z + D u        z, u, y: changes from a steady motion
//
// z are tangent numbers of the state (coordinates, rotation vectors, speeds). Where constraints
// leave fewer directions than there are numbers, z are the first of them, in the order of the
// file, that are independent; all others follow, d = P z. Where positions and speeds come in pairs
// and z' = (s, ..),
//   M s' + Cd s + K p = F u             p positions, s speeds of the same number
// Inputs are named numbers of the System (its parameters) with exact derivatives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/linearisation.h"

namespace cartan::analysis {

struct LinearModel {
  std::string problem;  // why there is none: a sentence
  std::vector<std::string> states;
  std::vector<int> numbers;  // tangent numbers of the states
  Eigen::MatrixXd P;         // all tangent numbers from z
  Eigen::MatrixXd A, B, C, D;
  // The second-order form; empty where there is none.
  Eigen::MatrixXd M, Cd, K, F;
};

LinearModel make_linear_model(const SteadyProblem& problem, const Linearisation& linear,
                              const std::vector<int>& inputs,
                              const std::vector<std::shared_ptr<const StateFunction>>& outputs);

// "pivot.q0"; of a rotation "pivot.r0": its rotation vector in body axes.
std::string tangent_name(const System& system, int number);

// G(i w) = C (i w - A)^-1 B + D; not finite where i w is a pole.
Eigen::MatrixXcd frequency_response(const LinearModel& model, double w);

}  // namespace cartan::analysis
