// Functionals along a run (functionals.h).
#include <algorithm>
#include <cmath>

#include "analysis/design/integrals.h"
#include "formulations/formulations.h"
#include "mechanics/machine/state_expression.h"
#include "results/design/functionals.h"
#include "results/fit/fit_start.h"

namespace cartan::results {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Kind = Functional::Kind;

constexpr int grid_rows = 400;   // of maxima, before they are refined
constexpr int refined_rows = 9;  // Chebyshev points around the highest

// Barycentric weights turn values at Chebyshev points of [-1, 1] into the polynomial's value.
struct ChebyshevCurve {
  std::vector<double> s;
  explicit ChebyshevCurve(int n) {
    for (int k = 0; k < n; ++k) s.push_back(-std::cos(M_PI * k / (n - 1)));
  }
  std::vector<double> weights_at(double x) const {
    std::vector<double> w(s.size(), 0.0);
    double sum = 0;
    for (std::size_t k = 0; k < s.size(); ++k) {
      if (x == s[k]) {
        std::fill(w.begin(), w.end(), 0.0);
        w[k] = 1;
        return w;
      }
      const double end = k == 0 || k + 1 == s.size() ? 0.5 : 1;
      w[k] = (k % 2 == 0 ? end : -end) / (x - s[k]);
      sum += w[k];
    }
    for (double& weight : w) weight /= sum;
    return w;
  }
};

// One run with certain parameters, and what is asked of it.
class FunctionalRun {
 public:
  FunctionalRun(const std::vector<Functional>& functionals, const SimulateOptions& options,
                double duration, VectorXd& values, MatrixXd* slopes)
      : functionals_(functionals),
        options_(options),
        duration_(duration),
        values_(values),
        slopes_(slopes) {}

  // The system, its start and the functions along the run; `which`: derivatives by these, measured
  // in `units`.
  std::string prepare(const Model& model, std::unique_ptr<System> system, std::vector<int> which,
                      std::vector<double> units, const std::vector<double>& scales) {
    which_ = std::move(which);
    units_ = std::move(units);
    instance_.system = std::move(system);
    StateValues values;
    values.q.resize(model.joints.size());
    values.v.resize(model.joints.size());
    values.variables.resize(model.variables.size());
    if (std::string problem = fill_start(values, which_, instance_); !problem.empty())
      return problem;
    if (std::string problem = make_functions(scales); !problem.empty()) return problem;
    begin_ = whole_->inside(instance_.start);
    begin_by_parameters_ = MatrixXd::Zero(whole_->space().size(), which_.size());
    begin_by_parameters_.topRows(instance_.start_by_parameters.rows()) =
        instance_.start_by_parameters;
    return "";
  }

  std::string evaluate() {
    if (std::string problem = take_timed(); !problem.empty()) return problem;
    for (std::size_t k = 0; k < functionals_.size(); ++k) {
      if (functionals_[k].kind != Kind::event) continue;
      Protocol protocol;
      protocol.event = functionals_[k].event;
      protocol.event_count = functionals_[k].crossing;
      const Prediction at = predict_at(protocol);
      if (!at.problem.empty()) return functionals_[k].text + ": " + at.problem;
      take(k, at, functionals_[k].crossing - 1);
    }
    return "";
  }

 private:
  std::string make_functions(const std::vector<double>& scales) {
    std::vector<const StateFunction*> integrands;
    std::vector<double> sizes;
    std::vector<int> place(functionals_.size(), -1);
    for (std::size_t k = 0; k < functionals_.size(); ++k) {
      instance_.quantities.emplace_back();
      if (functionals_[k].is_linear()) continue;
      instance_.quantities[k] = make_state_function(*instance_.system, functionals_[k].formula);
      if (!instance_.quantities[k])
        return "the state of this formulation is not made of joint coordinates and speeds; use the "
               "formulation recursive";
      if (functionals_[k].kind != Kind::integral) continue;
      place[k] = static_cast<int>(integrands.size());
      integrands.push_back(instance_.quantities[k].get());
      sizes.push_back(k < scales.size() && scales[k] > 0 ? scales[k] : 1);
    }
    whole_ = std::make_unique<IntegralSystem>(*instance_.system, integrands, sizes);
    int columns = 0;
    for (std::size_t k = 0; k < functionals_.size(); ++k) {
      functions_.push_back(place[k] >= 0 ? make_integral_function(*whole_, place[k])
                           : instance_.quantities[k]
                               ? make_inner_function(*whole_, *instance_.quantities[k])
                               : nullptr);
      column_.push_back(functions_[k] ? columns++ : -1);
    }
    return "";
  }

  Prediction predict_at(Protocol protocol) const {
    protocol.duration = duration_;
    for (const auto& function : functions_)
      if (function) protocol.quantities.push_back(function.get());
    return predict(*whole_, begin_, begin_by_parameters_, which_, protocol, options_, units_);
  }
  void take(std::size_t k, const Prediction& prediction, int row) {
    values_(k) = prediction.values(row, column_[k]);
    if (slopes_) slopes_->row(k) = prediction.by_parameters[row].row(column_[k]);
  }

  // All times at which something is wanted, the end among them.
  std::vector<double> list_times(bool& any) const {
    const double t0 = begin_.t;
    std::vector<double> times = {t0 + duration_};
    bool extremes = false;
    any = false;
    for (const Functional& f : functionals_) {
      if (f.kind == Kind::at) times.push_back(t0 + f.time);
      extremes |= f.kind == Kind::maximum || f.kind == Kind::minimum;
      any |= !f.is_linear() && f.kind != Kind::event;
    }
    if (extremes)
      for (int k = 0; k <= grid_rows; ++k) times.push_back(t0 + duration_ * k / grid_rows);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }

  // Everything at times in one simulation.
  std::string take_timed() {
    bool any = false;
    const std::vector<double> times = list_times(any);
    if (!any) return "";
    Protocol protocol;
    protocol.times = times;
    const Prediction all = predict_at(protocol);
    if (!all.problem.empty()) return all.problem;
    for (std::size_t k = 0; k < functionals_.size(); ++k) {
      const Functional& f = functionals_[k];
      if (f.kind == Kind::final || f.kind == Kind::integral)
        take(k, all, static_cast<int>(times.size()) - 1);
      if (f.kind == Kind::at)
        take(k, all,
             static_cast<int>(std::find(times.begin(), times.end(), begin_.t + f.time) -
                              times.begin()));
      if (f.kind != Kind::maximum && f.kind != Kind::minimum) continue;
      const double sign = f.kind == Kind::maximum ? 1 : -1;
      int best = 0;
      for (int row = 1; row < all.values.rows(); ++row)
        if (sign * all.values(row, column_[k]) > sign * all.values(best, column_[k])) best = row;
      // at an end of the run it may be highest too
      const int last = static_cast<int>(times.size()) - 1;
      if (std::string problem = refine_extreme(k, sign, times[std::max(best - 1, 0)],
                                               times[std::min(best + 1, last)]);
          !problem.empty())
        return problem;
    }
    return "";
  }

  // The highest point of a polynomial through points between a and b.
  std::string refine_extreme(std::size_t k, double sign, double a, double b) {
    const ChebyshevCurve curve(refined_rows);
    Protocol fine;
    for (const double s : curve.s)
      fine.times.push_back(std::clamp(a + (b - a) * (s + 1) / 2, a, b));
    const Prediction near = predict_at(fine);
    if (!near.problem.empty()) return near.problem;
    const auto value_at = [&](double s) {
      const std::vector<double> w = curve.weights_at(s);
      double sum = 0;
      for (int i = 0; i < refined_rows; ++i) sum += w[i] * near.values(i, column_[k]);
      return sign * sum;
    };
    double low = -1, high = 1;
    for (int i = 0; i < 100; ++i) {
      const double c = low + (high - low) * 0.381966011250105, d = high - (c - low);
      const bool left = value_at(c) >= value_at(d);
      (left ? high : low) = left ? d : c;
    }
    const std::vector<double> w = curve.weights_at(0.5 * (low + high));
    values_(k) = 0;
    if (slopes_) slopes_->row(k).setZero();
    for (int i = 0; i < refined_rows; ++i) {
      values_(k) += w[i] * near.values(i, column_[k]);
      if (slopes_) slopes_->row(k) += w[i] * near.by_parameters[i].row(column_[k]);
    }
    return "";
  }

  const std::vector<Functional>& functionals_;
  const SimulateOptions& options_;
  const double duration_;
  VectorXd& values_;
  MatrixXd* slopes_;
  FitInstance instance_;
  std::unique_ptr<IntegralSystem> whole_;
  std::vector<std::unique_ptr<StateFunction>> functions_;  // of `whole_`, per functional
  std::vector<int> column_;                                // of predictions, per functional
  State begin_;
  MatrixXd begin_by_parameters_;
  std::vector<int> which_;
  std::vector<double> units_;
};

}  // namespace

std::string Functionals::run(const VectorXd& theta, const VectorXd& size,
                             const SimulateOptions& options, bool slopes, Numbers& numbers) const {
  if (!needs_run()) return "";
  std::string problem;
  std::unique_ptr<System> system = make_system(
      model_, parameter_values(model_, free_, {theta.data(), free_.size()}), formulation_, problem);
  if (!system) return problem;
  FunctionalRun run(functionals_, options, duration_, numbers.values,
                    slopes ? &numbers.slopes : nullptr);
  std::vector<double> units;
  if (slopes) units.assign(size.data(), size.data() + size.size());
  problem = run.prepare(model_, std::move(system), slopes ? free_ : std::vector<int>{},
                        std::move(units), scales_);
  return problem.empty() ? run.evaluate() : problem;
}

}  // namespace cartan::results
