// Orbits along a parameter: how they move with it, and where their stability changes.
//
// At each of these a test function of the multipliers (the one along the orbit left out) has a
// simple zero:
//   fold              prod (m_i - 1)
//   period doubling   prod (m_i + 1)
//   torus             prod_{i<j} (m_i m_j - 1)
#pragma once

#include <functional>
#include <memory>

#include "analysis/orbit.h"

namespace cartan {

enum class OrbitBifurcation { fold, period_doubling, torus };
const char* to_string(OrbitBifurcation kind);

// `neutral` multipliers next to 1 are left out: the one along the orbit of autonomous systems,
// those along families.
double orbit_test_function(OrbitBifurcation kind,
                           const std::vector<std::complex<double>>& multipliers, int neutral);

// A system at one value of the parameter, with what the orbit is found by. The functions refer to
// the system.
struct OrbitMember {
  std::unique_ptr<System> system;
  std::unique_ptr<StateFunction> section;
  std::vector<std::unique_ptr<StateFunction>> holds;
};

struct OrbitFamily {
  std::function<OrbitMember(double)> make;  // at a value of the parameter
  int parameter = 0;                        // in the order of the file: derivatives by it
  OrbitOptions options;                     // section, holds and parameters are set from the above
};

// The orbit at parameter p, from a guess.
Orbit find_member(const OrbitFamily& family, double p, const ShootingPoint& guess);

// d (y_0, y_1, .., period) / d p at an orbit found with the parameter among those of its problem,
// and the nodes and period moved along it by dp, to first order: a guess for a neighbour.
Eigen::VectorXd orbit_slope(const Orbit& orbit);
std::string predict_member(const System& system, const Orbit& orbit, double dp,
                           ShootingPoint& guess);

struct OrbitBifurcationPoint {
  std::string problem;  // why none was found
  OrbitBifurcation kind = OrbitBifurcation::fold;
  double parameter = 0;
  double width = 0;  // of the interval it lies in
  Orbit orbit;
};

// The zero of a test function between two parameters at which its signs differ. `at` is the orbit
// at p0. Secant steps kept inside the shrinking interval (Ridders' rule), orbits predicted by their
// exact slope.
OrbitBifurcationPoint locate_orbit_bifurcation(const OrbitFamily& family, OrbitBifurcation kind,
                                               double p0, double p1, const Orbit& at);

}  // namespace cartan
