// From the words of a command line to a checked model and its system; every complaint is printed
// here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/input_signals.h"
#include "core/diagnostics.h"
#include "formulations/formulations.h"
#include "model/model.h"
#include "system/system.h"

namespace cartan {

// What every command that reads a model takes.
struct ModelArguments {
  std::string path;
  std::vector<std::string> sets;     // NAME=VALUE
  bool trust = false;                // run the model's code, read files wherever it says
  std::vector<std::string> allowed;  // --allow-path
  InputArguments inputs;             // --input, --input-file
};

// What a command does with functions of a model that are code: runs them, with the user's consent,
// or does without their numbers. Those that need only names use the code where there is consent.
enum class CodeUse { run, names, never };

class Arguments;
void declare_model(Arguments& arguments, ModelArguments& target);
void declare_consent(Arguments& arguments, ModelArguments& target);

// Reads and checks; all findings go to stderr (warnings not when `quiet`). Null: there were errors.
// Kept behind a pointer because systems refer to their model.
// `told`: gets the same text.
std::unique_ptr<const Model> load_model(const ModelArguments& arguments, bool quiet = false,
                                        std::string* told = nullptr, CodeUse use = CodeUse::run);

// What the user has consented to: --trust, --allow-path and the list of trusted models.
Consent consent_of(const ModelArguments& arguments, CodeUse use);

// All findings to stderr, and how to consent where that is missing; warnings not when `quiet`.
void print_findings(const Diagnostics& problems, bool quiet = false);

// The formulation to use: what was asked for, else the file's, else `recursive`.
std::string choose_formulation(const Model& model, const std::string& asked);

// Their names, separated by commas, for helps and messages.
std::string formulation_list();
// The option that asks for one; its help lists them all. `more` stands at the end of it.
void declare_formulation(Arguments& arguments, std::string& target, const std::string& more = "");

// Null after a complaint, which begins with the model's file.
std::unique_ptr<System> load_system(const Model& model, const std::string& formulation,
                                    SystemUse use = SystemUse::numbers);

// "" or "; did you mean 'x'?"
std::string suggestion(const std::string& word, const std::vector<std::string>& known);

// "; did you mean 'x'?" with a file of the same folder whose name is near.
std::string suggest_file(const std::string& path);

}  // namespace cartan
