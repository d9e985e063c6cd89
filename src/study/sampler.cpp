#include "study/sampler.h"

#include <algorithm>

#include "study/counter_random.h"

namespace cartan::study {

const char* to_string(Sampling sampling) {
  switch (sampling) {
    case Sampling::sobol:
      return "sobol";
    case Sampling::latin_hypercube:
      return "latin-hypercube";
    case Sampling::random:
      break;
  }
  return "random";
}

std::optional<Sampling> sampling_from_name(const std::string& name) {
  for (const Sampling s : {Sampling::sobol, Sampling::latin_hypercube, Sampling::random})
    if (name == to_string(s)) return s;
  return std::nullopt;
}

std::string Sampler::refusal(Sampling sampling, int dimensions, std::uint64_t count) {
  if (sampling != Sampling::sobol) return "";
  if (dimensions > SobolPoints::most_dimensions)
    return "these inputs need " + std::to_string(dimensions) + " dimensions, and there are " +
           std::to_string(SobolPoints::most_dimensions) +
           " of Sobol's sequence (two for each input where indices are wanted); use the sampling "
           "latin-hypercube or random";
  if (count > std::uint64_t{1} << SobolPoints::digits)
    return "Sobol's sequence has 2^32 points here; use fewer runs, or the sampling random";
  return "";
}

Sampler::Sampler(Sampling sampling, int dimensions, std::uint64_t count, std::uint64_t seed)
    : sampling_(sampling),
      count_(count),
      seed_(seed),
      sobol_(sampling == Sampling::sobol ? dimensions : 0) {}

double Sampler::unit(int dimension, std::uint64_t index) const {
  sampling::SampleDesign design = {};
  describe(design);
  return sampling::sample_unit(design, dimension, index);
}

void Sampler::describe(sampling::SampleDesign& design) const {
  static_assert(static_cast<int>(Sampling::sobol) == 0 && static_cast<int>(Sampling::random) == 2);
  design.directions = sobol_.directions();
  design.seed = seed_;
  design.points = count_;
  design.sampling = static_cast<int>(sampling_);
}

std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t seed,
                       std::uint32_t dimension) {
  return sampling::sample_place(index, count, seed, dimension);
}

}  // namespace cartan::study
