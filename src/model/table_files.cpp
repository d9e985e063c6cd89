#include "model/table_files.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

namespace cartan::model {
namespace {

constexpr std::uintmax_t max_table_size = std::uintmax_t{256} << 20;

std::string_view trim(std::string_view cell) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!cell.empty() && blank(cell.front())) cell.remove_prefix(1);
  while (!cell.empty() && blank(cell.back())) cell.remove_suffix(1);
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
    cell = cell.substr(1, cell.size() - 2);
  return cell;
}

std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> result;
  while (true) {
    const std::size_t comma = line.find(',');
    result.push_back(trim(line.substr(0, comma)));
    if (comma == std::string_view::npos) return result;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> number(std::string_view cell) {
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

}  // namespace

// A row of numbers as long as the header.
void TableFiles::add_row(Columns& table, const std::string& line, const std::string& place) {
  const std::vector<std::string_view> row = cells(line);
  if (row.size() != table.names.size()) {
    table.problem = place + "expected " + std::to_string(table.names.size()) +
                    " numbers as in the header, got " + std::to_string(row.size());
    return;
  }
  for (std::size_t k = 0; k < row.size(); ++k) {
    const std::optional<double> value = number(row[k]);
    if (!value) {
      table.problem = place + "expected a number, got '" + std::string(row[k]) + "'";
      return;
    }
    table.values[k].push_back(*value);
  }
}

void TableFiles::choose_abscissa(Columns& table, const std::string& file) {
  if (table.names.empty() || table.values[0].size() < 2) {
    table.problem = file + " needs a header row and at least two rows of numbers";
    return;
  }
  for (const char* name : {"time", "t"}) {  // t wins
    const auto found = std::find(table.names.begin(), table.names.end(), name);
    if (found != table.names.end()) table.abscissa = static_cast<int>(found - table.names.begin());
  }
  const std::vector<double>& x = table.values[table.abscissa];
  const auto fall = std::adjacent_find(x.begin(), x.end(), std::greater_equal<>());
  if (fall != x.end())
    table.problem = file + ": column '" + table.names[table.abscissa] +
                    "' must increase from row to row; row " + std::to_string(fall - x.begin() + 2) +
                    " does not";
}

TableFiles::Columns TableFiles::read(const std::string& path) {
  Columns table;
  const std::string file = "table file '" + path + "'";
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    table.problem = file + " does not exist; expected a CSV file beside the model";
  else if (std::filesystem::file_size(path, error) > max_table_size)
    table.problem = file + " is larger than 256 MB";
  if (!table.problem.empty()) return table;
  std::ifstream stream(path, std::ios::binary);
  std::string line;
  for (int n = 1; table.problem.empty() && std::getline(stream, line); ++n) {
    if (trim(line).empty()) continue;
    if (!table.names.empty()) {
      add_row(table, line, file + ", line " + std::to_string(n) + ": ");
      continue;
    }
    const std::vector<std::string_view> header = cells(line);
    table.names.assign(header.begin(), header.end());
    table.values.resize(header.size());
    if (const std::string twice = repeated_name(table.names); !twice.empty())
      table.problem = file + " has two columns '" + twice + "'; give them different names";
  }
  if (table.problem.empty()) choose_abscissa(table, file);
  return table;
}

const TableFiles::Columns& TableFiles::columns(const std::string& file) {
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second;
  if (std::string refusal = refuse_path(consent_, folder_, file); !refusal.empty()) {
    files_[file].problem = "table file " + refusal;
    return files_[file];
  }
  return files_[file] = read((std::filesystem::path(folder_) / file).string());
}

// A table that repeats must end where it begins, or it jumps; one of steps may.
static std::string check_repeats(const std::string& name, const std::vector<double>& y,
                                 Interpolation interpolation) {
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  if (interpolation == Interpolation::steps ||
      std::fabs(y.back() - y.front()) <= 1e-9 * (*high - *low))
    return "";
  return name + " cannot be periodic: it begins with " + std::to_string(y.front()) +
         " and ends with " + std::to_string(y.back()) +
         "; its last row must repeat the first, one period later";
}

std::shared_ptr<const TableFunction> TableFiles::find(const std::string& file,
                                                      const std::string& column,
                                                      Interpolation interpolation, Outside outside,
                                                      std::string& problem) {
  std::shared_ptr<const TableFunction>& made = tables_[{file, column, interpolation, outside}];
  if (made) return made;
  const Columns& table = columns(file);
  problem = table.problem;
  if (!problem.empty()) return nullptr;
  const auto found = std::find(table.names.begin(), table.names.end(), column);
  if (found == table.names.end()) {
    const std::string near = nearest_name(column, table.names);
    problem = "table file '" + file + "' has no column '" + column + "'";
    problem +=
        near.empty() ? "; its first is '" + table.names[0] + "'" : "; did you mean '" + near + "'?";
    return nullptr;
  }
  const std::vector<double>& y = table.values[found - table.names.begin()];
  const std::string name = "table '" + file + "', column '" + column + "',";
  if (outside == Outside::periodic) problem = check_repeats(name, y, interpolation);
  if (!problem.empty()) return nullptr;
  made = std::make_shared<const TableFunction>(table.values[table.abscissa], y, interpolation,
                                               outside, name);
  has_bounded_ = has_bounded_ || outside == Outside::error;
  return made;
}

}  // namespace cartan::model
