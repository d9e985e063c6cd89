// The files a finished study leaves: summary.json, runs.csv, runs.nc, trajectories.
#pragma once

#include <string>
#include <vector>

#include "io/output_files.h"
#include "study/study_statistics.h"

namespace cartan::study {

// How it was computed: what the tables do not depend on.
struct StudyProvenance {
  std::string backend;
  int threads = 1, ranks = 1, lanes = 1;
  double wall_seconds = 0;
  std::string study_file;
  std::vector<std::string> notes;  // what was chosen by itself
};

// The content of summary.json and of --json.
std::string study_json(const Study& study, const StudyStatistics& statistics,
                       const StudyProvenance& provenance);
// The readable summary.
std::string study_summary(const Study& study, const StudyStatistics& statistics,
                          const StudyProvenance& provenance);

// runs.csv has at most this many numbers; with more there is runs_thinned.csv, every k-th run, for
// charts.
inline constexpr std::uint64_t most_csv_numbers = 1000000;

// One row per run.
bool write_runs_csv(const Study& study, const BlockStore& store, OutputFolder& output,
                    std::string& problem);
// trajectories/run_NUMBER.csv of the runs whose motion is kept, into `folder`.
bool write_trajectories(const BlockStore& store, const std::string& folder, std::uint64_t& count,
                        std::string& problem);

}  // namespace cartan::study
