// --force: what is there already may be replaced.
#pragma once

#include "cli/arguments.h"
#include "cli/command.h"
#include "io/output_files.h"

namespace cartan {

inline void declare_force(Arguments& arguments, bool& force) {
  arguments.flag("--force", "replace files that are there already and no earlier result", force);
}

inline Replace replace_if(bool force) {
  return force ? Replace::yes : Replace::no;
}

// Before long work: can these results be written to the folder of --out, if there is one? False
// after a complaint. `writer` names them in the folder's manifest.
inline bool may_write(const char* command, const std::string& writer, const std::string& folder,
                      bool force, const std::vector<std::string>& names) {
  const std::string refusal =
      folder.empty() ? "" : refuse_folder(folder, writer, replace_if(force), names);
  if (!refusal.empty()) complain(command, refusal);
  return refusal.empty();
}

}  // namespace cartan
