// Points of Sobol's sequence by index, scrambled.
//
// Coordinate k of point i is the XOR of the direction numbers V(k, c) over the binary digits c of i
// that are one. Direction numbers follow from a primitive polynomial over GF(2) per dimension and
// odd initial numbers (Bratley and Fox, algorithm 659). Polynomials are found here, in order of
// their degree; initial numbers were chosen, dimension after dimension, so that the points in every
// pair of dimensions are evenly spread (least sum of t^3 over nets of 2^4 to 2^16 points).
//
// Scrambling: nested uniform (Owen), as a hash in which every digit is turned depending on the
// digits before it and the seed alone (Laine and Karras 2011, with 64 bits). It keeps every net
// property and makes each point by itself uniformly distributed.
#pragma once

#include <cstdint>
#include <vector>

#include "study/kernel/sampling_functions.h"

namespace cartan::study {

class SobolPoints {
 public:
  static constexpr int most_dimensions = 512;
  static constexpr int digits = 32;  // indices below 2^32

  explicit SobolPoints(int dimensions);

  int dimensions() const { return static_cast<int>(directions_.size() / digits); }
  const sampling::SampleBits* directions() const { return directions_.data(); }
  // The binary fraction of a coordinate, its first digit on top.
  std::uint64_t plain(std::uint64_t index, int dimension) const;
  // The same, scrambled by the seed.
  std::uint64_t scrambled(std::uint64_t index, int dimension, std::uint64_t seed) const;

 private:
  std::vector<sampling::SampleBits> directions_;  // dimension after dimension
};

// Owen's scrambling of a binary fraction.
std::uint64_t scramble_digits(std::uint64_t fraction, std::uint64_t seed);

}  // namespace cartan::study
