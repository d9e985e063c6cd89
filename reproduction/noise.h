// Errors of measurement for data that are made here.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace cartan::reproduction {

// Normal numbers that are the same in every run.
class Noise {
 public:
  // Another series for every number.
  explicit Noise(int series = 0) {
    for (int k = 0; k < 1000 * series; ++k) uniform();
  }
  double operator()() {  // Box and Muller
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  double uniform() {  // xorshift
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (static_cast<double>(state_ >> 11) + 0.5) / 9007199254740992.0;
  }
  std::uint64_t state_ = 88172645463325252;
};

}  // namespace cartan::reproduction
