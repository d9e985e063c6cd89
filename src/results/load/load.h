// From a file or a text to a checked model and its system; what cannot be is a Refusal.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cartan/watch.h>

#include "core/diagnostics.h"
#include "formulations/formulations.h"
#include "import/import.h"
#include "model/model.h"
#include "results/load/input_signals.h"
#include "system/system.h"

namespace cartan::results {

// Which model, and what is set and allowed with it.
struct ModelArguments {
  std::string path;
  std::optional<std::string> text = {};    // instead of what the file at `path` says
  std::vector<std::string> sets = {};      // NAME=VALUE
  bool trust = false;                      // run the model's code, read files wherever it says
  std::vector<std::string> allowed = {};   // folders it may read tables from
  InputArguments inputs = {};              // values of [inputs] over time
  std::string base = {};                   // fixed|free: model files of other tools
  std::vector<std::string> packages = {};  // NAME=DIR of package://NAME in them
  std::string limits = {};                 // stops|none: what limits of their joints become
  bool quiet = false;                      // warnings about the model are not told
};

// What a command does with functions of a model that are code: runs them, with the user's consent,
// or does without their numbers. Those that need only names use the code where there is consent.
enum class CodeUse { run, names, never };

// Reads and checks. Warnings go to `watch`, unless `quiet`. Kept behind a pointer because systems
// refer to their model.
std::unique_ptr<const Model> load_model(const ModelArguments& arguments, const api::Watch& watch,
                                        bool quiet = false, CodeUse use = CodeUse::run);
// The same, with the warnings as a list.
std::unique_ptr<const Model> load_model(const ModelArguments& arguments, const api::Watch& watch,
                                        Diagnostics& problems, CodeUse use);

// How to read a file of another tool.
ImportOptions import_options(const ModelArguments& arguments, const api::Watch& watch);

// What the user has consented to: --trust, --allow-path and the list of trusted models.
Consent consent_of(const ModelArguments& arguments, CodeUse use, const api::Watch& watch);

// How to consent, where findings say that consent is missing: a line, or "".
std::string consent_remedy(const Diagnostics& problems);

// The formulation to use: what was asked for, else the file's, else `recursive`.
std::string choose_formulation(const Model& model, const std::string& asked);

// The system of a model; a refusal begins with the model's file.
std::unique_ptr<System> load_system(const Model& model, const std::string& formulation,
                                    SystemUse use = SystemUse::numbers);

// "" or "; did you mean 'x'?"
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

// "; did you mean 'x'?" with a file of the same folder whose name is near.
std::string suggest_file(const std::string& path);

}  // namespace cartan::results
