// Tables of numbers as text: a header row, then rows of numbers with 17 significant digits.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/diagnostics.h"

namespace cartan {

// Appends a number with 17 significant digits: it reads back as the same double.
void append_number(std::string& text, double value);

// Streams a table to a file, a large block at a time. Errors are kept and told by close().
class CsvWriter {
 public:
  explicit CsvWriter(const std::string& path);
  ~CsvWriter();
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;

  void text(std::string_view cell);
  void number(double value);
  void numbers(const std::vector<double>& values);
  void header(const std::vector<std::string>& names);
  void end_row();
  // False when anything could not be written; `problem` says why.
  bool close(std::string& problem);

 private:
  void separate();
  void flush();

  std::FILE* file_ = nullptr;
  std::string buffer_;
  bool row_begun_ = false;
  int error_ = 0;  // errno of the first failure
};

struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  // beside names

  std::size_t row_count() const { return columns.empty() ? 0 : columns[0].size(); }
  // Null when absent; tilt.q[1] and tilt.q1 are one column.
  const std::vector<double>* find(const std::string& name) const;
  // Adds an empty column; false where there is one of that name.
  bool add(const std::string& name);

 private:
  std::unordered_map<std::string, std::size_t> places_;  // by spelling in tables
};

// All rows, or only the last one, which is what continuing a run needs of a file of any size. With
// gaps: a cell may be empty and is then not a number.
enum class CsvRows { all, with_gaps, last };

// Problems are told with line and column (character) of the file.
std::optional<CsvTable> read_csv(const std::string& path, CsvRows rows, Diagnostics& problems);

// A thinned table: rows 0, every, 2 every, .. and always the last.
struct SampledCsv {
  CsvTable table;
  std::size_t recorded = 0;  // rows of the file
  std::size_t every = 1;
};

// At most about `most` rows (2 or more) of a file of any size; only these are parsed. A file that
// does not end with a line break was cut off and is refused.
std::optional<SampledCsv> read_csv_sampled(const std::string& path, std::size_t most,
                                           Diagnostics& problems);

// The first distance between kept rows with which at most `most` of `count` are kept, the last
// among them.
std::size_t thinning(std::size_t count, std::size_t most);

}  // namespace cartan
