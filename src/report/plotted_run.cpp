#include "report/plotted_run.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "io/result_folder.h"

namespace cartan::report {
namespace fs = std::filesystem;
namespace {

const char* const run_tables[] = {"trajectory.csv", "bodies.csv",      "reactions.csv",
                                  "power.csv",      "constraints.csv", "multipliers.csv",
                                  "forces.csv",     "cuts.csv",        "elements.csv"};

// `t`, `time`, `t [s]`, `Time_s`, ..
bool is_time_name(const std::string& name) {
  std::string word = name.substr(0, name.find_first_of(" [(_,"));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word == "t" || word == "time";
}

bool never_falls(const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]) || (i > 0 && values[i] < values[i - 1])) return false;
  return true;
}

void number_rows(ResultTable& table) {
  std::vector<double> numbers(table.rows());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i + 1);
  table.names.insert(table.names.begin(), "row");
  table.words.insert(table.words.begin(), std::vector<std::string>());
  table.numbers.insert(table.numbers.begin(), std::move(numbers));
}

using CutJson = nlohmann::json;

// Three parallel cuts of a body make a diagram along it.
void read_cuts(const CutJson& model, PlottedRun& run) {
  if (!model.contains("cuts") || !model["cuts"].is_array()) return;
  const auto numbers = [](const CutJson& cut, const char* key) {
    std::vector<double> list(3, 0.0);
    if (cut.contains(key) && cut[key].is_array() && cut[key].size() == 3)
      for (int k = 0; k < 3; ++k)
        if (cut[key][k].is_number()) list[k] = cut[key][k];
    return list;
  };
  const auto product = [](const std::vector<double>& a, const std::vector<double>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  };
  std::vector<std::string> done;
  for (const CutJson& first : model["cuts"]) {
    if (!first.is_object()) return;
    const std::string body = first.value("body", "");
    if (std::find(done.begin(), done.end(), body) != done.end()) continue;
    done.push_back(body);
    const std::vector<double> n = numbers(first, "normal");
    const double length = std::sqrt(product(n, n));
    std::vector<PlottedCut> found;
    for (const CutJson& cut : model["cuts"]) {
      if (!cut.is_object() || cut.value("body", "") != body) continue;
      const std::vector<double> m = numbers(cut, "normal");
      if (product(n, m) < (1 - 1e-9) * length * std::sqrt(product(m, m))) continue;
      found.push_back({cut.value("name", ""), body, product(n, numbers(cut, "at")) / length});
    }
    std::sort(found.begin(), found.end(),
              [](const PlottedCut& a, const PlottedCut& b) { return a.place < b.place; });
    if (found.size() >= 3) run.cuts.insert(run.cuts.end(), found.begin(), found.end());
  }
}

void read_model_of(const fs::path& folder, PlottedRun& run) {
  std::ifstream stream(folder / "model.json");
  const auto model = nlohmann::json::parse(stream, nullptr, false);
  run.units = ColumnUnits::of_folder(folder.string());
  if (!model.is_object()) return;
  if (model.contains("name") && model["name"].is_string()) run.model = model["name"];
  read_cuts(model, run);
  if (model.contains("variables") && model["variables"].is_array())
    for (const auto& variable : model["variables"])
      if (variable.is_object()) run.variables.push_back(variable.value("name", ""));
}

void name_powers(ResultTable& table) {
  for (std::string& name : table.names) name = picture_name("power.csv", name);
}

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
  // names as power.csv itself has them
  if (found.empty() && picture_name("power.csv", pattern) != pattern)
    return find(picture_name("power.csv", pattern));
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
  read_model_of(folder, run);
  for (const char* name : run_tables) {
    const fs::path path = fs::path(folder) / name;
    if (!result->has(name)) continue;
    if (!result->check(name, problem)) return std::nullopt;
    auto table = read_result_table(path.string(), problem);
    if (!table) return std::nullopt;
    if (std::string(name) == "power.csv") name_powers(*table);
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
  read_model_of(fs::path(path).parent_path(), run);
  if (fs::path(path).filename() == "power.csv") name_powers(*table);
  run.lists_items = std::any_of(table->words.begin(), table->words.end(),
                                [](const auto& words) { return !words.empty(); });
  run.has_time =
      is_time_name(table->names[0]) && table->words[0].empty() && never_falls(table->numbers[0]);
  if (!run.has_time && (!table->words[0].empty() || table->names.size() == 1)) number_rows(*table);
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

}  // namespace cartan::report
