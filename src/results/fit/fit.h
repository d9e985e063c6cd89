// Parameters of a model from measurements: the work of `fit`.
#pragma once

#include <memory>
#include <vector>

#include <cartan/options.h>

#include "results/fit/fit_report.h"

namespace cartan::results {

struct FittedModel {
  std::vector<std::unique_ptr<FitSetup>> setups;
  std::vector<FitReport> reports;  // one per set of free parameters; they point to the setups
};

FittedModel fit_model(const ModelArguments& model, const api::FitOptions& options);

}  // namespace cartan::results
