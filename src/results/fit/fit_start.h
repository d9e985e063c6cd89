// Where an experiment begins, and how its start depends on the free parameters.
#pragma once

#include <string>
#include <vector>

#include "analysis/fits/fit.h"
#include "results/fit/experiments.h"
#include "results/load/state_file.h"

namespace cartan::results {

// What an experiment says of its start.
StateValues start_values(const ExperimentText& text, const Model& model);

// The start of an instance with its derivatives; "" or why not.
std::string fill_start(const StateValues& values, const std::vector<int>& parameters,
                       FitInstance& instance);

}  // namespace cartan::results
