#include "analysis/control/switches.h"

#include <algorithm>
#include <cmath>

namespace cartan::analysis {
namespace {

constexpr double not_held = std::numeric_limits<double>::quiet_NaN();

// The bound an input lies on at a point: -1, 1, or 0 for none.
int side_of(const ValueBounds& bounds, double u, double size) {
  const double margin = 0.02 * size;
  if (bounds.low > -1e300 && u <= bounds.low + margin) return -1;
  if (bounds.high < 1e300 && u >= bounds.high - margin) return 1;
  return 0;
}

// Points of one input with one side.
struct SideRun {
  int side = 0;
  double begin = 0, end = 0;  // times of its first and last point
  int points = 0;
};

std::vector<SideRun> side_runs(const SteeringPhase& problem, const PhaseMotion& motion, int input) {
  const ValueBounds& bounds = problem.input_bounds[input];
  double size = bounds.low > -1e300 && bounds.high < 1e300 ? bounds.high - bounds.low : 0;
  if (size == 0)
    for (const Eigen::MatrixXd& u : motion.input)
      size = std::max(size, u.row(input).cwiseAbs().maxCoeff());
  std::vector<SideRun> runs;
  for (std::size_t k = 0; k < motion.input.size(); ++k)
    for (int i = 0; i < motion.mesh.rule.points(); ++i) {
      const int index = static_cast<int>(k);
      const double begin = motion.interval_begin(index);
      const double t = begin + motion.mesh.rule.c[i] * (motion.interval_end(index) - begin);
      const int side = side_of(bounds, motion.input[k](input, i), size);
      if (runs.empty() || runs.back().side != side) runs.push_back({side, t, t, 0});
      runs.back().end = t;
      ++runs.back().points;
    }
  return runs;
}

// Short stays between bounds belong to the jump from one bound to the other.
std::vector<SideRun> without_passages(std::vector<SideRun> runs, int shortest) {
  for (std::size_t k = 0; k < runs.size();) {
    const bool first = k == 0, last = k + 1 == runs.size();
    if (runs[k].side != 0 || runs[k].points > shortest || (first && last)) {
      ++k;
      continue;
    }
    if (!first && !last && runs[k - 1].side == runs[k + 1].side) {
      runs[k - 1].end = runs[k + 1].end;
      runs[k - 1].points += runs[k + 1].points;
      runs.erase(runs.begin() + k, runs.begin() + k + 2);
    } else {
      if (first) runs[1].begin = runs[0].begin;
      if (last) runs[k - 1].end = runs[k].end;
      runs.erase(runs.begin() + k);
    }
  }
  return runs;
}

}  // namespace

InputArcs find_input_arcs(const SteeringPhase& problem, const PhaseMotion& motion) {
  const double begin = motion.times.front(), end = motion.times.back();
  std::vector<std::vector<SideRun>> all;
  std::vector<double> switches;
  for (int j = 0; j < problem.inputs; ++j) {
    all.push_back(without_passages(side_runs(problem, motion, j), motion.mesh.rule.points() - 1));
    const std::vector<SideRun>& runs = all.back();
    for (std::size_t k = 1; k < runs.size(); ++k)
      switches.push_back((runs[k - 1].end + runs[k].begin) / 2);
  }
  std::sort(switches.begin(), switches.end());
  InputArcs arcs;
  arcs.times = {begin};
  const double nearest = 2e-3 * (end - begin);
  for (const double t : switches)
    if (t - arcs.times.back() > nearest && end - t > nearest) arcs.times.push_back(t);
  arcs.times.push_back(end);
  for (std::size_t a = 0; a + 1 < arcs.times.size(); ++a) {
    const double middle = (arcs.times[a] + arcs.times[a + 1]) / 2;
    std::vector<double> held;
    for (int j = 0; j < problem.inputs; ++j) {
      const std::vector<SideRun>& runs = all[j];
      std::size_t r = 0;
      while (r + 1 < runs.size() && middle > (runs[r].end + runs[r + 1].begin) / 2) ++r;
      held.push_back(runs[r].side < 0   ? problem.input_bounds[j].low
                     : runs[r].side > 0 ? problem.input_bounds[j].high
                                        : not_held);
    }
    arcs.held.push_back(std::move(held));
  }
  return arcs;
}

}  // namespace cartan::analysis
