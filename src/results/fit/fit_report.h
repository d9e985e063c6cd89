// What a fit has to tell.
#pragma once

#include <string>

#include "results/fit/fit_setup.h"

namespace cartan::results {

struct FitReport {
  const FitSetup& setup;
  FitResult result;
};

std::string fit_text(const FitReport& report);
std::string fit_json(const FitReport& report);
// Several sets of free parameters beside each other.
std::string alternatives_text(const std::vector<FitReport>& reports);
std::string alternatives_json(const std::vector<FitReport>& reports);
// Every residual: experiment, row, time, column, measured, before, after.
std::string residuals_csv(const FitReport& report);
// Those of one experiment over time, in units of sigma, as a picture.
std::string residuals_svg(const FitReport& report, int experiment);
// What keeps the result from being trusted: directions that are not determined, no convergence.
std::string fit_warnings(const FitReport& report);

}  // namespace cartan::results
