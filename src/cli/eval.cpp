// cartan eval: everything about one state.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/json_values.h"
#include "cli/load.h"
#include "cli/state_file.h"

namespace cartan {
namespace {

constexpr int widest_matrix = 12;  // that is printed without --json

struct EvalArguments {
  ModelArguments model;
  std::string at, formulation;
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
      o.at);
  declare_formulation(arguments, o.formulation,
                      "; moving-frame adds its matrices to the JSON, canonical momenta and the "
                      "Hamiltonian, rotation-elements its multipliers");
  arguments.flag("--json", "print one JSON object", o.json);
  return arguments.parse(words);
}

struct Evaluation {
  const Model& model;
  std::string singular;  // why accelerations and reactions are not to be trusted; "" when they are
  Observation now;
  DynamicsReport dynamics;
  MassMatrixReport mass;
  std::optional<MovingFrameReport> moving_frame;
};

Evaluation evaluate_at(const MechanicalSystem& system, const State& state) {
  const auto workspace = system.make_workspace();
  Evaluation e{system.model(), system.explain_singularity(state, *workspace), {}, {}, {}, {}};
  system.observe(state, e.now, *workspace);
  e.dynamics = system.report_dynamics(state, *workspace);
  e.mass = system.report_mass_matrix(state, *workspace);
  if (system.formulation() == "moving-frame")
    e.moving_frame = system.report_moving_frame(state, *workspace);
  return e;
}

std::vector<double> list(const Eigen::VectorXd& v) {
  return {v.data(), v.data() + v.size()};
}

Json power_json(const Evaluation& e) {
  Json forces = Json::object(), drives = Json::object();
  for (std::size_t k = 0; k < e.dynamics.forces.size(); ++k)
    forces[e.model.forces[k].name] = {{"potential_rate", e.dynamics.forces[k].potential_rate},
                                      {"nonconservative", e.dynamics.forces[k].power}};
  for (std::size_t k = 0; k < e.dynamics.constraint_power.size(); ++k)
    if (e.model.constraints[k].is_drive())
      drives[e.model.constraints[k].name] = e.dynamics.constraint_power[k];
  const PowerBalance& p = e.dynamics.power;
  return {{"kinetic_rate", p.kinetic_rate},
          {"potential_rate", p.potential_rate},
          {"nonconservative", p.nonconservative},
          {"constraint", p.constraint},
          {"residual", p.residual()},
          {"forces", std::move(forces)},
          {"drives", std::move(drives)}};
}

Json evaluation_json(const Evaluation& e) {
  Json reactions = Json::object();
  for (std::size_t j = 0; j < e.model.joints.size(); ++j)
    reactions[e.model.joints[j].name] = {{"force", json_of(e.dynamics.reactions[j].force)},
                                         {"torque", json_of(e.dynamics.reactions[j].torque)}};
  Json json = {{"t", e.now.t},
               {"acceleration", joints_json(e.model, e.dynamics.acceleration)},
               {"mass_matrix", json_of(e.mass.mass_matrix)},
               {"bias", list(e.mass.bias)},
               {"reactions", std::move(reactions)},
               {"multipliers", e.dynamics.multipliers},
               {"constraint",
                {{"position", e.now.position_violation}, {"velocity", e.now.velocity_violation}}},
               {"kinetic", e.now.kinetic},
               {"potential", e.now.potential},
               {"power", power_json(e)}};
  for (std::size_t i = 0; i < e.model.variables.size(); ++i)
    json["rates"][e.model.variables[i].name] = e.dynamics.variable_rates[i];
  if (!e.singular.empty()) json["singular"] = e.singular;
  if (e.now.hamiltonian) {
    json["hamiltonian"] = *e.now.hamiltonian;
    json["momentum"] = joints_json(e.model, e.now.p);
  }
  if (e.dynamics.elements) {
    Json bodies = Json::object();
    for (std::size_t b = 0; b < e.model.bodies.size(); ++b) {
      Json rows = Json::array();
      const Mat3<double>& L = e.dynamics.elements->Lambda[b];
      for (int r = 0; r < 3; ++r) rows.push_back({L(r, 0), L(r, 1), L(r, 2)});
      bodies[e.model.bodies[b].name] = std::move(rows);
    }
    json["Lambda"] = std::move(bodies);
    json["Lambda_joint"] = joints_json(e.model, e.dynamics.elements->joint);
  }
  if (e.moving_frame) {
    json["B"] = json_of(e.moving_frame->B);
    json["Bdot"] = json_of(e.moving_frame->Bdot);
    json["M_star"] = json_of(e.moving_frame->M_star);
    json["N_star"] = json_of(e.moving_frame->N_star);
    json["F_star"] = list(e.moving_frame->F_star);
  }
  return json;
}

// -------------------------------------------------------------------------------------- as text

std::string number_columns(const std::vector<double>& values) {
  std::string text;
  for (double value : values) text += fmt::format(" {:14.8g}", value);
  return text;
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
    fmt::print(" {}  | {:14.8g}\n", number_columns(list(M.row(i))), e.mass.bias[i]);
}

void print_evaluation(const Evaluation& e, const std::string& formulation) {
  fmt::print("{} at t = {:g} s, {}\n", e.model.name, e.now.t, formulation);
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

// ------------------------------------------------------------------------------------- variables

// False after a complaint.
bool print_rates(const Model& model, const System& system, const State& state, bool json) {
  std::vector<double> rates(state.x.size());
  const auto workspace = system.make_workspace();
  system.derivative(state, rates, *workspace);
  const bool finite =
      std::all_of(rates.begin(), rates.end(), [](double rate) { return std::isfinite(rate); });
  if (!finite) {
    const std::string reason = system.explain_failure(state, *workspace);
    const std::size_t first =
        std::find_if(rates.begin(), rates.end(), [](double rate) { return !std::isfinite(rate); }) -
        rates.begin();
    fmt::print(stderr, "{}: {}\n", model.file,
               reason.empty() ? fmt::format("the rate of {} is not a finite number at t = {:g}",
                                            system.component_name(static_cast<int>(first)), state.t)
                              : reason);
    return false;
  }
  if (json) {
    Json result = {{"t", state.t}, {"rates", Json::object()}};
    for (std::size_t i = 0; i < model.variables.size(); ++i)
      result["rates"][model.variables[i].name] = rates[i];
    print_json(result);
    return true;
  }
  fmt::print("{} at t = {:g}\n", model.name, state.t);
  for (std::size_t i = 0; i < model.variables.size(); ++i)
    fmt::print("  {0} = {1:.10g}   {0}' = {2:.10g}\n", model.variables[i].name, state.x[i],
               rates[i]);
  return true;
}

// The first entry that is no finite number, as in "acceleration.pivot[0]"; "" when all are.
std::string find_undefined(const Json& json, const std::string& name) {
  if (json.is_number_float() && !std::isfinite(json.get<double>())) return name;
  int k = 0;
  if (json.is_array())
    for (const Json& item : json)
      if (std::string found = find_undefined(item, fmt::format("{}[{}]", name, k++));
          !found.empty())
        return found;
  if (json.is_object())
    for (const auto& [key, value] : json.items())
      if (std::string found = find_undefined(value, name.empty() ? key : name + "." + key);
          !found.empty())
        return found;
  return "";
}

}  // namespace

int eval_command(const Words& words) {
  EvalArguments options;
  if (const std::optional<int> status = read_eval_arguments(words, options)) return *status;
  const std::unique_ptr<const Model> model = load_model(options.model);
  if (!model) return exit_bad_input;
  const std::string formulation = choose_formulation(*model, options.formulation);
  const std::unique_ptr<System> system = load_system(*model, formulation);
  if (!system) return exit_bad_input;
  State state = system->initial_state();
  if (!options.at.empty()) {
    const std::optional<StateValues> given = read_state(options.at, *model);
    if (!given) return exit_bad_input;
    state = make_start(*system, *given);
  }
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system.get());
  if (!mechanism)
    return print_rates(*model, *system, state, options.json) ? exit_done : exit_failed;
  const Evaluation evaluation = evaluate_at(*mechanism, state);
  if (!evaluation.singular.empty())
    fmt::print(stderr, "{}: warning: {}\n", model->file, evaluation.singular);
  const Json json = evaluation_json(evaluation);
  if (const std::string undefined = find_undefined(json, ""); !undefined.empty()) {
    fmt::print(stderr, "{}: '{}' is not a finite number at t = {:g}\n", model->file, undefined,
               state.t);
    return exit_failed;
  }
  if (options.json)
    print_json(json);
  else
    print_evaluation(evaluation, formulation);
  return exit_done;
}

}  // namespace cartan
