// How a program follows long work and ends it.
//
//   std::atomic<bool> stop = false;  // set it from a signal or another thread
//   cartan::Watch watch;
//   watch.message = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
//   watch.progress = [](const std::string& task, double part) {
//     std::printf("%s: %g\n", task.c_str(), part);
//   };
//   watch.stop = &stop;
//   cartan::run(cartan::load("model.toml"), {.duration = 1, .watch = watch});
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include <cartan/export.h>

namespace cartan::api {

// Every member may be left out. They are called in the thread that called the function.
struct Watch {
  // Warnings and notes, a line each.
  std::function<void(const std::string& line)> message = {};
  // What is being done, and which part of it is done: 0 to 1.
  std::function<void(const std::string& task, double part)> progress = {};
  // Looked at again and again; true ends the work with an Error.
  const std::atomic<bool>* stop = nullptr;
};

}  // namespace cartan::api
