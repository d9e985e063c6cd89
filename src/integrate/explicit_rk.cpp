#include "integrate/explicit_rk.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "integrate/explicit_step.h"

namespace cartan::integrate {
namespace {

// result = x0 + h sum_j weights_j k_j
void combine(const std::vector<double>& weights, const std::vector<double>& k, double h,
             std::span<const double> x0, std::span<double> result) {
  combine_stages(weights, k, h, result);
  for (std::size_t i = 0; i < x0.size(); ++i) result[i] += x0[i];
}

class ExplicitRungeKutta final : public Integrator {
 public:
  ExplicitRungeKutta(const System& system, const ExplicitTableau& tableau,
                     const IntegratorOptions& options);
  void restart() override;
  void moved() override { follows_ = false; }
  bool chooses_length() const override { return controlled_; }
  void expect_length(double h) override { controller_.choose(h); }
  bool dense_has_slopes() const override { return true; }
  StepReport take_step(State& state, double h, double t_end) override;
  bool dense(double theta, std::span<double> x) override;
  bool rough(double theta, std::span<double> x) override;
  StepReport restep(double h, std::span<double> x) override;

 private:
  std::span<double> stage(int i) {
    return {k_.data() + static_cast<std::size_t>(i) * n_, static_cast<std::size_t>(n_)};
  }
  // Stages 1 .. s-1 into k (stage 0 is there) and the new point, normalised, into x1.
  bool fill_stages(double h, std::vector<double>& k, std::span<double> x1);
  bool fill_end();
  bool fill_dense();
  double error_measure(double h, int& worst);
  double rounding_measure();
  double first_step(double limit);
  StepReport step_fixed(double h, double t_end);
  StepReport step_controlled(double limit, double t_end);

  const ExplicitTableau& tab_;
  const double tolerance_;
  const bool controlled_, normalise_, rms_, knows_rounding_;
  const double max_step_;
  std::vector<double> k_, again_;  // stages of the last step, of a restep
  std::vector<double> x1_, y_;     // end of the step, argument of a stage
  std::vector<double> again_x_;    // end of the last restep, of length again_h_; -1: none
  double again_h_ = -1;
  std::vector<double> fine_, coarse_;  // the estimates of the error
  std::vector<double> shape_;          // F0, F1, ... of the dense output
  double t1_ = 0;
  double norm_error_ = 0;   // of the last new point before normalising
  bool follows_ = false;    // the next step starts where the last one ended
  bool end_known_ = false;  // stage s is f(t1, x1)
  bool dense_known_ = false;
  StepController controller_;
};

ExplicitRungeKutta::ExplicitRungeKutta(const System& system, const ExplicitTableau& tableau,
                                       const IntegratorOptions& options)
    : Integrator(system),
      tab_(tableau),
      tolerance_(options.tolerance),
      controlled_(!tableau.error.empty() && !options.fixed_step),
      normalise_(options.normalise),
      rms_(options.rms_norm),
      knows_rounding_(options.knows_rounding),
      max_step_(options.max_step > 0 ? options.max_step : std::numeric_limits<double>::infinity()),
      k_(static_cast<std::size_t>(n_) * (tableau.stages + 1 + tableau.extra)),
      again_(static_cast<std::size_t>(n_) * tableau.stages),
      x1_(n_),
      y_(n_),
      again_x_(n_),
      fine_(n_),
      coarse_(n_),
      shape_(static_cast<std::size_t>(n_) * (3 + tableau.d.size())),
      controller_(tableau.error_order + 1, tableau.error_low.empty() ? 0.04 : 0) {}

void ExplicitRungeKutta::restart() {
  follows_ = false;
  controller_.restart();
}

bool ExplicitRungeKutta::fill_stages(double h, std::vector<double>& k, std::span<double> x1) {
  for (int i = 1; i < tab_.stages; ++i) {
    combine(tab_.a[i], k, h, x0_, y_);
    evaluate(t0_ + tab_.c[i] * h, y_, {k.data() + static_cast<std::size_t>(i) * n_, y_.size()});
  }
  combine(tab_.b(), k, h, x0_, x1);
  norm_error_ = system_.space().unit_norm_error(x1);
  if (normalise_) system_.space().normalise(x1);
  return all_finite(x1);
}

bool ExplicitRungeKutta::fill_end() {
  if (!end_known_) evaluate(t1_, x1_, stage(tab_.stages));
  end_known_ = true;
  return all_finite(stage(tab_.stages));
}

StepReport ExplicitRungeKutta::take_step(State& state, double h, double t_end) {
  if (follows_ && end_known_) std::copy_n(stage(tab_.stages).begin(), n_, stage(0).begin());
  x0_ = state.x;
  mode_ = state.mode;
  again_h_ = -1;
  t0_ = state.t;
  if (!(follows_ && end_known_)) evaluate(t0_, x0_, stage(0));
  follows_ = end_known_ = dense_known_ = false;
  if (!all_finite(stage(0))) return {StepStatus::not_finite, h, 0, -1, 0};

  StepReport report = controlled_ ? step_controlled(h, t_end) : step_fixed(h, t_end);
  if (report.status != StepStatus::ok) return report;
  state.x = x1_;
  state.t = t1_;
  h0_ = report.taken;
  follows_ = true;
  counts_.max_unit_norm_error = std::max(counts_.max_unit_norm_error, norm_error_);
  return report;
}

StepReport ExplicitRungeKutta::step_fixed(double h, double t_end) {
  t1_ = t_end;
  const bool finite = fill_stages(h, k_, x1_);
  return {finite ? StepStatus::ok : StepStatus::not_finite, h, 0, -1, 0};
}

StepReport ExplicitRungeKutta::step_controlled(double limit, double t_end) {
  if (!controller_.chosen()) controller_.choose(first_step(limit));
  return step_with_control(
      controller_, t0_, t_end, limit, max_step_, counts_.rejected,
      [&](double h, double t1, double& error, int& worst) {
        t1_ = t1;
        end_known_ = false;
        if (!fill_stages(h, k_, x1_)) return false;
        if (tab_.error_uses_end() && !fill_end()) return false;
        error = error_measure(h, worst);
        return true;
      },
      [&, rate = -1.0](double h) mutable {
        if (!knows_rounding_) return 0.0;
        if (rate < 0) rate = rounding_measure();
        return h * rate;
      });
}

// The largest |error_i| / (tol + tol max(|x0_i|, |x1_i|)), or the root of the mean of their
// squares, over all numbers but quadratures. These count, too, by work_share: where the motion is a
// polynomial that every step meets exactly, its work is not, and the balance of energy would be
// off. With two estimates e5, e3 (8(5,3)): e5^2 / sqrt(e5^2 + 0.01 e3^2), which behaves as h^8.
double ExplicitRungeKutta::error_measure(double h, int& worst) {
  struct {
    double fine = 0, coarse = 0, fine2 = 0, coarse2 = 0;
  } motion, work;
  double largest = 0;
  worst = -1;
  combine_stages(tab_.error, k_, h, fine_);
  combine_stages(tab_.error_low, k_, h, coarse_);
  for (int i = 0; i < n_; ++i) {
    const double share = i < m_ ? 1 : work_share;
    const double scale = tolerance_ * (1 + std::max(std::fabs(x0_[i]), std::fabs(x1_[i]))) / share;
    const double e = std::fabs(fine_[i]) / scale, e_low = std::fabs(coarse_[i]) / scale;
    auto& of = i < m_ ? motion : work;
    of.fine2 += e * e;
    of.coarse2 += e_low * e_low;
    of.coarse = std::max(of.coarse, e_low);
    if (!(e <= of.fine)) of.fine = e;
    if (!(e <= largest)) {
      largest = e;
      worst = i;
    }
  }
  if (rms_)
    motion.fine = std::sqrt(motion.fine2 / m_), motion.coarse = std::sqrt(motion.coarse2 / m_);
  const auto measure = [&](const auto& of) {
    if (tab_.error_low.empty() || of.fine == 0) return of.fine;
    return of.fine * (of.fine / std::hypot(of.fine, 0.1 * of.coarse));  // squares may underflow
  };
  const double by_motion = measure(motion), by_work = measure(work);
  return by_work > by_motion ? by_work : by_motion;  // the motion's where that is not finite
}

// How far rounding of all numbers at the start moves the rates, over the tolerance.
double ExplicitRungeKutta::rounding_measure() {
  constexpr double unit = std::numeric_limits<double>::epsilon();
  const std::span<double> rates(again_.data(), static_cast<std::size_t>(n_));
  std::uint32_t sign = 1;
  for (int i = 0; i < n_; ++i) {
    sign = 1664525 * sign + 1013904223;  // any order of signs
    y_[i] = x0_[i] * (1 + (sign >> 31 ? unit : -unit));
  }
  evaluate(t0_, y_, rates);
  double largest = 0;
  for (int i = 0; i < m_; ++i)
    largest =
        std::max(largest, std::fabs(rates[i] - k_[i]) / (tolerance_ * (1 + std::fabs(x0_[i]))));
  return std::isfinite(largest) ? largest : 0;
}

double ExplicitRungeKutta::first_step(double limit) {
  const auto scaled = [&](auto value) {
    double largest = 0;
    for (int i = 0; i < m_; ++i)
      largest = std::max(largest, std::fabs(value(i)) / (tolerance_ * (1 + std::fabs(x0_[i]))));
    return largest;
  };
  const std::span<const double> f0 = stage(0);
  const std::span<double> f1 = stage(1);
  return first_length(scaled([&](int i) { return x0_[i]; }), scaled([&](int i) { return f0[i]; }),
                      limit, max_step_, tab_.error_order, [&](double h) {
                        for (int i = 0; i < n_; ++i) y_[i] = x0_[i] + h * f0[i];
                        evaluate(t0_ + h, y_, f1);
                        return scaled([&](int i) { return f1[i] - f0[i]; }) / h;
                      });
}

// ------------------------------------------------------------------------------------ dense output

bool ExplicitRungeKutta::fill_dense() {
  if (!fill_end()) return false;
  const int s = tab_.stages;
  for (int e = s + 1; e <= s + tab_.extra; ++e) {
    combine(tab_.a[e], k_, h0_, x0_, y_);
    evaluate(t0_ + tab_.c[e] * h0_, y_, stage(e));
  }
  for (int i = 0; i < n_; ++i) y_[i] = x1_[i] - x0_[i];
  fill_dense_shape(tab_, k_, h0_, y_, shape_);
  dense_known_ = true;
  return all_finite(shape_);
}

bool ExplicitRungeKutta::dense(double theta, std::span<double> x) {
  if (!dense_known_ && !fill_dense()) return false;
  evaluate_dense_shape(shape_, theta, x);
  for (int i = 0; i < n_; ++i) x[i] += x0_[i];
  if (normalise_) system_.space().normalise(x);
  return true;
}

// The cubic through both ends, whose slopes the steps need anyway.
bool ExplicitRungeKutta::rough(double theta, std::span<double> x) {
  if (dense_known_ || tab_.extra == 0) return dense(theta, x);
  if (!fill_end()) return false;
  const std::span<const double> f0 = stage(0), f1 = stage(tab_.stages);
  const double rest = 1 - theta, value1 = theta * theta * (3 - 2 * theta),
               rate0 = h0_ * theta * rest * rest, rate1 = -h0_ * theta * theta * rest;
  for (int i = 0; i < n_; ++i)
    x[i] = x0_[i] + value1 * (x1_[i] - x0_[i]) + rate0 * f0[i] + rate1 * f1[i];
  if (normalise_) system_.space().normalise(x);
  return true;
}

StepReport ExplicitRungeKutta::restep(double h, std::span<double> x) {
  if (h == again_h_) {  // who has located an event asks for its state next
    std::copy(again_x_.begin(), again_x_.end(), x.begin());
    return {StepStatus::ok, h, 0, -1, 0};
  }
  std::copy_n(k_.begin(), n_, again_.begin());
  const double kept = norm_error_;
  const bool finite = fill_stages(h, again_, x);
  norm_error_ = kept;
  if (finite) std::copy(x.begin(), x.end(), again_x_.begin());
  again_h_ = finite ? h : -1;
  return {finite ? StepStatus::ok : StepStatus::not_finite, h, 0, -1, 0};
}

}  // namespace

std::unique_ptr<Integrator> make_explicit_integrator(const System& system,
                                                     const ExplicitTableau& tableau,
                                                     const IntegratorOptions& options) {
  return std::make_unique<ExplicitRungeKutta>(system, tableau, options);
}

}  // namespace cartan::integrate
