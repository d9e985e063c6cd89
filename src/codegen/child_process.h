// Another program run to its end.
#pragma once

#include <string>
#include <vector>

namespace cartan {

struct ChildResult {
  bool started = false;  // false: there is no such program
  int status = -1;       // exit status; -1: ended by a signal
  std::string output;    // what it wrote to stdout and stderr
};

// words[0] is looked for in $PATH; nothing is given to a shell, stdin is empty.
ChildResult run_child(const std::vector<std::string>& words);

}  // namespace cartan
