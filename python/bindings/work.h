// Long work out of Python: other threads of the interpreter go on meanwhile, and Ctrl-C ends it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <cartan/watch.h>
#include <pybind11/pybind11.h>

namespace cartan::python {

namespace py = pybind11;

// Lines the work has to say go to the logger `cartan` of Python when it is done, warnings as such.
class WatchedWork {
 public:
  // For the options of a function of the library.
  Watch watch() {
    Watch watch;
    watch.message = [this](const std::string& line) { messages_.push_back(line); };
    watch.stop = &stop_;
    return watch;
  }

  // The work runs in a thread of its own, so that this one can look for signals: only Python's main
  // thread is told of them, and only while it holds the interpreter.
  template <class Work>
  auto run(Work work) -> decltype(work()) {
    std::optional<decltype(work())> result;
    std::exception_ptr thrown;
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    std::thread worker([&] {
      try {
        result.emplace(work());
      } catch (...) {
        thrown = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      changed.notify_one();
    });
    bool interrupted = false;
    for (bool waiting = true; waiting;) {
      {
        const py::gil_scoped_release others_go_on;
        std::unique_lock lock(mutex);
        waiting = !changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; });
      }
      if (!interrupted && PyErr_CheckSignals() != 0) interrupted = true, stop_ = true;
    }
    worker.join();
    if (interrupted) throw py::error_already_set();
    tell_messages();
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*result);
  }

 private:
  void tell_messages() {
    if (messages_.empty()) return;
    const py::object logger = py::module_::import("logging").attr("getLogger")("cartan");
    for (const std::string& line : messages_)
      logger.attr(line.find("warning") == std::string::npos ? "info" : "warning")("%s", line);
  }

  std::atomic<bool> stop_ = false;
  std::vector<std::string> messages_;
};

}  // namespace cartan::python
