#include "cli/terminal/interrupt.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <utility>

#include <unistd.h>

#include "cli/command.h"
#include "core/child_process.h"

namespace cartan::cli {
namespace {

static_assert(std::atomic<bool>::is_always_lock_free);

void note_signal(int) {
  stop_wanted().store(true, std::memory_order_relaxed);
}

}  // namespace

const std::atomic<bool>& watch_interrupts() {
  const std::atomic<bool>& wanted = stop_wanted();  // made before a signal can ask for it
  struct sigaction action = {};
  action.sa_handler = note_signal;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return wanted;
}

InterruptDeadline::InterruptDeadline(const char* command, std::function<void()> clean_up)
    : thread_([this, command, clean_up = std::move(clean_up)] {
        using namespace std::chrono_literals;
        std::unique_lock lock(mutex_);
        while (!stop_wanted())
          if (over_.wait_for(lock, 50ms, [this] { return done_; })) return;
        if (over_.wait_for(lock, 600ms, [this] { return done_; })) return;
        if (clean_up) clean_up();
        std::fprintf(stderr, "cartan %s: interrupted\n", command);
        std::fflush(stderr);
        _exit(exit_failed);
      }) {}

InterruptDeadline::~InterruptDeadline() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  over_.notify_all();
  thread_.join();
}

}  // namespace cartan::cli
