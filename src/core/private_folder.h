// Folders nobody else can write to.
#pragma once

#include <filesystem>
#include <string>

#include "core/folders.h"

namespace cartan::core {

// Nobody but this user and root can change what the folder holds: it belongs to the user, others
// may not write to it, and the folders above it are root's or the user's and closed as well (or
// keep everybody's entries apart, as /tmp does). Otherwise false, with a sentence on the first that
// is not.
bool is_private(const std::filesystem::path& folder, std::string& why);

// The same of an ordinary file that the user owns.
bool is_private_file(const std::filesystem::path& file, std::string& why);

// Makes the folder, open to the user alone, where it is missing. False, with a sentence, where it
// cannot be made or is not private.
bool make_private_folder(const std::filesystem::path& folder, std::string& why);

// A fresh private folder among the temporary files, which goes with this object. Those that killed
// processes left under the same name go with the next one.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const {
    return path_;
  }  // empty: there is none, see problem()
  const std::string& problem() const { return problem_; }

 private:
  std::filesystem::path path_;
  std::string problem_;
  int lock_ = -1;  // held as long as the folder is in use
};

}  // namespace cartan::core
