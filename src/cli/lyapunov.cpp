// cartan lyapunov: how fast neighbouring motions part, and sections of the motion.
#include "analysis/lyapunov.h"

#include <chrono>

#include <fmt/format.h>

#include "cli/analysis_state.h"
#include "cli/arguments.h"
#include "cli/interrupt.h"
#include "cli/option_names.h"
#include "cli/out_option.h"
#include "cli/progress.h"
#include "io/csv.h"
#include "io/output_files.h"
#include "report/column_units.h"

namespace cartan {
namespace {

struct LyapunovArguments {
  AnalysisArguments analysis;
  std::string section, out;
  std::optional<double> duration, transient, step, tolerance;
  bool json = false, quiet = false, force = false;
};

std::optional<int> read_lyapunov_arguments(const Words& words, LyapunovArguments& o) {
  Arguments arguments(
      "lyapunov",
      "Lyapunov exponents of the motion from the initial state; with --section its crossings of a "
      "surface.",
      "  cartan lyapunov examples/roessler.toml --set a=0.398 --duration 20000\n"
      "  cartan lyapunov examples/duffing.toml --section 'sin(omega*t)' --out result");
  declare_analysis(arguments, o.analysis);
  arguments.option("--duration", "T", "time over which the average is taken; default 1000",
                   o.duration);
  arguments.option("--transient", "T", "time before it; default a tenth of the duration",
                   o.transient);
  arguments.option("--step", "H",
                   "time between orthonormalisations; default: when the displacements need it",
                   o.step);
  arguments.option("--tolerance", "TOL", "error tolerance of the integration; default 1e-9",
                   o.tolerance);
  arguments.option("--section", "EXPR", "note the states where EXPR rises through zero", o.section);
  arguments.option("--out", "DIR", "write them to section.csv in this folder", o.out);
  declare_force(arguments, o.force);
  arguments.flag("--json", "print one JSON object", o.json);
  arguments.flag("--quiet", "no progress bar", o.quiet);
  return arguments.parse(words);
}

std::string check(const LyapunovArguments& o) {
  const std::pair<const char*, std::optional<double>> lengths[] = {
      {"--duration", o.duration}, {"--tolerance", o.tolerance}, {"--step", o.step}};
  for (const auto& [name, value] : lengths)
    if (value && !(*value > 0)) return fmt::format("{}: expected a positive number", name);
  if (o.transient && !(*o.transient >= 0)) return "--transient: expected zero or more";
  if (o.section.empty() != o.out.empty()) return "--section and --out belong together";
  return "";
}

// section.csv: t and the numbers of the state.
class SectionTable {
 public:
  SectionTable(const System& system, const Model& model, const LyapunovArguments& o)
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
  void discard() {
    if (output_) output_->discard();
  }
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

void print_exponents(const Model& model, const LyapunovResult& result) {
  fmt::print("{}: Lyapunov exponents over {:g} time units ({} decompositions)\n", model.name,
             result.duration, result.decompositions);
  for (std::size_t i = 0; i < result.exponents.size(); ++i)
    fmt::print("  {:>14.8g}  +- {:.2g}\n", result.exponents[i], result.errors[i]);
}

}  // namespace

int lyapunov_command(const Words& words) {
  LyapunovArguments o;
  if (const std::optional<int> status = read_lyapunov_arguments(words, o)) return *status;
  if (const std::string wrong = check(o); !wrong.empty())
    return complain("lyapunov", wrong, exit_bad_input);
  Analysis a;
  if (!load_analysis(o.analysis, a)) return exit_bad_input;
  LyapunovOptions options;
  options.duration = o.duration.value_or(1000);
  options.transient = o.transient.value_or(options.duration / 10);
  options.step = o.step.value_or(0);
  if (o.tolerance) options.flow.tolerance = *o.tolerance;
  options.flow.stop_requested = &watch_interrupts();
  options.flow.most_steps = 1000000000;
  std::unique_ptr<StateFunction> section;
  SectionTable table(*a.system, *a.model, o);
  if (!table.problem().empty()) return complain("lyapunov", table.problem(), exit_bad_input);
  if (!o.section.empty()) {
    section = read_function(a, o.section, "--section");
    if (!section) return exit_bad_input;
    options.section = section.get();
    options.on_crossing = [&](const State& state) { table.add(state); };
  }
  const auto begin = std::chrono::steady_clock::now();
  LyapunovResult result;
  {
    Progress progress("lyapunov", !o.quiet);
    options.on_progress = [&](double fraction) { progress.show(fraction); };
    const InterruptDeadline deadline("lyapunov", [&] { table.discard(); });
    result = calc_lyapunov_exponents(*a.system, a.start, options);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!result.problem.empty())
    return complain("lyapunov", *options.flow.stop_requested ? "interrupted" : result.problem,
                    exit_failed);
  if (!table.close()) return complain("lyapunov", table.problem(), exit_failed);
  if (o.json) {
    Json json = {{"model", a.model->name},
                 {"exponents", result.exponents},
                 {"errors", result.errors},
                 {"duration", result.duration},
                 {"decompositions", result.decompositions},
                 {"evaluations", result.evaluations},
                 {"final", analysis_state_json(a, result.end)},
                 {"wall_seconds", seconds}};
    if (section) json["crossings"] = table.rows();
    print_json(json);
    return exit_done;
  }
  print_exponents(*a.model, result);
  if (section) fmt::print("Written: {}/section.csv ({} crossings)\n", o.out, table.rows());
  return exit_done;
}

}  // namespace cartan
