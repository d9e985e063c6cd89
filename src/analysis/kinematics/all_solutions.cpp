// All configurations: many starts, equal ones joined.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "analysis/kinematics/inverse_kinematics.h"

namespace cartan::analysis {
namespace {

using Eigen::VectorXd;

constexpr double same_configuration = 1e-6;
constexpr std::size_t most_solutions = 1000;
// Starts that reach a solution need a few dozen; the others would creep along a wall of a range.
constexpr int most_tries_per_start = 80;

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

// Where starts lie: of every number of the positions an interval. Angles go round, lengths as far
// as told from the start; a range of a coordinate is its interval, and a target that asks for the
// value of a coordinate is that value.
class StartSpread {
 public:
  StartSpread(const TargetProblem& problem, const State& start, double length)
      : problem_(problem), start_(start), count_(unknown_numbers(problem)) {
    const System& system = problem.system();
    for (int i = 0; i < count_; ++i) {
      const double turn = system.turn(i);
      low_.push_back(turn > 0 ? -0.5 * turn : start.x[i] - length);
      high_.push_back(turn > 0 ? 0.5 * turn : start.x[i] + length);
    }
    for (const ValueRange& range : problem.ranges()) keep_range(range);
    for (const StateEquations* target : problem.targets()) keep_target(*target);
  }

  State start(int index) const {
    const System& system = problem_.system();
    const std::vector<double> point = even_point(index, problem_.size());
    State state = start_;
    for (const StateBlock& block : system.space().blocks()) {
      if (block.x >= count_) break;
      int plain = block.x, number = block.tangent;
      if (block.kind != StateBlock::Kind::vector) {
        fill_rotation(&point[number], &state.x[plain]);
        plain += 4;
        number += 3;
      }
      for (int i = plain; i < std::min(block.x + block.size, count_); ++i, ++number)
        state.x[i] = low_[i] + (high_[i] - low_[i]) * point[number];
    }
    // angles that the state itself does not tell are those within half a turn
    for (int k = 0; k < system.turn_entries(); ++k)
      state.mode[state.mode.size() - 1 - k] = std::numeric_limits<int>::min();
    return state;
  }

 private:
  // The number of the positions that the row of derivatives (tangent numbers) is about alone, with
  // the same slope beside the start; -1: none.
  template <class Slopes>
  int coordinate_of(Slopes&& slopes, double& slope) const {
    VectorXd beside(problem_.size());
    for (int i = 0; i < beside.size(); ++i) beside(i) = 0.3 * std::sin(1 + 1.3 * i);
    const Eigen::RowVectorXd here = slopes(start_), there = slopes(problem_.moved(start_, beside));
    if (here != there || (here.array() != 0).count() != 1) return -1;
    int place = 0;
    slope = here.cwiseAbs().maxCoeff(&place);
    if (here(place) < 0) slope = -slope;
    for (const StateBlock& block : problem_.system().space().blocks())
      if (block.kind == StateBlock::Kind::vector && place >= block.tangent &&
          place < block.tangent + block.size && block.x + place - block.tangent < count_)
        return block.x + place - block.tangent;
    return -1;
  }

  void keep_range(const ValueRange& range) {
    double slope = 0;
    const FunctionTarget row(problem_.system(), range.function, range.name);
    const int i = coordinate_of([&](const State& at) { return row_of(row, at, 0); }, slope);
    if (i < 0 || slope != 1 || start_.x[i] != range.function->value(start_, problem_.workspace()))
      return;
    const bool from = std::isfinite(range.low), to = std::isfinite(range.high);
    const double width = high_[i] - low_[i];
    if (from) low_[i] = range.low;
    if (to) high_[i] = range.high;
    if (from && !to) high_[i] = std::max(high_[i], low_[i] + 0.5 * width);
    if (to && !from) low_[i] = std::min(low_[i], high_[i] - 0.5 * width);
  }

  void keep_target(const StateEquations& target) {
    VectorXd e(target.rows());
    target.values(start_, e, problem_.workspace());
    for (int k = 0; k < target.rows(); ++k) {
      double slope = 0;
      const int i = coordinate_of([&](const State& at) { return row_of(target, at, k); }, slope);
      if (i >= 0 && std::isfinite(e(k))) low_[i] = high_[i] = start_.x[i] - e(k) / slope;
    }
  }

  Eigen::RowVectorXd row_of(const StateEquations& equations, const State& at, int row) const {
    Eigen::MatrixXd J(equations.rows(), tangent_numbers(problem_.system()));
    equations.jacobian(at, J, problem_.workspace());
    return J.row(row).head(problem_.size());
  }

  const TargetProblem& problem_;
  const State& start_;
  const int count_;
  std::vector<double> low_, high_;
};

class SolutionSearch {
 public:
  SolutionSearch(const TargetProblem& problem, const State& start, const AllOptions& options)
      : problem_(problem),
        start_(start),
        options_(options),
        each_(options.each),
        spread_(problem, start, options.length) {
    each_.least_change = false;
    each_.judged = false;
    each_.iterations = std::min(each_.iterations, most_tries_per_start);
  }

  AllSolutions search() {
    while (all_.starts < options_.most_starts && all_.solutions.size() < most_solutions &&
           !each_.stopped()) {
      KinematicSolution solution = solve_targets(problem_, spread_.start(all_.starts++), each_);
      if (!solution.found) {
        ++all_.failures;
        if (all_.solutions.empty() && all_.starts >= options_.none_after) break;
        continue;
      }
      reduce_angles(problem_, solution.state, each_.tolerance);
      take(std::move(solution));
      if (is_continuum() || is_complete()) break;
    }
    const int reached = all_.starts - all_.failures;
    all_.unseen_share = reached > 0 ? std::min(1.0, 3.0 / reached) : 1;
    return sorted();
  }

 private:
  VectorXd values_at(const State& state) const {
    VectorXd values(static_cast<int>(options_.distinct.size()));
    for (int i = 0; i < values.size(); ++i)
      values(i) = options_.distinct[i]->value(state, problem_.workspace());
    return values;
  }

  bool is_known(const KinematicSolution& solution, const VectorXd& values, std::size_t k) const {
    if (values.size() == 0) return is_same(problem_, solution.state, all_.solutions[k].state);
    return ((values - values_[k]).array().abs() <=
            same_configuration * values.array().abs().max(1.0))
        .all();
  }

  void take(KinematicSolution solution) {
    const VectorXd values = values_at(solution.state);
    solution.change = problem_.change(start_, solution.state).norm();
    for (std::size_t k = 0; k < all_.solutions.size(); ++k)
      if (is_known(solution, values, k)) {
        ++all_.found[k];
        if (values.size() > 0 && solution.change < all_.solutions[k].change) {
          judge_solution(problem_, each_, solution);
          all_.solutions[k] = std::move(solution);
        }
        return;
      }
    judge_solution(problem_, each_, solution);
    values_.push_back(values);
    free_ += solution.freedom > 0;
    last_new_ = all_.starts;
    all_.solutions.push_back(std::move(solution));
    all_.found.push_back(1);
  }

  // Points of a curve or surface are not found twice; double solutions are.
  bool is_continuum() {
    if (free_ < 20 || free_ != static_cast<int>(all_.solutions.size()) ||
        *std::max_element(all_.found.begin(), all_.found.end()) > 1)
      return false;
    all_.continuum = all_.solutions.back().freedom;
    return true;
  }

  bool is_complete() {
    all_.complete = all_.starts >= options_.least_starts && 2 * last_new_ <= all_.starts &&
                    *std::min_element(all_.found.begin(), all_.found.end()) >= options_.hits;
    return all_.complete;
  }

  AllSolutions sorted() {
    std::vector<int> order(all_.solutions.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return all_.solutions[a].change < all_.solutions[b].change;
    });
    AllSolutions result = all_;
    for (std::size_t k = 0; k < order.size(); ++k) {
      result.solutions[k] = std::move(all_.solutions[order[k]]);
      result.found[k] = all_.found[order[k]];
    }
    return result;
  }

  const TargetProblem& problem_;
  const State& start_;
  const AllOptions& options_;
  KinematicOptions each_;
  const StartSpread spread_;
  AllSolutions all_;
  std::vector<VectorXd> values_;  // of options_.distinct, beside the solutions
  int last_new_ = 0, free_ = 0;
};

}  // namespace

AllSolutions find_all_solutions(const TargetProblem& problem, const State& start,
                                const AllOptions& options) {
  return SolutionSearch(problem, start, options).search();
}

}  // namespace cartan::analysis
