#include "cli/recorder.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/core.h>

#include "cli/load.h"
#include "mechanics/variables/variables.h"

namespace cartan {
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

}  // namespace

bool read_extra_tables(const std::vector<std::string>& names, ExtraTables& tables) {
  const std::vector<std::pair<std::string, bool*>> known = {
      {"reactions", &tables.reactions},     {"multipliers", &tables.multipliers},
      {"constraints", &tables.constraints}, {"power", &tables.power},
      {"forces", &tables.forces},           {"contacts", &tables.contacts}};
  for (const std::string& name : names) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found != known.end()) {
      *found->second = true;
      continue;
    }
    const std::string near = suggestion(
        name, {"reactions", "multipliers", "constraints", "power", "forces", "contacts"});
    fmt::print(stderr, "cartan run: --record: unknown table '{}'{}\n", name,
               near.empty()
                   ? "; expected reactions, multipliers, constraints, power, forces or contacts"
                   : near);
    return false;
  }
  return true;
}

void Recorder::sample(const State& state) {
  const Stopwatch watch(seconds_);
  row_.clear();
  fill_row(state, row_);
  if (trajectory_) {
    trajectory_->number(state.t);
    trajectory_->numbers(row_);
    trajectory_->end_row();
  } else {
    for (std::size_t k = 0; k < row_.size(); ++k)
      if (!std::isfinite(row_[k])) undefined_.note(columns_, k, state.t);
  }
  take_sample(state);
}

void Recorder::event(const EventRecord& event) {
  const Stopwatch watch(seconds_);
  ++event_count_;
  if (!events_) return;
  row_.clear();
  fill_row(event.state, row_);
  events_->number(event.state.t);
  events_->text(event.name);
  events_->number(event.direction);
  events_->numbers(row_);
  events_->end_row();
}

void Recorder::open_impacts(const System& system) {
  if (system.contact_count() == 0) return;
  impacts_ = open_table("impacts.csv", {"contact", "speed_before", "speed_after", "normal",
                                        "tangential", "energy_lost"});
}

void Recorder::impact(const System& system, const Impact& impact) {
  const Stopwatch watch(seconds_);
  if (!impacts_) return;
  impacts_->number(impact.t);
  impacts_->text(system.contact_name(impact.contact));
  impacts_->numbers({impact.speed_before, impact.speed_after, impact.normal, impact.tangential,
                     impact.energy_lost});
  impacts_->end_row();
}

void Recorder::open_main_tables(std::vector<std::string> columns) {
  columns_ = columns;
  trajectory_ = open_table("trajectory.csv", columns);
  columns.insert(columns.begin(), {"event", "direction"});
  events_ = open_table("events.csv", columns);
}

CsvWriter* Recorder::open_table(const std::string& name, const std::vector<std::string>& columns) {
  if (!output_) return nullptr;
  CsvWriter& writer = tables_.emplace_back(name, output_->add(name)).writer;
  writer.text("t");
  writer.header(columns);
  return &writer;
}

std::unique_ptr<Recorder> make_recorder(const System& system, const ExtraTables& tables,
                                        OutputFolder* output) {
  if (const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system))
    return make_mechanism_recorder(*mechanism, tables, output);
  return make_variables_recorder(dynamic_cast<const VariablesSystem&>(system), output);
}

std::vector<UndefinedColumn> Recorder::undefined() const {
  std::vector<UndefinedColumn> all = undefined_.columns();
  for (const Table& table : tables_) {
    if (&table.writer == events_) continue;  // its columns are those of trajectory.csv
    for (UndefinedColumn column : table.writer.undefined()) {
      if (&table.writer != trajectory_) column.name = table.name + ": " + column.name;
      all.push_back(std::move(column));
    }
  }
  return all;
}

void Recorder::mark_partial(const std::string& reason) {
  for (Table& table : tables_) table.writer.mark_partial(reason);
}

bool Recorder::close(std::string& problem) {
  for (Table& table : tables_) {
    std::string reason;
    if (table.writer.close(reason)) continue;
    problem = fmt::format("cannot write '{}/{}': {}", output_->path(), table.name, reason);
    return false;
  }
  return true;
}

}  // namespace cartan
