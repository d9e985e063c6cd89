// The report of one run: summary, charts, viewer and provenance in a single HTML file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/folders.h"

namespace cartan::report {

struct RunReportFacts {
  std::string summary;                                          // as `run` prints it
  std::string model_file, model_text;                           // the file as it was read
  std::vector<std::pair<std::string, std::string>> provenance;  // what, which
};

// `folder`: files of a run that has ended. "" with a sentence in `problem` when they cannot be
// read. Where the viewer's page has not been built, the report says so in its place.
std::string run_report_page(const std::string& folder, const RunReportFacts& facts,
                            std::string& problem);

}  // namespace cartan::report
