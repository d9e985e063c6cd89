// cartan view: a run, or the initial assembly of a model, in the browser.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/streams.h"
#include "cli/terminal/terminal_watch.h"
#include "cli/view/result_files.h"
#include "cli/view/view_record.h"
#include "cli/view/view_server.h"
#include "io/output_files.h"
#include "report/viewer_page.h"
#include "results/load/load.h"
#include "results/load/numbers.h"
#include "results/plot/programs.h"
#include "results/view_source.h"

namespace cartan::cli {
namespace {

struct ViewArguments {
  ViewSource source;
  std::string file;  // --export
  Film film;
  std::optional<double> speed;
  std::optional<int> port, frames;
  bool no_browser = false, json = false, force = false;
};

std::optional<int> read_view_arguments(const Words& words, ViewArguments& o) {
  Arguments arguments("view",
                      "Show a run in the browser: bodies in motion, forces, traces, plots. With a "
                      "model file: its initial assembly.",
                      "  cartan view result\n"
                      "  cartan view examples/stewart.toml\n"
                      "  cartan view result --compare other --export motion.html\n"
                      "  cartan view result --record motion.gif");
  arguments.positional("DIR", "folder of a run, or a model file (.toml)", o.source.shown.path);
  arguments.repeated("--set", "NAME=VALUE",
                     "override an entry of [parameters] of the model file; repeatable",
                     o.source.shown.sets);
  declare_consent(arguments, o.source.shown);
  arguments.option("--compare", "DIR2", "a second run, drawn as a ghost", o.source.compare);
  arguments.option("--modes", "FILE", "mode shapes: JSON, or the folder, of `cartan linearize`",
                   o.source.modes);
  arguments.option("--export", "FILE.html", "write one file with the data inside, serve nothing",
                   o.file);
  arguments.option("--record", "FILE", "write a film, .gif or .mp4 (needs chromium and ffmpeg)",
                   o.film.file);
  arguments.option("--speed", "S", "of the film: seconds of motion per second (1)", o.speed);
  arguments.option("--frames", "N", "at most N positions of every body in the page (20001)",
                   o.frames);
  arguments.option("--port", "N", "port on 127.0.0.1 (any that is free)", o.port);
  declare_force(arguments, o.force);
  arguments.flag("--no-browser", "print the address, open no browser", o.no_browser);
  arguments.flag("--json", "print one JSON object: `address`, or `file`", o.json);
  arguments.names_from([&o] {
    return o.source.is_model() ? load_model(o.source.shown, true)
                               : read_run_parameters(o.source.shown.path);
  });
  return arguments.parse(words);
}

int fail(const std::string& why) {
  return complain("view", why, exit_failed);
}

std::string find_contradiction(const ViewArguments& o) {
  if (!o.file.empty() && !o.film.file.empty())
    return "--export and --record are two results; give one of them";
  if (o.port && (*o.port < 1 || *o.port > 65535)) return "--port: expected 1 to 65535";
  if (o.frames && *o.frames < 2) return "--frames: expected 2 or more";
  if (o.speed && o.film.file.empty()) return "--speed belongs to --record";
  if (!o.source.shown.sets.empty() && !o.source.is_model())
    return "--set changes the parameters of a model file; a run has its own in model.json";
  for (const std::string& file : {o.file, o.film.file})
    if (const std::string taken = refuse_existing(file, replace_if(o.force)); !taken.empty())
      return taken;
  return o.film.file.empty() ? "" : refuse_film(o.film);
}

void report(const ViewArguments& o, const char* what, const std::string& value) {
  if (o.json)
    print_json({{what, value}});
  else
    fmt::print("{}\n", value);
  std::fflush(stdout);
}

int export_page(const ViewArguments& o, const std::string& page, const std::string& data) {
  std::string problem;
  if (!write_whole_file(o.file, page_with_data(page, data), replace_if(o.force), problem))
    return fail(problem);
  report(o, "file", o.file);
  return exit_done;
}

// Where a desktop is present; elsewhere the address is enough.
void open_browser(const std::string& address) {
  const bool desktop = std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY");
  if (desktop && has_program("xdg-open")) start_program({"xdg-open", address});
}

int serve(const ViewArguments& o, ViewContent content) {
  std::string problem;
  const std::atomic<bool>& interrupted = watch_interrupts();
  const auto server = ViewServer::start(std::move(content), o.port.value_or(0), problem);
  if (!server) return complain("view", problem);
  report(o, "address", server->address());
  fmt::print(stderr, "cartan view: showing {}; Ctrl-C ends it\n", o.source.shown.path);
  if (!o.no_browser) open_browser(server->address());
  while (!interrupted) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  return exit_done;
}

}  // namespace

int view_command(const Words& words) {
  ViewArguments o;
  if (const std::optional<int> status = read_view_arguments(words, o)) return *status;
  o.film.speed = o.speed.value_or(1);
  if (const std::string why = find_contradiction(o); !why.empty()) return complain("view", why);
  if (o.frames) o.source.limits.frames = *o.frames;

  std::string problem;
  std::string data = read_view_source(o.source, terminal_watch());
  const std::optional<std::string> page = read_viewer_page(problem);
  if (!page) return fail(problem);
  if (!o.file.empty()) return export_page(o, *page, data);

  ViewContent content;
  content.page = *page;
  content.file = [folders = o.source.folders()](std::size_t folder, const std::string& name,
                                                std::string& text) {
    return folder < folders.size() && read_result_file(folders[folder], name, text);
  };
  // The first load gets what has been read; later ones what the files hold then.
  auto first = std::make_shared<std::string>(std::move(data));
  auto mutex = std::make_shared<std::mutex>();
  content.data = [source = o.source, first, mutex](std::string& problem) {
    const std::lock_guard lock(*mutex);
    if (!first->empty()) return std::exchange(*first, "");
    try {
      return read_view_source(source, terminal_watch());
    } catch (const Refusal& refusal) {
      problem = refusal.what();
      tell_refusal(refusal);
      return std::string();
    }
  };
  if (o.film.file.empty()) return serve(o, std::move(content));
  if (!record_film(o.film, std::move(content), problem)) return fail(problem);
  report(o, "file", o.film.file);
  return exit_done;
}

}  // namespace cartan::cli
