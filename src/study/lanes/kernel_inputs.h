// What a kernel is given for a block of runs: inputs, starts of closed mechanisms. Runs it is not
// given (bad numbers, another mode, a whole motion to be kept) are left to `reference`.
#pragma once

#include <vector>

#include "study/backend.h"
#include "study/lanes/lane_kernel.h"
#include "study/run_parameters.h"

namespace cartan::study {

class KernelInputs {
 public:
  KernelInputs(const Study& study, const LaneKernel& kernel);

  // Prepares the runs of the block; places() are those for the kernel, in order.
  void fill(const Block& block);
  // One run alone: whether its numbers are good; its start, into starts(), false: there is none.
  bool is_fit(std::uint64_t run);
  bool fill_start(std::uint64_t run);
  const std::vector<std::uint32_t>& places() const { return places_; }
  const std::vector<std::uint32_t>& others() const { return others_; }
  const std::vector<double>& inputs() const { return inputs_; }
  const std::vector<double>& starts() const { return starts_; }

 private:
  bool add(std::uint64_t run);
  bool add_start(const std::vector<double>& parameters);

  const Study& study_;
  const LaneKernel& kernel_;
  std::vector<double> values_, inputs_, starts_;
  RunParameters parameters_;
  std::vector<std::uint32_t> places_, others_;
};

// Computes single runs of a block by `reference` and puts them in.
class ReferenceRuns {
 public:
  explicit ReferenceRuns(std::unique_ptr<BlockWorker> worker) : worker_(std::move(worker)) {}
  // False: `stop` was set.
  bool compute(Block& block, std::uint32_t place, const std::atomic<bool>& stop);

 private:
  std::unique_ptr<BlockWorker> worker_;
  Block one_;
};

}  // namespace cartan::study
