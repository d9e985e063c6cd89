// A table that some command wrote: columns by name, numbers and words alike.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::report {

struct ResultTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> words;  // beside names; empty columns where all numbers
  std::vector<std::vector<double>> numbers;     // NaN where there is none

  std::size_t rows() const { return numbers.empty() ? 0 : numbers[0].size(); }
  bool has_numbers(std::size_t column) const;  // no words, and not empty cells alone
  int find(const std::string& name) const;     // -1 when absent
  const std::vector<double>* column(const std::string& name) const;  // null when absent
};

// At most about `most` rows, evenly spaced, the last among them. Nothing, with a sentence in
// `problem`, for what is no table.
std::optional<ResultTable> read_result_table(const std::string& path, std::string& problem,
                                             std::size_t most = 200000);

// Does a name fit a pattern? `*` stands for any letters.
bool fits_pattern(const std::string& name, const std::string& pattern);

}  // namespace cartan::report
