#include "analysis/flow.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "analysis/tangents.h"
#include "core/failure_note.h"

namespace cartan::analysis {

using Eigen::MatrixXd;

std::string refuse_flow(const System& system) {
  for (const EventInfo& event : system.events())
    if (event.internal && system.contact_count() == 0)
      return "dry friction that sticks makes the motion turn sharp corners, across which no "
             "derivatives are taken; give the friction 'smoothing'";
  if (system.constrained() && system.constraint_count() == 0)
    return "this formulation gives no derivatives of the conditions its states satisfy "
           "(rotation-elements: R^T R = 1); use the formulation recursive, moving-frame, "
           "absolute-se3, absolute-so3r3, canonical or generated";
  return "";
}

namespace {

// What is left of a sequence of impacts when it is cut short, as a part of the whole: derivatives
// are off by about as much, states by its square.
constexpr double near_limit = 1e-5, next_to_limit = 1e-7;

// Whether events change more than what is recorded.
bool may_jump(const System& system) {
  if (system.contact_count() > 0) return true;
  const State start = system.initial_state();
  const auto workspace = system.make_workspace();
  JumpSlope slope;
  for (int k = 0; k < static_cast<int>(system.events().size()); ++k)
    if (!system.jump_slope(k, start, start, {}, slope, *workspace).empty() ||
        !slope.by_x.isIdentity(0))
      return true;
  return false;
}

}  // namespace

Flow::Flow(const System& system, int columns, std::vector<int> parameters, FlowOptions options)
    : system_(system),
      options_(std::move(options)),
      n_(embedded_numbers(system)),
      columns_(columns),
      parameters_(std::move(parameters)),
      variational_(system, columns, parameters_),
      workspace_(system.make_workspace()),
      accumulation_(system.contact_count(), columns > 0 ? next_to_limit : near_limit) {
  if (may_jump(system)) events_ = std::make_unique<EventFinder>(variational_);
  const IntegratorInfo* method = find_integrator(options_.integrator);
  assert(method);
  IntegratorOptions choice;
  choice.tolerance = options_.tolerance;
  choice.knows_rounding = columns > 0;  // next to a standstill derivatives make much of it
  integrator_ = method->make(variational_, choice);
}

Flow::~Flow() = default;

long Flow::evaluations() const {
  return integrator_->counts().evaluations;
}

void Flow::start(const State& state, const MatrixXd& columns) {
  state_ = state;
  augmented_.t = state.t;
  augmented_.mode = state.mode;
  augmented_.x.assign(variational_.space().size(), 0.0);
  std::copy_n(state.x.begin(), n_, augmented_.x.begin());
  set_columns(columns);
  integrator_->restart();
  soon_ = 0;
  jumps_ = 0;
  accumulation_ =
      AccumulationWatch(system_.contact_count(), columns_ > 0 ? next_to_limit : near_limit);
  if (events_) events_->restart(augmented_, {}, integrator_->workspace());
}

void Flow::set_columns(const MatrixXd& columns) {
  assert(columns.cols() == columns_);
  Eigen::Map<MatrixXd>(augmented_.x.data() + n_, n_, columns_) =
      tangent_map(system_, state_.x) * columns;
  integrator_->moved();
}

MatrixXd Flow::columns() {
  const Eigen::Map<const MatrixXd> S(augmented_.x.data() + n_, n_, columns_);
  const StateSpace& space = system_.space();
  const int m = tangent_numbers(system_);
  MatrixXd result(m, columns_);
  std::vector<double> rate(space.size(), 0.0), xi(space.tangent_size());
  for (int j = 0; j < columns_; ++j) {
    std::copy_n(S.col(j).data(), n_, rate.begin());
    space.to_tangent(state_.x, rate, xi);
    result.col(j) = Eigen::Map<const Eigen::VectorXd>(xi.data(), m);
  }
  keep_allowed(system_, state_, parameters_, result, *workspace_);
  return result;
}

std::string Flow::advance(double t, const std::function<bool()>& after_step) {
  for (long step = 0; augmented_.t < t; ++step) {
    if (step == options_.most_steps)
      return fmt::format("{} steps do not suffice; at t = {:g} the steps have length {:.2g}",
                         options_.most_steps, augmented_.t, integrator_->last_length());
    if (options_.stop_requested && *options_.stop_requested) return "interrupted";
    clear_failure_note();
    double h = t - augmented_.t, t_end = t;
    if (soon_ > 0 && soon_ < h) h = soon_, t_end = augmented_.t + h;
    soon_ = 0;
    const StepReport report = integrator_->step(augmented_, h, t_end);
    if (report.status != StepStatus::ok) return describe(report);
    bool jumped = false;
    if (events_)
      if (std::string problem = take_events(jumped); !problem.empty()) return problem;
    if (jumped) {
      if (after_step && !after_step()) return "";
      continue;
    }
    state_.t = augmented_.t;
    state_.mode = augmented_.mode;
    std::copy_n(augmented_.x.begin(), n_, state_.x.begin());
    if (std::string problem = project(); !problem.empty()) return problem;
    if (after_step && !after_step()) return "";
  }
  return "";
}

// The first event in the last step that changes the state; the motion goes on from there.
std::string Flow::take_events(bool& jumped) {
  constexpr long most_jumps = 100000;
  const std::span<const Crossing> found = events_->find(*integrator_, augmented_);
  const std::vector<Crossing> crossings(found.begin(), found.end());
  Workspace& workspace = integrator_->workspace();
  for (const Crossing& c : crossings) {
    State at = augmented_;
    if (c.length < integrator_->last_length()) {
      at.t = integrator_->last_start() + c.length;
      const bool made = c.length <= 0
                            ? integrator_->dense(0, at.x)
                            : integrator_->restep(c.length, at.x).status == StepStatus::ok;
      if (!made) return fmt::format("the motion has no value at the event at t = {:g}", at.t);
    }
    if (std::string problem = keep_constraints(at); !problem.empty()) return problem;
    workspace.jumps.clear();
    if (!variational_.handle_event(c.index, at, workspace)) continue;
    const JumpNotes notes = workspace.jumps;
    workspace.jumps.clear();
    if (!notes.problem.empty()) return fmt::format("at t = {:g}: {}", at.t, notes.problem);
    if (++jumps_ > most_jumps) return fmt::format("more than {} jumps", most_jumps);
    accumulation_.add(at.t, notes.impacts);
    soon_ = 0.7 * notes.soon;
    if (std::string problem = close_accumulated(at); !problem.empty()) return problem;
    if (std::string problem = keep_constraints(at); !problem.empty()) return problem;
    augmented_ = std::move(at);
    state_.t = augmented_.t;
    state_.mode = augmented_.mode;
    std::copy_n(augmented_.x.begin(), n_, state_.x.begin());
    integrator_->restart();
    events_->restart(augmented_, {&c, 1}, workspace);
    jumped = true;
    return "";
  }
  return "";
}

// Impacts that come ever faster: their contacts close.
std::string Flow::close_accumulated(State& at) {
  double limit = 0;
  const std::span<const int> found = accumulation_.find_limit(at.t, limit);
  if (found.empty()) return "";
  const std::vector<int> contacts(found.begin(), found.end());
  Workspace& workspace = integrator_->workspace();
  variational_.close_contacts(contacts, at, workspace);
  accumulation_.forget(contacts);
  const std::string problem = workspace.jumps.problem;
  soon_ = 0.7 * workspace.jumps.soon;
  workspace.jumps.clear();
  return problem.empty() ? "" : fmt::format("at t = {:g}: {}", at.t, problem);
}

// Positions and speeds of a state with columns back to the constraints.
std::string Flow::keep_constraints(State& augmented) {
  if (!system_.constrained()) return "";
  State inner = variational_.outside(augmented);
  const Projection done = system_.project(inner, *workspace_);
  workspace_->jumps.clear();
  std::copy_n(inner.x.begin(), n_, augmented.x.begin());
  augmented.mode = inner.mode;
  return done.problem.empty() ? "" : fmt::format("at t = {:g}: {}", augmented.t, done.problem);
}

// Back to the constraints; the change is of the size of the error.
std::string Flow::project() {
  if (!system_.constrained()) return "";
  const Projection done = system_.project(state_, *workspace_);
  if (!done.problem.empty()) return fmt::format("at t = {:g}: {}", state_.t, done.problem);
  if (workspace_->jumps.soon > 0) soon_ = 0.7 * workspace_->jumps.soon;  // sliding ends
  workspace_->jumps.clear();
  if (done.moved) {
    std::copy_n(state_.x.begin(), n_, augmented_.x.begin());
    integrator_->moved();
  }
  if (done.mode_changed) {
    augmented_.mode = state_.mode;
    integrator_->restart();
  }
  return "";
}

bool Flow::dense(double theta, State& inside) {
  inside_.resize(variational_.space().size());
  if (!integrator_->dense(theta, inside_)) return false;
  inside = state_;
  inside.t = integrator_->last_start() + theta * integrator_->last_length();
  std::copy_n(inside_.begin(), n_, inside.x.begin());
  return true;
}

bool Flow::restep(double h, State& inside) {
  inside_.resize(variational_.space().size());
  if (integrator_->restep(h, inside_).status != StepStatus::ok) return false;
  inside = state_;
  inside.t = integrator_->last_start() + h;
  std::copy_n(inside_.begin(), n_, inside.x.begin());
  return true;
}

std::string Flow::describe(const StepReport& report) const {
  std::string reason;
  switch (report.status) {
    case StepStatus::not_finite:
      reason = "the motion grows without bound or its rate has no value";
      break;
    case StepStatus::step_too_small:
      reason = "error control asks for steps below the resolution of time";
      break;
    case StepStatus::tolerance_too_tight:
      reason = fmt::format("the tolerance is below rounding; use at least {:.1g}", report.measure);
      break;
    case StepStatus::turned_too_far:
      return fmt::format("at t = {:g}: {}", state_.t, report.problem);
    default:
      reason = "the stages of the method do not converge";
  }
  std::string more = take_failure_note();
  if (more.empty()) more = system_.explain_failure(state_, *workspace_);
  return fmt::format("at t = {:g}: {}{}{}", state_.t, reason, more.empty() ? "" : "; ", more);
}

}  // namespace cartan::analysis
