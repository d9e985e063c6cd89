#include "cli/interrupt.h"

#include <csignal>

namespace cartan {
namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void note_signal(int) {
  interrupted.store(true, std::memory_order_relaxed);
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

}  // namespace cartan
