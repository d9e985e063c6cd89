// Measurements to be met by a fit: what was measured, where it stands, how it is compared.
//
// An experiments file (docs/identification.md):
//
//   [bounds]
//   c3 = [0, 1]
//
//   [[experiment]]
//   name = "swing 1"
//   data = "swing1.csv"                 # beside this file; time in the column `t`
//   event = "turning point"             # row k is the k-th crossing; without it rows are times
//   duration = 12                       # longest run; default: the last time of the data
//   set = { rpm = 0 }                   # own parameters
//   state = "start.json"                # own initial state; or q = { joint = [..] }, v = { .. }
//   columns.angle = { quantity = "shoulder.q", scale = 57.3, offset = 0, sigma = 0.5 }
//   columns.energy = { quantity = "potential", losses = true }   # by how much it fell since the
//   row before columns.t = { sigma = 0.02 }        # with `event`: its time is a measurement, too
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics.h"
#include "model/consent.h"

namespace cartan::results {

struct ColumnText {
  std::string column;    // in the data
  std::string quantity;  // an expression; "" for the time of an event
  double scale = 1, offset = 0;
  double sigma = 0;              // of a measurement; 0: not told
  std::vector<double> measured;  // not a number where a cell is empty
  bool losses = false;           // compared from row to row: by how much it fell
  Location where;
};

struct ExperimentText {
  std::string name;
  std::string event;
  std::optional<double> duration;
  std::vector<std::string> sets;  // NAME=VALUE
  std::string state;              // path
  std::map<std::string, std::vector<double>> q, v;
  std::vector<ColumnText> columns;
  std::vector<double> times;  // the column t; empty when there is none
  Location where, event_where;
};

struct BoundText {
  std::string parameter;
  double low = 0, high = 0;
  Location where;
};

struct ExperimentsText {
  std::vector<ExperimentText> experiments;
  std::vector<BoundText> bounds;
};

// All problems with their places; nothing when there are any. Files it names are read in its own
// folder, elsewhere with consent.
std::optional<ExperimentsText> read_experiments(const std::string& path, const Consent& consent,
                                                Diagnostics& problems);

// A single data file whose columns are named as quantities: `shoulder.q`, `shoulder.q0` (as in
// trajectory.csv), or an output.
std::optional<ExperimentText> read_data(const std::string& path, Diagnostics& problems);

// JOINT.q0 means JOINT.q[0].
std::string quantity_of_column(const std::string& column);

}  // namespace cartan::results
