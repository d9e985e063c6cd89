// Backend `cpu`: runs side by side in SIMD lanes.
#include <algorithm>

#include <fmt/format.h>

#include "codegen/rate_compiler.h"
#include "core/compiled_library.h"
#include "formulations/formulations.h"
#include "study/backend.h"
#include "study/lanes/kernel_inputs.h"

namespace cartan::study {
namespace {

// As in study/kernel/run_state.h.
struct LaneJob {
  long count;
  const double* inputs;
  const double* starts;
  double* results;
  unsigned char* outcomes;
  const volatile bool* stop;
};
using LaneFunction = bool(const LaneJob*);
constexpr unsigned char lane_gave_up = 2;

int processor_lanes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return 8;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 4;
#endif
  return 2;
}

class LanesWorker final : public BlockWorker {
 public:
  LanesWorker(const Study& study, const LaneKernel& kernel, LaneFunction* function,
              std::unique_ptr<BlockWorker> reference)
      : study_(study),
        kernel_(kernel),
        function_(function),
        inputs_(study, kernel),
        reference_(std::move(reference)) {}

  bool compute(Block& block, const std::atomic<bool>& stop) override {
    static_assert(sizeof(std::atomic<bool>) == sizeof(bool) &&
                  std::atomic<bool>::is_always_lock_free);
    block.clear(block.first, block.count, static_cast<std::uint32_t>(study_.kept.size()));
    inputs_.fill(block);
    const std::vector<std::uint32_t>& places = inputs_.places();
    results_.resize(places.size() * block.columns);
    outcomes_.assign(places.size(), lane_gave_up);
    const LaneJob job = {static_cast<long>(places.size()),
                         inputs_.inputs().data(),
                         kernel_.starts ? inputs_.starts().data() : nullptr,
                         results_.data(),
                         outcomes_.data(),
                         reinterpret_cast<const volatile bool*>(&stop)};
    if (!places.empty() && !function_(&job)) return false;
    std::vector<std::uint32_t> others = inputs_.others();
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (outcomes_[k] == lane_gave_up) {
        others.push_back(places[k]);
        continue;
      }
      block.outcomes[places[k]] = static_cast<RunOutcome>(outcomes_[k]);
      std::copy_n(results_.begin() + static_cast<std::ptrdiff_t>(k * block.columns), block.columns,
                  block.values.begin() + static_cast<std::ptrdiff_t>(places[k]) * block.columns);
    }
    std::sort(others.begin(), others.end());
    for (const std::uint32_t place : others)
      if (!reference_.compute(block, place, stop)) return false;
    return true;
  }

 private:
  const Study& study_;
  const LaneKernel& kernel_;
  LaneFunction* function_;
  KernelInputs inputs_;
  ReferenceRuns reference_;
  std::vector<double> results_;
  std::vector<unsigned char> outcomes_;
};

class LanesBackend final : public Backend {
 public:
  LanesBackend(const Study& study, LaneKernel kernel, int lanes,
               std::shared_ptr<const CompiledLibrary> library, LaneFunction* function,
               std::unique_ptr<Backend> reference)
      : study_(study),
        kernel_(std::move(kernel)),
        lanes_(lanes),
        library_(std::move(library)),
        function_(function),
        reference_(std::move(reference)) {}
  std::string name() const override { return "cpu"; }
  int lanes() const override { return lanes_; }
  std::unique_ptr<BlockWorker> make_worker() const override {
    return std::make_unique<LanesWorker>(study_, kernel_, function_, reference_->make_worker());
  }

 private:
  const Study& study_;
  LaneKernel kernel_;
  int lanes_;
  std::shared_ptr<const CompiledLibrary> library_;
  LaneFunction* function_;
  std::unique_ptr<Backend> reference_;
};

}  // namespace

namespace {

std::unique_ptr<Backend> compile_lanes(const Study& study, const TeamRequest& team,
                                       const std::vector<std::string>& flags, int lanes,
                                       std::string& problem) {
  std::unique_ptr<Backend> reference = make_reference_backend(study, problem);
  if (!reference) return nullptr;
  LaneKernel kernel = make_lane_kernel(study, problem, team);
  if (!kernel.problem.empty()) problem = kernel.problem;
  if (!problem.empty()) return nullptr;
  if (lanes == 0) lanes = processor_lanes();
  CompileOptions options = compile_options_for(kernel.text.size() / 2);
  options.cpp = true;
  options.flags = {options.flags[0],     "-march=native",
                   "-fno-math-errno",    "-ffp-contract=off",
                   "-fno-trapping-math", "-w",
                   "-Wno-psabi",         fmt::format("-DCARTAN_LANES={}", lanes)};
  options.flags.insert(options.flags.end(), flags.begin(), flags.end());
  const std::shared_ptr<const CompiledLibrary> library =
      CompiledLibrary::compile(kernel.text, options, problem);
  if (!library) return nullptr;
  LaneFunction* const function = library->function<LaneFunction>("lane_compute");
  if (!function) {
    problem = "the compiled kernel has no function for runs";
    return nullptr;
  }
  return std::make_unique<LanesBackend>(study, std::move(kernel), lanes, library, function,
                                        std::move(reference));
}

}  // namespace

std::unique_ptr<Backend> make_lanes_backend(const Study& study, std::string& problem, int lanes) {
  return compile_lanes(study, {}, {}, lanes, problem);
}

std::unique_ptr<Backend> make_team_backend(const Study& study, std::string& problem,
                                           long near_bytes, long far_bytes, bool backwards) {
  return compile_lanes(
      study, {near_bytes, far_bytes, 0},
      {backwards ? "-DTEAM_ORDER(role)=(TEAM_ROLES-1-(role))" : "-DTEAM_ORDER(role)=(role)"}, 0,
      problem);
}

std::unique_ptr<Backend> make_backend(const std::string& name, const Study& study,
                                      std::vector<std::string>& notes, std::string& problem) {
  if (name == "gpu") return make_gpu_backend(study, problem);
  if (name != "cpu") return make_reference_backend(study, problem);
  if (std::unique_ptr<Backend> lanes = make_lanes_backend(study, problem)) return lanes;
  const std::string why = std::move(problem);
  problem.clear();
  std::unique_ptr<Backend> reference = make_reference_backend(study, problem);
  if (reference)
    notes.push_back(
        fmt::format("the runs were computed one by one (reference), not in lanes: {}", why));
  return reference;
}

}  // namespace cartan::study
