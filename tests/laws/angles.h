// The angles at which accuracy is demanded: a logarithmic grid from 1e-12, the neighbourhood of the
// quarter, half and (not quite) full turn on a logarithmic grid of distances, and both sides of
// every switch in src/lie/series.h, one unit in the last place apart and further away.
#pragma once

#include <cmath>
#include <vector>

#include "lie/series.h"

namespace cartan::test::laws {

inline std::vector<double> angles(double largest) {
  std::vector<double> list = {0};
  auto add = [&](double t) {
    if (t > 0 && t <= largest) list.push_back(t);
  };
  for (double e = -12; e <= 1; e += 0.02) add(std::pow(10.0, e));
  for (double t = 0.01; t < 6.28; t += 0.02) add(t);
  for (double turn : {pi / 2, pi, 1.5 * pi, 2 * pi})
    for (double e = -16; e < -1; e += 0.25) {
      add(turn - std::pow(10.0, e));
      add(turn + std::pow(10.0, e));
    }
  add(pi);
  // A coefficient is switched at x = t^2; sinc(t/2) inside (1 - cos t)/t^2 and a quaternion's
  // half angle at a quarter of it; arc_ratio at its argument, in log tan(t/2)^2 = arc_switch.
  const double switches[] = {std::sqrt(series::sinc_switch), 2 * std::sqrt(series::sinc_switch),
                             std::sqrt(series::coefficient_switch), std::sqrt(series::arc_switch),
                             2 * std::atan(std::sqrt(series::arc_switch))};
  for (double t : switches) {
    for (double below = t, above = t, i = 0; i < 10; ++i) {
      add(below), add(above);
      below = std::nextafter(below, 0), above = std::nextafter(above, 10);
    }
    for (double e = -14; e < -1; e += 0.5) add(t - std::pow(10.0, e)), add(t + std::pow(10.0, e));
  }
  return list;
}

}  // namespace cartan::test::laws
