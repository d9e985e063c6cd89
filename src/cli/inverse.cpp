// cartan inverse: the generalised forces that make a mechanism follow a prescribed motion.
#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/inverse.h"

namespace cartan::cli {
namespace {

struct InverseArguments {
  ModelArguments model;
  api::InverseOptions inverse;
  bool json = false;
};

std::optional<int> read_inverse_arguments(const Words& words, InverseArguments& o) {
  Arguments arguments(
      "inverse",
      "Generalised forces, to be added to those of the model, that make it follow a motion. In a "
      "closed mechanism they act on as many tree joints as there are degrees of freedom: driven "
      "ones, then the first independent ones of the file. A drive of the model is taken as a "
      "force to be found: its joint moves as the table says. Where dry friction sticks, the force "
      "of least size is given. A table of some coordinates, or of other expressions (the crank of "
      "an engine, the hand of an arm), is enough where the rest follows from the constraints.",
      "  cartan inverse arm.toml --motion path.csv --out forces.csv\n"
      "with the columns t, JOINT.q0.. and, where known, JOINT.v0.., JOINT.a0..");
  declare_model(arguments, o.model);
  arguments.option("--motion", "FILE", "CSV table with the columns of trajectory.csv",
                   o.inverse.motion);
  declare_formulation(arguments, o.inverse.formulation);
  arguments.option("--out", "FILE", "write the table to this file instead of the terminal",
                   o.inverse.out);
  declare_force(arguments, o.inverse.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

}  // namespace

int inverse_command(const Words& words) {
  InverseArguments options;
  if (const std::optional<int> status = read_inverse_arguments(words, options)) return *status;
  options.inverse.watch = terminal_watch();
  const InverseResult result = calc_inverse(options.model, options.inverse);
  if (options.json)
    print_json(inverse_json(result));
  else if (options.inverse.out.empty())
    fmt::print("{}", inverse_csv(result));
  else
    fmt::print("Written: {} ({} rows)\n", options.inverse.out, result.rows.size());
  return exit_done;
}

}  // namespace cartan::cli
