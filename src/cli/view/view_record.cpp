#include "cli/view/view_record.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "core/child_process.h"
#include "results/plot/programs.h"

namespace cartan::cli {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto longest_silence = 120s;  // of the browser

std::string ending_of(const Film& film) {
  return fs::path(film.file).extension().string();
}
int pictures_per_second(const Film& film) {
  return ending_of(film) == ".gif" ? 20 : 30;
}

std::vector<std::string> ffmpeg_words(const Film& film, const std::string& target) {
  std::vector<std::string> words = {
      "ffmpeg", "-y",         "-loglevel",  "error",
      "-f",     "image2pipe", "-framerate", std::to_string(pictures_per_second(film)),
      "-i",     "-"};
  if (ending_of(film) == ".gif")
    words.insert(words.end(),
                 {"-vf", "split[a][b];[a]palettegen[p];[b][p]paletteuse", "-f", "gif"});
  else
    words.insert(words.end(), {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "20", "-movflags",
                               "+faststart", "-f", "mp4"});
  words.push_back(target);
  return words;
}

// What the server's thread tells the waiting one.
struct Shooting {
  std::mutex mutex;
  int pipe = -1;  // into ffmpeg
  long pictures = 0, expected = 0;
  bool ended = false;
  std::string problem;
  Clock::time_point last = Clock::now();

  void take(const std::string& picture, long of) {
    const std::lock_guard lock(mutex);
    last = Clock::now();
    ++pictures;
    expected = of;
    for (std::size_t done = 0; done < picture.size() && problem.empty();) {
      const ssize_t count = write(pipe, picture.data() + done, picture.size() - done);
      if (count > 0)
        done += count;
      else if (errno != EINTR)
        problem = fmt::format("ffmpeg takes no more pictures: {}", std::strerror(errno));
    }
  }
  void end(const std::string& message) {
    const std::lock_guard lock(mutex);
    ended = true;
    if (problem.empty()) problem = message;
  }
  double fraction() {
    const std::lock_guard lock(mutex);
    return expected > 0 ? static_cast<double>(pictures) / expected : 0;
  }
  // The pictures are complete, or cannot be.
  bool over() {
    const std::lock_guard lock(mutex);
    if (!ended && Clock::now() - last > longest_silence)
      problem = fmt::format("the browser fell silent after {} pictures", pictures);
    return ended || !problem.empty();
  }
};

std::vector<std::string> browser_words(const std::string& browser, const std::string& profile,
                                       const std::string& address) {
  return {browser,
          "--headless",
          "--no-sandbox",
          "--enable-unsafe-swiftshader",
          "--disable-quic",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--disable-background-timer-throttling",
          "--hide-scrollbars",
          "--window-size=1280,720",
          "--user-data-dir=" + profile,
          address};
}

void end_group(int process) {
  if (process <= 0) return;
  kill(-process, SIGTERM);
  for (int k = 0; k < 100; ++k) {
    if (waitpid(process, nullptr, WNOHANG) != 0) return;
    std::this_thread::sleep_for(20ms);
  }
  kill(-process, SIGKILL);
  waitpid(process, nullptr, 0);
}

}  // namespace

int start_program(const std::vector<std::string>& words) {
  return start_child(words, -1, -1, -1);
}

std::string refuse_film(const Film& film) {
  if (ending_of(film) != ".gif" && ending_of(film) != ".mp4")
    return fmt::format("--record {}: expected a file that ends with .gif or .mp4", film.file);
  if (!(film.speed > 0)) return "--speed: expected a positive number";
  if (!has_program("ffmpeg"))
    return "--record needs ffmpeg, which is not installed (Debian package ffmpeg)";
  if (find_browser().empty())
    return "--record needs a browser without a window, which is not installed (Debian package "
           "chromium)";
  return "";
}

bool record_film(const Film& film, ViewContent content, std::string& problem) {
  const std::string aside =  // no option for ffmpeg, whatever it begins with
      fs::absolute(film.file + fmt::format(".tmp-{}", getpid())).string();
  std::string profile = (fs::temp_directory_path() / "cartan-browser-XXXXXX").string();
  int ends[2];
  if (!mkdtemp(profile.data()) || pipe2(ends, O_CLOEXEC) != 0) {
    problem = fmt::format("cannot record: {}", std::strerror(errno));
    return false;
  }
  std::signal(SIGPIPE, SIG_IGN);
  Shooting shooting;
  shooting.pipe = ends[1];
  content.take_picture = [&](const std::string& picture, long of) { shooting.take(picture, of); };
  content.end_of_pictures = [&](const std::string& message) { shooting.end(message); };
  const std::atomic<bool>& interrupted = watch_interrupts();
  const int ffmpeg = start_child(ffmpeg_words(film, aside), ends[0], -1, -1);
  close(ends[0]);
  {
    const auto server = ViewServer::start(std::move(content), 0, problem);
    const int browser =
        server
            ? start_child(
                  browser_words(find_browser(), profile,
                                fmt::format("{}#record={}&speed={}&quality=high", server->address(),
                                            pictures_per_second(film), film.speed)),
                  -1, -1, -1)
            : -1;
    Progress progress("recording");
    while (server && !shooting.over() && !interrupted) {
      progress.show(shooting.fraction());
      std::this_thread::sleep_for(20ms);
    }
    end_group(browser);
  }
  close(ends[1]);
  int status = -1;
  if (ffmpeg > 0) waitpid(ffmpeg, &status, 0);
  std::error_code error;
  fs::remove_all(profile, error);
  if (problem.empty()) problem = shooting.problem;
  if (problem.empty() && interrupted) problem = "stopped on request; nothing was written";
  if (problem.empty() && (status != 0 || shooting.pictures == 0))
    problem = "ffmpeg could not make " + film.file;
  if (problem.empty()) fs::rename(aside, film.file, error);
  if (problem.empty() && error) problem = fmt::format("{}: {}", film.file, error.message());
  fs::remove(aside, error);
  return problem.empty();
}

}  // namespace cartan::cli
