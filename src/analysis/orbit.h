// Periodic orbits by Newton's method on the shooting equations, with their Floquet multipliers.
#pragma once

#include <complex>
#include <functional>

#include "analysis/shooting.h"

namespace cartan::analysis {

struct OrbitOptions {
  double period = 0;  // a guess; of driven systems the period itself
  int shooting = 1;   // nodes
  ShootingProblem problem;
  FlowOptions flow;
  int most_steps = 25;
  std::function<void(int step, double residual)> on_step;
};

struct Orbit {
  std::string problem;  // why there is none: a sentence
  ShootingPoint point;
  std::vector<std::complex<double>> multipliers;  // by size, descending
  int neutral = 0;          // multipliers that are 1: along the orbit, along a family of orbits
  bool stable = false;      // none outside the unit circle
  bool attracting = false;  // all inside, but for the one along the orbit of autonomous systems
  int newton_steps = 0;
  double residual = 0;  // largest number of the equations at the end
  std::vector<std::pair<int, int>> turns;
  std::vector<std::pair<int, double>> shifts;  // up to a swap: what has gone on
  long evaluations = 0;
  ShootingEquations equations;  // at the orbit

  bool found() const { return problem.empty(); }
  const State& state() const { return point.nodes.front(); }
};

Orbit find_orbit(const System& system, const State& start, const OrbitOptions& options);
// From a guess of all nodes.
Orbit find_orbit(const System& system, const ShootingPoint& guess, const OrbitOptions& options);

// Where the state jumps next to the start of the orbit, the end of the flow is not smooth in the
// period: `start` goes on to the middle of the longest time without a jump. "" or why the motion
// cannot be followed. `moved`: whether it has gone on. Not with a section.
std::string leave_event(const System& system, const OrbitOptions& options, State& start,
                        bool& moved);

// Sorts out which multipliers are neutral, and the verdict.
void judge_stability(Orbit& orbit, bool driven);

}  // namespace cartan::analysis
