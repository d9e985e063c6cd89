#include "report/run_lines.h"

#include <algorithm>
#include <cmath>

#include "report/spectrum.h"

namespace cartan::report {

ChartPoints course(const PlottedRun& run, const std::string& name) {
  ChartPoints points;
  for (const auto& found : run.find(name)) {
    for (std::size_t i = 0; i < found.values().size(); ++i)
      points.emplace_back(found.first()[i], found.values()[i]);
    break;
  }
  return points;
}

// Change since the first sample.
ChartPoints change(const PlottedRun& run, const std::string& name) {
  auto points = course(run, name);
  for (std::size_t i = points.size(); i-- > 0;) points[i].second -= points[0].second;
  return points;
}

ChartPoints size_of_change(const PlottedRun& run, const std::string& name) {
  auto points = change(run, name);
  for (auto& point : points) point.second = std::fabs(point.second);
  return points;
}

ChartPoints spectrum_of(const PlottedRun& run, const std::string& name) {
  for (const auto& found : run.find(name)) return amplitude_spectrum(found.first(), found.values());
  return {};
}

ChartPoints portrait(const PlottedRun& run, const std::string& x, const std::string& y) {
  ChartPoints points;
  const auto across = run.find(x), upwards = run.find(y);
  if (across.empty() || upwards.empty()) return points;
  const std::size_t count = std::min(across[0].values().size(), upwards[0].values().size());
  for (std::size_t i = 0; i < count; ++i)
    points.emplace_back(across[0].values()[i], upwards[0].values()[i]);
  return points;
}

std::string time_label(const PlottedRun& run) {
  const std::string& name = run.tables[0].names[0];
  return run.units.with_unit(name);
}

std::string frequency_label(const PlottedRun& run) {
  return run.units.unit("t").empty() ? "frequency [1 per unit of t]" : "frequency [Hz]";
}

namespace {

double largest_size(const PlottedRun& run, const std::string& name) {
  double largest = 0;
  const auto found = run.find(name);
  if (!found.empty())
    for (const double value : found[0].values())
      if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  return largest;
}

}  // namespace

std::vector<UnitGroup> group_by_unit(const PlottedRun& run, const std::vector<std::string>& names) {
  constexpr double readable = 100;
  std::vector<UnitGroup> groups;
  std::vector<double> sizes;  // beside them: of the first member that is not zero
  for (const std::string& name : names) {
    const std::string unit = run.units.unit(name);
    const double size = largest_size(run, name);
    const auto fits = [&](std::size_t g) {
      const double ratio = size > 0 && sizes[g] > 0 ? size / sizes[g] : 1;
      return groups[g].unit == unit &&
             (!unit.empty() || (ratio <= readable && ratio >= 1 / readable));
    };
    std::size_t g = 0;
    while (g < groups.size() && !fits(g)) ++g;
    if (g == groups.size()) groups.push_back({unit, {}}), sizes.push_back(0);
    groups[g].names.push_back(name);
    if (sizes[g] == 0) sizes[g] = size;
  }
  return groups;
}

std::string file_name(const std::string& what, const std::string& unit) {
  std::string name = unit.empty() ? what : what + "-" + unit;
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

Chart start_chart(const std::vector<PlottedRun>& runs, const std::string& title) {
  Chart chart;
  chart.title = runs[0].model.empty() ? title : fmt::format("{}: {}", runs[0].model, title);
  chart.x_label = time_label(runs[0]);
  return chart;
}

}  // namespace cartan::report
