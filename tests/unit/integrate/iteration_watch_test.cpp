#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "integrate/iteration_watch.h"

namespace cartan::test {
namespace {

using Verdict = IterationWatch::Verdict;

// The verdict on a sequence and how many changes it took.
std::pair<Verdict, int> judge(const std::vector<double>& changes, double tolerance) {
  IterationWatch watch(tolerance);
  int count = 0;
  for (double change : changes) {
    ++count;
    const Verdict verdict = watch.judge(change);
    if (verdict != Verdict::go_on) return {verdict, count};
  }
  return {Verdict::go_on, count};
}

TEST(IterationWatch, Converges) {
  EXPECT_EQ(judge({1e-3, 1e-6, 1e-9, 1e-12}, 1e-8), std::pair(Verdict::converged, 3));
}
TEST(IterationWatch, StagnatesWithinHundredEpsilons) {
  EXPECT_EQ(judge({1e-9, 8e-15, 9e-15, 1e-16}, 1e-15), std::pair(Verdict::stagnated, 3));
}
TEST(IterationWatch, SeesNoiseOfTheDerivative) {
  EXPECT_EQ(judge({1, 1e-6, 2e-12, 3e-12, 2.5e-12, 4e-12, 3e-12}, 1e-15),
            std::pair(Verdict::noisy, 7));
  // a slow but steady fall is not noise
  EXPECT_EQ(judge({1e-11, 9e-12, 8e-12, 7e-12, 6e-12, 5e-12, 4e-12}, 1e-15).first, Verdict::go_on);
  // and a level that matters is not accepted
  EXPECT_NE(judge({1, 1e-6, 2e-8, 3e-8, 2.5e-8, 4e-8, 3e-8, 2.2e-8}, 1e-15).first, Verdict::noisy);
}
TEST(IterationWatch, SeesGrowth) {
  EXPECT_EQ(judge({1e-3, 2e-3, 5e-3, 1e-2}, 1e-15), std::pair(Verdict::diverged, 4));
  EXPECT_EQ(judge({1e-11, 1e-10, 1e-9, 1e-8, 1e-7}, 1e-15).first, Verdict::diverged);
  EXPECT_EQ(judge({1e-3, NAN}, 1e-15).first, Verdict::diverged);
}

}  // namespace
}  // namespace cartan::test
