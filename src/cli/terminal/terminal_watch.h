// Whoever sits at the terminal watches: messages on stderr, a bar for long work.
#pragma once

#include <cartan/watch.h>

#include "core/folders.h"

namespace cartan::cli {

// `messages`: warnings and notes are printed; `progress`: a bar is drawn.
api::Watch terminal_watch(bool messages = true, bool progress = true);
// For work that looks at the watch again and again: Ctrl-C ends it in good order. Elsewhere it ends
// the program.
api::Watch interruptible(api::Watch watch);

}  // namespace cartan::cli
