// cartan check: validate a model and say what it is.
#include <fmt/core.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/terminal_watch.h"
#include "results/load/check.h"

namespace cartan::cli {

int check_command(const Words& words) {
  ModelArguments model_arguments;
  bool json = false;
  Arguments arguments("check",
                      "Validate a model; print its tree, loops, degrees of freedom, total mass and "
                      "principal moments.",
                      "  cartan check examples/heavy_top.toml");
  declare_model(arguments, model_arguments);
  arguments.flag("--json", "print one JSON object", json);
  if (const std::optional<int> status = arguments.parse(words)) return *status;
  const CheckedModel checked = check_file(model_arguments, terminal_watch());
  if (json)
    print_json(check_json(checked));
  else
    fmt::print("{}", check_text(checked));
  return exit_done;
}

}  // namespace cartan::cli
