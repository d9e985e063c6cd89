// Optimal control as a problem, a mesh and a motion: what steering_program.h makes equations of.
//
//   min  final(y(T), T) + integral of L(t, y, u)
//   with y' = F(t, y, u),  low <= P(t, y, u) <= high,  bounds on u,  conditions at both ends
//
// y: coordinates of the state around a base (state_charts.h). A motion is a row of phases, each
// with equations of its own (contacts that are closed in it); junctions say how one begins where
// another ends (an impact, nothing), and how a motion repeats. Time of a phase is divided into
// arcs, whose ends are unknowns (switches of the input, the end), and arcs into intervals at fixed
// parts of them. Constraints c(t, y) = 0 of the state (loops and closed contacts with their speeds,
// independent ones) are kept as what they are: the polynomial of an interval leaves them by its
// error and is brought back at its end,
//   y_next = y_end - (dc/dy)^T mu,   c(y_next) = 0.
#pragma once

#include <limits>
#include <vector>

#include "analysis/control/collocation_rule.h"
#include "analysis/control/smooth_map.h"
#include "analysis/control/state_charts.h"

namespace cartan::analysis {

struct ValueBounds {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool any() const { return low > -1e300 || high < 1e300; }
};

struct SteeringPhase {
  // Maps take a = (base, numbers). Those that may be missing are null.
  const SmoothMap* stage = nullptr;    // (y, u, t) -> (F, L, P)
  const SmoothMap* end = nullptr;      // (y, t) -> (conditions, final cost)
  const SmoothMap* start = nullptr;    // (y, t) -> conditions
  const SmoothMap* closure = nullptr;  // (y, t, mu) -> (c, (dc/dy)^T mu)
  const SmoothMap* chart = nullptr;    // (y) -> y around another base; a = (base, other base)
  const StateCharts* charts = nullptr;
  std::vector<double> numbers;

  int states = 0, inputs = 0, paths = 0, ends = 0, starts = 0, closures = 0;
  std::vector<ValueBounds> input_bounds, path_bounds;
  std::vector<double> start_state;  // embedded
  std::vector<char> start_fixed;    // per coordinate
  std::vector<int> start_closures;  // rows of c that are asked for at the start (others follow)
  std::vector<int> end_rows;        // conditions that are asked for (the others follow)
  std::vector<int> node_paths;      // of the paths those without inputs: they hold at nodes, too
  std::vector<int> open_at_end;     // of these: not at the last node
  // Paths that hold at the start and at the end of the phase, with the inputs' polynomials there.
  struct EdgePath {
    int path;
    bool at_start, at_end;
    bool between = true;  // and at the points
  };
  std::vector<EdgePath> edge_paths;
  std::vector<int> watched_paths;  // those that must hold between points, too: meshes see to it
  bool begins = true;              // at the time `begin`; otherwise where another phase ends
  double begin = 0;                // time
  ValueBounds duration;
  double duration_guess = 1;
};

// From the end of a phase to the start of the next one, or of a motion that repeats to its own.
struct SteeringJunction {
  int from = 0, to = 0;
  bool repeats = false;            // the time goes on, and does not begin again
  const SmoothMap* map = nullptr;  // (y, t, P) -> (y after, conditions); a = (base, base of the
                                   // start, numbers)
  std::vector<double> numbers;
  int impulses = 0;                 // P; the first conditions, as many, are their equations
  int closings = 0;                 // gaps that are zero: the next conditions
  std::vector<ValueBounds> others;  // of the conditions behind these
  std::vector<int> linked;          // coordinates of the start that are those after the junction
};

// Conditions on both ends of the whole motion.
struct SteeringSpan {
  const SmoothMap* map = nullptr;  // (y, t, y0, t0) -> what vanishes; a = (base, base of the start,
                                   // numbers)
  std::vector<double> numbers;
};

struct SteeringProblem {
  std::vector<SteeringPhase> phases;
  std::vector<SteeringJunction> junctions;
  std::vector<SteeringSpan> spans;
  ValueBounds duration;  // of the whole, beside those of the phases

  const StateCharts& charts() const { return *phases.front().charts; }
  double duration_guess() const;
};

struct SteeringMesh {
  struct Interval {
    int arc = 0;
    double begin = 0, end = 1;  // parts of the arc
    std::vector<double> held;   // inputs that are given: numbers, NaN where free
  };
  CollocationRule rule;
  std::vector<Interval> intervals;
  int arcs = 1;

  explicit SteeringMesh(CollocationRule r) : rule(std::move(r)) {}
  static SteeringMesh uniform(CollocationRule rule, int intervals);
};

// A phase with its inputs: polynomials on the intervals of a mesh.
struct PhaseMotion {
  SteeringMesh mesh;
  std::vector<double> times;              // of the ends of arcs, arcs + 1
  std::vector<std::vector<double>> base;  // per node
  std::vector<Eigen::VectorXd> node;      // y, intervals + 1
  std::vector<Eigen::MatrixXd> stage;     // per interval: y, states x points
  std::vector<Eigen::MatrixXd> input;     // per interval: inputs x points

  explicit PhaseMotion(SteeringMesh m) : mesh(std::move(m)) {}

  int intervals() const { return static_cast<int>(mesh.intervals.size()); }
  double interval_begin(int k) const { return time_in(k, mesh.intervals[k].begin); }
  double interval_end(int k) const { return time_in(k, mesh.intervals[k].end); }
  double duration() const { return times.back() - times.front(); }
  int interval_at(double t) const;
  // At the part s of interval k.
  Eigen::VectorXd coordinates(int k, double s) const;
  Eigen::VectorXd inputs_in(int k, double s) const;
  // At a time; where the input jumps, the values after it.
  void state_at(const StateCharts& charts, double t, std::vector<double>& x) const;
  Eigen::VectorXd inputs_at(double t) const;
  double part_at(int k, double t) const;

 private:
  double time_in(int k, double part) const {
    const int arc = mesh.intervals[k].arc;
    return times[arc] + part * (times[arc + 1] - times[arc]);
  }
};

struct SteeringMotion {
  std::vector<PhaseMotion> phases;
  std::vector<Eigen::VectorXd> impulses;  // per junction

  double begin() const { return phases.front().times.front(); }
  double end() const { return phases.back().times.back(); }
  double duration() const { return end() - begin(); }
  int intervals() const;
  // Between two phases the later one.
  int phase_at(double t) const;
};

}  // namespace cartan::analysis
