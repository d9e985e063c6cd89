// A progress bar on stderr: only on a terminal, only for work that lasts longer than a second.
#pragma once

#include <chrono>
#include <string>

#include "core/folders.h"

namespace cartan::cli {

class Progress {
 public:
  explicit Progress(std::string label, bool wanted = true);
  ~Progress();  // wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(double fraction);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool wanted_;
  bool drawn_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace cartan::cli
