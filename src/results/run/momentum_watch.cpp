#include "results/run/momentum_watch.h"

#include <algorithm>
#include <cmath>

namespace cartan::results {

void MomentumWatch::take(const Observation& sample) {
  const Vec3<double>&P = sample.linear_momentum, &L = sample.angular_momentum;
  const std::array<double, 6> now = {P.x, P.y, P.z, L.x, L.y, L.z};
  if (samples_++ == 0) first_ = now;
  for (int k = 0; k < 6; ++k) change_[k] = std::max(change_[k], std::fabs(now[k] - first_[k]));
  size_[0] = std::max(size_[0], norm(P));
  size_[1] = std::max(size_[1], norm(L));
}

std::array<bool, 6> MomentumWatch::conserved() const {
  constexpr double constant = 1e-9;
  std::array<bool, 6> result{};
  for (int k = 0; k < 6; ++k) result[k] = size_[k / 3] > 0 && change_[k] <= constant * size_[k / 3];
  return result;
}

std::string MomentumWatch::conserved_names() const {
  static const char* const names[] = {"Px", "Py", "Pz", "Lx", "Ly", "Lz"};
  std::string text;
  const std::array<bool, 6> kept = conserved();
  for (int k = 0; k < 6; ++k)
    if (kept[k]) text += (text.empty() ? "" : " ") + std::string(names[k]);
  return text;
}

std::optional<double> MomentumWatch::drift_of_conserved(const MomentumWatch& reference) const {
  std::optional<double> drift;
  const std::array<bool, 6> kept = reference.conserved();
  for (int k = 0; k < 6; ++k)
    if (kept[k]) drift = std::max(drift.value_or(0), change_[k]);
  return drift;
}

}  // namespace cartan::results
