#include "codegen/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

extern char** environ;

namespace cartan {

ChildResult run_child(const std::vector<std::string>& words) {
  ChildResult result;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return result;
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  pid_t process = -1;
  result.started =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (result.started) {
    char buffer[4096];
    for (;;) {
      const ssize_t count = read(ends[0], buffer, sizeof buffer);
      if (count > 0)
        result.output.append(buffer, static_cast<std::size_t>(count));
      else if (count == 0 || errno != EINTR)
        break;
    }
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  }
  close(ends[0]);
  return result;
}

}  // namespace cartan
