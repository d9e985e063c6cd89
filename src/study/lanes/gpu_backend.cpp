// Backend `gpu`: one thread of a GPU per run, or a team of warps for many runs (kernel/team.h).
// Blocks are computed many at a time; inputs are made on the device from the numbers of the runs,
// and what is kept is gathered there.
#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "core/cuda_driver.h"
#include "study/backend.h"
#include "study/lanes/kernel_inputs.h"

namespace cartan::study {
namespace {

constexpr std::size_t most_runs_at_once = 1 << 20;
constexpr unsigned threads_per_block = 256;
constexpr unsigned char thread_gave_up = 2;  // as in study/kernel/run_state.h

// Results of a block as the device has left them.
struct DeviceBlock {
  std::vector<double> values;
  std::vector<unsigned char> outcomes;
};

class DeviceRuns {
 public:
  DeviceRuns(const Study& study, const LaneKernel& kernel, const CudaDevice& device,
             std::unique_ptr<CudaModule> module)
      : study_(study), kernel_(kernel), device_(device), module_(std::move(module)) {}

  void expect(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& blocks) {
    const std::lock_guard lock(mutex_);
    coming_ = blocks;
    std::reverse(coming_.begin(), coming_.end());
  }

  // "" or why there are no results.
  std::string take(std::uint64_t first, std::uint32_t count, DeviceBlock& block) {
    const std::lock_guard lock(mutex_);
    device_.use();
    if (!ready_.count(first))
      if (const std::string problem = compute_from(first, count); !problem.empty()) return problem;
    block = std::move(ready_[first]);
    ready_.erase(first);
    return "";
  }

 private:
  std::string compute_from(std::uint64_t first, std::uint32_t count) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> blocks = {{first, count}};
    std::erase(coming_, blocks[0]);
    std::size_t runs = count;
    while (!coming_.empty() && runs + coming_.back().second <= most_runs_at_once) {
      blocks.push_back(coming_.back());
      runs += coming_.back().second;
      coming_.pop_back();
    }
    numbers_.clear();
    for (const auto& [begin, length] : blocks)
      for (std::uint32_t k = 0; k < length; ++k) numbers_.push_back(begin + k);
    if (kernel_.starts) fill_starts();
    results_.resize(runs * study_.kept.size());
    outcomes_.resize(runs);
    const std::string problem = launch(runs);
    if (!problem.empty()) return problem;
    std::size_t at = 0;
    for (const auto& [begin, length] : blocks) {
      DeviceBlock& block = ready_[begin];
      const std::size_t kept = study_.kept.size();
      block.values.assign(results_.begin() + static_cast<std::ptrdiff_t>(at * kept),
                          results_.begin() + static_cast<std::ptrdiff_t>((at + length) * kept));
      block.outcomes.assign(outcomes_.begin() + static_cast<std::ptrdiff_t>(at),
                            outcomes_.begin() + static_cast<std::ptrdiff_t>(at + length));
      at += length;
    }
    return "";
  }

  // Starts of closed mechanisms, assembled by the processor; none: not a number.
  void fill_starts() {
    const std::size_t size = static_cast<std::size_t>(kernel_.states);
    starts_.assign(numbers_.size() * size, std::numeric_limits<double>::quiet_NaN());
    const std::size_t crew = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::jthread> threads;
    for (std::size_t c = 0; c < crew; ++c)
      threads.emplace_back([&, c] {
        KernelInputs inputs(study_, kernel_);
        for (std::size_t k = c; k < numbers_.size(); k += crew)
          if (inputs.fill_start(numbers_[k]))
            std::copy(inputs.starts().begin(), inputs.starts().end(),
                      starts_.begin() + static_cast<std::ptrdiff_t>(k * size));
      });
  }

  struct Shape {
    unsigned blocks = 0, threads = 0;
    std::size_t block_memory = 0;
  };
  // A thread per run; or one team on every multiprocessor, which goes from runs to runs.
  Shape shape_for(std::size_t runs) const {
    const bool in_teams = kernel_.team.roles > 0;
    const std::size_t together = in_teams ? kernel_.team_lanes() : threads_per_block;
    const std::size_t groups = (runs + together - 1) / together;
    if (!in_teams) return {static_cast<unsigned>(groups), threads_per_block, 0};
    const auto teams = std::min<std::size_t>(groups, device_.multiprocessors());
    return {static_cast<unsigned>(teams), static_cast<unsigned>(together * kernel_.team.roles),
            kernel_.near_bytes()};
  }

  std::string launch(std::size_t runs) {
    sampling::SampleDesign design = study_.design.describe();
    std::string problem = write_design(design);
    const std::size_t kept = study_.kept.size();
    for (const auto& step : {
             std::pair(&number_memory_, numbers_.size() * sizeof numbers_[0]),
             std::pair(&result_memory_, results_.size() * sizeof(double)),
             std::pair(&outcome_memory_, outcomes_.size()),
         })
      if (problem.empty()) problem = step.first->reserve(std::max<std::size_t>(8, step.second));
    if (problem.empty())
      problem = number_memory_.write(numbers_.data(), numbers_.size() * sizeof numbers_[0]);
    if (problem.empty() && kernel_.starts)
      problem = start_memory_.write(starts_.data(), starts_.size() * sizeof(double));
    if (!problem.empty()) return problem;
    long long count = static_cast<long long>(runs);
    unsigned long long numbers = number_memory_.address(), results = result_memory_.address(),
                       outcomes = outcome_memory_.address(),
                       starts = kernel_.starts ? start_memory_.address() : 0;
    unsigned long long memory = 0;
    Shape shape = shape_for(runs);
    if (kernel_.team.roles > 0) {
      problem = team_memory_.reserve(shape.blocks * kernel_.far_bytes());
      memory = team_memory_.address();
    }
    if (!problem.empty()) return problem;
    void* arguments[] = {&design, &numbers, &count, &starts, &results, &outcomes, &memory};
    problem =
        module_->run("lane_compute", shape.blocks, shape.threads, shape.block_memory, arguments);
    if (problem.empty())
      problem = result_memory_.read(results_.data(), runs * kept * sizeof(double));
    if (problem.empty()) problem = outcome_memory_.read(outcomes_.data(), runs);
    return problem;
  }

  // The tables of the design, which do not change, and their addresses there.
  std::string write_design(sampling::SampleDesign& design) {
    std::string problem;
    if (!design_written_) {
      problem = input_memory_.write(design.inputs, study_.inputs.size() * sizeof *design.inputs);
      if (problem.empty())
        problem = table_memory_.write(design.numbers, study_.design.numbers() * sizeof(double));
      if (problem.empty() && design.sampling == 0)
        problem = direction_memory_.write(design.directions,
                                          study_.design.directions() * sizeof(std::uint64_t));
      design_written_ = problem.empty();
    }
    design.inputs = reinterpret_cast<const sampling::SampleInput*>(input_memory_.address());
    design.numbers = reinterpret_cast<const double*>(table_memory_.address());
    design.directions = reinterpret_cast<const sampling::SampleBits*>(direction_memory_.address());
    return problem;
  }

  const Study& study_;
  const LaneKernel& kernel_;
  const CudaDevice& device_;
  std::unique_ptr<CudaModule> module_;
  std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> coming_;  // the next one last
  std::map<std::uint64_t, DeviceBlock> ready_;
  std::vector<std::uint64_t> numbers_;
  std::vector<double> starts_, results_;
  std::vector<unsigned char> outcomes_;
  bool design_written_ = false;
  CudaBuffer number_memory_, start_memory_, result_memory_, outcome_memory_;
  CudaBuffer input_memory_, table_memory_, direction_memory_, team_memory_;
};

class GpuWorker final : public BlockWorker {
 public:
  GpuWorker(const Study& study, const LaneKernel& kernel, DeviceRuns& device,
            std::unique_ptr<BlockWorker> reference)
      : study_(study), inputs_(study, kernel), device_(device), reference_(std::move(reference)) {}

  bool compute(Block& block, const std::atomic<bool>& stop) override {
    block.clear(block.first, block.count, static_cast<std::uint32_t>(study_.kept.size()));
    DeviceBlock found;
    const std::string problem = device_.take(block.first, block.count, found);
    if (stop.load()) return false;
    if (!problem.empty()) found.outcomes.assign(block.count, thread_gave_up);
    for (std::uint32_t place = 0; place < block.count; ++place) {
      if (found.outcomes[place] == thread_gave_up || !inputs_.is_fit(block.first + place)) {
        if (!reference_.compute(block, place, stop)) return false;
        continue;
      }
      block.outcomes[place] = static_cast<RunOutcome>(found.outcomes[place]);
      const std::size_t at = std::size_t{place} * block.columns;
      std::copy_n(found.values.begin() + static_cast<std::ptrdiff_t>(at), block.columns,
                  block.values.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return true;
  }

 private:
  const Study& study_;
  KernelInputs inputs_;
  DeviceRuns& device_;
  ReferenceRuns reference_;
};

class GpuBackend final : public Backend {
 public:
  GpuBackend(const Study& study, LaneKernel kernel, const CudaDevice& device,
             std::unique_ptr<CudaModule> module, std::unique_ptr<Backend> reference)
      : study_(study),
        kernel_(std::move(kernel)),
        runs_(study_, kernel_, device, std::move(module)),
        reference_(std::move(reference)) {}
  std::string name() const override { return "gpu"; }
  std::unique_ptr<BlockWorker> make_worker() const override {
    return std::make_unique<GpuWorker>(study_, kernel_, runs_, reference_->make_worker());
  }
  void expect(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& blocks) const override {
    runs_.expect(blocks);
  }

 private:
  const Study& study_;
  LaneKernel kernel_;
  mutable DeviceRuns runs_;
  std::unique_ptr<Backend> reference_;
};

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(const Study& study, std::string& problem) {
  const CudaDevice* const device = CudaDevice::find(problem);
  if (!device) {
    problem += "; use the backend cpu";
    return nullptr;
  }
  std::unique_ptr<Backend> reference = make_reference_backend(study, problem);
  if (!reference) return nullptr;
  LaneKernel kernel =
      make_lane_kernel(study, problem,
                       {device->block_memory(), device->cache() / device->multiprocessors(),
                        fewest_team_operations});
  if (!kernel.problem.empty())
    problem =
        fmt::format("the GPU has no code for this study: {}; use the backend cpu", kernel.problem);
  if (!problem.empty()) return nullptr;
  const std::string code =
      compile_cuda(kernel.text, device->architecture(),
                   {fmt::format("-DLANE_THREADS={}", threads_per_block)}, problem);
  if (code.empty()) return nullptr;
  std::unique_ptr<CudaModule> module = CudaModule::load(*device, code, problem);
  if (!module) return nullptr;
  return std::make_unique<GpuBackend>(study, std::move(kernel), *device, std::move(module),
                                      std::move(reference));
}

}  // namespace cartan::study
