// cartan ik: configurations that satisfy targets, one or all of them.
#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/design/ik.h"

namespace cartan::cli {
namespace {

struct IkArguments {
  ModelArguments model;
  api::IkOptions ik;
  bool json = false;
};

std::optional<int> read_ik_arguments(const Words& words, IkArguments& o) {
  Arguments arguments(
      "ik",
      "Inverse kinematics: a configuration that satisfies targets together with the loops and "
      "constraints of the model, with the least change from its start; or all of them.",
      "  cartan ik arm.toml --target \"hand = [0.4, 0.2, 0.3]\" --target \"hand.R = [0, 0, "
      "pi/2]\"\n"
      "  cartan ik examples/four_bar.toml --target \"motor.q = pi/3\" --all --json");
  declare_model(arguments, o.model);
  declare_formulation(arguments, o.ik.formulation);
  declare_start(arguments, o.ik.from);
  arguments.repeated("--target", "EXPR=EXPR",
                     "what shall hold, repeatable: expressions of the model's names; BODY = [x, y, "
                     "z] (its origin); BODY.R = [[..], [..], [..]] or [roll, pitch, yaw]",
                     o.ik.target);
  arguments.repeated("--range", "EXPR=[LOW, HIGH]", "values to stay within, repeatable",
                     o.ik.range);
  arguments.option("--path", "FILE.csv",
                   "follow a path: columns t and expressions (hand.x, crank.q), smooth curves "
                   "through their numbers; gives coordinates, speeds and accelerations",
                   o.ik.path);
  arguments.flag("--all", "all solutions, angles modulo 2 pi", o.ik.all);
  arguments.option("--starts", "N", "with --all: at most so many starts (default 4096)",
                   o.ik.starts);
  arguments.option("--distinct", "NAME,NAME",
                   "with --all: solutions that agree in these count as one, the nearest: bodies "
                   "(place and orientation), points, expressions",
                   o.ik.distinct);
  arguments.option(
      "--out", "DIR",
      "write ik.json and state.json (for --from), with --all solutions.csv, with --path "
      "path.csv (for `inverse --motion`)",
      o.ik.out);
  declare_force(arguments, o.ik.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

void print_solution(const IkResult& result, const KinematicSolution& solution) {
  fmt::print("residual {:.3g}, change {:.6g}{}\n", solution.residual, solution.change,
             solution.freedom > 0
                 ? fmt::format(", {} left free: the least change", solution.freedom)
                 : "");
  if (solution.singular()) fmt::print("{}\n", singular_note(solution));
  for (const std::string& name : solution.at_limit)
    fmt::print("at the end of its range: {}\n", name);
  const System& system = *result.analysis.system;
  for (int i = 0; i < ik_columns(system); ++i)
    fmt::print("  {} = {:.15g}\n", system.component_name(i), solution.state.x[i]);
}

void print_all(const IkResult& result) {
  if (result.solutions.empty()) return;
  const IkSearch& search = *result.search;
  fmt::print("{}: {} solutions from {} starts, {} of which reached one\n",
             result.analysis.model->title(), result.solutions.size(), search.starts,
             search.starts - search.failures);
  if (search.complete)
    fmt::print("a solution that was not found draws less than {:.2g} % of these (at 95 %)\n",
               100 * search.unseen_share);
  for (std::size_t k = 0; k < result.solutions.size(); ++k) {
    fmt::print("\n{}, found {} times: ", k + 1, result.search->hits[k]);
    print_solution(result, result.solutions[k]);
  }
}

void print_ik(const IkResult& result, const std::string& out) {
  if (result.search) return print_all(result);
  if (!result.found) return;
  if (!result.path) {
    fmt::print("{}: found after {} steps\n", result.analysis.model->title(),
               result.solutions[0].iterations);
    print_solution(result, result.solutions[0]);
  } else if (out.empty()) {
    fmt::print("{}", ik_path_csv(result));
  } else {
    fmt::print("{}: {} rows, largest residual {:.3g}\n", result.analysis.model->title(),
               result.path->points.size(), result.path_residual());
  }
}

}  // namespace

int ik_command(const Words& words) {
  IkArguments o;
  if (const std::optional<int> status = read_ik_arguments(words, o)) return *status;
  o.ik.watch = terminal_watch(true, !o.json);
  const IkResult result = solve_ik(o.model, o.ik);
  if (o.json)
    print_json(ik_json(result));
  else
    print_ik(result, o.ik.out);
  return result.found ? exit_done : complain("ik", result.problem, exit_failed);
}

}  // namespace cartan::cli
