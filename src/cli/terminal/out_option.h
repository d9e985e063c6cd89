// --force: what is there already may be replaced.
#pragma once

#include "cli/terminal/arguments.h"
#include "io/output_files.h"

namespace cartan {

inline void declare_force(Arguments& arguments, bool& force) {
  arguments.flag("--force", "replace files that are there already and no earlier result", force);
}

inline Replace replace_if(bool force) {
  return force ? Replace::yes : Replace::no;
}

}  // namespace cartan
