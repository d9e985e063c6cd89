#include "results/json_values.h"
#include "results/run/assembly_report.h"
#include "results/run/run_result.h"

namespace cartan::results {
namespace {

Json error_json(const RunResult& run) {
  if (!run.error) return {{"estimate", nullptr}, {"how", "off"}};
  return {{"estimate", run.error->estimate ? Json(*run.error->estimate) : Json(nullptr)},
          {"how", run.error->how},
          {"evaluations", run.error->evaluations}};
}

void add_method(const RunResult& run, Json& json) {
  const SimulateOptions& o = run.settings.simulate;
  const IntegratorCounts& counts = run.report.counts;
  if (run.model->is_mechanism()) json["formulation"] = run.settings.formulation;
  json["integrator"] = o.integrator;
  json["step"] = o.step;
  json["tolerance"] = run.report.tolerance;
  if (find_integrator(o.integrator)->spectral_radius) json["spectral_radius"] = o.spectral_radius;
  json["duration"] = o.duration;
  json["every"] = o.every;
  json["defaults"] = run.settings.defaulted;
  json["parameters"] = parameters_json(*run.model);
  json["status"] = to_string(run.report.status);
  json["t_initial"] = run.start_time;
  json["t_final"] = run.report.final_state.t;
  json["steps"] = run.report.steps;
  json["evaluations"] = counts.evaluations;
  json["jacobians"] = counts.jacobians;
  json["rejected_steps"] = counts.rejected;
  json["newton_steps"] = counts.newton_steps;
  json["stagnations"] = counts.stagnations;
  json["events"] = run.events;
  json["wall_seconds"] = run.wall_seconds;
  json["error"] = error_json(run);
  if (!run.partial.empty()) json["partial"] = run.partial;
  for (const UndefinedColumn& column : run.undefined)
    json["undefined"].push_back(
        {{"column", column.name}, {"first", column.first}, {"count", column.count}});
}

void add_motion(const RunResult& run, Json& json) {
  const MotionStatistics& s = *run.statistics;
  json["energy"] = {{"initial", s.initial_energy},
                    {"final", s.final_energy},
                    {"max_drift", s.max_drift},
                    {"work", s.work}};
  if (const SteppedContactCounts& c = run.report.counts.contacts; run.steps_contacts()) {
    json["contacts"] = {{"most", c.most},
                        {"sweeps", run.report.counts.iterations},
                        {"unsettled", c.unsettled},
                        {"residual", c.residual},
                        {"overlap", c.overlap}};
  } else if (!run.model->contacts.empty()) {
    json["impacts"] = run.report.impacts;
    json["energy"]["lost_in_impacts"] = run.report.energy_lost;
  }
  json["work"] = work_json(*run.model, run.work);
  json["momentum"] = {{"linear_initial", json_of(s.initial_linear)},
                      {"linear_final", json_of(s.final_linear)},
                      {"angular_initial", json_of(s.initial_angular)},
                      {"angular_final", json_of(s.final_angular)}};
  json["constraint"] = {{"max_position", s.max_position_violation},
                        {"max_velocity", s.max_velocity_violation}};
  json["unit_norm_error"] = std::max(s.unit_norm_error, run.report.unit_norm_error);
  json["assembly"] = assembly_json(*run.model, run.assembly);
  json["dof"] = run.dof;
  if (run.balance)
    json["power"] = {{"max_residual", s.max_power_residual}, {"max_term", s.max_power}};
  if (!run.constrained) return;
  const SimulateReport& r = run.report;
  json["stabilisation"] = run.settings.stabilisation;
  if (run.settings.formulation.starts_with("absolute")) json["row_axes"] = run.settings.row_axes;
  json["projection"] = {{"steps", r.projections},
                        {"max_position", r.projected_position},
                        {"max_velocity", r.projected_velocity},
                        {"energy", r.projected_energy},
                        {"energy_size", r.projected_energy_size}};
}

template <class T>
Json by_name(const std::vector<T>& items, const std::vector<double>& values) {
  Json json = Json::object();
  for (std::size_t i = 0; i < items.size(); ++i) add_member(json, items[i].name, values[i]);
  return json;
}

Json final_state(const RunResult& run) {
  Json json;
  if (run.final)
    json = state_json(*run.model, *run.final);
  else
    json = {{"t", run.report.final_state.t},
            {"variables", by_name(run.model->variables, run.variables)}};
  if (!run.model->outputs.empty()) json["outputs"] = by_name(run.model->outputs, run.outputs);
  return json;
}

}  // namespace

std::string summary_json(const RunResult& run, bool with_final) {
  Json json = {{"model", run.model->name}, {"version", CARTAN_VERSION}};
  add_method(run, json);
  if (run.statistics) add_motion(run, json);
  if (with_final) json["final"] = final_state(run);
  return json.dump(2) + "\n";
}

}  // namespace cartan::results
