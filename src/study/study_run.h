// Computes the blocks a study lacks, on several threads and, under mpirun, in several processes.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "study/backend.h"
#include "study/block_store.h"
#include "study/processes/ranks.h"

namespace cartan::study {

struct StudyRunOptions {
  int threads = 1;
  std::uint64_t part = 1, parts = 1;  // blocks b with b mod parts = part - 1
  Ranks* ranks = nullptr;             // the processes that share the blocks; null: this one alone
  const std::atomic<bool>* stop = nullptr;
  // In the calling thread, several times a second: runs of this part done, and all of them.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress;
};

struct StudyRunReport {
  bool interrupted = false;
  std::string problem;         // a block could not be written
  std::uint64_t computed = 0;  // blocks; in the first process those of all
  std::uint64_t missing = 0;   // of all parts, that are still to be computed
};

// Under mpirun every process calls it; the report of the first is that of all.
StudyRunReport compute_study(const Backend& backend, BlockStore& store,
                             const StudyRunOptions& options);

}  // namespace cartan::study
