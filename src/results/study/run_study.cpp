#include "results/study/run_study.h"

#include <chrono>

#include <fmt/format.h>

#include "results/option_names.h"
#include "results/refusal.h"
#include "results/study/study_setup.h"
#include "results/task.h"
#include "study/netcdf_file.h"
#include "study/processes/block_source.h"
#include "study/runs_netcdf.h"
#include "study/study_run.h"

namespace cartan::results {
namespace {

std::string what_is_there(const StudyJob& job, std::uint64_t missing) {
  if (!job.folder) return "nothing was written";
  const std::uint64_t all = job.result.store->plan().count();
  return fmt::format("{} of {} blocks are there; go on with --resume", all - missing, all);
}

// Computes what is missing; fails where it could not.
void compute_blocks(const api::StudyOptions& o, StudyJob& job) {
  StudyResult& result = job.result;
  StudyRunOptions options;
  options.threads = result.provenance.threads;
  options.part = result.part;
  options.parts = result.parts;
  options.ranks = job.ranks.get();
  options.stop = o.watch.stop;
  StudyRunReport report;
  {
    Task task(o.watch, "computing runs");
    options.on_progress = [&](std::uint64_t done, std::uint64_t all) {
      if (done < all) task.show(static_cast<double>(done) / static_cast<double>(all));
    };
    report = compute_study(*result.backend, *result.store, options);
  }
  if (job.is_helper()) return;  // the first has been told
  if (!report.problem.empty())
    fail("study", report.problem + "; " + what_is_there(job, report.missing));
  if (report.interrupted) fail("study", "interrupted; " + what_is_there(job, report.missing));
  result.missing = report.missing;
  if (result.parts > 1 || job.ranks)
    result.missing = result.store->plan().count() - job.folder->scan();
  if (result.missing > 0 && job.ranks)
    fail("study", "a process was lost; " + what_is_there(job, result.missing));
}

// Under mpirun the first process judges the study; the others do not repeat its complaints.
bool start_study(ModelArguments source, api::StudyOptions o, StudyJob& job) {
  std::string alone;
  job.ranks = Ranks::join(alone);
  if (!alone.empty()) refuse("study", alone);
  FirstVerdict verdict(job.ranks.get());
  if (job.is_helper()) {
    if (!verdict.await()) return false;
    source.quiet = true;
    o.watch.message = nullptr;
  }
  HelperFarewell farewell(job.ranks.get());
  prepare_study(source, o, job);
  farewell.not_needed();
  if (job.ranks && job.ranks->is_first()) job.folder->share();
  verdict.good();
  return true;
}

// runs.csv, runs.nc, summary.json and trajectories.
bool write_study(const api::StudyOptions& o, StudyJob& job, std::string& problem) {
  StudyResult& result = job.result;
  const Study& study = *result.study;
  if (!result.output) result.output = OutputFolder::open(o.out, "study", Replace::no, problem);
  if (!result.output) return false;
  OutputFolder& output = *result.output;
  if (!write_runs_csv(study, *result.store, output, problem)) return false;
  if (const std::string missing = NetcdfFile::missing(); missing.empty()) {
    if (!write_runs_netcdf(study, *result.store, job.record, output.add("runs.nc"), problem))
      return false;
  } else {
    result.provenance.notes.push_back(
        name_options(fmt::format("there is no runs.nc: {}", missing)));
  }
  std::uint64_t count = 0;
  if (study.trajectories > 0 && !write_trajectories(*result.store, o.out, count, problem))
    return false;
  return output.write("summary.json", study_result_json(result), problem) && output.commit(problem);
}

}  // namespace

StudyResult run_study(const ModelArguments& source, const api::StudyOptions& o) {
  StudyJob job;
  StudyResult& result = job.result;
  const bool good = start_study(source, o, job);
  const auto begin = std::chrono::steady_clock::now();
  if (good) compute_blocks(o, job);
  result.helped = job.is_helper();
  if (result.helped) return std::move(job.result);
  if (result.missing > 0) return std::move(job.result);
  std::string problem;
  StudyStatistics& statistics = result.statistics.emplace();
  if (!calc_statistics(*result.study, *result.store, statistics, problem)) fail("study", problem);
  result.provenance.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!o.out.empty() && !write_study(o, job, problem))
    fail("study", problem + "; the blocks are there: make room and call with --resume");
  if (statistics.failed == statistics.runs)
    result.problem = fmt::format("every run failed; {}", statistics.first_failure);
  return std::move(job.result);
}

std::string study_result_json(const StudyResult& result) {
  if (result.statistics) return study_json(*result.study, *result.statistics, result.provenance);
  return fmt::format(
      "{{\n \"part\": {},\n \"parts\": {},\n \"blocks\": {},\n \"missing_blocks\": {}\n}}\n",
      result.part, result.parts, result.store->plan().count(), result.missing);
}

}  // namespace cartan::results
