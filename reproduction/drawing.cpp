#include "reproduction/drawing.h"

#include <algorithm>
#include <cmath>

#include "reproduction/workshop.h"

namespace cartan::reproduction {

Chart figure_chart(const std::string& title, const std::string& x, const std::string& y) {
  Chart chart;
  chart.title = title;
  chart.x_label = x;
  chart.y_label = y;
  chart.width = 640;
  chart.height = 400;
  return chart;
}

ChartLine& add_line(Chart& chart, const std::string& name, const std::vector<double>& x,
                    const std::vector<double>& y) {
  ChartLine line;
  line.name = name;
  line.colour = static_cast<int>(chart.lines.size());
  line.width = x.size() > 2000 ? 1.2 : 1.8;
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i)
    line.points.emplace_back(x[i], y[i]);
  chart.lines.push_back(std::move(line));
  return chart.lines.back();
}

ChartLine& add_points(Chart& chart, const std::string& name, const std::vector<double>& x,
                      const std::vector<double>& y) {
  ChartLine& line = add_line(chart, name, x, y);
  line.drawn = ChartDrawn::points;
  return line;
}

std::vector<double> map_values(const std::vector<double>& values,
                               const std::function<double(double)>& f) {
  std::vector<double> result;
  for (const double value : values) result.push_back(f(value));
  return result;
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) result.push_back(a[i] - b[i]);
  return result;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::fabs(value));
  return most;
}

std::vector<double> unit_length_error(const ResultTable& table, const std::string& joint) {
  const auto& w = column(table, joint + ".q0");
  const auto& x = column(table, joint + ".q1");
  const auto& y = column(table, joint + ".q2");
  const auto& z = column(table, joint + ".q3");
  std::vector<double> result;
  for (std::size_t i = 0; i < w.size(); ++i) {
    // |u|^2 - 1 in long double, so that the error shown is that of the numbers, not of this sum
    const long double square =
        static_cast<long double>(w[i]) * w[i] + static_cast<long double>(x[i]) * x[i] +
        static_cast<long double>(y[i]) * y[i] + static_cast<long double>(z[i]) * z[i];
    result.push_back(static_cast<double>(std::sqrt(square) - 1));
  }
  return result;
}

std::vector<double> energy_change(const ResultTable& table) {
  const auto& energy = column(table, "energy");
  return map_values(energy, [&](double e) { return e - energy[0]; });
}

std::vector<double> relative_energy_error(const ResultTable& table) {
  const double size = std::fabs(column(table, "energy")[0]);
  return map_values(energy_change(table), [&](double change) { return change / size; });
}

double value_near(const ResultTable& table, const std::string& name, double t) {
  const auto& times = table.numbers[0];
  std::size_t best = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (std::fabs(times[i] - t) < std::fabs(times[best] - t)) best = i;
  return column(table, name)[best];
}

}  // namespace cartan::reproduction
