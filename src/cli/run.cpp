// cartan run: simulate a model, print a summary, write the motion.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/assembly_report.h"
#include "cli/interrupt.h"
#include "cli/json_values.h"
#include "cli/load.h"
#include "cli/out_option.h"
#include "cli/progress.h"
#include "cli/recorder.h"
#include "cli/run_result.h"
#include "cli/run_settings.h"
#include "cli/stabilisation.h"
#include "cli/state_file.h"
#include "io/model_json.h"
#include "io/output_files.h"
#include "mechanics/machine/switched_model.h"
#include "model/drive_motion.h"
#include "report/run_report.h"

namespace cartan {
namespace {

struct RunCommandArguments {
  ModelArguments model;
  RunArguments run;
  std::string from, out, stabilisation = "projection", estimate = "on";
  std::vector<std::string> record;
  bool power = false, report = false, json = false, quiet = false;
  bool keep_partial = false, force = false;
};

std::optional<int> read_command_line(const Words& words, RunCommandArguments& o) {
  Arguments arguments("run", "Simulate a model: print a summary and, with --out, write the motion.",
                      "  cartan run examples/heavy_top.toml --duration 2 --out result\n"
                      "  cartan run examples/heavy_top.toml --from result --duration 2 --out more");
  declare_model(arguments, o.model);
  const SimulateOptions fallback;
  declare_formulation(arguments, o.run.formulation);
  arguments.option("--integrator", "NAME",
                   fmt::format("how they are integrated: {} (default: the file's, else {})",
                               integrator_names(), fallback.integrator),
                   o.run.integrator);
  arguments.option("--step", "H",
                   fmt::format("step of fixed-step methods, recording interval of adaptive ones "
                               "(default: the file's, else {:g})",
                               fallback.step),
                   o.run.step);
  declare_duration_and_tolerance(arguments, o.run);
  arguments.option("--spectral-radius", "RHO",
                   fmt::format("generalized-alpha: what a step leaves of motions much faster than "
                               "it, 0 to 1 (default: {:g})",
                               fallback.spectral_radius),
                   o.run.spectral_radius);
  arguments.option(
      "--every", "K",
      fmt::format("record every K-th step (default: the file's, else {})", fallback.every),
      o.run.every);
  arguments.option(
      "--from", "STATE",
      "start from a STATE.json, a trajectory.csv or the folder of an earlier run (its end)",
      o.from);
  arguments.list(
      "--record", "LIST",
      "further tables: reactions,multipliers,constraints,power,forces,contacts (need --out)",
      o.record);
  arguments.flag("--power",
                 "the balance T' + V' = P at every sample: columns of trajectory.csv, largest "
                 "residual",
                 o.power);
  declare_stabilisation(arguments, o.stabilisation);
  arguments.option(
      "--estimate", "on|off",
      "estimate the error of the end by a second run of about half the time; default on",
      o.estimate);
  arguments.option("--out", "DIR",
                   "write trajectory.csv, bodies.csv, events.csv, ... to this folder", o.out);
  declare_force(arguments, o.force);
  arguments.flag(
      "--keep-partial",
      "write what a run that fails or is interrupted has come to, marked as a part (needs "
      "--out)",
      o.keep_partial);
  arguments.flag("--report",
                 "also write report.html: summary, charts, viewer, provenance (needs --out)",
                 o.report);
  arguments.flag("--json", "print one JSON object instead of the summary", o.json);
  arguments.flag("--quiet", "print nothing but errors", o.quiet);
  return arguments.parse(words);
}

// Everything a run needs, ready to go.
struct Job {
  std::unique_ptr<const Model> model;
  RunSettings settings;
  std::unique_ptr<System> system;
  State start;
  AssemblyReport assembly;
  std::unique_ptr<OutputFolder> output;  // null: nothing is written
  std::unique_ptr<Recorder> recorder;
  bool balance = false, estimate = true;
  std::string untold_work;  // why the work of each force is not told, if so

  const MechanicalSystem* mechanism() const {
    return dynamic_cast<const MechanicalSystem*>(system.get());
  }
};

// generalized-alpha solves the constraints themselves in every step and has nothing to feed back.
bool check_feedback(const RunCommandArguments& o, const RunSettings& settings) {
  if (o.stabilisation != "baumgarte" || !find_integrator(settings.simulate.integrator)->index3)
    return true;
  fmt::print(stderr,
             "cartan run: --stabilisation baumgarte has no effect on {}, which satisfies the "
             "constraints on positions in every step; use projection or none\n",
             settings.simulate.integrator);
  return false;
}

// The start of the file, or another state made consistent with the constraints.
bool read_start(const RunCommandArguments& o, Job& job) {
  const auto* mechanism = job.mechanism();
  if (mechanism) job.assembly = mechanism->assembly();
  if (o.from.empty()) return true;
  const std::optional<StateValues> state = read_state(o.from, *job.model);
  if (!state) return false;
  job.start = make_start(*job.system, *state);
  if (!mechanism || !mechanism->constrained()) return true;
  const auto workspace = mechanism->make_workspace();
  job.assembly = mechanism->assemble(job.start, written_start(state->q, state->v), *workspace);
  if (job.assembly.problem.empty()) return true;
  fmt::print(stderr, "{}: {}\n", o.from, job.assembly.problem);
  return false;
}

// What a user would not expect of the method or the formulation.
void tell_limits(const RunCommandArguments& o, const Job& job) {
  if (o.quiet) return;
  const IntegratorInfo& method = *find_integrator(job.settings.simulate.integrator);
  if (!o.from.empty() && (method.order == 0 || method.index3))
    fmt::print(stderr,
               "{}: note: {} remembers earlier steps and begins anew without them: the motion "
               "differs from that of a run that never stopped by about its error\n",
               job.model->file, method.name);
  if (job.settings.formulation != "generated") return;
  const SwitchedModel switched = make_switched_model(*job.model, 0);
  if (!switched.switches.empty())
    fmt::print(stderr,
               "{}: warning: the formulation generated does not locate the switch in '{}', so that "
               "every method loses its order there; use the formulation recursive\n",
               job.model->file, switched.switches[0].text);
}

// Prescribed motions over the time of this run.
bool check_drives(const Job& job) {
  Location where;
  const double begin = job.start.t, end = begin + job.settings.simulate.duration;
  const std::string rough =
      find_rough_drive(*job.model, parameter_values(*job.model), begin, end, true, where);
  if (rough.empty()) return true;
  Diagnostics problems(job.model->file);
  problems.error(where, rough);
  print_findings(problems);
  return false;
}

// False after a complaint: bad input. The folder is touched last, when everything else is in order.
bool prepare(const RunCommandArguments& o, Job& job) {
  ExtraTables extra;
  if (!read_extra_tables(o.record, extra) || !check_stabilisation("run", o.stabilisation))
    return false;
  if (extra.any() && o.out.empty()) {
    fmt::print(stderr, "cartan run: --record writes tables to a folder; give --out DIR too\n");
    return false;
  }
  if (o.report && o.out.empty()) {
    fmt::print(stderr, "cartan run: --report writes to a folder; give --out DIR too\n");
    return false;
  }
  if (o.estimate != "on" && o.estimate != "off") {
    fmt::print(stderr, "cartan run: --estimate: expected on or off, got '{}'\n", o.estimate);
    return false;
  }
  // nobody would read it otherwise
  job.estimate = o.estimate == "on" && (!o.quiet || o.json || !o.out.empty());
  if (o.keep_partial && o.out.empty()) {
    fmt::print(stderr, "cartan run: --keep-partial writes to a folder; give --out DIR too\n");
    return false;
  }
  extra.balance = job.balance = o.power;
  job.model = load_model(o.model, o.quiet);
  if (!job.model) return false;
  if (o.power && !job.model->is_mechanism()) {
    fmt::print(stderr,
               "cartan run: --power: a file with [variables] has no energy; leave it out\n");
    return false;
  }
  // the viewer in the report draws them
  extra.forces |= o.report && job.model->forces.size() + job.model->constraints.size() > 0;
  const std::optional<RunSettings> settings = choose_settings(o.run, *job.model);
  if (!settings) return false;
  job.settings = *settings;
  if (!check_feedback(o, job.settings)) return false;
  job.settings.simulate.stop_requested = &watch_interrupts();
  job.system = load_system(*job.model, job.settings.formulation);
  if (!job.system) return false;
  const std::string refusal = refuse_integrator(job.settings.simulate.integrator, *job.system);
  if (!refusal.empty()) {
    fmt::print(stderr, "cartan run: {}\n", refusal);
    return false;
  }
  if (auto* mechanism = dynamic_cast<MechanicalSystem*>(job.system.get()))
    job.untold_work = mechanism->split_work();
  job.start = job.system->initial_state();
  job.settings.stabilisation = o.stabilisation;
  stabilise(o.stabilisation, *job.system, job.settings.simulate);
  if (!read_start(o, job) || !check_drives(job)) return false;
  tell_limits(o, job);
  if (!o.out.empty()) {
    std::string problem;
    job.output = OutputFolder::open(o.out, "run", replace_if(o.force), problem);
    if (!job.output) {
      complain("run", problem);
      return false;
    }
  }
  job.recorder = make_recorder(*job.system, extra, job.output.get());
  if (!job.output) return true;
  std::vector<std::string> later = {"model.json", "summary.json"};
  if (o.report) later.push_back("report.html");
  const std::string conflict = job.output->find_conflict(later);
  if (!conflict.empty()) complain("run", conflict);
  return conflict.empty();
}

ErrorEstimate estimate(const Job& job, const SimulateReport& report, const Path& path,
                       bool show_progress) {
  Progress progress("estimating the error", show_progress);
  return estimate_error(*job.system, job.start, job.settings.simulate, report, path,
                        [&](double fraction) { progress.show(fraction); });
}

RunResult simulate(const Job& job, bool show_progress) {
  Progress progress("simulating", show_progress);
  Observer observer;
  PlaceReader place(*job.system);
  Path path;
  double noting = 0;  // seconds
  observer.on_sample = [&](const State& state) {
    job.recorder->sample(state);
    if (!job.estimate || !path.wants()) return;
    const auto begin = std::chrono::steady_clock::now();
    path.add(place(state));
    noting += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  observer.on_event = [&](const EventRecord& event) { job.recorder->event(event); };
  observer.on_impact = [&](const Impact& impact) { job.recorder->impact(*job.system, impact); };
  observer.on_progress = [&](double fraction) { progress.show(fraction); };

  RunResult result;
  result.model = job.model.get();
  result.settings = job.settings;
  result.start_time = job.start.t;
  result.report = cartan::simulate(*job.system, job.start, job.settings.simulate, observer);
  result.wall_seconds = result.report.wall_seconds - job.recorder->seconds() - noting;
  if (job.estimate && result.report.ok())
    result.error = estimate(job, result.report, path, show_progress);
  result.events = job.recorder->event_count();
  job.recorder->describe(result.report.final_state, result);
  result.assembly = job.assembly;
  if (job.mechanism() && result.report.ok())
    result.work =
        calc_works(*job.mechanism(), job.start, result.report.final_state, job.untold_work);
  result.balance = job.balance;
  result.undefined = job.recorder->undefined();
  if (!result.report.ok()) result.partial = result.report.message;
  return result;
}

std::string model_text(const Job& job, const std::string& partial) {
  const std::string text = model_json(*job.model, parameter_values(*job.model));
  if (partial.empty()) return text;
  Json json = Json::parse(text);
  json["partial"] = partial;
  return json.dump(1) + "\n";
}

// Everything goes to disk beside the old files and takes their place at the very end. A run that
// did not come to its end says so in every file.
bool write_results(const Job& job, const RunResult& result, std::string& problem) {
  if (!result.partial.empty()) {
    job.recorder->mark_partial(result.partial);
    job.output->mark_partial(result.partial);
  }
  if (!job.recorder->close(problem)) return false;
  if (!job.output) return true;
  OutputFolder& output = *job.output;
  return output.write("model.json", model_text(job, result.partial), problem) &&
         output.write("summary.json", summary_json(result, false), problem) &&
         output.commit(problem);
}

std::string first_line_after(const char* path, const std::string& key) {
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(key)) return line.substr(line.find(':') + 2);
  return "unknown";
}

bool write_report(const Words& words, const Job& job, const RunResult& result,
                  std::string& problem) {
  RunReportFacts facts;
  facts.summary = summary_text(result);
  facts.model_file = job.model->file;
  std::ifstream stream(job.model->file);
  facts.model_text.assign(std::istreambuf_iterator<char>(stream), {});
  const std::time_t now = std::time(nullptr);
  char date[64];
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", std::gmtime(&now));
  facts.provenance = {{"command", fmt::format("cartan run {}", fmt::join(words, " "))},
                      {"program", fmt::format("cartan {}, {}", CARTAN_VERSION, __VERSION__)},
                      {"date", date},
                      {"processor", first_line_after("/proc/cpuinfo", "model name")},
                      {"files", fmt::format("{}", fmt::join(job.output->names(), ", "))}};
  const std::string& folder = job.output->path();
  const std::string page = run_report_page(folder, facts, problem);
  return !page.empty() && job.output->append("report.html", page, problem);
}

// The exit status of a run that did not come to its end.
int tell_failure(const RunCommandArguments& o, const Job& job, const RunResult& result) {
  if (result.report.status == RunStatus::bad_options) {
    fmt::print(stderr, "{}: {}\n", job.model->file, result.report.message);
    return exit_bad_input;
  }
  std::string end = job.output ? "nothing was written" : "the run is incomplete";
  if (o.keep_partial) {
    std::string problem;
    end = write_results(job, result, problem)
              ? fmt::format("what there is up to t = {:g} is in {}, marked as a part",
                            result.report.final_state.t, job.output->path())
              : "nothing was written: " + problem;
  }
  fmt::print(stderr, "{}: {}; {}\n", job.model->file, result.report.message, end);
  return exit_failed;
}

// Numbers of the tables that are not defined, with the time of the first.
void tell_undefined(const Job& job, const RunResult& result) {
  constexpr std::size_t most = 10;
  for (std::size_t k = 0; k < std::min(most, result.undefined.size()); ++k) {
    const UndefinedColumn& column = result.undefined[k];
    fmt::print(stderr,
               "{}: warning: '{}' is not defined at t = {:.9g}{}; its cells are empty there\n",
               job.model->file, column.name, column.first,
               column.count > 1 ? fmt::format(" and {} further times", column.count - 1) : "");
  }
  if (result.undefined.size() > most)
    fmt::print(stderr, "{}: warning: {} further columns have such cells\n", job.model->file,
               result.undefined.size() - most);
}

}  // namespace

int run_command(const Words& words) {
  RunCommandArguments options;
  if (const std::optional<int> status = read_command_line(words, options)) return *status;
  Job job;
  if (!prepare(options, job)) return exit_bad_input;
  const RunResult result = simulate(job, !options.quiet);
  if (!result.report.ok()) return tell_failure(options, job, result);
  if (!options.quiet) tell_undefined(job, result);
  if (!result.report.warning.empty() && !options.quiet)
    fmt::print(stderr, "{}: warning: {}\n", job.model->file, result.report.warning);
  std::string problem;
  if (!write_results(job, result, problem)) {
    complain("run", problem);
    return exit_failed;
  }
  if (options.report && !write_report(words, job, result, problem)) {
    fmt::print(stderr, "cartan run: the run is written, but no report: {}\n", problem);
    return exit_failed;
  }
  if (options.json) {
    fmt::print("{}", summary_json(result, true));
  } else if (!options.quiet) {
    fmt::print("{}", summary_text(result));
    if (job.output)
      fmt::print("\nWritten to {}: {}\n", job.output->path(), fmt::join(job.output->names(), ", "));
  }
  return exit_done;
}

}  // namespace cartan
