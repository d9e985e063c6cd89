// --force: what is there already may be replaced.
#pragma once

#include "cli/terminal/arguments.h"
#include "results/output_room.h"

namespace cartan::cli {

inline void declare_force(Arguments& arguments, bool& force) {
  arguments.flag("--force", "replace files that are there already and no earlier result", force);
}

}  // namespace cartan::cli
