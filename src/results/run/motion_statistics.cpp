#include "results/run/motion_statistics.h"

#include <algorithm>
#include <cmath>

namespace cartan::results {

void MotionStatistics::take(const Observation& sample) {
  final_energy = sample.kinetic + sample.potential;
  final_linear = sample.linear_momentum;
  final_angular = sample.angular_momentum;
  work = sample.work;
  if (samples++ == 0) {
    initial_energy = final_energy;
    initial_linear = final_linear;
    initial_angular = final_angular;
  }
  max_drift = std::max(max_drift, std::fabs(final_energy - initial_energy - work));
  max_position_violation = std::max(max_position_violation, sample.position_violation);
  max_velocity_violation = std::max(max_velocity_violation, sample.velocity_violation);
  unit_norm_error = std::max(unit_norm_error, sample.unit_norm_error);
}

void MotionStatistics::take(const PowerBalance& p) {
  max_power_residual = std::max(max_power_residual, std::fabs(p.residual()));
  for (double term : {p.kinetic_rate, p.potential_rate, p.nonconservative, p.constraint})
    max_power = std::max(max_power, std::fabs(term));
}

}  // namespace cartan::results
