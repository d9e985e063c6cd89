// Numbers on the command line: 2.5, 2*pi, and with a model 40*pi/w over its parameters.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/model.h"

namespace cartan::results {

// A finite number. `model`: whose parameters, definitions and functions may be used; null: none.
// Nothing, with a sentence in `problem`, when the text is something else.
std::optional<double> read_number(const std::string& text, const Model* model,
                                  std::string& problem);

// The parameters of a run, from the model.json in its folder, as a model that has nothing else.
std::unique_ptr<const Model> read_run_parameters(const std::string& folder);

}  // namespace cartan::results
