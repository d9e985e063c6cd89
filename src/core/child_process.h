// Other programs, and this one again, run from within a command.
#pragma once

#include <atomic>
#include <limits>
#include <string>
#include <vector>

#include "core/folders.h"

namespace cartan::core {

// Starts a program found in PATH (or by its path); nothing is given to a shell. `in`, `out`, `err`:
// its standard files, -1 for /dev/null. In a group of its own: Ctrl-C reaches us alone, and all of
// it can be ended at once. Its process, or -1 when there is no such program.
int start_child(const std::vector<std::string>& words, int in, int out, int err);

struct ChildResult {
  bool started = false;  // false: there is no such program
  int status = -1;       // exit status; -1: not started, ended by a signal, or took too long
  std::string out;       // what it wrote to stdout
  std::string err;       // the same of stderr, its end
  double seconds = 0;
  double peak_megabytes = 0;  // the most memory it had at once

  std::string output() const { return out + err; }
};

// The wish to stop, of the whole process; the handler of its signals sets it.
std::atomic<bool>& stop_wanted();

// Runs a program to its end, with nothing to read. It is ended when `longest` seconds have passed
// or `interrupted` is set, by default the wish of the process.
ChildResult run_child(const std::vector<std::string>& words,
                      double longest = std::numeric_limits<double>::infinity(),
                      const std::atomic<bool>* interrupted = &stop_wanted());

// The path of the program that runs now.
std::string own_program();

}  // namespace cartan::core
