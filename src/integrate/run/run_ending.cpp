// Why a run is over, in words.
#include <cmath>

#include "core/failure_note.h"
#include "integrate/run/printed.h"
#include "integrate/run/simulation_run.h"

namespace cartan::integrate {

// Always false: the run is over.
bool SimulationRun::end(RunStatus status, std::string message) {
  report_.status = status;
  report_.message = std::move(message);
  return false;
}

// Steps became shorter and shorter with errors within the tolerance: what changes fastest.
std::string SimulationRun::describe_growth() {
  const int n = system_.space().size() - system_.quadratures();
  std::vector<double> rates(state_.x.size());
  system_.derivative(state_, rates, integrator_->workspace());
  int fastest = 0;
  for (int i = 1; i < n; ++i)
    if (!(std::fabs(rates[i]) <= std::fabs(rates[fastest]))) fastest = i;
  return format(
      "error control asks for a step below the resolution of t: %s has the value %.3g and changes "
      "at the rate %.3g. The motion may be singular here, or grow without bound",
      n > 0 ? system_.component_name(fastest).c_str() : "the state", n > 0 ? state_.x[fastest] : 0,
      n > 0 ? rates[fastest] : 0);
}

bool SimulationRun::fail(const StepReport& step) {
  const std::string worst = step.component >= 0 ? system_.component_name(step.component) : "";
  const std::string where =
      format("%s at t = %.9g with step %.3g: ", info_.name, state_.t, step.taken);
  if (!step.problem.empty()) return end(RunStatus::no_convergence, where + step.problem);
  if (const std::string note = take_failure_note(); !note.empty())
    return end(RunStatus::not_finite, where + note);
  const std::string reason = system_.explain_failure(state_, integrator_->workspace());
  if (!reason.empty()) return end(RunStatus::constraints_lost, where + reason);
  switch (step.status) {
    case StepStatus::no_convergence:
      if (adaptive_)
        return end(RunStatus::no_convergence,
                   where +
                       "Newton's iteration did not converge, however short the step; f may not "
                       "be smooth here");
      return end(RunStatus::no_convergence,
                 where + format("the stages did not converge; after %d iterations %s still changes "
                                "by %.3g (tolerance %.3g). Use a smaller step",
                                step.iterations, worst.c_str(), step.measure, report_.tolerance));
    case StepStatus::step_too_small:
      if (step.component < 0) return end(RunStatus::step_too_small, where + describe_growth());
      return end(RunStatus::step_too_small,
                 where + format("error control asks for a step below the resolution of t; the "
                                "error of %s is %.3g times the tolerance %.3g. The motion may be "
                                "singular here",
                                worst.c_str(), step.measure, report_.tolerance));
    case StepStatus::tolerance_too_tight:
      return end(RunStatus::step_too_small,
                 where + format("the tolerance %.3g is below what rounding of the state allows; "
                                "use at least %.1g",
                                report_.tolerance, 2 * step.measure));
    default:
      return end(RunStatus::not_finite,
                 where + "the derivative or the new state is not a finite number");
  }
}

}  // namespace cartan::integrate
