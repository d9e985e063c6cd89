// A model simulated, from the options to what is written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "results/load/load.h"
#include "results/run/recorder.h"
#include "results/run/run_result.h"

namespace cartan::results {

struct FinishedRun {
  std::unique_ptr<const Model> model;
  RunResult result;                // points to the model
  std::vector<api::Table> tables;  // where they are kept
  std::string folder;              // "" where nothing was written
  std::vector<std::string> files;  // in it
};

// Refuses bad input, and a run that does not come to its end. `command`: for the report, how the
// run was asked for.
FinishedRun run_model(const ModelArguments& model, const api::RunOptions& options, Keep keep,
                      const std::string& command);

// The content of model.json; `partial`: why the run did not come to its end, or "".
std::string run_model_json(const Model& model, const std::string& partial);

// Writes tables that were kept as run_model writes them.
void save_run(const std::vector<api::Table>& tables, const std::string& model_json,
              const std::string& summary_json, const std::string& folder, bool force);

}  // namespace cartan::results
