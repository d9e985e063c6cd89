// Options that several commands share.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/terminal/arguments.h"
#include "results/load/load.h"

namespace cartan::cli {

void declare_model(Arguments& arguments, ModelArguments& target);
void declare_consent(Arguments& arguments, ModelArguments& target);
void declare_inputs(Arguments& arguments, InputArguments& target);
// How files of other tools are read.
void declare_import(Arguments& arguments, ModelArguments& target);

// A model for a command; warnings go to stderr unless `quiet`.
std::unique_ptr<const Model> load_model(const ModelArguments& arguments, bool quiet = false);

// Formulations, separated by commas, for helps.
std::string formulation_list();
// `more` stands at the end of the help.
void declare_formulation(Arguments& arguments, std::string& target, const std::string& more = "");
// Of analyses that need joint coordinates and speeds.
void declare_steady_formulation(Arguments& arguments, std::string& formulation);

void declare_duration_and_tolerance(Arguments& arguments, std::optional<double>& duration,
                                    std::optional<double>& tolerance);
void declare_stabilisation(Arguments& arguments, std::string& target);
void declare_rows(Arguments& arguments, std::string& target);
// Loads and drives as they are at a time, which stands still.
void declare_time(Arguments& arguments, std::optional<double>& time);
// The state an analysis of motions starts from.
void declare_start(Arguments& arguments, std::string& from);

}  // namespace cartan::cli
