#include <fmt/format.h>

#include <cartan/check.h>
#include <cartan/compare.h>
#include <cartan/inverse.h>
#include <cartan/run.h>

#include "api/inside.h"
#include "report/column_units.h"
#include "results/compare/compare.h"
#include "results/compare/comparison_report.h"
#include "results/evaluation.h"
#include "results/inverse.h"
#include "results/load/check.h"
#include "results/refusal.h"
#include "results/run/controlled_inputs.h"
#include "results/run/run.h"

namespace cartan::api {
namespace {

State final_state_of(const RunResult& result) {
  if (result.final) return public_state(*result.model, *result.final);
  State state;
  state.t = result.report.final_state.t;
  for (std::size_t i = 0; i < result.variables.size(); ++i)
    state.variables.emplace_back(result.model->variables[i].name, result.variables[i]);
  return state;
}

void add_figures(const RunResult& result, Run& run) {
  if (!result.statistics) return;
  const MotionStatistics& s = *result.statistics;
  run.energy = {s.initial_energy, s.final_energy, s.max_drift, s.work};
  run.max_violation = s.max_position_violation;
}

}  // namespace

Run run(const Model& model, const RunOptions& options) {
  const FinishedRun finished = run_model(source_of(model), options, Keep::tables, "cartan::run");
  const RunResult& result = finished.result;
  Run run;
  run.model = model.name();
  if (model.is_mechanism()) run.formulation = result.settings.formulation;
  run.integrator = result.settings.simulate.integrator;
  run.status = to_string(result.report.status);
  run.step = result.settings.simulate.step;
  run.t_initial = result.start_time;
  run.t_final = result.report.final_state.t;
  run.steps = result.report.steps;
  run.evaluations = result.report.counts.evaluations;
  run.events = result.events;
  run.wall_seconds = result.wall_seconds;
  if (result.error) run.error = result.error->estimate;
  add_figures(result, run);
  run.final = final_state_of(result);
  run.tables = finished.tables;
  run.summary = summary_text(result);
  run.json = results::summary_json(result, true);
  run.folder = finished.folder;
  run.files = finished.files;
  run.model_json = run_model_json(*finished.model, "");
  run.summary_json = results::summary_json(result, false);
  return run;
}

Table find_inputs(const Model& model, const RunOptions& options, double period,
                  const Controller& controller) {
  const ControlledInputs found = find_controlled_inputs(
      source_of(model), options, period,
      [&](const model::Model& m, const system::System& system, const system::State& now) {
        return controller(public_state(m, system, now));
      });
  Table table;
  table.name = "inputs.csv";
  table.columns.push_back({"t", model.is_mechanism() ? "s" : "", ColumnKind::time, found.t, {}});
  for (std::size_t k = 0; k < found.names.size(); ++k)
    table.columns.push_back({found.names[k], "", ColumnKind::output, found.columns[k], {}});
  return table;
}

std::span<const double> Run::t() const {
  return tables.front().columns.front().values;
}

std::span<const double> Run::operator[](std::string_view column) const {
  for (const Table& one : tables)
    if (const Column* found = one.find(column)) return found->values;
  std::vector<std::string> known;
  for (const Table& one : tables)
    for (const Column& c : one.columns) known.push_back(c.name);
  refuse_at(model, fmt::format("the run has no column '{}'{}", column,
                               suggestion(std::string(column), known)));
}

const Table& Run::table(std::string_view name) const {
  for (const Table& one : tables)
    if (one.name == name) return one;
  refuse_at(model, fmt::format("the run has no table '{}'{}", name,
                               suggestion(std::string(name), names_in_order(tables))));
}

void Run::save(const std::string& to, bool force) const {
  save_run(tables, model_json, summary_json, to, force);
}

std::string State::json() const {
  Json json = {{"t", t}};
  if (joints.empty()) json["variables"] = Json::object();
  for (const auto& [name, value] : variables) json["variables"][name] = value;
  for (const JointState& joint : joints) {
    json["q"][joint.name] = joint.q;
    json["v"][joint.name] = joint.v;
  }
  return json.dump();
}

Check check(const Model& model, const CheckOptions& options) {
  const CheckedModel checked = check_file(source_of(model), options.watch);
  const model::Model& m = *checked.model;
  Check check;
  check.model = model.name();
  check.bodies = static_cast<int>(m.bodies.size());
  check.joints = static_cast<int>(m.joints.size());
  check.loops = static_cast<int>(m.loop_joints.size());
  check.forces = static_cast<int>(m.forces.size());
  check.constraints = static_cast<int>(m.constraints.size());
  check.variables = names_in_order(m.variables);
  check.json = check_json(checked).dump(2) + "\n";
  check.text = check_text(checked);
  if (!checked.facts) return check;
  const ModelFacts& facts = *checked.facts;
  check.speeds = facts.speeds;
  check.dof = facts.constraints.dof();
  check.dof_position = facts.constraints.dof_position();
  check.equations = facts.constraints.rows;
  check.rank = facts.constraints.rank;
  check.redundant = facts.constraints.redundant();
  check.mass = facts.mass;
  check.center_of_mass = public_vector(facts.com);
  check.principal_moments = public_vector(facts.principal);
  return check;
}

Evaluation eval(const Model& model, const EvalOptions& options) {
  const EvaluatedModel evaluated = evaluate_model(source_of(model), options);
  const model::Model& m = *evaluated.model;
  Evaluation result;
  result.json = evaluation_json(evaluated).dump(2) + "\n";
  if (!evaluated.at) {
    result.state.t = evaluated.state.t;
    for (std::size_t i = 0; i < m.variables.size(); ++i) {
      result.state.variables.emplace_back(m.variables[i].name, evaluated.state.x[i]);
      result.rates.emplace_back(m.variables[i].name, evaluated.rates[i]);
    }
    return result;
  }
  const results::Evaluation& at = *evaluated.at;
  result.state = public_state(m, at.now);
  for (std::size_t j = 0; j < m.joints.size(); ++j) {
    result.acceleration.push_back({m.joints[j].name, at.dynamics.acceleration[j]});
    result.reactions.push_back({m.joints[j].name, public_vector(at.dynamics.reactions[j].force),
                                public_vector(at.dynamics.reactions[j].torque)});
  }
  result.mass_matrix = public_rows(at.mass.mass_matrix);
  result.bias.assign(at.mass.bias.data(), at.mass.bias.data() + at.mass.bias.size());
  result.multipliers = at.dynamics.multipliers;
  result.kinetic = at.now.kinetic;
  result.potential = at.now.potential;
  const PowerBalance& p = at.dynamics.power;
  result.power = {p.kinetic_rate, p.potential_rate, p.nonconservative, p.constraint, p.residual()};
  result.singular = at.singular;
  return result;
}

Comparison compare(const Model& model, const CompareOptions& options) {
  const ComparedModel compared = compare_model(source_of(model), options);
  const results::Comparison& c = compared.comparison;
  Comparison result;
  result.reference = c.reference;
  result.reference_error = c.reference_error;
  result.chaotic_from = c.chaotic_from;
  for (const results::ComparisonRow& row : c.rows)
    result.rows.push_back({row.formulation, row.integrator, row.step, row.refusal, row.failure,
                           row.difference, row.energy_drift, row.momentum_drift, row.constraint,
                           row.orthonormality, row.evaluations, row.seconds, row.order});
  result.csv = comparison_csv(c);
  result.text = comparison_text(c, model.is_mechanism());
  result.json = comparison_json(*compared.model, compared.plan, c);
  return result;
}

InverseForces inverse(const Model& model, const InverseOptions& options) {
  const InverseResult inverse = calc_inverse(source_of(model), options);
  InverseForces result;
  result.table.name = "inverse.csv";
  result.table.columns.push_back({"t", "s", ColumnKind::time, inverse.motion.t, {}});
  const ColumnUnits units = ColumnUnits::of(*inverse.model);
  const std::vector<std::string> names = inverse_columns(*inverse.model);
  for (std::size_t k = 0; k < names.size(); ++k) {
    Column column{names[k], units.unit(names[k]), ColumnKind::force, {}, {}};
    for (const std::vector<double>& row : inverse.rows) column.values.push_back(row[k]);
    result.table.columns.push_back(std::move(column));
  }
  result.derived = inverse.motion.derived;
  result.drives = drive_names(*inverse.model);
  result.csv = inverse_csv(inverse);
  result.json = inverse_json(inverse).dump(2) + "\n";
  return result;
}

}  // namespace cartan::api
