// Many runs of one model with numbers that vary: the work of `study`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cartan/options.h>

#include "io/output_files.h"
#include "results/load/load.h"
#include "study/backend.h"
#include "study/block_store.h"
#include "study/study_tables.h"

namespace cartan::results {

struct StudyResult {
  std::unique_ptr<Study> study;  // the backend refers to it
  std::unique_ptr<Backend> backend;
  std::unique_ptr<BlockStore> store;     // all runs
  std::unique_ptr<OutputFolder> output;  // with `out`
  std::uint64_t part = 1, parts = 1;
  std::uint64_t missing = 0;                  // blocks other parts have yet to compute
  std::optional<StudyStatistics> statistics;  // nothing while blocks are missing
  StudyProvenance provenance;
  bool helped = false;  // under mpirun: this process computed for the first, which has the result
  std::string problem;  // every run failed: the first message; else ""
};

// `source`: its path is a study file, or a model file (always, where it has a text) with `vary`,
// `keep` and `runs`. Progress is told as parts of "computing runs".
StudyResult run_study(const ModelArguments& source, const api::StudyOptions& options);

// What summary.json holds; of a part that waits for others the blocks that are missing.
std::string study_result_json(const StudyResult& result);

}  // namespace cartan::results
