// cartan generate: the equations of a model as code.
#include <filesystem>

#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/code/generate.h"
#include "symbolic/count.h"

namespace cartan::cli {
namespace {

struct GenerateArguments {
  ModelArguments model;
  api::GenerateOptions generate;
  bool json = false;
};

std::optional<int> read_generate_arguments(const Words& words, GenerateArguments& o) {
  Arguments arguments(
      "generate",
      "Write the equations of a model as code: the derivative x' = f(t, x, p), mass matrix, "
      "energies, events and outputs; with --jacobian and --variational their derivatives too. "
      "Initial state, parameter values and flags of events come along (NAME_x0, NAME_p0, ...). "
      "With "
      "--language fmi3 or fmi2 as an FMU: model exchange and co-simulation for other tools.",
      "  cartan generate examples/double_pendulum.toml --language c --jacobian --out code\n"
      "  cartan generate examples/roessler.toml --language python --out code\n"
      "  cartan generate examples/pid_arm.toml --language fmi3 --out fmu");
  declare_model(arguments, o.model);
  arguments.option("--language", "NAME",
                   "c (default), c++, python, octave, cuda, latex, fmi3 or fmi2",
                   o.generate.language);
  arguments.option("--out", "DIR", "folder to write the files to", o.generate.out);
  declare_force(arguments, o.generate.force);
  arguments.option("--form", "NAME",
                   "recursive (default): accelerations in O(n) operations; mass-matrix: M v' = f, "
                   "solved by the code; diagonal: speeds whose mass matrix is diagonal (trees)",
                   o.generate.form);
  arguments.flag("--jacobian", "also d x' / d x, sparse", o.generate.jacobian);
  arguments.flag("--variational", "also the variational system and its Jacobian",
                 o.generate.variational);
  arguments.option("--inputs", "P1,P2",
                   "FMUs: parameters or inputs that come from outside; default: all [inputs]",
                   o.generate.inputs);
  arguments.option("--outputs", "EXPR,EXPR",
                   "FMUs: what is seen; default: the model's outputs, or its states",
                   o.generate.outputs);
  arguments.flag("--variational-matrix",
                 "the whole variational system, n (n + 1) states, and its sparse Jacobian",
                 o.generate.variational_matrix);
  arguments.flag("--places", "also positions and velocities of mass centres and joints, world axes",
                 o.generate.places);
  arguments.flag("--fold", "parameters as numbers instead of arguments", o.generate.fold);
  arguments.flag("--plain",
                 "unoptimised: every result as one expression, no value kept for a second use",
                 o.generate.plain);
  arguments.option("--name", "NAME", "prefix of functions and files; default: the model file's",
                   o.generate.name);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

void print_result(const GeneratedModel& r, const std::string& out) {
  const CodeUnit& unit = *r.unit;
  fmt::print("{}: {} states, {} parameters, derived and written in {:.2f} s\n\n", unit.title,
             unit.arguments[1].symbols.size(), unit.arguments[2].symbols.size(), r.seconds);
  fmt::print("  {:<22}{:>12}{:>12}\n", "function", "operations", "unshared");
  for (const CodeFunction& function : unit.functions) {
    const std::vector<Expression> results = results_of(function);
    fmt::print("  {:<22}{:>12}{:>12}\n", function.name, count_shared(*unit.graph, results).total(),
               operations_text(total_unshared(*unit.graph, results)));
  }
  fmt::print("\n");
  for (const GeneratedFile& file : r.files)
    fmt::print("  {} ({} bytes)\n", (std::filesystem::path(out) / file.name).string(),
               file.text.size());
}

}  // namespace

int generate_command(const Words& words) {
  GenerateArguments o;
  if (const auto status = read_generate_arguments(words, o)) return *status;
  check_generate(o.generate);
  if (o.generate.out.empty()) return complain("generate", "--out DIR says where the files go");
  o.model.quiet = o.json;
  o.generate.watch = terminal_watch();
  const GeneratedModel result = generate_model(o.model, o.generate);
  if (o.json)
    print_json(generated_json(result, o.generate));
  else
    print_result(result, o.generate.out);
  return exit_done;
}

}  // namespace cartan::cli
