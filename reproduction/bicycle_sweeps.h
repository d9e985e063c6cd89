// Sweeps of the bicycle's eigenvalues and what several items read off them.
#pragma once

#include <string>
#include <vector>

#include "reproduction/workshop.h"

namespace cartan::reproduction {

// Options that start it upright and straight, with the speed v.
extern const std::vector<std::string> upright;
// On the geometry of table 7.1.
extern const char* const rounded_geometry;

struct Sweep {
  ResultTable table;  // the varied parameter first

  // Largest real part of the eigenvalues that are not neutral.
  std::vector<double> growth() const;
};

// linearize bicycle.toml MORE --sweep RANGE
Sweep sweep_bicycle(Workshop& shop, const std::string& range, const std::vector<std::string>& more);

// Where a curve passes zero, by straight lines.
std::vector<double> zeros(const std::vector<double>& x, const std::vector<double>& y);

Verdict near(double computed, double printed, double tolerance);

}  // namespace cartan::reproduction
