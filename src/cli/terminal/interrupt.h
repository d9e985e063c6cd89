// Ctrl-C and kill: a run notices, stops and leaves earlier results alone.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "core/folders.h"

namespace cartan::cli {

// From now on SIGINT and SIGTERM set a flag. A second one ends the program at once.
const std::atomic<bool>& watch_interrupts();

// Ends the program soon after an interrupt, with a sentence and exit status 1, where a computation
// does not look at it in time (a large matrix is taken apart in one go). For work that leaves
// nothing half written, but for what `clean_up` removes; lasts as long as the object.
class InterruptDeadline {
 public:
  explicit InterruptDeadline(const char* command, std::function<void()> clean_up = {});
  ~InterruptDeadline();
  InterruptDeadline(const InterruptDeadline&) = delete;
  InterruptDeadline& operator=(const InterruptDeadline&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace cartan::cli
