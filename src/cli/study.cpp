// cartan study: many runs of one model with numbers that vary.
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/progress.h"
#include "results/load/load.h"
#include "results/load/model_variants.h"
#include "results/option_names.h"
#include "results/refusal.h"
#include "results/run/run_settings.h"
#include "study/netcdf_file.h"
#include "study/runs_netcdf.h"
#include "study/study_record.h"
#include "study/study_run.h"
#include "study/study_tables.h"

namespace cartan {
namespace fs = std::filesystem;
namespace {

constexpr double most_numbers_in_memory = 5e7;

struct StudyArguments {
  ModelArguments model;  // its path: a study file or a model
  std::vector<std::string> vary, keep;
  std::optional<double> runs, seed, trajectories;
  std::optional<int> threads;
  std::string sampling, indices, backend, part, out;
  RunArguments run;
  bool resume = false, force = false, json = false, quiet = false;
};

std::optional<int> read_study_arguments(const Words& words, StudyArguments& o) {
  Arguments arguments(
      "study",
      "Run a model many times with numbers that vary: samples, tables or grids; keep a few "
      "quantities of every run; print their statistics and Sobol indices.",
      "  cartan study examples/studies/pendulum_period.toml --out result\n"
      "  cartan study examples/pendulum.toml --vary \"tilt=uniform(0.1,1.5)\" --runs 1000 \\\n"
      "    --keep \"lowest=min(potential)\"\n"
      "  cartan study study.toml --out result --resume\n"
      "  cartan study study.toml --out result --part 3/16");
  arguments.positional("STUDY", "study file, or a model file with --vary, --keep and --runs",
                       o.model.path);
  arguments.repeated("--vary", "NAME=LAW",
                     "a parameter or initial value (JOINT.q, JOINT.v, VARIABLE) and how it varies: "
                     "uniform(LOW,HIGH), normal(MEAN,DEVIATION), lognormal(MEAN,DEVIATION of the "
                     "logarithm), triangular(LOW,MODE,HIGH), values(..), table(FILE,COLUMN), "
                     "lin(A,B,N), log(A,B,N), grid(..); repeatable",
                     o.vary);
  arguments.repeated("--keep", "NAME=HOW",
                     "what is kept of a run: final(EXPR), max, min, mean, rms, integral, at(TIME, "
                     "EXPR), event(NAME, EXPR), count(NAME); repeatable",
                     o.keep);
  arguments.option("--runs", "N", "how many samples; a grid multiplies them", o.runs);
  arguments.option("--sampling", "HOW", "sobol (default), latin-hypercube, random", o.sampling);
  arguments.option("--seed", "N", "of the samples (default: 1)", o.seed);
  arguments.option(
      "--indices", "on|off",
      "Sobol indices (default: where two or more inputs are sampled by sobol or random "
      "and there is no grid)",
      o.indices);
  arguments.option("--trajectories", "N", "keep the whole motion of so many runs (needs --out)",
                   o.trajectories);
  declare_formulation(arguments, o.run.formulation);
  arguments.option("--integrator", "NAME",
                   fmt::format("{} (default: the file's, else {})", integrator_names(),
                               SimulateOptions().integrator),
                   o.run.integrator);
  arguments.option("--step", "H", "as for `run` (default: the file's)", o.run.step);
  declare_duration_and_tolerance(arguments, o.run.duration, o.run.tolerance);
  arguments.option("--backend", "NAME",
                   "who computes: reference, run by run as `run` does (default); cpu, runs side by "
                   "side in SIMD lanes; gpu, one thread of an NVIDIA GPU per run",
                   o.backend);
  arguments.option("--threads", "N", "default: one per core", o.threads);
  arguments.option("--out", "DIR",
                   "write runs.csv, runs.nc, summary.json; blocks of runs as they end", o.out);
  arguments.flag("--resume", "go on with the study in --out, which was interrupted", o.resume);
  arguments.option(
      "--part", "K/N",
      "compute only the K-th of N parts into --out; whoever ends last makes the tables", o.part);
  declare_force(arguments, o.force);
  arguments.repeated("--set", "NAME=VALUE", "override an entry of [parameters]; repeatable",
                     o.model.sets);
  declare_consent(arguments, o.model);
  arguments.flag("--json", "print one JSON object: what summary.json holds", o.json);
  arguments.flag("--quiet", "print nothing but errors", o.quiet);
  return arguments.parse(words);
}

struct StudyJob {
  StudyText text;
  std::optional<Study> study;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<BlockStore> store;
  FolderStore* folder = nullptr;  // the store, where it is one
  std::unique_ptr<OutputFolder> output;
  std::string record;
  std::uint64_t part = 1, parts = 1;
  int threads = 1;
  std::vector<std::string> notes;
};

// "3/16"
bool read_part(const std::string& words, StudyJob& job) {
  const std::size_t slash = words.find('/');
  const auto whole = [](const std::string& text) -> std::uint64_t {
    const bool digits = !text.empty() && text.size() < 10 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? std::stoull(text) : 0;
  };
  if (slash == std::string::npos) return false;
  job.part = whole(words.substr(0, slash));
  job.parts = whole(words.substr(slash + 1));
  return job.part >= 1 && job.parts >= job.part;
}

std::string find_bad_option(const StudyArguments& o, StudyJob& job) {
  if (!o.part.empty() && !read_part(o.part, job))
    return fmt::format("--part {}: expected K/N with K from 1 to N", o.part);
  if (o.out.empty()) {
    if (o.resume) return "--resume needs --out, the folder of the study";
    if (!o.part.empty()) return "--part needs --out, the folder all parts write to";
    if (o.trajectories.value_or(0) > 0) return "--trajectories needs --out";
  }
  if (o.resume && o.force) return "--resume goes on with what --force would replace";
  if (o.force && !o.part.empty()) return "--force would replace what other parts have written";
  if (o.threads && *o.threads < 1)
    return fmt::format("--threads is {}; expected at least 1", *o.threads);
  if (!o.indices.empty() && o.indices != "on" && o.indices != "off")
    return fmt::format("--indices {}: expected on or off", o.indices);
  static const std::vector<std::string> backends = {"reference", "cpu", "gpu"};
  if (!o.backend.empty() &&
      std::find(backends.begin(), backends.end(), o.backend) == backends.end()) {
    const std::string near = suggestion(o.backend, backends);
    return fmt::format("--backend: there is no '{}'{}", o.backend,
                       near.empty() ? "; expected reference, cpu or gpu" : near);
  }
  return "";
}

// Words of the command line come on top of what the file says; of one name they replace it.
void add_words(const StudyArguments& o, StudyText& text, Diagnostics& problems) {
  StudyText more;
  for (const std::string& words : o.vary) read_vary_words(words, more, problems);
  for (const std::string& words : o.keep) read_keep_words(words, more, problems);
  const auto drop = [](auto& list, const std::string& name) {
    std::erase_if(list, [&](const auto& item) { return item.name == name; });
  };
  for (const InputText& input : more.inputs) drop(text.inputs, input.name);
  for (const KeepText& keep : more.keeps) drop(text.keeps, keep.name);
  for (InputText& input : more.inputs) {
    if (!input.file.empty()) input.file = fs::absolute(input.file).string();
    text.inputs.push_back(std::move(input));
  }
  for (KeepText& keep : more.keeps) text.keeps.push_back(std::move(keep));
  if (o.runs) text.runs = o.runs, text.runs_where = {};
  if (o.runs && *o.runs != std::floor(*o.runs))
    problems.error({}, fmt::format("--runs {:g}: expected a whole number", *o.runs));
  if (o.seed) text.seed = o.seed, text.seed_where = {};
  if (o.seed && *o.seed != std::floor(*o.seed))
    problems.error({}, fmt::format("--seed {:g}: expected a whole number", *o.seed));
  if (o.trajectories) text.trajectories = o.trajectories, text.trajectories_where = {};
  if (!o.sampling.empty()) text.sampling = o.sampling, text.sampling_where = {};
  if (!o.indices.empty()) text.indices = o.indices == "on", text.indices_where = {};
  SimulateText& s = text.simulate;
  if (!o.run.formulation.empty()) s.formulation = o.run.formulation, s.formulation_where = {};
  if (!o.run.integrator.empty()) s.integrator = o.run.integrator, s.integrator_where = {};
  if (o.run.step) s.step = Value(*o.run.step);
  if (o.run.duration) s.duration = Value(*o.run.duration);
  if (o.run.tolerance) s.tolerance = Value(*o.run.tolerance);
}

bool read_study(StudyArguments& o, StudyJob& job) {
  std::error_code ignored;
  if (!fs::exists(o.model.path, ignored))
    refuse_at(o.model.path, "there is no such file" + suggest_file(o.model.path));
  const bool file = looks_like_study(o.model.path);
  Diagnostics problems(file ? o.model.path : "cartan study");
  if (file) {
    if (std::optional<StudyText> text = read_study_file(o.model.path, problems)) job.text = *text;
  } else {
    job.text.model = o.model.path;
  }
  add_words(o, job.text, problems);
  if (job.text.model.empty() || problems.has_errors()) refuse(problems);
  ModelArguments model = o.model;
  if (file) model.path = (fs::path(job.text.folder) / job.text.model).string();
  if (!fs::exists(model.path, ignored)) {
    problems.error(job.text.model_where, fmt::format("there is no model file '{}'{}", model.path,
                                                     suggest_file(model.path)));
    refuse(problems);
  }
  const std::unique_ptr<const Model> plain = load_model(model, o.quiet);
  const ModelDescription description = read_description(model);
  Overrides overrides;
  for (const std::string& text : o.model.sets) {
    const std::size_t equals = text.find('=');
    overrides.emplace_back(text.substr(0, equals), Value(text.substr(equals + 1)));
  }
  job.study = make_study(job.text, description, *plain, overrides, problems);
  if (!job.study) refuse(problems);
  if (!o.quiet) fmt::print(stderr, "{}", problems.text());
  return true;
}

void note_choices(StudyJob& job) {
  const Study& study = *job.study;
  const Design& design = study.design;
  if (design.has_indices() && study.asked_runs &&
      static_cast<double>(design.samples()) != *study.asked_runs)
    job.notes.push_back(fmt::format(
        "{} of the {:.0f} runs asked for: {} base points of {} runs each, for Sobol indices",
        design.samples(), *study.asked_runs, design.base_points(), design.runs_per_base_point()));
  if (!design.has_indices() && design.sampled_count() >= 2 && !job.text.indices)
    job.notes.push_back(design.grid_points() > 1 ? "no Sobol indices: there is a grid"
                        : design.sampling() == Sampling::latin_hypercube
                            ? "no Sobol indices: they need the sampling sobol or random"
                            : "no Sobol indices: there are too few runs, or a table of samples");
  bool samples = design.sampled_count() > 0;
  for (const Distribution& d : design.inputs()) samples |= d.is_table();
  if (!samples && study.asked_runs && *study.asked_runs != 1)
    job.notes.push_back("nothing is sampled, so that 'runs' has no effect: the grid says how many");
}

// The store of blocks and the folder of tables.
bool open_store(const StudyArguments& o, StudyJob& job, std::string& problem) {
  const Study& study = *job.study;
  const BlockPlan plan(study.design.runs());
  if (o.out.empty()) {
    const double numbers =
        static_cast<double>(plan.runs) * static_cast<double>(study.columns() + 1);
    if (numbers > most_numbers_in_memory) {
      problem = fmt::format(
          "{} runs do not fit into memory; name a folder with --out, to which they "
          "are written as they end",
          plan.runs);
      return false;
    }
    job.store = make_memory_store(plan);
    return true;
  }
  job.record = make_record(study, job.backend->name(), o.model.sets);
  if (o.part.empty()) {
    job.output = OutputFolder::open(o.out, "study", replace_if(o.force), problem);
    if (!job.output) return false;
    problem =
        job.output->find_conflict({"runs.csv", "runs_thinned.csv", "runs.nc", "summary.json"});
    if (!problem.empty()) return false;
  }
  using Use = FolderStore::Use;
  const Use use = !o.part.empty() ? Use::part
                  : o.resume      ? Use::resume
                  : o.force       ? Use::replace
                                  : Use::fresh;
  std::unique_ptr<FolderStore> folder = FolderStore::open(o.out, plan, job.record, use, problem);
  if (!folder) return false;
  if (use == Use::resume || use == Use::part) folder->scan();
  job.folder = folder.get();
  job.store = std::move(folder);
  return true;
}

bool prepare_study(StudyArguments& o, StudyJob& job) {
  std::string problem = find_bad_option(o, job);
  if (!problem.empty()) {
    complain("study", problem);
    return false;
  }
  if (!read_study(o, job)) return false;
  job.backend = make_backend(o.backend, *job.study, job.notes, problem);
  if (!job.backend) {
    fmt::print(stderr, "{}: {}\n", job.study->model->file, problem);
    return false;
  }
  if (job.study->trajectories > 0 && o.out.empty()) {
    job.study->trajectories = 0;
    job.notes.push_back("no trajectories: they are written to the folder --out");
  }
  job.threads =
      o.threads.value_or(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  note_choices(job);
  if (!open_store(o, job, problem)) {
    complain("study", name_options(problem));
    return false;
  }
  return true;
}

// A bar on a terminal; elsewhere (the log of a batch job) a line a minute.
class StudyProgress {
 public:
  explicit StudyProgress(bool wanted)
      : bar_("computing runs", wanted), lines_(wanted && !isatty(STDERR_FILENO)) {}
  void show(std::uint64_t done, std::uint64_t all) {
    const double fraction = all ? static_cast<double>(done) / static_cast<double>(all) : 1;
    bar_.show(fraction);
    const auto now = Clock::now();
    if (!lines_ || now - last_ < std::chrono::minutes(1)) return;
    last_ = now;
    const double spent = std::chrono::duration<double>(now - begin_).count();
    fmt::print(stderr, "cartan study: {} of {} runs{}\n", done, all,
               done ? fmt::format(", about {:.0f} s left", spent * (1 - fraction) / fraction) : "");
  }

 private:
  using Clock = std::chrono::steady_clock;
  Progress bar_;
  bool lines_;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

// runs.csv, runs.nc, summary.json and trajectories.
bool write_results_of(const StudyArguments& o, StudyJob& job, const StudyStatistics& statistics,
                      StudyProvenance& provenance, std::string& problem) {
  const Study& study = *job.study;
  if (!job.output) job.output = OutputFolder::open(o.out, "study", Replace::no, problem);
  if (!job.output) return false;
  OutputFolder& output = *job.output;
  if (!write_runs_csv(study, *job.store, output, problem)) return false;
  if (const std::string missing = NetcdfFile::missing(); missing.empty()) {
    if (!write_runs_netcdf(study, *job.store, job.record, output.add("runs.nc"), problem))
      return false;
  } else {
    provenance.notes.push_back(name_options(fmt::format("there is no runs.nc: {}", missing)));
  }
  std::uint64_t count = 0;
  if (study.trajectories > 0 && !write_trajectories(*job.store, o.out, count, problem))
    return false;
  return output.write("summary.json", study_json(study, statistics, provenance), problem) &&
         output.commit(problem);
}

std::string what_is_there(const StudyJob& job, std::uint64_t missing) {
  if (!job.folder) return "nothing was written";
  const std::uint64_t all = job.store->plan().count();
  return fmt::format("{} of {} blocks are there; go on with --resume", all - missing, all);
}

int tell_part(const StudyArguments& o, const StudyJob& job, std::uint64_t missing) {
  const std::uint64_t all = job.store->plan().count();
  if (o.json)
    fmt::print(
        "{{\n \"part\": {},\n \"parts\": {},\n \"blocks\": {},\n \"missing_blocks\": {}\n}}\n",
        job.part, job.parts, all, missing);
  else if (!o.quiet)
    fmt::print(
        "part {} of {} is done: {} of {} blocks are there; whoever ends last makes the "
        "tables, or --resume does\n",
        job.part, job.parts, all - missing, all);
  return exit_done;
}

}  // namespace

int study_command(const Words& words) {
  StudyArguments o;
  if (const std::optional<int> status = read_study_arguments(words, o)) return *status;
  StudyJob job;
  if (!prepare_study(o, job)) return exit_bad_input;
  const auto begin = std::chrono::steady_clock::now();
  StudyRunOptions options;
  options.threads = job.threads;
  options.part = job.part;
  options.parts = job.parts;
  options.stop = &watch_interrupts();
  StudyRunReport report;
  {
    StudyProgress progress(!o.quiet);
    options.on_progress = [&](std::uint64_t done, std::uint64_t all) { progress.show(done, all); };
    report = compute_study(*job.backend, *job.store, options);
  }
  if (!report.problem.empty())
    return complain("study", report.problem + "; " + what_is_there(job, report.missing),
                    exit_failed);
  if (report.interrupted)
    return complain("study", "interrupted; " + what_is_there(job, report.missing), exit_failed);
  std::uint64_t missing = report.missing;
  if (job.parts > 1) missing = job.store->plan().count() - job.folder->scan();
  if (missing > 0) return tell_part(o, job, missing);

  StudyProvenance provenance{job.backend->name(), job.threads, 1, job.backend->lanes(), 0,
                             job.text.file,       job.notes};
  StudyStatistics statistics;
  std::string problem;
  if (!calc_statistics(*job.study, *job.store, statistics, problem))
    return complain("study", name_options(problem), exit_failed);
  provenance.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!o.out.empty() && !write_results_of(o, job, statistics, provenance, problem))
    return complain("study", problem + "; the blocks are there: make room and call with --resume",
                    exit_failed);
  if (o.json)
    fmt::print("{}", study_json(*job.study, statistics, provenance));
  else if (!o.quiet)
    fmt::print("{}", study_summary(*job.study, statistics, provenance));
  if (!o.json && !o.quiet && job.output)
    fmt::print("\nWritten to {}: {}\n", job.output->path(), fmt::join(job.output->names(), ", "));
  if (statistics.failed < statistics.runs) return exit_done;
  return complain("study", fmt::format("every run failed; {}", statistics.first_failure),
                  exit_failed);
}

}  // namespace cartan
