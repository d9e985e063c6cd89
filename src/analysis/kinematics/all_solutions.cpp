// All configurations: many starts, equal ones joined.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "analysis/kinematics/inverse_kinematics.h"

namespace cartan::analysis {
namespace {

using Eigen::VectorXd;

constexpr double same_configuration = 1e-6;
constexpr std::size_t most_solutions = 1000;

// The numbers of a point in the unit cube by its index: multiples of powers of the positive root of
// g^(n+1) = g + 1, modulo one (a generalised golden ratio). They fill the cube evenly from the
// beginning on, and there is no seed.
std::vector<double> even_point(int index, int size) {
  double g = 2;
  for (int k = 0; k < 60; ++k) g = std::pow(1 + g, 1.0 / (size + 1));
  std::vector<double> point(size);
  double step = 1;
  for (double& number : point) {
    step /= g;
    number = std::fmod(0.5 + step * (index + 1), 1.0);
  }
  return point;
}

// A unit quaternion from three numbers, evenly over all rotations (Shoemake).
void fill_rotation(const double* u, double* quaternion) {
  const double a = std::sqrt(1 - u[0]), b = std::sqrt(u[0]), turn = 2 * std::numbers::pi;
  quaternion[0] = b * std::cos(turn * u[2]);
  quaternion[1] = a * std::sin(turn * u[1]);
  quaternion[2] = a * std::cos(turn * u[1]);
  quaternion[3] = b * std::sin(turn * u[2]);
}

int unknown_numbers(const TargetProblem& problem) {
  const System& system = problem.system();
  return system.kinematic_size() > 0 ? system.kinematic_size() : embedded_numbers(system);
}

// Angles for which a whole turn makes no difference, brought into (-pi, pi].
void reduce_angles(const TargetProblem& problem, State& state, double tolerance) {
  for (int i = 0; i < unknown_numbers(problem); ++i) {
    const double turn = problem.system().turn(i);
    if (!(turn > 0)) continue;
    double reduced = std::remainder(state.x[i], turn);
    if (reduced <= -0.5 * turn) reduced += turn;
    if (reduced == state.x[i]) continue;
    State shifted = state;
    shifted.x[i] = reduced;
    const VectorXd r = problem.residual(shifted, {});
    if (r.allFinite() && (r.size() == 0 || r.cwiseAbs().maxCoeff() <= 10 * tolerance))
      state = shifted;
  }
}

bool is_same(const TargetProblem& problem, const State& a, const State& b) {
  const System& system = problem.system();
  const int n = unknown_numbers(problem);
  for (const StateBlock& block : system.space().blocks()) {
    if (block.x >= n) break;
    int plain = block.x;
    if (block.kind != StateBlock::Kind::vector) {
      double along = 0;
      for (int i = 0; i < 4; ++i) along += a.x[block.x + i] * b.x[block.x + i];
      if (2 * std::sqrt(std::max(0.0, 2 - 2 * std::fabs(along))) > same_configuration) return false;
      plain += 4;
    }
    for (int i = plain; i < std::min(block.x + block.size, n); ++i) {
      double off = a.x[i] - b.x[i];
      // an angle at half a turn may stand on either side
      if (const double turn = system.turn(i); turn > 0 && std::fabs(a.x[i]) <= 0.5 * turn + 1e-9 &&
                                              std::fabs(b.x[i]) <= 0.5 * turn + 1e-9)
        off = std::remainder(off, turn);
      if (!(std::fabs(off) <= same_configuration * std::max(1.0, std::fabs(a.x[i])))) return false;
    }
  }
  return true;
}

}  // namespace

State spread_start(const TargetProblem& problem, const State& start, int index, double length) {
  const System& system = problem.system();
  const int n = unknown_numbers(problem);
  const std::vector<double> point = even_point(index, problem.size());
  State state = start;
  for (const StateBlock& block : system.space().blocks()) {
    if (block.x >= n) break;
    int plain = block.x, number = block.tangent;
    if (block.kind != StateBlock::Kind::vector) {
      fill_rotation(&point[number], &state.x[plain]);
      plain += 4;
      number += 3;
    }
    for (int i = plain; i < std::min(block.x + block.size, n); ++i, ++number) {
      const double turn = system.turn(i), side = 2 * point[number] - 1;
      state.x[i] = turn > 0 ? 0.5 * turn * side : start.x[i] + length * side;
    }
  }
  // angles that the state itself does not tell are those within half a turn
  for (int k = 0; k < system.turn_entries(); ++k)
    state.mode[state.mode.size() - 1 - k] = std::numeric_limits<int>::min();
  return state;
}

AllSolutions find_all_solutions(const TargetProblem& problem, const State& start,
                                const AllOptions& options) {
  AllSolutions all;
  KinematicOptions each = options.each;
  each.least_change = false;
  int last_new = 0, freest = 0;
  while (all.starts < options.most_starts && all.solutions.size() < most_solutions &&
         !each.stopped()) {
    const State from = spread_start(problem, start, all.starts++, options.length);
    KinematicSolution solution = solve_targets(problem, from, each);
    if (!solution.found) {
      ++all.failures;
      if (all.solutions.empty() && all.starts >= options.none_after) break;
      continue;
    }
    reduce_angles(problem, solution.state, each.tolerance);
    solution.change = problem.change(start, solution.state).norm();
    const auto known = std::find_if(all.solutions.begin(), all.solutions.end(),
                                    [&](const KinematicSolution& other) {
                                      return is_same(problem, solution.state, other.state);
                                    });
    if (known == all.solutions.end()) {
      freest += solution.freedom > 0;
      last_new = all.starts;
      all.solutions.push_back(std::move(solution));
      all.found.push_back(1);
    } else {
      ++all.found[known - all.solutions.begin()];
    }
    // points of a curve or surface are not found twice; double solutions are
    if (freest >= 20 && freest == static_cast<int>(all.solutions.size()) &&
        *std::max_element(all.found.begin(), all.found.end()) == 1) {
      all.continuum = all.solutions.back().freedom;
      break;
    }
    if (all.starts >= options.least_starts && 2 * last_new <= all.starts &&
        *std::min_element(all.found.begin(), all.found.end()) >= options.hits) {
      all.complete = true;
      break;
    }
  }
  std::vector<int> order(all.solutions.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return all.solutions[a].change < all.solutions[b].change; });
  AllSolutions sorted = all;
  for (std::size_t k = 0; k < order.size(); ++k) {
    sorted.solutions[k] = std::move(all.solutions[order[k]]);
    sorted.found[k] = all.found[order[k]];
  }
  return sorted;
}

}  // namespace cartan::analysis
