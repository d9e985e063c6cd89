// Bifurcation diagrams of `continue --out`.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/result_folder.h"
#include "report/analysis_lines.h"
#include "report/analysis_plots.h"

namespace cartan::report {
namespace {

// Numbers of the state in branch.csv stand after those of the analysis.
bool is_state_column(const std::string& name) {
  static const std::vector<std::string> known = {"branch", "stable", "unstable", "orbit", "period"};
  if (std::find(known.begin(), known.end(), name) != known.end()) return false;
  const bool eigenvalue = (name.starts_with("re") || name.starts_with("im")) && name.size() > 2 &&
                          name.find_first_not_of("0123456789", 2) == std::string::npos;
  return !eigenvalue;
}

// Pieces of one branch with one stability each, joined at their ends.
void add_branches(const ResultTable& table, int column, Chart& chart) {
  const auto& branch = table.numbers[0];
  const auto& stable = *table.column("stable");
  ChartLine line;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::pair<double, double> point(table.numbers[1][i], table.numbers[column][i]);
    const bool new_branch = i == 0 || branch[i] != branch[i - 1];
    const bool dashed = stable[i] == 0;
    if (new_branch || dashed != line.dashed) {
      if (i > 0) {
        if (!new_branch) line.points.push_back(point);
        chart.lines.push_back(std::move(line));
      }
      line = {{}, dashed, static_cast<int>(branch[i]) - 1};
    }
    line.points.push_back(point);
  }
  chart.lines.push_back(std::move(line));
}

struct Bifurcation {
  double parameter = 0;
  int branch = 0;
  std::string kind;
};

std::vector<Bifurcation> read_bifurcations(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "bifurcations.json").string();
  std::string damage;
  if (!check_result_file(path, damage)) return {};
  std::ifstream stream(path);
  const auto json = nlohmann::json::parse(stream, nullptr, false);
  std::vector<Bifurcation> list;
  const auto& entries =
      json.is_object() && json.contains("bifurcations") ? json["bifurcations"] : json;
  if (!entries.is_array()) return list;
  for (const auto& entry : entries)
    if (entry.is_object())
      list.push_back(
          {entry.value("parameter", NAN), entry.value("branch", 0), entry.value("kind", "")});
  return list;
}

// Where a branch passes a value of the parameter, by straight lines; folds: the nearest point.
std::optional<double> value_at(const ResultTable& table, int column, const Bifurcation& at) {
  std::optional<double> best;
  double nearest = INFINITY;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (static_cast<int>(table.numbers[0][i]) != at.branch) continue;
    const double distance = std::fabs(table.numbers[1][i] - at.parameter);
    if (distance < nearest) nearest = distance, best = table.numbers[column][i];
  }
  return best;
}

}  // namespace

std::vector<NamedChart> draw_branches(const ResultTable& table, const std::string& folder,
                                      const ColumnUnits& units,
                                      const std::vector<std::string>& quantities) {
  std::vector<int> columns;
  for (std::size_t i = 2; i < table.names.size(); ++i)
    for (const std::string& pattern : quantities)
      if (fits_pattern(table.names[i], pattern)) columns.push_back(static_cast<int>(i));
  if (quantities.empty()) {  // the coordinate that changes most
    int best = -1;
    for (std::size_t i = 2; i < table.names.size(); ++i)
      if (is_state_column(table.names[i]) &&
          (best < 0 || range_of(table.numbers[i]) > range_of(table.numbers[best])))
        best = static_cast<int>(i);
    if (best >= 0) columns.push_back(best);
  }
  std::vector<NamedChart> charts;
  const std::vector<Bifurcation> bifurcations = read_bifurcations(folder);
  for (const int column : columns) {
    Chart chart;
    chart.title = "bifurcation diagram";
    chart.x_label = units.with_unit(table.names[1]);
    chart.y_label = units.with_unit(table.names[column]);
    chart.solid_means = "stable";
    chart.dashed_means = "unstable";
    add_branches(table, column, chart);
    for (const Bifurcation& at : bifurcations)
      if (const auto y = value_at(table, column, at))
        chart.marks.push_back({at.parameter, *y, at.kind});
    charts.push_back({"branch-" + table.names[column], std::move(chart)});
  }
  if (!quantities.empty()) return charts;
  Chart growth = zero_line_chart(table, "growth along the branches",
                                 rate_label("largest real part", "1", units));
  const auto& parameter = table.numbers[1];
  const auto [low, high] = std::minmax_element(parameter.begin(), parameter.end());
  growth.x_label = units.with_unit(table.names[1]);
  growth.lines[0].points = {{*low, 0}, {*high, 0}};
  const auto* orbit = table.column("orbit");
  std::map<int, ChartLine> lines;  // by branch; orbits have multipliers instead
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (orbit && (*orbit)[i] != 0) continue;
    double most = NAN;
    for (int k = 0; table.find(fmt::format("re{}", k)) >= 0; ++k)
      most = std::fmax(most, (*table.column(fmt::format("re{}", k)))[i]);
    const int number = static_cast<int>(table.numbers[0][i]);
    lines[number].colour = number - 1;
    lines[number].name = fmt::format("branch {}", number);
    lines[number].points.emplace_back(parameter[i], most);
  }
  for (auto& [number, line] : lines) growth.lines.push_back(std::move(line));
  if (!lines.empty()) charts.push_back({"growth", std::move(growth)});
  return charts;
}

}  // namespace cartan::report
