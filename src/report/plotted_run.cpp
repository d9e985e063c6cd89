#include "report/plotted_run.h"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "io/result_folder.h"

namespace cartan {
namespace fs = std::filesystem;
namespace {

const char* const run_tables[] = {"trajectory.csv", "bodies.csv",      "reactions.csv",
                                  "power.csv",      "constraints.csv", "multipliers.csv",
                                  "forces.csv"};

}  // namespace

std::vector<PlottedRun::Found> PlottedRun::find(const std::string& pattern) const {
  std::vector<Found> found;
  for (const ResultTable& table : tables)
    for (std::size_t i = 0; i < table.names.size(); ++i)
      if (table.words[i].empty() && fits_pattern(table.names[i], pattern) &&
          (i > 0 || &table == &tables[0]))
        found.push_back({&table, static_cast<int>(i)});
  if (found.empty() && pattern.find('*') == std::string::npos && !pattern.ends_with("0") &&
      pattern.size() > 2 && pattern[pattern.size() - 2] == '.')
    return find(pattern + "0");
  return found;
}

std::optional<PlottedRun> read_run(const std::string& folder, std::string& problem) {
  PlottedRun run;
  run.name = fs::path(folder).filename().empty()
                 ? fs::path(folder).parent_path().filename().string()
                 : fs::path(folder).filename().string();
  const std::optional<ResultFolder> result = ResultFolder::open(folder, problem);
  if (!result) return std::nullopt;
  if (!result->partial().empty()) run.name += " (partial)";
  if (result->has("model.json") && !result->check("model.json", problem)) return std::nullopt;
  std::ifstream stream(fs::path(folder) / "model.json");
  const auto model = nlohmann::json::parse(stream, nullptr, false);
  run.units = ColumnUnits(model);
  if (model.is_object() && model.contains("name") && model["name"].is_string())
    run.model = model["name"];
  for (const char* name : run_tables) {
    const fs::path path = fs::path(folder) / name;
    if (!result->has(name)) continue;
    if (!result->check(name, problem)) return std::nullopt;
    auto table = read_result_table(path.string(), problem);
    if (!table) return std::nullopt;
    run.tables.push_back(std::move(*table));
  }
  if (!result->partial().empty() && !run.model.empty()) run.model += " (partial)";
  if (!result->is_unchanged(problem)) return std::nullopt;
  return run;
}

std::optional<PlottedRun> read_single_table(const std::string& path, std::string& problem) {
  auto table = read_result_table(path, problem);
  if (!table) return std::nullopt;
  PlottedRun run;
  run.name = fs::path(path).stem().string();
  run.tables.push_back(std::move(*table));
  return run;
}

void cut_to(PlottedRun& run, const PlotRequest& request) {
  if (!request.from && !request.to) return;
  for (ResultTable& table : run.tables) {
    const std::vector<double> t = table.numbers[0];
    for (auto& column : table.numbers) {
      std::vector<double> kept;
      for (std::size_t i = 0; i < t.size(); ++i)
        if (!(request.from && t[i] < *request.from) && !(request.to && t[i] > *request.to))
          kept.push_back(column[i]);
      column = std::move(kept);
    }
  }
}

}  // namespace cartan
