#include "results/design/steer_setup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/formulas.h"
#include "results/design/steer_conditions.h"
#include "results/load/model_variants.h"
#include "results/refusal.h"
#include "results/run/assembly_report.h"
#include "results/task.h"

namespace cartan::results {
namespace {

void refuse_what_jumps(const SteerTask& task, const Model& model) {
  const auto no = [&](const std::string& what) { refuse_at(task.file, task.model_where, what); };
  if (!model.a_contact().empty() && task.phases.empty())
    no(
        fmt::format("the model has contacts or stops ('{}'), and which of them are closed decides "
                    "the equations; give their order as [[phase]] tables, or remove them",
                    model.a_contact()));
  for (const Event& event : model.events)
    if (!event.jumps.empty())
      no(fmt::format("event '{}' sets new values; remove `set`", event.name));
  for (const Force& force : model.forces)
    if (const auto* friction = std::get_if<FrictionForce>(&force.law))
      if (!friction->smoothing.given())
        no(fmt::format("friction '{}' is exact and can stick; give it `smoothing`", force.name));
  if (model.implicit)
    no("rates of [variables] follow from equations here; give each variable its rate");
}

// ------------------------------------------------------------------------------------------- model

// Free inputs, and whether the task's are inputs of the model.
void choose_inputs(const Model& model, SteerSetup& setup) {
  std::vector<std::string> known;
  for (const Input& input : model.inputs) known.push_back(input.name);
  if (known.empty())
    refuse_at(setup.task.file, setup.task.model_where,
              fmt::format("the model '{}' has no [inputs] to steer with", model.title()));
  for (const SteerBounds& bounds : setup.task.inputs)
    if (std::find(known.begin(), known.end(), bounds.name) == known.end())
      refuse_at(setup.task.file, bounds.where,
                fmt::format("the model has no input '{}'{}", bounds.name,
                            suggestion(bounds.name, known)));
  for (const std::string& name : known) {
    const bool listed = std::any_of(setup.task.inputs.begin(), setup.task.inputs.end(),
                                    [&](const SteerBounds& b) { return b.name == name; });
    (listed || !setup.task.lists_inputs ? setup.inputs : setup.left_out).push_back(name);
  }
  if (setup.inputs.empty())
    refuse_at(setup.task.file, setup.task.model_where, "[inputs] of the task names none");
}

// Expressions of the task become outputs of the model, so that they are checked and derived with
// it.
class TaskOutputs {
 public:
  TaskOutputs(const SteerTask& task, const Model& model, ModelDescription& description)
      : task_(task), model_(model), description_(description) {}

  // The place of a new one.
  int add(const std::string& text, Location where) {
    Diagnostics problems(task_.file);
    const std::optional<Formula> formula = compile_expression(model_, text, problems);
    if (!formula) refuse_at(task_.file, where, problems.findings().front().message);
    for (const Symbol& symbol : formula->program.inputs)
      if (symbol.quantity == Quantity::reaction || symbol.quantity == Quantity::multiplier)
        refuse_at(task_.file, where,
                  fmt::format("'{}': reactions and multipliers cannot be part of costs and "
                              "conditions",
                              text));
    const int place = static_cast<int>(description_.outputs.size());
    description_.outputs.emplace_back(fmt::format("steer_{}", place), Value(text));
    return place;
  }
  std::vector<int> add(const std::vector<SteerBounds>& list) {
    std::vector<int> places;
    for (const SteerBounds& entry : list) places.push_back(add(entry.name, entry.where));
    return places;
  }
  // Conditions, with the name of each of their rows.
  void add(const std::vector<SteerCondition>& list, std::vector<int>& places,
           std::vector<std::string>& names) {
    for (const SteerCondition& condition : list)
      for (const std::string& row : condition_rows(task_, model_, condition)) {
        places.push_back(add(row, condition.where));
        names.push_back(condition.name);
      }
  }

 private:
  const SteerTask& task_;
  const Model& model_;
  ModelDescription& description_;
};

void add_outputs(const SteerTask& task, const Model& model, SteerSetup& setup,
                 ModelDescription& description) {
  SteerOutputs& outputs = setup.outputs;
  description.outputs.clear();
  TaskOutputs list(task, model, description);
  if (!task.integral.empty()) outputs.integral = list.add(task.integral, task.integral_where);
  if (!task.final.empty()) outputs.final = list.add(task.final, task.final_where);
  const std::vector<int> everywhere = list.add(task.path);
  for (std::size_t p = 0; p < setup.phases.size(); ++p) {
    SteerOutputs::OfPhase& phase = outputs.phases.emplace_back();
    std::vector<std::string>& names = setup.phases[p].end_names;
    phase.paths = everywhere;
    if (!task.phases.empty()) {
      const std::vector<int> here = list.add(task.phases[p].path);
      phase.paths.insert(phase.paths.end(), here.begin(), here.end());
      list.add(task.phases[p].end, phase.ends, names);
    }
    if (p + 1 == setup.phases.size()) list.add(task.end, phase.ends, names);
  }
  for (const SteerAdvance& advance : task.advance) {
    const int place = list.add(advance.name, advance.where);
    if (!advance.free) outputs.spans.push_back(place);
  }
  std::vector<SteerCondition> starts;
  for (const SteerCondition& condition : task.start)
    if (!condition.free && !find_state_name(model, condition.name).known())
      starts.push_back(condition);
  std::vector<std::string> unused;
  list.add(starts, outputs.starts, unused);
}

// ------------------------------------------------------------------------------------------- start

StateValues values_of(const SteerSetup& setup, const State& state) {
  StateValues values;
  values.t = state.t;
  values.q.resize(setup.model->joints.size());
  values.v.resize(setup.model->joints.size());
  values.variables.resize(setup.model->variables.size());
  const MechanicalSystem* mechanism = setup.mechanism();
  if (!mechanism) {
    for (std::size_t k = 0; k < values.variables.size(); ++k) values.variables[k] = state.x[k];
    return values;
  }
  Observation now;
  mechanism->observe(state, now, *setup.workspace);
  for (std::size_t j = 0; j < now.q.size(); ++j) values.q[j] = now.q[j], values.v[j] = now.v[j];
  for (std::size_t k = 0; k < now.variables.size(); ++k) values.variables[k] = now.variables[k];
  return values;
}

void choose_start(SteerSetup& setup) {
  setup.start = setup.system->initial_state();
  const StateValues now = values_of(setup, setup.start);
  StateValues values;
  values.t = setup.start.t;
  values.q.resize(now.q.size());
  values.v.resize(now.v.size());
  values.variables.resize(now.variables.size());
  bool any = false;
  for (const SteerCondition& condition : setup.task.start) {
    const StateName name = find_state_name(*setup.model, condition.name);
    if (condition.free || !name.known()) continue;
    put_condition(setup.task, *setup.model, condition, name, now, values);
    any = true;
  }
  if (!any) return;
  const MechanicalSystem* mechanism = setup.mechanism();
  WrittenStart written;
  if (mechanism) written = written_start(values.q, values.v);
  // what is not named keeps the model's initial value
  for (std::size_t j = 0; j < values.q.size(); ++j) {
    if (!values.q[j]) values.q[j] = now.q[j];
    if (!values.v[j]) values.v[j] = now.v[j];
  }
  for (std::size_t k = 0; k < values.variables.size(); ++k)
    if (!values.variables[k]) values.variables[k] = now.variables[k];
  setup.start = make_start(*setup.system, values);
  if (!mechanism || !mechanism->constrained()) return;
  const AssemblyReport report = mechanism->assemble(setup.start, written, *setup.workspace);
  if (!report.problem.empty()) refuse_at(setup.task.file, "[start]: " + report.problem);
}

}  // namespace

void prepare_steering(const SteerTask& task, const ModelArguments& model, const api::Watch& watch,
                      SteerSetup& setup) {
  namespace fs = std::filesystem;
  setup.task = task;
  setup.arguments = model;
  setup.arguments.path = (fs::path(task.folder) / task.model).lexically_normal().string();
  std::error_code ignored;
  if (!fs::is_regular_file(setup.arguments.path, ignored))
    refuse_at(task.file, task.model_where,
              fmt::format("there is no model file '{}'{}", setup.arguments.path,
                          suggest_file(setup.arguments.path)));
  const std::unique_ptr<const Model> plain = load_model(setup.arguments, watch);
  refuse_what_jumps(task, *plain);
  choose_inputs(*plain, setup);
  find_phases(task, *plain, setup);
  ModelDescription description = read_description(setup.arguments);
  add_outputs(task, *plain, setup, description);
  setup.model = make_model(description, setup.arguments);
  setup.system = load_system(*setup.model, "recursive");
  setup.workspace = setup.system->make_workspace();
  choose_start(setup);
  const int size = setup.system->space().size() - setup.system->quadratures();
  setup.charts = std::make_unique<StateCharts>(setup.system->space(), size);
  make_phases(setup);
  choose_ends(setup);
}

}  // namespace cartan::results
