// Points by index: published values of the generator, net properties of Sobol's points, strata of a
// latin hypercube.
#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/folders.h"
#include "study/counter_random.h"
#include "study/sampler.h"

namespace cartan::test {
namespace {

// The known answers that come with Random123 (Salmon et al. 2011).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, UnitNumbersExcludeTheEnds) {
  EXPECT_GT(to_unit(0), 0);
  EXPECT_LT(to_unit(~std::uint64_t{0}), 1);
}

// Every dimension by itself is a (0, m, 1)-net, scrambled or not: one point in each of 2^m cells.
TEST(Sobol, EveryDimensionIsStratified) {
  constexpr int m = 10;
  const SobolPoints points(SobolPoints::most_dimensions);
  for (int d = 0; d < SobolPoints::most_dimensions; ++d)
    for (const bool scrambled : {false, true}) {
      std::vector<bool> seen(1 << m);
      for (std::uint64_t i = 0; i < 1 << m; ++i) {
        const std::uint64_t x = scrambled ? points.scrambled(i, d, 7) : points.plain(i, d);
        seen[x >> (64 - m)] = true;
      }
      ASSERT_EQ(std::count(seen.begin(), seen.end(), true), 1 << m) << "dimension " << d;
    }
}

// Do all elementary boxes of 2^-(m - t) hold 2^t of 2^m points?
bool is_net(const SobolPoints& points, int first, int second, int m, int t, bool scrambled) {
  const int k = m - t;
  for (int a = 0; a <= k; ++a) {
    const int b = k - a;
    std::vector<int> counts(std::size_t{1} << k);
    for (std::uint64_t i = 0; i < std::uint64_t{1} << m; ++i) {
      const auto at = [&](int d) {
        return scrambled ? points.scrambled(i, d, 3) : points.plain(i, d);
      };
      const std::uint64_t x = a ? at(first) >> (64 - a) : 0, y = b ? at(second) >> (64 - b) : 0;
      ++counts[x << b | y];
    }
    for (const int count : counts)
      if (count != 1 << t) return false;
  }
  return true;
}

TEST(Sobol, PairsAreNetsAndScramblingKeepsThem) {
  const SobolPoints points(16);
  EXPECT_TRUE(is_net(points, 0, 1, 10, 0, false));  // van der Corput and x + 1: t = 0
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < i; ++j)
      for (const bool scrambled : {false, true})
        EXPECT_TRUE(is_net(points, j, i, 9, 5, scrambled)) << j << " " << i;
  EXPECT_TRUE(is_net(points, 0, 1, 10, 0, true));
}

// The same direction numbers as Joe and Kuo's in the dimensions where there is no choice.
TEST(Sobol, FirstDimensions) {
  const SobolPoints points(2);
  for (const auto& [index, x] : std::vector<std::pair<int, double>>{
           {0, 0}, {1, 0.5}, {2, 0.75}, {3, 0.25}, {4, 0.625}, {5, 0.125}})
    EXPECT_EQ(static_cast<double>(points.plain(index, 1)) * 0x1p-64, x) << index;
}

// A scrambled point by itself is uniformly distributed over the seeds, two of them independent.
TEST(Sobol, ScrambledPointsAreUniformOverSeeds) {
  const SobolPoints points(3);
  constexpr int seeds = 4000;
  for (int d = 0; d < 3; ++d) {
    double sum = 0, squares = 0, product = 0;
    for (int seed = 0; seed < seeds; ++seed) {
      const double x = to_unit(points.scrambled(5, d, seed)) - 0.5;
      const double y = to_unit(points.scrambled(12, (d + 1) % 3, seed)) - 0.5;
      sum += x, squares += x * x, product += x * y;
    }
    EXPECT_NEAR(sum / seeds, 0, 4 * std::sqrt(1.0 / 12 / seeds));
    EXPECT_NEAR(squares / seeds, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / seeds));
    EXPECT_NEAR(product / seeds, 0, 4 / 12.0 / std::sqrt(seeds));
  }
}

TEST(LatinHypercube, PlacesAreAPermutation) {
  for (const std::uint64_t count : {1, 2, 3, 7, 64, 1000, 4097})
    for (std::uint32_t dimension : {0u, 5u}) {
      std::set<std::uint64_t> places;
      for (std::uint64_t i = 0; i < count; ++i) places.insert(permuted(i, count, 9, dimension));
      EXPECT_EQ(places.size(), count);
      EXPECT_EQ(*places.rbegin(), count - 1);
    }
}

TEST(LatinHypercube, OnePointInEveryStratum) {
  constexpr std::uint64_t count = 1000;
  const Sampler sampler(Sampling::latin_hypercube, 3, count, 4);
  for (int d = 0; d < 3; ++d) {
    std::vector<bool> seen(count);
    for (std::uint64_t i = 0; i < count; ++i)
      seen[static_cast<std::size_t>(sampler.unit(d, i) * count)] = true;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<long>(count));
  }
}

// Numbers by index: seeds and dimensions are different streams.
TEST(Random, StreamsDiffer) {
  const Sampler one(Sampling::random, 2, 100, 1), two(Sampling::random, 2, 100, 2);
  double correlation = 0, dimensions = 0;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    correlation += (one.unit(0, i) - 0.5) * (two.unit(0, i) - 0.5);
    dimensions += (one.unit(0, i) - 0.5) * (one.unit(1, i) - 0.5);
    EXPECT_EQ(one.unit(0, i), Sampler(Sampling::random, 1, 5, 1).unit(0, i));
  }
  EXPECT_NEAR(correlation / 10000, 0, 4 / 12.0 / 100);
  EXPECT_NEAR(dimensions / 10000, 0, 4 / 12.0 / 100);
}

TEST(Sampler, RefusesWhatThereIsNot) {
  EXPECT_EQ(Sampler::refusal(Sampling::sobol, 512, 1000), "");
  EXPECT_NE(Sampler::refusal(Sampling::sobol, 513, 1000).find("latin-hypercube"),
            std::string::npos);
  EXPECT_NE(Sampler::refusal(Sampling::sobol, 2, 1ull << 33), "");
  EXPECT_EQ(Sampler::refusal(Sampling::random, 10000, 1ull << 40), "");
}

}  // namespace
}  // namespace cartan::test
