#include "cli/load.h"

#include <filesystem>

#include <fmt/core.h>

#include "cli/arguments.h"
#include "cli/model_variants.h"
#include "cli/trust.h"
#include "core/source_files.h"
#include "formulations/formulations.h"
#include "import/import.h"

namespace cartan {
namespace fs = std::filesystem;
namespace {

// "m=2" or "m=2*k": a number, or an expression of other parameters.
bool read_overrides(const ModelArguments& arguments, Overrides& overrides) {
  for (const std::string& text : arguments.sets) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      fmt::print(stderr, "cartan: --set {}: expected NAME=VALUE\n", text);
      return false;
    }
    overrides.emplace_back(text.substr(0, equals), Value(text.substr(equals + 1)));
  }
  return true;
}

}  // namespace

void print_findings(const Diagnostics& problems, bool quiet) {
  if (quiet && !problems.has_errors()) return;
  const std::string text = problems.text();
  fmt::print(stderr, "{}", text);
  if (text.find(consent_phrase) != std::string::npos)
    fmt::print(
        stderr,
        "cartan: look at what the model brings along; then consent with --trust, for files it "
        "only reads with --allow-path DIR, or for good by a line with the path of the model "
        "or of its folder in {}\n",
        trust_list_path());
}

Consent consent_of(const ModelArguments& arguments, CodeUse use) {
  const bool trusted = arguments.trust || is_on_trust_list(arguments.path);
  Consent consent;
  consent.any_path = trusted;
  consent.folders = arguments.allowed;
  if (use == CodeUse::never || (use == CodeUse::names && !trusted))
    consent.code = Consent::Code::named;
  else if (trusted)
    consent.code = Consent::Code::run;
  return consent;
}

void declare_model(Arguments& arguments, ModelArguments& target) {
  arguments.positional("MODEL", "model file (TOML; or URDF, MJCF, SDF)", target.path);
  arguments.repeated("--set", "NAME=VALUE", "override an entry of [parameters]; repeatable",
                     target.sets);
  declare_consent(arguments, target);
  declare_import(arguments, target);
  arguments.names_from([&target] { return load_model(target, true); });
}

void declare_consent(Arguments& arguments, ModelArguments& target) {
  arguments.flag("--trust",
                 "run the C code and libraries of the model's [functions], read its files wherever "
                 "they lie",
                 target.trust);
  arguments.repeated("--allow-path", "DIR",
                     "the model may read tables in this folder, besides its own; repeatable",
                     target.allowed);
}

void declare_import(Arguments& arguments, ModelArguments& target) {
  arguments.option("--base", "fixed|free",
                   "URDF and SDF: what holds a root that the file leaves alone (default fixed)",
                   target.base);
  arguments.repeated("--package", "NAME=DIR",
                     "URDF, MJCF and SDF: where package://NAME lies; repeatable", target.packages);
}

std::optional<ImportOptions> import_options(const ModelArguments& arguments) {
  ImportOptions options;
  if (!arguments.base.empty() && arguments.base != "fixed" && arguments.base != "free") {
    fmt::print(stderr, "cartan: --base is '{}'; expected fixed or free\n", arguments.base);
    return std::nullopt;
  }
  options.free_base = arguments.base == "free";
  for (const std::string& text : arguments.packages) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      fmt::print(stderr, "cartan: --package {}: expected NAME=DIR\n", text);
      return std::nullopt;
    }
    options.packages.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  options.any_path = arguments.trust || is_on_trust_list(arguments.path);
  options.allowed = arguments.allowed;
  for (const std::string& text : arguments.sets)
    if (const std::size_t equals = text.find('='); equals != std::string::npos)
      options.sets[text.substr(0, equals)] = text.substr(equals + 1);
  return options;
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

std::unique_ptr<const Model> load_model(const ModelArguments& arguments, bool quiet,
                                        std::string* told, CodeUse use) {
  Overrides overrides;
  if (!read_overrides(arguments, overrides)) return nullptr;
  std::error_code ignored;
  if (!fs::exists(arguments.path, ignored)) {
    fmt::print(stderr, "{}: there is no such file{}\n", arguments.path,
               suggest_file(arguments.path));
    return nullptr;
  }
  const std::optional<ImportOptions> options = import_options(arguments);
  if (!options) return nullptr;
  Diagnostics problems(arguments.path);
  std::optional<Model> model;
  if (const auto description = read_any_model_file(arguments.path, *options, problems))
    model = check_model(*description, problems, overrides, consent_of(arguments, use));
  print_findings(problems, quiet);
  if (told) *told = problems.text();
  if (!model) return nullptr;
  return std::make_unique<const Model>(std::move(*model));
}

std::optional<ModelDescription> read_description(const ModelArguments& arguments) {
  Diagnostics problems(arguments.path);
  const std::optional<ImportOptions> options = import_options(arguments);
  if (!options) return std::nullopt;
  std::optional<ModelDescription> description =
      read_any_model_file(arguments.path, *options, problems);
  return problems.has_errors() ? std::nullopt : description;
}

std::unique_ptr<const Model> make_model(const ModelDescription& description,
                                        const ModelArguments& arguments) {
  Overrides overrides;
  if (!read_overrides(arguments, overrides)) return nullptr;
  Diagnostics problems(arguments.path);
  std::optional<Model> model =
      check_model(description, problems, overrides, consent_of(arguments, CodeUse::run));
  if (problems.has_errors()) print_findings(problems, false);
  return model ? std::make_unique<const Model>(std::move(*model)) : nullptr;
}

std::string choose_formulation(const Model& model, const std::string& asked) {
  if (!asked.empty()) return asked;
  return model.simulate.formulation.empty() ? "recursive" : model.simulate.formulation;
}

std::string formulation_list() {
  std::string names;
  for (const FormulationInfo& row : formulation_table())
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

void declare_formulation(Arguments& arguments, std::string& target, const std::string& more) {
  arguments.option("--formulation", "NAME",
                   "how the equations of motion are formed: " + formulation_list() +
                       " (default: the file's, else recursive)" + more,
                   target);
}

std::unique_ptr<System> load_system(const Model& model, const std::string& formulation,
                                    SystemUse use) {
  std::string problem;
  Location where;
  std::unique_ptr<System> system =
      make_system(model, parameter_values(model), formulation, problem, &where, use);
  if (system) return system;
  fmt::print(stderr, "{}: {}\n", place_text(model.file, where), problem);
  return system;
}

}  // namespace cartan
