// From expressions of a run to a problem for analysis/design/optimisation.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "analysis/design/optimisation.h"
#include "results/design/free_values.h"
#include "results/design/functionals.h"

namespace cartan::results {

// Stays where it was made: `problem` refers to it.
struct OptimiseCase {
  FreeModel free;
  std::unique_ptr<Functionals> functionals;
  std::vector<std::string> subjects;  // as written, equalities first
  std::vector<int> sides;             // per constraint: the sign of left - right
  double sign = 1;                    // -1: maximise
  std::string solver = "own";
  DesignProblem problem;
  SimulateOptions simulate;

  const Model& model() const { return *free.model; }
};

std::unique_ptr<OptimiseCase> make_optimise_case(const ModelArguments& model,
                                                 const api::OptimiseOptions& options);

}  // namespace cartan::results
