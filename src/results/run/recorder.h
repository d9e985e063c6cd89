// Takes the samples and events of a run: fills the tables (columns.h), on disk and in memory, and
// keeps what the summary needs.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <vector>

#include "integrate/events.h"
#include "io/csv.h"
#include "io/output_files.h"
#include "results/run/columns.h"
#include "results/run/motion_statistics.h"

namespace cartan::results {

struct RunResult;

// A kind of system as the tables see it.
class RunSampler {
 public:
  virtual ~RunSampler() = default;
  virtual std::vector<RunTable> tables() = 0;
  virtual const char* time_unit() const = 0;
  // What the columns of trajectory.csv need.
  virtual void fill(StateView at, Sample& sample) = 0;
  // What those of the other tables need beside it.
  virtual void fill_rest(Sample& sample) { (void)sample; }
  // For the statistics of the run.
  virtual void take(const Sample& sample) { (void)sample; }
  // What a mechanism or a system of differential equations says of itself after the run.
  virtual void describe(StateView at_end, RunResult& result) = 0;
};

std::unique_ptr<RunSampler> make_sampler(const System& system, const ExtraTables& tables);

enum class Keep { nothing, tables };

class Recorder {
 public:
  // `output` may be null: nothing is written. Keep::tables: they are there in memory, too.
  Recorder(std::unique_ptr<RunSampler> sampler, OutputFolder* output, Keep keep);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void sample(const State& state);
  void event(const EventRecord& event);
  // To impacts.csv, which a system with contacts has.
  void open_impacts(const System& system);
  void impact(const Impact& impact);
  // Ends all tables; false with a reason when something could not be written.
  bool close(std::string& problem);
  void describe(StateView at_end, RunResult& result) { sampler_->describe(at_end, result); }

  // Cells that are no finite numbers, by column; those of further tables with their file's name.
  std::vector<UndefinedColumn> undefined() const;
  // Says in every table that it is not whole.
  void mark_partial(const std::string& reason);
  // trajectory.csv, events.csv, .., where they are kept.
  std::vector<api::Table> take_tables();

  double seconds() const { return seconds_; }  // spent here
  long event_count() const { return event_count_; }

 private:
  // A table with where its rows go.
  struct Sink {
    RunTable table;
    std::unique_ptr<CsvWriter> writer;
    api::Table kept;
  };

  void open(RunTable table, bool events);
  void write_row(Sink& sink, double t, const EventRecord* event = nullptr);

  std::unique_ptr<RunSampler> sampler_;
  OutputFolder* output_;
  bool keep_;
  Sample sample_;
  std::vector<std::string> columns_;  // of trajectory.csv after t
  Sink events_, impacts_;
  std::vector<std::string> contact_names_;
  std::list<Sink> sinks_;  // trajectory.csv first
  std::vector<double> row_;
  UndefinedCells undefined_;  // without tables
  double seconds_ = 0;
  long event_count_ = 0;
};

std::unique_ptr<Recorder> make_recorder(const System& system, const ExtraTables& tables,
                                        OutputFolder* output, Keep keep = Keep::nothing);

}  // namespace cartan::results
