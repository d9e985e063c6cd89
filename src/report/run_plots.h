// Charts of runs: energies, drift, violations, coordinates, phase portraits, spectra.
#pragma once

#include "report/plotted_run.h"

namespace cartan::report {

// What fits the content.
std::vector<NamedChart> draw_runs(const std::vector<PlottedRun>& runs);
// A table without a time: its columns over the first, as points where that goes back and forth. No
// spectrum, no portraits.
std::vector<NamedChart> draw_over_first(const PlottedRun& run);
// The columns that were asked for (quantity_plots.cpp).
std::vector<NamedChart> draw_quantities(const std::vector<PlottedRun>& runs,
                                        const PlotRequest& request, std::string& problem);

}  // namespace cartan::report
