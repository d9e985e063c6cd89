// Inputs that a program outside decides while a model moves: a controller is asked at fixed times,
// and what it says holds until the next one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "results/load/load.h"

namespace cartan::results {

struct ControlledInputs {
  std::vector<std::string> names;            // of the inputs it gives
  std::vector<double> t;                     // the last row ends the last interval
  std::vector<std::vector<double>> columns;  // beside names, one number per t
};

// The inputs of the model, in the order of the file, at a state.
using Controller =
    std::function<std::vector<double>(const Model& model, const System& system, const State& now)>;

// Simulates as `run` would with these inputs, interval by interval.
ControlledInputs find_controlled_inputs(const ModelArguments& model, const api::RunOptions& options,
                                        double period, const Controller& controller);

}  // namespace cartan::results
