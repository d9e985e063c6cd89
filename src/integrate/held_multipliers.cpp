#include "integrate/held_multipliers.h"

#include "integrate/explicit_step.h"
#include "system/held_multipliers.h"

namespace cartan::integrate {
namespace {

class HeldIntegrator final : public Integrator {
 public:
  explicit HeldIntegrator(const System& system)
      : Integrator(system),
        held_(*system.held_multipliers()),
        multipliers_(held_.multiplier_count()),
        x1_(n_),
        y_(n_),
        k_(n_) {}

  void restart() override {}
  void moved() override {}

  StepReport take_step(State& state, double h, double t_end) override {
    x0_ = state.x;
    mode_ = state.mode;
    t0_ = state.t;
    ++counts_.evaluations;
    held_.solve_multipliers(state, multipliers_, *workspace_);
    const StepReport report = restep(h, x1_);
    if (report.status != StepStatus::ok) return report;
    state.x = x1_;
    state.t = t_end;
    h0_ = h;
    return report;
  }

  // The method itself, for a part of the step.
  bool dense(double theta, std::span<double> x) override {
    return restep(theta * h0_, x).status == StepStatus::ok;
  }

  StepReport restep(double h, std::span<double> x) override {
    constexpr double reach[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    std::copy(x0_.begin(), x0_.end(), x.begin());
    for (int stage = 0; stage < 4; ++stage) {
      for (int i = 0; i < n_; ++i) y_[i] = x0_[i] + h * reach[stage] * k_[i];
      if (stage == 0) std::copy(x0_.begin(), x0_.end(), y_.begin());
      ++counts_.evaluations;
      held_.held_derivative({t0_ + reach[stage] * h, y_, mode_}, multipliers_, k_, *workspace_);
      for (int i = 0; i < n_; ++i) x[i] += h * weight[stage] * k_[i];
    }
    return {all_finite(x) ? StepStatus::ok : StepStatus::not_finite, h, 0, -1, 0};
  }

 private:
  const HeldMultipliers& held_;
  std::vector<double> multipliers_, x1_, y_, k_;
};

}  // namespace

std::unique_ptr<Integrator> make_held_integrator(const System& system, const IntegratorOptions&) {
  return std::make_unique<HeldIntegrator>(system);
}

std::string refuse_held_integrator(const System& system) {
  if (!system.held_multipliers())
    return "held-multipliers holds the multipliers of the formulation 'rotation-elements'; use "
           "that, or another integrator, such as gl3";
  return system.held_multipliers()->refusal();
}

}  // namespace cartan::integrate
