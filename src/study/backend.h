// Who computes runs. A backend hands out workers, one per thread; a worker computes a block of runs
// given by their indices. Blocks are whole or absent, whatever the backend.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "study/block.h"
#include "study/study.h"

namespace cartan::study {

class BlockWorker {
 public:
  virtual ~BlockWorker() = default;
  // Fills the outcomes, values, messages and trajectories of a block, whose first and count are
  // set. False: `stop` was set before all were done.
  virtual bool compute(Block& block, const std::atomic<bool>& stop) = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  virtual int lanes() const { return 1; }  // runs side by side in one worker
  virtual std::unique_ptr<BlockWorker> make_worker() const = 0;
  // The blocks that will be asked for, in this order, as first run and count: a device computes
  // many of them at once.
  virtual void expect(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& blocks) const {
    (void)blocks;
  }
};

// `simulate`, run by run. The study must outlive it. Null, with a sentence, where no run of the
// study can be computed: a formulation or a method that cannot take the model.
std::unique_ptr<Backend> make_reference_backend(const Study& study, std::string& problem);

// Runs side by side in the SIMD lanes of the processor (study/lanes/lane_kernel.h). `lanes`: how
// many; 0: what the processor has. Null, with a sentence, where the study has no kernel.
std::unique_ptr<Backend> make_lanes_backend(const Study& study, std::string& problem,
                                            int lanes = 0);
// The kernel of a GPU's teams (study/kernel/team.h) for the processor, with that much memory of a
// multiprocessor and of its cache: it computes the same bits, and is there to be tested without a
// GPU. `backwards`: the last role first.
std::unique_ptr<Backend> make_team_backend(const Study& study, std::string& problem,
                                           long near_bytes, long far_bytes, bool backwards);

// A thread of a GPU per run, or a team of threads, by the same kernel. Null, with a sentence, where
// there is no device, no compiler for it, or no kernel.
std::unique_ptr<Backend> make_gpu_backend(const Study& study, std::string& problem);

// By name: reference, cpu, gpu. Where lanes cannot take the study, `cpu` is computed run by run,
// and a sentence in `notes` says why. Null, with a sentence, where there is none.
std::unique_ptr<Backend> make_backend(const std::string& name, const Study& study,
                                      std::vector<std::string>& notes, std::string& problem);

}  // namespace cartan::study
