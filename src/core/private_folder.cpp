#include "core/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cartan::core {
namespace fs = std::filesystem;
namespace {

constexpr mode_t others_write = S_IWGRP | S_IWOTH;
constexpr std::time_t time_to_lock = 60;  // seconds: younger folders may not be locked yet

// Could another user replace what stands under a name in this folder?
bool is_closed(const fs::path& folder, bool own, std::string& why) {
  struct stat facts;
  if (lstat(folder.c_str(), &facts) != 0) {
    why = fmt::format("'{}': {}", folder.string(), std::strerror(errno));
    return false;
  }
  if (!S_ISDIR(facts.st_mode))
    why = fmt::format("'{}' is no folder", folder.string());
  else if (facts.st_uid != geteuid() && (own || facts.st_uid != 0))
    why = fmt::format("'{}' belongs to another user", folder.string());
  else if ((facts.st_mode & others_write) && (own || !(facts.st_mode & S_ISVTX)))
    why = fmt::format("others may write to '{}'", folder.string());
  else
    return true;
  return false;
}

// Is somebody using a temporary folder? Its owner holds a lock on it.
bool is_in_use(const fs::path& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return true;
  const bool free = flock(file, LOCK_EX | LOCK_NB) == 0;
  close(file);
  return !free;
}

void remove_abandoned(const fs::path& place, const std::string& beginning) {
  std::error_code end, ignored;
  for (fs::directory_iterator at(place, end); !end && at != fs::directory_iterator();
       at.increment(end)) {
    const fs::path& path = at->path();
    const std::string name = path.filename().string();
    struct stat facts;
    if (name.starts_with(beginning) && name.size() == beginning.size() + 6 &&
        lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() &&
        facts.st_mtime + time_to_lock < std::time(nullptr) && !is_in_use(path))
      fs::remove_all(path, ignored);
  }
}

}  // namespace

bool is_private(const fs::path& folder, std::string& why) {
  std::error_code error;
  const fs::path real = fs::canonical(folder, error);
  if (error) {
    why = fmt::format("'{}': {}", folder.string(), error.message());
    return false;
  }
  if (!is_closed(real, true, why)) return false;
  for (fs::path above = real; above.has_relative_path();) {
    above = above.parent_path();
    if (!is_closed(above, false, why)) return false;
  }
  return true;
}

bool is_private_file(const fs::path& file, std::string& why) {
  struct stat facts;
  if (lstat(file.c_str(), &facts) != 0)
    why = fmt::format("'{}': {}", file.string(), std::strerror(errno));
  else if (!S_ISREG(facts.st_mode))
    why = fmt::format("'{}' is no ordinary file", file.string());
  else if (facts.st_uid != geteuid())
    why = fmt::format("'{}' belongs to another user", file.string());
  else if (facts.st_mode & others_write)
    why = fmt::format("others may write to '{}'", file.string());
  else
    return is_private(fs::absolute(file).parent_path(), why);
  return false;
}

bool make_private_folder(const fs::path& folder, std::string& why) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    why = fmt::format("'{}': {}", folder.string(), std::strerror(errno));
    return false;
  }
  return is_private(folder, why);
}

TemporaryFolder::TemporaryFolder(const std::string& name) {
  std::error_code error;
  fs::path place = fs::temp_directory_path(error);
  if (error) place = "/tmp";
  const std::string beginning = fmt::format("{}-{}-", name, geteuid());
  remove_abandoned(place, beginning);
  std::string pattern = (place / (beginning + "XXXXXX")).string();
  if (!mkdtemp(pattern.data())) {
    problem_ = fmt::format(
        "there is no room for temporary files in '{}' ({}); set TMPDIR to a "
        "folder that can be written",
        place.string(), std::strerror(errno));
    return;
  }
  lock_ = open(pattern.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ >= 0) flock(lock_, LOCK_EX | LOCK_NB);
  std::string why;
  if (is_private(pattern, why)) {
    path_ = pattern;
    return;
  }
  fs::remove(pattern, error);
  problem_ = fmt::format(
      "temporary files are not safe from others ({}); set TMPDIR to a folder of "
      "your own",
      why);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
}

}  // namespace cartan::core
