#include "io/output_files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace cartan {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view aside_prefix = ".", aside_mark = ".tmp-";

std::string aside_name(const std::string& name) {
  return std::string(aside_prefix) + name + std::string(aside_mark) + std::to_string(getpid());
}

bool is_leftover(const std::string& name) {
  return name.starts_with(aside_prefix) && name.find(aside_mark) != std::string::npos;
}

bool write_file(const std::string& path, std::string_view content, std::string& problem) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  const bool written =
      file && std::fwrite(content.data(), 1, content.size(), file) == content.size();
  int error = written ? 0 : errno;
  if (file && std::fclose(file) != 0 && !error) error = errno;
  if (error) problem = std::strerror(error);
  return error == 0;
}

bool rename_file(const std::string& from, const std::string& to, std::string& problem) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return true;
  problem = "cannot write '" + to + "': " + std::strerror(errno);
  return false;
}

// A folder and those above it that do not exist yet, innermost first.
std::vector<std::string> missing_folders(fs::path folder) {
  std::vector<std::string> missing;
  std::error_code ignored;
  for (; !folder.empty() && !fs::exists(folder, ignored); folder = folder.parent_path())
    missing.push_back(folder.string());
  return missing;
}

// Without a slash at the end.
fs::path tidy(const std::string& folder) {
  const fs::path path = fs::path(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

std::unique_ptr<OutputFolder> OutputFolder::open(const std::string& folder, std::string& problem) {
  const auto refuse = [&](const std::string& why) {
    problem = "cannot write to the folder '" + folder + "': " + why;
    return nullptr;
  };
  if (folder.empty()) return refuse("its name is empty");
  const fs::path path = tidy(folder);
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) return refuse("it is a file");
  std::vector<std::string> made = missing_folders(path);
  fs::create_directories(path, error);
  if (error) return refuse(error.message());
  if (access(folder.c_str(), W_OK | X_OK) != 0) return refuse(std::strerror(errno));
  const int lock = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    close(lock);
    return refuse("another run is writing there");
  }
  std::unique_ptr<OutputFolder> output(new OutputFolder(path.string(), std::move(made), lock));
  output->remove_leftovers();
  return output;
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;
  if (!committed_) {
    for (const std::string& name : names_) fs::remove(aside(name), ignored);
    for (const std::string& folder : made_) fs::remove(folder, ignored);  // only when empty
  }
  if (lock_ >= 0) close(lock_);
}

std::string OutputFolder::aside(const std::string& name) const {
  return (fs::path(folder_) / aside_name(name)).string();
}

std::string OutputFolder::add(const std::string& name) {
  names_.push_back(name);
  return aside(name);
}

bool OutputFolder::write(const std::string& name, std::string_view content, std::string& problem) {
  if (write_file(add(name), content, problem)) return true;
  problem = "cannot write '" + (fs::path(folder_) / name).string() + "': " + problem;
  return false;
}

// Nobody else writes here while the lock is held, so whatever lies aside belongs to a run that
// died.
void OutputFolder::remove_leftovers() const {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
    if (is_leftover(entry.path().filename().string())) fs::remove(entry.path(), ignored);
}

bool OutputFolder::commit(std::string& problem) {
  std::error_code ignored;
  for (const std::string& name : dropped_) fs::remove(fs::path(folder_) / name, ignored);
  for (const std::string& name : names_)
    if (!rename_file(aside(name), (fs::path(folder_) / name).string(), problem)) return false;
  committed_ = true;
  return true;
}

bool write_whole_file(const std::string& path, std::string_view content, std::string& problem) {
  const fs::path target(path);
  std::error_code ignored;
  const bool ordinary = fs::is_regular_file(target, ignored) || !fs::exists(target, ignored);
  const std::string aside =
      ordinary ? (target.parent_path() / aside_name(target.filename().string())).string() : path;
  if (write_file(aside, content, problem)) return !ordinary || rename_file(aside, path, problem);
  problem = "cannot write '" + path + "': " + problem;
  if (ordinary) std::remove(aside.c_str());
  return false;
}

}  // namespace cartan
