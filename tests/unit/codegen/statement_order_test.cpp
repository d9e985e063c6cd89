#include "codegen/statement_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random.h"

namespace cartan::test {
namespace {

using Reads = std::vector<std::vector<int>>;

// The most values that wait for a reader at a time, and how long they wait on the whole.
struct Waiting {
  int most = 0;
  long sum = 0;
};
Waiting calc_waiting(const Reads& reads, const std::vector<int>& order) {
  std::vector<int> place(order.size()), last(order.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = static_cast<int>(k);
  for (std::size_t k = 0; k < reads.size(); ++k)
    for (const int i : reads[k]) last[i] = std::max(last[i], place[k]);
  Waiting waiting;
  for (std::size_t at = 0; at < order.size(); ++at) {
    int now = 0;
    for (std::size_t i = 0; i < order.size(); ++i)
      now += place[i] <= static_cast<int>(at) && last[i] > static_cast<int>(at);
    waiting.most = std::max(waiting.most, now);
    waiting.sum += now;
  }
  return waiting;
}

std::vector<int> given_order(std::size_t count) {
  std::vector<int> order(count);
  for (std::size_t k = 0; k < count; ++k) order[k] = static_cast<int>(k);
  return order;
}

// Values made long before they are read: four at first, then each is used up.
TEST(StatementOrder, ReadsValuesForTheLastTimeFirst) {
  const Reads reads = {{}, {}, {}, {}, {0}, {1}, {2}, {3}, {4, 5}, {6, 7}, {8, 9}};
  const std::vector<char> makes(reads.size(), 1), kept(reads.size(), 0);
  const std::vector<int> order = order_statements(reads, makes, kept);
  EXPECT_LT(calc_waiting(reads, order).sum, calc_waiting(reads, given_order(reads.size())).sum);
}

// What is kept is a wall.
TEST(StatementOrder, KeptStatementsStay) {
  const Reads reads = {{}, {}, {0}, {}, {1}, {}};
  const std::vector<char> makes = {1, 1, 1, 0, 1, 1}, kept = {0, 0, 0, 1, 0, 0};
  const std::vector<int> order = order_statements(reads, makes, kept);
  ASSERT_EQ(order.size(), reads.size());
  EXPECT_EQ(order[3], 3);
  for (int k = 0; k < 3; ++k) EXPECT_LT(order[k], 3);
}

// All are there once, each behind what it reads; and fewer values wait.
TEST(StatementOrder, KeepsWhatIsReadInFront) {
  Random random(7);
  long before = 0, after = 0;
  for (int trial = 0; trial < 30; ++trial) {
    const int count = 300;
    Reads reads(count);
    std::vector<char> makes(count, 1), kept(count, 0);
    for (int k = 1; k < count; ++k) {
      for (int r = 0; r < 2; ++r)
        reads[k].push_back(std::max(0, k - 1 - static_cast<int>(random.uniform(0, 40))));
      std::sort(reads[k].begin(), reads[k].end());
      reads[k].erase(std::unique(reads[k].begin(), reads[k].end()), reads[k].end());
    }
    const std::vector<int> order = order_statements(reads, makes, kept);
    std::vector<char> seen(count, 0);
    for (const int k : order) {
      EXPECT_FALSE(seen[k]);
      for (const int i : reads[k]) EXPECT_TRUE(seen[i]);
      seen[k] = 1;
    }
    EXPECT_EQ(order.size(), reads.size());
    before += calc_waiting(reads, given_order(count)).sum;
    after += calc_waiting(reads, order).sum;
  }
  EXPECT_LT(after, before);
  EXPECT_GT(after, 0);
}

}  // namespace
}  // namespace cartan::test
