#include "report/analysis_plots.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace cartan {
namespace {

using Points = std::vector<std::pair<double, double>>;

double range_of(const std::vector<double>& values) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  return high - low;
}

// Eigenvalues come sorted, so that a column jumps from one to the other where curves cross: dots.
ChartLine dots(const ResultTable& table, int x, int y, int colour, const std::string& name) {
  ChartLine line;
  line.drawn = ChartDrawn::points;
  line.colour = colour;
  line.name = name;
  for (std::size_t i = 0; i < table.rows(); ++i)
    line.points.emplace_back(table.numbers[x][i], table.numbers[y][i]);
  return line;
}

Chart zero_line_chart(const ResultTable& table, const std::string& title, const std::string& y) {
  Chart chart;
  chart.title = title;
  chart.x_label = table.names[0];
  chart.y_label = y;
  const std::vector<double>& x = table.numbers[0];
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  chart.lines.push_back({{{*low, 0}, {*high, 0}}, true, 6, "", ChartDrawn::line, 1});
  return chart;
}

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
  std::ifstream stream(std::filesystem::path(folder) / "bifurcations.json");
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

TableKind kind_of_table(const ResultTable& table) {
  const auto has = [&](const char* name) { return table.find(name) >= 0; };
  if (table.names[0] == "branch" && has("stable") && table.names.size() > 3)
    return TableKind::branch;
  if (has("steady") && has("neutral") && has("re0")) return TableKind::sweep;
  if (table.names[0] == "re" && has("im") && has("damping")) return TableKind::eigenvalues;
  if (has("integrator") && has("difference") && has("wall_seconds")) return TableKind::comparison;
  if (has("residual") && has("equilibrium")) return TableKind::search;
  if (has("measured") && has("before") && has("after")) return TableKind::residuals;
  return TableKind::plain;
}

std::vector<NamedChart> draw_sweep(const ResultTable& table) {
  Chart real = zero_line_chart(table, "real parts of the eigenvalues", "real part [1/s]");
  Chart imaginary =
      zero_line_chart(table, "imaginary parts of the eigenvalues", "imaginary part [rad/s]");
  for (int k = 0;; ++k) {
    const int re = table.find(fmt::format("re{}", k)), im = table.find(fmt::format("im{}", k));
    if (re < 0 || im < 0) break;
    real.lines.push_back(dots(table, 0, re, k, ""));
    imaginary.lines.push_back(dots(table, 0, im, k, ""));
  }
  return {{"eigenvalues-real", real}, {"eigenvalues-imaginary", imaginary}};
}

std::vector<NamedChart> draw_eigenvalues(const ResultTable& table) {
  Chart chart;
  chart.title = "eigenvalues";
  chart.x_label = "real part [1/s]";
  chart.y_label = "imaginary part [rad/s]";
  double most = 1e-300;
  for (const double im : *table.column("im")) most = std::max(most, std::fabs(im));
  chart.lines.push_back({{{0, -most}, {0, most}}, true, 6, "", ChartDrawn::line, 1});
  chart.lines.push_back(dots(table, table.find("re"), table.find("im"), 0, ""));
  return {{"eigenvalues", chart}};
}

std::vector<NamedChart> draw_branches(const ResultTable& table, const std::string& folder,
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
    chart.x_label = table.names[1];
    chart.y_label = table.names[column];
    chart.solid_means = "stable";
    chart.dashed_means = "unstable";
    add_branches(table, column, chart);
    for (const Bifurcation& at : bifurcations)
      if (const auto y = value_at(table, column, at))
        chart.marks.push_back({at.parameter, *y, at.kind});
    charts.push_back({"branch-" + table.names[column], std::move(chart)});
  }
  if (!quantities.empty()) return charts;
  Chart growth = zero_line_chart(table, "growth along the branches", "largest real part [1/s]");
  const auto& parameter = table.numbers[1];
  const auto [low, high] = std::minmax_element(parameter.begin(), parameter.end());
  growth.x_label = table.names[1];
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

std::vector<NamedChart> draw_comparison(const ResultTable& table) {
  const int formulation = table.find("formulation"), integrator = table.find("integrator");
  const auto word = [&](int column, std::size_t row) {
    return column < 0 || table.words[column].empty() ? std::string() : table.words[column][row];
  };
  bool several = false;
  for (std::size_t i = 1; i < table.rows(); ++i)
    several |= word(formulation, i) != word(formulation, 0);
  struct Axis {
    const char *column, *name, *label;
  };
  static const Axis axes[] = {
      {"wall_seconds", "work-precision", "time of the computation [s]"},
      {"evaluations", "evaluations-precision", "evaluations of the equations of motion"},
      {"step", "convergence", "step [s]"}};
  std::vector<NamedChart> charts;
  for (const auto& [column, name, label] : axes) {
    const auto *x = table.column(column), *y = table.column("difference");
    if (!x || !y) continue;
    Chart chart;
    chart.title = std::string(name) == "convergence" ? "error at the end over the step"
                                                     : "work and precision";
    chart.x_label = label;
    chart.y_label = "error at the end [m or rad]";
    chart.x_log = chart.y_log = true;
    std::vector<ChartLine> lines;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const std::string method = (several ? word(formulation, i) + ", " : "") + word(integrator, i);
      auto line = std::find_if(lines.begin(), lines.end(),
                               [&](const ChartLine& l) { return l.name == method; });
      if (line == lines.end()) {
        const int count = static_cast<int>(lines.size());
        lines.push_back({{}, count >= 7, count, method, ChartDrawn::both});
        line = lines.end() - 1;
      }
      line->points.emplace_back((*x)[i], (*y)[i]);
    }
    chart.lines = std::move(lines);
    charts.push_back({name, std::move(chart)});
  }
  return charts;
}

std::vector<NamedChart> draw_search(const ResultTable& table) {
  const auto* residual = table.column("residual");
  if (table.find("residual") != 2) return {};  // a map needs two initial values
  std::vector<double> xs = table.numbers[0], ys = table.numbers[1];
  const auto sort_out = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
  };
  sort_out(xs);
  sort_out(ys);
  if (xs.size() < 2 || ys.size() < 2) return {};
  ChartMap map;
  map.columns = static_cast<int>(xs.size());
  map.rows = static_cast<int>(ys.size());
  const double dx = (xs.back() - xs.front()) / (map.columns - 1) / 2;
  const double dy = (ys.back() - ys.front()) / (map.rows - 1) / 2;
  map.x_low = xs.front() - dx, map.x_high = xs.back() + dx;
  map.y_low = ys.front() - dy, map.y_high = ys.back() + dy;
  map.values.assign(xs.size() * ys.size(), NAN);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto column = std::lower_bound(xs.begin(), xs.end(), table.numbers[0][i]) - xs.begin();
    const auto row = std::lower_bound(ys.begin(), ys.end(), table.numbers[1][i]) - ys.begin();
    map.values[row * xs.size() + column] = std::log10(std::max((*residual)[i], 1e-16));
  }
  map.label = "log10 of the residual of the rates";
  Chart chart;
  chart.title = "how far from steady";
  chart.x_label = table.names[0];
  chart.y_label = table.names[1];
  chart.map = std::move(map);
  return {{"residual-map", chart}};
}

std::vector<NamedChart> draw_section(const ResultTable& table,
                                     const std::vector<std::string>& quantities) {
  std::vector<int> columns;
  for (std::size_t i = 1; i < table.names.size(); ++i) {
    const bool wanted = quantities.empty() ||
                        std::any_of(quantities.begin(), quantities.end(), [&](const auto& pattern) {
                          return fits_pattern(table.names[i], pattern);
                        });
    if (wanted && range_of(table.numbers[i]) > 1e-9) columns.push_back(static_cast<int>(i));
  }
  if (columns.size() < 2) return {};
  Chart chart;
  chart.title = "crossings of the section";
  chart.x_label = table.names[columns[0]];
  chart.y_label = table.names[columns[1]];
  chart.lines.push_back(dots(table, columns[0], columns[1], 0, ""));
  return {{"section", chart}};
}

std::vector<NamedChart> draw_residuals(const ResultTable& table) {
  const int experiment = table.find("experiment"), column = table.find("column");
  const auto *t = table.column("t"), *measured = table.column("measured");
  const auto *before = table.column("before"), *after = table.column("after");
  if (experiment < 0 || column < 0 || !t || !measured) return {};
  const auto word = [&](int c, std::size_t row) {
    return table.words[c].empty() ? fmt::format("{:g}", table.numbers[c][row])
                                  : table.words[c][row];
  };
  std::vector<NamedChart> charts;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string title = word(experiment, i) + ": " + word(column, i);
    if (charts.empty() || charts.back().chart.title != title) {
      Chart chart;
      chart.title = title;
      chart.x_label = "t [s]";
      chart.y_label = word(column, i);
      chart.lines = {{{}, true, 4, "before", ChartDrawn::both},
                     {{}, false, 2, "after", ChartDrawn::both},
                     {{}, false, 6, "measured", ChartDrawn::points}};
      charts.push_back({fmt::format("fit-{}", charts.size() + 1), std::move(chart)});
    }
    auto& lines = charts.back().chart.lines;
    lines[0].points.emplace_back((*t)[i], (*before)[i]);
    lines[1].points.emplace_back((*t)[i], (*after)[i]);
    lines[2].points.emplace_back((*t)[i], (*measured)[i]);
  }
  return charts;
}

}  // namespace cartan
