#include "core/source_files.h"

#include <algorithm>
#include <mutex>

namespace cartan::core {
namespace {

constexpr int place_bits = 24, digit_bits = 7;
constexpr int place_mask = (1 << place_bits) - 1, digit_mask = (1 << digit_bits) - 1;
constexpr int most_source_files = (1 << (2 * digit_bits)) - 1;

struct SourceFiles {
  std::mutex mutex;
  std::vector<std::string> names;
};
SourceFiles& source_files() {
  static SourceFiles files;
  return files;
}

}  // namespace

int intern_source_file(const std::string& name) {
  SourceFiles& files = source_files();
  const std::lock_guard lock(files.mutex);
  const auto found = std::find(files.names.begin(), files.names.end(), name);
  if (found != files.names.end()) return static_cast<int>(found - files.names.begin()) + 1;
  if (files.names.size() >= most_source_files) return 0;
  files.names.push_back(name);
  return static_cast<int>(files.names.size());
}

std::string source_file_name(int file) {
  SourceFiles& files = source_files();
  const std::lock_guard lock(files.mutex);
  return file > 0 && file <= static_cast<int>(files.names.size()) ? files.names[file - 1] : "";
}

Location place_in_file(Location where, int file) {
  const Location plain = plain_place(where);
  return {plain.line | (file >> digit_bits) << place_bits, plain.column | (file & digit_mask)
                                                                              << place_bits};
}

int file_of_place(Location where) {
  return (where.line >> place_bits) << digit_bits | (where.column >> place_bits & digit_mask);
}

Location plain_place(Location where) {
  return {where.line & place_mask, where.column & place_mask};
}

std::string place_text(const std::string& main_file, Location where) {
  const int file = file_of_place(where);
  std::string text = file > 0 ? source_file_name(file) : main_file;
  const Location plain = plain_place(where);
  if (plain.line <= 0) return text;
  text += ':' + std::to_string(plain.line);
  if (plain.column > 0) text += ':' + std::to_string(plain.column);
  return text;
}

std::string line_text(Location where) {
  const int file = file_of_place(where);
  return "line " + std::to_string(plain_place(where).line) +
         (file > 0 ? " of " + source_file_name(file) : "");
}

}  // namespace cartan::core
