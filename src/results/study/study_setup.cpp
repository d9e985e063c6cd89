#include "results/study/study_setup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "results/load/model_variants.h"
#include "results/option_names.h"
#include "results/output_room.h"
#include "results/refusal.h"
#include "results/study/motion_table.h"
#include "results/task.h"
#include "study/study_record.h"

namespace cartan::results {
namespace fs = std::filesystem;
namespace {

constexpr double most_numbers_in_memory = 5e7;

// "3/16"
bool read_part(const std::string& words, StudyResult& job) {
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

std::string find_bad_study_option(const api::StudyOptions& o, StudyJob& job) {
  if (!o.part.empty() && !read_part(o.part, job.result))
    return fmt::format("--part {}: expected K/N with K from 1 to N", o.part);
  if (o.out.empty()) {
    if (o.resume) return "--resume needs --out, the folder of the study";
    if (!o.part.empty()) return "--part needs --out, the folder all parts write to";
    if (o.trajectories.value_or(0) > 0) return "--trajectories needs --out";
  }
  if (job.ranks && o.out.empty())
    return "several processes (mpirun) need --out, a folder that all of them see";
  if (job.ranks && !o.part.empty())
    return "--part and mpirun both divide the runs; use one of them";
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
void add_study_words(const api::StudyOptions& o, StudyText& text, Diagnostics& problems) {
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
  if (!o.formulation.empty()) s.formulation = o.formulation, s.formulation_where = {};
  if (!o.integrator.empty()) s.integrator = o.integrator, s.integrator_where = {};
  if (o.step) s.step = Value(*o.step);
  if (o.duration) s.duration = Value(*o.duration);
  if (o.tolerance) s.tolerance = Value(*o.tolerance);
}

// A study file, or a model with words of the command line.
StudyText read_study(const ModelArguments& source, const api::StudyOptions& o, bool file,
                     Diagnostics& problems) {
  StudyText text;
  if (file) {
    if (std::optional<StudyText> read = read_study_file(source.path, problems)) text = *read;
  } else {
    text.model = source.path;
  }
  add_study_words(o, text, problems);
  if (text.model.empty() || problems.has_errors()) refuse(problems);
  return text;
}

ModelArguments model_of_study(const ModelArguments& source, const StudyText& text, bool file,
                              Diagnostics& problems) {
  ModelArguments model = source;
  if (file) model.path = (fs::path(text.folder) / text.model).string();
  std::error_code ignored;
  if (!model.text && !fs::exists(model.path, ignored)) {
    problems.error(text.model_where, fmt::format("there is no model file '{}'{}", model.path,
                                                 suggest_file(model.path)));
    refuse(problems);
  }
  return model;
}

StudyText load_study(const ModelArguments& source, const api::StudyOptions& o,
                     StudyResult& result) {
  std::error_code ignored;
  if (!source.text && !fs::exists(source.path, ignored))
    refuse_at(source.path, "there is no such file" + suggest_file(source.path));
  const bool file = !source.text && looks_like_study(source.path);
  Diagnostics problems(file ? source.path : "cartan study");
  StudyText text = read_study(source, o, file, problems);
  const ModelArguments model = model_of_study(source, text, file, problems);
  const std::unique_ptr<const Model> plain = load_model(model, o.watch, model.quiet);
  const ModelDescription description = read_description(model);
  Overrides overrides;
  for (const std::string& words : source.sets) {
    const std::size_t equals = words.find('=');
    overrides.emplace_back(words.substr(0, equals), Value(words.substr(equals + 1)));
  }
  std::optional<Study> study = make_study(text, description, *plain, overrides, problems);
  if (!study) refuse(problems);
  std::istringstream lines(problems.text());
  for (std::string line; std::getline(lines, line);) tell(o.watch, line);
  study->make_motion_log = make_motion_tables(study->own_outputs, study->kept_outputs);
  result.study = std::make_unique<Study>(std::move(*study));
  return text;
}

void note_choices(const StudyText& text, StudyResult& job) {
  const Study& study = *job.study;
  const Design& design = study.design;
  if (design.has_indices() && study.asked_runs &&
      static_cast<double>(design.samples()) != *study.asked_runs)
    job.provenance.notes.push_back(fmt::format(
        "{} of the {:.0f} runs asked for: {} base points of {} runs each, for Sobol indices",
        design.samples(), *study.asked_runs, design.base_points(), design.runs_per_base_point()));
  if (!design.has_indices() && design.sampled_count() >= 2 && !text.indices)
    job.provenance.notes.push_back(
        design.grid_points() > 1 ? "no Sobol indices: there is a grid"
        : design.sampling() == Sampling::latin_hypercube
            ? "no Sobol indices: they need the sampling sobol or random"
            : "no Sobol indices: there are too few runs, or a table of samples");
  bool samples = design.sampled_count() > 0;
  for (const Distribution& d : design.inputs()) samples |= d.is_table();
  if (!samples && study.asked_runs && *study.asked_runs != 1)
    job.provenance.notes.push_back(
        "nothing is sampled, so that 'runs' has no effect: the grid says how many");
}

// The cores of this machine, shared by the processes on it.
int default_threads(const StudyJob& job) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int machine = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  return job.ranks ? std::clamp(machine / job.ranks->local_size(), 1, cores) : cores;
}

// What blocks and runs.nc take on disk. Refused where they have no room; what a study that goes on
// has written already is there.
void require_disk(const std::string& out, const Study& study, const BlockPlan& plan) {
  const auto kept = static_cast<double>(study.columns());
  const auto inputs = static_cast<double>(study.inputs.size());
  const double needed = static_cast<double>(plan.runs) * (8 * kept + 1 + 8 * (inputs + kept) + 1);
  std::error_code none, end;
  double there = 0;
  for (fs::directory_iterator at(fs::path(out) / "blocks", end);
       !end && at != fs::directory_iterator(); at.increment(end))
    there += static_cast<double>(at->is_regular_file(none) ? at->file_size(none) : 0);
  fs::path place = fs::absolute(out);
  while (!fs::exists(place, none) && place.has_relative_path()) place = place.parent_path();
  const fs::space_info space = fs::space(place, none);
  if (none || space.capacity == 0 || static_cast<double>(space.available) >= needed - there) return;
  refuse("study",
         fmt::format("{} runs take about {:.3g} GB in '{}', where {:.3g} GB are free; make "
                     "room, choose another folder, or ask for fewer runs",
                     plan.runs, 1e-9 * (needed - there), out,
                     1e-9 * static_cast<double>(space.available)));
}

// The store of blocks and the folder of tables.
void open_store(const ModelArguments& source, const api::StudyOptions& o, StudyJob& job) {
  StudyResult& result = job.result;
  const Study& study = *result.study;
  const BlockPlan plan(study.design.runs());
  if (o.out.empty()) {
    const double numbers =
        static_cast<double>(plan.runs) * static_cast<double>(study.columns() + 1);
    if (numbers > most_numbers_in_memory)
      refuse("study", fmt::format("{} runs do not fit into memory; name a folder with --out, to "
                                  "which they are written as they end",
                                  plan.runs));
    result.store = make_memory_store(plan);
    return;
  }
  if (!job.is_helper()) require_disk(o.out, study, plan);
  std::string problem;
  job.record = make_record(study, result.backend->name(), source.sets);
  if (o.part.empty() && !job.is_helper()) {
    result.output = OutputFolder::open(o.out, "study", replace_if(o.force), problem);
    if (!result.output) refuse("study", problem);
    problem =
        result.output->find_conflict({"runs.csv", "runs_thinned.csv", "runs.nc", "summary.json"});
    if (!problem.empty()) refuse("study", problem);
  }
  using Use = FolderStore::Use;
  const Use use = !o.part.empty() || job.is_helper() ? Use::part
                  : o.resume                         ? Use::resume
                  : o.force                          ? Use::replace
                                                     : Use::fresh;
  std::unique_ptr<FolderStore> folder = FolderStore::open(o.out, plan, job.record, use, problem);
  if (!folder) refuse("study", problem);
  if (use == Use::resume || use == Use::part) folder->scan();
  job.folder = folder.get();
  result.store = std::move(folder);
}

}  // namespace

void prepare_study(const ModelArguments& source, const api::StudyOptions& o, StudyJob& job) {
  StudyResult& result = job.result;
  std::string problem = find_bad_study_option(o, job);
  if (!problem.empty()) refuse("study", problem);
  const StudyText text = load_study(source, o, result);
  result.backend = make_backend(o.backend, *result.study, result.provenance.notes, problem);
  if (!result.backend) refuse_at(result.study->model->file, problem);
  StudyProvenance& provenance = result.provenance;
  provenance.backend = result.backend->name();
  provenance.lanes = result.backend->lanes();
  provenance.study_file = text.file;
  provenance.threads = o.threads.value_or(default_threads(job));
  provenance.ranks = job.ranks ? job.ranks->size() : 1;
  if (result.study->trajectories > 0 && o.out.empty()) {
    result.study->trajectories = 0;
    provenance.notes.push_back("no trajectories: they are written to the folder --out");
  }
  note_choices(text, result);
  open_store(source, o, job);
}

}  // namespace cartan::results
