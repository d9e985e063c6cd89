#include "analysis/kinematics/inverse_kinematics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/null_space.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rank_share = 1e-8;    // of the largest singular value
constexpr double newton_below = 1e-3;  // |r| from which on undamped steps are tried

double largest(const VectorXd& r) {
  return r.size() == 0 ? 0 : r.allFinite() ? r.cwiseAbs().maxCoeff() : INFINITY;
}

VectorXd least_norm_step(const MatrixXd& J, const VectorXd& r) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod(J.rows(), J.cols());
  cod.setThreshold(rank_share);
  cod.compute(J);
  return cod.solve(-r);
}

// By the normal equations: digits that a bad condition costs are a step that is a little off, which
// the next one corrects; the last steps are least_norm_step's.
VectorXd damped_step(const MatrixXd& J, const VectorXd& r, double mu) {
  MatrixXd A = J.transpose() * J;
  A.diagonal().array() += mu;
  return A.ldlt().solve(-J.transpose() * r);
}

int rank_of(const MatrixXd& J) {
  if (J.size() == 0) return 0;
  const Eigen::JacobiSVD<MatrixXd> svd(J);
  const VectorXd& s = svd.singularValues();
  return static_cast<int>((s.array() > std::max(rank_share * s(0), 1e-14)).count());
}

class TargetSolver {
 public:
  TargetSolver(const TargetProblem& problem, const State& start, const KinematicOptions& options)
      : problem_(problem), start_(start), options_(options) {
    held_.assign(problem.ranges().size(), 0);
  }

  KinematicSolution solve() {
    solution_.state = start_;
    reach(solution_.state, options_.iterations);
    if (met() && options_.least_change) slide();
    held_.assign(held_.size(), 0);
    look(solution_.state);
    solution_.residual = largest(r_);
    solution_.found = met();
    solution_.change = distance(solution_.state);
    if (options_.judged) judge_solution(problem_, options_, solution_);
    return std::move(solution_);
  }

 private:
  double limit() const { return options_.tolerance; }
  bool met() const { return largest(r_) <= limit(); }

  void look(const State& state) {
    r_ = problem_.residual(state, held_);
    cost_ = r_.allFinite() ? r_.squaredNorm() : INFINITY;
  }

  // To a zero of the residual, or to where it is least near the state.
  void reach(State& state, int most) {
    look(state);
    double mu = -1, grow = 2;
    int idle = 0;
    for (int k = 0; k < most && std::isfinite(cost_); ++k, ++solution_.iterations) {
      if (largest(r_) == 0 || options_.stopped()) return;
      const MatrixXd J = problem_.matrix(state, held_);
      if (!J.allFinite()) return;
      if (mu < 0) mu = 1e-3 * std::max(J.cwiseAbs2().colwise().sum().maxCoeff(), 1e-30);
      if (largest(r_) < newton_below && accept(state, least_norm_step(J, r_), 0.25)) {
        idle = 0;
        continue;
      }
      if (met()) return;  // rounding allows no more
      const VectorXd step = damped_step(J, r_, mu), r = r_;
      const double before = cost_, predicted = before - (J * step + r).squaredNorm();
      if (accept(state, step, 1)) {
        const double gain = predicted > 0 ? (before - cost_) / predicted : 0;
        mu *= std::max(1.0 / 3, 1 - std::pow(2 * gain - 1, 3));
        grow = 2;
        idle = before - cost_ > 1e-6 * before ? 0 : idle + 1;
        if (idle > 8) return;
      } else {
        mu = std::max(mu, 1e-300) * grow;
        grow *= 2;
        if (step.norm() < 1e-14 * (1 + step.size())) return;
      }
    }
  }

  // The step is taken when the cost falls below `share` of what it was.
  bool accept(State& state, const VectorXd& step, double share) {
    if (!step.allFinite() || step.norm() > 1e3) return false;
    const State next = problem_.moved(state, step);
    const VectorXd r = problem_.residual(next, held_);
    if (!r.allFinite() || !(r.squaredNorm() < share * cost_)) return false;
    state = next;
    r_ = r;
    cost_ = r.squaredNorm();
    return true;
  }

  double distance(const State& state) const { return problem_.change(start_, state).norm(); }

  // Ends of ranges that the solution rests against and that the way back to the start would leave.
  void choose_held(const State& state, const VectorXd& wish) {
    for (std::size_t k = 0; k < held_.size(); ++k) {
      held_[k] = 0;
      const int side = problem_.range_side(static_cast<int>(k), state);
      if (side == 0) continue;
      held_[k] = side;
      const MatrixXd J = problem_.matrix(state, held_);
      if (J.row(problem_.range_row(static_cast<int>(k))).dot(wish) * side < 0) held_[k] = 0;
    }
  }

  // Along what is left free towards the start: the part of the way back that keeps the equations,
  // put back onto them after every step, halved until it comes nearer.
  void slide() {
    double part = 1;
    for (int k = 0; k < 10 * options_.iterations; ++k, ++solution_.iterations) {
      if (options_.stopped()) return;
      const State here = solution_.state;
      const VectorXd back = problem_.change(here, start_);
      choose_held(here, back);
      const MatrixXd T = null_space(problem_.matrix(here, held_), rank_share);
      const VectorXd step = T * (T.transpose() * back);
      if (step.norm() <= 1e-11 * (1 + back.norm())) return;
      const double before = back.norm();
      bool nearer = false;
      for (int halved = 0; halved < 30 && !nearer; ++halved, part /= 2) {
        State next = problem_.moved(here, part * step);
        reach(next, 20);
        nearer = met() && before - distance(next) > 1e-3 * part * step.squaredNorm() / before;
        if (nearer) solution_.state = next;
      }
      if (!nearer) {
        look(solution_.state);
        return;
      }
      part = std::min(1.0, 4 * part);
    }
  }

  const TargetProblem& problem_;
  const State& start_;
  const KinematicOptions& options_;
  KinematicSolution solution_;
  std::vector<int> held_;
  VectorXd r_;
  double cost_ = 0;
};

}  // namespace

void judge_solution(const TargetProblem& problem, const KinematicOptions& options,
                    KinematicSolution& solution) {
  const VectorXd r = problem.residual(solution.state, {});
  const MatrixXd J = problem.matrix(solution.state, {});
  solution.rank = J.allFinite() ? rank_of(J) : 0;
  VectorXd beside(problem.size());
  for (int i = 0; i < beside.size(); ++i) beside(i) = 0.1 * std::sin(1 + 1.7 * i);
  const MatrixXd K = problem.matrix(problem.moved(solution.state, beside), {});
  solution.generic = K.allFinite() ? std::max(rank_of(K), solution.rank) : solution.rank;
  solution.freedom = problem.size() - solution.rank;
  int row = 0;
  for (const StateEquations* target : problem.targets()) {
    const double gap = largest(r.segment(row, target->rows()));
    if (gap > options.tolerance)
      solution.missed.push_back(fmt::format("{} (off by {:.6g})", target->name(), gap));
    row += target->rows();
  }
  for (std::size_t k = 0; k < problem.ranges().size(); ++k)
    if (problem.range_side(static_cast<int>(k), solution.state) != 0)
      solution.at_limit.push_back(problem.ranges()[k].name);
}

KinematicSolution solve_targets(const TargetProblem& problem, const State& start,
                                const KinematicOptions& options) {
  return TargetSolver(problem, start, options).solve();
}

}  // namespace cartan::analysis
