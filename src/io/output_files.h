// Results that appear whole or not at all: everything is written aside and renamed at the end, so
// that a run that fails, is interrupted or killed leaves what was there before.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cartan {

// A folder of results. One run at a time may write to it; what a killed run left aside is removed
// by the next one.
class OutputFolder {
 public:
  // Makes the folder where it is missing. Null, with a sentence in `problem`, when nothing can be
  // written there.
  static std::unique_ptr<OutputFolder> open(const std::string& folder, std::string& problem);
  ~OutputFolder();  // removes what was not committed
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  // The path to write the contents of `name` to; they appear under that name with commit().
  std::string add(const std::string& name);
  // The same with the contents at hand.
  bool write(const std::string& name, std::string_view content, std::string& problem);
  // A file of an earlier run that the new one does not have: removed with commit().
  void drop(const std::string& name) { dropped_.push_back(name); }
  // Renames in the order of add().
  bool commit(std::string& problem);

  const std::string& path() const { return folder_; }
  const std::vector<std::string>& names() const { return names_; }

 private:
  OutputFolder(std::string folder, std::vector<std::string> made, int lock)
      : folder_(std::move(folder)), made_(std::move(made)), lock_(lock) {}
  std::string aside(const std::string& name) const;
  void remove_leftovers() const;

  std::string folder_;
  std::vector<std::string> made_;  // folders made by this object, innermost first
  int lock_ = -1;
  bool committed_ = false;
  std::vector<std::string> names_, dropped_;
};

// A single file, whole or not at all. What is no ordinary file (a device, a pipe) is written to
// directly.
bool write_whole_file(const std::string& path, std::string_view content, std::string& problem);

}  // namespace cartan
