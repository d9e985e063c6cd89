// Keeping the constraints: consistent starts, back to the manifold after a step, which rows are
// independent.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mechanics/assembly/assembly.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/projection.h"
#include "mechanics/tree/tree_report.h"
#include "mechanics/tree/tree_system_class.h"

namespace cartan::mechanics {
namespace {

constexpr double lost_constraint = 1e-6;  // a violation projection must get below
constexpr double near_singular = 0.05;    // strength of the weakest row ...
constexpr double weakened = 0.1;          // ... and of what it has at the start of the model
constexpr double at_singular = 1e-5;      // ... at which multipliers lose their meaning
constexpr double weak_pivot = 1e-3;       // squared sine at which rows are chosen anew ...
constexpr double good_pivot = 1e-2;       // ... and at which they are good again

int find_worst(const std::vector<double>& residual) {
  const auto size = [](double x) { return std::isfinite(x) ? std::fabs(x) : INFINITY; };
  const auto larger = [&](double a, double b) { return size(a) < size(b); };
  return static_cast<int>(std::max_element(residual.begin(), residual.end(), larger) -
                          residual.begin());
}

}  // namespace

Projection TreeSystem::project(State& state, Workspace& workspace) const {
  Projection result;
  if (mechanism_.rows.empty()) return result;
  TreeWorkspace& w = static_cast<TreeWorkspace&>(workspace);
  MotionWorkspace<double>& ws = w.motion;
  const double last_pivot = w.least_pivot(), before = energy_at(state, ws);
  set_friction_locks(mechanism_, ws);
  double *q = state.x.data(), *v = q + mechanism_.nq;
  const ProjectionResult done = project_state(mechanism_, state.t, q, v, ws);
  result.position_change = done.position_change;
  result.velocity_change = done.velocity_change;
  result.moved = done.moved;
  if (done.moved) result.energy_change = energy_at(state, ws) - before;
  if (!(done.position_violation < lost_constraint))
    result.problem = describe_gap(state, ws, done.position_violation);
  else
    watch_rows(std::min(last_pivot, done.least_pivot), state, w, result);
  if (mechanism_.contacts_rub) watch_sliding(state, w);
  return result;
}

// Integration that fails near a singular position fails because of it. Rows that are weak all the
// time (contacts of a bicycle) are no sign of one: they must have become so.
std::string TreeSystem::explain_failure(StateView at, Workspace& workspace) const {
  if (mechanism_.rows.empty()) return "";
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  if (mechanism_.contacts_rub) {
    State state{at.t, {at.x.begin(), at.x.end()}, {at.mode.begin(), at.mode.end()}};
    JumpNotes notes;
    if (std::string jam = contact_events(state, ws, notes).find_jam(); !jam.empty()) return jam;
  }
  kinematics_at(at, ws);
  const RankReport rank = calc_rank(mechanism_, ws);
  if (rank.weakest < 0 || rank.strength > near_singular) return "";
  kinematics_at(initial_, ws);
  if (rank.strength > weakened * calc_rank(mechanism_, ws).strength) return "";
  return fmt::format(
      "close to a singular position: the constraints lose rank at {} (the weakest of them has "
      "{:.2g} of its usual size), and there the motion is not unique",
      row_owner(model_, mechanism_.rows[rank.weakest]), rank.strength);
}

std::string TreeSystem::explain_singularity(StateView at, Workspace& workspace) const {
  if (mechanism_.rows.empty()) return "";
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  kinematics_at(at, ws);
  const RankReport rank = calc_rank(mechanism_, ws);
  if (rank.weakest >= 0 && rank.strength < at_singular)
    return fmt::format(
        "next to a singular position: the constraints nearly lose rank at {} (the weakest of them "
        "has {:.2g} of its usual size), so that accelerations and reactions mean nothing here",
        row_owner(model_, mechanism_.rows[rank.weakest]), rank.strength);
  int row = -1;
  const std::string singular =
      find_singularity(mechanism_, at.t, at.x.first(mechanism_.nq), rank, ws, row);
  return singular.empty() ? "" : singular + "; accelerations and reactions mean nothing here";
}

std::string TreeSystem::find_dependent_friction(StateView at, Workspace& workspace) const {
  if (mechanism_.rows.empty() || mechanism_.friction_modes == 0) return "";
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  kinematics_at(at, ws);
  std::vector<int> speeds, owners;
  for (std::size_t k = 0; k < mechanism_.forces.size(); ++k) {
    const auto* e = std::get_if<Friction<double>>(&mechanism_.forces[k]);
    if (!e || e->smooth) continue;
    const Link<double>& link = mechanism_.links[e->link];
    for (int j = link.v0; j < link.v0 + link.nv; ++j)
      speeds.push_back(j), owners.push_back(static_cast<int>(k));
  }
  const int dependent = find_dependent_speed(mechanism_, ws, speeds);
  return dependent < 0 ? "" : model_.forces[owners[dependent]].name;
}

AssemblyReport TreeSystem::assemble(State& state, const WrittenStart& written,
                                    Workspace& workspace) const {
  if (mechanism_.rows.empty()) return {};
  // from the written numbers themselves: what a formulation made of them may be a turn away
  for (std::size_t j = 0; j < written.size(); ++j) {
    if (mechanism_.link_of_joint[j] < 0) continue;
    const Link<double>& link = mechanism_.links[mechanism_.link_of_joint[j]];
    std::copy(written[j].q.begin(), written[j].q.end(), state.x.begin() + link.q0);
    std::copy(written[j].v.begin(), written[j].v.end(), state.x.begin() + mechanism_.nq + link.v0);
  }
  return assemble_in(state, written, static_cast<TreeWorkspace&>(workspace).motion);
}

ConstraintReport TreeSystem::report_constraints(StateView at, Workspace& workspace) const {
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  kinematics_at(at, ws);
  const RankReport rank = calc_rank(mechanism_, ws);
  ConstraintReport report;
  report.rows = mechanism_.contact_row0;
  report.rank = rank.rank;
  report.holonomic_rows = rank.holonomic_rows;
  report.holonomic_rank = rank.holonomic_rank;
  report.speeds = mechanism_.nv;
  for (int r = 0; r < report.rows; ++r) {
    report.owners.push_back(row_owner(model_, mechanism_.rows[r]));
    if (!rank.active[r]) report.redundant_rows.push_back(r);
  }
  return report;
}

void TreeSystem::constraint_violations(StateView at, std::vector<double>& positions,
                                       std::vector<double>& speeds, Workspace& workspace) const {
  MotionWorkspace<double>& ws = static_cast<TreeWorkspace&>(workspace).motion;
  kinematics_at(at, ws);
  if (!mechanism_.rows.empty()) fill_constraint_positions(mechanism_, ws);
  // those of contacts that are closed have no columns of their own
  positions.assign(ws.row_position.begin(), ws.row_position.begin() + mechanism_.contact_row0);
  speeds.assign(ws.row_speed.begin(), ws.row_speed.begin() + mechanism_.contact_row0);
}

// What is missing: the model's initial value, as the assembled start has it.
State TreeSystem::make_state(double t, const std::vector<std::optional<std::vector<double>>>& q,
                             const std::vector<std::optional<std::vector<double>>>& v) const {
  State state = initial_;
  state.t = t;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (mechanism_.link_of_joint[j] < 0) continue;
    const Link<double>& link = mechanism_.links[mechanism_.link_of_joint[j]];
    if (j < q.size() && q[j]) std::copy(q[j]->begin(), q[j]->end(), state.x.begin() + link.q0);
    if (j < v.size() && v[j])
      std::copy(v[j]->begin(), v[j]->end(), state.x.begin() + mechanism_.nq + link.v0);
  }
  // the turns that q tells, or else the file
  std::vector<std::vector<double>> likely(model_.joints.size());
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (j < q.size() && q[j])
      likely[j] = *q[j];
    else if (model_.joints[j].position_given)
      likely[j] = initial_position<double>(model_.joints[j], parameters_);
  }
  settle_turns(state, likely);
  settle_modes(state);
  return state;
}

// What the file says about the start.
WrittenStart TreeSystem::list_written() const {
  WrittenStart written(model_.joints.size());
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    if (joint.position_given) written[j].q = initial_position<double>(joint, parameters_);
    if (joint.velocity_given) written[j].v = initial_velocity<double>(joint, parameters_);
    written[j].rotation = joint.rotation.kind != RotationText::Kind::none;
    written[j].coordinates = joint.coordinates.given();
  }
  for (const ChosenSpeed& speed : model_.speeds) {
    written.chosen.emplace_back();
    if (speed.initial.given())
      written.chosen.back() = model::evaluate<double>(speed.initial, parameters_)[0];
  }
  return written;
}

bool TreeSystem::starts_with_chosen() const {
  return std::any_of(model_.speeds.begin(), model_.speeds.end(),
                     [](const ChosenSpeed& speed) { return speed.initial.given(); });
}

// The file's values, made consistent.
void TreeSystem::start() {
  State& state = initial_;
  if (formulation_.absolute) {
    state = formulation_.absolute->start;
    return;
  }
  state.x.assign(space_.size(), 0.0);
  state.mode.assign(mechanism_.turn0(), 1);
  std::fill(state.mode.begin() + mechanism_.friction_modes,
            state.mode.begin() + mechanism_.mode_count, 0);  // switches are free
  state.mode.resize(mechanism_.mode_size(), no_turn);
  std::vector<std::vector<double>> known(model_.joints.size());  // written for loop joints
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const int i = mechanism_.link_of_joint[j];
    const std::vector<double> q = initial_position<double>(joint, parameters_);
    const std::vector<double> v = initial_velocity<double>(joint, parameters_);
    if (i < 0) {
      if (joint.position_given) known[j] = q;
      continue;
    }
    const Link<double>& link = mechanism_.links[i];
    std::copy(q.begin(), q.end(), state.x.begin() + link.q0);
    std::copy(v.begin(), v.end(), state.x.begin() + mechanism_.nq + link.v0);
  }
  for (int k = 0; k < mechanism_.nz; ++k)
    state.x[mechanism_.nq + mechanism_.nv + k] =
        model::evaluate<double>(model_.variables[k].initial, parameters_)[0];
  // written angles of loop joints are followed with their whole turns
  const std::string too_large =
      set_turns(mechanism_, known, state.mode.data() + mechanism_.turn0());
  open_turns(mechanism_, state.mode.data() + mechanism_.turn0());
  if (!mechanism_.rows.empty() || starts_with_chosen()) {
    MotionWorkspace<double> ws = make_motion_workspace(mechanism_);
    assembly_ = assemble_in(state, list_written(), ws);
    if (assembly_.problem.empty()) assembly_.problem = too_large;
    if (!assembly_.problem.empty()) return;
  }
  settle_turns(state, known);
  if (!mechanism_.contacts.empty()) {
    MotionWorkspace<double> ws = make_motion_workspace(mechanism_);
    JumpNotes notes;
    assembly_.problem = contact_events(state, ws, notes).find_overlap();
    if (!assembly_.problem.empty()) return;
  }
  settle_modes(state);
  if (formulation_.compiler) formulation_.compiler->find_derivative(state, assembly_.problem);
}

AssemblyReport TreeSystem::assemble_in(State& state, const WrittenStart& written,
                                       MotionWorkspace<double>& ws) const {
  const std::span<double> q(state.x.data(), mechanism_.nq);
  const std::span<double> v(state.x.data() + mechanism_.nq, mechanism_.nv);
  std::copy(state.mode.begin(), state.mode.end(), ws.mode.begin());
  AssemblyReport report = mechanics::assemble(mechanism_, state.t, q, v, written, ws);
  if (!report.problem.empty()) return report;
  fill_kinematics<double>(mechanism_, state.t, q.data(), v.data(), ws);
  const RankReport rank = calc_rank(mechanism_, ws);
  int row = -1;
  report.problem = find_singularity(mechanism_, state.t, q, rank, ws, row);
  if (row >= 0) {
    report.joint =
        mechanism_.rows[row].loop >= 0 ? mechanism_.loops[mechanism_.rows[row].loop].joint : -1;
    report.constraint = mechanism_.rows[row].element;
  }
  std::copy(rank.active.begin(), rank.active.end(), state.mode.begin() + mechanism_.mode_count);
  return report;
}

// The turns that belong to positions: of loop joints those nearest to the likely ones (by joint;
// empty: within half a turn) that drives and couplers allow; torsion springs measure within half a
// turn.
void TreeSystem::settle_turns(State& state, const std::vector<std::vector<double>>& likely) const {
  if (mechanism_.turns.empty()) return;
  int* turns = state.mode.data() + mechanism_.turn0();
  std::fill_n(turns, mechanism_.turn_count(), no_turn);
  MotionWorkspace<double> ws = make_motion_workspace(mechanism_);
  kinematics_at(state, ws);
  find_turns(mechanism_, likely, ws, turns);
}

// The discrete state that belongs to positions and speeds: independent rows, friction.
void TreeSystem::settle_modes(State& state) const {
  if (state.mode.empty()) return;
  MotionWorkspace<double> ws = make_motion_workspace(mechanism_);
  if (!mechanism_.rows.empty()) {
    std::copy_n(state.mode.begin() + mechanism_.turn0(), mechanism_.turn_count(),
                ws.mode.begin() + mechanism_.turn0());
    fill_kinematics<double>(mechanism_, state.t, state.x.data(), state.x.data() + mechanism_.nq,
                            ws);
    const RankReport rank = calc_rank(mechanism_, ws);
    std::copy(rank.active.begin(), rank.active.end(), state.mode.begin() + mechanism_.mode_count);
  }
  set_variables(mechanism_, state.x.data() + mechanism_.nq + mechanism_.nv, ws);
  if (!mechanism_.contacts.empty()) {
    JumpNotes notes;
    contact_events(state, ws, notes).start();
  }
  if (mechanism_.friction_modes > 0)
    start_friction(mechanism_, friction_state(state), ws, formulation_.solve);
}

// When the active rows come close to being dependent, others may do better. If they do not, the
// choice stands until it has become ten times worse.
void TreeSystem::watch_rows(double pivot, State& state, TreeWorkspace& w,
                            Projection& result) const {
  if (pivot > good_pivot) w.choose_below = weak_pivot;
  if (!(pivot < w.choose_below)) return;
  w.choose_below = 0.1 * pivot;
  choose_rows_again(state, w.motion, result);
}

void TreeSystem::choose_rows_again(State& state, MotionWorkspace<double>& ws,
                                   Projection& result) const {
  RankReport rank;
  if (formulation_.absolute) {
    rank.active = formulation_.absolute->choose_rows(state);
    rank.rank = static_cast<int>(std::count(rank.active.begin(), rank.active.end(), 1));
  } else {
    kinematics_at(state, ws);
    rank = calc_rank(mechanism_, ws);
  }
  const std::span<int> active(state.mode.data() + mechanism_.mode_count, mechanism_.rows.size());
  const auto count = std::count(active.begin(), active.begin() + mechanism_.contact_row0, 1);
  if (rank.rank < count) {
    int lost = 0;
    for (int r = 0; r < mechanism_.row_count(); ++r)
      if (active[r] && !rank.active[r]) lost = r;
    result.problem = fmt::format(
        "{}: the constraints lose rank (from {} to {}): a singular position, from which the "
        "motion is not unique",
        row_owner(model_, mechanism_.rows[lost]), count, rank.rank);
    return;
  }
  // rows of contacts are chosen with their modes
  const auto own_end = active.begin() + mechanism_.contact_row0;
  if (rank.rank > count || std::equal(active.begin(), own_end, rank.active.begin())) return;
  std::copy_n(rank.active.begin(), mechanism_.contact_row0, active.begin());
  result.mode_changed = true;
}

// Why a constraint could not be brought back to zero.
std::string TreeSystem::describe_gap(const State& state, const MotionWorkspace<double>& ws,
                                     double gap) const {
  int row = find_worst(ws.row_position);
  for (int r = 0; r < mechanism_.row_count(); ++r)  // a drive without a value spoils all others
    if (mechanism_.rows[r].drive && !std::isfinite(ws.row_position[r])) row = r;
  const std::string owner = row_owner(model_, mechanism_.rows[row]);
  if (!std::isfinite(gap))
    return fmt::format("{} has no value here (it is not a finite number)", owner);
  if (!state.mode[mechanism_.mode_count + row])
    return fmt::format(
        "{} contradicts the other constraints: it depends on them, and a gap of {:.3g} remains",
        owner, gap);
  return fmt::format(
      "{} cannot be kept: a gap of {:.3g} remains after projection; use a smaller "
      "step, or look for a singular position",
      owner, gap);
}

}  // namespace cartan::mechanics
