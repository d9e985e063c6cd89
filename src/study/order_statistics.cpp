#include "study/order_statistics.h"

#include <algorithm>
#include <bit>

namespace cartan::study {
namespace {

constexpr int digit_bits = 16;
constexpr std::size_t digit_values = std::size_t{1} << digit_bits;

// Numbers in the order of unsigned integers.
std::uint64_t to_ordered(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}
double from_ordered(std::uint64_t key) {
  return std::bit_cast<double>(key >> 63 ? key & ~(std::uint64_t{1} << 63) : ~key);
}

}  // namespace

OrderStatistics::OrderStatistics(std::vector<std::uint64_t> ranks) {
  for (const std::uint64_t rank : ranks) targets_.push_back({rank, 0});
}

void OrderStatistics::begin_pass() {
  groups_.clear();
  for (const Target& target : targets_)
    if (std::none_of(groups_.begin(), groups_.end(),
                     [&](const Group& g) { return g.prefix == target.prefix; }))
      groups_.push_back({target.prefix, std::vector<std::uint64_t>(digit_values)});
}

void OrderStatistics::add(double value) {
  const std::uint64_t key = to_ordered(value + 0.0);  // -0 counts as 0
  const int below = 64 - digit_bits * (pass_ + 1);
  const std::uint64_t prefix = pass_ == 0 ? 0 : key >> (below + digit_bits);
  for (Group& group : groups_)
    if (group.prefix == prefix) {
      ++group.counts[key >> below & (digit_values - 1)];
      return;
    }
}

void OrderStatistics::end_pass() {
  for (Target& target : targets_) {
    const auto group = std::find_if(groups_.begin(), groups_.end(),
                                    [&](const Group& g) { return g.prefix == target.prefix; });
    std::size_t digit = 0;
    while (digit + 1 < digit_values && target.rank >= group->counts[digit])
      target.rank -= group->counts[digit++];
    target.prefix = target.prefix << digit_bits | digit;
  }
  ++pass_;
}

std::vector<double> OrderStatistics::values() const {
  std::vector<double> values;
  for (const Target& target : targets_) values.push_back(from_ordered(target.prefix));
  return values;
}

}  // namespace cartan::study
