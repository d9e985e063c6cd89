#include "report/study_plots.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/result_table.h"

namespace cartan::report {
namespace fs = std::filesystem;
namespace {

using StudyJson = nlohmann::ordered_json;

constexpr std::size_t most_scatter_charts = 30;
constexpr int map_cells = 24;

StudyJson read_study_summary(const std::string& folder) {
  std::ifstream stream(fs::path(folder) / "summary.json");
  return StudyJson::parse(stream, nullptr, false);
}

std::string runs_table(const std::string& folder) {
  std::error_code ignored;
  for (const char* name : {"runs.csv", "runs_thinned.csv"})
    if (fs::exists(fs::path(folder) / name, ignored)) return (fs::path(folder) / name).string();
  return "";
}

// What the charts are drawn from.
struct StudyData {
  ResultTable table;
  std::vector<std::string> inputs;
  StudyJson summary;

  // Rows that are independent samples: with indices, those of the two base matrices.
  bool counts(std::size_t row) const {
    if (!summary.contains("indices")) return true;
    const auto run = static_cast<std::uint64_t>(table.numbers[0][row]);
    return run % (inputs.size() + 2) < 2;
  }
  const std::vector<double>& column(const std::string& name) const { return *table.column(name); }
};

ChartLine bar(double left, double right, double height, int colour) {
  ChartLine line;
  line.points = {{left, 0}, {left, height}, {right, height}, {right, 0}};
  line.colour = colour;
  return line;
}

NamedChart draw_histogram(const StudyData& data, const std::string& name) {
  std::vector<double> values;
  const std::vector<double>& column = data.column(name);
  for (std::size_t i = 0; i < column.size(); ++i)
    if (std::isfinite(column[i]) && data.counts(i)) values.push_back(column[i]);
  Chart chart;
  chart.title = fmt::format("{}: {} runs", name, values.size());
  if (data.summary.contains("indices"))  // the others repeat all but one of their inputs
    chart.title = fmt::format("{}: {} independent of {} runs", name, values.size(), column.size());
  chart.x_label = name;
  chart.y_label = "share of the runs (%)";
  if (values.empty()) return {"histogram-" + name, chart};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double low = *least, high = *most;
  if (!(high > low)) low -= 0.5, high += 0.5;
  const int bins =
      std::clamp(static_cast<int>(std::sqrt(static_cast<double>(values.size()))), 5, 60);
  std::vector<double> counts(static_cast<std::size_t>(bins));
  for (const double x : values) {
    const int bin = static_cast<int>((x - low) / (high - low) * bins);
    ++counts[static_cast<std::size_t>(std::min(bin, bins - 1))];
  }
  for (int b = 0; b < bins; ++b) {
    const double share = 100 * counts[static_cast<std::size_t>(b)] / values.size();
    chart.lines.push_back(
        bar(low + (high - low) * b / bins, low + (high - low) * (b + 1) / bins, share, 0));
  }
  return {"histogram-" + name, chart};
}

NamedChart draw_scatter(const StudyData& data, const std::string& name, const std::string& input) {
  Chart chart;
  chart.title = fmt::format("{} over {}", name, input);
  chart.x_label = input;
  chart.y_label = name;
  ChartLine points;
  points.drawn = ChartDrawn::points;
  const std::vector<double>&x = data.column(input), &y = data.column(name);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(x[i]) && std::isfinite(y[i])) points.points.emplace_back(x[i], y[i]);
  chart.lines.push_back(std::move(points));
  return {fmt::format("scatter-{}-{}", name, input), chart};
}

bool evenly_spaced(const std::vector<double>& sorted) {
  const double step = (sorted.back() - sorted.front()) / static_cast<double>(sorted.size() - 1);
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (std::fabs(sorted[i] - sorted[i - 1] - step) > 1e-6 * step) return false;
  return true;
}

// Cells of an input: one for each of its values where they are few and evenly spaced (a grid), or
// their logarithms are; else equal parts of its range.
class MapAxis {
 public:
  explicit MapAxis(const std::vector<double>& column) {
    std::vector<double> values;
    for (const double x : column)
      if (std::isfinite(x)) values.push_back(x);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.empty()) values = {0};
    const bool few = values.size() > 1 && values.size() <= 200;
    bool even = few && evenly_spaced(values);
    if (few && !even && values.front() > 0) {
      std::vector<double> logs = values;
      for (double& x : logs) x = std::log10(x);
      even = logarithmic = evenly_spaced(logs);
      if (logarithmic) values = logs;
    }
    low = values.front();
    high = values.back();
    if (even) {
      cells = static_cast<int>(values.size());
      const double half = 0.5 * (high - low) / (cells - 1);
      low -= half;
      high += half;
    }
    if (!(high > low)) low -= 0.5, high += 0.5;
    by_value = even;
  }
  int cell(double x) const {
    const double at = logarithmic ? std::log10(x) : x;
    return std::clamp(static_cast<int>((at - low) / (high - low) * cells), 0, cells - 1);
  }
  std::string label(const std::string& name) const {
    return logarithmic ? "log10 of " + name : name;
  }

  double low = 0, high = 1;
  int cells = map_cells;
  bool logarithmic = false;  // low and high are logarithms
  bool by_value = false;     // a cell is a value of the grid
};

// The mean of a quantity over two inputs.
NamedChart draw_study_map(const StudyData& data, const std::string& name, const std::string& across,
                          const std::string& upwards) {
  const std::vector<double>&x = data.column(across), &y = data.column(upwards),
        &z = data.column(name);
  const MapAxis columns(x), rows(y);
  ChartMap map;
  map.columns = columns.cells;
  map.rows = rows.cells;
  map.x_low = columns.low, map.x_high = columns.high;
  map.y_low = rows.low, map.y_high = rows.high;
  map.label = name;
  std::vector<double> sums(static_cast<std::size_t>(map.columns) * map.rows), counts(sums.size());
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (!std::isfinite(z[i])) continue;
    const auto at = static_cast<std::size_t>(rows.cell(y[i])) * map.columns + columns.cell(x[i]);
    sums[at] += z[i];
    ++counts[at];
  }
  for (std::size_t k = 0; k < sums.size(); ++k) map.values.push_back(sums[k] / counts[k]);
  Chart chart;
  const bool gathered = !columns.by_value || !rows.by_value;
  chart.title = fmt::format("{}{}", name, gathered ? ", mean of the runs in a cell" : "");
  chart.x_label = columns.label(across);
  chart.y_label = rows.label(upwards);
  chart.map = std::move(map);
  return {"map-" + name, chart};
}

NamedChart draw_indices(const StudyData& data, const std::string& name) {
  const StudyJson& indices = data.summary["indices"][name];
  Chart chart;
  chart.title = fmt::format("Sobol indices of {}, 95 % intervals", name);
  chart.y_label = "share of the variance";
  chart.x_label = "input";
  const auto draw = [&](const char* kind, int colour, double from, double to) {
    double place = 0;
    bool named = false;
    for (const auto& [input, value] : indices[kind].items()) {
      place += 1;
      if (colour == 0) chart.x_names.emplace_back(place, input);
      if (!value.is_number()) continue;
      chart.lines.push_back(bar(place + from, place + to, value.get<double>(), colour));
      if (!named) chart.lines.back().name = std::string(kind) + " order";
      named = true;
      const StudyJson& range = indices[std::string(kind) + "_interval"][input];
      if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number())
        continue;
      const double middle = place + 0.5 * (from + to);
      chart.lines.push_back({{{middle, range[0].get<double>()}, {middle, range[1].get<double>()}},
                             false,
                             colour,
                             "",
                             ChartDrawn::line,
                             1});
    }
  };
  draw("first", 0, -0.35, -0.02);
  draw("total", 1, 0.02, 0.35);
  return {"indices-" + name, chart};
}

// The two inputs of a map: those of a grid, else those with the largest total indices.
std::vector<std::string> choose_map_inputs(const StudyData& data, const std::string& name) {
  std::vector<std::string> chosen;
  for (const std::string& input : data.inputs) {
    const std::string law = data.summary["inputs"].value(input, "");
    if (law.starts_with("lin") || law.starts_with("log") || law.starts_with("grid"))
      chosen.push_back(input);
  }
  if (chosen.size() >= 2) return {chosen[0], chosen[1]};
  chosen = data.inputs;
  if (data.summary.contains("indices")) {
    const StudyJson& total = data.summary["indices"][name]["total"];
    const auto weight = [&](const std::string& input) {
      return total.contains(input) && total[input].is_number() ? total[input].get<double>() : -1.0;
    };
    std::stable_sort(chosen.begin(), chosen.end(), [&](const std::string& a, const std::string& b) {
      return weight(a) > weight(b);
    });
  }
  chosen.resize(std::min<std::size_t>(2, chosen.size()));
  return chosen;
}

}  // namespace

bool holds_study(const std::string& folder) {
  if (runs_table(folder).empty()) return false;
  const StudyJson summary = read_study_summary(folder);
  return summary.is_object() && summary.contains("inputs") && summary.contains("kept");
}

std::vector<NamedChart> draw_study(const std::string& folder,
                                   const std::vector<std::string>& quantities,
                                   std::string& problem) {
  StudyData data;
  data.summary = read_study_summary(folder);
  std::optional<ResultTable> table = read_result_table(runs_table(folder), problem);
  if (!table) return {};
  data.table = std::move(*table);
  for (const auto& [name, law] : data.summary["inputs"].items())
    if (data.table.find(name) >= 0) data.inputs.push_back(name);
  std::vector<NamedChart> charts;
  std::size_t scatters = 0;
  for (const auto& [name, text] : data.summary["kept"].items()) {
    const std::string& quantity = name;
    const bool wanted = quantities.empty() || std::any_of(quantities.begin(), quantities.end(),
                                                          [&](const std::string& pattern) {
                                                            return fits_pattern(quantity, pattern);
                                                          });
    const int column = data.table.find(name);
    if (!wanted || column < 0) continue;
    charts.push_back(draw_histogram(data, name));
    for (const std::string& input : data.inputs)
      if (scatters++ < most_scatter_charts) charts.push_back(draw_scatter(data, name, input));
    const std::vector<std::string> two = choose_map_inputs(data, name);
    if (two.size() == 2) charts.push_back(draw_study_map(data, name, two[0], two[1]));
    if (data.summary.contains("indices") && data.summary["indices"].contains(name))
      charts.push_back(draw_indices(data, name));
  }
  if (charts.empty()) problem = folder + ": no quantity of the study has a name that fits";
  return charts;
}

}  // namespace cartan::report
