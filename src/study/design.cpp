#include "study/design.h"

#include <algorithm>

#include <fmt/format.h>

namespace cartan::study {
namespace {

constexpr double most_runs = 0x1p53;

int count_sampled(const std::vector<Distribution>& inputs) {
  int count = 0;
  for (const Distribution& d : inputs) count += d.is_sampled();
  return count;
}

}  // namespace

int Design::dimensions_of(const DesignChoice& choice) {
  return count_sampled(choice.inputs) * (choice.indices ? 2 : 1);
}

std::string Design::refusal(const DesignChoice& choice) {
  double runs = static_cast<double>(choice.samples);
  bool grid = false, table = false;
  for (const Distribution& d : choice.inputs) {
    if (d.is_grid()) runs *= static_cast<double>(d.count());
    grid |= d.is_grid();
    table |= d.is_table();
    if (d.is_table() && choice.samples > d.count())
      return fmt::format(
          "there are {} runs, but a table of samples has {} rows; use at most as "
          "many runs as rows",
          choice.samples, d.count());
  }
  if (runs > most_runs)
    return fmt::format("there would be {:.3g} runs, more than can be counted (2^53)", runs);
  const int sampled = count_sampled(choice.inputs);
  if (choice.indices) {
    const char* why = grid                                           ? "a grid"
                      : table                                        ? "a table of samples"
                      : choice.sampling == Sampling::latin_hypercube ? "a latin hypercube"
                                                                     : nullptr;
    if (why)
      return fmt::format(
          "there are no Sobol indices with {}; leave 'indices' out, or sample the "
          "inputs by sobol or random",
          why);
    if (sampled < 1) return "Sobol indices need inputs that are sampled";
    if (choice.samples < 2 * static_cast<std::uint64_t>(sampled + 2))
      return fmt::format("Sobol indices of {} inputs need at least {} runs; got {}", sampled,
                         2 * (sampled + 2), choice.samples);
  }
  return Sampler::refusal(choice.sampling, dimensions_of(choice), choice.samples);
}

Design::Design(DesignChoice choice) : choice_(std::move(choice)) {
  const std::vector<Distribution>& inputs = choice_.inputs;
  dimension_.assign(inputs.size(), -1);
  stride_.assign(inputs.size(), 0);
  for (std::size_t k = 0; k < inputs.size(); ++k)
    if (inputs[k].is_sampled()) {
      dimension_[k] = static_cast<int>(sampled_.size());
      sampled_.push_back(static_cast<int>(k));
    }
  for (std::size_t k = inputs.size(); k-- > 0;)
    if (inputs[k].is_grid()) {
      stride_[k] = grid_;
      grid_ *= inputs[k].count();
    }
  samples_ = choice_.samples;
  std::uint64_t points = samples_;
  if (choice_.indices) {
    base_points_ = points = samples_ / static_cast<std::uint64_t>(runs_per_base_point());
    samples_ = base_points_ * static_cast<std::uint64_t>(runs_per_base_point());
  }
  make_table();
  sampler_ = std::make_shared<const Sampler>(choice_.sampling, dimensions_of(choice_), points,
                                             choice_.seed);
}

void Design::fill(std::uint64_t run, std::span<double> values) const {
  const sampling::SampleDesign design = describe();
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = sampling::sample_input(design, static_cast<int>(k), run);
}

sampling::SampleDesign Design::describe() const {
  sampling::SampleDesign design = {};
  if (sampler_) sampler_->describe(design);
  design.inputs = table_.data();
  design.numbers = numbers_.data();
  design.samples = samples_;
  design.sampled = sampled_count();
  design.indices = choice_.indices;
  return design;
}

// The inputs in the form that kernels read.
void Design::make_table() {
  for (std::size_t k = 0; k < choice_.inputs.size(); ++k) {
    const Distribution& d = choice_.inputs[k];
    table_.push_back({static_cast<int>(d.kind), dimension_[k], numbers_.size(), d.count(),
                      std::max<std::uint64_t>(1, stride_[k])});
    numbers_.insert(numbers_.end(), d.numbers.begin(), d.numbers.end());
  }
}

}  // namespace cartan::study
