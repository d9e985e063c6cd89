// Charts of columns that were asked for by name: one for each unit among them.
#include <algorithm>

#include <fmt/format.h>

#include "core/column_name.h"
#include "core/diagnostics.h"
#include "report/run_lines.h"
#include "report/run_plots.h"

namespace cartan::report {
namespace {

// "crank.q0, crank.v0", or how many where they are too many for a title.
std::string list_of(const std::vector<std::string>& names) {
  constexpr std::size_t most_letters = 60;
  const std::string text = fmt::format("{}", fmt::join(names, ", "));
  return text.size() <= most_letters ? text
                                     : fmt::format("{} and {} more", names[0], names.size() - 1);
}

std::string no_column(const PlottedRun& run, const std::string& name) {
  std::vector<std::string> known;
  for (const ResultTable& table : run.tables)
    known.insert(known.end(), table.names.begin(), table.names.end());
  const std::string near = nearest_name(column_spelling(name), known);
  return fmt::format("{}: there is no column '{}'{}", run.name, name,
                     near.empty() ? "" : fmt::format("; did you mean '{}'?", near));
}

class QuantityDrawer {
 public:
  QuantityDrawer(const std::vector<PlottedRun>& runs, const PlotRequest& request,
                 std::string& problem)
      : runs_(runs), request_(request), problem_(problem) {}

  std::vector<NamedChart> draw() {
    const std::vector<std::string> names =
        find_names(request_.x.empty() ? request_.quantities : request_.y);
    if (!request_.x.empty())
      if (const auto across = find_names({request_.x}); !across.empty()) across_ = across[0];
    if (request_.spectrum && !runs_[0].has_time)
      problem_ = fmt::format(
          "{}: a spectrum needs a time, and the first column, '{}', is none (`t` or `time`, never "
          "falling)",
          runs_[0].name, runs_[0].tables[0].names[0]);
    if (!problem_.empty()) return {};
    std::vector<NamedChart> charts;
    const std::string what = !request_.x.empty() ? "portrait"
                             : request_.spectrum ? "spectrum"
                                                 : "quantities";
    const std::vector<UnitGroup> groups = group_by_unit(runs_[0], names);
    for (const UnitGroup& group : groups) {
      Chart chart = draw_group(group);
      if (chart.lines.empty()) continue;
      charts.push_back({groups.size() == 1 ? what : file_name(what, group.unit), std::move(chart)});
    }
    if (charts.empty())
      problem_ =
          fmt::format("{}: there are no numbers to draw in {}", runs_[0].name, list_of(names));
    return charts;
  }

 private:
  std::vector<std::string> find_names(const std::vector<std::string>& patterns) {
    std::vector<std::string> names;
    for (const std::string& pattern : patterns) {
      const auto found = runs_[0].find(pattern);
      if (found.empty() && problem_.empty()) problem_ = why_absent(pattern);
      for (const auto& one : found)
        if (std::find(names.begin(), names.end(), one.name()) == names.end())
          names.push_back(one.name());
    }
    return names;
  }

  std::string why_absent(const std::string& pattern) const {
    for (const ResultTable& table : runs_[0].tables)
      if (table.find(pattern) >= 0)
        return fmt::format("{}: the column '{}' holds words, which have no place on an axis",
                           runs_[0].name, pattern);
    return no_column(runs_[0], pattern);
  }

  Chart draw_group(const UnitGroup& group) const {
    const ColumnUnits& units = runs_[0].units;
    const bool across = !across_.empty();
    const std::string list = list_of(group.names);
    Chart chart = start_chart(runs_, across              ? fmt::format("{} over {}", list, across_)
                                     : request_.spectrum ? "amplitude spectrum of " + list
                                                         : list);
    if (across) chart.x_label = units.with_unit(across_);
    if (request_.spectrum) chart.x_label = frequency_label(runs_[0]);
    chart.y_label = request_.spectrum         ? with_unit("amplitude", group.unit)
                    : group.names.size() == 1 ? units.with_unit(group.names[0])
                                              : with_unit("value", group.unit);
    chart.y_log = request_.spectrum;
    // a metre (a newton, ..) is as long across as upwards
    chart.same_scale = across && !group.unit.empty() && group.unit == units.unit(across_);
    LinesOfRuns lines(runs_, chart);
    for (const std::string& name : group.names) {
      if (across)
        lines.add(name, [&](const PlottedRun& run, const std::string& y) {
          return portrait(run, across_, y);
        });
      else
        lines.add(name, request_.spectrum ? spectrum_of : course);
    }
    if (group.names.size() == 1 && runs_.size() == 1 && !chart.lines.empty())
      chart.lines[0].name = "";
    return chart;
  }

  const std::vector<PlottedRun>& runs_;
  const PlotRequest& request_;
  std::string& problem_;
  std::string across_;  // "": time, or the first column
};

}  // namespace

std::vector<NamedChart> draw_quantities(const std::vector<PlottedRun>& runs,
                                        const PlotRequest& request, std::string& problem) {
  return QuantityDrawer(runs, request, problem).draw();
}

}  // namespace cartan::report
