#include "study/lanes/kernel_inputs.h"

#include <algorithm>
#include <cmath>

#include "formulations/formulations.h"

namespace cartan::study {

KernelInputs::KernelInputs(const Study& study, const LaneKernel& kernel)
    : study_(study), kernel_(kernel), values_(study.inputs.size()), parameters_(study) {}

void KernelInputs::fill(const Block& block) {
  places_.clear();
  others_.clear();
  inputs_.clear();
  starts_.clear();
  for (std::uint32_t place = 0; place < block.count; ++place)
    (add(block.first + place) ? places_ : others_).push_back(place);
}

bool KernelInputs::add(std::uint64_t run) {
  if (!is_fit(run)) return false;
  if (kernel_.starts && !add_start(parameters_.fill(values_))) return false;
  inputs_.insert(inputs_.end(), values_.begin(), values_.end());
  return true;
}

bool KernelInputs::is_fit(std::uint64_t run) {
  if (study_.keeps_trajectory(run)) return false;
  study_.design.fill(run, values_);
  for (const double value : values_)
    if (!std::isfinite(value)) return false;
  parameters_.fill(values_);
  return parameters_.find_bad_mass().empty();
}

bool KernelInputs::fill_start(std::uint64_t run) {
  starts_.clear();
  return is_fit(run) && add_start(parameters_.fill(values_));
}

bool KernelInputs::add_start(const std::vector<double>& parameters) {
  std::string problem;
  const std::unique_ptr<System> system =
      make_system(*study_.model, parameters, "recursive", problem);
  if (!system) return false;
  const State start = system->initial_state();
  if (!std::equal(kernel_.mode.begin(), kernel_.mode.end(), start.mode.begin())) return false;
  starts_.insert(starts_.end(), start.x.begin(), start.x.begin() + kernel_.states);
  return true;
}

bool ReferenceRuns::compute(Block& block, std::uint32_t place, const std::atomic<bool>& stop) {
  one_.first = block.first + place;
  one_.count = 1;
  if (!worker_->compute(one_, stop)) return false;
  block.outcomes[place] = one_.outcomes[0];
  std::copy(one_.values.begin(), one_.values.end(),
            block.values.begin() + static_cast<std::ptrdiff_t>(place) * block.columns);
  for (auto& [unused, text] : one_.messages) block.messages.emplace_back(place, std::move(text));
  for (auto& [unused, text] : one_.trajectories)
    block.trajectories.emplace_back(place, std::move(text));
  return true;
}

}  // namespace cartan::study
