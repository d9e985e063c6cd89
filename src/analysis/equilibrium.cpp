#include "analysis/equilibrium.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "analysis/null_space.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr double newton_rank_tolerance = 1e-10;  // of Newton's matrix

struct Iterate {
  State state;
  Vector c, F;
  double size = INFINITY;  // |F|

  bool finite() const { return std::isfinite(size); }
};

Iterate evaluate(const SteadyProblem& problem, const State& state, const Vector& c,
                 const std::vector<Held>& held) {
  Iterate at{state, c, problem.residual(state, c, held), INFINITY};
  if (at.F.allFinite()) at.size = at.F.norm();
  return at;
}

// Least-squares steps of one matrix for any damping. K P = Q [R; 0] with pivoting, R as high as the
// rank, and R^T = Z [T^T; 0]: the shortest step is -P Z T^-1 Q^T F, a damped one P Z y with the
// least |T y + Q^T F|^2 + mu |y|^2. (The pivots tell the rank as singular values do, at a twentieth
// of the price.)
class Steps {
 public:
  Steps(const Matrix& K, const Vector& F) : outer_(K) {
    const auto pivots = outer_.matrixQR().diagonal().cwiseAbs();
    while (rank_ < pivots.size() && pivots[rank_] > newton_rank_tolerance * pivots[0]) ++rank_;
    if (rank_ == 0) return;
    const Matrix R = outer_.matrixQR().topRows(rank_).triangularView<Eigen::Upper>();
    inner_.compute(R.transpose());
    T_ = inner_.matrixQR().topRows(rank_).transpose().triangularView<Eigen::Lower>();
    Vector right = -F;
    right.applyOnTheLeft(outer_.householderQ().adjoint());
    right_ = right.head(rank_);
  }
  // The longest column: the largest singular value within the root of their number.
  double largest() const { return rank_ > 0 ? std::fabs(outer_.matrixQR()(0, 0)) : 0; }
  Vector step(double mu) const {
    Vector y = Vector::Zero(outer_.cols());
    if (rank_ == 0) return y;
    y.head(rank_) = mu > 0 ? damped(mu) : Vector(T_.triangularView<Eigen::Lower>().solve(right_));
    y.applyOnTheLeft(inner_.householderQ());
    return outer_.colsPermutation() * y;
  }

 private:
  Vector damped(double mu) const {
    Matrix rows = Matrix::Zero(2 * rank_, rank_);
    rows.topRows(rank_) = T_;
    rows.bottomRows(rank_).diagonal().setConstant(std::sqrt(mu));
    Vector right = Vector::Zero(2 * rank_);
    right.head(rank_) = right_;
    return Eigen::ColPivHouseholderQR<Matrix>(rows).solve(right);
  }

  Eigen::ColPivHouseholderQR<Matrix> outer_;
  Eigen::HouseholderQR<Matrix> inner_;
  Matrix T_;
  Vector right_;
  Eigen::Index rank_ = 0;
};

Iterate take(const SteadyProblem& problem, const Iterate& from, const Vector& d,
             const std::vector<Held>& held) {
  const int n = problem.tangent();
  return evaluate(problem, problem.moved(from.state, d.head(n)), from.c + d.tail(from.c.size()),
                  held);
}

double rate_scale(const SteadyProblem& problem, const State& state) {
  return std::max(1.0, problem.rate(state).cwiseAbs().maxCoeff());
}

// Damped steps until |F| is at rounding or no damping reduces it further.
Iterate iterate(const SteadyProblem& problem, Iterate at, const std::vector<Held>& held,
                const EquilibriumOptions& options, int& count) {
  double mu = 0;
  for (; count < options.iterations; ++count) {
    if (at.size == 0) return at;
    const Matrix K = problem.matrix(at.state, at.c, held);
    if (!K.allFinite()) return at;
    const Steps steps(K, at.F);
    const double unit = steps.largest() * steps.largest();
    if (unit == 0) return at;
    bool better = false;
    for (int attempt = 0; attempt < 25 && !better; ++attempt) {
      const Vector d = steps.step(mu);
      const Iterate next = take(problem, at, d, held);
      better = next.finite() && next.size < (1 - 1e-4) * at.size && d.norm() < 1e6;
      if (!better) {
        mu = std::max(10 * mu, 1e-8 * unit);
        continue;
      }
      mu = mu > 1e-7 * unit ? 0.1 * mu : 0;
      at = next;
    }
    if (!better) return at;
  }
  return at;
}

// The tangent numbers that fix what the equations leave open: one per null direction, those that
// it moves most, coordinates and speeds alike.
std::vector<int> choose_numbers(const SteadyProblem& problem, const State& state, const Vector& c,
                                const std::vector<Held>& held) {
  const Matrix K = problem.matrix(state, c, held);
  const Matrix null = null_space(K, 1e-9);
  // what moves nothing but by rounding (a symmetry that does nothing here) is not one of them
  const Matrix moves = column_space(null.topRows(problem.tangent()), 1e-7, 1.0);
  if (moves.cols() == 0) return {};
  const Eigen::ColPivHouseholderQR<Matrix> qr(moves.transpose());
  std::vector<int> numbers(moves.cols());
  for (Eigen::Index i = 0; i < moves.cols(); ++i)
    numbers[i] = static_cast<int>(qr.colsPermutation().indices()[i]);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string name_of(const System& system, int component) {
  for (const StateBlock& b : system.space().blocks()) {
    const int tangents = b.kind == StateBlock::Kind::vector       ? b.size
                         : b.kind == StateBlock::Kind::quaternion ? 3
                                                                  : 6;
    const int k = component - b.tangent;
    if (k < 0 || k >= tangents) continue;
    if (b.kind == StateBlock::Kind::vector) return system.component_name(b.x + k);
    const std::string first = system.component_name(b.x);
    const std::string joint = first.substr(0, first.rfind('.'));
    return fmt::format("{}.q (turn about {})", joint, "xyz"[k % 3]);
  }
  return "";
}

// Takes the speeds away, as far as the constraints allow; false where there are none.
bool stop(const SteadyProblem& problem, State& state) {
  const int positions = problem.system().kinematic_size();
  if (positions == 0) return false;
  const auto begin = state.x.begin() + positions, end = state.x.begin() + problem.size();
  if (std::all_of(begin, end, [](double speed) { return speed == 0; })) return false;
  std::fill(begin, end, 0.0);
  return !problem.system().constrained() ||
         problem.system().project(state, problem.workspace()).problem.empty();
}

std::string describe_failure(double residual, int iterations) {
  if (!std::isfinite(residual))
    return "the rates at the initial state are not finite numbers; start elsewhere";
  return fmt::format(
      "no steady state near the initial one: after {} steps the residual cannot be made smaller "
      "than {:.3g} (relative; below {:g} counts as steady). Start elsewhere, or hold fewer or "
      "other "
      "values",
      iterations, residual, steady_tolerance);
}

}  // namespace

std::vector<Held> hold_open_directions(const SteadyProblem& problem, const State& state,
                                       const Vector& c, const std::vector<Held>& held,
                                       const State& reference) {
  std::vector<Held> chosen;
  for (int component : choose_numbers(problem, state, c, held)) {
    Held initial;
    initial.name = name_of(problem.system(), component);
    initial.component = component;
    initial.reference = reference.x;
    chosen.push_back(std::move(initial));
  }
  return chosen;
}

State polish(const SteadyProblem& problem, const State& state, Vector& c) {
  // Generators that were passed over stay so: a body's own spin is not shared by the frame.
  Iterate at = evaluate(problem, state, c, {});
  const Eigen::Index n = problem.tangent();
  for (int i = 0; i < 4 && at.size > 1e-15 * rate_scale(problem, state); ++i) {
    Matrix K = problem.matrix(at.state, at.c, {});
    if (!K.allFinite()) break;
    for (Eigen::Index k = 0; k < c.size(); ++k)
      if (c[k] == 0) K.col(n + k).setZero();
    Eigen::CompleteOrthogonalDecomposition<Matrix> solver(K.rows(), K.cols());
    solver.setThreshold(newton_rank_tolerance);
    const Iterate next = take(problem, at, -solver.compute(K).solve(at.F), {});
    if (!(next.size < 0.5 * at.size)) break;
    at = next;
  }
  c = at.c;
  return at.state;
}

Equilibrium find_equilibrium(const SteadyProblem& problem, const State& start,
                             const EquilibriumOptions& options) {
  Equilibrium result;
  std::vector<Held> held = options.held;
  const auto steady = [&](const Iterate& i) {
    return i.finite() && i.size <= steady_tolerance * rate_scale(problem, i.state);
  };
  const auto solve = [&](const State& from) {
    return iterate(problem, evaluate(problem, from, problem.explain(from), held), held, options,
                   result.iterations);
  };
  Iterate at = solve(start);
  if (State rest = start; !steady(at) && stop(problem, rest)) {
    const int before = std::exchange(result.iterations, 0);
    const Iterate again = solve(rest);
    result.iterations += before;
    if (steady(again) || !at.finite()) at = again;
  }
  if (steady(at) && options.hold_initial) {
    const std::vector<Held> initial = hold_open_directions(problem, at.state, at.c, held, start);
    // True, with `at` there, when these can be held as well.
    const auto hold = [&](std::span<const Held> more) {
      std::vector<Held> all = held;
      all.insert(all.end(), more.begin(), more.end());
      int count = 0;
      const Iterate fixed =
          iterate(problem, evaluate(problem, at.state, at.c, all), all, options, count);
      result.iterations += count;
      if (!steady(fixed)) return false;
      at = fixed;
      held = all;
      return true;
    };
    if (!hold(initial))  // not all at once: one after the other
      for (const Held& number : initial)
        if (!hold({&number, 1})) result.contested.push_back(number.name);
  }
  for (const Held& h : held) result.held.push_back(h.name);
  result.holds = std::move(held);
  result.found = steady(at);
  result.state = at.state;
  result.c = problem.explain(at.state);
  result.residual = at.finite() ? at.size / rate_scale(problem, at.state) : INFINITY;
  if (!result.found) result.problem = describe_failure(result.residual, result.iterations);
  return result;
}

}  // namespace cartan::analysis
