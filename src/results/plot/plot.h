// Charts of what commands have written, as files: the work of `plot`.
#pragma once

#include <string>
#include <vector>

#include <cartan/options.h>

#include "core/folders.h"

namespace cartan::results {

// Folders of results or tables; the files drawn.
std::vector<std::string> draw_plots(const std::vector<std::string>& paths,
                                    const api::PlotOptions& options);

}  // namespace cartan::results
