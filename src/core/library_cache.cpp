#include "core/library_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/environment.h"

namespace cartan {
namespace fs = std::filesystem;
namespace {

struct Entry {
  fs::path file;
  std::uintmax_t size;
  fs::file_time_type used;
};

}  // namespace

fs::path default_library_cache() {
  std::error_code ignored;
  if (const char* folder = environment("XDG_CACHE_HOME")) return fs::path(folder) / "cartan";
  if (const char* home = environment("HOME")) return fs::path(home) / ".cache" / "cartan";
  return fs::temp_directory_path(ignored) / fmt::format("cartan-{}", getuid());
}

void touch_library(const fs::path& library) {
  std::error_code ignored;  // a cache that cannot be written is still read
  fs::last_write_time(library, fs::file_time_type::clock::now(), ignored);
}

void prune_library_cache(const fs::path& folder, const fs::path& kept, std::uintmax_t most) {
  const auto a_day_ago = fs::file_time_type::clock::now() - std::chrono::hours(24);
  std::error_code error;  // others prune the same folder: what is gone already is no error
  std::vector<Entry> entries;
  std::vector<fs::path> abandoned;
  std::uintmax_t total = 0;
  std::error_code end_of_folder;
  for (fs::directory_iterator at(folder, end_of_folder);
       !end_of_folder && at != fs::directory_iterator(); at.increment(end_of_folder)) {
    const fs::directory_entry& item = *at;
    const fs::file_time_type used = item.last_write_time(error);
    if (error) continue;
    if (item.is_directory(error)) {
      if (used < a_day_ago) abandoned.push_back(item.path());
    } else if (item.path().extension() == ".so") {
      const std::uintmax_t size = item.file_size(error);
      if (error) continue;
      total += size;
      if (item.path() != kept) entries.push_back({item.path(), size, used});
    }
  }
  for (const fs::path& path : abandoned) fs::remove_all(path, error);
  if (total <= most) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  for (const Entry& entry : entries) {
    if (total <= most / 2) break;
    if (fs::remove(entry.file, error)) total -= entry.size;
  }
}

}  // namespace cartan
