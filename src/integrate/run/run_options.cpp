#include "integrate/run/run_options.h"

#include <algorithm>
#include <cmath>

#include "integrate/epsilon.h"
#include "integrate/run/printed.h"

namespace cartan::integrate {

namespace {

bool is_positive(double value) {
  return value > 0 && std::isfinite(value);
}

}  // namespace

std::string check_options(const SimulateOptions& o, const System& system, const State& start) {
  if (!find_integrator(o.integrator))
    return "there is no integrator '" + o.integrator + "'; known: " + integrator_names();
  if (o.fixed_step && find_integrator(o.integrator)->order == 0)
    return o.integrator +
           " chooses its order with its steps and takes no fixed ones; use rk45, "
           "rkmk45, dop853 or gl1 to gl8";
  if (std::string refusal = refuse_integrator(o.integrator, system); !refusal.empty())
    return refusal;
  if (!(o.duration >= 0 && std::isfinite(o.duration)))
    return format("duration is %g; expected a finite number that is not negative", o.duration);
  if (!is_positive(o.step)) return format("step is %g; expected a positive number", o.step);
  if (o.every < 1) return format("every is %d; expected at least 1", o.every);
  if (!(o.tolerance >= 0 && o.tolerance < 1))
    return format("tolerance is %g; expected a positive number below 1", o.tolerance);
  if (!(o.spectral_radius >= 0 && o.spectral_radius <= 1))
    return format("the spectral radius is %g; expected a number from 0 to 1", o.spectral_radius);
  if (static_cast<int>(start.x.size()) != system.space().size())
    return format("the state has %zu numbers, the system %d", start.x.size(),
                  system.space().size());
  for (std::size_t i = 0; i < start.x.size(); ++i)
    if (!std::isfinite(start.x[i]))
      return "the initial value of " + system.component_name(static_cast<int>(i)) +
             " is not finite";
  if (!std::isfinite(start.t)) return "the initial time is not finite";
  // Times this far from zero are told apart by double_epsilon |t|; steps must be longer than that.
  const double farthest = std::max(std::fabs(start.t), std::fabs(start.t + o.duration));
  const double shortest = 16 * double_epsilon * farthest;
  if (o.duration > 0 && std::min(o.step, o.duration) < shortest)
    return format(
        "the step is %g s, but at t = %g s times closer than %.2g s cannot be told apart; use a "
        "longer step, a shorter duration or a start nearer to t = 0",
        std::min(o.step, o.duration), farthest, shortest);
  return "";
}

IntegratorOptions integrator_options(const IntegratorInfo& info, const SimulateOptions& o) {
  return {.tolerance = o.tolerance > 0 ? o.tolerance : info.default_tolerance,
          .fixed_step = o.fixed_step,
          .max_step = o.max_step,
          .spectral_radius = o.spectral_radius,
          .normalise = o.normalise,
          .rms_norm = o.rms_norm,
          .functional_iteration = o.functional_iteration};
}

}  // namespace cartan::integrate
