// cartan eval: everything about one state.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/terminal/arguments.h"
#include "cli/terminal/json_output.h"
#include "cli/terminal/model_options.h"
#include "cli/terminal/terminal_watch.h"
#include "results/evaluation.h"

namespace cartan::cli {
namespace {

constexpr int widest_matrix = 12;  // that is printed without --json

struct EvalArguments {
  ModelArguments model;
  api::EvalOptions eval;
  bool json = false;
};

std::optional<int> read_eval_arguments(const Words& words, EvalArguments& o) {
  Arguments arguments(
      "eval",
      "Evaluate a model at one state: accelerations, mass matrix, bias, reactions, "
      "energies, power.",
      "  cartan eval examples/heavy_top.toml --at state.json --json\n"
      "where state.json is { \"t\": 0, \"q\": { \"pivot\": [1, 0, 0, 0] }, \"v\": {} }");
  declare_model(arguments, o.model);
  arguments.option(
      "--at", "STATE",
      "a STATE.json, a trajectory.csv or the folder of a run (its end); default: the initial state",
      o.eval.at);
  declare_formulation(arguments, o.eval.formulation,
                      "; moving-frame adds its matrices to the JSON, canonical momenta and the "
                      "Hamiltonian, rotation-elements its multipliers");
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

// -------------------------------------------------------------------------------------- as text

std::string number_columns(const std::vector<double>& values) {
  std::string text;
  for (double value : values) text += fmt::format(" {:14.8g}", value);
  return text;
}

std::string number_columns(const Eigen::RowVectorXd& row) {
  return number_columns(std::vector<double>(row.data(), row.data() + row.size()));
}

std::string number_columns(const Vec3<double>& a) {
  return number_columns(std::vector{a.x, a.y, a.z});
}

void print_joints(const Evaluation& e) {
  std::size_t width = 5;
  for (const Joint& joint : e.model.joints) width = std::max(width, joint.name.size());
  const auto table = [&](const char* title, auto&& row) {
    fmt::print("\n{}\n", title);
    for (std::size_t j = 0; j < e.model.joints.size(); ++j)
      if (const std::string text = row(j); !text.empty())
        fmt::print("  {:<{}} {}\n", e.model.joints[j].name, width, text);
  };
  table("coordinates q", [&](std::size_t j) { return number_columns(e.now.q[j]); });
  table("speeds v", [&](std::size_t j) { return number_columns(e.now.v[j]); });
  table("accelerations v'",
        [&](std::size_t j) { return number_columns(e.dynamics.acceleration[j]); });
  table("reaction forces on the child (world axes, N)",
        [&](std::size_t j) { return number_columns(e.dynamics.reactions[j].force); });
  table("reaction torques about the child's joint frame (world axes, N m)",
        [&](std::size_t j) { return number_columns(e.dynamics.reactions[j].torque); });
}

void print_matrices(const Evaluation& e) {
  const Eigen::MatrixXd& M = e.mass.mass_matrix;
  if (M.rows() > widest_matrix) {
    fmt::print("\nThe mass matrix ({0} x {0}) and the bias are in the output of --json.\n",
               M.rows());
    return;
  }
  fmt::print("\nmass matrix M | bias c, with M v' + c = {}\n",
             e.dynamics.multipliers.empty() ? "0" : "J^T lambda");
  for (int i = 0; i < M.rows(); ++i)
    fmt::print(" {}  | {:14.8g}\n", number_columns(M.row(i)), e.mass.bias[i]);
}

void print_evaluation(const Evaluation& e, const std::string& formulation) {
  fmt::print("{} at t = {:g} s, {}\n", e.model.title(), e.now.t, formulation);
  print_joints(e);
  for (std::size_t i = 0; i < e.model.variables.size(); ++i)
    fmt::print("{0}  {1} = {2:.10g}   {1}' = {3:.10g}\n", i == 0 ? "\nvariables\n" : "",
               e.model.variables[i].name, e.now.variables[i], e.dynamics.variable_rates[i]);
  print_matrices(e);
  if (!e.dynamics.multipliers.empty()) {
    fmt::print("\nmultipliers lambda (loop joints, then constraints, in file order)\n {}\n",
               number_columns(e.dynamics.multipliers));
    fmt::print("violation of constraints {:.3g} in positions, {:.3g} in speeds\n",
               e.now.position_violation, e.now.velocity_violation);
  }
  const PowerBalance& p = e.dynamics.power;
  fmt::print("\nenergy  kinetic {:.12g} J, potential {:.12g} J\n", e.now.kinetic, e.now.potential);
  if (e.now.hamiltonian) fmt::print("        H(q, p) {:.12g} J\n", *e.now.hamiltonian);
  fmt::print(
      "power   T' = {:.6g} W, V' = {:.6g} W, nonconservative {:.6g} W, constraints {:.6g} W; "
      "residual {:.1g} W\n",
      p.kinetic_rate, p.potential_rate, p.nonconservative, p.constraint, p.residual());
  for (std::size_t k = 0; k < e.dynamics.forces.size(); ++k)
    fmt::print("        force '{}': V' = {:.6g} W, nonconservative {:.6g} W\n",
               e.model.forces[k].name, e.dynamics.forces[k].potential_rate,
               e.dynamics.forces[k].power);
  for (std::size_t k = 0; k < e.dynamics.constraint_power.size(); ++k)
    if (e.model.constraints[k].is_drive())
      fmt::print("        drive '{}': {:.6g} W\n", e.model.constraints[k].name,
                 e.dynamics.constraint_power[k]);
}

void print_rates(const EvaluatedModel& e) {
  fmt::print("{} at t = {:g}\n", e.model->title(), e.state.t);
  for (std::size_t i = 0; i < e.model->variables.size(); ++i)
    fmt::print("  {0} = {1:.10g}   {0}' = {2:.10g}\n", e.model->variables[i].name, e.state.x[i],
               e.rates[i]);
}

}  // namespace

int eval_command(const Words& words) {
  EvalArguments options;
  if (const std::optional<int> status = read_eval_arguments(words, options)) return *status;
  options.eval.watch = terminal_watch();
  const EvaluatedModel evaluated = evaluate_model(options.model, options.eval);
  if (options.json)
    print_json(evaluation_json(evaluated));
  else if (evaluated.at)
    print_evaluation(*evaluated.at, evaluated.formulation);
  else
    print_rates(evaluated);
  return exit_done;
}

}  // namespace cartan::cli
