#include "report/plots.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/result_folder.h"
#include "report/analysis_plots.h"
#include "report/run_plots.h"
#include "report/study_plots.h"

namespace cartan::report {
namespace fs = std::filesystem;
namespace {

// Tables of analyses that a folder may hold.
const char* const analysis_tables[] = {"sweep.csv",  "eigenvalues.csv", "branch.csv",
                                       "search.csv", "section.csv",     "residuals.csv"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// The `rows` of `compare --json` as the table that --csv writes.
std::optional<ResultTable> read_comparison_json(const std::string& path, std::string& problem) {
  std::ifstream stream(path);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("rows") || !json["rows"].is_array()) {
    problem = path + ": expected a table (.csv), the JSON of `cartan compare`, or a folder";
    return std::nullopt;
  }
  ResultTable table;
  table.names = {"formulation", "integrator", "step", "difference", "evaluations", "wall_seconds"};
  table.words.resize(table.names.size());
  table.numbers.resize(table.names.size());
  for (const auto& row : json["rows"])
    for (std::size_t i = 0; i < table.names.size(); ++i) {
      const auto cell = row.find(table.names[i]);
      const bool there = cell != row.end();
      table.numbers[i].push_back(there && cell->is_number() ? cell->get<double>() : NAN);
      if (i < 2) table.words[i].push_back(there && cell->is_string() ? *cell : "");
    }
  if (table.rows() == 0) problem = path + ": there are no rows";
  return table.rows() > 0 ? std::optional(table) : std::nullopt;
}

std::vector<NamedChart> draw_table(const ResultTable& table, const std::string& path,
                                   const PlotRequest& request) {
  const std::string folder = fs::path(path).parent_path().string();
  const ColumnUnits units = ColumnUnits::of_folder(folder);
  switch (kind_of_table(table)) {
    case TableKind::sweep:
      return draw_sweep(table, units);
    case TableKind::eigenvalues:
      return draw_eigenvalues(table, units);
    case TableKind::branch:
      return draw_branches(table, folder, units, request.quantities);
    case TableKind::comparison:
      return draw_comparison(table);
    case TableKind::search:
      return draw_search(table, units);
    case TableKind::residuals:
      return draw_residuals(table);
    default:
      if (fs::path(path).filename() == "section.csv")
        return draw_section(table, units, request.quantities);
      return {};
  }
}

// What one path holds: runs (shared charts), and charts of analyses.
bool read_path(const std::string& path, const PlotRequest& request, std::vector<PlottedRun>& runs,
               std::vector<NamedChart>& charts, std::string& problem) {
  const bool plain = request.x.empty() && !request.spectrum;
  if (!is_there(path)) {
    problem = path + ": there is no such folder or file";
    return false;
  }
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    const bool json = fs::path(path).extension() == ".json";
    const auto table =
        json ? read_comparison_json(path, problem) : read_result_table(path, problem);
    if (!table) return false;
    std::vector<NamedChart> found =
        plain ? draw_table(*table, path, request) : std::vector<NamedChart>();
    if (found.empty()) {
      auto run = read_single_table(path, problem);
      if (!run) return false;
      runs.push_back(std::move(*run));
    }
    for (NamedChart& chart : found) charts.push_back(std::move(chart));
    return true;
  }
  bool something = false;
  if (!ResultFolder::open(path, problem)) return false;
  if (is_there(fs::path(path) / "trajectory.csv")) {
    auto run = read_run(path, problem);
    if (!run) return false;
    runs.push_back(std::move(*run));
    something = true;
  }
  if (plain && holds_study(path)) {
    std::vector<NamedChart> drawn = draw_study(path, request.quantities, problem);
    if (drawn.empty()) return false;
    for (NamedChart& chart : drawn) charts.push_back(std::move(chart));
    something = true;
  }
  for (const char* name : analysis_tables) {
    const std::string file = (fs::path(path) / name).string();
    if (!is_there(file)) continue;
    const auto table = read_result_table(file, problem);
    if (!table) return false;
    for (NamedChart& chart : draw_table(*table, file, request)) charts.push_back(std::move(chart));
    something = true;
  }
  if (!something)
    problem = path + ": there is nothing to draw here; expected the folder of `run --out`, " +
              "`linearize --out`, `continue --out`, `equilibrium --search --out`, `fit --out` or "
              "`study --out`";
  return something;
}

// Runs and other courses over time share their charts.
std::vector<NamedChart> draw_what_fits(std::vector<PlottedRun> runs) {
  std::vector<NamedChart> charts;
  std::vector<PlottedRun> courses;
  for (PlottedRun& run : runs)
    if (run.has_time)
      courses.push_back(std::move(run));
    else
      for (NamedChart& chart : draw_over_first(run)) charts.push_back(std::move(chart));
  if (courses.empty()) return charts;
  std::vector<NamedChart> drawn = draw_runs(courses);
  charts.insert(charts.begin(), drawn.begin(), drawn.end());
  return charts;
}

// Two charts of one name get numbers.
void make_names_unique(std::vector<NamedChart>& charts) {
  for (std::size_t i = 0; i < charts.size(); ++i) {
    int count = 1;
    for (std::size_t k = 0; k < i; ++k)
      if (charts[k].name == charts[i].name)
        charts[i].name = fmt::format("{}-{}", charts[i].name, ++count);
    for (char& c : charts[i].name)
      if (c == '/' || c == ' ' || c == '*' || c == '"') c = '-';
  }
}

}  // namespace

std::vector<NamedChart> make_plots(const PlotRequest& request, std::string& problem) {
  std::vector<PlottedRun> runs;
  std::vector<NamedChart> charts;
  for (const std::string& path : request.paths)
    if (!read_path(path, request, runs, charts, problem)) return {};
  for (PlottedRun& run : runs) {
    if ((request.from || request.to) && !run.has_time) {
      problem = fmt::format(
          "{}: --from and --to choose a part of the time, and the first column, '{}', "
          "is none (`t` or `time`, never falling)",
          run.name, run.tables[0].names[0]);
      return {};
    }
    cut_to(run, request);
    if (run.tables[0].rows() == 0) {
      problem = run.name + ": no sample lies in this part of the time";
      return {};
    }
  }
  if (!runs.empty()) {
    const bool chosen = !request.x.empty() || !request.quantities.empty();
    std::vector<NamedChart> drawn =
        chosen ? draw_quantities(runs, request, problem) : draw_what_fits(std::move(runs));
    if (!problem.empty()) return {};
    charts.insert(charts.begin(), drawn.begin(), drawn.end());
  }
  for (NamedChart& chart : charts) {
    chart.chart.x_log = request.x_log.value_or(chart.chart.x_log);
    chart.chart.y_log = request.y_log.value_or(chart.chart.y_log);
  }
  if (charts.empty() && problem.empty())
    problem =
        request.quantities.empty()
            ? "nothing of this can be drawn: there are no numbers over a time or a first column"
            : "no column has a name that fits --quantity";
  make_names_unique(charts);
  return charts;
}

std::vector<NamedChart> run_plots(const std::string& folder, std::string& problem) {
  PlotRequest request;
  request.paths = {folder};
  return make_plots(request, problem);
}

}  // namespace cartan::report
