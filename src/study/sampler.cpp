#include "study/sampler.h"

#include <algorithm>

#include "study/counter_random.h"

namespace cartan {

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
  const auto d = static_cast<std::uint32_t>(dimension);
  switch (sampling_) {
    case Sampling::sobol:
      return to_unit(sobol_.scrambled(index, dimension, seed_));
    case Sampling::latin_hypercube: {
      const double within = to_unit(random_bits(seed_, RandomUse::jitter, d, index));
      const double place = static_cast<double>(permuted(index, count_, seed_, d)) + within;
      return std::min(place / static_cast<double>(count_), 1 - 0x1p-53);  // rounding reaches 1
    }
    case Sampling::random:
      break;
  }
  return to_unit(random_bits(seed_, RandomUse::sample, d, index));
}

std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t seed,
                       std::uint32_t dimension) {
  int half = 1;  // binary digits of each half
  while (half < 31 && std::uint64_t{1} << (2 * half) < count) ++half;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  do {
    std::uint64_t left = index >> half, right = index & mask;
    for (std::uint32_t round = 0; round < 6; ++round) {
      const std::uint64_t word = right | std::uint64_t{round} << 40;
      const std::uint64_t turned =
          left ^ (random_bits(seed, RandomUse::permutation, dimension, word) & mask);
      left = right;
      right = turned;
    }
    index = left << half | right;
  } while (index >= count);
  return index;
}

}  // namespace cartan
