// Tables of numbers as text: a header row, then rows of numbers with 17 significant digits.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/diagnostics.h"

namespace cartan::io {

// Appends a number with 17 significant digits: it reads back as the same double.
void append_number(std::string& text, double value);

// A column with numbers that are not defined: how many, and the first cell of the first such row.
struct UndefinedColumn {
  std::string name;
  double first = 0;
  long count = 0;
};
class UndefinedCells {
 public:
  void note(const std::vector<std::string>& names, std::size_t column, double at);
  const std::vector<UndefinedColumn>& columns() const { return columns_; }

 private:
  std::vector<int> place_;  // by column: among columns_, or -1
  std::vector<UndefinedColumn> columns_;
};

// The last line of a table that a run did not finish begins with this.
inline constexpr std::string_view partial_mark = "# partial: ";

// Streams a table to a file, a large block at a time. Errors are kept and told by close(). What is
// no finite number becomes an empty cell and is remembered.
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
  // A last line that says that the table is not whole.
  void mark_partial(std::string_view reason);
  const std::vector<UndefinedColumn>& undefined() const { return undefined_.columns(); }
  // False when anything could not be written; `problem` says why.
  bool close(std::string& problem);

 private:
  void separate();
  void flush();

  std::FILE* file_ = nullptr;
  std::string buffer_;
  bool row_begun_ = false;
  std::vector<std::string> names_;
  std::size_t column_ = 0;  // of the next cell
  double first_ = 0;        // cell of the row
  UndefinedCells undefined_;
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
// gaps, and in the last row: a cell may be empty and is then not a number. The last row must end
// with a line break: without one it may have been cut off. Parts of a run and what is not as a
// command wrote it (result_folder.h) are refused.
enum class CsvRows { all, with_gaps, last };

// Problems are told with line and column (character) of the file.
std::optional<CsvTable> read_csv(const std::string& path, CsvRows rows, Diagnostics& problems);

// A thinned table: rows 0, every, 2 every, .. and always the last.
struct SampledCsv {
  CsvTable table;
  std::size_t recorded = 0;  // rows of the file
  std::size_t every = 1;
};

// At most about `most` rows (2 or more) of a file of any size; only these are parsed. A cell may be
// empty. A file that does not end with a line break was cut off and is refused; a part of a run is
// read as far as it goes.
std::optional<SampledCsv> read_csv_sampled(const std::string& path, std::size_t most,
                                           Diagnostics& problems);

// The first distance between kept rows with which at most `most` of `count` are kept, the last
// among them.
std::size_t thinning(std::size_t count, std::size_t most);

}  // namespace cartan::io
