#include "results/view_source.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/private_folder.h"
#include "formulations/formulations.h"
#include "import/import.h"
#include "io/model_json.h"
#include "io/output_files.h"
#include "mechanics/machine/mechanism_system.h"
#include "report/viewer_page.h"
#include "results/refusal.h"
#include "results/run/assembly_report.h"
#include "results/run/recorder.h"

namespace cartan::results {
namespace fs = std::filesystem;
namespace {

std::string assembly_summary(const Model& model, const System& system) {
  nlohmann::ordered_json json = {{"model", model.name}, {"version", CARTAN_VERSION}};
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system)) {
    json["assembly"] = assembly_json(model, mechanism->assembly());
    const auto workspace = mechanism->make_workspace();
    json["dof"] = mechanism->report_constraints(system.initial_state(), *workspace).dof();
  }
  return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The initial state as a run of one sample, by the same writer as every run.
bool write_initial_state(const Model& model, const System& system, const ExtraTables& extra,
                         const std::string& folder, std::string& problem) {
  const auto output = OutputFolder::open(folder, "view", Replace::yes, problem);
  if (!output) return false;
  const auto recorder = make_recorder(system, extra, output.get());
  recorder->sample(system.initial_state());
  return recorder->close(problem) &&
         output->write("model.json", model_json(model, parameter_values(model)), problem) &&
         output->write("summary.json", assembly_summary(model, system), problem) &&
         output->commit(problem);
}

bool read_model_source(const ViewSource& source, const api::Watch& watch, ViewerRun& run,
                       std::string& problem) {
  const std::string& path = source.shown.path;
  const std::unique_ptr<const Model> model =
      load_model(source.shown, watch, source.shown.quiet, CodeUse::never);
  // The model's code is never run here: its functions are names, and compiled equations, which call
  // them, are not needed for a single state.
  std::string formulation = choose_formulation(*model, "");
  if (formulation == "generated") formulation = "recursive";
  const auto system = make_system(*model, parameter_values(*model), formulation, problem, nullptr,
                                  SystemUse::derivation);
  if (!system) {
    problem = path + ": " + problem;
    return false;
  }
  const TemporaryFolder folder("cartan-view");
  if (folder.path().empty()) {
    problem = folder.problem();
    return false;
  }
  const std::string place = (folder.path() / "run").string();
  // Reactions may not exist at a singular start; the picture does.
  const auto read = [&](bool with_reactions, bool with_forces) {
    ExtraTables extra;
    extra.reactions = with_reactions && model->is_mechanism();
    extra.forces = with_forces && model->forces.size() + model->constraints.size() > 0;
    return write_initial_state(*model, *system, extra, place, problem) &&
           read_viewer_run(place, source.limits, run, problem);
  };
  const bool numbers = model->unknown_functions.empty();
  if (!(numbers && read(true, true)) && !(numbers && read(false, true)) && !read(false, false))
    return false;
  problem.clear();
  run.label = fs::path(path).filename().string();
  return true;
}

// The file, or the folder that `linearize --out` wrote.
bool read_modes(const std::string& given, std::string& text, std::string& problem) {
  if (given.empty()) return true;
  std::error_code ignored;
  const bool folder = fs::is_directory(given, ignored);
  const std::string path = folder ? (fs::path(given) / "linearize.json").string() : given;
  if (!check_result_file(path, problem)) return false;
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  text = content.str();
  if (!stream) {
    problem = path + ": the file cannot be read; expected the JSON of `cartan linearize`";
    return false;
  }
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_object() && json.contains("modes") && json["modes"].is_array()) return true;
  problem = path + ": there are no 'modes' in it; expected the JSON of `cartan linearize`";
  return false;
}

}  // namespace

bool ViewSource::is_model() const {
  return shown.text || fs::path(shown.path).extension() == ".toml" || is_foreign_model(shown.path);
}

std::vector<std::string> ViewSource::folders() const {
  std::vector<std::string> result;
  if (!is_model()) result.push_back(shown.path);
  if (!compare.empty()) result.push_back(compare);
  return result;
}

std::string read_view_source(const ViewSource& source, const api::Watch& watch) {
  std::vector<ViewerRun> runs(1);
  std::string modes, problem;
  const bool model = source.is_model();
  bool read = model ? read_model_source(source, watch, runs[0], problem)
                    : read_viewer_run(source.shown.path, source.limits, runs[0], problem);
  if (read && !source.compare.empty()) {
    runs.emplace_back();
    read = read_viewer_run(source.compare, source.limits, runs[1], problem);
  }
  if (read && read_modes(source.modes, modes, problem))
    return viewer_data(runs, model ? "assembly" : "run", modes, source.limits);
  refuse_line(problem);
}

std::string page_around(const std::string& document) {
  std::string problem;
  const std::optional<std::string> page = read_viewer_page(problem);
  if (!page) fail("view", problem);
  return page_with_data(*page, document);
}

}  // namespace cartan::results
