// The generalised forces that make a mechanism follow a prescribed motion: the work of `inverse`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "results/json_values.h"
#include "results/load/load.h"
#include "results/motion_table.h"

namespace cartan::results {

struct InverseResult {
  std::unique_ptr<const Model> model;
  MotionTable motion;
  std::vector<std::vector<double>> rows;  // per time, all speeds of the tree in file order
  std::vector<int> sticking;              // how often each force of the model stuck
};

InverseResult calc_inverse(const ModelArguments& model, const api::InverseOptions& options);

// Names of the columns after t: JOINT.f0, ..
std::vector<std::string> inverse_columns(const Model& model);
std::vector<std::string> drive_names(const Model& model);
std::string inverse_csv(const InverseResult& result);
Json inverse_json(const InverseResult& result);

}  // namespace cartan::results
