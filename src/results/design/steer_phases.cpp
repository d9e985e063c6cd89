// Phases of a steering task: which contacts are closed in them, and what happens between two.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/dense.h"
#include "model/formulas.h"
#include "results/design/independent_rows.h"
#include "results/design/steer_conditions.h"
#include "results/design/steer_setup.h"
#include "results/orbits/swap.h"
#include "results/refusal.h"
#include "system/contact_holding.h"

namespace cartan::results {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

int places_of(const Contact& contact) {
  if (contact.is_stop()) return 1;
  if (contact.a.shape == ContactShape::mesh)
    return static_cast<int>(contact.a.hull->corners.size());
  return contact.a.shape == ContactShape::box       ? 8
         : contact.a.shape == ContactShape::capsule ? 2
                                                    : 1;
}

int find_contact(const SteerTask& task, const Model& model, const SteerPhaseText& phase,
                 const std::string& name) {
  std::vector<std::string> known;
  for (const Contact& contact : model.contacts) known.push_back(contact.name);
  const auto found = std::find(known.begin(), known.end(), name);
  const std::string here = fmt::format("phase '{}': ", phase.name);
  if (known.empty())
    refuse_at(task.file, phase.where,
              fmt::format("{}the model has no contacts and no stops that could be closed", here));
  if (found == known.end())
    refuse_at(task.file, phase.where,
              fmt::format("{}the model has no contact '{}'{}", here, name,
                          suggestion(name, known).empty()
                              ? fmt::format("; expected one of {}", fmt::join(known, ", "))
                              : suggestion(name, known)));
  const Contact& contact = model.contacts[found - known.begin()];
  if (places_of(contact) > 1)
    refuse_at(task.file, phase.where,
              fmt::format("{}contact '{}' touches at several places (corners, or two ends), and "
                          "which of them are closed is not said; use a contact for each point",
                          here, name));
  if (evaluate<double>(contact.restitution, parameter_values(model))[0] != 0)
    refuse_at(task.file, phase.where,
              fmt::format("{}contact '{}' bounces, and what bounces does not stay closed; give it "
                          "restitution = 0",
                          here, name));
  return static_cast<int>(found - known.begin());
}

void hold(const SteerSetup& setup, const std::vector<int>& contacts, const std::string& phase,
          State& state) {
  const auto* holder = dynamic_cast<const ContactHolding*>(setup.system.get());
  if (!holder) return;
  const std::string problem = holder->hold_contacts(contacts, state, *setup.workspace);
  if (!problem.empty()) refuse_at(setup.task.file, fmt::format("phase '{}': {}", phase, problem));
}

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

// ------------------------------------------------------------------------------ bounds and times

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

double read_duration(const SteerSetup& setup, const SteerDuration& text, const std::string& whose,
                     ValueBounds& bounds) {
  const auto number = [&](const std::string& written) {
    return task_number(setup.task, *setup.model, written, text.where);
  };
  const double guess = number(text.guess);
  bounds.low = bounds.high = guess;
  if (!text.low.empty()) bounds = {number(text.low), number(text.high)};
  if (!(bounds.low > 0 && bounds.low <= guess && guess <= bounds.high && bounds.high < 1e300))
    refuse_at(setup.task.file, text.where,
              fmt::format("{}duration: expected positive numbers low <= guess <= high, got {:g}, "
                          "{:g}, {:g}",
                          whose, bounds.low, guess, bounds.high));
  return guess;
}

void read_times(SteerSetup& setup) {
  SteeringProblem& problem = setup.problem;
  const SteerTask& task = setup.task;
  if (task.phases.empty()) {
    problem.phases[0].duration_guess =
        read_duration(setup, task.duration, "", problem.phases[0].duration);
    return;
  }
  double low = 0, high = 0;
  for (std::size_t p = 0; p < problem.phases.size(); ++p) {
    SteeringPhase& phase = problem.phases[p];
    phase.duration_guess =
        read_duration(setup, task.phases[p].duration,
                      fmt::format("phase '{}': ", task.phases[p].name), phase.duration);
    low += phase.duration.low;
    high += phase.duration.high;
  }
  if (!task.duration.written()) return;
  read_duration(setup, task.duration, "", problem.duration);
  if (problem.duration.high < low || problem.duration.low > high)
    refuse_at(task.file, task.duration.where,
              fmt::format("duration: the phases together take {:g} to {:g} s, and the whole shall "
                          "take {:g} to {:g} s",
                          low, high, problem.duration.low, problem.duration.high));
}

// Paths without inputs hold at nodes, too; forces of contacts at both ends of their phase.
void sort_paths(const PhaseMaps& maps, SteeringPhase& phase) {
  using Kind = PhaseMaps::ContactPath::Kind;
  const int own = phase.paths - static_cast<int>(maps.contacts.size());
  for (int j = 0; j < phase.paths; ++j) {
    const Kind kind = j < own ? Kind::gap : maps.contacts[j - own].kind;
    if (j >= own && kind != Kind::parting) phase.watched_paths.push_back(j);
    if (kind == Kind::force) phase.edge_paths.push_back({j, true, true});
    if (kind == Kind::parting) phase.edge_paths.push_back({j, true, false, false});
    if (kind != Kind::gap) continue;
    const SparsePattern& at = phase.stage->slopes;
    bool of_inputs = false;
    for (int e = 0; e < at.size(); ++e)
      of_inputs |= at.row[e] == phase.states + 1 + j && at.column[e] >= phase.states &&
                   at.column[e] < phase.states + phase.inputs;
    if (!of_inputs) phase.node_paths.push_back(j);
  }
}

bool has(const std::vector<int>& list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The contacts of a phase under the names that parts have when they are exchanged.
std::vector<int> exchanged(const SteerSetup& setup, const std::vector<int>& contacts) {
  if (setup.swap.empty()) return contacts;
  std::vector<int> result;
  for (const int k : contacts) {
    const std::string name = swapped_name(setup.model->contacts[k].name, setup.task.swap);
    int found = -1;
    for (std::size_t c = 0; c < setup.model->contacts.size(); ++c)
      if (setup.model->contacts[c].name == name) found = static_cast<int>(c);
    if (found < 0)
      refuse_at(setup.task.file, setup.task.swap_where,
                fmt::format("swap '{}': contact '{}' would become '{}', which there is not",
                            setup.task.swap, setup.model->contacts[k].name, name));
    result.push_back(found);
  }
  return result;
}

// Contacts that touch at a start that is given, and are at rest there, but are not closed.
std::vector<int> parting_at_start(const SteerSetup& setup) {
  const bool given = std::none_of(setup.task.start.begin(), setup.task.start.end(),
                                  [](const SteerCondition& condition) { return condition.free; });
  const std::vector<int>& closed = setup.phases.front().closed;
  std::vector<int> list;
  if (!given || setup.model->contacts.empty()) return list;
  constexpr double soon = 1e-6, resting = 1e-6;  // s, m/s
  const auto gaps_of = [&](const State& state) {
    return setup.mechanism()->report_contacts(state, *setup.workspace);
  };
  State later = setup.phases.front().at;
  const std::vector<ContactReport> now = gaps_of(later);
  std::vector<double> rates(setup.system->kinematic_size());
  setup.system->kinematic_rates(later, rates, *setup.workspace);
  for (std::size_t i = 0; i < rates.size(); ++i) later.x[i] += soon * rates[i];
  const std::vector<ContactReport> then = gaps_of(later);
  for (std::size_t k = 0; k < now.size(); ++k)
    if (!has(closed, static_cast<int>(k)) && now[k].gap < 1e-9 &&
        then[k].gap - now[k].gap < resting * soon)
      list.push_back(static_cast<int>(k));
  return list;
}

// Contacts that are closed in the phase before and not in this one, where nothing meets in between:
// they let go because nothing presses them.
std::vector<int> parting_contacts(const SteerSetup& setup, int p) {
  const int count = static_cast<int>(setup.phases.size());
  if (p == 0 && !setup.task.periodic) return parting_at_start(setup);
  const std::vector<int>& closed = setup.phases[p].closed;
  const std::vector<int> before =
      p > 0 ? setup.phases[p - 1].closed : exchanged(setup, setup.phases[count - 1].closed);
  if (std::any_of(closed.begin(), closed.end(), [&](int k) { return !has(before, k); })) return {};
  std::vector<int> list;
  for (const int k : before)
    if (!has(closed, k)) list.push_back(k);
  return list;
}

// Of a phase's own bounds.
std::size_t input_index(const SteerSetup& setup, const SteerBounds& text) {
  const auto found = std::find(setup.inputs.begin(), setup.inputs.end(), text.name);
  if (found == setup.inputs.end())
    refuse_at(setup.task.file, text.where,
              fmt::format("'{}' is no input that is free{}", text.name,
                          suggestion(text.name, setup.inputs)));
  return static_cast<std::size_t>(found - setup.inputs.begin());
}

void make_phase(SteerSetup& setup, SteerCode& code, int p) {
  SteerPhase& from = setup.phases[p];
  from.closures = independent_constraints(*setup.system, from.at, *setup.workspace);
  const PhasePlan plan{p, from.at, from.closures, parting_contacts(setup, p)};
  const std::string problem = make_phase_maps(code, plan, from.maps);
  if (!problem.empty()) refuse_at(setup.task.file, problem);
  SteeringPhase& phase = setup.problem.phases.emplace_back();
  phase.stage = from.maps.stage.get();
  phase.end = from.maps.end.get();
  phase.start = from.maps.start.get();
  phase.closure = from.maps.closure.get();
  phase.chart = from.maps.chart.get();
  phase.charts = setup.charts.get();
  phase.numbers = from.maps.numbers;
  phase.states = setup.charts->coordinates();
  phase.inputs = static_cast<int>(setup.inputs.size());
  phase.paths = phase.stage->outputs - phase.states - 1;
  phase.ends = phase.end->outputs - 1;
  phase.starts = phase.start ? phase.start->outputs : 0;
  phase.closures = static_cast<int>(from.closures.size());
  phase.start_state.assign(setup.start.x.begin(), setup.start.x.begin() + setup.charts->size());
  phase.start_fixed.assign(phase.states, 0);
  phase.begins = p == 0;
  phase.begin = setup.start.t;
  for (const std::string& name : setup.inputs) {
    phase.input_bounds.emplace_back();
    for (const SteerBounds& text : setup.task.inputs)
      if (text.name == name) phase.input_bounds.back() = bounds_of(setup, text);
  }
  if (!setup.task.phases.empty())
    for (const SteerBounds& text : setup.task.phases[p].inputs)
      phase.input_bounds[input_index(setup, text)] = bounds_of(setup, text);
  for (const SteerBounds& text : setup.task.path)
    phase.path_bounds.push_back(bounds_of(setup, text));
  if (!setup.task.phases.empty())
    for (const SteerBounds& text : setup.task.phases[p].path)
      phase.path_bounds.push_back(bounds_of(setup, text));
  for (std::size_t k = 0; k < from.maps.contacts.size(); ++k)
    phase.path_bounds.push_back({0, ValueBounds().high});
  sort_paths(from.maps, phase);
}

// ------------------------------------------------------------------------------------- junctions

void make_junction(SteerSetup& setup, SteerCode& code, int from, int to, bool repeats) {
  const SteerPhase &before = setup.phases[from], &after = setup.phases[to];
  const std::vector<int> closed = repeats ? exchanged(setup, after.closed) : after.closed;
  JunctionPlan plan;
  for (const int k : closed)
    if (!has(before.closed, k)) plan.closing.push_back(k);
  for (const int k : before.closed)
    if (!has(closed, k)) plan.leaving.push_back(k);
  State at = before.at;
  if (repeats) plan.swap = setup.swap;
  hold(setup, closed, after.name, at);
  JunctionMap& made = setup.junctions.emplace_back();
  const std::string problem = make_junction_map(code, at, plan, made);
  if (!problem.empty()) refuse_at(setup.task.file, problem);
  SteeringJunction& junction = setup.problem.junctions.emplace_back();
  junction.from = from;
  junction.to = to;
  junction.repeats = repeats;
  junction.map = made.map.get();
  junction.numbers = made.numbers;
  junction.impulses = static_cast<int>(made.impulses.size());
  junction.closings = static_cast<int>(plan.closing.size());
  junction.others = made.others;
  if (!repeats)
    for (int i = 0; i < setup.charts->coordinates(); ++i) junction.linked.push_back(i);
  // at the end the gap is zero, which says more than that it is not negative
  SteeringPhase& phase = setup.problem.phases[from];
  const int own = phase.paths - static_cast<int>(before.maps.contacts.size());
  for (std::size_t k = 0; k < before.maps.contacts.size(); ++k)
    if (before.maps.contacts[k].kind == PhaseMaps::ContactPath::Kind::gap &&
        has(plan.closing, before.maps.contacts[k].contact))
      phase.open_at_end.push_back(own + static_cast<int>(k));
}

void make_span(SteerSetup& setup, SteerCode& code) {
  SpanPlan plan;
  for (const SteerAdvance& advance : setup.task.advance) {
    if (advance.free) continue;
    const double value = task_number(setup.task, *setup.model, advance.value, advance.where);
    plan.amounts.push_back(advance.speed ? 0 : value);
    plan.rates.push_back(advance.speed ? value : 0);
  }
  if (plan.amounts.empty()) return;
  SteeringSpan& span = setup.problem.spans.emplace_back();
  const std::string problem =
      make_span_map(code, setup.phases.back().at, plan, setup.span, span.numbers);
  if (!problem.empty()) refuse_at(setup.task.file, problem);
  span.map = setup.span.get();
}

}  // namespace

void find_phases(const SteerTask& task, const Model& model, SteerSetup& setup) {
  if (task.phases.empty()) {
    setup.phases.emplace_back();
    return;
  }
  if (!model.is_mechanism())
    refuse_at(task.file, task.phases.front().where,
              "[[phase]] is for bodies with contacts; the model has none");
  for (const SteerPhaseText& text : task.phases) {
    SteerPhase& phase = setup.phases.emplace_back();
    phase.name = text.name;
    for (const std::string& name : text.closed) {
      const int contact = find_contact(task, model, text, name);
      if (has(phase.closed, contact))
        refuse_at(task.file, text.where,
                  fmt::format("phase '{}': contact '{}' stands there twice", text.name, name));
      phase.closed.push_back(contact);
    }
    std::sort(phase.closed.begin(), phase.closed.end());
  }
}

void make_phases(SteerSetup& setup) {
  if (!setup.task.swap.empty())
    setup.swap = read_swap("steer", *setup.system, setup.task.swap, "swap");
  SteerCode code{*setup.model, *setup.charts, setup.inputs, setup.outputs, ""};
  const int count = static_cast<int>(setup.phases.size());
  for (SteerPhase& phase : setup.phases) {
    phase.at = setup.start;
    hold(setup, phase.closed, phase.name, phase.at);
  }
  for (int p = 0; p < count; ++p) make_phase(setup, code, p);
  for (int p = 0; p + 1 < count; ++p) make_junction(setup, code, p, p + 1, false);
  if (setup.task.periodic) make_junction(setup, code, count - 1, 0, true);
  make_span(setup, code);
  read_times(setup);
  setup.without_curvature = code.without_curvature;
}

State mode_of_phase(const SteerPhase& phase, State state) {
  state.mode = phase.at.mode;
  return state;
}

}  // namespace cartan::results
