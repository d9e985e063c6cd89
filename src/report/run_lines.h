// Columns of runs as lines of charts.
#pragma once

#include <fmt/format.h>

#include "report/plotted_run.h"

namespace cartan::report {

using ChartPoints = std::vector<std::pair<double, double>>;

// A column over time; its change since the first sample; the size of that.
ChartPoints course(const PlottedRun& run, const std::string& name);
ChartPoints change(const PlottedRun& run, const std::string& name);
ChartPoints size_of_change(const PlottedRun& run, const std::string& name);
ChartPoints spectrum_of(const PlottedRun& run, const std::string& name);
// One column over another.
ChartPoints portrait(const PlottedRun& run, const std::string& x, const std::string& y);

std::string time_label(const PlottedRun& run);
std::string frequency_label(const PlottedRun& run);

// Columns that may share an axis: of one unit each. Where no unit is known, of sizes that can be
// read on one axis (within a factor of 100).
struct UnitGroup {
  std::string unit;
  std::vector<std::string> names;
};
std::vector<UnitGroup> group_by_unit(const PlottedRun& run, const std::vector<std::string>& names);

// "quantities", "quantities-rad-s": a name for the file of such a group.
std::string file_name(const std::string& what, const std::string& unit);

// Title and the label of the time axis.
Chart start_chart(const std::vector<PlottedRun>& runs, const std::string& title);

// Lines of several runs: a colour for each quantity while there are two runs (the second dashed),
// else for each run. Items of a list are points.
class LinesOfRuns {
 public:
  LinesOfRuns(const std::vector<PlottedRun>& runs, Chart& chart) : runs_(runs), chart_(chart) {}

  template <class Points>  // points(run, name), empty where the run has no such column
  void add(const std::string& name, const Points& points) {
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      ChartLine line;
      line.points = points(runs_[r], name);
      if (line.points.empty()) continue;
      line.dashed = runs_.size() == 2 && r == 1;
      line.colour = static_cast<int>(runs_.size() <= 2 ? quantity_ : r + quantity_ * runs_.size());
      line.name = runs_.size() == 1 ? name : fmt::format("{}: {}", runs_[r].name, name);
      line.width = line.points.size() > 3000 ? 1.2 : 1.8;
      if (runs_[r].lists_items) line.drawn = ChartDrawn::points;
      chart_.lines.push_back(std::move(line));
    }
    ++quantity_;
  }

 private:
  const std::vector<PlottedRun>& runs_;
  Chart& chart_;
  std::size_t quantity_ = 0;
};

}  // namespace cartan::report
