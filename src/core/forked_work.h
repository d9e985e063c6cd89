// Independent pieces of work in processes of their own: for what keeps global variables (solvers of
// others), and so that the end of one costs its piece alone.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::core {

struct ForkedPiece {
  bool done = false;
  std::string bytes;    // what work(i) returned
  std::string problem;  // why there is nothing
};

// work(i) for i = 0 .. count - 1, each once, in at most `processes` copies of this process. They
// inherit everything and give back bytes. `on_piece(done)` is called here. Fewer processes where
// the system gives no more; none at all: `work` is called here.
std::vector<ForkedPiece> work_in_processes(int count, int processes,
                                           const std::function<std::string(int)>& work,
                                           const std::function<void(int)>& on_piece);

}  // namespace cartan::core
