// The columns of a run's tables. A column is one record: what it is called and measured in, what it
// is about, and how its number follows from a sample. Tables on disk and in memory, their units and
// what a result tells of itself are made from these records; to add a column is to add one here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cartan/table.h>

#include "mechanics/cuts/cut_loads.h"
#include "mechanics/machine/mechanism_system.h"

namespace cartan::mechanics {
class VariablesSystem;
}  // namespace cartan::mechanics

namespace cartan::results {

// Tables that are written only when asked for.
struct ExtraTables {
  bool reactions = false, multipliers = false, constraints = false, power = false, forces = false;
  bool contacts = false;
  bool elements = false;  // of rotation-elements
  bool cuts = false;      // not asked for: a model that has cuts has the table
  bool balance = false;   // no table: the power balance as columns of trajectory.csv
  bool any() const {
    return reactions || multipliers || constraints || power || forces || contacts || elements;
  }
  bool needs_dynamics() const { return reactions || multipliers || power || elements; }
};
// Names as in --record; others are refused.
ExtraTables read_extra_tables(const std::vector<std::string>& names);

// Everything a column may be made of, at one time.
struct Sample {
  StateView at{0, {}, {}};
  Observation now;                        // of a mechanism
  DynamicsReport dynamics;                // where a column asks for it
  std::vector<double> positions, speeds;  // violations of every row of the constraints
  std::vector<AppliedWrench> wrenches;    // of every force and constraint
  std::vector<ContactReport> contacts;    // of every contact
  std::vector<CutLoad> cuts;              // of every cut
  std::vector<double> outputs;            // of a [variables] file
};

struct RunColumn {
  std::string name, unit;
  api::ColumnKind kind = api::ColumnKind::output;
  std::function<double(const Sample&)> value;
};

// A file of the run; the column t stands before the others.
struct RunTable {
  std::string file;
  std::vector<RunColumn> columns;

  std::vector<std::string> names() const;
};

// trajectory.csv first, then bodies.csv, then those that are asked for.
std::vector<RunTable> mechanism_tables(const MechanicalSystem& system, const ExtraTables& extra,
                                       Workspace& workspace);
std::vector<RunTable> variables_tables(const VariablesSystem& system);

}  // namespace cartan::results
