// What a run says about itself as a whole: energies, momenta, violations, over all recorded
// samples.
#pragma once

#include "mechanics/machine/mechanism_system.h"

namespace cartan::results {

struct MotionStatistics {
  long samples = 0;
  double initial_energy = 0, final_energy = 0;
  double max_drift = 0;  // of E - E0 - work
  double work = 0;       // of nonconservative forces and drives
  Vec3<double> initial_linear, initial_angular, final_linear, final_angular;  // momenta
  double max_position_violation = 0, max_velocity_violation = 0;
  double unit_norm_error = 0;
  // of T' + V' = nonconservative + constraint, where it was asked for; size: of its largest term
  double max_power_residual = 0, max_power = 0;

  void take(const Observation& sample);
  void take(const PowerBalance& power);
};

}  // namespace cartan::results
