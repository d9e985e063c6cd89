// Results that appear whole or not at all: everything is written aside and renamed at the end, so
// that a run that fails, is interrupted or killed leaves what was there before. What a folder holds
// is told by its manifest (result_folder.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/result_folder.h"

namespace cartan::io {

// May files that are there already be replaced? Those of an earlier result in the same folder
// always.
enum class Replace { no, yes };

// A folder of results. One command at a time may write to it; what a killed one left aside is
// removed by the next one.
class OutputFolder {
 public:
  // Makes the folder where it is missing. Null, with a sentence in `problem`, when nothing can be
  // written there. `command`: whose results these are; its earlier ones go with commit(), files of
  // others stay.
  static std::unique_ptr<OutputFolder> open(const std::string& folder, const std::string& command,
                                            Replace replace, std::string& problem);
  ~OutputFolder();  // removes what was not committed
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // The path to write the contents of `name` to; they appear under that name with commit().
  std::string add(const std::string& name);
  // The same with the contents at hand.
  bool write(const std::string& name, std::string_view content, std::string& problem);
  // "" or which file is in the way, of those added and of `more`. commit() asks again.
  std::string find_conflict(const std::vector<std::string>& more = {}) const;
  // What the command wrote here before stays, as far as it is not written anew.
  void keep_earlier() { keeps_earlier_ = true; }
  // Removes what was not committed; nothing may be written afterwards.
  void discard();
  // The result is only a part of what was asked for.
  void mark_partial(std::string reason) { partial_ = std::move(reason); }
  bool commit(std::string& problem);
  // One more file after commit().
  bool append(const std::string& name, std::string_view content, std::string& problem);

  // Has an earlier command of this program written here?
  bool holds_results() const { return !before_.files.empty(); }
  const std::string& path() const { return folder_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  OutputFolder() = default;
  std::string aside(const std::string& name) const;
  std::string target(const std::string& name) const;
  void remove_leftovers() const;
  bool install(const Manifest& manifest, std::string& problem) const;
  void remove_dropped(const Manifest& next) const;
  bool is_written_by_us(const std::string& name) const;

  std::string folder_, command_, partial_;
  Replace replace_ = Replace::no;
  std::vector<std::string> made_;  // folders made by this object, innermost first
  int lock_ = -1;
  bool writing_ = false, committed_ = false, keeps_earlier_ = false;
  Manifest before_;  // what the folder held
  std::vector<std::string> names_;
};

// Removes what no folder in use has committed: for the end of the process from another thread.
void discard_open_folders();

// "" or why results of these names could not be written to a folder: asked before long work, whose
// result would be lost otherwise. Leaves nothing behind.
std::string refuse_folder(const std::string& folder, const std::string& command, Replace replace,
                          const std::vector<std::string>& names);

// A single file, whole or not at all; what is aside vanishes with the process. What is no ordinary
// file (a device, a pipe) is written to directly.
bool write_whole_file(const std::string& path, std::string_view content, Replace replace,
                      std::string& problem);

// "" or that the file exists, or why it could not be written: asked before long work. No name: no
// file is wanted.
std::string refuse_existing(const std::string& path, Replace replace);

}  // namespace cartan::io
