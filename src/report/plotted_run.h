// The tables of a run, or of one file, with the units of their columns: what charts are drawn from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/column_units.h"
#include "report/plots.h"
#include "report/result_table.h"

namespace cartan::report {

// Where a cut lies in its body: along the common normal of the body's cuts.
struct PlottedCut {
  std::string name, body;
  double place = 0;
};

struct PlottedRun {
  std::string name;                 // of its folder or file
  std::vector<ResultTable> tables;  // with a common first column
  ColumnUnits units;
  std::string model;                   // its name
  std::vector<std::string> variables;  // of a model without bodies
  std::vector<PlottedCut> cuts;        // of bodies with several parallel cuts, in order
  bool has_time = true;                // the first column is a time that never runs back
  bool lists_items = false;  // a column of words: rows are items, not samples of one course

  struct Found {
    const ResultTable* table = nullptr;
    int column = -1;
    const std::string& name() const { return table->names[column]; }
    const std::vector<double>& values() const { return table->numbers[column]; }
    const std::vector<double>& first() const { return table->numbers[0]; }
  };
  // Columns that fit a pattern, in the order of the files; `JOINT.q` finds JOINT.q0 as well.
  std::vector<Found> find(const std::string& pattern) const;
};

// The tables of a run's folder.
std::optional<PlottedRun> read_run(const std::string& folder, std::string& problem);
// One table by itself, with the units of the run or analysis in whose folder it lies. A table that
// begins with words, or is a single column, gets the numbers of its rows as a first column, `row`.
std::optional<PlottedRun> read_single_table(const std::string& path, std::string& problem);

// Cuts every table to the part of the time that is wanted.
void cut_to(PlottedRun& run, const PlotRequest& request);

}  // namespace cartan::report
