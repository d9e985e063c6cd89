// Numbers of the linearisation at a steady motion, with exact derivatives by parameters.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "model/model.h"

namespace cartan::results {

struct LinearNumbers {
  // Largest real part of an eigenvalue that is not neutral, and the smallest imaginary part of an
  // oscillation.
  double real_part = 0, slowest = 0;
  bool has_real_part = false, oscillates = false;
  Eigen::VectorXd real_part_slopes, slowest_slopes;  // by the parameters
  std::string kink;  // where several eigenvalues have that real part, and change differently
  int neutral = 0;   // eigenvalues that are zero by themselves
};

struct LinearRequest {
  std::vector<double> parameters;  // of the model
  std::vector<int> which;          // parameters that are free
  bool slopes = false;             // derivatives by them are wanted
  // How many eigenvalues are zero beside (symmetries, families of steady motions). Where there are
  // more, one passes through zero here and cannot be told from them: the numbers are then the means
  // of those a millionth to both sides. -1: not known.
  int neutral = -1;
  std::string formulation;
  bool at_equilibrium = false;  // near the initial state, which else must be steady itself
  bool real_part = false, slowest = false;
};

// "" or why there are none.
std::string calc_linear_numbers(const Model& model, const LinearRequest& request,
                                LinearNumbers& numbers);

}  // namespace cartan::results
