// The parameters of runs. Of a model's parameters and bodies those that the inputs of a study go
// into are found once; only they are computed anew for a run.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "study/study.h"

namespace cartan::study {

class RunParameters {
 public:
  explicit RunParameters(const Study& study);

  // In the order of the file, for a run with these inputs.
  const std::vector<double>& fill(std::span<const double> inputs);
  // "" or a sentence about the first body whose mass, with the numbers filled in last, is negative
  // or whose inertia is none: what the check of a model says about its file, asked again where
  // masses and inertias vary.
  std::string find_bad_mass() const;

 private:
  const Model& model_;
  std::vector<int> inputs_;     // by input: its parameter
  std::vector<int> followers_;  // parameters that depend on inputs, in the order of evaluation
  std::vector<int> bodies_;     // whose masses or inertias do
  std::vector<double> values_;
};

}  // namespace cartan::study
