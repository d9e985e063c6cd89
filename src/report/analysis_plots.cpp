#include "report/analysis_plots.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/analysis_lines.h"

namespace cartan::report {

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

std::vector<NamedChart> draw_sweep(const ResultTable& table, const ColumnUnits& units) {
  Chart real =
      zero_line_chart(table, "real parts of the eigenvalues", rate_label("real part", "1", units));
  Chart imaginary = zero_line_chart(table, "imaginary parts of the eigenvalues",
                                    rate_label("imaginary part", "rad", units));
  real.x_label = imaginary.x_label = units.with_unit(table.names[0]);
  // Sorted eigenvalues change their columns along the sweep: what tells them apart is their kind.
  ChartLine real_of[2], imaginary_of[2];
  for (int k = 0;; ++k) {
    const auto *re = table.column(fmt::format("re{}", k)),
               *im = table.column(fmt::format("im{}", k));
    if (!re || !im) break;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const int pair = (*im)[i] != 0;
      real_of[pair].points.emplace_back(table.numbers[0][i], (*re)[i]);
      imaginary_of[pair].points.emplace_back(table.numbers[0][i], (*im)[i]);
    }
  }
  for (int pair = 0; pair < 2; ++pair)
    for (auto* kind : {&real_of[pair], &imaginary_of[pair]}) {
      if (kind->points.empty()) continue;
      kind->drawn = ChartDrawn::points;
      kind->colour = pair ? 0 : 1;
      kind->name = pair ? "complex pairs" : "real eigenvalues";
      (kind == &real_of[pair] ? real : imaginary).lines.push_back(std::move(*kind));
    }
  return {{"eigenvalues-real", real}, {"eigenvalues-imaginary", imaginary}};
}

std::vector<NamedChart> draw_eigenvalues(const ResultTable& table, const ColumnUnits& units) {
  Chart chart;
  chart.title = "eigenvalues";
  chart.x_label = rate_label("real part", "1", units);
  chart.y_label = rate_label("imaginary part", "rad", units);
  double most = 1e-300;
  for (const double im : *table.column("im")) most = std::max(most, std::fabs(im));
  chart.lines.push_back({{{0, -most}, {0, most}}, true, 6, "", ChartDrawn::line, 1});
  chart.lines.push_back(dots(table, table.find("re"), table.find("im"), 0, ""));
  return {{"eigenvalues", chart}};
}

namespace {

// Rows of `compare` with one formulation (or with any, when `only` is empty).
struct MethodLines {
  const ResultTable& table;
  int formulation = table.find("formulation"), integrator = table.find("integrator");

  std::string word(int column, std::size_t row) const {
    return column < 0 || table.words[column].empty() ? std::string() : table.words[column][row];
  }
  std::vector<std::string> distinct(int column) const {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < table.rows(); ++i)
      if (std::find(words.begin(), words.end(), word(column, i)) == words.end())
        words.push_back(word(column, i));
    return words;
  }
  std::vector<ChartLine> over(const std::vector<double>& x, const std::string& only) const {
    const bool several = only.empty() && distinct(formulation).size() > 1;
    const std::vector<double>& y = *table.column("difference");
    std::vector<ChartLine> lines;
    for (std::size_t i = 0; i < table.rows(); ++i) {
      if (!only.empty() && word(formulation, i) != only) continue;
      const std::string method = (several ? word(formulation, i) + ", " : "") + word(integrator, i);
      auto line = std::find_if(lines.begin(), lines.end(),
                               [&](const ChartLine& l) { return l.name == method; });
      if (line == lines.end()) {
        const int count = static_cast<int>(lines.size());
        lines.push_back({{}, count >= 7, count, method, ChartDrawn::both});
        line = lines.end() - 1;
      }
      line->points.emplace_back(x[i], y[i]);
    }
    return lines;
  }
};

}  // namespace

// With more methods than colours every formulation has charts of its own.
std::vector<NamedChart> draw_comparison(const ResultTable& table) {
  const MethodLines methods{table};
  struct Axis {
    const char *column, *name, *label;
  };
  static const Axis axes[] = {
      {"wall_seconds", "work-precision", "time of the computation [s]"},
      {"evaluations", "evaluations-precision", "evaluations of the equations of motion"},
      {"step", "convergence", "step [s]"}};
  const std::vector<std::string> formulations = methods.distinct(methods.formulation);
  const std::size_t count = formulations.size() * methods.distinct(methods.integrator).size();
  const bool split = formulations.size() > 1 && count > 7;
  std::vector<NamedChart> charts;
  for (const auto& [column, name, label] : axes) {
    const auto* x = table.column(column);
    if (!x || !table.column("difference")) continue;
    for (const std::string& only : split ? formulations : std::vector<std::string>{""}) {
      Chart chart;
      chart.title = std::string(name) == "convergence" ? "error at the end over the step"
                                                       : "work and precision";
      if (split) chart.title += ": " + only;
      chart.x_label = label;
      chart.y_label = "error at the end [m or rad]";
      chart.x_log = chart.y_log = true;
      chart.lines = methods.over(*x, only);
      charts.push_back({split ? fmt::format("{}-{}", name, only) : name, std::move(chart)});
    }
  }
  return charts;
}

std::vector<NamedChart> draw_search(const ResultTable& table, const ColumnUnits& units) {
  // the relative residual is one nearly everywhere: what changes over the box is the rate
  const auto* rate = table.column("rate");
  const auto* residual = rate ? rate : table.column("residual");
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
  map.label = rate ? "log10 of the rate" : "log10 of the residual";
  Chart chart;
  chart.title = "how far from steady";
  chart.x_label = units.with_unit(table.names[0]);
  chart.y_label = units.with_unit(table.names[1]);
  chart.map = std::move(map);
  return {{"residual-map", chart}};
}

std::vector<NamedChart> draw_section(const ResultTable& table, const ColumnUnits& units,
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
  chart.x_label = units.with_unit(table.names[columns[0]]);
  chart.y_label = units.with_unit(table.names[columns[1]]);
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

}  // namespace cartan::report
