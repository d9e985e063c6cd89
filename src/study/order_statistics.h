// Values of given ranks among numbers of any count, exactly, in memory that does not grow with it:
// the numbers are gone through four times, and every time sixteen more of their binary digits are
// decided (radix selection).
#pragma once

#include <cstdint>
#include <vector>

#include "core/folders.h"

namespace cartan::study {

class OrderStatistics {
 public:
  static constexpr int passes = 4;

  // Ranks from 0, below the count of the numbers.
  explicit OrderStatistics(std::vector<std::uint64_t> ranks);

  void begin_pass();
  void add(double value);  // no NaN; the same numbers in every pass, in any order
  void end_pass();
  // After all passes, beside the ranks.
  std::vector<double> values() const;

 private:
  struct Target {
    std::uint64_t rank = 0;    // among the numbers that begin with the prefix
    std::uint64_t prefix = 0;  // the digits decided so far
  };
  struct Group {
    std::uint64_t prefix = 0;
    std::vector<std::uint64_t> counts;
  };
  int pass_ = 0;
  std::vector<Target> targets_;
  std::vector<Group> groups_;
};

}  // namespace cartan::study
