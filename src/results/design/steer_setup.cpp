#include "results/design/steer_setup.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/dense.h"
#include "mechanics/machine/mechanism_system.h"
#include "model/formulas.h"
#include "results/design/steer_conditions.h"
#include "results/load/model_variants.h"
#include "results/refusal.h"
#include "results/run/assembly_report.h"
#include "results/task.h"

namespace cartan::results {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

const MechanicalSystem* mechanism_of(const SteerSetup& setup) {
  return dynamic_cast<const MechanicalSystem*>(setup.system.get());
}

void refuse_what_jumps(const SteerTask& task, const Model& model) {
  const auto no = [&](const std::string& what) { refuse_at(task.file, task.model_where, what); };
  if (!model.a_contact().empty())
    no("the model has contacts or stops, and a motion through impacts is not smooth; remove them");
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
              fmt::format("the model '{}' has no [inputs] to steer with", model.name));
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

  void add(const std::string& text, Location where) {
    Diagnostics problems(task_.file);
    const std::optional<Formula> formula = compile_expression(model_, text, problems);
    if (!formula) refuse_at(task_.file, where, problems.findings().front().message);
    for (const Symbol& symbol : formula->program.inputs)
      if (symbol.quantity == Quantity::reaction || symbol.quantity == Quantity::multiplier)
        refuse_at(task_.file, where,
                  fmt::format("'{}': reactions and multipliers cannot be part of costs and "
                              "conditions",
                              text));
    description_.outputs.emplace_back(fmt::format("steer_{}", description_.outputs.size()),
                                      Value(text));
  }

 private:
  const SteerTask& task_;
  const Model& model_;
  ModelDescription& description_;
};

SteerOutputs add_outputs(const SteerTask& task, const Model& model, SteerSetup& setup,
                         ModelDescription& description) {
  SteerOutputs outputs;
  description.outputs.clear();
  TaskOutputs list(task, model, description);
  outputs.integral = !task.integral.empty();
  if (outputs.integral) list.add(task.integral, task.integral_where);
  for (const SteerBounds& path : task.path) list.add(path.name, path.where);
  outputs.paths = static_cast<int>(task.path.size());
  for (const SteerCondition& condition : task.end)
    for (const std::string& row : condition_rows(task, model, condition)) {
      list.add(row, condition.where);
      setup.end_names.push_back(condition.name);
      ++outputs.ends;
    }
  outputs.final = !task.final.empty();
  if (outputs.final) list.add(task.final, task.final_where);
  for (const SteerCondition& condition : task.start)
    if (!condition.free && !find_state_name(model, condition.name).known())
      for (const std::string& row : condition_rows(task, model, condition)) {
        list.add(row, condition.where);
        ++outputs.starts;
      }
  return outputs;
}

// ------------------------------------------------------------------------------------------- start

StateValues values_of(const SteerSetup& setup, const State& state) {
  StateValues values;
  values.t = state.t;
  values.q.resize(setup.model->joints.size());
  values.v.resize(setup.model->joints.size());
  values.variables.resize(setup.model->variables.size());
  const MechanicalSystem* mechanism = mechanism_of(setup);
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
  const MechanicalSystem* mechanism = mechanism_of(setup);
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

// Rows that are independent of those before them, by Gram and Schmidt.
class IndependentRows {
 public:
  explicit IndependentRows(int columns) : basis_(0, columns) {}
  bool add(const Eigen::RowVectorXd& row) {
    Eigen::RowVectorXd rest = row;
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < basis_.rows(); ++i) rest -= rest.dot(basis_.row(i)) * basis_.row(i);
    if (!(rest.norm() > 1e-8 * std::max(row.norm(), 1e-12))) return false;
    basis_.conservativeResize(basis_.rows() + 1, basis_.cols());
    basis_.row(basis_.rows() - 1) = rest / rest.norm();
    return true;
  }

 private:
  MatrixXd basis_;
};

// Of System::constraint_values, those that are independent at a state.
std::vector<int> independent_constraints(const System& system, const State& state,
                                         Workspace& workspace) {
  const int rows = system.constraint_count();
  if (rows == 0) return {};
  const StateSpace& space = system.space();
  MatrixXd C(rows, space.size());
  system.constraint_jacobian(state, C, workspace);
  const int tangents = space.tangent_size() - system.quadratures();
  MatrixXd by_tangent(rows, tangents);
  std::vector<double> unit(space.tangent_size(), 0.0), rate(space.size());
  for (int j = 0; j < tangents; ++j) {
    unit[j] = 1;
    space.to_embedded(state.x, unit, rate);
    unit[j] = 0;
    by_tangent.col(j) = C * Eigen::Map<const VectorXd>(rate.data(), space.size());
  }
  IndependentRows independent(tangents);
  std::vector<int> chosen;
  for (int r = 0; r < rows; ++r)
    if (by_tangent.row(r).norm() > 1e-10 && independent.add(by_tangent.row(r))) chosen.push_back(r);
  return chosen;
}

// --------------------------------------------------------------------------------------- the ends

MatrixXd rows_of_map(const SmoothMap& map, const VectorXd& z, const std::vector<double>& a,
                     int rows, int columns) {
  std::vector<double> entries(std::max(1, map.slopes.size()));
  map.fill_slopes(z.data(), a.data(), entries.data());
  MatrixXd J = MatrixXd::Zero(rows, columns);
  for (int e = 0; e < map.slopes.size(); ++e)
    if (map.slopes.row[e] < rows && map.slopes.column[e] < columns)
      J(map.slopes.row[e], map.slopes.column[e]) += entries[e];
  return J;
}

// Conditions at the end and constraints at a state, around itself.
struct EndEquations {
  VectorXd values;
  MatrixXd slopes;
};
EndEquations end_equations(const SteerSetup& setup, std::span<const double> x) {
  const SteeringProblem& p = setup.problem;
  const int n = p.states;
  std::vector<double> a(setup.charts->base_size());
  setup.charts->take_base(x, a.data());
  VectorXd z = VectorXd::Zero(n + 1 + p.closures);
  setup.charts->to_coordinates(a.data(), x, z.data());
  z(n) = p.begin + p.duration_guess;
  a.insert(a.end(), p.numbers.begin(), p.numbers.end());
  EndEquations e;
  e.values.resize(p.ends + p.closures);
  e.slopes.resize(p.ends + p.closures, n);
  std::vector<double> f(std::max(p.ends + 1, p.closures + n));
  p.end->value(z.data(), a.data(), f.data());
  std::copy_n(f.begin(), p.ends, e.values.data());
  e.slopes.topRows(p.ends) = rows_of_map(*p.end, z, a, p.ends, n);
  if (p.closures > 0) {
    p.closure->value(z.data(), a.data(), f.data());
    std::copy_n(f.begin(), p.closures, e.values.data() + p.ends);
    e.slopes.bottomRows(p.closures) = rows_of_map(*p.closure, z, a, p.closures, n);
  }
  return e;
}

// One step of Newton's method to `part` of the values the conditions had at the start.
bool step_to_end(const SteerSetup& setup, const VectorXd& wanted, State& state) {
  const StateCharts& charts = *setup.charts;
  const std::span<double> x(state.x.data(), charts.size());
  EndEquations e = end_equations(setup, x);
  e.values -= wanted;
  if (!e.values.allFinite() || e.values.size() == 0 || e.values.cwiseAbs().maxCoeff() < 1e-12)
    return false;
  const VectorXd step = Eigen::CompleteOrthogonalDecomposition<MatrixXd>(e.slopes).solve(e.values);
  std::vector<double> base(charts.base_size());
  VectorXd y(setup.problem.states);
  charts.take_base(x, base.data());
  charts.to_coordinates(base.data(), x, y.data());
  y -= step;
  charts.to_point(base.data(), y.data(), x);
  return true;
}

// Where the guess ends: from the start, the conditions at the end are followed to zero with the
// constraints kept and the least change of the state. With loops the way itself is the guess.
void choose_end(SteerSetup& setup) {
  const StateCharts& charts = *setup.charts;
  const std::size_t size = charts.size();
  const VectorXd at_start = end_equations(setup, {setup.start.x.data(), size}).values;
  constexpr int steps = 40;
  State state = setup.start;
  setup.way = {state};
  for (int k = 1; k <= steps; ++k) {
    const VectorXd wanted = (1 - 1.0 * k / steps) * at_start;
    for (int pass = 0; pass < 8; ++pass)
      if (!step_to_end(setup, wanted, state)) break;
    state.t = setup.start.t + setup.problem.duration_guess * k / steps;
    setup.way.push_back(state);
  }
  setup.end = state;
  if (setup.problem.closures == 0) setup.way.clear();
  const EndEquations e = end_equations(setup, {setup.end.x.data(), size});
  IndependentRows independent(setup.problem.states);
  for (int r = 0; r < setup.problem.closures; ++r)
    independent.add(e.slopes.row(setup.problem.ends + r));
  for (int r = 0; r < setup.problem.ends; ++r)
    if (independent.add(e.slopes.row(r))) setup.problem.end_rows.push_back(r);
}

// Which coordinates of the start are given.
void fix_start(SteerSetup& setup) {
  SteeringProblem& p = setup.problem;
  std::vector<char> open(p.states, 0);
  const auto release = [&](const StateName& name) {
    for (const int i : numbers_of_name(*setup.model, *setup.system, name)) {
      const bool turn = setup.charts->in_quaternion(i);
      for (int k = 0; k < (turn ? 3 : 1); ++k) open[setup.charts->coordinate_of(i) + k] = 1;
    }
  };
  std::vector<char> named(p.states, 0);
  for (const SteerCondition& condition : setup.task.start) {
    const StateName name = find_state_name(*setup.model, condition.name);
    if (condition.free && !name.known())
      refuse_at(setup.task.file, condition.where,
                fmt::format("'{}' is no coordinate, speed or variable that could be free",
                            condition.name));
    if (condition.free) release(name);
    if (!condition.free && name.known())
      for (const int i : numbers_of_name(*setup.model, *setup.system, name))
        for (int k = 0; k < (setup.charts->in_quaternion(i) ? 3 : 1); ++k)
          named[setup.charts->coordinate_of(i) + k] = 1;
  }
  if (setup.task.periodic) {
    for (const std::string& text : setup.task.periodic_names) {
      const StateName name = find_state_name(*setup.model, text);
      if (!name.known())
        refuse_at(setup.task.file,
                  fmt::format("periodic: '{}' is no coordinate, speed or variable", text));
      std::vector<char> before = open;
      open.assign(p.states, 0);
      release(name);
      for (int i = 0; i < p.states; ++i)
        if (open[i]) p.periodic.push_back(i);
      for (int i = 0; i < p.states; ++i) open[i] = before[i] || (open[i] && !named[i]);
    }
    if (setup.task.periodic_names.empty())
      for (int i = 0; i < p.states; ++i) {
        p.periodic.push_back(i);
        open[i] = open[i] || !named[i];
      }
  }
  p.start_fixed.assign(p.states, 1);
  if (std::none_of(open.begin(), open.end(), [](char c) { return c; })) return;
  IndependentRows independent(p.states);
  p.start_closed = p.closures > 0;
  if (p.start_closed) {
    const EndEquations e =
        end_equations(setup, {setup.start.x.data(), (std::size_t)setup.charts->size()});
    for (int r = 0; r < p.closures; ++r) independent.add(e.slopes.row(p.ends + r));
  }
  for (int i = 0; i < p.states; ++i) {
    Eigen::RowVectorXd unit = Eigen::RowVectorXd::Zero(p.states);
    unit(i) = 1;
    p.start_fixed[i] = !open[i] && independent.add(unit);
  }
}

ValueBounds bounds_of(const SteerSetup& setup, const SteerBounds& text) {
  ValueBounds bounds;
  if (!text.low.empty()) bounds.low = task_number(setup.task, *setup.model, text.low, text.where);
  if (!text.high.empty())
    bounds.high = task_number(setup.task, *setup.model, text.high, text.where);
  if (!(bounds.low <= bounds.high))
    refuse_at(
        setup.task.file, text.where,
        fmt::format("bounds of '{}': {:g} is above {:g}", text.name, bounds.low, bounds.high));
  return bounds;
}

void read_bounds(SteerSetup& setup) {
  SteeringProblem& p = setup.problem;
  for (const std::string& name : setup.inputs) {
    p.input_bounds.emplace_back();
    for (const SteerBounds& text : setup.task.inputs)
      if (text.name == name) p.input_bounds.back() = bounds_of(setup, text);
  }
  for (const SteerBounds& text : setup.task.path) p.path_bounds.push_back(bounds_of(setup, text));
  const SteerTask& task = setup.task;
  p.duration_guess = task_number(task, *setup.model, task.duration, {});
  p.duration.low = p.duration.high = p.duration_guess;
  if (!task.duration_low.empty()) {
    p.duration.low = task_number(task, *setup.model, task.duration_low, {});
    p.duration.high = task_number(task, *setup.model, task.duration_high, {});
  }
  if (!(p.duration.low > 0 && p.duration.low <= p.duration_guess &&
        p.duration_guess <= p.duration.high && p.duration.high < 1e300))
    refuse_at(task.file,
              fmt::format("duration: expected positive numbers low <= guess <= high, got "
                          "{:g}, {:g}, {:g}",
                          p.duration.low, p.duration_guess, p.duration.high));
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
  ModelDescription description = read_description(setup.arguments);
  const SteerOutputs outputs = add_outputs(task, *plain, setup, description);
  setup.model = make_model(description, setup.arguments);
  setup.system = load_system(*setup.model, "recursive");
  setup.workspace = setup.system->make_workspace();
  choose_start(setup);
  const int size = setup.system->space().size() - setup.system->quadratures();
  setup.charts = std::make_unique<StateCharts>(setup.system->space(), size);
  const std::vector<int> closures =
      independent_constraints(*setup.system, setup.start, *setup.workspace);
  const std::string problem =
      make_steer_maps(*setup.model, *setup.system, setup.start, *setup.charts, setup.inputs,
                      outputs, closures, setup.maps);
  if (!problem.empty()) refuse_at(task.file, problem);
  SteeringProblem& p = setup.problem;
  p.stage = setup.maps.stage.get();
  p.end = setup.maps.end.get();
  p.start = setup.maps.start.get();
  p.closure = setup.maps.closure.get();
  p.chart = setup.maps.chart.get();
  p.charts = setup.charts.get();
  p.numbers = setup.maps.numbers;
  p.states = setup.charts->coordinates();
  p.inputs = static_cast<int>(setup.inputs.size());
  p.paths = outputs.paths;
  p.ends = outputs.ends;
  p.starts = outputs.starts;
  p.closures = static_cast<int>(closures.size());
  p.start_state.assign(setup.start.x.begin(), setup.start.x.begin() + size);
  p.begin = setup.start.t;
  for (int j = 0; j < p.paths; ++j) {
    const SparsePattern& at = p.stage->slopes;
    bool of_inputs = false;
    for (int e = 0; e < at.size(); ++e)
      of_inputs |= at.row[e] == p.states + 1 + j && at.column[e] >= p.states &&
                   at.column[e] < p.states + p.inputs;
    if (!of_inputs) p.node_paths.push_back(j);
  }
  read_bounds(setup);
  fix_start(setup);
  choose_end(setup);
}

}  // namespace cartan::results
