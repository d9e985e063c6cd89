#include "report/result_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "core/column_name.h"
#include "io/csv.h"
#include "io/result_folder.h"

namespace cartan::report {
namespace {

// Cells of a line; a cell in quotes may hold commas.
std::vector<std::string> split_line(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

std::optional<double> number_in(const std::string& cell) {
  double value = 0;
  const char* begin = cell.data();
  const char* end = begin + cell.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error == std::errc() && rest == end) return value;
  return std::nullopt;
}

}  // namespace

bool ResultTable::has_numbers(std::size_t column) const {
  return words[column].empty() && std::any_of(numbers[column].begin(), numbers[column].end(),
                                              [](double value) { return std::isfinite(value); });
}

int ResultTable::find(const std::string& name) const {
  const std::string wanted = column_spelling(name);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name || column_spelling(names[i]) == wanted) return static_cast<int>(i);
  return -1;
}

const std::vector<double>* ResultTable::column(const std::string& name) const {
  const int i = find(name);
  return i < 0 ? nullptr : &numbers[i];
}

std::optional<ResultTable> read_result_table(const std::string& path, std::string& problem,
                                             std::size_t most) {
  if (!check_result_file(path, problem)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  std::string line;
  if (!stream || !std::getline(stream, line)) {
    problem = path + ": there is no table here";
    return std::nullopt;
  }
  ResultTable table;
  table.names = split_line(line);
  if (const std::string twice = repeated_name(table.names); !twice.empty()) {
    problem = path + ": two columns '" + twice + "'; give them different names";
    return std::nullopt;
  }
  const std::size_t width = table.names.size();
  std::size_t count = 0;
  while (std::getline(stream, line)) count += !line.empty() && !line.starts_with(partial_mark);
  const std::size_t every = thinning(count, std::max<std::size_t>(most, 2));
  stream.clear();
  stream.seekg(0);
  std::getline(stream, line);
  table.words.resize(width);
  table.numbers.resize(width);
  for (std::size_t row = 0; std::getline(stream, line);) {
    if (line.empty() || line.starts_with(partial_mark)) continue;
    const bool kept = row % every == 0 || row + 1 == count;
    ++row;
    if (!kept) continue;
    const std::vector<std::string> cells = split_line(line);
    if (cells.size() != width) {
      problem = fmt::format("{}:{}: {} cells under {} names", path, row + 1, cells.size(), width);
      return std::nullopt;
    }
    for (std::size_t i = 0; i < width; ++i) {
      const std::optional<double> number = number_in(cells[i]);
      table.numbers[i].push_back(number.value_or(NAN));
      if (!number && !cells[i].empty() && cells[i] != "nan" && cells[i] != "-nan")
        table.words[i].resize(table.numbers[i].size() - 1), table.words[i].push_back(cells[i]);
    }
  }
  if (table.rows() == 0) {
    problem = path + ": the table has no rows";
    return std::nullopt;
  }
  for (auto& words : table.words)
    if (!words.empty()) words.resize(table.rows());
  return table;
}

bool fits_pattern(const std::string& written_name, const std::string& written_pattern) {
  const std::string name = column_spelling(written_name);
  const std::string pattern = column_spelling(written_pattern);
  // Greedy matching with return to the last star.
  std::size_t n = 0, p = 0, star = std::string::npos, mark = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++n, ++p;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace cartan::report
