#include "results/load/load.h"

#include <filesystem>
#include <sstream>

#include <fmt/core.h>

#include "core/source_files.h"
#include "formulations/formulations.h"
#include "io/toml_reader.h"
#include "results/load/model_variants.h"
#include "results/load/trust.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace fs = std::filesystem;
namespace {

// "m=2" or "m=2*k": a number, or an expression of other parameters.
Overrides read_overrides(const ModelArguments& arguments) {
  Overrides overrides;
  for (const std::string& text : arguments.sets) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      refuse_at("cartan", fmt::format("--set {}: expected NAME=VALUE", text));
    overrides.emplace_back(text.substr(0, equals), Value(text.substr(equals + 1)));
  }
  return overrides;
}

std::optional<ModelDescription> read_source(const ModelArguments& arguments,
                                            Diagnostics& problems) {
  if (!arguments.text)
    return read_any_model_file(arguments.path, import_options(arguments, {}), problems);
  const fs::path folder = fs::path(arguments.path).parent_path();
  auto description =
      read_model_text(*arguments.text, folder.empty() ? "." : folder.string(), problems);
  if (description) description->file = arguments.path;
  return description;
}

std::optional<ModelDescription> read(const ModelArguments& arguments, const api::Watch& watch,
                                     Diagnostics& problems) {
  auto description = read_source(arguments, problems);
  if (description) add_signals(arguments.inputs, watch, *description);
  return description;
}

// NAME=DIR
std::vector<std::pair<std::string, std::string>> packages_of(const ModelArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> packages;
  for (const std::string& text : arguments.packages) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      refuse_at("cartan", fmt::format("--package {}: expected NAME=DIR", text));
    packages.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return packages;
}

}  // namespace

ImportOptions import_options(const ModelArguments& arguments, const api::Watch& watch) {
  ImportOptions options;
  if (!arguments.base.empty() && arguments.base != "fixed" && arguments.base != "free")
    refuse_at("cartan", fmt::format("--base is '{}'; expected fixed or free", arguments.base));
  options.free_base = arguments.base == "free";
  if (!arguments.limits.empty() && arguments.limits != "stops" && arguments.limits != "none")
    refuse_at("cartan", fmt::format("--limits is '{}'; expected stops or none", arguments.limits));
  options.limits = arguments.limits != "none";
  options.packages = packages_of(arguments);
  options.any_path = arguments.trust || is_on_trust_list(arguments.path, watch);
  options.allowed = arguments.allowed;
  for (const std::string& text : arguments.sets)
    if (const std::size_t equals = text.find('='); equals != std::string::npos)
      options.sets[text.substr(0, equals)] = text.substr(equals + 1);
  return options;
}

std::string consent_remedy(const Diagnostics& problems) {
  if (problems.text().find(consent_phrase) == std::string::npos) return "";
  return fmt::format(
      "cartan: look at what the model brings along; then consent with --trust, for files it "
      "only reads with --allow-path DIR, or for good by a line with the path of the model "
      "or of its folder in {}\n",
      trust_list_path());
}

Consent consent_of(const ModelArguments& arguments, CodeUse use, const api::Watch& watch) {
  const bool trusted = arguments.trust || is_on_trust_list(arguments.path, watch);
  Consent consent;
  consent.any_path = trusted;
  consent.folders = arguments.allowed;
  consent.packages = packages_of(arguments);
  if (!arguments.inputs.file.empty()) consent.folders.push_back(arguments.inputs.file);
  if (use == CodeUse::never || (use == CodeUse::names && !trusted))
    consent.code = Consent::Code::named;
  else if (trusted)
    consent.code = Consent::Code::run;
  return consent;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_name(word, known);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::string suggest_file(const std::string& path) {
  const fs::path wanted(path);
  const fs::path folder = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.is_regular_file(ignored)) names.push_back(entry.path().filename().string());
  const std::string near = nearest_name(wanted.filename().string(), names);
  return near.empty() ? ""
                      : fmt::format("; did you mean '{}'?", (wanted.parent_path() / near).string());
}

std::unique_ptr<const Model> load_model(const ModelArguments& arguments, const api::Watch& watch,
                                        Diagnostics& problems, CodeUse use) {
  const Overrides overrides = read_overrides(arguments);
  std::error_code ignored;
  if (!arguments.text && !fs::exists(arguments.path, ignored))
    refuse_at(arguments.path, "there is no such file" + suggest_file(arguments.path));
  problems = Diagnostics(arguments.path);
  std::optional<Model> model;
  if (const auto description = read(arguments, arguments.quiet ? api::Watch() : watch, problems))
    model = check_model(*description, problems, overrides, consent_of(arguments, use, watch));
  if (!model) refuse(problems, consent_remedy(problems));
  return std::make_unique<const Model>(std::move(*model));
}

std::unique_ptr<const Model> load_model(const ModelArguments& arguments, const api::Watch& watch,
                                        bool quiet, CodeUse use) {
  Diagnostics problems;
  std::unique_ptr<const Model> model = load_model(arguments, watch, problems, use);
  if (quiet || arguments.quiet) return model;
  std::istringstream lines(problems.text() + consent_remedy(problems));
  for (std::string line; std::getline(lines, line);) tell(watch, line);
  return model;
}

ModelDescription read_description(const ModelArguments& arguments) {
  Diagnostics problems(arguments.path);
  std::optional<ModelDescription> description = read(arguments, {}, problems);
  if (!description || problems.has_errors()) refuse(problems);
  return *description;
}

std::unique_ptr<const Model> make_model(const ModelDescription& description,
                                        const ModelArguments& arguments) {
  const Overrides overrides = read_overrides(arguments);
  Diagnostics problems(arguments.path);
  std::optional<Model> model =
      check_model(description, problems, overrides, consent_of(arguments, CodeUse::run, {}));
  if (!model) refuse(problems, consent_remedy(problems));
  return std::make_unique<const Model>(std::move(*model));
}

std::string choose_formulation(const Model& model, const std::string& asked) {
  if (!asked.empty()) return asked;
  return model.simulate.formulation.empty() ? "recursive" : model.simulate.formulation;
}

std::unique_ptr<System> load_system(const Model& model, const std::string& formulation,
                                    SystemUse use) {
  std::string problem;
  Location where;
  std::unique_ptr<System> system =
      make_system(model, parameter_values(model), formulation, problem, &where, use);
  if (system) return system;
  refuse_at(place_text(model.file, where), problem);
}

}  // namespace cartan::results
