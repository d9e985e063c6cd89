// Source 003: four releases of the arm (synthetic), and what is read off them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reproduction/workshop.h"

namespace cartan::reproduction {

inline constexpr double arm_mass = 4.6811, arm_radius = 0.12675638, arm_gravity = 9.81;
inline constexpr double arm_truth = 0.001592442688858;  // C10 behind the synthetic data
inline constexpr int releases = 4;

struct Measured {
  std::vector<double> t, angle;
};

double released_at(int number);  // from 1; rad
// The first two are files of examples/identification, the others are made like these.
Measured read_measured(Workshop& shop, int number);
double arm_energy_at(double angle);

// Half swings: mean rate, angle passed, energy lost.
struct Swing {
  double rate = 0, angle = 0, loss = 0;
};
std::vector<Swing> swings(Workshop& shop);

// Constants from the energy lost in half swings, by linear least squares: loss = C |turn|
// rate^power.
double single_constant(const std::vector<Swing>& list, double power);
// C3 and C4 of loss = (C3 rate^2 + C4) |turn|.
std::pair<double, double> two_constants(const std::vector<Swing>& list);

// `fit` over all releases: of angles and times, or of the energy lost from one turning point to the
// next.
Json fit_arm(Workshop& shop, const std::string& free, bool losses = false);

}  // namespace cartan::reproduction
