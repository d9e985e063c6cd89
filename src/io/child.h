// Other programs, and this one again, run from within a command.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace cartan {

struct ChildResult {
  int status =
      -1;  // exit status; -1: it could not be started, was ended by a signal, or took too long
  std::string out;  // what it wrote to stdout
  std::string err;  // the same of stderr, its end
  double seconds = 0;
};

// Runs a program found in PATH (or by its path) to its end. In a group of its own, which is ended
// when `longest` seconds have passed or `interrupted` is set.
ChildResult run_child(const std::vector<std::string>& words, double longest,
                      const std::atomic<bool>* interrupted = nullptr);

// The path of the program that runs now.
std::string own_program();

}  // namespace cartan
