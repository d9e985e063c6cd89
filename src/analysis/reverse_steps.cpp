#include "analysis/reverse_steps.h"

#include <algorithm>

namespace cartan::analysis {
namespace {

class StepDifferentiator {
 public:
  StepDifferentiator(RateFunctions& f, const StepPlan& plan, std::size_t size)
      : f_(f),
        plan_(plan),
        tableau_(*plan.tableau),
        n_(size),
        s_(static_cast<std::size_t>(plan.tableau->stages)),
        k_(s_ * n_),
        point_(s_ * n_) {}

  // x to the end of step number `k`; the points of its stages are written to `points`.
  void step(std::size_t k, std::span<double> x, std::span<double> points) {
    const double h = plan_.step, t = time_of(k);
    for (std::size_t i = 0; i < s_; ++i) {
      const std::span<double> at = points.subspan(i * n_, n_);
      std::copy(x.begin(), x.end(), at.begin());
      for (std::size_t j = 0; j < i; ++j) add(h * tableau_.a[i][j], stage(k_, j), at);
      f_.rates(t + tableau_.c[i] * h, at, stage(k_, i));
    }
    for (std::size_t i = 0; i < s_; ++i) add(h * tableau_.b()[i], stage(k_, i), x);
  }
  void step(std::size_t k, std::span<double> x) { step(k, x, point_); }

  // k_ holds g_i here.
  void step_back(std::size_t k, std::span<const double> points, std::span<double> w,
                 std::span<double> by_p) {
    const double h = plan_.step, t = time_of(k);
    l_.resize(n_);
    for (std::size_t i = s_; i-- > 0;) {
      std::fill(l_.begin(), l_.end(), 0.0);
      add(h * tableau_.b()[i], w, l_);
      for (std::size_t j = i + 1; j < s_; ++j) add(h * tableau_.a[j][i], stage(k_, j), l_);
      f_.back(t + tableau_.c[i] * h, points.subspan(i * n_, n_), l_, stage(k_, i), by_p);
    }
    for (std::size_t i = 0; i < s_; ++i) add(1, stage(k_, i), w);
  }

  bool stopped() const { return plan_.stop_requested && plan_.stop_requested->load(); }
  std::size_t numbers_of_step() const { return s_ * n_; }

 private:
  double time_of(std::size_t k) const { return plan_.t + static_cast<double>(k) * plan_.step; }
  std::span<double> stage(std::vector<double>& all, std::size_t i) const {
    return {all.data() + i * n_, n_};
  }
  static void add(double factor, std::span<const double> from, std::span<double> to) {
    if (factor == 0) return;
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
  }

  RateFunctions& f_;
  const StepPlan& plan_;
  const ExplicitTableau& tableau_;
  const std::size_t n_, s_;
  std::vector<double> k_, point_, l_;
};

}  // namespace

bool take_steps(RateFunctions& f, const StepPlan& plan, std::span<double> x) {
  StepDifferentiator one(f, plan, x.size());
  for (std::size_t k = 0; k < plan.steps; ++k) {
    one.step(k, x);
    if (one.stopped()) return false;
  }
  return true;
}

bool differentiate_steps(RateFunctions& f, const StepPlan& plan, std::span<const double> x,
                         std::span<double> w, std::span<double> by_p) {
  StepDifferentiator one(f, plan, x.size());
  const std::size_t n = x.size(), width = one.numbers_of_step();
  if (n == 0 || plan.steps == 0) return true;
  const std::size_t stretch = std::clamp<std::size_t>(plan.kept_numbers / width, 1, plan.steps);
  std::vector<double> starts, now(x.begin(), x.end()), points(stretch * width);
  for (std::size_t k = 0; k < plan.steps; ++k) {
    if (k % stretch == 0) starts.insert(starts.end(), now.begin(), now.end());
    one.step(k, now, std::span(points).subspan(k % stretch * width, width));
    if (one.stopped()) return false;
  }
  for (std::size_t first = (plan.steps - 1) / stretch * stretch, end = plan.steps;;
       first -= stretch) {
    if (end < plan.steps) {  // the points of the last stretch are still there
      std::copy_n(starts.begin() + static_cast<std::ptrdiff_t>(first / stretch * n), n,
                  now.begin());
      for (std::size_t k = first; k < end; ++k)
        one.step(k, now, std::span(points).subspan((k - first) * width, width));
    }
    for (std::size_t k = end; k-- > first;) {
      one.step_back(k, std::span(points).subspan((k - first) * width, width), w, by_p);
      if (one.stopped()) return false;
    }
    if (first == 0) return true;
    end = first;
  }
}

}  // namespace cartan::analysis
