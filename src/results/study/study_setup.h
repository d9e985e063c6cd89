// A study ready to be computed: what `study` asks for, where its blocks go.
#pragma once

#include "results/study/run_study.h"

namespace cartan {

struct StudyJob {
  StudyResult result;
  FolderStore* folder = nullptr;  // the store, where it is one
  std::string record;             // what study this is
};

StudyJob prepare_study(const ModelArguments& source, const api::StudyOptions& options);

}  // namespace cartan
