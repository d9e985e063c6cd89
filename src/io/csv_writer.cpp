#include <cerrno>
#include <charconv>
#include <cstring>

#include "io/csv.h"

namespace cartan {
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

void CsvWriter::separate() {
  if (row_begun_) buffer_ += ',';
  row_begun_ = true;
}

void CsvWriter::text(std::string_view cell) {
  separate();
  buffer_ += cell;
}

void CsvWriter::number(double value) {
  separate();
  append_number(buffer_, value);
}

void CsvWriter::numbers(const std::vector<double>& values) {
  for (double value : values) number(value);
}

void CsvWriter::header(const std::vector<std::string>& names) {
  for (const std::string& name : names) text(name);
  end_row();
}

void CsvWriter::end_row() {
  buffer_ += '\n';
  row_begun_ = false;
  if (buffer_.size() >= block_size) flush();
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

}  // namespace cartan
