// Runs of fixed steps as functions, and their gradients.
#include <algorithm>
#include <cmath>

#include "api/system_inside.h"
#include "results/code/rate_gradient.h"
#include "results/task.h"

namespace cartan::api {
namespace {

// Compiling takes seconds: it pays for a run of some length, or for many short ones.
constexpr std::size_t stages_worth_compiling = 1000;

// f and its products from the System itself; parameters by the whole Jacobian.
class SystemRates final : public RateFunctions {
 public:
  SystemRates(const System::Inside& inside, std::vector<int> parameters)
      : inside_(inside), parameters_(std::move(parameters)), scratch_(inside.take()) {}
  ~SystemRates() override { inside_.give_back(std::move(scratch_)); }

  void rates(double t, std::span<const double> x, std::span<double> xdot) override {
    SystemScratch& s = *scratch_;
    inside_.fill(x, s.x);
    s.rates.resize(inside_.whole);
    inside_.system->derivative({t, s.x, inside_.start.mode}, s.rates, *s.workspace);
    std::copy_n(s.rates.begin(), inside_.size, xdot.begin());
  }
  void back(double t, std::span<const double> x, std::span<const double> w, std::span<double> by_x,
            std::span<double> by_p) override {
    SystemScratch& s = *scratch_;
    inside_.multiply(true, t, x, w, by_x, s);
    if (parameters_.empty()) return;
    Jp_.setZero(inside_.whole, static_cast<Eigen::Index>(parameters_.size()));
    inside_.fill(x, s.x);
    inside_.system->parameter_jacobian({t, s.x, inside_.start.mode}, parameters_, Jp_,
                                       *s.workspace);
    for (std::size_t j = 0; j < parameters_.size(); ++j)
      for (std::size_t i = 0; i < inside_.size; ++i)
        by_p[j] += w[i] * Jp_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
  }

 private:
  const System::Inside& inside_;
  const std::vector<int> parameters_;
  std::unique_ptr<SystemScratch> scratch_;
  Eigen::MatrixXd Jp_;
};

// Whether the code has the System's own numbers at its start: another set of coordinates has not.
bool is_the_same(const System::Inside& inside, CompiledRates& code) {
  if (code.size() != inside.size) return false;
  SystemRates own(inside, {});
  const std::span<const double> x(inside.start.x.data(), inside.size);
  std::vector<double> expected(inside.size), got(inside.size);
  own.rates(inside.start.t, x, expected);
  code.rates(inside.start.t, x, got);
  double size = 0, error = 0;
  for (std::size_t i = 0; i < inside.size; ++i) {
    size = std::max(size, std::fabs(expected[i]));
    error = std::max(error, std::fabs(expected[i] - got[i]));
  }
  return error <= 1e-9 * size;
}

std::shared_ptr<const CompiledRates> find_code(const System::Inside& inside,
                                               const std::vector<int>& parameters,
                                               std::size_t stages, const Watch& watch) {
  const std::lock_guard lock(inside.backward_mutex);
  System::Inside::BackwardCode& entry = inside.backward[parameters];
  entry.stages += stages;
  if (entry.made || entry.stages < stages_worth_compiling) return entry.code;
  entry.made = true;
  std::string problem;
  std::unique_ptr<CompiledRates> code =
      CompiledRates::make(*inside.model, inside.start, parameters, problem);
  if (code && is_the_same(inside, *code)) entry.code = std::move(code);
  if (!entry.code && !problem.empty())
    tell(watch, "note: gradients of runs come without compiled code, and are slower: " + problem);
  return entry.code;
}

StepPlan plan_of(double t, double step, std::size_t steps, const Watch& watch) {
  if (!std::isfinite(t) || !std::isfinite(step) || step == 0)
    refuse_at("system", "t and step: expected finite numbers, and a step that is not zero");
  return {t, step, steps, &classical_rk4(), watch.stop};
}

}  // namespace

void System::take_steps(double t, double step, std::size_t steps, std::span<double> x,
                        const Watch& watch) const {
  check_length("x", x.size(), size());
  SystemRates rates(*inside_, {});
  if (!analysis::take_steps(rates, plan_of(t, step, steps, watch), x)) fail_at("system", "stopped");
}

void System::steps_gradient(double t, double step, std::size_t steps, std::span<const double> x,
                            std::span<double> w, const std::vector<std::string>& parameters,
                            std::span<double> by_parameters, const Watch& watch) const {
  check_length("x", x.size(), size());
  check_length("w", w.size(), size());
  check_length("by_parameters", by_parameters.size(), parameters.size());
  const std::vector<int> which = inside_->find_parameters(parameters);
  const StepPlan plan = plan_of(t, step, steps, watch);
  std::fill(by_parameters.begin(), by_parameters.end(), 0.0);
  const std::shared_ptr<const CompiledRates> code =
      find_code(*inside_, which, steps * static_cast<std::size_t>(plan.tableau->stages), watch);
  bool done = false;
  if (code) {
    CompiledRates own = *code;  // with scratch of its own
    done = differentiate_steps(own, plan, x, w, by_parameters);
  } else {
    SystemRates rates(*inside_, which);
    done = differentiate_steps(rates, plan, x, w, by_parameters);
  }
  if (!done) fail_at("system", "stopped");
}

}  // namespace cartan::api
