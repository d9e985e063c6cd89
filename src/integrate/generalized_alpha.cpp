// What is remembered. Index 3 alone leaves velocities and accelerations free to miss g' = 0 and
// g'' = 0, and remembers by how much: along the constraints its recursion has the threefold root
// -rho. Where constraints turn against the axes that speeds are counted in (a wheel in body axes
// turns by h w per step), that memory is handed on in the wrong directions; the root splits by the
// cube root of h w and leaves the unit circle. So nothing of it is remembered: after the step v and
// w are settled on g' = 0 and g'' = 0 (smallest change in the mass metric: motions that are free
// keep what the step gave them), and a follows from the settled w. Then a is a filter of w with the
// root -am / (1 - am), in whatever axes, and v and w belong to the state.
//
// The start of a step. a belongs to the time t + (am - af) h, so that at first a0 = w0 + (am - af)
// h w0'. The position formula has an error over one step, h^3 c,
//   c = (beta + (am - af) / 2 - 1/6) v'' - [v, v'] / 12        (the bracket: the group is curved)
// and positions are held on g = 0: with G v0 = 0 the step would have to make up for G c by
// accelerations and multipliers wrong by O(h). It starts from v0 + h^2 e instead, M e = J^T mu, G e
// = -G c, with v'' from the last two w. Where the length of the step changes, a0 - w0 grows with h.
#include "integrate/generalized_alpha.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/gauss_legendre.h"
#include "integrate/iteration_watch.h"
#include "integrate/motion_matrix.h"

namespace cartan::integrate {
namespace {

using Verdict = IterationWatch::Verdict;
using Numbers = std::vector<double>;

struct Coefficients {
  double am, af, gamma, beta;
  explicit Coefficients(double rho)
      : am((2 * rho - 1) / (rho + 1)),
        af(rho / (rho + 1)),
        gamma(0.5 - am + af),
        beta(0.25 * (gamma + 0.5) * (gamma + 0.5)) {}
  double shift() const { return am - af; }                                  // of a's time, in steps
  double inertia() const { return (1 - af) / (1 - am); }                    // da1 / dw1
  double position_error() const { return beta + 0.5 * shift() - 1.0 / 6; }  // of v''
};

// What a step hands to the next, beside the state.
struct Memory {
  bool valid = false;
  double h = 0;  // length it belongs to; 0: a start
  Numbers w, a, lambda, power;
  Numbers w_before, lambda_before;  // one step earlier, for the guess; empty at a start
  double going_on = 1;              // share of w - w_before in the step after it
  Numbers jerk;                     // w'
  Numbers lean;                     // e
};

bool all_finite(std::span<const double> numbers) {
  double sum = 0;
  for (double x : numbers) sum += x * 0.0;
  return sum == 0;
}

class GeneralizedAlpha final : public GeneralizedAlphaIntegrator {
 public:
  GeneralizedAlpha(const System& system, const IntegratorOptions& options);
  void restart() override { memory_.valid = false; }
  void moved() override {}
  StepReport take_step(State& state, double h, double t_end) override;
  bool dense(double theta, std::span<double> x) override;
  StepReport restep(double h, std::span<double> x) override;
  std::span<const double> accelerations() const override { return memory_.w; }
  std::span<const double> multipliers() const override { return memory_.lambda; }

 private:
  // Unknowns and what follows from them, at the end of a step.
  struct End {
    Numbers q, v, a, w, lambda, power, d;
  };

  MotionPoint point(double t, std::span<const double> q, std::span<const double> v,
                    std::span<const double> w, std::span<const double> lambda) const {
    return {t, q, v, w, lambda, mode_};
  }
  std::span<const double> q0() const { return {x0_.data(), static_cast<std::size_t>(nq_)}; }
  std::span<const double> v0() const { return {x0_.data() + nq_, static_cast<std::size_t>(nv_)}; }
  bool begin();
  void find_lean(const MotionPoint& at, std::span<const double> jerk, Numbers& lean);
  void fill_start(const Memory& from, double h);
  void fill_guess(const Memory& from, double h, End& end) const;
  static double calc_share(const Memory& from, std::span<const double> w);
  void follow(double h, End& end) const;
  bool refresh(double h, const End& end);
  double correct(double h, End& end, bool residual_known);
  bool accepted(Verdict verdict);
  StepReport solve(const Memory& from, double h, End& end);
  void settle(double h, End& end);
  bool iterate(double h, End& end, bool always_refresh, StepReport& report);
  void write(double h, const End& end, std::span<double> x);

  const SecondOrderForm& form_;
  const StateSpace& positions_;
  const Coefficients c_;
  const double tolerance_;
  const int nq_, nv_, quadratures_;
  Memory memory_, memory0_;  // at the end and at the start of the last step
  Numbers v0_, a0_;          // of the step being solved
  Numbers w0_;
  End end_, again_;
  Numbers x1_, residual_, scale_, scratch_, back_, rate1_;
  MotionMatrix matrix_;
  bool fresh_ = false, refresh_wanted_ = true;
  double matrix_h_ = 0;
  std::vector<int> matrix_mode_;
  int worst_ = 0;  // speed that changed most
};

GeneralizedAlpha::GeneralizedAlpha(const System& system, const IntegratorOptions& options)
    : GeneralizedAlphaIntegrator(system),
      form_(*system.second_order()),
      positions_(form_.positions()),
      c_(options.spectral_radius),
      tolerance_(options.tolerance > 0 ? options.tolerance : default_stage_tolerance),
      nq_(positions_.size()),
      nv_(positions_.tangent_size()),
      quadratures_(system.quadratures()),
      v0_(nv_),
      a0_(nv_),
      w0_(nv_),
      x1_(n_),
      scale_(nv_, 1.0),
      scratch_(nv_),
      back_(nv_),
      rate1_(nv_),
      matrix_(form_) {
  for (End* end : {&end_, &again_}) {
    end->q.resize(nq_);
    for (Numbers* numbers : {&end->v, &end->a, &end->w, &end->d}) numbers->resize(nv_);
    end->power.resize(quadratures_);
  }
}

// ------------------------------------------------------------------------------------------- start

// Memory for a start at x0_; false where the accelerations are not finite.
bool GeneralizedAlpha::begin() {
  Memory& m = memory_;
  MotionStart start;
  ++counts_.evaluations;
  form_.start({t0_, x0_, mode_}, start, *workspace_);
  if (!all_finite(start.a) || !all_finite(start.lambda)) return false;
  if (!all_finite(start.jerk)) std::fill(start.jerk.begin(), start.jerk.end(), 0.0);
  m.valid = true;
  m.h = 0;
  m.w = start.a;
  m.jerk = start.jerk;
  m.lambda = start.lambda;
  m.w_before.clear();
  m.lambda_before.clear();
  m.power.assign(quadratures_, 0.0);
  const MotionPoint at = point(t0_, q0(), v0(), m.w, m.lambda);
  form_.quadrature_rates(at, m.power, *workspace_);
  find_lean(at, m.jerk, m.lean);
  return true;
}

// e: the part of -c that constraints on positions forbid.
void GeneralizedAlpha::find_lean(const MotionPoint& at, std::span<const double> jerk,
                                 Numbers& lean) {
  lean.assign(nv_, 0.0);
  if (!matrix_.has_position_rows()) return;
  // displacement_rate(s v, w) is w + s [v, w] / 2 + even terms
  double speed = 1;
  for (double v : at.v) speed = std::max(speed, std::fabs(v));
  const double s = 0.1 / speed;
  for (int j = 0; j < nv_; ++j) scratch_[j] = s * at.v[j];
  positions_.displacement_rate(scratch_, at.a, rate1_);
  for (double& d : scratch_) d = -d;
  positions_.displacement_rate(scratch_, at.a, back_);
  for (int j = 0; j < nv_; ++j)
    scratch_[j] = (rate1_[j] - back_[j]) / (12 * s) - c_.position_error() * jerk[j];
  form_.forbidden_part(at, scratch_, lean, *workspace_);
  if (!all_finite(lean)) std::fill(lean.begin(), lean.end(), 0.0);
}

// v0, a0 for a step of length h.
void GeneralizedAlpha::fill_start(const Memory& from, double h) {
  w0_ = from.w;
  for (int j = 0; j < nv_; ++j) {
    v0_[j] = v0()[j] + h * h * from.lean[j];
    a0_[j] = from.h == 0 ? from.w[j] + c_.shift() * h * from.jerk[j]
                         : from.w[j] + h / from.h * (from.a[j] - from.w[j]);
  }
}

// Straight on, by the share of the last change that would have been best a step ago: stiff motions
// that the method damps go back and forth.
void GeneralizedAlpha::fill_guess(const Memory& from, double h, End& end) const {
  end.w = from.w;
  end.lambda = from.lambda;
  if (from.h == 0) {
    for (int j = 0; j < nv_; ++j) end.w[j] += h * from.jerk[j];
  } else if (!from.w_before.empty()) {
    const double ratio = from.going_on * h / from.h;
    for (int j = 0; j < nv_; ++j) end.w[j] += ratio * (from.w[j] - from.w_before[j]);
    for (std::size_t k = 0; k < end.lambda.size(); ++k)
      end.lambda[k] += ratio * (from.lambda[k] - from.lambda_before[k]);
  }
}

// The share of the change before that is nearest to the change to w.
double GeneralizedAlpha::calc_share(const Memory& from, std::span<const double> w) {
  if (from.w_before.empty()) return 1;
  double along = 0, length = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double change = from.w[j] - from.w_before[j];
    along += change * (w[j] - from.w[j]);
    length += change * change;
  }
  return length > 0 && std::isfinite(along / length) ? std::clamp(along / length, -1.0, 1.0) : 1;
}

// ------------------------------------------------------------------------------------------ Newton

// a1, v1, q1 from w1.
void GeneralizedAlpha::follow(double h, End& end) const {
  for (int j = 0; j < nv_; ++j) {
    end.a[j] = ((1 - c_.af) * end.w[j] + c_.af * w0_[j] - c_.am * a0_[j]) / (1 - c_.am);
    end.v[j] = v0_[j] + h * ((1 - c_.gamma) * a0_[j] + c_.gamma * end.a[j]);
    end.d[j] = h * v0_[j] + h * h * ((0.5 - c_.beta) * a0_[j] + c_.beta * end.a[j]);
  }
  positions_.plus(q0(), end.d, end.q);
  positions_.normalise(end.q);
}

// True: residual_ is that of `end`.
bool GeneralizedAlpha::refresh(double h, const End& end) {
  residual_.resize(matrix_.size());
  const bool known = matrix_.refresh(point(t0_ + h, end.q, end.v, end.w, end.lambda),
                                     c_.beta * c_.inertia() * h * h, c_.gamma * c_.inertia() * h,
                                     end.d, residual_, *workspace_);
  ++counts_.jacobians;
  ++counts_.factorisations;
  matrix_h_ = h;
  matrix_mode_ = mode_;
  fresh_ = true;
  refresh_wanted_ = false;
  return known;
}

// One Newton step; returns the largest relative change: of positions where they are constrained,
// of velocities where not. (Rounding of g leaves double_epsilon / h^2 in accelerations,
// double_epsilon / h in velocities.)
double GeneralizedAlpha::correct(double h, End& end, bool residual_known) {
  residual_.resize(matrix_.size());
  ++counts_.evaluations;
  if (!residual_known)
    form_.residual(point(t0_ + h, end.q, end.v, end.w, end.lambda), residual_, *workspace_);
  matrix_.scale(residual_);
  matrix_.solve(residual_, *workspace_);
  const bool of_positions = matrix_.has_position_rows();
  const double factor = c_.inertia() * (of_positions ? c_.beta * h * h : c_.gamma * h);
  double largest = 0;
  for (int j = 0; j < nv_; ++j) {
    end.w[j] -= residual_[j];
    const double gain = h * std::fabs(end.w[j]);  // sums of this size are rounded
    const double size =
        of_positions ? std::max(scale_[j], h * gain) : std::max({1.0, std::fabs(end.v[j]), gain});
    const double change = factor * std::fabs(residual_[j]) / size;
    if (!(change <= largest)) {
      largest = change;
      worst_ = j;
    }
  }
  for (std::size_t k = 0; k < end.lambda.size(); ++k) {
    end.lambda[k] -= residual_[nv_ + k];
    if (!std::isfinite(end.lambda[k])) largest = std::numeric_limits<double>::quiet_NaN();
  }
  follow(h, end);
  return largest;
}

bool GeneralizedAlpha::accepted(Verdict verdict) {
  counts_.stagnations += verdict == Verdict::stagnated || verdict == Verdict::noisy;
  counts_.noisy_steps += verdict == Verdict::noisy;
  return verdict == Verdict::converged || verdict == Verdict::stagnated ||
         verdict == Verdict::noisy;
}

bool GeneralizedAlpha::iterate(double h, End& end, bool always_refresh, StepReport& report) {
  constexpr int limit = 40;
  constexpr double far = 0.1;  // relative change
  IterationWatch watch(tolerance_);
  double worst_rate = 0;
  bool renewed = false;
  fresh_ = false;
  follow(h, end);
  for (int sweep = 1; sweep <= limit; ++sweep) {
    const bool other = std::fabs(matrix_h_ - h) > 0.05 * h || is_other_mode(matrix_mode_, mode_);
    const bool known = (always_refresh || refresh_wanted_ || other) && refresh(h, end);
    ++report.iterations;
    const double change = correct(h, end, known);
    report.measure = change;
    const Verdict verdict = watch.judge(change);
    if (accepted(verdict)) {
      if (worst_rate > 0.1) refresh_wanted_ = true;
      return true;
    }
    if (!std::isfinite(change) || (verdict == Verdict::diverged && (fresh_ || always_refresh)))
      return false;
    // far from the solution, where the matrix of one point does not lead there
    if (fresh_ && !always_refresh && change >= far && watch.mean_rate() > 0.8) return false;
    if (sweep == 1 || watch.at_noise() || change <= IterationWatch::stagnation_band) continue;
    worst_rate = std::max(worst_rate, watch.rate());
    // close to the solution: what a matrix of this point costs, in sweeps. Once: what is slow with
    // that matrix is rounding.
    const bool near =
        !renewed && change < far && watch.sweeps_left() > (matrix_.is_structured() ? 7 : 15);
    if (near || (!fresh_ && watch.rate() > 0.3)) {
      renewed = renewed || near;
      refresh_wanted_ = true;
      watch = IterationWatch(tolerance_);
      worst_rate = 0;
    }
  }
  return false;
}

// From the start values of `from`: straight on, and if that fails from the last accelerations with
// a new matrix in every iteration.
StepReport GeneralizedAlpha::solve(const Memory& from, double h, End& end) {
  StepReport report;
  report.taken = h;
  matrix_.set_mode(mode_);
  for (const StateBlock& b : positions_.blocks()) {
    if (b.kind == StateBlock::Kind::quaternion) continue;
    const int first = b.kind == StateBlock::Kind::pose ? 3 : 0, skip = first > 0 ? 4 : 0;
    for (int i = 0; i < b.size - skip; ++i)
      scale_[b.tangent + first + i] = std::max(1.0, std::fabs(x0_[b.x + skip + i]));
  }
  fill_start(from, h);
  fill_guess(from, h, end);
  bool done = iterate(h, end, false, report);
  if (!done) {
    end.w = from.w;
    end.lambda = from.lambda;
    done = iterate(h, end, true, report);
  }
  counts_.iterations += report.iterations;
  if (!done) {
    refresh_wanted_ = true;
    report.status =
        std::isfinite(report.measure) ? StepStatus::no_convergence : StepStatus::not_finite;
    report.component = nq_ + worst_;
    return report;
  }
  ++counts_.newton_steps;
  counts_.max_stage_change = std::max(counts_.max_stage_change, report.measure);
  settle(h, end);
  std::fill(end.power.begin(), end.power.end(), 0.0);
  form_.quadrature_rates(point(t0_ + h, end.q, end.v, end.w, end.lambda), end.power, *workspace_);
  return report;
}

// v and w on the constraints, and the a that goes with w.
void GeneralizedAlpha::settle(double h, End& end) {
  if (matrix_.multipliers() == 0) return;
  form_.settle(point(t0_ + h, end.q, end.v, end.w, end.lambda), end.v, end.w, end.lambda,
               *workspace_);
  for (int j = 0; j < nv_; ++j)
    end.a[j] = ((1 - c_.af) * end.w[j] + c_.af * w0_[j] - c_.am * a0_[j]) / (1 - c_.am);
}

// -------------------------------------------------------------------------------------------- step

void GeneralizedAlpha::write(double h, const End& end, std::span<double> x) {
  std::copy(end.q.begin(), end.q.end(), x.begin());
  std::copy(end.v.begin(), end.v.end(), x.begin() + nq_);
  for (int k = 0; k < quadratures_; ++k)
    x[m_ + k] = x0_[m_ + k] + 0.5 * h * (memory0_.power[k] + end.power[k]);
}

StepReport GeneralizedAlpha::take_step(State& state, double h, double t_end) {
  if (is_other_mode(mode_, state.mode)) memory_.valid = false;
  x0_ = state.x;
  mode_ = state.mode;
  t0_ = state.t;
  matrix_.set_mode(mode_);
  if (!memory_.valid && !begin()) return {StepStatus::not_finite, h, 0, -1, 0};
  memory0_ = memory_;
  StepReport report = solve(memory0_, h, end_);
  if (report.status != StepStatus::ok) return report;
  write(h, end_, x1_);
  for (int k = 0; k < n_; ++k)
    if (!std::isfinite(x1_[k])) return {StepStatus::not_finite, h, 0, k, report.iterations};
  state.x = x1_;
  state.t = t_end;
  h0_ = h;
  memory_.h = h;
  memory_.going_on = calc_share(memory0_, end_.w);
  memory_.a = end_.a;
  memory_.w_before = memory0_.w;
  memory_.lambda_before = memory0_.lambda;
  memory_.w = end_.w;
  memory_.lambda = end_.lambda;
  memory_.power = end_.power;
  for (int j = 0; j < nv_; ++j) memory_.jerk[j] = (end_.w[j] - memory0_.w[j]) / h;
  find_lean(point(t_end, end_.q, end_.v, end_.w, end_.lambda), memory_.jerk, memory_.lean);
  return report;
}

// Cubics through values and rates at both ends; for positions in the displacement d, whose rate is
// h dexp^-1_-d v.
bool GeneralizedAlpha::dense(double theta, std::span<double> x) {
  const double s = theta, r = 1 - theta;
  const double value1 = s * s * (3 - 2 * s), rate0 = s * r * r, rate1 = -s * s * r;
  positions_.displacement_rate(end_.d, end_.v, rate1_);
  for (int j = 0; j < nv_; ++j)
    scratch_[j] = value1 * end_.d[j] + h0_ * (rate0 * x0_[nq_ + j] + rate1 * rate1_[j]);
  positions_.plus(q0(), scratch_, x.first(nq_));
  for (int j = 0; j < nv_; ++j)
    x[nq_ + j] = (1 - value1) * x0_[nq_ + j] + value1 * end_.v[j] +
                 h0_ * (rate0 * memory0_.w[j] + rate1 * end_.w[j]);
  for (int k = 0; k < quadratures_; ++k)
    x[m_ + k] = (1 - value1) * x0_[m_ + k] + value1 * x1_[m_ + k] +
                h0_ * (rate0 * memory0_.power[k] + rate1 * end_.power[k]);
  return true;
}

StepReport GeneralizedAlpha::restep(double h, std::span<double> x) {
  StepReport report = solve(memory0_, h, again_);
  if (report.status == StepStatus::ok) write(h, again_, x);
  return report;
}

}  // namespace

std::unique_ptr<GeneralizedAlphaIntegrator> make_generalized_alpha(
    const System& system, const IntegratorOptions& options) {
  return std::make_unique<GeneralizedAlpha>(system, options);
}

std::string refuse_generalized_alpha(const System& system) {
  if (system.second_order()) return "";
  return "generalized-alpha needs equations of motion M a = f + J^T lambda in positions and "
         "velocities alone, which this system does not have ([variables] beside bodies are of "
         "first "
         "order); use it with the formulations recursive, "
         "moving-frame, absolute-se3 or absolute-so3r3, or choose another integrator";
}

}  // namespace cartan::integrate
