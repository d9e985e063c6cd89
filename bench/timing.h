// The one timing loop of all benchmarks, so that our figures and those of other engines are taken
// the same way. Three decisions:
//
// CPU time of the calling thread, not wall time: the machine is shared, and time given to others is
// not ours.
//
// Batches: reading the clock costs some hundred nanoseconds, a call may cost fifty. The number of
// calls is doubled until the clock is a thousandth of the batch.
//
// The minimum over batches: other work on the core can only lengthen a batch, so the shortest one
// is nearest to the cost of the computation itself. Means and medians measure the neighbours.
#pragma once

#include <ctime>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace cartan::bench {

struct TimingOptions {
  double batch_seconds = 0.5e-3;  // fits between two interruptions, is long for the clock
  double total_seconds = 0.25;    // CPU time spent on one figure
  int min_batches = 5;            // even where one call takes longer than all of the above
};

inline double calc_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Makes the compiler believe that the object is read and changed here, so that no work on it is
// removed or hoisted.
template <class T>
inline void keep(T& object) {
  asm volatile("" : : "r"(&object) : "memory");
}

template <class Work>
double calc_batch_seconds(Work& work, std::int64_t calls) {
  const double start = calc_cpu_seconds();
  for (std::int64_t i = 0; i < calls; ++i) {
    work();
    asm volatile("" : : : "memory");
  }
  return calc_cpu_seconds() - start;
}

// Seconds per call of `work()`, the smallest seen.
template <class Work>
double calc_min_seconds(Work&& work, const TimingOptions& options = {}) {
  std::int64_t calls = 1;
  // The first batch also warms caches and lets the work allocate what it allocates once.
  double spent = calc_batch_seconds(work, calls);
  while (spent < options.batch_seconds) {
    calls *= 2;
    spent = calc_batch_seconds(work, calls);
  }
  double best = std::numeric_limits<double>::infinity();
  double total = 0;
  for (int batch = 0; batch < options.min_batches || total < options.total_seconds; ++batch) {
    spent = calc_batch_seconds(work, calls);
    total += spent;
    best = std::min(best, spent / static_cast<double>(calls));
  }
  return best;
}

}  // namespace cartan::bench
