// Charts of columns that were asked for by name.
#include <fmt/format.h>

#include "core/column_name.h"
#include "core/diagnostics.h"
#include "report/run_lines.h"
#include "report/run_plots.h"

namespace cartan {

static std::string no_column(const PlottedRun& run, const std::string& name) {
  std::vector<std::string> known;
  for (const ResultTable& table : run.tables)
    known.insert(known.end(), table.names.begin(), table.names.end());
  const std::string near = nearest_name(column_spelling(name), known);
  return fmt::format("{}: there is no column '{}'{}", run.name, name,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

std::vector<NamedChart> draw_quantities(const std::vector<PlottedRun>& runs,
                                        const PlotRequest& request, std::string& problem) {
  const bool chosen_across = !request.x.empty();
  std::vector<std::string> names;
  for (const std::string& pattern : chosen_across ? request.y : request.quantities) {
    const auto found = runs[0].find(pattern);
    if (found.empty()) {
      problem = no_column(runs[0], pattern);
      return {};
    }
    for (const auto& one : found) names.push_back(one.name());
  }
  if (chosen_across && runs[0].find(request.x).empty()) {
    problem = no_column(runs[0], request.x);
    return {};
  }
  Chart chart;
  chart.title = runs[0].model;
  const ColumnUnits& units = runs[0].units;
  const std::string across = chosen_across ? runs[0].find(request.x)[0].name() : "";
  chart.x_label = chosen_across      ? units.with_unit(across)
                  : request.spectrum ? "frequency [Hz]"
                                     : time_label(runs[0]);
  std::string unit = units.unit(names[0]);
  for (const std::string& name : names)
    if (units.unit(name) != unit) unit = "";
  chart.y_label = names.size() == 1 ? units.with_unit(names[0]) : with_unit("value", unit);
  if (request.spectrum) chart.y_label = with_unit("amplitude", unit), chart.y_log = true;
  chart.same_scale = chosen_across && unit == "m" && units.unit(across) == "m";
  LinesOfRuns lines(runs, chart);
  for (const std::string& name : names) {
    if (chosen_across)
      lines.add(name, [&](const PlottedRun& run, const std::string& y) {
        return portrait(run, across, y);
      });
    else
      lines.add(name, request.spectrum ? spectrum_of : course);
  }
  if (names.size() == 1 && runs.size() == 1) chart.lines[0].name = "";
  return {{chosen_across ? "portrait" : request.spectrum ? "spectrum" : "quantities", chart}};
}

}  // namespace cartan
