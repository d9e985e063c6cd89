#include "results/run/run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/model_json.h"
#include "mechanics/machine/switched_model.h"
#include "mechanics/variables/variables.h"
#include "model/drive_motion.h"
#include "report/run_report.h"
#include "results/json_values.h"
#include "results/load/state_file.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/run/assembly_report.h"
#include "results/run/stabilisation.h"
#include "results/task.h"

namespace cartan::results {
namespace {

// Everything a run needs, ready to go.
struct Job {
  const api::RunOptions& options;
  std::unique_ptr<const Model> model;
  RunSettings settings;
  std::unique_ptr<System> system;
  State start;
  AssemblyReport assembly;
  std::unique_ptr<OutputFolder> output;  // null: nothing is written
  std::unique_ptr<Recorder> recorder;
  std::string untold_work;  // why the work of each force is not told, if so

  const MechanicalSystem* mechanism() const {
    return dynamic_cast<const MechanicalSystem*>(system.get());
  }
};

// generalized-alpha solves the constraints themselves in every step and has nothing to feed back.
void check_feedback(const api::RunOptions& o, const RunSettings& settings) {
  if (o.stabilisation != "baumgarte" || !find_integrator(settings.simulate.integrator)->index3)
    return;
  refuse_at("cartan run",
            fmt::format("--stabilisation baumgarte has no effect on {}, which satisfies the "
                        "constraints on positions in every step; use projection or none",
                        settings.simulate.integrator));
}

void choose_elimination(const std::string& name, System& system) {
  if (name.empty() || name == "two-step") return;
  if (name != "one-step")
    refuse_at("cartan run",
              fmt::format("--elimination: unknown '{}'; expected two-step or one-step", name));
  auto* mechanism = dynamic_cast<MechanicalSystem*>(&system);
  const std::string problem = mechanism ? mechanism->set_one_step_elimination()
                                        : "a file with [variables] has no multipliers";
  if (!problem.empty()) refuse_at("cartan run", "--elimination one-step: " + problem);
}

// Initial values that equations without rates decide otherwise than written.
void tell_decided_starts(const Job& job) {
  const auto* plain = dynamic_cast<const VariablesSystem*>(job.system.get());
  if (!plain) return;
  for (const VariablesSystem::DecidedStart& start : plain->decided_starts())
    tell(job.options.watch,
         fmt::format("{}: note: the equations decide {}: it starts at {:.10g} (written: {:.10g})",
                     job.model->file, job.model->variables[start.variable].name, start.used,
                     start.written));
}

// The start of the file, or another state made consistent with the constraints.
void read_start(Job& job) {
  const std::string& from = job.options.from;
  const auto* mechanism = job.mechanism();
  if (mechanism) job.assembly = mechanism->assembly();
  if (from.empty()) return tell_decided_starts(job);
  const StateValues state = read_state(from, *job.model);
  job.start = make_start(*job.system, state);
  if (!mechanism && job.system->constrained()) {
    const Projection done = job.system->project(job.start, *job.system->make_workspace());
    if (!done.problem.empty()) refuse_at(from.starts_with('{') ? "state" : from, done.problem);
  }
  if (!mechanism || !mechanism->constrained()) return;
  const auto workspace = mechanism->make_workspace();
  job.assembly = mechanism->assemble(job.start, written_start(state.q, state.v), *workspace);
  if (!job.assembly.problem.empty())
    refuse_at(from.starts_with('{') ? "state" : from, job.assembly.problem);
}

// What a user would not expect of the method or the formulation.
void tell_limits(const Job& job) {
  const api::Watch& watch = job.options.watch;
  const IntegratorInfo& method = *find_integrator(job.settings.simulate.integrator);
  if (!job.options.from.empty() && (method.order == 0 || method.index3))
    tell(watch, fmt::format(
                    "{}: note: {} remembers earlier steps and begins anew without them: the motion "
                    "differs from that of a run that never stopped by about its error",
                    job.model->file, method.name));
  if (job.settings.formulation != "generated") return;
  const SwitchedModel switched = make_switched_model(*job.model, 0);
  if (!switched.switches.empty())
    tell(watch, fmt::format("{}: warning: the formulation generated does not locate the switch in "
                            "'{}', so that every method loses its order there; use the formulation "
                            "recursive",
                            job.model->file, switched.switches[0].text));
}

// Prescribed motions over the time of this run.
void check_drives(const Job& job) {
  Location where;
  const double begin = job.start.t, end = begin + job.settings.simulate.duration;
  const std::string rough =
      find_rough_drive(*job.model, parameter_values(*job.model), begin, end, true, where);
  if (rough.empty()) return;
  Diagnostics problems(job.model->file);
  problems.error(where, rough);
  refuse(problems, consent_remedy(problems));
}

void open_output(Job& job) {
  const api::RunOptions& o = job.options;
  if (o.out.empty()) return;
  std::string problem;
  job.output = OutputFolder::open(o.out, "run", replace_if(o.force), problem);
  if (!job.output) refuse("run", problem);
}

// The folder is touched last, when everything else is in order.
void prepare(const ModelArguments& model, Job& job, Keep keep) {
  const api::RunOptions& o = job.options;
  ExtraTables extra = read_extra_tables(o.record);
  check_stabilisation("run", o.stabilisation);
  check_row_axes("run", o.rows);
  for (const auto& [asked, name] :
       {std::pair(o.report, "--report"), std::pair(o.keep_partial, "--keep-partial")})
    if (asked && o.out.empty())
      refuse_at("cartan run", fmt::format("{} writes to a folder; give --out DIR too", name));
  extra.balance = o.power;
  job.model = load_model(model, o.watch);
  if (o.power && !job.model->is_mechanism())
    refuse_at("cartan run", "--power: a file with [variables] has no energy; leave it out");
  const ExtraTables asked = extra;
  // the viewer in the report draws them
  extra.forces |= o.report && job.model->forces.size() + job.model->constraints.size() > 0;
  job.settings = choose_settings({o.formulation, o.integrator, o.step, o.duration, o.tolerance,
                                  o.spectral_radius, o.every, o.norm, o.iteration},
                                 *job.model);
  check_feedback(o, job.settings);
  job.settings.simulate.stop_requested = o.watch.stop;
  const bool stepping = find_integrator(job.settings.simulate.integrator)->steps_contacts;
  job.system = load_system(*job.model, job.settings.formulation,
                           stepping ? SystemUse::stepping : SystemUse::numbers);
  const std::string refusal = refuse_integrator(job.settings.simulate.integrator, *job.system);
  if (!refusal.empty()) refuse_at("cartan run", refusal);
  if (stepping) extra.forces = false;
  if (stepping && (asked.contacts || asked.forces || asked.cuts))
    refuse_at("cartan run",
              fmt::format("--record {}: moreau knows the impulses of whole steps, no forces at an "
                          "instant; leave it out, or use an integrator that locates contacts, such "
                          "as gl3",
                          asked.contacts ? "contacts"
                          : asked.forces ? "forces"
                                         : "cuts"));
  if (auto* mechanism = dynamic_cast<MechanicalSystem*>(job.system.get()))
    job.untold_work = mechanism->split_work();
  job.start = job.system->initial_state();
  job.settings.stabilisation = o.stabilisation;
  stabilise(o.stabilisation, *job.system, job.settings.simulate);
  choose_row_axes("run", o.rows, *job.system);
  choose_elimination(o.elimination, *job.system);
  if (extra.elements && job.settings.formulation != "rotation-elements")
    refuse_at("cartan run",
              "--record elements: R, T* and their multipliers belong to the formulation "
              "rotation-elements; give --formulation rotation-elements too");
  job.settings.row_axes = o.rows.empty() ? "joint" : o.rows;
  read_start(job);
  check_drives(job);
  tell_limits(job);
  open_output(job);
  job.recorder = make_recorder(*job.system, extra, job.output.get(), keep);
  if (!job.output) return;
  std::vector<std::string> later = {"model.json", "summary.json"};
  if (o.report) later.push_back("report.html");
  const std::string conflict = job.output->find_conflict(later);
  if (!conflict.empty()) refuse("run", conflict);
}

ErrorEstimate estimate(const Job& job, const SimulateReport& report, const StepMesh& mesh,
                       const Path& path) {
  Task task(job.options.watch, "estimating the error");
  const bool located = job.settings.formulation != "generated";
  const FirstRun first{job.settings.simulate, report, mesh, path,
                       find_order_limit(*job.model, located)};
  return estimate_error(*job.system, job.start, first,
                        [&](double fraction) { task.show(fraction); });
}

SimulateReport simulate_job(const Job& job, StepMesh& mesh, Path& path, double& noting) {
  Task task(job.options.watch, "simulating");
  Observer observer;
  PlaceReader place(*job.system);
  observer.on_sample = [&](const State& state) {
    job.recorder->sample(state);
    if (!job.options.estimate || !path.wants()) return;
    const auto begin = std::chrono::steady_clock::now();
    path.add(place(state));
    noting += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  observer.on_event = [&](const EventRecord& event) { job.recorder->event(event); };
  observer.on_impact = [&](const Impact& impact) { job.recorder->impact(impact); };
  observer.on_progress = [&](double fraction) { task.show(fraction); };
  if (job.options.estimate) observer.on_step = [&](const DenseStep& step) { mesh.add(step); };
  return simulate(*job.system, job.start, job.settings.simulate, observer);
}

RunResult carry_out(const Job& job) {
  RunResult result;
  result.model = job.model.get();
  result.settings = job.settings;
  result.start_time = job.start.t;
  Path path;
  StepMesh mesh;
  double noting = 0;  // seconds
  result.report = simulate_job(job, mesh, path, noting);
  result.wall_seconds = result.report.wall_seconds - job.recorder->seconds() - noting;
  if (job.options.estimate && result.report.ok())
    result.error = estimate(job, result.report, mesh, path);
  result.events = job.recorder->event_count();
  job.recorder->describe(result.report.final_state, result);
  result.assembly = job.assembly;
  if (job.mechanism() && result.report.ok())
    result.work =
        calc_works(*job.mechanism(), job.start, result.report.final_state, job.untold_work);
  result.balance = job.options.power;
  result.undefined = job.recorder->undefined();
  if (!result.report.ok()) result.partial = result.report.message;
  return result;
}

// Everything goes to disk beside the old files and takes their place at the very end. A run that
// did not come to its end says so in every file.
bool write_run(const Job& job, const RunResult& result, std::string& problem) {
  if (!result.partial.empty()) {
    job.recorder->mark_partial(result.partial);
    job.output->mark_partial(result.partial);
  }
  if (!job.recorder->close(problem)) return false;
  if (!job.output) return true;
  OutputFolder& output = *job.output;
  return output.write("model.json", run_model_json(*job.model, result.partial), problem) &&
         output.write("summary.json", summary_json(result, false), problem) &&
         output.commit(problem);
}

std::string first_line_after(const char* path, const std::string& key) {
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with(key)) return line.substr(line.find(':') + 2);
  return "unknown";
}

bool write_report(const ModelArguments& model, const std::string& command, const Job& job,
                  const RunResult& result, std::string& problem) {
  RunReportFacts facts;
  facts.summary = summary_text(result);
  facts.model_file = job.model->file;
  std::ifstream stream(job.model->file);
  if (model.text)
    facts.model_text = *model.text;
  else
    facts.model_text.assign(std::istreambuf_iterator<char>(stream), {});
  const std::time_t now = std::time(nullptr);
  char date[64];
  std::tm parts = {};
  std::strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &parts));
  facts.provenance = {{"command", command},
                      {"program", fmt::format("cartan {}, {}", CARTAN_VERSION, __VERSION__)},
                      {"date", date},
                      {"processor", first_line_after("/proc/cpuinfo", "model name")},
                      {"files", fmt::format("{}", fmt::join(job.output->names(), ", "))}};
  const std::string page = run_report_page(job.output->path(), facts, problem);
  return !page.empty() && job.output->append("report.html", page, problem);
}

// A run that did not come to its end.
[[noreturn]] void refuse_failure(const Job& job, const RunResult& result) {
  if (result.report.status == RunStatus::bad_options)
    refuse_at(job.model->file, result.report.message);
  std::string end = job.output ? "nothing was written" : "the run is incomplete";
  if (job.options.keep_partial) {
    std::string problem;
    end = write_run(job, result, problem)
              ? fmt::format("what there is up to t = {:g} is in {}, marked as a part",
                            result.report.final_state.t, job.output->path())
              : "nothing was written: " + problem;
  }
  fail_at(job.model->file, fmt::format("{}; {}", result.report.message, end));
}

// Numbers of the tables that are not defined, with the time of the first.
void tell_undefined(const Job& job, const RunResult& result) {
  constexpr std::size_t most = 10;
  const api::Watch& watch = job.options.watch;
  for (std::size_t k = 0; k < std::min(most, result.undefined.size()); ++k) {
    const UndefinedColumn& column = result.undefined[k];
    tell(watch,
         fmt::format(
             "{}: warning: '{}' is not defined at t = {:.9g}{}; its cells are empty there",
             job.model->file, column.name, column.first,
             column.count > 1 ? fmt::format(" and {} further times", column.count - 1) : ""));
  }
  if (result.undefined.size() > most)
    tell(watch, fmt::format("{}: warning: {} further columns have such cells", job.model->file,
                            result.undefined.size() - most));
}

}  // namespace

FinishedRun run_model(const ModelArguments& model, const api::RunOptions& options, Keep keep,
                      const std::string& command) {
  Job job{options, {}, {}, {}, {}, {}, {}, {}, {}};
  prepare(model, job, keep);
  FinishedRun run;
  run.result = carry_out(job);
  if (!run.result.report.ok()) refuse_failure(job, run.result);
  tell_undefined(job, run.result);
  if (!run.result.report.warning.empty())
    tell(options.watch, fmt::format("{}: warning: {}", job.model->file, run.result.report.warning));
  std::string problem;
  if (!write_run(job, run.result, problem)) fail("run", problem);
  if (options.report && !write_report(model, command, job, run.result, problem))
    fail_at("cartan run", "the run is written, but no report: " + problem);
  run.tables = job.recorder->take_tables();
  if (job.output) {
    run.folder = job.output->path();
    run.files = job.output->names();
  }
  run.model = std::move(job.model);
  return run;
}

std::string run_model_json(const Model& model, const std::string& partial) {
  const std::string text = model_json(model, parameter_values(model));
  if (partial.empty()) return text;
  Json json = Json::parse(text);
  json["partial"] = partial;
  return json.dump(1) + "\n";
}

void save_run(const std::vector<api::Table>& tables, const std::string& model_json,
              const std::string& summary_json, const std::string& folder, bool force) {
  std::string problem;
  const auto output = OutputFolder::open(folder, "run", replace_if(force), problem);
  if (!output) refuse("run", problem);
  for (const api::Table& table : tables) {
    CsvWriter writer(output->add(table.name));
    for (const api::Column& column : table.columns) writer.text(column.name);
    writer.end_row();
    for (std::size_t row = 0; row < table.size(); ++row) {
      for (const api::Column& column : table.columns)
        if (column.words.empty())
          writer.number(column.values[row]);
        else
          writer.text(column.words[row]);
      writer.end_row();
    }
    if (!writer.close(problem)) fail("run", problem);
  }
  if (!output->write("model.json", model_json, problem) ||
      !output->write("summary.json", summary_json, problem) || !output->commit(problem))
    fail("run", problem);
}

}  // namespace cartan::results
