// Numbers of (0, 1) by dimension and index: the three ways to sample.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "study/kernel/sampling_functions.h"
#include "study/sobol_points.h"

namespace cartan::study {

enum class Sampling { sobol, latin_hypercube, random };
const char* to_string(Sampling sampling);
std::optional<Sampling> sampling_from_name(const std::string& name);

class Sampler {
 public:
  // `count`: how many points there will be; a latin hypercube needs to know.
  Sampler(Sampling sampling, int dimensions, std::uint64_t count, std::uint64_t seed);
  double unit(int dimension, std::uint64_t index) const;
  // What it samples with, its tables seen, not owned.
  void describe(sampling::SampleDesign& design) const;

  // "" or why there are no such points.
  static std::string refusal(Sampling sampling, int dimensions, std::uint64_t count);

 private:
  Sampling sampling_;
  std::uint64_t count_, seed_;
  SobolPoints sobol_;
};

// The place of `index` in a random order of 0 .. count - 1 that belongs to (seed, dimension): a
// Feistel network over the next even number of binary digits, walked until it lands below count.
std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t seed,
                       std::uint32_t dimension);

}  // namespace cartan::study
