// A steered motion once more, by the run loop with the inputs from the table: contacts close and
// open when they do, and not because the plan says so.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "integrate/simulate.h"
#include "results/design/steer.h"

namespace cartan::results {
namespace {

using Eigen::VectorXd;

class ReplayComparison {
 public:
  ReplayComparison(const SteerRecord& record, const System& system)
      : setup_(*record.setup),
        motion_(record.result.motion),
        system_(system),
        workspace_(system.make_workspace()),
        scale_(VectorXd::Ones(setup_.charts->size())) {}

  double difference = 0;
  std::string problem;

  void take(const State& state) {
    const int p = motion_.phase_at(state.t);
    if (!has_contacts_of(p, state)) {
      // next to a junction the run may be ahead or behind by its error
      const PhaseMotion& phase = motion_.phases[p];
      const double apart = std::min(state.t - phase.times.front(), phase.times.back() - state.t);
      if (apart > 1e-3 * motion_.duration() && problem.empty())
        problem = fmt::format("at t = {:.9g} other contacts are closed than in phase '{}'", state.t,
                              setup_.phases[p].name);
      return;
    }
    compare(motion_.phases[p], state);
  }

  // A jump is at the time of the junction that it is, as far as errors are small.
  void take_jump(double t) {
    double nearest = INFINITY;
    for (const PhaseMotion& phase : motion_.phases)
      for (const double junction : {phase.times.front(), phase.times.back()})
        nearest = std::min(nearest, std::fabs(t - junction));
    difference = std::max(difference, nearest / (1 + motion_.duration()));
  }

 private:
  bool has_contacts_of(int p, const State& state) {
    if (setup_.task.phases.empty()) return true;
    const auto* mechanism = dynamic_cast<const MechanicalSystem*>(&system_);
    const std::vector<ContactReport> reports = mechanism->report_contacts(state, *workspace_);
    const std::vector<int>& closed = setup_.phases[p].closed;
    for (std::size_t k = 0; k < reports.size(); ++k)
      if ((reports[k].mode != 0) !=
          (std::find(closed.begin(), closed.end(), static_cast<int>(k)) != closed.end()))
        return false;
    return true;
  }

  void compare(const PhaseMotion& phase, const State& state) {
    const int size = setup_.charts->size();
    phase.state_at(*setup_.charts, std::min(state.t, phase.times.back()), x_);
    const auto now = Eigen::Map<const VectorXd>(state.x.data(), size);
    const auto then = Eigen::Map<const VectorXd>(x_.data(), size);
    scale_ = scale_.cwiseMax(then.cwiseAbs() + VectorXd::Ones(size));
    VectorXd off = (now - then).cwiseAbs();
    for (const int first : setup_.charts->quaternions())  // u and -u are one rotation
      off.segment(first, 4) =
          off.segment(first, 4).cwiseMin((now + then).segment(first, 4).cwiseAbs());
    difference = std::max(difference, off.cwiseQuotient(scale_).maxCoeff());
  }

  const SteerSetup& setup_;
  const SteeringMotion& motion_;
  const System& system_;
  std::unique_ptr<Workspace> workspace_;
  VectorXd scale_;
  std::vector<double> x_;
};

}  // namespace

void replay_motion(const System& system, const State& begin, SteerRecord& record) {
  ReplayComparison comparison(record, system);
  Observer observer;
  observer.on_sample = [&](const State& state) { comparison.take(state); };
  observer.on_impact = [&](const Impact& impact) { comparison.take_jump(impact.t); };
  const double T = record.result.motion.duration();
  SimulateOptions options;
  options.integrator = "dop853";
  options.tolerance = 1e-12;
  options.duration = T;
  options.step = T / 200;
  options.max_step = T / 1000;  // its dense output is coarser than its steps
  const SimulateReport report = simulate(system, begin, options, observer);
  record.replay.problem = report.ok() ? comparison.problem : report.message;
  if (record.replay.problem.empty()) record.replay.difference = comparison.difference;
}

}  // namespace cartan::results
