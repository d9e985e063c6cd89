#include "results/run/recorder.h"

#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "mechanics/variables/variables.h"
#include "results/run/run_result.h"

namespace cartan::results {
namespace {

// Adds the time of its life to a sum.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point begin_ = Clock::now();
};

class MechanismSampler final : public RunSampler {
 public:
  MechanismSampler(const MechanicalSystem& system, const ExtraTables& extra)
      : system_(system), workspace_(system.make_workspace()), extra_(extra) {
    extra_.cuts = !system.model().cuts.empty();
    if (extra_.cuts) cuts_.emplace(system.model(), parameter_values(system.model()));
  }

  std::vector<RunTable> tables() override { return mechanism_tables(system_, extra_, *workspace_); }
  const char* time_unit() const override { return "s"; }

  void fill(StateView at, Sample& s) override {
    system_.observe(at, s.now, *workspace_);
    if (!extra_.balance) return;
    s.dynamics = system_.report_dynamics(at, *workspace_);
    statistics_.take(s.dynamics.power);
  }

  void fill_rest(Sample& s) override {
    if ((extra_.needs_dynamics() || extra_.cuts) && !extra_.balance)
      s.dynamics = system_.report_dynamics(s.at, *workspace_);
    if (extra_.constraints) system_.constraint_violations(s.at, s.positions, s.speeds, *workspace_);
    if (extra_.forces || extra_.cuts) s.wrenches = system_.report_forces(s.at, *workspace_);
    if (extra_.forces || extra_.contacts || extra_.cuts)
      s.contacts = system_.report_contacts(s.at, *workspace_);
    if (extra_.cuts) s.cuts = cuts_->calc(s.now, s.dynamics, s.wrenches, s.contacts);
  }

  void take(const Sample& s) override { statistics_.take(s.now); }

  void describe(StateView at_end, RunResult& result) override {
    Observation now;
    system_.observe(at_end, now, *workspace_);
    result.statistics = statistics_;
    result.outputs = now.outputs;
    result.variables = now.variables;
    result.final = std::move(now);
    result.dof = system_.report_constraints(at_end, *workspace_).dof();
    result.constrained = system_.constrained();
  }

 private:
  const MechanicalSystem& system_;
  std::unique_ptr<Workspace> workspace_;
  ExtraTables extra_;
  std::optional<CutLoads> cuts_;
  MotionStatistics statistics_;
};

class VariablesSampler final : public RunSampler {
 public:
  explicit VariablesSampler(const VariablesSystem& system)
      : system_(system), workspace_(system.make_workspace()) {}

  std::vector<RunTable> tables() override { return variables_tables(system_); }
  const char* time_unit() const override { return ""; }

  void fill(StateView at, Sample& s) override {
    s.outputs.resize(system_.model().outputs.size());
    system_.calc_outputs(at, s.outputs, *workspace_);
  }

  void describe(StateView at_end, RunResult& result) override {
    result.variables.assign(at_end.x.begin(), at_end.x.begin() + system_.model().variables.size());
    result.outputs.resize(system_.model().outputs.size());
    system_.calc_outputs(at_end, result.outputs, *workspace_);
  }

 private:
  const VariablesSystem& system_;
  std::unique_ptr<Workspace> workspace_;
};

api::Column empty_column(std::string name, std::string unit, api::ColumnKind kind) {
  return {std::move(name), std::move(unit), kind, {}, {}};
}

}  // namespace

Recorder::Recorder(std::unique_ptr<RunSampler> sampler, OutputFolder* output, Keep keep)
    : sampler_(std::move(sampler)), output_(output), keep_(keep == Keep::tables) {
  std::vector<RunTable> tables = sampler_->tables();
  columns_ = tables.front().names();
  RunTable events = tables.front();
  events.file = "events.csv";
  open(std::move(tables.front()), false);
  open(std::move(events), true);
  for (std::size_t k = 1; k < tables.size(); ++k) open(std::move(tables[k]), false);
}

void Recorder::open(RunTable table, bool events) {
  Sink sink;
  std::vector<std::string> names = table.names();
  if (events) names.insert(names.begin(), {"event", "direction"});
  if (output_) {
    sink.writer = std::make_unique<CsvWriter>(output_->add(table.file));
    sink.writer->text("t");
    sink.writer->header(names);
  }
  if (keep_) {
    sink.kept.name = table.file;
    sink.kept.columns.push_back(empty_column("t", sampler_->time_unit(), api::ColumnKind::time));
    if (events)
      for (const char* name : {"event", "direction"})
        sink.kept.columns.push_back(empty_column(name, "", api::ColumnKind::event));
    for (const RunColumn& column : table.columns)
      sink.kept.columns.push_back(empty_column(column.name, column.unit, column.kind));
  }
  sink.table = std::move(table);
  if (events)
    events_ = std::move(sink);
  else
    sinks_.push_back(std::move(sink));
}

void Recorder::write_row(Sink& sink, double t, const EventRecord* event) {
  row_.clear();
  for (const RunColumn& column : sink.table.columns) row_.push_back(column.value(sample_));
  if (CsvWriter* writer = sink.writer.get()) {
    writer->number(t);
    if (event) {
      writer->text(event->name);
      writer->number(event->direction);
    }
    writer->numbers(row_);
    writer->end_row();
  }
  if (!keep_) return;
  std::vector<api::Column>& columns = sink.kept.columns;
  std::size_t k = 0;
  columns[k++].values.push_back(t);
  if (event) {
    columns[k++].words.push_back(event->name);
    columns[k++].values.push_back(event->direction);
  }
  for (const double value : row_) columns[k++].values.push_back(value);
}

void Recorder::sample(const State& state) {
  const Stopwatch watch(seconds_);
  sample_.at = state;
  sampler_->fill(state, sample_);
  Sink& trajectory = sinks_.front();
  write_row(trajectory, state.t);
  if (!output_)
    for (std::size_t k = 0; k < row_.size(); ++k)
      if (!std::isfinite(row_[k])) undefined_.note(columns_, k, state.t);
  sampler_->take(sample_);
  if (!output_ && !keep_) return;
  sampler_->fill_rest(sample_);
  for (Sink& sink : sinks_)
    if (&sink != &trajectory) write_row(sink, state.t);
}

void Recorder::event(const EventRecord& event) {
  const Stopwatch watch(seconds_);
  ++event_count_;
  if (!output_ && !keep_) return;
  sample_.at = event.state;
  sampler_->fill(event.state, sample_);
  write_row(events_, event.state.t, &event);
}

void Recorder::open_impacts(const System& system) {
  contact_names_.clear();
  for (int c = 0; c < system.contact_count(); ++c) contact_names_.push_back(system.contact_name(c));
  if (contact_names_.empty()) return;
  impacts_.table.file = impacts_.kept.name = "impacts.csv";
  const std::vector<std::pair<const char*, const char*>> columns = {{"speed_before", ""},
                                                                    {"speed_after", ""},
                                                                    {"normal", ""},
                                                                    {"tangential", ""},
                                                                    {"energy_lost", "J"}};
  if (output_) {
    impacts_.writer = std::make_unique<CsvWriter>(output_->add(impacts_.table.file));
    std::vector<std::string> names = {"contact"};
    for (const auto& [name, unit] : columns) names.push_back(name);
    impacts_.writer->text("t");
    impacts_.writer->header(names);
  }
  if (!keep_) return;
  impacts_.kept.columns.push_back(empty_column("t", sampler_->time_unit(), api::ColumnKind::time));
  impacts_.kept.columns.push_back(empty_column("contact", "", api::ColumnKind::event));
  for (const auto& [name, unit] : columns)
    impacts_.kept.columns.push_back(empty_column(name, unit, api::ColumnKind::event));
}

void Recorder::impact(const Impact& impact) {
  const Stopwatch watch(seconds_);
  const std::array<double, 5> numbers = {impact.speed_before, impact.speed_after, impact.normal,
                                         impact.tangential, impact.energy_lost};
  const std::string& name = contact_names_.at(impact.contact);
  if (CsvWriter* writer = impacts_.writer.get()) {
    writer->number(impact.t);
    writer->text(name);
    writer->numbers({numbers.begin(), numbers.end()});
    writer->end_row();
  }
  if (!keep_) return;
  std::vector<api::Column>& columns = impacts_.kept.columns;
  columns[0].values.push_back(impact.t);
  columns[1].words.push_back(name);
  for (std::size_t k = 0; k < numbers.size(); ++k) columns[2 + k].values.push_back(numbers[k]);
}

std::unique_ptr<RunSampler> make_sampler(const System& system, const ExtraTables& tables) {
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system))
    return std::make_unique<MechanismSampler>(*mechanism, tables);
  return std::make_unique<VariablesSampler>(dynamic_cast<const VariablesSystem&>(system));
}

std::unique_ptr<Recorder> make_recorder(const System& system, const ExtraTables& tables,
                                        OutputFolder* output, Keep keep) {
  auto recorder = std::make_unique<Recorder>(make_sampler(system, tables), output, keep);
  recorder->open_impacts(system);
  return recorder;
}

std::vector<UndefinedColumn> Recorder::undefined() const {
  std::vector<UndefinedColumn> all = undefined_.columns();
  for (const Sink& sink : sinks_) {  // the columns of events.csv are those of trajectory.csv
    if (!sink.writer) continue;
    for (UndefinedColumn column : sink.writer->undefined()) {
      if (&sink != &sinks_.front()) column.name = sink.table.file + ": " + column.name;
      all.push_back(std::move(column));
    }
  }
  return all;
}

void Recorder::mark_partial(const std::string& reason) {
  for (Sink& sink : sinks_)
    if (sink.writer) sink.writer->mark_partial(reason);
  for (Sink* sink : {&events_, &impacts_})
    if (sink->writer) sink->writer->mark_partial(reason);
}

bool Recorder::close(std::string& problem) {
  const auto close_one = [&](Sink& sink) {
    std::string reason;
    if (!sink.writer || sink.writer->close(reason)) return true;
    problem = fmt::format("cannot write '{}/{}': {}", output_->path(), sink.table.file, reason);
    return false;
  };
  for (Sink& sink : sinks_)
    if (!close_one(sink)) return false;
  return close_one(events_) && close_one(impacts_);
}

std::vector<api::Table> Recorder::take_tables() {
  std::vector<api::Table> tables;
  if (!keep_) return tables;
  for (Sink& sink : sinks_) {
    tables.push_back(std::move(sink.kept));
    if (tables.size() > 1) continue;
    tables.push_back(std::move(events_.kept));
    if (!contact_names_.empty()) tables.push_back(std::move(impacts_.kept));
  }
  return tables;
}

}  // namespace cartan::results
