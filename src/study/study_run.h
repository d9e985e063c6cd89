// Computes the blocks a study lacks, on several threads.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "study/backend.h"
#include "study/block_store.h"

namespace cartan {

struct StudyRunOptions {
  int threads = 1;
  std::uint64_t part = 1, parts = 1;  // blocks b with b mod parts = part - 1
  const std::atomic<bool>* stop = nullptr;
  // In the calling thread, several times a second: runs of this part done, and all of them.
  std::function<void(std::uint64_t done, std::uint64_t all)> on_progress;
};

struct StudyRunReport {
  bool interrupted = false;
  std::string problem;         // a block could not be written
  std::uint64_t computed = 0;  // blocks
  std::uint64_t missing = 0;   // of all parts, that are still to be computed
};

StudyRunReport compute_study(const Backend& backend, BlockStore& store,
                             const StudyRunOptions& options);

}  // namespace cartan
