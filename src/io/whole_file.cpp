// A single file, whole or not at all.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/output_files.h"

namespace cartan::io {
namespace fs = std::filesystem;
namespace {

std::string taken(const std::string& path) {
  return "'" + path + "' exists already; give another name, or let it be replaced";
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// Written to a file without a name, which the system forgets with the process, then given its name.
// What exists can only be replaced through a second name and a renaming. Errors as errno; -1: the
// file system has no files without names.
int write_nameless(const fs::path& target, const fs::path& aside, std::string_view content,
                   Replace replace) {
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const int file = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return errno == EOPNOTSUPP || errno == EISDIR ? -1 : errno;
  const std::string source = "/proc/self/fd/" + std::to_string(file);
  const auto name = [&](const fs::path& path) {
    return linkat(AT_FDCWD, source.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  int error = write_all(file, content) ? 0 : errno;
  if (error == 0 && !name(target)) {
    error = errno;
    if (error == EEXIST && replace == Replace::yes) {
      unlink(aside.c_str());
      error = name(aside) && rename(aside.c_str(), target.c_str()) == 0 ? 0 : errno;
      if (error != 0) unlink(aside.c_str());
    } else if (error == ENOENT) {
      error = -1;  // no /proc here
    }
  }
  close(file);
  return error;
}

int write_aside(const fs::path& target, const fs::path& aside, std::string_view content,
                Replace replace) {
  const int file = open(aside.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int error = write_all(file, content) ? 0 : errno;
  if (close(file) != 0 && error == 0) error = errno;
  if (error == 0 && replace == Replace::yes && rename(aside.c_str(), target.c_str()) != 0)
    error = errno;
  if (error == 0 && replace == Replace::no && link(aside.c_str(), target.c_str()) != 0)
    error = errno;
  unlink(aside.c_str());
  return error;
}

int write_directly(const std::string& path, std::string_view content) {
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  const int error = write_all(file, content) ? 0 : errno;
  return close(file) != 0 && error == 0 ? errno : error;
}

}  // namespace

std::string refuse_existing(const std::string& path, Replace replace) {
  if (path.empty()) return "";
  const fs::path target(path);
  std::error_code ignored;
  if (fs::is_regular_file(target, ignored) && replace == Replace::no) return taken(path);
  const auto refuse = [&](int error) {
    return "cannot write '" + path + "': " + std::strerror(error);
  };
  if (fs::is_directory(target, ignored)) return refuse(EISDIR);
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  const bool ordinary = fs::is_regular_file(target, ignored) || !fs::exists(target, ignored);
  return ordinary && access(folder.c_str(), W_OK | X_OK) != 0 ? refuse(errno) : "";
}

bool write_whole_file(const std::string& path, std::string_view content, Replace replace,
                      std::string& problem) {
  const fs::path target(path);
  std::error_code ignored;
  const bool ordinary = fs::is_regular_file(target, ignored) || !fs::exists(target, ignored);
  const fs::path aside = target.parent_path() /
                         ("." + target.filename().string() + ".tmp-" + std::to_string(getpid()));
  int error =
      ordinary ? write_nameless(target, aside, content, replace) : write_directly(path, content);
  if (error == -1) error = write_aside(target, aside, content, replace);
  if (error == 0) return true;
  problem = error == EEXIST ? taken(path) : "cannot write '" + path + "': " + std::strerror(error);
  return false;
}

}  // namespace cartan::io
