// A model as an FMU (FMI 3.0 or 2.0): generated C, its description, a library of it, in one
// archive.
#pragma once

#include <string>
#include <vector>

#include "results/code/generate.h"

namespace cartan::results {

// Refuses models and options that an FMU has no room for.
void check_fmu(const ModelArguments& source, const Model& model,
               const api::GenerateOptions& options);

// Fills `unit` and `files` of a result that has its model and derivation; `system` gives the start.
void generate_fmu(const ModelArguments& source, const api::GenerateOptions& options,
                  const System& system, const std::string& name, const std::string& hash,
                  const std::vector<std::string>& remarks, GeneratedModel& result);

}  // namespace cartan::results
