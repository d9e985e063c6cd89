// Ctrl-C and kill: a run notices, stops and leaves earlier results alone.
#pragma once

#include <atomic>

namespace cartan {

// From now on SIGINT and SIGTERM set a flag. A second one ends the program at once.
const std::atomic<bool>& watch_interrupts();

}  // namespace cartan
