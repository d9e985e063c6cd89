#include "io/output_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <mutex>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cartan::io {
namespace fs = std::filesystem;
namespace {

// Folders inside the folder of results, with what is not committed yet.
constexpr std::string_view aside_prefix = ".cartan-writing-";

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

bool exists(const std::string& path) {
  struct stat facts;
  return lstat(path.c_str(), &facts) == 0;
}

// Those in use, for discard_open_folders.
class OpenFolders {
 public:
  void add(OutputFolder* folder) {
    const std::lock_guard lock(mutex_);
    folders_.push_back(folder);
  }
  void remove(OutputFolder* folder) {
    const std::lock_guard lock(mutex_);
    std::erase(folders_, folder);
  }
  void discard() {
    const std::lock_guard lock(mutex_);
    for (OutputFolder* folder : folders_) folder->discard();
  }

 private:
  std::mutex mutex_;
  std::vector<OutputFolder*> folders_;
};

OpenFolders& open_folders() {
  static OpenFolders folders;
  return folders;
}

}  // namespace

std::unique_ptr<OutputFolder> OutputFolder::open(const std::string& folder,
                                                 const std::string& command, Replace replace,
                                                 std::string& problem) {
  const auto refuse = [&](const std::string& why) {
    problem = "cannot write to the folder '" + folder + "': " + why;
    return nullptr;
  };
  if (folder.empty()) return refuse("its name is empty");
  const fs::path path = tidy(folder);
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) return refuse("it is a file");
  std::unique_ptr<OutputFolder> output(new OutputFolder);
  open_folders().add(output.get());
  output->folder_ = path.string();
  output->command_ = command;
  output->replace_ = replace;
  output->made_ = missing_folders(path);
  fs::create_directories(path, error);
  if (error) return refuse(error.message());
  if (access(folder.c_str(), W_OK | X_OK) != 0) return refuse(std::strerror(errno));
  output->lock_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (output->lock_ >= 0 && flock(output->lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return refuse("another run is writing there");
  std::string damage;
  if (const std::optional<Manifest> manifest = Manifest::read(output->folder_, damage))
    output->before_ = *manifest;
  else if (!damage.empty() && replace == Replace::no)
    return refuse(damage + "; choose another folder, or let it be replaced");
  output->remove_leftovers();
  fs::create_directory(output->aside(""), error);
  if (error) return refuse(error.message());
  output->writing_ = true;
  return output;
}

OutputFolder::~OutputFolder() {
  open_folders().remove(this);
  discard();
  if (lock_ >= 0) close(lock_);
}

void OutputFolder::discard() {
  std::error_code ignored;
  if (writing_) fs::remove_all(aside(""), ignored);
  if (!committed_)
    for (const std::string& folder : made_) fs::remove(folder, ignored);  // only when empty
}

std::string OutputFolder::aside(const std::string& name) const {
  const fs::path folder =
      fs::path(folder_) / (std::string(aside_prefix) + std::to_string(getpid()));
  return (name.empty() ? folder : folder / name).string();
}

std::string OutputFolder::target(const std::string& name) const {
  return (fs::path(folder_) / name).string();
}

std::string OutputFolder::add(const std::string& name) {
  names_.push_back(name);
  return aside(name);
}

bool OutputFolder::write(const std::string& name, std::string_view content, std::string& problem) {
  if (write_file(add(name), content, problem)) return true;
  problem = "cannot write '" + target(name) + "': " + problem;
  return false;
}

// Nobody else writes here while the lock is held, so whatever lies aside belongs to a run that
// died.
void OutputFolder::remove_leftovers() const {
  std::error_code end, ignored;
  for (fs::directory_iterator at(folder_, end); !end && at != fs::directory_iterator();
       at.increment(end)) {
    const std::string name = at->path().filename().string();
    const std::string_view number =
        std::string_view(name).substr(std::min(aside_prefix.size(), name.size()));
    if (name.starts_with(aside_prefix) && !number.empty() &&
        number.find_first_not_of("0123456789") == std::string::npos && at->is_directory(ignored) &&
        !at->is_symlink(ignored))
      fs::remove_all(at->path(), ignored);
  }
}

bool OutputFolder::is_written_by_us(const std::string& name) const {
  return name == manifest_name ? !before_.files.empty() : before_.files.contains(name);
}

std::string OutputFolder::find_conflict(const std::vector<std::string>& more) const {
  std::vector<std::string> names = names_;
  names.insert(names.end(), more.begin(), more.end());
  names.push_back(manifest_name);
  std::error_code ignored;
  for (const std::string& name : names) {
    const std::string path = target(name);
    if (!exists(path)) continue;
    if (fs::is_directory(path, ignored))
      return "'" + path + "' is a folder and in the way of a result; choose another folder";
    if (replace_ == Replace::no && !is_written_by_us(name))
      return "'" + path +
             "' exists already and is no result that was written here; choose another folder, or "
             "let it be replaced";
  }
  return "";
}

bool OutputFolder::install(const Manifest& manifest, std::string& problem) const {
  if (!write_file(aside(manifest_name), manifest.text(), problem)) {
    problem = "cannot write '" + target(manifest_name) + "': " + problem;
    return false;
  }
  return rename_file(aside(manifest_name), target(manifest_name), problem);
}

// Files of the command's earlier result that the new one does not have. One that was changed since
// is no longer ours; after a commit that was cut short nobody knows, and it stays.
void OutputFolder::remove_dropped(const Manifest& next) const {
  std::error_code ignored;
  for (const auto& [name, file] : before_.files)
    if (file.command == command_ && !next.files.contains(name) &&
        calc_fingerprint(target(name)) == file.content)
      fs::remove(target(name), ignored);
}

bool OutputFolder::commit(std::string& problem) {
  problem = find_conflict();
  if (!problem.empty()) return false;
  Manifest next;
  for (const auto& [name, file] : before_.files)
    if (file.command != command_ || keeps_earlier_) next.files[name] = file;
  next.partial = before_.partial;
  next.partial.erase(command_);
  if (!partial_.empty()) next.partial[command_] = partial_;
  for (const std::string& name : names_) {
    const std::optional<Fingerprint> content = calc_fingerprint(aside(name));
    if (!content) {
      problem = "cannot write '" + target(name) + "': the file written aside has vanished";
      return false;
    }
    next.files[name] = {command_, *content};
  }
  Manifest between = next;
  between.complete = false;
  between.files.insert(before_.files.begin(), before_.files.end());
  if (!install(between, problem)) return false;
  committed_ = true;  // from here on the folder is changed
  remove_dropped(next);
  for (const std::string& name : names_)
    if (!rename_file(aside(name), target(name), problem)) return false;
  if (!install(next, problem)) return false;
  before_ = std::move(next);
  return true;
}

void discard_open_folders() {
  open_folders().discard();
}

std::string refuse_folder(const std::string& folder, const std::string& command, Replace replace,
                          const std::vector<std::string>& names) {
  std::string problem;
  const auto output = OutputFolder::open(folder, command, replace, problem);
  return output ? output->find_conflict(names) : problem;
}

bool OutputFolder::append(const std::string& name, std::string_view content, std::string& problem) {
  if (!write(name, content, problem)) return false;
  problem = find_conflict();
  if (!problem.empty()) return false;
  Manifest next = before_;
  Checksum sum;
  sum.add(content);
  next.files[name] = {command_, {sum.bytes(), sum.text()}};
  if (!rename_file(aside(name), target(name), problem) || !install(next, problem)) return false;
  before_ = std::move(next);
  return true;
}

}  // namespace cartan::io
