// A run as the viewer takes it: one JSON document that a page loads or carries inside.
//
//   { "format": "cartan-viewer-1", "kind": "run" or "assembly", "runs": [RUN, RUN of --compare],
//     "modes": null or what `linearize --json` printed }
//   RUN: { "label", "model": {model.json}, "summary": {summary.json} or null,
//          "frames": { "count", "recorded", "every", "t", "poses" } or null,
//          "tables": [ { "name", "count", "recorded", "every", "type", "columns", "units", "t",
//                        "data" } ],
//          "events": [ { "t", "name", "direction" } ],
//          "impacts": [ { "t", "contact", "normal" } ] }
//
// t, poses and data are little-endian numbers in base64: t and data of type f64 are doubles, poses
// and data of type f32 floats. poses: frame by frame, body by body, x y z qw qx qy qz. data: column
// by column, named as pictures name them (column_units.h), "" where there is no unit. Long runs are
// thinned: of `recorded` rows each `every`-th was taken, and the last.
#pragma once

#include <string>
#include <vector>

#include "io/csv.h"

namespace cartan::report {

struct ViewerLimits {
  std::size_t frames = 20001;           // positions of the bodies
  std::size_t pose_numbers = 5000000;   // frames are fewer where there are many bodies
  std::size_t samples = 10001;          // of every plotted quantity
  std::size_t table_numbers = 1000000;  // samples are fewer where there are many quantities
};

struct ViewerTable {
  std::string name;  // of the file
  SampledCsv rows;
};

struct ViewerEvent {
  double t = 0;
  std::string name;
  int direction = 0;
};

struct ViewerImpact {
  double t = 0;
  std::string contact;
  double normal = 0;  // impulse
};

struct ViewerRun {
  std::string label;
  std::string model, summary;  // texts of the JSON files
  std::vector<std::string> bodies;
  std::vector<ViewerTable> tables;  // bodies.csv first where there are bodies
  std::vector<ViewerEvent> events;
  std::vector<ViewerImpact> impacts;
};

// Reads the folder of a run. False with one sentence in `problem`: no result, or a damaged one.
bool read_viewer_run(const std::string& folder, const ViewerLimits& limits, ViewerRun& run,
                     std::string& problem);

// The document. `modes`: JSON text, or "".
std::string viewer_data(const std::vector<ViewerRun>& runs, const std::string& kind,
                        const std::string& modes, const ViewerLimits& limits);

// Names of the files of a run that a viewer may hand out.
const std::vector<std::string>& run_file_names();

}  // namespace cartan::report
