#include "core/child_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace cartan::core {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  int ends[2] = {-1, -1};

  bool open() { return pipe2(ends, O_CLOEXEC) == 0; }
  void close_end(int k) {
    if (ends[k] >= 0) close(ends[k]);
    ends[k] = -1;
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
};

// Reads what is there; false at the end.
bool read_some(int end, std::string& text) {
  char buffer[65536];
  const ssize_t count = read(end, buffer, sizeof buffer);
  if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

}  // namespace

int start_child(const std::vector<std::string>& words, int in, int out, int err) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const int files[] = {in, out, err};
  for (int k = 0; k < 3; ++k) {
    if (files[k] >= 0)
      posix_spawn_file_actions_adddup2(&actions, files[k], k);
    else
      posix_spawn_file_actions_addopen(&actions, k, "/dev/null", k == 0 ? O_RDONLY : O_WRONLY, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t process = -1;
  if (posix_spawnp(&process, arguments[0], &actions, &attributes, arguments.data(), environ) != 0)
    process = -1;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return process;
}

std::atomic<bool>& stop_wanted() {
  static std::atomic<bool> wanted = false;
  return wanted;
}

ChildResult run_child(const std::vector<std::string>& words, double longest,
                      const std::atomic<bool>* interrupted) {
  ChildResult result;
  Pipe out, err;
  if (words.empty() || !out.open() || !err.open()) return result;
  const auto begin = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  const int process = start_child(words, -1, out.ends[1], err.ends[1]);
  if (process < 0) return result;
  result.started = true;
  out.close_end(1);
  err.close_end(1);
  bool ended = false;
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    pollfd waiting[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    poll(waiting, 2, 100);
    if (waiting[0].revents && !read_some(out.ends[0], result.out)) out.close_end(0);
    if (waiting[1].revents && !read_some(err.ends[0], result.err)) err.close_end(0);
    if (result.err.size() > 100000) result.err.erase(0, result.err.size() - 50000);
    if (!ended && ((interrupted && *interrupted) || elapsed() > longest)) {
      kill(-process, SIGKILL);
      ended = true;
    }
  }
  int state = 0;
  rusage usage{};
  while (wait4(process, &state, 0, &usage) < 0 && errno == EINTR) {
  }
  result.peak_megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  result.status = WIFEXITED(state) && !ended ? WEXITSTATUS(state) : -1;
  result.seconds = elapsed();
  return result;
}

std::string own_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored).string();
}

}  // namespace cartan::core
