// cartan steer: inputs that bring a machine from one state to another at least cost.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/design/steer.h"

namespace cartan::cli {

int steer_command(const Words& words) {
  SteerArguments o;
  bool json = false, no_refine = false;
  Arguments arguments(
      "steer",
      "Optimal control: inputs of a model that bring it from one state to another at least cost, "
      "also with contacts that close and open in a given order. The task is a file "
      "(docs/control.md); the motion found is written like that of a run.",
      "  cartan steer examples/steering/swing_up.toml --out swing_up\n"
      "  cartan steer examples/steering/swing_up.toml --starts 20 --json\n"
      "  cartan steer examples/steering/walk.toml --out walk --verify");
  arguments.positional("TASK", "the file of the task", o.task);
  arguments.repeated("--set", "NAME=VALUE", "another value of a parameter of the model, repeatable",
                     o.model.sets);
  declare_consent(arguments, o.model);
  arguments.option("--tolerance", "TOL",
                   "error of the mesh to reach (default: the task's, else 1e-6)", o.how.tolerance);
  arguments.option("--starts", "N",
                   "solve from so many guesses and keep the best (default: the task's, else 4)",
                   o.how.starts);
  arguments.option("--method", "NAME",
                   "points of collocation: gauss or radau (default: the task's, else gauss)",
                   o.how.method);
  arguments.option("--points", "S", "in each interval (default: the task's, else 5)", o.how.points);
  arguments.option("--intervals", "N",
                   "of the first mesh, in each phase (default: the task's, else chosen)",
                   o.how.intervals);
  arguments.flag("--no-refine", "stay on the first mesh and tell its error", no_refine);
  arguments.flag("--verify",
                 "also run the model with the inputs found (dop853, 1e-12) and tell the difference "
                 "(needs --out)",
                 o.how.verify);
  arguments.option("--out", "DIR",
                   "write the motion as a run does, with inputs.csv, start.json and steer.json",
                   o.how.out);
  declare_force(arguments, o.how.force);
  arguments.flag("--report", "also write report.html (needs --out)", o.how.report);
  arguments.flag("--json", "print one JSON object", json);
  if (const std::optional<int> status = arguments.parse(words)) return *status;
  o.how.refine = !no_refine;
  o.command = fmt::format("cartan steer {}", fmt::join(words, " "));
  o.how.watch = interruptible(terminal_watch(true, !json));
  const SteerRecord record = steer_task(o);
  if (json)
    print_json(steer_json(record));
  else
    fmt::print("{}", steer_text(record));
  if (record.result.converged) return exit_done;
  return complain("steer", record.result.problem, exit_failed);
}

}  // namespace cartan::cli
