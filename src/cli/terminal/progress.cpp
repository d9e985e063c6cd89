#include "cli/terminal/progress.h"

#include <algorithm>
#include <cstdio>

#include <fmt/core.h>
#include <unistd.h>

namespace cartan::cli {
namespace {

constexpr int bar_width = 30;
constexpr std::chrono::milliseconds patience(1000), pause(100);
constexpr const char* wipe = "\r\033[K";

// Past stderr, which lets no control characters through.
void draw(const std::string& text) {
  [[maybe_unused]] const ssize_t count = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::Progress(std::string label, bool wanted)
    : label_(std::move(label)), wanted_(wanted && isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (drawn_) draw(wipe);
}

void Progress::show(double fraction) {
  if (!wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now - begin_ < patience || (drawn_ && now - last_ < pause)) return;
  last_ = now;
  drawn_ = true;
  const double spent = std::chrono::duration<double>(now - begin_).count();
  const int filled = static_cast<int>(bar_width * std::clamp(fraction, 0.0, 1.0));
  const std::string left =
      fraction > 0.01 ? fmt::format(", about {:.0f} s left", spent * (1 - fraction) / fraction)
                      : "";
  draw(fmt::format("{}{} [{:=<{}}{:>{}}] {:3.0f} %{}", wipe, label_, "", filled, "",
                   bar_width - filled, 100 * fraction, left));
}

}  // namespace cartan::cli
