// What a model is: the work of `check`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "results/json_values.h"
#include "results/load/load.h"
#include "results/load/model_facts.h"

namespace cartan::results {

struct CheckedModel {
  std::unique_ptr<const Model> model;
  std::optional<ModelFacts> facts;  // of a mechanism
};

// The model's own code is never run.
CheckedModel check_file(const ModelArguments& arguments, const api::Watch& watch);

// Rates that are solved for together, in the order of solution.
std::vector<std::vector<std::string>> solved_rates(const Model& model);

Json check_json(const CheckedModel& checked);
// The readable report.
std::string check_text(const CheckedModel& checked);

}  // namespace cartan::results
