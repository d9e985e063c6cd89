#include "core/library_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <vector>

#include "core/checksum.h"
#include "core/environment.h"
#include "core/private_folder.h"

namespace cartan::core {
namespace fs = std::filesystem;
namespace {

struct Entry {
  fs::path file;
  std::uintmax_t size;
  fs::file_time_type used;
};

// The last line of a library; always of the same length.
std::string seal_of(const Fingerprint& content) {
  return fmt::format("\ncartan {:016x} {:0>32}\n", content.bytes, content.checksum);
}

// What lies in a folder of the user's that was open to others cannot be trusted: closed first, then
// emptied of libraries.
bool open_cache(const fs::path& folder, std::string& why) {
  if (make_private_folder(folder, why)) return true;
  struct stat facts;
  if (lstat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() ||
      chmod(folder.c_str(), S_IRWXU) != 0 || !is_private(folder, why))
    return false;
  std::error_code end, ignored;
  for (fs::directory_iterator at(folder, end); !end && at != fs::directory_iterator();
       at.increment(end))
    if (at->path().extension() == ".so") fs::remove(at->path(), ignored);
  return true;
}

}  // namespace

fs::path default_library_cache() {
  const auto absolute = [](const char* variable) {
    const char* text = environment(variable);
    return text && fs::path(text).is_absolute() ? fs::path(text) : fs::path();
  };
  if (const fs::path cache = absolute("XDG_CACHE_HOME"); !cache.empty()) return cache / "cartan";
  if (const fs::path home = absolute("HOME"); !home.empty()) return home / ".cache" / "cartan";
  return "";
}

fs::path open_library_cache(const fs::path& asked, std::string& problem) {
  const fs::path folder = asked.empty() ? default_library_cache() : asked;
  std::string why;
  if (!folder.empty() && open_cache(folder, why)) return folder;
  if (!asked.empty()) {
    problem = fmt::format(
        "compiled code cannot be kept in a folder where others could exchange it ({}); set "
        "XDG_CACHE_HOME to a folder of your own",
        why);
    return "";
  }
  static const TemporaryFolder own("cartan-code");
  problem = own.problem();
  return own.path();
}

bool seal_library(const fs::path& library) {
  const std::optional<Fingerprint> content = calc_fingerprint(library.string());
  if (!content || chmod(library.c_str(), S_IRWXU) != 0) return false;
  std::ofstream out(library, std::ios::binary | std::ios::app);
  out << seal_of(*content);
  out.close();
  return out.good();
}

bool is_sealed(const fs::path& library) {
  std::string why;
  if (!is_private_file(library, why)) return false;
  std::ifstream in(library, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t length = seal_of({}).size();
  if (text.size() < length) return false;
  const std::string_view content(text.data(), text.size() - length);
  return std::string_view(text).substr(content.size()) ==
         seal_of({content.size(), checksum_of(content)});
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

}  // namespace cartan::core
