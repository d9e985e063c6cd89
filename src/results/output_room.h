// Asked before long work: could its results be written?
#pragma once

#include <string>
#include <vector>

#include "io/output_files.h"
#include "results/refusal.h"

namespace cartan::results {

inline Replace replace_if(bool force) {
  return force ? Replace::yes : Replace::no;
}

// A refusal where files of these names could not be written to the folder, if there is one.
// `writer` names them in the folder's manifest.
inline void require_room(const char* command, const std::string& writer, const std::string& folder,
                         bool force, const std::vector<std::string>& names) {
  if (folder.empty()) return;
  const std::string refusal = refuse_folder(folder, writer, replace_if(force), names);
  if (!refusal.empty()) refuse(command, refusal);
}

}  // namespace cartan::results
