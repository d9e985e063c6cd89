#include "study/study_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "study/order_statistics.h"

namespace cartan::study {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double normal_95 = 1.959963984540054;

template <class Visit>
void for_each_value(const Study& study, const Block& block, Visit&& visit) {
  for (std::uint32_t place = 0; place < block.count; ++place) {
    if (!study.design.is_counted(block.first + place) || is_failure(block.outcomes[place]))
      continue;
    for (std::size_t k = 0; k < block.columns; ++k) visit(k, block.value(place, k));
  }
}

void count_outcomes(const Block& block, StudyStatistics& s) {
  s.runs += block.count;
  for (std::uint32_t place = 0; place < block.count; ++place) {
    ++s.outcomes[static_cast<std::size_t>(block.outcomes[place])];
    s.failed += is_failure(block.outcomes[place]);
  }
  if (s.first_failure.empty() && !block.messages.empty())
    s.first_failure =
        fmt::format("run {}: {}", block.first + block.messages[0].first, block.messages[0].second);
}

// Mean and sum of squares as they grow (Welford).
struct Moments {
  double mean = 0, squares = 0;
  void add(double x, std::uint64_t count) {
    const double off = x - mean;
    mean += off / static_cast<double>(count);
    squares += off * (x - mean);
  }
};

// ------------------------------------------------------------------------------------- quantiles

// Ranks of one quantile: the two neighbours of its place, and the ends of its interval.
struct QuantileRanks {
  std::uint64_t below = 0, above = 0;
  double part = 0;
  std::optional<std::uint64_t> low, high;
};

QuantileRanks ranks_of(double p, std::uint64_t count) {
  const double n = static_cast<double>(count), place = p * (n - 1);
  QuantileRanks r;
  r.below = static_cast<std::uint64_t>(place);
  r.above = std::min(r.below + 1, count - 1);
  r.part = place - static_cast<double>(r.below);
  // X(l) <= quantile <= X(u), ranks from 1, unless fewer than l or at least u samples lie below it.
  const double spread = normal_95 * std::sqrt(n * p * (1 - p));
  const double low = std::floor(n * p - spread), high = std::ceil(n * p + spread) + 1;
  if (low >= 1) r.low = static_cast<std::uint64_t>(low) - 1;
  if (high <= n) r.high = static_cast<std::uint64_t>(high) - 1;
  return r;
}

class QuantileFinder {
 public:
  explicit QuantileFinder(std::uint64_t count) : selection_(list_ranks(count, ranks_)) {}
  OrderStatistics& selection() { return selection_; }
  std::vector<Quantile> results() const {
    const std::vector<double> x = selection_.values();
    std::vector<Quantile> found;
    std::size_t at = 0;
    for (const QuantileRanks& r : ranks_) {
      const double below = x[at++], above = x[at++];
      Quantile q{below + r.part * (above - below), no_number, no_number};
      if (r.low) q.low = x[at++];
      if (r.high) q.high = x[at++];
      found.push_back(q);
    }
    return found;
  }

 private:
  static std::vector<std::uint64_t> list_ranks(std::uint64_t count,
                                               std::vector<QuantileRanks>& ranks) {
    std::vector<std::uint64_t> list;
    for (const double p : told_quantiles) {
      const QuantileRanks r = ranks_of(p, count);
      list.insert(list.end(), {r.below, r.above});
      if (r.low) list.push_back(*r.low);
      if (r.high) list.push_back(*r.high);
      ranks.push_back(r);
    }
    return list;
  }
  std::vector<QuantileRanks> ranks_;  // before selection_, which is made from it
  OrderStatistics selection_;
};

bool find_quantiles(const Study& study, const BlockStore& store, StudyStatistics& s,
                    std::string& problem) {
  std::vector<std::optional<QuantileFinder>> finders(s.quantities.size());
  for (std::size_t k = 0; k < finders.size(); ++k)
    if (s.quantities[k].count > 0) finders[k].emplace(s.quantities[k].count);
  for (int pass = 0; pass < OrderStatistics::passes; ++pass) {
    for (auto& finder : finders)
      if (finder) finder->selection().begin_pass();
    const bool read = for_each_block(
        store,
        [&](const Block& block) {
          for_each_value(study, block, [&](std::size_t k, double x) {
            if (!std::isnan(x)) finders[k]->selection().add(x);
          });
        },
        problem);
    if (!read) return false;
    for (auto& finder : finders)
      if (finder) finder->selection().end_pass();
  }
  for (std::size_t k = 0; k < finders.size(); ++k)
    if (finders[k]) s.quantities[k].quantiles = finders[k]->results();
  return true;
}

// --------------------------------------------------------------------------------------- indices

// Sums over base points for one ratio mean(t) / mean(v).
struct RatioSums {
  double t = 0, tt = 0, tv = 0;
  void add(double a, double v) { t += a, tt += a * a, tv += a * v; }
  // Ratio and half its 95 % interval.
  std::pair<double, double> ratio(double n, double v, double vv) const {
    const double r = t / v;
    const double spread = std::max(0.0, (tt - 2 * r * tv + r * r * vv) / n);
    return {r, normal_95 * std::sqrt(spread / n) / (v / n)};
  }
};

class IndexSums {
 public:
  IndexSums(int inputs, double mean)
      : mean_(mean), first_(static_cast<std::size_t>(inputs)), total_(first_) {}

  // f(A), f(B), f(AB_1), ..
  void add(std::span<const double> f) {
    if (std::any_of(f.begin(), f.end(), [](double x) { return std::isnan(x); })) return;
    const double a = f[0] - mean_, b = f[1] - mean_, v = 0.5 * (a * a + b * b);
    ++count_;
    v_ += v;
    vv_ += v * v;
    for (std::size_t k = 0; k < first_.size(); ++k) {
      const double c = f[2 + k] - mean_;
      first_[k].add(b * (c - a), v);
      total_[k].add(0.5 * (a - c) * (a - c), v);
    }
  }
  std::vector<SobolIndex> results() const {
    std::vector<SobolIndex> list(first_.size());
    const double n = static_cast<double>(count_);
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (count_ < 2 || !(v_ > 0)) {
        list[k] = {no_number, no_number, no_number, no_number, no_number, no_number};
        continue;
      }
      const auto [s, s_half] = first_[k].ratio(n, v_, vv_);
      const auto [t, t_half] = total_[k].ratio(n, v_, vv_);
      list[k] = {s, s - s_half, s + s_half, t, t - t_half, t + t_half};
    }
    return list;
  }
  std::uint64_t count() const { return count_; }

 private:
  double mean_, v_ = 0, vv_ = 0;
  std::uint64_t count_ = 0;
  std::vector<RatioSums> first_, total_;
};

bool find_indices(const Study& study, const BlockStore& store, StudyStatistics& s,
                  std::string& problem) {
  const auto per = static_cast<std::size_t>(study.design.runs_per_base_point());
  const std::size_t columns = study.columns();
  std::vector<IndexSums> sums;
  for (const QuantityStatistics& q : s.quantities)
    sums.emplace_back(study.design.sampled_count(), q.mean);
  std::vector<std::vector<double>> f(columns, std::vector<double>(per));  // of one base point
  const bool read = for_each_block(
      store,
      [&](const Block& block) {
        for (std::uint32_t place = 0; place < block.count; ++place) {
          const std::size_t member = (block.first + place) % per;
          for (std::size_t k = 0; k < columns; ++k)
            f[k][member] = is_failure(block.outcomes[place]) ? no_number : block.value(place, k);
          if (member + 1 == per)
            for (std::size_t k = 0; k < columns; ++k) sums[k].add(f[k]);
        }
      },
      problem);
  for (const IndexSums& sum : sums) {
    s.indices.push_back(sum.results());
    s.index_base_points.push_back(sum.count());
  }
  return read;
}

}  // namespace

bool for_each_block(const BlockStore& store, const std::function<void(const Block&)>& visit,
                    std::string& problem) {
  for (std::uint64_t b = 0; b < store.plan().count(); ++b) {
    const std::optional<Block> block = store.get(b);
    if (!block) {
      problem = fmt::format("block {} of {} is missing or damaged; call again and go on with it", b,
                            store.plan().count());
      return false;
    }
    visit(*block);
  }
  return true;
}

bool calc_statistics(const Study& study, const BlockStore& store, StudyStatistics& s,
                     std::string& problem) {
  s = StudyStatistics();
  s.quantities.resize(study.columns());
  std::vector<Moments> moments(study.columns());
  const bool read = for_each_block(
      store,
      [&](const Block& block) {
        count_outcomes(block, s);
        for_each_value(study, block, [&](std::size_t k, double x) {
          QuantityStatistics& q = s.quantities[k];
          if (std::isnan(x)) {
            ++q.undefined;
            return;
          }
          moments[k].add(x, ++q.count);
          q.minimum = q.count == 1 ? x : std::min(q.minimum, x);
          q.maximum = q.count == 1 ? x : std::max(q.maximum, x);
        });
      },
      problem);
  if (!read) return false;
  for (std::size_t k = 0; k < moments.size(); ++k) {
    QuantityStatistics& q = s.quantities[k];
    q.mean = q.count ? moments[k].mean : no_number;
    q.deviation =
        q.count > 1 ? std::sqrt(moments[k].squares / static_cast<double>(q.count - 1)) : no_number;
    if (q.count == 0) q.minimum = q.maximum = no_number;
  }
  if (!find_quantiles(study, store, s, problem)) return false;
  return !study.design.has_indices() || find_indices(study, store, s, problem);
}

}  // namespace cartan::study
