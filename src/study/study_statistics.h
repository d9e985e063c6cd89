// What all runs say together: mean, deviation, extremes, quantiles with their uncertainty, Sobol
// indices with theirs. Blocks are gone through in order, several times, so that memory stays flat
// and the numbers do not depend on who computed what.
//
// Quantiles are exact order statistics with linear interpolation between neighbours (at the place
// p (n - 1)). Their 95 % intervals are order statistics, too, whose ranks lie 1.96 sqrt(n p (1 -
// p)) to both sides: good for any distribution of independent samples, wider than needed for
// Sobol's.
//
// Indices (A, B, AB_k: see design.h; f minus its mean over A and B; V the variance over A and B):
//   first order  S_k = mean of f(B) (f(AB_k) - f(A)) / V        (Saltelli et al. 2010)
//   total        T_k = mean of (f(A) - f(AB_k))^2 / 2 / V       (Jansen 1999)
// Their 95 % intervals follow from the variance of these means of base points (delta method of the
// ratio), again for independent points.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "study/block_store.h"
#include "study/study.h"

namespace cartan::study {

inline constexpr std::array<double, 5> told_quantiles = {0.05, 0.25, 0.5, 0.75, 0.95};

// Not a number where there is none: an interval that few runs cannot bound.
struct Quantile {
  double value = 0, low = 0, high = 0;
};

struct QuantityStatistics {
  std::uint64_t count = 0;      // runs with a value, among those that count
  std::uint64_t undefined = 0;  // runs that came to their end without one
  double mean = 0, deviation = 0, minimum = 0, maximum = 0;
  std::vector<Quantile> quantiles;  // beside told_quantiles
};

struct SobolIndex {
  double first = 0, first_low = 0, first_high = 0;
  double total = 0, total_low = 0, total_high = 0;
};

struct StudyStatistics {
  std::uint64_t runs = 0, failed = 0;
  std::array<std::uint64_t, run_outcome_count> outcomes = {};
  std::string first_failure;  // message of the first run that failed
  std::vector<QuantityStatistics> quantities;
  std::vector<std::vector<SobolIndex>> indices;  // per quantity, per sampled input; or empty
  std::vector<std::uint64_t> index_base_points;  // per quantity: base points without a gap
};

// False with a sentence where a block is missing.
bool calc_statistics(const Study& study, const BlockStore& store, StudyStatistics& result,
                     std::string& problem);

// Every block in order.
bool for_each_block(const BlockStore& store, const std::function<void(const Block&)>& visit,
                    std::string& problem);

}  // namespace cartan::study
