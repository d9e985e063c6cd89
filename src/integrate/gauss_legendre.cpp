#include "integrate/gauss_legendre.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/epsilon.h"
#include "integrate/iteration_watch.h"
#include "integrate/stage_history.h"
#include "integrate/stage_matrix.h"
#include "integrate/stage_newton.h"
#include "integrate/tableau.h"

namespace cartan::integrate {
namespace {

using Verdict = IterationWatch::Verdict;
using ConstArray = Eigen::Map<const Eigen::ArrayXd>;

constexpr double stagnation_band = IterationWatch::stagnation_band;

// How an iteration ended.
enum class IterationOutcome { converged, slow, diverged };

class GaussLegendre final : public Integrator {
 public:
  GaussLegendre(const System& system, int stages, const IntegratorOptions& options);
  void restart() override;
  void moved() override { std::fill(low_.begin(), low_.end(), 0.0); }
  StepReport take_step(State& state, double h, double t_end) override;
  bool dense(double theta, std::span<double> x) override;
  StepReport restep(double h, std::span<double> x) override;

 private:
  // The stages of a step of length h from (t0_, x0_ + low0_), slopes in K (a guess on entry).
  StepReport solve_stages(double h, std::span<double> K);
  IterationOutcome iterate_fixed_point(double h, std::span<double> K, StepReport& report);
  StepReport iterate_functionally(double h, std::span<double> K);
  IterationOutcome iterate_newton(double h, std::span<double> K, StepReport& report);
  IterationOutcome iterate_each_stage(double h, std::span<double> K, StepReport& report);
  bool guess_constant(std::span<double> K);
  void evaluate_stages();
  StateView middle_stage() const {
    const int i = (s_ - 1) / 2;
    return {times_[i], std::span<const double>(Z_).subspan(static_cast<std::size_t>(i) * n_, n_),
            mode_};
  }
  void fill_sum(const double* weights, std::span<const double> K, int first, int count);
  // Z = x0 + h A K for the numbers [first, last) of x; returns the largest relative change.
  double fill_points(double h, std::span<const double> K, int first, int last);
  void fill_block(double h, std::span<const double> K, int first, int last);
  int worst_component() const;
  double relax_positions(double h, std::span<double> K);
  void finish_positions(double h, std::span<double> K);
  bool accepted(Verdict verdict);
  bool is_slow(double rate, double change) const;
  void refresh_jacobian(StateView at);
  void refresh_factors(double h);
  double correct_slopes(std::span<double> K);
  double follow_positions(double h, std::span<double> K, double change);
  void watch_contraction(double fixed_point_rate);
  // x1 = x0 + h sum b K, with the part lost to rounding in low1
  void add_up(double h, std::span<const double> K, std::span<double> x1, std::span<double> low1);

  const CollocationTableau tab_;
  const int s_;
  const int q_;  // leading numbers with cheap rates
  const double tolerance_;
  const bool functional_;
  const StageSolver* const stage_solver_;  // instead of J and its factors, where it can
  const int sweep_limit_;
  StageHistory history_;
  std::vector<double> times_, Z_, F_;  // stages: times, points, derivatives there
  std::vector<double> again_;          // slopes of a restep
  std::vector<double> low_, low0_;     // what rounding took from x: now, at the start of the step
  std::vector<double> scale_, x1_, unused_;
  std::vector<double> weights_;
  Eigen::ArrayXd sum_, change_;  // scratch; largest change of each number in the last sweep

  // simplified Newton
  bool newton_ = false;           // in use
  bool fresh_ = false;            // J belongs to this step
  bool along_structure_ = false;  // the last J is the system's own
  bool refresh_wanted_ = false;
  int calm_steps_ = 0;  // Newton steps in a row in which a fixed point would do
  int calm_needed_ = 10;
  double matrix_h_ = 0;    // length the factors belong to
  Eigen::MatrixXd J_, P_;  // f', and f_q N where positions are eliminated
  std::vector<double> residual_;
  std::unique_ptr<StageMatrix> matrix_;
  std::unique_ptr<StageNewton> stage_newton_;  // where the other did not converge
};

GaussLegendre::GaussLegendre(const System& system, int stages, const IntegratorOptions& options)
    : Integrator(system),
      tab_(make_gauss_legendre(stages)),
      s_(stages),
      q_(system.kinematic_size()),
      tolerance_(options.tolerance > 0 ? options.tolerance : default_stage_tolerance),
      functional_(options.functional_iteration),
      stage_solver_(find_stage_solver(system)),
      // A Newton step costs about as much as this many sweeps: J takes as long as m evaluations,
      // and it and its factors are kept over some tens of steps.
      sweep_limit_(stage_solver_ ? 15 : std::max(15, m_ / 3)),
      history_(tab_, n_),
      times_(s_),
      Z_(static_cast<std::size_t>(s_) * n_),
      F_(Z_.size()),
      again_(Z_.size()),
      low_(n_),
      low0_(n_),
      scale_(m_),
      x1_(n_),
      unused_(n_),
      weights_(s_),
      sum_(n_),
      change_(Eigen::ArrayXd::Zero(n_)) {}

void GaussLegendre::restart() {
  history_.clear();
  std::fill(low_.begin(), low_.end(), 0.0);
  refresh_wanted_ = true;
}

// ------------------------------------------------------------------------------------------ stages

void GaussLegendre::evaluate_stages() {
  counts_.evaluations += s_;
  system_.derivatives(times_, Z_, mode_, F_, *workspace_);
}

// sum_ = weights . K for the numbers [first, first + count)
void GaussLegendre::fill_sum(const double* weights, std::span<const double> K, int first,
                             int count) {
  sum_.head(count) = weights[0] * ConstArray(K.data() + first, count);
  for (int j = 1; j < s_; ++j)
    sum_.head(count) +=
        weights[j] * ConstArray(K.data() + static_cast<std::size_t>(j) * n_ + first, count);
}

double GaussLegendre::fill_points(double h, std::span<const double> K, int first, int last) {
  constexpr int block = 256;  // all that belongs to so many numbers stays in the nearest cache
  change_.segment(first, last - first).setZero();
  for (int k = first; k < last; k += block) fill_block(h, K, k, std::min(k + block, last));
  const int deciding = std::min(last, m_) - first;
  return deciding > 0 ? change_.segment(first, deciding).maxCoeff<Eigen::PropagateNaN>() : 0;
}

void GaussLegendre::fill_block(double h, std::span<const double> K, int first, int last) {
  const int count = last - first;
  const ConstArray x(x0_.data() + first, count), low(low0_.data() + first, count);
  auto change = change_.segment(first, count);
  for (int i = 0; i < s_; ++i) {
    Eigen::Map<Eigen::ArrayXd> z(Z_.data() + static_cast<std::size_t>(i) * n_ + first, count);
    fill_sum(tab_.a.data() + static_cast<std::size_t>(i) * s_, K, first, count);
    auto point = sum_.head(count);
    point = x + (low + h * point);
    z = (point - z).abs() / point.abs().max(1.0);
    change = (z <= change).select(change, z);  // keeps what is not a number
    z = point;
  }
}

// The number of x that changed most in the last sweep.
int GaussLegendre::worst_component() const {
  int worst = 0;
  for (int k = 1; k < m_; ++k)
    if (!(change_[k] <= change_[worst])) worst = k;
  return worst;
}

// With new velocities in Z, lets the positions follow once: K_q = N(q) v, q = q0 + h A K_q.
double GaussLegendre::relax_positions(double h, std::span<double> K) {
  for (int i = 0; i < s_; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * n_;
    system_.kinematic_rates({times_[i], {Z_.data() + at, static_cast<std::size_t>(n_)}, mode_},
                            {K.data() + at, static_cast<std::size_t>(q_)}, *workspace_);
  }
  return fill_points(h, K, 0, q_);
}

// Solves the position stages to rounding whatever the tolerance, so that unit lengths are kept.
void GaussLegendre::finish_positions(double h, std::span<double> K) {
  double before = std::numeric_limits<double>::infinity();
  for (int r = 0; r < 12; ++r) {
    const double change = relax_positions(h, K);
    if (!(change > double_epsilon) || (change >= before && change <= stagnation_band)) break;
    before = change;
  }
}

bool GaussLegendre::guess_constant(std::span<double> K) {
  evaluate(t0_, x0_, K.first(n_));
  double sum = 0;
  for (int k = 0; k < n_; ++k) sum += K[k] * 0.0;
  for (int i = 1; i < s_; ++i)
    std::copy_n(K.begin(), n_, K.begin() + static_cast<std::size_t>(i) * n_);
  return sum == 0;
}

// Done, counting what is not plain convergence.
bool GaussLegendre::accepted(Verdict verdict) {
  counts_.stagnations += verdict == Verdict::stagnated || verdict == Verdict::noisy;
  counts_.noisy_steps += verdict == Verdict::noisy;
  return verdict == Verdict::converged || verdict == Verdict::stagnated ||
         verdict == Verdict::noisy;
}

StepReport GaussLegendre::solve_stages(double h, std::span<double> K) {
  for (int i = 0; i < s_; ++i) times_[i] = t0_ + tab_.c[i] * h;
  if (functional_) return iterate_functionally(h, K);
  StepReport report;
  report.taken = h;
  fresh_ = false;
  IterationOutcome outcome =
      newton_ ? iterate_newton(h, K, report) : iterate_fixed_point(h, K, report);
  if (outcome != IterationOutcome::converged && !newton_) {
    newton_ = true;
    refresh_wanted_ = true;
    // what the fixed point has made of the guess may be far away
    const bool worth_going_on = report.measure < 0.1 || guess_constant(K);
    if (outcome == IterationOutcome::slow && worth_going_on) outcome = iterate_newton(h, K, report);
  }
  if (outcome != IterationOutcome::converged) {
    // once more from the simplest guess, with the Jacobian of this very point
    refresh_wanted_ = true;
    if (!guess_constant(K)) {
      report.status = StepStatus::not_finite;
      return report;
    }
    outcome = iterate_newton(h, K, report);
    // What the system explains is not to be hidden: past a singular position motion is not unique.
    if (outcome != IterationOutcome::converged &&
        system_.explain_failure({t0_, x0_, mode_}, *workspace_).empty())
      outcome = iterate_each_stage(h, K, report);
  }
  counts_.iterations += report.iterations;
  if (outcome != IterationOutcome::converged) {
    report.status =
        std::isfinite(report.measure) ? StepStatus::no_convergence : StepStatus::not_finite;
    report.component = worst_component();
    return report;
  }
  counts_.newton_steps += newton_;
  counts_.max_stage_change = std::max(counts_.max_stage_change, report.measure);
  return report;
}

// Contraction by `rate` per sweep needs more than the limit for nine digits, and is far from done.
bool GaussLegendre::is_slow(double rate, double change) const {
  if (change <= stagnation_band || rate <= 0) return false;
  if (rate >= 1) return true;
  const double left = std::log(std::max(tolerance_, 4 * double_epsilon) / change) / std::log(rate);
  return std::log(1e-9) / std::log(rate) > sweep_limit_ && left > 0.5 * sweep_limit_;
}

IterationOutcome GaussLegendre::iterate_fixed_point(double h, std::span<double> K,
                                                    StepReport& report) {
  // Without the short cut for positions a change seen once says little about what is still missing.
  const int least_sweeps = q_ > 0 ? 1 : 2;
  IterationWatch watch(tolerance_);
  fill_points(h, K, 0, n_);
  for (;;) {
    evaluate_stages();
    ++report.iterations;
    for (int i = 0; i < s_; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * n_;
      std::copy(F_.begin() + at + q_, F_.begin() + at + n_, K.begin() + at + q_);
    }
    double change = fill_points(h, K, q_, n_);
    if (q_ > 0) change = std::max(change, relax_positions(h, K));
    report.measure = change;
    const Verdict verdict = watch.judge(change);
    if (verdict == Verdict::diverged) return IterationOutcome::diverged;
    if (watch.sweeps() >= least_sweeps && accepted(verdict)) {
      if (q_ > 0) finish_positions(h, K);
      return IterationOutcome::converged;
    }
    if (watch.sweeps() >= 3 && !watch.at_noise() && is_slow(watch.mean_rate(), change))
      return IterationOutcome::slow;
    if (watch.sweeps() >= 4 * sweep_limit_) return IterationOutcome::slow;
  }
}

// K <- f(x0 + h A K) from the slope at the start, until no stage changes by more than the tolerance
// (source 000, 3.1.2): no memory of earlier steps, no short cuts, no Newton iteration.
StepReport GaussLegendre::iterate_functionally(double h, std::span<double> K) {
  constexpr int most_sweeps = 1000;
  StepReport report;
  report.taken = h;
  if (!guess_constant(K)) {
    report.status = StepStatus::not_finite;
    return report;
  }
  IterationWatch watch(tolerance_);
  fill_points(h, K, 0, n_);
  while (report.iterations < most_sweeps) {
    evaluate_stages();
    ++report.iterations;
    std::copy(F_.begin(), F_.end(), K.begin());
    report.measure = fill_points(h, K, 0, n_);
    const Verdict verdict = watch.judge(report.measure);
    if (verdict == Verdict::diverged) break;
    if (!accepted(verdict)) continue;
    counts_.iterations += report.iterations;
    counts_.max_stage_change = std::max(counts_.max_stage_change, report.measure);
    return report;
  }
  counts_.iterations += report.iterations;
  report.status =
      std::isfinite(report.measure) ? StepStatus::no_convergence : StepStatus::not_finite;
  report.component = worst_component();
  return report;
}

// ------------------------------------------------------------------------------------------ Newton

void GaussLegendre::refresh_jacobian(StateView at) {
  const int size = m_ - q_;
  if (!matrix_) {
    matrix_ = std::make_unique<StageMatrix>(tab_, size);
    residual_.resize(Z_.size());
  }
  along_structure_ = stage_solver_ && stage_solver_->linearise(at, *workspace_);
  if (!along_structure_) {
    J_.resize(n_, n_);
    P_.resize(q_ > 0 ? size : 0, q_ > 0 ? size : 0);
    system_.jacobian(at, J_, *workspace_);
    if (q_ > 0) P_.noalias() = J_.block(q_, 0, size, q_) * J_.block(0, q_, q_, size);
  }
  ++counts_.jacobians;
  matrix_h_ = 0;
  fresh_ = true;
  refresh_wanted_ = false;
}

// Factors for this length; those of a length close by will do until convergence asks for more.
void GaussLegendre::refresh_factors(double h) {
  if (matrix_h_ == h || (!fresh_ && matrix_h_ != 0 && std::fabs(matrix_h_ - h) <= 0.1 * h)) return;
  if (along_structure_)
    matrix_->factorise(*stage_solver_, h, *workspace_);
  else
    matrix_->factorise(J_.block(q_, q_, m_ - q_, m_ - q_), P_, h);
  matrix_h_ = h;
  ++counts_.factorisations;
}

// One step of K <- K + (1 - h A (x) J)^-1 (f(x0 + h A K) - K). Quadratures follow: K = f.
//
// Positions with q' = N(q) v are eliminated: dq = h A N dv leaves, for the velocities alone,
//   (1 - h A (x) f_v - h^2 A^2 (x) f_q N) dK_v = f_v-part of the residual,
// and the positions follow the new velocities as in the fixed-point iteration. (The change of N
// with q is left out of the matrix, not of the equations.) Returns what a fixed point would leave
// of dK: |dK - r| / |dK|.
double GaussLegendre::correct_slopes(std::span<double> K) {
  for (int i = 0; i < s_; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * n_;
    for (int k = q_; k < m_; ++k) residual_[at + k] = F_[at + k] - K[at + k];
    for (int k = m_; k < n_; ++k) K[at + k] = F_[at + k];
  }
  const std::span<double> dK = F_;
  matrix_->solve(std::span<const double>(residual_).subspan(q_), dK.subspan(q_), n_);
  double left = 0, length = 0;
  for (int i = 0; i < s_; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * n_;
    for (int k = q_; k < m_; ++k) {
      K[at + k] += dK[at + k];
      const double d = dK[at + k] - residual_[at + k];
      left += d * d;
      length += dK[at + k] * dK[at + k];
    }
  }
  return length > 0 ? std::sqrt(left / length) : 0;
}

// Positions after a Newton step: until they move less than the velocities did.
double GaussLegendre::follow_positions(double h, std::span<double> K, double change) {
  double total = 0;
  for (int r = 0; r < 4; ++r) {
    const double moved = relax_positions(h, K);
    total += moved;
    if (!(moved > std::max(tolerance_, 1e-3 * change))) break;
  }
  return std::max(total, change);
}

IterationOutcome GaussLegendre::iterate_newton(double h, std::span<double> K, StepReport& report) {
  constexpr int limit = 60;
  const StateView start(t0_, x0_, mode_);
  if (refresh_wanted_ || !matrix_) refresh_jacobian(start);
  double worst_rate = 0, fixed_point_rate = 0;
  bool renewed = false;
  IterationWatch watch(tolerance_);
  fill_points(h, K, 0, n_);
  if (q_ > 0) follow_positions(h, K, 0);
  for (int sweep = 1; sweep <= limit; ++sweep) {
    refresh_factors(h);
    evaluate_stages();
    ++report.iterations;
    fixed_point_rate = std::max(fixed_point_rate, correct_slopes(K));
    double change = fill_points(h, K, q_, n_);
    if (q_ > 0) change = follow_positions(h, K, change);
    report.measure = change;
    const Verdict verdict = watch.judge(change);
    if (accepted(verdict)) {
      if (q_ > 0) finish_positions(h, K);
      if (worst_rate > 0.1) refresh_wanted_ = true;
      watch_contraction(fixed_point_rate);
      return IterationOutcome::converged;
    }
    if (!std::isfinite(change) || (fresh_ && verdict == Verdict::diverged))
      return IterationOutcome::diverged;
    if (sweep == 1 || watch.at_noise() || change <= stagnation_band) continue;
    worst_rate = std::max(worst_rate, watch.rate());
    // close to the solution its middle stage tells more than the start; what a Jacobian costs
    // there, in sweeps. Once: what is slow with that matrix is rounding.
    const bool near = !renewed && change < 0.1 && watch.sweeps_left() > (along_structure_ ? 9 : 15);
    if (near || (!fresh_ && watch.rate() > 0.4)) {
      refresh_jacobian(near ? middle_stage() : start);
      renewed = renewed || near;
      watch = IterationWatch(tolerance_);
      worst_rate = 0;
    }
  }
  return IterationOutcome::slow;
}

// The last resort, for systems that are not too large: each stage has its own Jacobian. From the
// point at the start, for its slope would lead far away where it is steep.
IterationOutcome GaussLegendre::iterate_each_stage(double h, std::span<double> K,
                                                   StepReport& report) {
  constexpr int limit = 30;
  if (s_ * m_ > StageNewton::most_rows) return IterationOutcome::slow;
  if (!stage_newton_) stage_newton_ = std::make_unique<StageNewton>(tab_, n_, m_);
  refresh_wanted_ = true;  // of the matrix for all stages
  IterationWatch watch(tolerance_);
  std::fill(K.begin(), K.end(), 0.0);
  fill_points(h, K, 0, n_);
  for (int sweep = 1; sweep <= limit; ++sweep) {
    evaluate_stages();
    ++report.iterations;
    stage_newton_->correct(system_, times_, Z_, mode_, F_, h, K, *workspace_);
    counts_.jacobians += s_;
    ++counts_.factorisations;
    const double change = fill_points(h, K, 0, n_);
    report.measure = change;
    const Verdict verdict = watch.judge(change);
    if (!std::isfinite(change) || verdict == Verdict::diverged) return IterationOutcome::diverged;
    if (!accepted(verdict)) continue;
    if (q_ > 0) finish_positions(h, K);
    return IterationOutcome::converged;
  }
  return IterationOutcome::slow;
}

// Back to the fixed point once its contraction, seen through J, has been good for a while.
void GaussLegendre::watch_contraction(double fixed_point_rate) {
  if (fixed_point_rate == 0) return;  // nothing was to be solved, nothing is known
  const bool calm =
      fixed_point_rate < 1 && std::log(1e-9) / std::log(fixed_point_rate) < 0.5 * sweep_limit_;
  calm_steps_ = calm ? calm_steps_ + 1 : 0;
  if (calm_steps_ < calm_needed_) return;
  newton_ = false;
  calm_steps_ = 0;
  calm_needed_ = std::min(2 * calm_needed_, 10000);
}

// -------------------------------------------------------------------------------------------- step

// x1 + low1 = x0 + low0 + h sum b K with the exact remainder of the addition (Moller, Knuth).
void GaussLegendre::add_up(double h, std::span<const double> K, std::span<double> x1,
                           std::span<double> low1) {
  fill_sum(tab_.b.data(), K, 0, n_);
  for (int k = 0; k < n_; ++k) {
    const double change = low0_[k] + h * sum_[k];
    const double value = x0_[k] + change;
    const double part = value - x0_[k];
    x1[k] = value;
    low1[k] = (x0_[k] - (value - part)) + (change - part);
  }
}

StepReport GaussLegendre::take_step(State& state, double h, double t_end) {
  x0_ = state.x;
  mode_ = state.mode;
  low0_ = low_;
  t0_ = state.t;
  const std::span<double> K = history_.current();
  if (!history_.empty())
    history_.predict(h);
  else if (!guess_constant(K))
    return {StepStatus::not_finite, h, 0, -1, 0};

  StepReport report = solve_stages(h, K);
  if (report.status != StepStatus::ok) return report;
  add_up(h, K, x1_, low_);
  for (int k = 0; k < n_; ++k)
    if (!std::isfinite(x1_[k])) {
      low_ = low0_;
      return {StepStatus::not_finite, h, 0, k, report.iterations};
    }
  state.x = x1_;
  state.t = t_end;
  for (int k = 0; k < m_; ++k) scale_[k] = 1 / std::max(1.0, std::fabs(x1_[k]));
  history_.push(h, scale_);
  h0_ = h;
  return report;
}

bool GaussLegendre::dense(double theta, std::span<double> x) {
  fill_collocation_weights(tab_, theta, weights_);
  fill_sum(weights_.data(), history_.last(), 0, n_);
  for (int k = 0; k < n_; ++k) x[k] = x0_[k] + (low0_[k] + h0_ * sum_[k]);
  return true;
}

// The guess is the collocation polynomial of the step already known.
StepReport GaussLegendre::restep(double h, std::span<double> x) {
  for (int i = 0; i < s_; ++i) {
    fill_lagrange_weights(tab_.c, tab_.c[i] * h / h0_, weights_);
    fill_sum(weights_.data(), history_.last(), 0, n_);
    std::copy_n(sum_.data(), n_, again_.data() + static_cast<std::size_t>(i) * n_);
  }
  StepReport report = solve_stages(h, again_);
  if (report.status == StepStatus::ok) add_up(h, again_, x, unused_);
  return report;
}

}  // namespace

std::unique_ptr<Integrator> make_gauss_legendre_integrator(const System& system, int stages,
                                                           const IntegratorOptions& options) {
  return std::make_unique<GaussLegendre>(system, stages, options);
}

}  // namespace cartan::integrate
