#include "report/analysis_lines.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cartan::report {

double range_of(const std::vector<double>& values) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  return high - low;
}

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

std::string rate_label(const std::string& name, const char* amount, const ColumnUnits& units) {
  if (units.known() && units.unit("t").empty()) return name;
  return fmt::format("{} [{}/s]", name, amount);
}

}  // namespace cartan::report
