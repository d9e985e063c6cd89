// The start. a belongs to the time t + (am - af) h, so that a0 = w0 + (am - af) h w0'. Velocities
// of an index-3 method do not satisfy g' = 0 but miss it by h^2 times a smooth function: with the
// error of the position formula over one step, h^3 c,
//   c = (beta + (am - af) / 2 - 1/6) v'' - [v, v'] / 12        (the bracket: the group is curved)
// positions stay on g = 0 only if G (v_n - v(t_n)) = -h^2 G c + O(h^3). A start with G v = 0 would
// be off this manifold and lambda wrong by O(h) for a while; it gets v0 = v + h^2 e,
// M e - J^T mu = 0, G e = -G c. Where the length of the step changes, both are made those of the
// new length: a0 - w0 grows with h, the part of v that violates g' = 0 with h^2.
//
// The run loop may project what a step returns. That is a result, not the memory of the method: the
// next step starts from the method's own velocities (and from the projected positions, which agree
// to rounding).
#include "integrate/generalized_alpha.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/gauss_legendre.h"
#include "integrate/iteration_watch.h"
#include "integrate/motion_matrix.h"

namespace cartan {
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

// What a step hands to the next.
struct Memory {
  bool valid = false;
  double h = 0;  // length it belongs to; 0: a start
  Numbers v, w, a, lambda, power;
  Numbers w_before, lambda_before;  // one step earlier, for the guess; empty at a start
  Numbers jerk;                     // at a start: w'
  Numbers deviation;  // at a start: e; else the part of v that violates g' = 0, empty until wanted
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
  StepReport step(State& state, double h, double t_end) override;
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
  bool begin();
  void find_deviation(Memory& from);
  void fill_start(Memory& from, double h);
  void fill_guess(const Memory& from, double h, End& end) const;
  void follow(double h, End& end) const;
  void refresh(double h, const End& end);
  double correct(double h, End& end);
  bool accepted(Verdict verdict);
  StepReport solve(Memory& from, double h, End& end);
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
  Numbers x1_, residual_, scale_, scratch_, rate1_;
  MotionMatrix matrix_, rest_;
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
      rate1_(nv_),
      matrix_(form_),
      rest_(form_) {
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
  m.v.assign(x0_.begin() + nq_, x0_.begin() + nq_ + nv_);
  m.w = start.a;
  m.jerk = start.jerk;
  m.lambda = start.lambda;
  m.w_before.clear();
  m.lambda_before.clear();
  m.power.assign(quadratures_, 0.0);
  const MotionPoint at = point(t0_, q0(), m.v, m.w, m.lambda);
  form_.quadrature_rates(at, m.power, *workspace_);
  m.deviation.assign(nv_, 0.0);
  if (!matrix_.has_position_rows()) return true;

  // displacement_rate(s v, w) is w + s [v, w] / 2 + even terms
  double speed = 1;
  for (double v : m.v) speed = std::max(speed, std::fabs(v));
  const double s = 0.1 / speed;
  Numbers back(nv_), forth(nv_), error(nv_), target(matrix_.multipliers());
  for (int j = 0; j < nv_; ++j) scratch_[j] = s * m.v[j];
  positions_.displacement_rate(scratch_, m.w, forth);
  for (double& d : scratch_) d = -d;
  positions_.displacement_rate(scratch_, m.w, back);
  for (int j = 0; j < nv_; ++j)
    error[j] = -(c_.position_error() * m.jerk[j] - (forth[j] - back[j]) / (12 * s));
  rest_.refresh_at_rest(at, *workspace_);
  rest_.along_constraints(error, target);
  rest_.solve_constraint_change(target, m.deviation);
  if (!all_finite(m.deviation)) std::fill(m.deviation.begin(), m.deviation.end(), 0.0);
  return true;
}

// The part of the velocities at the start of the step that violates g' = 0.
void GeneralizedAlpha::find_deviation(Memory& from) {
  from.deviation.assign(nv_, 0.0);
  if (!matrix_.has_position_rows()) return;
  const MotionPoint at = point(t0_, q0(), from.v, from.w, from.lambda);
  Numbers speeds(matrix_.multipliers());
  form_.constraint_speeds(at, speeds, *workspace_);
  rest_.refresh_at_rest(at, *workspace_);
  rest_.solve_constraint_change(speeds, from.deviation);
  if (!all_finite(from.deviation)) std::fill(from.deviation.begin(), from.deviation.end(), 0.0);
}

// v0, a0 for a step of length h.
void GeneralizedAlpha::fill_start(Memory& from, double h) {
  w0_ = from.w;
  if (from.h == 0) {
    for (int j = 0; j < nv_; ++j) {
      v0_[j] = from.v[j] + h * h * from.deviation[j];
      a0_[j] = from.w[j] + c_.shift() * h * from.jerk[j];
    }
    return;
  }
  const double ratio = h / from.h;
  v0_ = from.v;
  a0_ = from.a;
  if (std::fabs(ratio - 1) < 1e-9) return;
  if (from.deviation.empty()) find_deviation(from);
  for (int j = 0; j < nv_; ++j) {
    v0_[j] -= (1 - ratio * ratio) * from.deviation[j];
    a0_[j] = from.w[j] + ratio * (from.a[j] - from.w[j]);
  }
}

// Straight on.
void GeneralizedAlpha::fill_guess(const Memory& from, double h, End& end) const {
  end.w = from.w;
  end.lambda = from.lambda;
  if (from.h == 0) {
    for (int j = 0; j < nv_; ++j) end.w[j] += h * from.jerk[j];
  } else if (!from.w_before.empty()) {
    const double ratio = h / from.h;
    for (int j = 0; j < nv_; ++j) end.w[j] += ratio * (from.w[j] - from.w_before[j]);
    for (std::size_t k = 0; k < end.lambda.size(); ++k)
      end.lambda[k] += ratio * (from.lambda[k] - from.lambda_before[k]);
  }
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

void GeneralizedAlpha::refresh(double h, const End& end) {
  matrix_.refresh(point(t0_ + h, end.q, end.v, end.w, end.lambda), c_.beta * c_.inertia() * h * h,
                  c_.gamma * c_.inertia() * h, end.d, *workspace_);
  ++counts_.jacobians;
  ++counts_.factorisations;
  matrix_h_ = h;
  matrix_mode_ = mode_;
  fresh_ = true;
  refresh_wanted_ = false;
}

// One Newton step; returns the largest relative change: of positions where they are constrained,
// of velocities where not. (Rounding of g leaves eps / h^2 in accelerations, eps / h in
// velocities.)
double GeneralizedAlpha::correct(double h, End& end) {
  residual_.resize(matrix_.size());
  ++counts_.evaluations;
  form_.residual(point(t0_ + h, end.q, end.v, end.w, end.lambda), residual_, *workspace_);
  matrix_.scale(residual_);
  matrix_.solve(residual_);
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
  IterationWatch watch(tolerance_);
  double worst_rate = 0;
  fresh_ = false;
  follow(h, end);
  for (int sweep = 1; sweep <= limit; ++sweep) {
    const bool other = std::fabs(matrix_h_ - h) > 0.05 * h || matrix_mode_ != mode_;
    if (always_refresh || refresh_wanted_ || other) refresh(h, end);
    ++report.iterations;
    const double change = correct(h, end);
    report.measure = change;
    const Verdict verdict = watch.judge(change);
    if (accepted(verdict)) {
      if (worst_rate > 0.1) refresh_wanted_ = true;
      return true;
    }
    if (!std::isfinite(change) || (verdict == Verdict::diverged && (fresh_ || always_refresh)))
      return false;
    if (sweep == 1 || watch.at_noise() || change <= IterationWatch::stagnation_band) continue;
    worst_rate = std::max(worst_rate, watch.rate());
    if (!fresh_ && watch.rate() > 0.3) {
      refresh_wanted_ = true;
      watch = IterationWatch(tolerance_);
    }
  }
  return false;
}

// From the start values of `from`: straight on, and if that fails from the last accelerations with
// a new matrix in every iteration.
StepReport GeneralizedAlpha::solve(Memory& from, double h, End& end) {
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
  std::fill(end.power.begin(), end.power.end(), 0.0);
  form_.quadrature_rates(point(t0_ + h, end.q, end.v, end.w, end.lambda), end.power, *workspace_);
  return report;
}

// -------------------------------------------------------------------------------------------- step

void GeneralizedAlpha::write(double h, const End& end, std::span<double> x) {
  std::copy(end.q.begin(), end.q.end(), x.begin());
  std::copy(end.v.begin(), end.v.end(), x.begin() + nq_);
  for (int k = 0; k < quadratures_; ++k)
    x[m_ + k] = x0_[m_ + k] + 0.5 * h * (memory0_.power[k] + end.power[k]);
}

StepReport GeneralizedAlpha::step(State& state, double h, double t_end) {
  if (mode_ != state.mode) memory_.valid = false;
  x0_ = state.x;
  mode_ = state.mode;
  t0_ = state.t;
  matrix_.set_mode(mode_);
  rest_.set_mode(mode_);
  if (!memory_.valid && !begin()) return {StepStatus::not_finite, h, 0, -1, 0};
  memory0_ = memory_;
  const StepReport report = solve(memory0_, h, end_);
  if (report.status != StepStatus::ok) return report;
  write(h, end_, x1_);
  for (int k = 0; k < n_; ++k)
    if (!std::isfinite(x1_[k])) return {StepStatus::not_finite, h, 0, k, report.iterations};
  state.x = x1_;
  state.t = t_end;
  h0_ = h;
  memory_.h = h;
  memory_.v = end_.v;
  memory_.a = end_.a;
  memory_.w_before = memory0_.w;
  memory_.lambda_before = memory0_.lambda;
  memory_.w = end_.w;
  memory_.lambda = end_.lambda;
  memory_.power = end_.power;
  memory_.deviation.clear();
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
  const StepReport report = solve(memory0_, h, again_);
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
         "velocities, which this system does not have; use it with the formulations recursive, "
         "moving-frame, absolute-se3 or absolute-so3r3, or choose another integrator";
}

}  // namespace cartan
