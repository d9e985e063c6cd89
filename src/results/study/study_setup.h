// A study ready to be computed: what `study` asks for, where its blocks go.
#pragma once

#include "results/study/run_study.h"
#include "study/processes/ranks.h"

namespace cartan::results {

struct StudyJob {
  StudyResult result;
  FolderStore* folder = nullptr;  // the store, where it is one
  std::string record;             // what study this is
  std::unique_ptr<Ranks> ranks;   // null: this process is alone

  // A process that computes for the first one, which does the rest.
  bool is_helper() const { return ranks && !ranks->is_first(); }
};

// `job` has its ranks.
void prepare_study(const ModelArguments& source, const api::StudyOptions& options, StudyJob& job);

}  // namespace cartan::results
