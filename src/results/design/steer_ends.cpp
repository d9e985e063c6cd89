// Both ends of a steered motion: which numbers of the start are given, which conditions are asked
// for, and where the guess begins and ends.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/dense.h"
#include "results/design/independent_rows.h"
#include "results/design/steer_conditions.h"
#include "results/design/steer_setup.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

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

// Conditions at the end of a phase and its constraints at a state, around itself.
struct EndEquations {
  VectorXd values;
  MatrixXd slopes;
};
EndEquations end_equations(const SteerSetup& setup, int phase, const State& state) {
  const SteeringPhase& p = setup.problem.phases[phase];
  const std::span<const double> x(state.x.data(), setup.charts->size());
  const int n = p.states;
  std::vector<double> a(setup.charts->base_size());
  setup.charts->take_base(x, a.data());
  VectorXd z = VectorXd::Zero(n + 1 + p.closures);
  setup.charts->to_coordinates(a.data(), x, z.data());
  z(n) = state.t;
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

// Gaps that close at the end of a phase, by its coordinates.
MatrixXd closing_slopes(const SteerSetup& setup, int phase, const State& state) {
  const int n = setup.charts->coordinates();
  for (const SteeringJunction& junction : setup.problem.junctions) {
    if (junction.from != phase || junction.closings == 0) continue;
    const std::span<const double> x(state.x.data(), setup.charts->size());
    std::vector<double> a(2 * setup.charts->base_size());
    setup.charts->take_base(x, a.data());
    setup.charts->take_base(x, a.data() + setup.charts->base_size());
    VectorXd z = VectorXd::Zero(junction.map->inputs);
    setup.charts->to_coordinates(a.data(), x, z.data());
    z(n) = state.t;
    a.insert(a.end(), junction.numbers.begin(), junction.numbers.end());
    return rows_of_map(*junction.map, z, a, n + junction.impulses + junction.closings, n)
        .bottomRows(junction.closings);
  }
  return MatrixXd(0, n);
}

void move_by(const SteerSetup& setup, const VectorXd& step, State& state) {
  const StateCharts& charts = *setup.charts;
  const std::span<double> x(state.x.data(), charts.size());
  std::vector<double> base(charts.base_size());
  VectorXd y(charts.coordinates());
  charts.take_base(x, base.data());
  charts.to_coordinates(base.data(), x, y.data());
  y += step;
  charts.to_point(base.data(), y.data(), x);
}

// One step of Newton's method to what the conditions and constraints of the last phase shall be.
bool step_to_end(const SteerSetup& setup, const VectorXd& wanted, State& state) {
  EndEquations e = end_equations(setup, static_cast<int>(setup.phases.size()) - 1, state);
  e.values -= wanted;
  if (!e.values.allFinite() || e.values.size() == 0 || e.values.cwiseAbs().maxCoeff() < 1e-12)
    return false;
  move_by(setup, -Eigen::CompleteOrthogonalDecomposition<MatrixXd>(e.slopes).solve(e.values),
          state);
  return true;
}

// A motion that repeats ends as it begins, under the exchanged names, and further on.
State likely_end(const SteerSetup& setup) {
  State state = setup.start;
  for (std::size_t i = 0; i < setup.swap.size(); ++i) state.x[setup.swap[i]] = setup.start.x[i];
  for (const SteerAdvance& advance : setup.task.advance) {
    const StateName name = find_state_name(*setup.model, advance.name);
    if (advance.free || !name.known()) continue;
    const double value = task_number(setup.task, *setup.model, advance.value, advance.where);
    for (const int i : numbers_of_name(*setup.model, *setup.system, name))
      state.x[i] = setup.start.x[i] + value * (advance.speed ? setup.duration() : 1);
  }
  return state;
}

// Where the guess ends: from the start, the conditions at the end are followed to zero with the
// constraints kept and the least change of the state. With loops the way itself is the guess.
void choose_end(SteerSetup& setup) {
  const int last = static_cast<int>(setup.phases.size()) - 1;
  constexpr int steps = 40;
  State state = likely_end(setup);
  const bool elsewhere = state.x != setup.start.x;
  state.t = setup.start.t + setup.duration();
  const VectorXd at_first = end_equations(setup, last, state).values;
  setup.way = {setup.start};
  for (int k = 1; k <= steps; ++k) {
    const VectorXd wanted = (1 - 1.0 * k / steps) * at_first;
    for (int pass = 0; pass < 8; ++pass)
      if (!step_to_end(setup, wanted, state)) break;
    setup.way.push_back(state);
    setup.way.back().t = setup.start.t + setup.duration() * k / steps;
  }
  setup.end = state;
  if (setup.problem.phases[last].closures == 0 || last > 0 || elsewhere) setup.way.clear();
}

void choose_end_rows(SteerSetup& setup) {
  for (std::size_t p = 0; p < setup.phases.size(); ++p) {
    SteeringPhase& phase = setup.problem.phases[p];
    const EndEquations e = end_equations(setup, static_cast<int>(p), setup.end);
    IndependentRows independent(phase.states);
    for (int r = 0; r < phase.closures; ++r) independent.add(e.slopes.row(phase.ends + r));
    const MatrixXd closing = closing_slopes(setup, static_cast<int>(p), setup.end);
    for (int r = 0; r < closing.rows(); ++r) independent.add(closing.row(r));
    for (int r = 0; r < phase.ends; ++r)
      if (independent.add(e.slopes.row(r))) phase.end_rows.push_back(r);
  }
}

// ------------------------------------------------------------------------------------------- start

// Coordinates by what the task says of them.
struct StartNumbers {
  std::vector<char> open, named, advancing;
  std::vector<int> periodic;
};

std::vector<int> coordinates_of(const SteerSetup& setup, const StateName& name) {
  std::vector<int> list;
  for (const int i : numbers_of_name(*setup.model, *setup.system, name)) {
    const int first = setup.charts->coordinate_of(i);
    for (int k = 0; k < (setup.charts->in_quaternion(i) ? 3 : 1); ++k)
      if (std::find(list.begin(), list.end(), first + k) == list.end()) list.push_back(first + k);
  }
  return list;
}

void mark(const std::vector<int>& list, std::vector<char>& marks) {
  for (const int i : list) marks[i] = 1;
}

StartNumbers sort_start_numbers(const SteerSetup& setup) {
  const int n = setup.charts->coordinates();
  StartNumbers s{std::vector<char>(n, 0), std::vector<char>(n, 0), std::vector<char>(n, 0), {}};
  const SteerTask& task = setup.task;
  for (const SteerCondition& condition : task.start) {
    const StateName name = find_state_name(*setup.model, condition.name);
    if (condition.free && !name.known())
      refuse_at(task.file, condition.where,
                fmt::format("'{}' is no coordinate, speed or variable that could be free",
                            condition.name));
    if (name.known()) mark(coordinates_of(setup, name), condition.free ? s.open : s.named);
  }
  for (const SteerAdvance& advance : task.advance)
    if (const StateName name = find_state_name(*setup.model, advance.name); name.known())
      mark(coordinates_of(setup, name), s.advancing);
  if (!task.periodic) return s;
  for (const std::string& text : task.periodic_names) {
    const StateName name = find_state_name(*setup.model, text);
    if (!name.known())
      refuse_at(task.file, task.periodic_where,
                fmt::format("periodic: '{}' is no coordinate, speed or variable", text));
    for (const int i : coordinates_of(setup, name)) s.periodic.push_back(i);
  }
  for (int i = 0; i < n && task.periodic_names.empty(); ++i)
    if (!s.advancing[i]) s.periodic.push_back(i);
  for (const int i : s.periodic)
    if (!s.named[i]) s.open[i] = 1;
  return s;
}

// What the constraints of the start say of coordinates that repeat alone follows from the end of
// the motion: combinations of their rows without the other coordinates.
MatrixXd rows_that_repeat(const MatrixXd& C, const std::vector<int>& periodic) {
  std::vector<int> others;
  for (int i = 0; i < C.cols(); ++i)
    if (std::find(periodic.begin(), periodic.end(), i) == periodic.end()) others.push_back(i);
  if (periodic.empty() || C.rows() == 0) return MatrixXd(0, C.cols());
  MatrixXd rest(C.rows(), static_cast<int>(others.size()));
  for (std::size_t k = 0; k < others.size(); ++k) rest.col(static_cast<int>(k)) = C.col(others[k]);
  if (rest.cols() == 0 || rest.cwiseAbs().maxCoeff() < 1e-12) return C;
  const Eigen::JacobiSVD<MatrixXd> svd(rest, Eigen::ComputeFullU);
  int rank = 0;
  for (const double value : svd.singularValues()) rank += value > 1e-9 * svd.singularValues()(0);
  return svd.matrixU().rightCols(C.rows() - rank).transpose() * C;
}

// The contacts that are closed from the start on must be able to close there.
void close_start(SteerSetup& setup, const std::vector<char>& open) {
  const SteeringPhase& phase = setup.problem.phases.front();
  const SteerPhase& first = setup.phases.front();
  if (first.closed.empty()) return;
  double left = 0;
  for (int pass = 0; pass < 30; ++pass) {
    const EndEquations e = end_equations(setup, 0, setup.start);
    const VectorXd residual = e.values.tail(phase.closures);
    left = residual.cwiseAbs().maxCoeff();
    if (left < 1e-12) break;
    MatrixXd C = e.slopes.bottomRows(phase.closures);
    for (int i = 0; i < phase.states; ++i)
      if (!open[i]) C.col(i).setZero();
    const VectorXd step = Eigen::CompleteOrthogonalDecomposition<MatrixXd>(C).solve(residual);
    if (!(step.norm() > 1e-14)) break;
    move_by(setup, -step, setup.start);
  }
  if (left < 1e-8) return;
  const auto reports =
      setup.mechanism()->report_contacts(mode_of_phase(first, setup.start), *setup.workspace);
  int worst = first.closed.front();
  for (const int k : first.closed)
    if (std::fabs(reports[k].gap) > std::fabs(reports[worst].gap)) worst = k;
  const double gap = reports[worst].gap;
  refuse_at(
      setup.task.file, setup.task.phases.front().where,
      fmt::format("phase '{}': contact '{}' cannot be closed at the start: {}; change [start], or "
                  "leave more of it \"free\"",
                  first.name, setup.model->contacts[worst].name,
                  std::fabs(gap) > 1e-9 ? fmt::format("its gap is {:.3g} m there", gap)
                                        : std::string("its surfaces move against each other")));
}

// Where the start is open, gaps are not negative there either. One that repeats says so at its end.
void keep_start_open(SteerSetup& setup, const std::vector<char>& open) {
  if (setup.task.periodic) return;
  SteeringPhase& phase = setup.problem.phases.front();
  const std::vector<PhaseMaps::ContactPath>& contacts = setup.phases.front().maps.contacts;
  const int own = phase.paths - static_cast<int>(contacts.size());
  const SparsePattern& slopes = phase.stage->slopes;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    if (contacts[k].kind != PhaseMaps::ContactPath::Kind::gap) continue;
    const int path = own + static_cast<int>(k);
    bool moves = false;
    for (int e = 0; e < slopes.size(); ++e)
      moves |= slopes.row[e] == phase.states + 1 + path && slopes.column[e] < phase.states &&
               open[slopes.column[e]];
    if (moves) phase.edge_paths.push_back({path, true, false});
  }
}

// Which coordinates of the start are given, and which of its constraints are asked for.
void fix_start(SteerSetup& setup) {
  const StartNumbers numbers = sort_start_numbers(setup);
  SteeringPhase& phase = setup.problem.phases.front();
  for (SteeringJunction& junction : setup.problem.junctions)
    if (junction.repeats) junction.linked = numbers.periodic;
  close_start(setup, numbers.open);
  phase.start_state.assign(setup.start.x.begin(), setup.start.x.begin() + setup.charts->size());
  phase.start_fixed.assign(phase.states, 1);
  if (std::none_of(numbers.open.begin(), numbers.open.end(), [](char c) { return c; })) return;
  keep_start_open(setup, numbers.open);
  const MatrixXd C = end_equations(setup, 0, setup.start).slopes.bottomRows(phase.closures);
  const MatrixXd known = rows_that_repeat(C, numbers.periodic);
  IndependentRows asked(phase.states), independent(phase.states);
  for (int r = 0; r < known.rows(); ++r) asked.add(known.row(r));
  for (int r = 0; r < phase.closures; ++r) {
    if (asked.add(C.row(r))) phase.start_closures.push_back(r);
    independent.add(C.row(r));
  }
  for (int i = 0; i < phase.states; ++i) {
    Eigen::RowVectorXd unit = Eigen::RowVectorXd::Zero(phase.states);
    unit(i) = 1;
    phase.start_fixed[i] = !numbers.open[i] && independent.add(unit);
  }
}

}  // namespace

void choose_ends(SteerSetup& setup) {
  fix_start(setup);
  choose_end(setup);
  choose_end_rows(setup);
}

}  // namespace cartan::results
