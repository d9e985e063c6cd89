// cartan equations: the symbolic equations of motion, to be read.
#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/code/equations_text.h"

namespace cartan::cli {
namespace {

struct EquationsArguments {
  ModelArguments model;
  api::EquationsOptions equations;
  bool json = false;
};

std::optional<int> read_equations_arguments(const Words& words, EquationsArguments& o) {
  Arguments arguments(
      "equations",
      "Print the symbolic equations of motion of a model, its parameters by their names.\n"
      "Forms: kane (M v' = f), lagrange (T, V and their equations), canonical (H and the "
      "equations of momenta), moving-frame (M*, N*, F*), diagonal (speeds whose mass matrix is "
      "diagonal), rotation-elements (R and T* of every body with all multipliers). The form kane "
      "is "
      "written in the [speeds] of the file where it has them.",
      "  cartan equations examples/double_pendulum.toml\n"
      "  cartan equations examples/double_pendulum.toml --form lagrange --format latex --out "
      "equations.tex");
  declare_model(arguments, o.model);
  arguments.option("--format", "NAME", "text (default) or latex", o.equations.format);
  arguments.option(
      "--form", "NAME",
      "kane (default), lagrange, canonical, moving-frame, diagonal or rotation-elements",
      o.equations.form);
  arguments.list("--show", "NAMES",
                 "also T, V, L, p, B, Bdot, power, as far as the form has them; or all",
                 o.equations.show);
  arguments.flag("--solved", "also the accelerations by themselves: q1'' = ..", o.equations.solved);
  arguments.flag("--linearize", "also M, C, K and A about a state of rest, as symbols",
                 o.equations.linearize);
  arguments.flag("--fold", "parameters as numbers", o.equations.fold);
  arguments.option("--out", "FILE", "write to this file instead of the terminal", o.equations.out);
  declare_force(arguments, o.equations.force);
  arguments.flag("--json", "print one JSON object with the text in it", o.json);
  return arguments.parse(words);
}

}  // namespace

int equations_command(const Words& words) {
  EquationsArguments o;
  if (const auto status = read_equations_arguments(words, o)) return *status;
  const api::EquationsOptions& e = o.equations;
  o.model.quiet = o.json;
  o.equations.watch = terminal_watch();
  const DerivedEquations result = derive_equations(o.model, e);
  if (o.json)
    print_json({{"model", result.model->name},
                {"form", e.form},
                {"format", e.format},
                {"text", result.text}});
  else if (e.out.empty())
    fmt::print("{}", result.text);
  return exit_done;
}

}  // namespace cartan::cli
