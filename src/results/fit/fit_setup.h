// From measurements in files to a problem for analysis/fits/fit.h: systems made anew for every set
// of parameters, quantities compiled against the model, starts with their derivatives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/fits/fit.h"
#include "results/fit/experiments.h"
#include "results/load/load.h"

namespace cartan::results {

// The models must live as long as the problem is used.
struct FitSetup {
  std::vector<std::unique_ptr<const Model>> models;  // one per experiment
  std::vector<std::string> names;                    // of the free parameters
  FitProblem problem;
};

struct FitChoice {
  ModelArguments model;
  std::vector<std::string> free;
  std::string formulation;
  std::string file;  // experiments file, for messages
};

FitSetup make_fit_setup(const FitChoice& choice, const ExperimentsText& text,
                        const api::Watch& watch);

}  // namespace cartan::results
