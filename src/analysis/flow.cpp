#include "analysis/flow.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "analysis/tangents.h"
#include "core/failure_note.h"

namespace cartan {

using Eigen::MatrixXd;

std::string refuse_flow(const System& system) {
  for (const EventInfo& event : system.events())
    if (event.internal)
      return "dry friction that sticks makes the motion turn sharp corners, across which no "
             "derivatives are taken; give the friction 'smoothing'";
  if (system.constrained() && system.constraint_count() == 0)
    return "this formulation gives no derivatives of the conditions its states satisfy "
           "(rotation-elements: R^T R = 1); use --formulation recursive, moving-frame, "
           "absolute-se3, absolute-so3r3 or canonical";
  return "";
}

Flow::Flow(const System& system, int columns, std::vector<int> parameters, FlowOptions options)
    : system_(system),
      options_(std::move(options)),
      n_(embedded_numbers(system)),
      columns_(columns),
      parameters_(std::move(parameters)),
      variational_(system, columns, parameters_),
      workspace_(system.make_workspace()) {
  const IntegratorInfo* method = find_integrator(options_.integrator);
  assert(method);
  IntegratorOptions choice;
  choice.tolerance = options_.tolerance;
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
    const StepReport report = integrator_->step(augmented_, t - augmented_.t, t);
    if (report.status != StepStatus::ok) return describe(report);
    state_.t = augmented_.t;
    std::copy_n(augmented_.x.begin(), n_, state_.x.begin());
    if (std::string problem = project(); !problem.empty()) return problem;
    if (after_step && !after_step()) return "";
  }
  return "";
}

// Back to the constraints; the change is of the size of the error.
std::string Flow::project() {
  if (!system_.constrained()) return "";
  const Projection done = system_.project(state_, *workspace_);
  if (!done.problem.empty()) return fmt::format("at t = {:g}: {}", state_.t, done.problem);
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
    default:
      reason = "the stages of the method do not converge";
  }
  std::string more = take_failure_note();
  if (more.empty()) more = system_.explain_failure(state_, *workspace_);
  return fmt::format("at t = {:g}: {}{}{}", state_.t, reason, more.empty() ? "" : "; ", more);
}

}  // namespace cartan
