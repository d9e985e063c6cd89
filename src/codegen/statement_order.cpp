#include "codegen/statement_order.h"

#include <algorithm>
#include <limits>

namespace cartan::codegen {
namespace {

constexpr int reach = 40;  // statements behind the first that is left

class StatementOrder {
 public:
  StatementOrder(const std::vector<std::vector<int>>& reads, const std::vector<char>& makes_value)
      : reads_(reads),
        makes_value_(makes_value),
        uses_left_(reads.size(), 0),
        waits_for_(reads.size(), 0),
        readers_(reads.size()),
        placed_(reads.size(), 0) {
    for (std::size_t k = 0; k < reads.size(); ++k)
      for (const int i : reads[k]) {
        ++uses_left_[i];
        ++waits_for_[k];
        readers_[i].push_back(static_cast<int>(k));
      }
  }

  void place_range(int first, int end) {
    while (first < end) {
      const int best = find_best(first, std::min(end, first + reach));
      place(best);
      while (first < end && placed_[first]) ++first;
    }
  }
  void place(int k) {
    placed_[k] = 1;
    order_.push_back(k);
    for (const int i : reads_[k]) --uses_left_[i];
    for (const int reader : readers_[k]) --waits_for_[reader];
  }

  std::vector<int> take() { return std::move(order_); }

 private:
  int find_best(int first, int end) const {
    int best = first, fewest = std::numeric_limits<int>::max();
    for (int k = first; k < end; ++k) {
      if (placed_[k] || waits_for_[k] > 0) continue;
      const int more = values_more(k);
      if (more < fewest) best = k, fewest = more;
    }
    return best;
  }
  // Values there are after statement k, against before.
  int values_more(int k) const {
    int more = makes_value_[k] ? 1 : 0;
    for (const int i : reads_[k]) more -= uses_left_[i] == 1 ? 1 : 0;
    return more;
  }

  const std::vector<std::vector<int>>& reads_;
  const std::vector<char>& makes_value_;
  std::vector<int> uses_left_, waits_for_;  // readers not placed; read statements not placed
  std::vector<std::vector<int>> readers_;
  std::vector<char> placed_;
  std::vector<int> order_;
};

}  // namespace

std::vector<int> order_statements(const std::vector<std::vector<int>>& reads,
                                  const std::vector<char>& makes_value,
                                  const std::vector<char>& kept) {
  StatementOrder order(reads, makes_value);
  const int count = static_cast<int>(reads.size());
  for (int first = 0; first < count; ++first) {
    int end = first;
    while (end < count && !kept[end]) ++end;
    order.place_range(first, end);
    if (end < count) order.place(end);
    first = end;
  }
  return order.take();
}

}  // namespace cartan::codegen
