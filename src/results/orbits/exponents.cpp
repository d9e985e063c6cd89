#include "results/orbits/exponents.h"

#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/csv.h"
#include "io/output_files.h"
#include "report/column_units.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

std::string check_exponents(const api::LyapunovOptions& o) {
  const std::pair<const char*, std::optional<double>> lengths[] = {
      {"--duration", std::optional(o.duration)}, {"--tolerance", o.tolerance}, {"--step", o.step}};
  for (const auto& [name, value] : lengths)
    if (value && !(*value > 0)) return fmt::format("{}: expected a positive number", name);
  if (o.transient && !(*o.transient >= 0)) return "--transient: expected zero or more";
  if (o.section.empty() != o.out.empty()) return "--section and --out belong together";
  return "";
}

// The average is taken over parts of the duration, whose times must differ.
std::string check_resolution(double start, const LyapunovOptions& options) {
  const double end = std::fabs(start) + options.transient + options.duration;
  const double shortest = 1e4 * std::numeric_limits<double>::epsilon() * end;
  if (options.duration >= shortest) return "";
  return fmt::format(
      "--duration is {:g}, but around t = {:g} durations below {:.2g} cannot be told apart; use a "
      "longer duration, a shorter transient or a start nearer to t = 0",
      options.duration, end, shortest);
}

// section.csv: t and the numbers of the state.
class SectionTable {
 public:
  SectionTable(const System& system, const Model& model, const api::LyapunovOptions& o)
      : system_(system) {
    if (o.out.empty()) return;
    output_ = OutputFolder::open(o.out, "lyapunov", replace_if(o.force), problem_);
    if (!output_) return;
    table_ = std::make_unique<CsvWriter>(output_->add("section.csv"));
    std::vector<std::string> names = {"t"};
    for (int i = 0; i < size(); ++i) names.push_back(system.component_name(i));
    table_->header(names);
    if (output_->write("units.json",
                       ColumnUnits::of(model).json_for(fmt::format("{}", fmt::join(names, ","))),
                       problem_))
      problem_ = output_->find_conflict();
  }
  void add(const State& state) {
    table_->number(state.t);
    for (int i = 0; i < size(); ++i) table_->number(state.x[i]);
    table_->end_row();
    ++rows_;
  }
  bool close() { return !table_ || (table_->close(problem_) && output_->commit(problem_)); }
  const std::string& problem() const { return problem_; }
  long rows() const { return rows_; }

 private:
  int size() const { return system_.space().size() - system_.quadratures(); }

  const System& system_;
  std::unique_ptr<OutputFolder> output_;
  std::unique_ptr<CsvWriter> table_;
  std::string problem_;
  long rows_ = 0;
};

}  // namespace

MotionExponents calc_model_exponents(const ModelArguments& model, const api::LyapunovOptions& o) {
  if (const std::string wrong = check_exponents(o); !wrong.empty()) refuse("lyapunov", wrong);
  MotionExponents found;
  found.analysis = load_analysis({model, o.formulation, o.from}, o.watch);
  const Analysis& a = found.analysis;
  LyapunovOptions options;
  options.duration = o.duration;
  options.transient = o.transient.value_or(options.duration / 10);
  if (const std::string wrong = check_resolution(a.start.t, options); !wrong.empty())
    refuse("lyapunov", wrong);
  options.step = o.step.value_or(0);
  if (o.tolerance) options.flow.tolerance = *o.tolerance;
  options.flow.stop_requested = o.watch.stop;
  options.flow.most_steps = 1000000000;
  std::unique_ptr<StateFunction> section;
  SectionTable table(*a.system, *a.model, o);
  if (!table.problem().empty()) refuse("lyapunov", table.problem());
  if (!o.section.empty()) {
    section = read_function(a, o.section, "--section");
    options.section = section.get();
    options.on_crossing = [&](const State& state) { table.add(state); };
  }
  const auto begin = std::chrono::steady_clock::now();
  {
    Task task(o.watch, "lyapunov");
    options.on_progress = [&](double fraction) { task.show(fraction); };
    found.result = calc_lyapunov_exponents(*a.system, a.start, options);
  }
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!found.result.problem.empty())
    fail("lyapunov", o.watch.stop && *o.watch.stop ? "interrupted" : found.result.problem);
  if (!table.close()) fail("lyapunov", table.problem());
  if (section) found.crossings = table.rows();
  return found;
}

Json exponents_json(const MotionExponents& found) {
  const LyapunovResult& result = found.result;
  Json json = {{"model", found.analysis.model->name},
               {"exponents", result.exponents},
               {"errors", result.errors},
               {"duration", result.duration},
               {"decompositions", result.decompositions},
               {"evaluations", result.evaluations},
               {"final", analysis_state_json(found.analysis, result.end)},
               {"wall_seconds", found.seconds}};
  if (found.crossings) json["crossings"] = *found.crossings;
  return json;
}

}  // namespace cartan::results
