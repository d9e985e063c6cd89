// Time and memory of a derivation.
#pragma once

#include <sys/resource.h>

#include <ctime>

namespace cartan::derivations {

// CPU time of this thread: the machine may be busy with other things.
class Clock {
 public:
  double seconds() const { return now() - start_; }

 private:
  static double now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
  double start_ = now();
};

inline long megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

}  // namespace cartan::derivations
