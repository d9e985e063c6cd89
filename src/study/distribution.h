// How a number varies: a distribution by its quantiles, or a list of values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::study {

struct Distribution {
  enum class Kind {
    uniform,     // [low, high]
    normal,      // [mean, deviation]
    lognormal,   // [mean, deviation] of its logarithm
    triangular,  // [low, most likely, high]
    values,      // each of a list with the same probability
    table,       // rows of a file, in their order
    lin,         // grid: [first, last, count], evenly spaced
    log,         // grid: the same in constant ratio
    list,        // grid: as listed
  };
  Kind kind = Kind::uniform;
  std::vector<double> numbers;  // what stands in brackets; table: its column

  bool is_sampled() const { return kind <= Kind::values; }
  bool is_table() const { return kind == Kind::table; }
  bool is_grid() const { return kind >= Kind::lin; }

  // Sampled: the number below which the distribution lies with probability p, 0 < p < 1.
  double quantile(double p) const;
  // Grids and tables: how many values, and the one at a place.
  std::uint64_t count() const;
  double value(std::uint64_t place) const;
};

const char* to_string(Distribution::Kind kind);
// "" or what is wrong with its numbers, and what was expected.
std::string check_distribution(const Distribution& distribution);
// "uniform(0.9, 1.1)", as on the command line.
std::string text_of(const Distribution& distribution);

}  // namespace cartan::study
