// Random numbers by index: a number is a function of (seed, where it belongs), so that run i has
// the same numbers whoever computes it, in any order. The numbers themselves: kernel/sampling.h.
#pragma once

#include <array>
#include <cstdint>

#include "study/kernel/sampling_functions.h"

namespace cartan::study {

using PhiloxBlock = std::array<std::uint32_t, 4>;

inline PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  sampling::sample_philox(counter.data(), key[0], key[1]);
  return counter;
}

// What a stream of numbers is for: streams of one seed have nothing to do with each other.
enum class RandomUse : std::uint32_t { sample, scramble, permutation, jitter };

// 64 random bits that belong to (seed, use, dimension, index).
inline std::uint64_t random_bits(std::uint64_t seed, RandomUse use, std::uint32_t dimension,
                                 std::uint64_t index) {
  return sampling::sample_random(seed, static_cast<std::uint32_t>(use), dimension, index);
}

// A number of (0, 1), neither end among them: the middle of one of 2^52 equal cells.
inline double to_unit(std::uint64_t bits) {
  return sampling::sample_to_unit(bits);
}

}  // namespace cartan::study
