// What all runs say together, against closed forms, sorted lists and the promised coverage.
#include "study/study_statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "study/order_statistics.h"

namespace cartan::test {
namespace {

using Kind = Distribution::Kind;

// A study without a model: f of the inputs is the only quantity.
struct FakeStudy {
  Study study;
  std::unique_ptr<BlockStore> store;

  template <class Function>
  FakeStudy(DesignChoice choice, Function&& f) {
    study.design = Design(std::move(choice));
    study.kept.resize(1);
    const std::size_t inputs = study.design.inputs().size();
    store = make_memory_store(BlockPlan(study.design.runs()));
    std::vector<double> x(inputs);
    for (std::uint64_t b = 0; b < store->plan().count(); ++b) {
      Block block;
      block.clear(store->plan().first(b), store->plan().length(b), 1);
      for (std::uint32_t i = 0; i < block.count; ++i) {
        study.design.fill(block.first + i, x);
        block.values[i] = f(x);
      }
      std::string problem;
      store->put(b, block, problem);
    }
  }
  StudyStatistics statistics() const {
    StudyStatistics s;
    std::string problem;
    EXPECT_TRUE(calc_statistics(study, *store, s, problem)) << problem;
    return s;
  }
};

double ishigami(const std::vector<double>& x) {
  return std::sin(x[0]) + 7 * std::pow(std::sin(x[1]), 2) +
         0.1 * std::pow(x[2], 4) * std::sin(x[0]);
}

struct IshigamiTruth {
  double mean, variance, first[3], total[3];
};
IshigamiTruth ishigami_truth() {
  const double a = 7, b = 0.1, p4 = std::pow(std::numbers::pi, 4), p8 = p4 * p4;
  const double v1 = 0.5 * std::pow(1 + b * p4 / 5, 2), v2 = a * a / 8;
  const double v13 = b * b * p8 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
  return {a / 2, v, {v1 / v, v2 / v, 0}, {(v1 + v13) / v, v2 / v, v13 / v}};
}

DesignChoice ishigami_choice(std::uint64_t runs, Sampling sampling, std::uint64_t seed) {
  const double pi = std::numbers::pi;
  return {std::vector<Distribution>(3, {Kind::uniform, {-pi, pi}}), runs, sampling, seed, true};
}

TEST(SobolIndices, Ishigami) {
  const FakeStudy fake(ishigami_choice(5 << 14, Sampling::sobol, 1), ishigami);
  const StudyStatistics s = fake.statistics();
  const IshigamiTruth truth = ishigami_truth();
  EXPECT_EQ(s.runs, std::uint64_t{5} << 14);
  EXPECT_EQ(s.quantities[0].count, std::uint64_t{2} << 14);  // the base matrices alone
  EXPECT_NEAR(s.quantities[0].mean, truth.mean, 0.01);
  EXPECT_NEAR(s.quantities[0].deviation / std::sqrt(truth.variance), 1, 0.003);
  for (int k = 0; k < 3; ++k) {
    const SobolIndex& index = s.indices[0][k];
    EXPECT_NEAR(index.first, truth.first[k], 0.01) << k;
    EXPECT_NEAR(index.total, truth.total[k], 0.01) << k;
    EXPECT_LE(index.first_low, truth.first[k]);
    EXPECT_GE(index.first_high, truth.first[k]);
    EXPECT_LT(index.total_high - index.total_low, 0.05);
  }
}

// 95 % intervals of independent samples hold the truth in about 95 % of all seeds.
TEST(SobolIndices, IntervalsCover) {
  const IshigamiTruth truth = ishigami_truth();
  constexpr int seeds = 200;
  int first[3] = {}, total[3] = {};
  for (int seed = 0; seed < seeds; ++seed) {
    const FakeStudy fake(ishigami_choice(5 * 400, Sampling::random, seed), ishigami);
    const StudyStatistics s = fake.statistics();
    for (int k = 0; k < 3; ++k) {
      const SobolIndex& index = s.indices[0][k];
      first[k] += index.first_low <= truth.first[k] && truth.first[k] <= index.first_high;
      total[k] += index.total_low <= truth.total[k] && truth.total[k] <= index.total_high;
    }
  }
  // Four deviations of a binomial count below 190, and not always.
  for (int k = 0; k < 3; ++k) {
    EXPECT_GE(first[k], 177) << k;
    EXPECT_GE(total[k], 174) << k;
  }
  EXPECT_LT(first[0] + first[1] + total[0] + total[1], 4 * seeds);
}

// Quantiles of a known distribution lie in their intervals in at least 95 % of 200 seeds.
TEST(Quantiles, IntervalsCover) {
  constexpr int seeds = 200;
  int covered[told_quantiles.size()] = {};
  for (int seed = 0; seed < seeds; ++seed) {
    const FakeStudy fake({{{Kind::lognormal, {0, 1}}},
                          400,
                          Sampling::random,
                          static_cast<std::uint64_t>(seed),
                          false},
                         [](const std::vector<double>& x) { return x[0]; });
    const StudyStatistics s = fake.statistics();
    for (std::size_t i = 0; i < told_quantiles.size(); ++i) {
      const double truth = Distribution{Kind::lognormal, {0, 1}}.quantile(told_quantiles[i]);
      const Quantile& q = s.quantities[0].quantiles[i];
      covered[i] += q.low <= truth && truth <= q.high;
    }
  }
  int all = 0;
  for (const int count : covered) {
    EXPECT_GE(count, 178);
    all += count;
  }
  EXPECT_LT(all, 5 * seeds);  // the intervals are no wider than they must be
}

TEST(Quantiles, AreThoseOfTheSortedList) {
  std::mt19937 random(1);
  for (const int count : {1, 2, 3, 10, 1000}) {
    std::vector<double> values;
    std::normal_distribution<double> normal;
    for (int i = 0; i < count; ++i)
      values.push_back(i % 7 == 3 && i > 3 ? values[i - 2] : normal(random) * std::pow(10, i % 5));
    const FakeStudy fake({{{Kind::list, values}}, 1, Sampling::sobol, 1, false},
                         [](const std::vector<double>& x) { return x[0]; });
    const StudyStatistics s = fake.statistics();
    std::sort(values.begin(), values.end());
    for (std::size_t i = 0; i < told_quantiles.size(); ++i) {
      const double place = told_quantiles[i] * (count - 1);
      const auto below = static_cast<std::size_t>(place);
      const double next = values[std::min<std::size_t>(below + 1, count - 1)];
      EXPECT_DOUBLE_EQ(s.quantities[0].quantiles[i].value,
                       values[below] + (place - below) * (next - values[below]));
    }
    EXPECT_EQ(s.quantities[0].minimum, values.front());
    EXPECT_EQ(s.quantities[0].maximum, values.back());
  }
}

TEST(Quantiles, FewRunsDoNotBoundTheTails) {
  const FakeStudy fake({{{Kind::uniform, {0, 1}}}, 20, Sampling::random, 1, false},
                       [](const std::vector<double>& x) { return x[0]; });
  const std::vector<Quantile> q = fake.statistics().quantities[0].quantiles;
  EXPECT_TRUE(std::isnan(q[0].low));
  EXPECT_TRUE(std::isnan(q[4].high));
  EXPECT_FALSE(std::isnan(q[2].low));
}

TEST(OrderStatistics, AnyRankOfAnyNumbers) {
  std::mt19937_64 random(5);
  std::vector<double> values = {0.0, -0.0, 1e-310, -1e-310, 1e308, -1e308, 1, 1, 1, -1};
  for (int i = 0; i < 500; ++i)
    values.push_back(std::ldexp(static_cast<double>(random() % 2000) - 1000, i % 40 - 20));
  std::vector<std::uint64_t> ranks;
  for (std::size_t i = 0; i < values.size(); i += i < 20 || i + 20 > values.size() ? 1 : 23)
    ranks.push_back(i);
  OrderStatistics selection(ranks);
  for (int pass = 0; pass < OrderStatistics::passes; ++pass) {
    selection.begin_pass();
    for (const double x : values) selection.add(x);
    selection.end_pass();
  }
  std::sort(values.begin(), values.end());
  const std::vector<double> found = selection.values();
  for (std::size_t i = 0; i < ranks.size(); ++i) EXPECT_EQ(found[i], values[ranks[i]]) << i;
}

// ---- designs

TEST(Design, SaltelliRowsDifferInOneColumn) {
  const Design design(ishigami_choice(5 * 64 + 3, Sampling::sobol, 2));
  EXPECT_EQ(design.base_points(), 64u);
  EXPECT_EQ(design.runs(), 320u);
  double a[3], b[3], mixed[3];
  for (std::uint64_t j = 0; j < design.base_points(); ++j) {
    design.fill(5 * j, a);
    design.fill(5 * j + 1, b);
    EXPECT_TRUE(design.is_counted(5 * j) && design.is_counted(5 * j + 1));
    for (int k = 0; k < 3; ++k) {
      design.fill(5 * j + 2 + k, mixed);
      EXPECT_FALSE(design.is_counted(5 * j + 2 + k));
      for (int i = 0; i < 3; ++i) EXPECT_EQ(mixed[i], i == k ? b[i] : a[i]);
    }
  }
}

TEST(Design, GridsMultiplySamplesAndTablesGoRowByRow) {
  const Design design({{{Kind::lin, {0, 1, 3}},
                        {Kind::uniform, {5, 6}},
                        {Kind::list, {10, 20}},
                        {Kind::table, {1, 2, 3, 4}}},
                       4,
                       Sampling::random,
                       1,
                       false});
  EXPECT_EQ(design.runs(), 24u);
  double x[4], first[4];
  for (std::uint64_t run = 0; run < 24; ++run) {
    design.fill(run, x);
    design.fill(run % 4, first);
    EXPECT_EQ(x[0], 0.5 * (run / 8));
    EXPECT_EQ(x[2], run / 4 % 2 ? 20 : 10);
    EXPECT_EQ(x[3], 1.0 + run % 4);
    EXPECT_EQ(x[1], first[1]);  // the same samples at every point of the grid
  }
}

TEST(Design, Refusals) {
  const auto refuse = [](DesignChoice choice, const char* text) {
    EXPECT_NE(Design::refusal(choice).find(text), std::string::npos) << Design::refusal(choice);
  };
  refuse({{{Kind::table, {1, 2}}}, 3, Sampling::sobol, 1, false}, "at most as many runs as rows");
  refuse({{{Kind::uniform, {0, 1}}, {Kind::lin, {0, 1, 2}}}, 100, Sampling::sobol, 1, true},
         "grid");
  refuse({{{Kind::uniform, {0, 1}}}, 5, Sampling::sobol, 1, true}, "at least 6 runs");
  refuse({{{Kind::uniform, {0, 1}}}, 500, Sampling::latin_hypercube, 1, true}, "latin hypercube");
  refuse({{{Kind::lin, {0, 1, 1e9}}, {Kind::lin, {0, 1, 1e9}}}, 1, Sampling::sobol, 1, false},
         "more than can be counted");
}

TEST(Design, TrajectoriesAreEvenlyChosen) {
  Study study;
  study.design = Design({{{Kind::uniform, {0, 1}}}, 1000, Sampling::random, 1, false});
  for (const std::uint64_t wanted : {1u, 3u, 7u, 999u, 1000u}) {
    study.trajectories = wanted;
    std::vector<std::uint64_t> chosen;
    for (std::uint64_t run = 0; run < 1000; ++run)
      if (study.keeps_trajectory(run)) chosen.push_back(run);
    ASSERT_EQ(chosen.size(), wanted);
    EXPECT_EQ(chosen[0], 0u);
    for (std::size_t i = 1; i < chosen.size(); ++i)
      EXPECT_NEAR(static_cast<double>(chosen[i] - chosen[i - 1]), 1000.0 / wanted, 1);
  }
}

// ---- blocks

TEST(Blocks, BytesComeBackAndDamageIsNoticed) {
  Block block;
  block.clear(30, 3, 2);
  block.values = {1, NAN, 2, -0.0, 5e-324, 1e308};
  block.outcomes[1] = RunOutcome::not_finite;
  block.messages = {{1, "why, \"quoted\""}};
  block.trajectories = {{2, "t,x\n0,1\n"}};
  const std::string bytes = encode_block(block);
  const std::optional<Block> back = decode_block(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->first, 30u);
  EXPECT_EQ(back->outcomes, block.outcomes);
  EXPECT_EQ(back->messages, block.messages);
  EXPECT_EQ(back->trajectories, block.trajectories);
  EXPECT_TRUE(std::isnan(back->values[1]));
  EXPECT_EQ(encode_block(*back), bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] ^= 4;
    EXPECT_FALSE(decode_block(damaged)) << i;
    EXPECT_FALSE(decode_block(bytes.substr(0, i))) << i;
  }
}

TEST(Blocks, PlansCoverEveryRunOnce) {
  for (const std::uint64_t runs : {1ull, 5ull, 1024ull, 1025ull, 100000ull, 1000000007ull}) {
    const BlockPlan plan(runs);
    EXPECT_LE(plan.size, 65536u);
    EXPECT_EQ(plan.first(plan.count() - 1) + plan.length(plan.count() - 1), runs);
    EXPECT_GE(plan.length(plan.count() - 1), 1u);
  }
  EXPECT_EQ(BlockPlan(20).count(), 20u);  // long runs occupy all cores
}

}  // namespace
}  // namespace cartan::test
