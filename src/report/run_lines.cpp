#include "report/run_lines.h"

#include <algorithm>
#include <cmath>

#include "report/spectrum.h"

namespace cartan {

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

Chart start_chart(const std::vector<PlottedRun>& runs, const std::string& title) {
  Chart chart;
  chart.title = runs[0].model.empty() ? title : fmt::format("{}: {}", runs[0].model, title);
  chart.x_label = time_label(runs[0]);
  return chart;
}

}  // namespace cartan
