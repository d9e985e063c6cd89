// What a model file may do beyond describing a machine: run code that lies in or beside it, read
// files outside its folder. Nothing of that happens unasked.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/folders.h"

namespace cartan::model {

struct Consent {
  // Functions of [functions] whose code is C or a shared library.
  enum class Code {
    refused,  // a model that has some is refused
    named,    // they are known by their names only; nothing is compiled, loaded or run
    run,
  };
  Code code = Code::refused;
  bool any_path = false;             // read tables wherever they lie
  std::vector<std::string> folders;  // read them here too, besides the model's own folder
  // package://NAME/FILE and model://NAME/FILE lie in DIR
  std::vector<std::pair<std::string, std::string>> packages;

  // To everything.
  static Consent full() { return {Code::run, true, {}, {}}; }
};

// What every complaint about missing consent contains.
inline constexpr const char* consent_phrase = "needs your consent";

// "" or why a file that a model names, relative to its folder, may not be read. Links count as what
// they lead to.
std::string refuse_path(const Consent& consent, const std::string& folder, const std::string& file);

// The file that a model means by a path relative to its folder, by an absolute one, or by
// package://NAME/FILE, model://NAME/FILE or file://FILE.
struct FoundPath {
  std::string path;
  std::string problem;           // "" or why it may not be read
  bool unknown_package = false;  // nobody said where the package lies
};
FoundPath find_path(const Consent& consent, const std::string& folder, const std::string& file);

// Does a path lie in a folder, or is it the folder itself? Links are followed.
bool lies_in(const std::string& path, const std::string& folder);

}  // namespace cartan::model
