// Independent pieces of work on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "core/folders.h"

namespace cartan::results {

// work(i) for i = 0 .. count - 1, each once, in any order; on_piece(done) in the calling thread.
// What work throws is thrown here when all threads have ended.
// Results belong to their index, so that they do not depend on the number of cores.
template <class Work, class OnPiece>
void for_each_in_parallel(int count, Work&& work, OnPiece&& on_piece) {
  std::atomic<int> next = 0, done = 0;
  std::mutex mutex;
  std::exception_ptr thrown;  // the first; what has not begun then is left
  const auto take_piece = [&](int i) {
    try {
      work(i);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
      next = count;
    }
  };
  const auto take_pieces = [&](bool tell) {
    for (int i; (i = next.fetch_add(1)) < count;) {
      take_piece(i);
      const int now = done.fetch_add(1) + 1;
      if (tell) on_piece(now);
    }
  };
  const int helpers =
      std::min(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())), count) - 1;
  {
    std::vector<std::jthread> threads;
    for (int k = 0; k < helpers; ++k) threads.emplace_back([&] { take_pieces(false); });
    take_pieces(true);
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace cartan::results
