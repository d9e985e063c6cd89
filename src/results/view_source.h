// What `view` was pointed at, as the viewer's document: the folder of a run, or a model file, whose
// initial assembly is shown.
#pragma once

#include <string>
#include <vector>

#include "report/viewer_data.h"
#include "results/load/load.h"

namespace cartan::results {

struct ViewSource {
  ModelArguments shown;  // a folder or a model file
  std::string compare;   // "" or the folder of a second run
  std::string modes;     // "" or a JSON file of linearize
  ViewerLimits limits;

  bool is_model() const;
  std::vector<std::string> folders() const;  // of runs
};

// Reads everything anew; refused where something is missing or damaged.
std::string read_view_source(const ViewSource& source, const api::Watch& watch);

// The viewer's page with a document inside; fails where the page has not been built.
std::string page_around(const std::string& document);

}  // namespace cartan::results
