#include "cli/terminal/streams.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/printable.h"
#include "results/option_names.h"

namespace cartan::cli {
namespace {

void open_if_closed(int number, const char* device, int flags) {
  if (fcntl(number, F_GETFD) >= 0 || errno != EBADF) return;
  const int file = open(device, flags);
  if (file >= 0 && file != number) {
    dup2(file, number);
    close(file);
  }
}

// Writes what it can. A reader who has gone away is nobody to complain to.
ssize_t write_message(void*, const char* text, std::size_t size) {
  const std::string shown = printable({text, size}, Lines::kept);
  for (std::size_t done = 0; done < shown.size();) {
    const ssize_t count = write(STDERR_FILENO, shown.data() + done, shown.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<std::size_t>(count);
  }
  return static_cast<ssize_t>(size);
}

}  // namespace

void prepare_streams() {
  open_if_closed(STDIN_FILENO, "/dev/null", O_RDONLY);
  open_if_closed(STDOUT_FILENO, "/dev/full", O_WRONLY);
  open_if_closed(STDERR_FILENO, "/dev/null", O_WRONLY);
  cookie_io_functions_t functions = {};
  functions.write = write_message;
  if (std::FILE* messages = fopencookie(nullptr, "w", functions)) {
    std::setvbuf(messages, nullptr, _IONBF, 0);
    stderr = messages;
  }
}

int finish_streams(int status) {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  fmt::print(stderr, "cartan: the output could not be written: {}\n",
             errno ? std::strerror(errno) : "some of it is lost");
  return status == exit_done ? static_cast<int>(exit_failed) : status;
}

int tell_refusal(const Refusal& refusal) {
  fmt::print(stderr, "{}", refusal.remedies ? name_options(refusal.shown) : refusal.shown);
  return refusal.kind() == Refusal::Kind::failed ? exit_failed : exit_bad_input;
}

int run_program(int count, char** words, int (*command)(const Words& words)) {
  prepare_streams();
  int status = exit_failed;
  try {
    status = command(Words(words + 1, words + count));
  } catch (const Refusal& refusal) {
    status = tell_refusal(refusal);
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "cartan: out of memory\n");
  } catch (const std::exception& error) {
    if (!std::ferror(stdout))  // otherwise finish_streams tells
      fmt::print(stderr, "cartan: internal error: {}\n", error.what());
  }
  return finish_streams(status);
}

}  // namespace cartan::cli
