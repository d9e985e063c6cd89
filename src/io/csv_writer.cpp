#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include "io/csv.h"

namespace cartan::io {
namespace {

constexpr std::size_t block_size = std::size_t{1} << 16;
constexpr std::size_t longest_number = 32;

}  // namespace

void append_number(std::string& text, double value) {
  char digits[longest_number];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 17);
  text.append(digits, end.ptr);
}

CsvWriter::CsvWriter(const std::string& path) : file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) error_ = errno;
  buffer_.reserve(block_size + 4096);
}

CsvWriter::~CsvWriter() {
  if (file_) std::fclose(file_);
}

void UndefinedCells::note(const std::vector<std::string>& names, std::size_t column, double at) {
  if (place_.size() < names.size()) place_.resize(names.size(), -1);
  if (place_[column] < 0) {
    place_[column] = static_cast<int>(columns_.size());
    columns_.push_back({names[column], at, 0});
  }
  ++columns_[place_[column]].count;
}

void CsvWriter::separate() {
  if (row_begun_) buffer_ += ',';
  column_ = row_begun_ ? column_ + 1 : 0;
  row_begun_ = true;
}

void CsvWriter::text(std::string_view cell) {
  separate();
  buffer_ += cell;
}

void CsvWriter::number(double value) {
  separate();
  if (column_ == 0) first_ = value;
  if (std::isfinite(value))
    append_number(buffer_, value);
  else if (column_ < names_.size())
    undefined_.note(names_, column_, first_);
}

void CsvWriter::numbers(const std::vector<double>& values) {
  for (double value : values) number(value);
}

void CsvWriter::header(const std::vector<std::string>& names) {
  for (const std::string& name : names) text(name);
  names_.assign(column_ + 1 - names.size(), "t");
  names_.insert(names_.end(), names.begin(), names.end());
  end_row();
}

void CsvWriter::end_row() {
  buffer_ += '\n';
  row_begun_ = false;
  if (buffer_.size() >= block_size) flush();
}

void CsvWriter::mark_partial(std::string_view reason) {
  buffer_ += partial_mark;
  buffer_ += reason;
  end_row();
}

void CsvWriter::flush() {
  if (file_ && !error_ && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size())
    error_ = errno;
  buffer_.clear();
}

bool CsvWriter::close(std::string& problem) {
  flush();
  if (file_ && std::fclose(file_) != 0 && !error_) error_ = errno;
  file_ = nullptr;
  if (error_) problem = std::strerror(error_);
  return error_ == 0;
}

}  // namespace cartan::io
