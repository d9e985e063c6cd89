// cartan linearize: eigenvalues and modes at a steady motion, and sweeps of them.
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/out_option.h"
#include "cli/terminal/terminal_watch.h"
#include "results/option_names.h"
#include "results/steady/linearize.h"

namespace cartan::cli {
namespace {

struct LinearizeArguments {
  ModelArguments model;
  api::LinearizeOptions linearize;
  bool json = false;
};

void declare_control(Arguments& arguments, api::LinearizeOptions& target) {
  arguments.option("--inputs", "P1,P2",
                   "parameters or inputs that act from outside: adds states, A, B and "
                   "controllability",
                   target.inputs);
  arguments.option("--outputs", "EXPR,EXPR",
                   "expressions that are seen: adds C, D, observability and zeros", target.outputs);
  arguments.option("--frequency", "log(A,B,N)",
                   "the response at these frequencies, rad/s (or lin(A,B,N)); with --out also Bode "
                   "and Nyquist charts",
                   target.frequency);
  arguments.option("--lqr-q", "W1,W2",
                   "weights of the states: feedback that minimises the integral of z'Qz + u'Ru; "
                   "one number per state, NAME=NUMBER, or rows [..],[..]",
                   target.lqr_q);
  arguments.option("--lqr-r", "W1", "weights of the inputs, in the same way", target.lqr_r);
}

std::optional<int> read_linearize_arguments(const Words& words, LinearizeArguments& o) {
  Arguments arguments(
      "linearize",
      "Eigenvalues, frequencies, damping and modes at a steady motion: an equilibrium, or a state "
      "that moves along its symmetries (steady rolling, spinning, turning).",
      "  cartan linearize examples/benchmark_bicycle.toml --set push=0 --set v=5\n"
      "  cartan linearize examples/benchmark_bicycle.toml --set push=0 --sweep \"v=lin(0,10,101)\" "
      "--out result");
  declare_model(arguments, o.model);
  arguments.option(
      "--at", "WHERE",
      "`equilibrium`: the steady state near the initial one; or a STATE.json; default: "
      "the initial state",
      o.linearize.at);
  arguments.repeated("--hold", "EXPR",
                     "with --at equilibrium: what keeps its initial value; repeatable",
                     o.linearize.hold);
  arguments.option(
      "--sweep", "P=lin(A,B,N)",
      "repeat for values of a parameter, or of an expression (\"R*axle.v=lin(1,9,81)\"), "
      "which is then held at them",
      o.linearize.sweep);
  declare_control(arguments, o.linearize);
  declare_time(arguments, o.linearize.time);
  declare_steady_formulation(arguments, o.linearize.formulation);
  arguments.option("--out", "DIR",
                   "write linearize.json and eigenvalues.csv, or sweep.csv; with inputs or outputs "
                   "A.csv, B.csv, .., with --frequency frequency.csv and charts, with --lqr-q "
                   "lqr.toml",
                   o.linearize.out);
  declare_force(arguments, o.linearize.force);
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

void print_linearisation(const LinearizedModel& linearized) {
  const SteadyCase& steady = *linearized.steady;
  const LinearizeResult& result = linearized.result;
  const Linearisation& linear = result.linear;
  fmt::print("{}: {} directions, {} of them neutral\n", steady.model->title(), linear.dimension,
             linear.neutral);
  const std::string motion = describe_motion(steady, linear.c);
  fmt::print("steady: {}\n", motion.empty() ? "at rest" : motion);
  if (result.equilibrium)
    for (const std::string& name : result.equilibrium->held) fmt::print("held: {}\n", name);
  fmt::print("\n{:>24} {:>24} {:>14} {:>12}\n", "real part 1/s", "imaginary part rad/s",
             "frequency Hz", "damping");
  for (std::size_t k = 0; k < linear.eigenvalues.size(); ++k)
    fmt::print("{:24.15g} {:24.15g} {:14.8g} {:12.6g}\n", linear.eigenvalues[k].real(),
               linear.eigenvalues[k].imag(), linear.frequency(k), linear.damping(k));
  fmt::print("\n{}\n", linear.asymptotic ? "asymptotically stable (neutral directions aside)"
                       : linear.stable   ? "stable to first order: no real part is positive"
                                         : "unstable");
}

// Where the largest real part changes sign: between which values.
void print_sweep(const SweptModel& swept) {
  fmt::print("{:>16} {:>8} {:>10} {:>20}\n", swept.range.name, "neutral", "stable",
             "largest real part");
  for (const SweepPoint& p : swept.points) {
    const Linearisation& linear = p.result.linear;
    if (!p.result.problem.empty()) {
      fmt::print("{:16.9g} {}\n", p.value, name_options(p.result.problem));
      continue;
    }
    std::optional<double> most;  // none where all directions are neutral
    for (const auto& value : linear.eigenvalues)
      if (value != std::complex<double>(0, 0))
        most = std::max(most.value_or(-INFINITY), value.real());
    fmt::print("{:16.9g} {:>8} {:>10} {:>20}\n", p.value, linear.neutral,
               linear.stable ? "yes" : "no", most ? fmt::format("{:.12g}", *most) : "-");
  }
}

}  // namespace

int linearize_command(const Words& words) {
  LinearizeArguments o;
  if (const std::optional<int> status = read_linearize_arguments(words, o)) return *status;
  o.linearize.watch = terminal_watch(true, !o.json);
  if (o.linearize.sweep.empty()) {
    const LinearizedModel linearized = linearize_model(o.model, o.linearize);
    if (o.json)
      print_json(linearisation_json(linearized));
    else
      print_linearisation(linearized);
    if (!o.json && linearized.control) fmt::print("{}", linearized.control->text);
    return exit_done;
  }
  const SweptModel swept = sweep_model(o.model, o.linearize);
  if (o.json)
    print_json(sweep_json(swept));
  else
    print_sweep(swept);
  require_steady(swept);
  return exit_done;
}

}  // namespace cartan::cli
