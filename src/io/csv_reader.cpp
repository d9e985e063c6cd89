#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>

#include "core/column_name.h"
#include "io/csv.h"
#include "io/result_folder.h"

namespace cartan::io {
namespace {

struct Cell {
  std::string_view text;
  int column = 1;  // of its first character in the line
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

Cell trim(std::string_view text, int column) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  while (!text.empty() && is_blank(text.front())) {
    text.remove_prefix(1);
    ++column;
  }
  return {text, column};
}

std::vector<Cell> split(std::string_view line) {
  std::vector<Cell> cells;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(trim(line.substr(begin, end - begin), static_cast<int>(begin) + 1));
    begin = end + 1;
  }
  return cells;
}

bool read_number(std::string_view text, double& value) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && std::isfinite(value);
}

// Takes lines one by one into a table.
class Reader {
 public:
  Reader(Diagnostics& problems, bool gaps) : problems_(problems), gaps_(gaps) {}

  bool take_header(const std::string& line, int number) {
    for (const Cell& cell : split(line)) {
      if (cell.text.empty()) return refuse(number, cell, "a column without a name");
      const std::string name(cell.text);
      if (!table_.add(name)) return refuse(number, cell, "a second column '" + name + "'");
    }
    return true;
  }

  bool take_row(const std::string& line, int number) {
    const std::vector<Cell> cells = split(line);
    if (cells.size() != table_.names.size()) {
      problems_.error({number, 1}, "this row has " + std::to_string(cells.size()) +
                                       " cells; the header has " +
                                       std::to_string(table_.names.size()));
      return false;
    }
    for (std::size_t k = 0; k < cells.size(); ++k) {
      double value = std::numeric_limits<double>::quiet_NaN();
      if (!(gaps_ && cells[k].text.empty()) && !read_number(cells[k].text, value))
        return refuse(number, cells[k],
                      "'" + std::string(cells[k].text) + "' in column '" + table_.names[k] +
                          "'; expected a finite number");
      table_.columns[k].push_back(value);
    }
    return true;
  }

  CsvTable& table() { return table_; }

 private:
  bool refuse(int line, const Cell& cell, std::string message) {
    problems_.error({line, cell.column}, std::move(message));
    return false;
  }

  Diagnostics& problems_;
  const bool gaps_;
  CsvTable table_;
};

bool is_partial_mark(std::string_view line) {
  return line.starts_with(partial_mark);
}

// What is no ordinary file may never end; nobody needs more than this from it.
constexpr std::uint64_t most_of_a_stream = std::uint64_t{1} << 30;
constexpr std::size_t longest_line = std::size_t{64} << 20;

// std::getline with limits. False at the end, or with a complaint.
class LineReader {
 public:
  LineReader(const std::string& path, std::ifstream& stream, Diagnostics& problems)
      : stream_(stream), problems_(problems) {
    std::error_code ignored;
    ordinary_ = std::filesystem::is_regular_file(path, ignored);
  }
  bool next(std::string& line) {
    line.clear();
    whole_ = false;
    for (std::streambuf& bytes = *stream_.rdbuf();;) {
      const int c = bytes.sbumpc();
      if (c == std::char_traits<char>::eof()) break;
      if (!ordinary_ && ++taken_ > most_of_a_stream)
        return refuse("this does not end; expected a table of at most 1 GB");
      if (c == '\n') {
        whole_ = true;
        break;
      }
      if (line.size() >= longest_line) return refuse("a line of more than 64 MB; expected a table");
      line += static_cast<char>(c);
    }
    ++number_;
    return whole_ || !line.empty();
  }
  int number() const { return number_; }
  bool is_whole() const { return whole_; }  // the last line ended with a line break
  bool failed() const { return failed_; }

 private:
  bool refuse(const char* why) {
    problems_.error({number_ + 1, 1}, why);
    failed_ = true;
    return false;
  }
  std::ifstream& stream_;
  Diagnostics& problems_;
  bool ordinary_ = true, whole_ = false, failed_ = false;
  std::uint64_t taken_ = 0;
  int number_ = 0;
};

bool open_table(const std::string& path, std::ifstream& stream, Diagnostics& problems) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    problems.error({}, "this is a folder; expected a CSV file");
    return false;
  }
  stream.open(path, std::ios::binary);
  if (stream) return true;
  problems.error({}, "the file cannot be opened; expected a CSV file");
  return false;
}

// Lines that end with a line break; `whole`: nothing follows the last of them.
std::size_t count_lines(std::ifstream& stream, bool& whole) {
  std::vector<char> block(std::size_t{1} << 20);
  std::size_t lines = 0;
  whole = false;
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    const auto end = block.begin() + stream.gcount();
    lines += std::count(block.begin(), end, '\n');
    if (stream.gcount() > 0) whole = *(end - 1) == '\n';
  }
  stream.clear();
  stream.seekg(0);
  return lines;
}

// Is the last line the mark of a part of a run?
bool ends_with_mark(std::ifstream& stream) {
  constexpr std::streamoff most = 1 << 16;
  stream.seekg(0, std::ios::end);
  const std::streamoff size = stream.tellg(), begin = std::max<std::streamoff>(0, size - most);
  stream.seekg(begin);
  std::string end(static_cast<std::size_t>(size - begin), '\0');
  stream.read(end.data(), static_cast<std::streamsize>(end.size()));
  stream.clear();
  stream.seekg(0);
  const std::size_t line = end.size() < 2 ? std::string::npos : end.rfind('\n', end.size() - 2);
  return line != std::string::npos && is_partial_mark(std::string_view(end).substr(line + 1));
}

}  // namespace

const std::vector<double>* CsvTable::find(const std::string& name) const {
  const auto found = places_.find(column_spelling(name));
  return found == places_.end() ? nullptr : &columns[found->second];
}

bool CsvTable::add(const std::string& name) {
  if (!places_.try_emplace(column_spelling(name), names.size()).second) return false;
  names.push_back(name);
  columns.emplace_back();
  return true;
}

std::optional<CsvTable> read_csv(const std::string& path, CsvRows rows, Diagnostics& problems) {
  std::ifstream stream;
  if (!open_table(path, stream, problems)) return std::nullopt;
  std::string damage;
  if (!check_result_file(path, damage)) {
    problems.error({}, damage.substr(std::min(damage.find(": ") + 2, damage.size())));
    return std::nullopt;
  }
  Reader reader(problems, rows != CsvRows::all);
  std::string line, last;
  int last_number = 0;
  bool header = false, whole = true;
  LineReader lines(path, stream, problems);
  while (lines.next(line)) {
    const int number = lines.number();
    whole = lines.is_whole();
    if (trim(line, 1).text.empty()) continue;
    if (is_partial_mark(line)) {
      problems.error({number, 1}, "this is only a part of a run (" +
                                      line.substr(partial_mark.size()) + "); expected a whole one");
      return std::nullopt;
    }
    if (!header) {
      if (!reader.take_header(line, number)) return std::nullopt;
      header = true;
    } else if (rows != CsvRows::last) {
      if (!reader.take_row(line, number)) return std::nullopt;
    } else {
      last.swap(line);
      last_number = number;
    }
  }
  if (lines.failed()) return std::nullopt;
  if (rows == CsvRows::last && !whole) {
    problems.error({lines.number(), 1},
                   "the file ends in the middle of a line; it was cut off (or lacks the line break "
                   "at its end)");
    return std::nullopt;
  }
  if (rows == CsvRows::last && last_number > 0 && !reader.take_row(last, last_number))
    return std::nullopt;
  if (reader.table().row_count() == 0) {
    problems.error({}, "expected a header row and at least one row of numbers");
    return std::nullopt;
  }
  return std::move(reader.table());
}

std::size_t thinning(std::size_t count, std::size_t most) {
  if (count <= most || most < 2) return 1;
  return (count - 2) / (most - 1) + 1;
}

std::optional<SampledCsv> read_csv_sampled(const std::string& path, std::size_t most,
                                           Diagnostics& problems) {
  std::ifstream stream;
  if (!open_table(path, stream, problems)) return std::nullopt;
  bool whole = false;
  const std::size_t lines = count_lines(stream, whole);
  if (!whole) {
    problems.error({}, lines == 0 ? "the file is empty; expected a header row and rows of numbers"
                                  : "the file ends in the middle of a line; it was cut off");
    return std::nullopt;
  }
  SampledCsv result;
  result.recorded = lines - 1 - ends_with_mark(stream);
  result.every = thinning(result.recorded, most);
  Reader reader(problems, true);
  std::string line;
  for (std::size_t k = 0; k <= result.recorded && std::getline(stream, line); ++k) {
    const int number = static_cast<int>(k + 1);
    const bool kept = k > 0 && ((k - 1) % result.every == 0 || k == result.recorded);
    if (k == 0 ? !reader.take_header(line, number) : kept && !reader.take_row(line, number))
      return std::nullopt;
  }
  result.table = std::move(reader.table());
  return result;
}

}  // namespace cartan::io
