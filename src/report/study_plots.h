// Charts of a study: histograms, what depends on what, maps, Sobol indices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/plots.h"

namespace cartan::report {

// Does the folder hold a study's summary and runs?
bool holds_study(const std::string& folder);

// Of every quantity (or those that fit `quantities`): its histogram, its values over every input, a
// map over two inputs where there are two, its indices where there are any. Nothing, with a
// sentence, where the files cannot be read.
std::vector<NamedChart> draw_study(const std::string& folder,
                                   const std::vector<std::string>& quantities,
                                   std::string& problem);

}  // namespace cartan::report
