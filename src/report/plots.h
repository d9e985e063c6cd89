// Charts of what commands have written: a run's motion, sweeps of eigenvalues, branches,
// comparisons of methods, searches, sections, fits, studies. What a folder or file holds is
// recognised by names and columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/chart.h"

namespace cartan::report {

struct NamedChart {
  std::string name;  // of a file, without ending
  Chart chart;
};

struct PlotRequest {
  std::vector<std::string> paths;       // folders or files; several runs share their charts
  std::vector<std::string> quantities;  // columns, `*` for any letters; none: what fits the content
  std::string x;                        // column across; "": time, or what fits
  std::vector<std::string> y;           // columns upwards, with x
  bool spectrum = false;                // of the quantities, instead of their course
  std::optional<double> from, to;       // part of the time
  std::optional<bool> x_log, y_log;     // instead of what fits
};

// Nothing, with a sentence in `problem`, when a path holds nothing that can be drawn.
std::vector<NamedChart> make_plots(const PlotRequest& request, std::string& problem);

// The charts of one run as make_plots draws them, for reports.
std::vector<NamedChart> run_plots(const std::string& folder, std::string& problem);

}  // namespace cartan::report
