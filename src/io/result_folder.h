// What a folder of results says about itself. The last thing a command writes is the manifest:
// every file with its command, length and checksum. While files are exchanged it says so. A reader
// that looks at the manifest therefore sees one whole result, old or new, or learns that there is
// none.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/checksum.h"

namespace cartan::io {

inline constexpr const char* manifest_name = "cartan-manifest.json";

struct Manifest {
  struct File {
    std::string command;  // that wrote it
    Fingerprint content;
  };
  bool complete = true;  // false: a command was exchanging files
  std::map<std::string, File> files;
  // Commands whose result is a part only, and why.
  std::map<std::string, std::string> partial;

  std::string text() const;
  // Nothing and no problem where there is no manifest; a problem where it is damaged.
  static std::optional<Manifest> read(const std::string& folder, std::string& problem);
};

// A folder to be read from. One without a manifest (of an earlier version, or put together by hand)
// is taken as it is.
class ResultFolder {
 public:
  // Nothing, with a sentence in `problem`, where there is no whole result.
  static std::optional<ResultFolder> open(const std::string& folder, std::string& problem);

  // Is the file part of the result? A file that merely lies there is not.
  bool has(const std::string& name) const;
  // Is it there, and as it was written? A sentence in `problem` if not.
  bool check(const std::string& name, std::string& problem) const;
  // No command has written since open().
  bool is_unchanged(std::string& problem) const;
  // "" or why the result of a command is only a part.
  std::string partial(const std::string& command = "run") const;

 private:
  std::string folder_;
  std::optional<Manifest> manifest_;
};

// A single file, wherever it lies: false with a sentence where the manifest beside it says that it
// is not as it was written.
bool check_result_file(const std::string& path, std::string& problem);
// "" or why a file, or the run in a folder, is only a part of what was asked for.
std::string partial_reason(const std::string& path);

}  // namespace cartan::io
