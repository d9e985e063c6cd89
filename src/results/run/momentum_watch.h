// Which momenta of a mechanism a motion conserves, and how far another motion lets them drift.
//
// Linear momentum P and angular momentum L about the world origin have six components in the
// world's axes. Symmetry conserves some: L about the vertical through a pivot at the origin, P of a
// mechanism that floats, none of a four-bar. An accurate motion tells which.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "mechanics/machine/mechanism_system.h"

namespace cartan::results {

class MomentumWatch {
 public:
  void take(const Observation& sample);

  // Components that stay constant to 1e-9 of the largest |P| or |L| seen, of a momentum that is not
  // zero throughout.
  std::array<bool, 6> conserved() const;
  std::string conserved_names() const;  // "Px Lz"
  // Largest change of the components that `reference` conserves; nothing when there are none.
  std::optional<double> drift_of_conserved(const MomentumWatch& reference) const;

 private:
  long samples_ = 0;
  std::array<double, 6> first_{}, change_{};  // P, L
  double size_[2] = {0, 0};
};

}  // namespace cartan::results
