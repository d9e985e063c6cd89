#include "results/evaluation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "results/load/state_file.h"
#include "results/refusal.h"
#include "results/task.h"

namespace cartan::results {
namespace {

Evaluation evaluate_at(const Model& model, const MechanicalSystem& system, const State& state) {
  const auto workspace = system.make_workspace();
  Evaluation e{model, system.explain_singularity(state, *workspace), {}, {}, {}, {}};
  system.observe(state, e.now, *workspace);
  e.dynamics = system.report_dynamics(state, *workspace);
  e.mass = system.report_mass_matrix(state, *workspace);
  if (!model.cuts.empty())
    e.cuts = CutLoads(model, parameter_values(model)).calc(system, state, *workspace);
  if (system.formulation() == "moving-frame")
    e.moving_frame = system.report_moving_frame(state, *workspace);
  return e;
}

std::vector<double> list_of(const Eigen::VectorXd& v) {
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

Json mechanism_at_json(const Evaluation& e) {
  Json reactions = Json::object();
  for (std::size_t j = 0; j < e.model.joints.size(); ++j)
    reactions[e.model.joints[j].name] = {{"force", json_of(e.dynamics.reactions[j].force)},
                                         {"torque", json_of(e.dynamics.reactions[j].torque)}};
  Json json = {{"t", e.now.t},
               {"acceleration", joints_json(e.model, e.dynamics.acceleration)},
               {"mass_matrix", json_of(e.mass.mass_matrix)},
               {"bias", list_of(e.mass.bias)},
               {"reactions", std::move(reactions)},
               {"multipliers", e.dynamics.multipliers},
               {"constraint",
                {{"position", e.now.position_violation}, {"velocity", e.now.velocity_violation}}},
               {"kinetic", e.now.kinetic},
               {"potential", e.now.potential},
               {"power", power_json(e)}};
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
  for (std::size_t i = 0; i < e.cuts.size(); ++i)
    json["cuts"][e.model.cuts[i].name] = {
        {"force", json_of(e.cuts[i].force)}, {"moment", json_of(e.cuts[i].moment)},
        {"axial", e.cuts[i].axial},          {"shear", e.cuts[i].shear},
        {"torsion", e.cuts[i].torsion},      {"bending", e.cuts[i].bending}};
  for (std::size_t i = 0; i < e.model.variables.size(); ++i)
    json["rates"][e.model.variables[i].name] = e.dynamics.variable_rates[i];
  if (e.moving_frame) {
    json["B"] = json_of(e.moving_frame->B);
    json["Bdot"] = json_of(e.moving_frame->Bdot);
    json["M_star"] = json_of(e.moving_frame->M_star);
    json["N_star"] = json_of(e.moving_frame->N_star);
    json["F_star"] = list_of(e.moving_frame->F_star);
  }
  return json;
}

std::vector<double> calc_rates(const Model& model, const System& system, const State& state) {
  std::vector<double> rates(state.x.size());
  const auto workspace = system.make_workspace();
  system.derivative(state, rates, *workspace);
  const auto bad =
      std::find_if(rates.begin(), rates.end(), [](double rate) { return !std::isfinite(rate); });
  if (bad == rates.end()) return rates;
  const std::string reason = system.explain_failure(state, *workspace);
  const int first = static_cast<int>(bad - rates.begin());
  fail_at(model.file, reason.empty()
                          ? fmt::format("the rate of {} is not a finite number at t = {:g}",
                                        system.component_name(first), state.t)
                          : reason);
}

Json rates_json(const EvaluatedModel& e) {
  Json result = {{"t", e.state.t}, {"rates", Json::object()}};
  for (std::size_t i = 0; i < e.model->variables.size(); ++i)
    result["rates"][e.model->variables[i].name] = e.rates[i];
  return result;
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

EvaluatedModel evaluate_model(const ModelArguments& source, const api::EvalOptions& options) {
  EvaluatedModel e;
  e.model = load_model(source, options.watch);
  e.formulation = choose_formulation(*e.model, options.formulation);
  const std::unique_ptr<System> system = load_system(*e.model, e.formulation);
  e.state = options.at.empty() ? system->initial_state()
                               : make_start(*system, read_state(options.at, *e.model));
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(system.get());
  if (!mechanism) {
    e.rates = calc_rates(*e.model, *system, e.state);
    return e;
  }
  e.at.emplace(evaluate_at(*e.model, *mechanism, e.state));
  if (!e.at->singular.empty())
    tell(options.watch, fmt::format("{}: warning: {}", e.model->file, e.at->singular));
  if (const std::string undefined = find_undefined(evaluation_json(e), ""); !undefined.empty())
    fail_at(e.model->file,
            fmt::format("'{}' is not a finite number at t = {:g}", undefined, e.state.t));
  return e;
}

Json evaluation_json(const EvaluatedModel& evaluated) {
  return evaluated.at ? mechanism_at_json(*evaluated.at) : rates_json(evaluated);
}

}  // namespace cartan::results
