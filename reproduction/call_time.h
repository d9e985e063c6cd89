// How long one call of compiled code takes.
#pragma once

#include <ctime>

#include <algorithm>

namespace cartan::reproduction {

// CPU time of the thread in seconds: the machine may be busy with other things.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds per call, the smallest of twenty batches of a millisecond: other work on the core can
// only lengthen a batch.
template <class Call>
double seconds_per_call(Call&& call) {
  long calls = 1;
  auto batch = [&] {
    const double begin = cpu_seconds();
    for (long k = 0; k < calls; ++k) call();
    return cpu_seconds() - begin;
  };
  while (batch() < 1e-3) calls *= 2;
  double best = 1e300;
  for (int k = 0; k < 20; ++k) best = std::min(best, batch());
  return best / static_cast<double>(calls);
}

}  // namespace cartan::reproduction
