// Long work, told to whoever watches.
#pragma once

#include <string>
#include <utility>

#include <cartan/watch.h>

#include "core/folders.h"

namespace cartan::results {

inline void tell(const api::Watch& watch, const std::string& line) {
  if (watch.message) watch.message(line);
}

inline bool stopped(const api::Watch& watch) {
  return watch.stop && watch.stop->load();
}

// One piece of work: how far it is, and its end.
class Task {
 public:
  Task(const api::Watch& watch, std::string name) : watch_(watch), name_(std::move(name)) {}
  ~Task() { show(1); }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  void show(double part) {
    if (watch_.progress) watch_.progress(name_, part);
  }

 private:
  const api::Watch& watch_;
  std::string name_;
};

}  // namespace cartan::results
