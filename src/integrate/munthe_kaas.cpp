#include "integrate/munthe_kaas.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/explicit_step.h"

namespace cartan::integrate {
namespace {

class MuntheKaas final : public Integrator {
 public:
  MuntheKaas(const System& system, const ExplicitTableau& tableau,
             const IntegratorOptions& options);
  void restart() override;
  void moved() override { follows_ = false; }
  bool chooses_length() const override { return controlled_; }
  void expect_length(double h) override { controller_.choose(h); }
  bool dense_has_slopes() const override { return true; }
  StepReport take_step(State& state, double h, double t_end) override;
  bool dense(double theta, std::span<double> x) override;
  StepReport restep(double h, std::span<double> x) override;

 private:
  using Numbers = std::vector<double>;
  std::span<double> part(Numbers& k, int i) {
    return {k.data() + static_cast<std::size_t>(i) * tangent_, static_cast<std::size_t>(tangent_)};
  }
  // The tangent rate at x, and as a rate of d where x = x0 (+) d.
  void fill_rate(double t, std::span<const double> x, std::span<double> xi);
  void fill_slope(double t, std::span<const double> d, std::span<double> slope);
  bool fill_stages(double h, Numbers& k, std::span<double> d1, std::span<double> x1);
  bool fill_end();
  bool fill_dense();
  void fill_scale(std::span<const double> x, Numbers& scale) const;
  double error_measure(double h, int& worst);
  int component(int tangent) const;
  double first_step(double limit);
  StepReport step_fixed(double h, double t_end);
  StepReport step_controlled(double limit, double t_end);

  const ExplicitTableau& tab_;
  const StateSpace& space_;
  const int tangent_;  // tangent numbers
  const int counted_;  // all but quadratures
  const double tolerance_;
  const bool controlled_;
  const double max_step_;
  Numbers k_, again_;        // stages of the last step, of a restep
  Numbers d_, d1_, again1_;  // displacement of a stage, of the end, of the end of a restep
  Numbers x1_, y_, rate_;    // end of the step, a stage point, a derivative
  Numbers xi_, end_xi_;      // tangent rate of a stage, at the end
  Numbers scale0_, scale1_;
  Numbers shape_;  // F0, F1, ... of the dense output
  double t1_ = 0;
  bool follows_ = false;    // the next step starts where the last one ended
  bool end_known_ = false;  // end_xi_ and stage s belong to x1
  bool dense_known_ = false;
  StepController controller_;
};

MuntheKaas::MuntheKaas(const System& system, const ExplicitTableau& tableau,
                       const IntegratorOptions& options)
    : Integrator(system),
      tab_(tableau),
      space_(system.space()),
      tangent_(space_.tangent_size()),
      counted_(tangent_ - system.quadratures()),
      tolerance_(options.tolerance),
      controlled_(!tableau.error.empty() && !options.fixed_step),
      max_step_(options.max_step > 0 ? options.max_step : std::numeric_limits<double>::infinity()),
      k_(static_cast<std::size_t>(tangent_) * (tableau.stages + 1 + tableau.extra)),
      again_(static_cast<std::size_t>(tangent_) * tableau.stages),
      d_(tangent_),
      d1_(tangent_),
      again1_(tangent_),
      x1_(n_),
      y_(n_),
      rate_(n_),
      xi_(tangent_),
      end_xi_(tangent_),
      scale0_(tangent_),
      scale1_(tangent_),
      shape_(static_cast<std::size_t>(tangent_) * (3 + tableau.d.size())),
      controller_(tableau.error_order + 1, 0.04) {}

void MuntheKaas::restart() {
  follows_ = false;
  controller_.restart();
}

void MuntheKaas::fill_rate(double t, std::span<const double> x, std::span<double> xi) {
  evaluate(t, x, rate_);
  space_.to_tangent(x, rate_, xi);
}

void MuntheKaas::fill_slope(double t, std::span<const double> d, std::span<double> slope) {
  space_.plus(x0_, d, y_);
  fill_rate(t, y_, xi_);
  space_.displacement_rate(d, xi_, slope);
}

// Stages 1 .. s-1 into k (stage 0 is there), the displacement of the new point and the point.
bool MuntheKaas::fill_stages(double h, Numbers& k, std::span<double> d1, std::span<double> x1) {
  for (int i = 1; i < tab_.stages; ++i) {
    combine_stages(tab_.a[i], k, h, d_);
    fill_slope(t0_ + tab_.c[i] * h, d_, part(k, i));
  }
  combine_stages(tab_.b(), k, h, d1);
  space_.plus(x0_, d1, x1);
  return all_finite(x1);
}

bool MuntheKaas::fill_end() {
  if (!end_known_) {
    fill_rate(t1_, x1_, end_xi_);
    space_.displacement_rate(d1_, end_xi_, part(k_, tab_.stages));
  }
  end_known_ = true;
  return all_finite(part(k_, tab_.stages));
}

StepReport MuntheKaas::take_step(State& state, double h, double t_end) {
  const bool start_known = follows_ && end_known_;
  x0_ = state.x;
  mode_ = state.mode;
  t0_ = state.t;
  if (start_known)
    std::copy(end_xi_.begin(), end_xi_.end(), k_.begin());
  else
    fill_rate(t0_, x0_, part(k_, 0));
  follows_ = end_known_ = dense_known_ = false;
  if (!all_finite(part(k_, 0))) return {StepStatus::not_finite, h, 0, -1, 0};

  StepReport report = controlled_ ? step_controlled(h, t_end) : step_fixed(h, t_end);
  if (report.status != StepStatus::ok) return report;
  state.x = x1_;
  state.t = t1_;
  h0_ = report.taken;
  follows_ = true;
  counts_.max_unit_norm_error = std::max(counts_.max_unit_norm_error, space_.unit_norm_error(x1_));
  return report;
}

StepReport MuntheKaas::step_fixed(double h, double t_end) {
  t1_ = t_end;
  const bool finite = fill_stages(h, k_, d1_, x1_);
  return {finite ? StepStatus::ok : StepStatus::not_finite, h, 0, -1, 0};
}

StepReport MuntheKaas::step_controlled(double limit, double t_end) {
  fill_scale(x0_, scale0_);
  if (!controller_.chosen()) controller_.choose(first_step(limit));
  return step_with_control(
      controller_, t0_, t_end, limit, max_step_, counts_.rejected,
      [&](double h, double t1, double& error, int& worst) {
        t1_ = t1;
        end_known_ = false;
        if (!fill_stages(h, k_, d1_, x1_)) return false;
        if (tab_.error_uses_end() && !fill_end()) return false;
        error = error_measure(h, worst);
        return true;
      },
      [](double) { return 0.0; });
}

// Sizes of the numbers that displacements change: angles count as zero, as their size is a matter
// of the start; positions of a pose, whose displacements are in turned axes, all count as the
// largest.
void MuntheKaas::fill_scale(std::span<const double> x, Numbers& scale) const {
  for (const StateBlock& b : space_.blocks()) {
    double* s = scale.data() + b.tangent;
    if (b.kind == StateBlock::Kind::vector) {
      for (int i = 0; i < b.size; ++i) s[i] = std::fabs(x[b.x + i]);
      continue;
    }
    std::fill_n(s, 3, 0.0);
    if (b.kind == StateBlock::Kind::pose) {
      double largest = 0;
      for (int i = 4; i < 7; ++i) largest = std::max(largest, std::fabs(x[b.x + i]));
      std::fill_n(s + 3, 3, largest);
    }
  }
}

// The largest |error_i| / (tol + tol size_i) over all tangent numbers, of quadratures work_share.
double MuntheKaas::error_measure(double h, int& worst) {
  fill_scale(x1_, scale1_);
  double largest = 0;
  int at = -1;
  for (int i = 0; i < tangent_; ++i) {
    double e = 0;
    for (std::size_t j = 0; j < tab_.error.size(); ++j) e += tab_.error[j] * k_[j * tangent_ + i];
    e = std::fabs(h * e) / (tolerance_ * (1 + std::max(scale0_[i], scale1_[i])));
    if (i >= counted_) e *= work_share;
    if (!(e <= largest)) {
      largest = e;
      at = i;
    }
  }
  worst = at < 0 ? -1 : component(at);
  return largest;
}

// The embedded number that stands for a tangent number in messages.
int MuntheKaas::component(int tangent) const {
  int found = -1;
  for (const StateBlock& b : space_.blocks())
    if (b.tangent <= tangent)
      found = b.x + (tangent - b.tangent) + (b.kind == StateBlock::Kind::vector ? 0 : 1);
  return found;
}

double MuntheKaas::first_step(double limit) {
  const auto scaled = [&](auto value) {
    double largest = 0;
    for (int i = 0; i < counted_; ++i)
      largest = std::max(largest, std::fabs(value(i)) / (tolerance_ * (1 + scale0_[i])));
    return largest;
  };
  const std::span<const double> f0 = part(k_, 0);
  return first_length(scaled([&](int i) { return scale0_[i]; }),
                      scaled([&](int i) { return f0[i]; }), limit, max_step_, tab_.error_order,
                      [&](double h) {
                        for (int i = 0; i < tangent_; ++i) d_[i] = h * f0[i];
                        space_.plus(x0_, d_, y_);
                        fill_rate(t0_ + h, y_, xi_);
                        return scaled([&](int i) { return xi_[i] - f0[i]; }) / h;
                      });
}

// ------------------------------------------------------------------------------------ dense output

// The tableau's polynomial for d, in the tangent space at the start of the step.
bool MuntheKaas::fill_dense() {
  if (!fill_end()) return false;
  const int s = tab_.stages;
  for (int e = s + 1; e <= s + tab_.extra; ++e) {
    combine_stages(tab_.a[e], k_, h0_, d_);
    fill_slope(t0_ + tab_.c[e] * h0_, d_, part(k_, e));
  }
  fill_dense_shape(tab_, k_, h0_, d1_, shape_);
  dense_known_ = true;
  return all_finite(shape_);
}

bool MuntheKaas::dense(double theta, std::span<double> x) {
  if (!dense_known_ && !fill_dense()) return false;
  evaluate_dense_shape(shape_, theta, d_);
  space_.plus(x0_, d_, x);
  return true;
}

StepReport MuntheKaas::restep(double h, std::span<double> x) {
  std::copy_n(k_.begin(), tangent_, again_.begin());
  const bool finite = fill_stages(h, again_, again1_, x);
  return {finite ? StepStatus::ok : StepStatus::not_finite, h, 0, -1, 0};
}

}  // namespace

std::unique_ptr<Integrator> make_munthe_kaas_integrator(const System& system,
                                                        const ExplicitTableau& tableau,
                                                        const IntegratorOptions& options) {
  return std::make_unique<MuntheKaas>(system, tableau, options);
}

}  // namespace cartan::integrate
