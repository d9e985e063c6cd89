// What the tests of orbits share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "analysis/orbit.h"
#include "mechanics/machine/state_expression.h"
#include "support/example.h"

namespace cartan::test {

inline std::unique_ptr<StateFunction> function_of(const Example& e, const std::string& text) {
  std::string problem;
  auto function = make_state_function(*e.system, *e.model, text, problem);
  EXPECT_TRUE(function) << problem;
  return function;
}

inline OrbitOptions orbit_options(double period, const StateFunction* section = nullptr,
                                  int shooting = 1) {
  OrbitOptions options;
  options.period = period;
  options.shooting = shooting;
  options.problem.section = section;
  return options;
}

inline Orbit orbit_of(const Example& e, const OrbitOptions& options) {
  Orbit orbit = find_orbit(*e.system, e.system->initial_state(), options);
  EXPECT_TRUE(orbit.found()) << orbit.problem;
  return orbit;
}

// The complete elliptic integral of the first kind, by the arithmetic-geometric mean.
inline double elliptic_K(double k) {
  double a = 1, b = std::sqrt((1 - k) * (1 + k));
  for (int i = 0; i < 60 && a != b; ++i) {
    const double mean = 0.5 * (a + b);
    b = std::sqrt(a * b);
    a = mean;
  }
  return std::acos(-1.0) / (2 * a);
}

}  // namespace cartan::test
