#include "cli/terminal/model_options.h"

#include <fmt/format.h>

#include "cli/terminal/streams.h"
#include "cli/terminal/terminal_watch.h"
#include "formulations/formulations.h"
#include "integrate/simulate.h"

namespace cartan::cli {

void declare_model(Arguments& arguments, ModelArguments& target) {
  arguments.positional("MODEL", "model file (TOML; or URDF, MJCF, SDF)", target.path);
  arguments.repeated("--set", "NAME=VALUE", "override an entry of [parameters]; repeatable",
                     target.sets);
  arguments.group("Reading the model");
  declare_inputs(arguments, target.inputs);
  declare_consent(arguments, target);
  declare_import(arguments, target);
  arguments.group("");
  arguments.names_from([&target]() -> std::unique_ptr<const Model> {
    try {
      return load_model(target, true);
    } catch (const Refusal& refusal) {
      tell_refusal(refusal);
      return nullptr;
    }
  });
}

void declare_inputs(Arguments& arguments, InputArguments& target) {
  arguments.repeated("--input", "NAME=EXPR",
                     "value of an entry of [inputs]: a number, or an expression of t and "
                     "parameters; repeatable",
                     target.values);
  arguments.option("--input-file", "FILE.csv", "inputs from a table with the columns t and names",
                   target.file);
  arguments.option("--input-kind", "KIND",
                   "between the rows of the input file: steps, linear (default) or smooth",
                   target.kind);
}

void declare_import(Arguments& arguments, ModelArguments& target) {
  arguments.option("--base", "fixed|free",
                   "URDF and SDF: what holds a root that the file leaves alone (default fixed)",
                   target.base);
  arguments.repeated("--package", "NAME=DIR", "where package://NAME in a model lies; repeatable",
                     target.packages);
  arguments.option("--limits", "stops|none",
                   "URDF, MJCF and SDF: what limits of joints become (default stops)",
                   target.limits);
}

void declare_consent(Arguments& arguments, ModelArguments& target) {
  arguments.flag("--trust",
                 "run the C code and libraries of the model's [functions], read its files wherever "
                 "they lie",
                 target.trust);
  arguments.repeated("--allow-path", "DIR",
                     "the model may read tables in this folder, besides its own; repeatable",
                     target.allowed);
}

std::unique_ptr<const Model> load_model(const ModelArguments& arguments, bool quiet) {
  return load_model(arguments, terminal_watch(true, false), quiet);
}

std::string formulation_list() {
  std::string names;
  for (const FormulationInfo& row : formulation_table())
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

void declare_formulation(Arguments& arguments, std::string& target, const std::string& more) {
  arguments.option("--formulation", "NAME",
                   "how the equations of motion are formed: " + formulation_list() +
                       " (default: the file's, else recursive)" + more,
                   target);
}

void declare_steady_formulation(Arguments& arguments, std::string& formulation) {
  arguments.option("--formulation", "NAME",
                   "how the equations of motion are formed: recursive (default), moving-frame or "
                   "generated",
                   formulation);
}

void declare_duration_and_tolerance(Arguments& arguments, std::optional<double>& duration,
                                    std::optional<double>& tolerance) {
  arguments.option("--duration", "T",
                   fmt::format("how long to simulate, in seconds from the start (default: the "
                               "file's, else {:g})",
                               SimulateOptions().duration),
                   duration);
  arguments.option("--tolerance", "TOL",
                   "error tolerance of adaptive methods, stage tolerance of implicit ones "
                   "(default: the file's, else the method's)",
                   tolerance);
}

void declare_stabilisation(Arguments& arguments, std::string& target) {
  arguments.option("--stabilisation", "HOW",
                   "how constraints are kept: projection, none or baumgarte (default: projection). "
                   "With none explicit methods leave the length of quaternions alone, too",
                   target);
}

void declare_rows(Arguments& arguments, std::string& target) {
  arguments.option("--rows", "joint|world",
                   "absolute-se3 and absolute-so3r3: axes in which the gaps of joints are "
                   "differentiated (default joint: those of the joint on its parent)",
                   target);
}

void declare_time(Arguments& arguments, std::optional<double>& time) {
  arguments.option("--time", "T",
                   "hold time still: loads have the values they have at T, drives stand where they "
                   "are then",
                   time);
}

void declare_start(Arguments& arguments, std::string& from) {
  arguments.option("--from", "STATE",
                   "start from a STATE.json, a trajectory.csv or the folder of an earlier run",
                   from);
}

}  // namespace cartan::cli
