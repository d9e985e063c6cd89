// Random numbers by index: a number is a function of (seed, where it belongs), so that run i has
// the same numbers whoever computes it, in any order.
//
// Philox4x32-10, a block cipher with few rounds used as a counter-based generator
// (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011).
#pragma once

#include <array>
#include <cstdint>

namespace cartan {

using PhiloxBlock = std::array<std::uint32_t, 4>;

inline PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9u;
    key[1] += 0xBB67AE85u;
  }
  return counter;
}

// What a stream of numbers is for: streams of one seed have nothing to do with each other.
enum class RandomUse : std::uint32_t { sample, scramble, permutation, jitter };

// 64 random bits that belong to (seed, use, dimension, index).
inline std::uint64_t random_bits(std::uint64_t seed, RandomUse use, std::uint32_t dimension,
                                 std::uint64_t index) {
  const PhiloxBlock block =
      philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32), dimension,
              static_cast<std::uint32_t>(use)},
             {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  return block[0] | std::uint64_t{block[1]} << 32;
}

// A number of (0, 1), neither end among them: the middle of one of 2^52 equal cells.
inline double to_unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

}  // namespace cartan
