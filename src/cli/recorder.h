// Takes the samples and events of a run: writes the tables, keeps what the summary needs.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "cli/motion_statistics.h"
#include "integrate/events.h"
#include "io/csv.h"
#include "io/output_files.h"

namespace cartan {

struct RunResult;
class VariablesSystem;

// Tables that are written only when asked for.
struct ExtraTables {
  bool reactions = false, multipliers = false, constraints = false, power = false, forces = false;
  bool contacts = false;
  bool balance = false;  // no table: the power balance as columns of trajectory.csv
  bool any() const {
    return reactions || multipliers || constraints || power || forces || contacts;
  }
  bool needs_dynamics() const { return reactions || multipliers || power; }
};
// Names as in --record; complains on stderr about others.
bool read_extra_tables(const std::vector<std::string>& names, ExtraTables& tables);

// trajectory.csv and events.csv; a kind of system adds what it has.
class Recorder {
 public:
  explicit Recorder(OutputFolder* output) : output_(output) {}
  virtual ~Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void sample(const State& state);
  void event(const EventRecord& event);
  // To impacts.csv, which a system with contacts has.
  void impact(const System& system, const Impact& impact);
  // Ends all tables; false with a reason when something could not be written.
  bool close(std::string& problem);

  // What a mechanism or a system of differential equations says of itself after the run.
  virtual void describe(StateView at_end, RunResult& result) = 0;

  // Cells that are no finite numbers, by column; those of further tables with their file's name.
  std::vector<UndefinedColumn> undefined() const;
  // Says in every table that it is not whole.
  void mark_partial(const std::string& reason);

  double seconds() const { return seconds_; }  // spent here
  long event_count() const { return event_count_; }

 protected:
  // `columns`: those of trajectory.csv after t.
  void open_main_tables(std::vector<std::string> columns);
  // Null when nothing is to be written. The first column is always t.
  CsvWriter* open_table(const std::string& name, const std::vector<std::string>& columns);
  void open_impacts(const System& system);
  // The numbers of trajectory.csv after t.
  virtual void fill_row(StateView at, std::vector<double>& row) = 0;
  // Called after fill_row for samples: everything else.
  virtual void take_sample(StateView at) { (void)at; }

 private:
  struct Table {
    std::string name;
    CsvWriter writer;
    Table(std::string n, const std::string& path) : name(std::move(n)), writer(path) {}
  };

  OutputFolder* output_;
  std::list<Table> tables_;
  CsvWriter* trajectory_ = nullptr;
  CsvWriter* events_ = nullptr;
  CsvWriter* impacts_ = nullptr;
  std::vector<double> row_;
  std::vector<std::string> columns_;  // of trajectory.csv after t
  UndefinedCells undefined_;          // without tables
  double seconds_ = 0;
  long event_count_ = 0;
};

// `output` may be null: nothing is written.
std::unique_ptr<Recorder> make_mechanism_recorder(const MechanicalSystem& system,
                                                  const ExtraTables& tables, OutputFolder* output);
std::unique_ptr<Recorder> make_variables_recorder(const VariablesSystem& system,
                                                  OutputFolder* output);
std::unique_ptr<Recorder> make_recorder(const System& system, const ExtraTables& tables,
                                        OutputFolder* output);

}  // namespace cartan
