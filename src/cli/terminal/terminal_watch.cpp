#include "cli/terminal/terminal_watch.h"

#include <memory>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"

namespace cartan::cli {

api::Watch terminal_watch(bool messages, bool progress) {
  api::Watch watch;
  if (messages) watch.message = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  if (progress)
    watch.progress = [bar = std::shared_ptr<Progress>()](const std::string& task,
                                                         double part) mutable {
      if (!bar) bar = std::make_shared<Progress>(task);
      bar->show(part);
      if (part >= 1) bar.reset();  // wipes it
    };
  return watch;
}

api::Watch interruptible(api::Watch watch) {
  watch.stop = &watch_interrupts();
  return watch;
}

}  // namespace cartan::cli
