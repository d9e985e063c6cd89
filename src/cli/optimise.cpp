// cartan optimise: parameters and initial values that minimise an expression of a run.
#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/design/optimise.h"

namespace cartan::cli {
namespace {

struct OptimiseArguments {
  ModelArguments model;
  api::OptimiseOptions optimise;
  bool json = false;
};

std::optional<int> read_optimise_arguments(const Words& words, OptimiseArguments& o) {
  Arguments arguments(
      "optimise",
      "Parameters and initial values that minimise an expression of a run, under constraints and "
      "bounds, with exact gradients: final(E), integral(E), maximum(E), minimum(E), at(T, E), "
      "event(NAME, E); largest_real_part, period, frequency of the linearisation, with other "
      "parameters as largest_real_part(NAME = EXPR).",
      "  cartan optimise absorber.toml --free k2,c2 --minimise \"integral(main.q^2)\" --duration "
      "60\n"
      "  cartan optimise examples/pendulum.toml --free \"L=0.5\" --minimise \"(period - 1)^2\" "
      "--bounds \"L=[0.1, 2]\" --at equilibrium");
  declare_model(arguments, o.model);
  arguments.option("--free", "A,B=START",
                   "entries of [parameters], or initial values JOINT.q, JOINT.v[i], VARIABLE, with "
                   "where they begin",
                   o.optimise.free);
  arguments.option("--minimise", "EXPR", "what shall be least", o.optimise.minimise);
  arguments.option("--maximise", "EXPR", "what shall be largest, in place of --minimise",
                   o.optimise.maximise);
  arguments.repeated("--subject", "EXPR <= EXPR",
                     "a condition (<=, >= or =) on such expressions, repeatable",
                     o.optimise.subject);
  arguments.repeated("--bounds", "A=[LOW, HIGH]", "of something free, repeatable",
                     o.optimise.bounds);
  arguments.option("--duration", "T", "of the run (default: the model's, else 10)",
                   o.optimise.duration);
  arguments.option("--at", "WHERE",
                   "`equilibrium`: linearisations belong to the steady state near the initial one; "
                   "default: the initial state",
                   o.optimise.at);
  arguments.option("--starts", "N",
                   "begin also at N - 1 points spread over the bounds and keep the best",
                   o.optimise.starts);
  arguments.option("--jobs", "N", "processes for several starts (default: as many as cores)",
                   o.optimise.jobs);
  arguments.option("--solver", "NAME",
                   "own (default; Ipopt tries where it fails and is installed) or ipopt",
                   o.optimise.solver);
  declare_formulation(arguments, o.optimise.formulation);
  arguments.option("--tolerance", "TOL", "of the simulations (default 1e-12)",
                   o.optimise.tolerance);
  arguments.option("--iterations", "N", "at most (default 200)", o.optimise.iterations);
  arguments.option("--out", "DIR", "write optimise.json and parameters.toml", o.optimise.out);
  declare_force(arguments, o.optimise.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

void print_optimum(const OptimiseResult& all) {
  const OptimiseCase& c = *all.setup;
  const DesignResult& r = all.found();
  const std::vector<FreeEntry>& free = c.free.free;
  const std::string what = c.sign > 0 ? "minimum" : "maximum";
  fmt::print("{}: {} after {} iterations, {} evaluations\n", c.model().title(),
             r.converged ? what : fmt::format("no {}", what), r.iterations, r.evaluations);
  fmt::print("objective {:.15g}\n", all.objective(r));
  for (std::size_t k = 0; k < free.size(); ++k)
    fmt::print("  {} = {:.15g}\n", free[k].name, r.theta(static_cast<int>(k)));
  for (const int j : r.at_bound) fmt::print("at its bound: {}\n", free[j].name);
  if (r.second_order == "flat")
    fmt::print("along some direction the objective does not change: other values are as good\n");
  if (r.saddles > 0) fmt::print("left {} points that are no minima\n", r.saddles);
  if (!all.kink.empty()) fmt::print("not smooth: {}\n", all.kink);
  for (std::size_t i = 0; i < c.subjects.size(); ++i)
    fmt::print("{}: {:.6g}, multiplier {:.6g}\n", c.subjects[i], all.condition(i).value,
               all.condition(i).multiplier);
  if (all.starts.size() == 1) return;
  fmt::print("\nfrom {} starts:\n", all.starts.size());
  for (const OptimiseStart& one : all.starts)
    fmt::print("  {:.12g}{}\n", all.objective(one.result),
               one.result.converged ? "" : "  (not converged)");
}

}  // namespace

int optimise_command(const Words& words) {
  OptimiseArguments o;
  if (const std::optional<int> status = read_optimise_arguments(words, o)) return *status;
  o.optimise.watch = interruptible(terminal_watch(true, !o.json));
  const OptimiseResult result = optimise_model(o.model, o.optimise);
  if (o.json)
    print_json(optimise_json(result));
  else
    print_optimum(result);
  return result.found().converged ? exit_done
                                  : complain("optimise", result.found().problem, exit_failed);
}

}  // namespace cartan::cli
