#include "analysis/lyapunov.h"

#include <algorithm>
#include <cmath>

#include "analysis/tangents.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int parts = 10;
constexpr double unequal = 1e3;  // lengths of displacements, seen in R

class Averager {
 public:
  Averager(const System& system, const State& start, const LyapunovOptions& options)
      : options_(options),
        directions_(allowed_directions(system, start, *system.make_workspace())),
        flow_(system, static_cast<int>(directions_.cols()), {}, options.flow),
        workspace_(system.make_workspace()) {
    flow_.start(start, directions_);
  }

  LyapunovResult run() {
    LyapunovResult result;
    const double t0 = flow_.state().t, total = options_.transient + options_.duration;
    const auto count = static_cast<int>(directions_.cols());
    std::vector<VectorXd> growth(parts, VectorXd::Zero(count));
    result.problem = follow(t0 + options_.transient, t0, total, nullptr);
    counting_ = true;
    for (int k = 0; k < parts && result.problem.empty(); ++k)
      result.problem = follow(t0 + options_.transient + options_.duration * (k + 1) / parts, t0,
                              total, &growth[k]);
    result.end = flow_.state();
    result.decompositions = decompositions_;
    result.evaluations = flow_.evaluations();
    if (!result.problem.empty()) return result;
    result.duration = options_.duration;
    average(growth, result);
    return result;
  }

 private:
  // To time t, adding the logarithms of R to `sum`.
  std::string follow(double t, double t0, double total, VectorXd* sum) {
    VectorXd unused = VectorXd::Zero(directions_.cols());
    VectorXd& logs = sum ? *sum : unused;
    double next = flow_.state().t + options_.step;
    const auto after_step = [&] {
      look_for_crossing();
      if (options_.on_progress) options_.on_progress((flow_.state().t - t0) / total);
      if (options_.step <= 0) decompose(logs, false);
      return true;
    };
    while (options_.step > 0 && next < t) {
      if (std::string problem = flow_.advance(next, after_step); !problem.empty()) return problem;
      decompose(logs, true);
      next += options_.step;
    }
    if (std::string problem = flow_.advance(t, after_step); !problem.empty()) return problem;
    decompose(logs, true);
    return finite_ ? "" : "displacements grow beyond all numbers between two decompositions";
  }

  void decompose(VectorXd& logs, bool always) {
    const MatrixXd columns = flow_.columns();
    if (columns.cols() == 0) return;
    const Eigen::HouseholderQR<MatrixXd> qr(columns);
    const VectorXd size = qr.matrixQR().diagonal().cwiseAbs();
    const double largest = size.maxCoeff(), smallest = size.minCoeff();
    finite_ &= std::isfinite(largest) && smallest > 0;
    if (!always && largest < unequal * smallest && largest < 1e6 && smallest > 1e-6) return;
    if (!finite_) return;
    logs += size.array().log().matrix();
    const MatrixXd thin = MatrixXd::Identity(columns.rows(), columns.cols());
    flow_.set_columns(qr.householderQ() * thin);
    ++decompositions_;
  }

  void look_for_crossing() {
    if (!options_.section || !options_.on_crossing) return;
    const double now = options_.section->value(flow_.state(), *workspace_);
    if (counting_ && before_ < 0 && now >= 0) report_crossing(now);
    before_ = now;
  }

  // The zero inside the last step, by bisection and secants on its dense output.
  void report_crossing(double at_end) {
    State inside;
    double left = 0, right = 1, h_left = before_, h_right = at_end;
    for (int i = 0; i < 100 && right - left > 1e-15; ++i) {
      double theta =
          i % 3 == 2 ? 0.5 * (left + right) : left + (right - left) * (h_left / (h_left - h_right));
      theta = std::clamp(theta, left, right);
      if (!flow_.dense(theta, inside)) return;
      const double h = options_.section->value(inside, *workspace_);
      if (h == 0) break;
      (h < 0 ? left : right) = theta;
      (h < 0 ? h_left : h_right) = h;
    }
    options_.on_crossing(inside);
  }

  void average(const std::vector<VectorXd>& growth, LyapunovResult& result) const {
    const double part = options_.duration / parts;
    for (int i = 0; i < directions_.cols(); ++i) {
      double mean = 0, spread = 0;
      for (const VectorXd& g : growth) mean += g[i] / options_.duration;
      for (const VectorXd& g : growth) spread = std::hypot(spread, g[i] / part - mean);
      result.exponents.push_back(mean);
      result.errors.push_back(spread / std::sqrt((parts - 1) * parts));
    }
    std::vector<int> order(result.exponents.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return result.exponents[a] > result.exponents[b]; });
    const std::vector<double> exponents = result.exponents, errors = result.errors;
    for (std::size_t i = 0; i < order.size(); ++i) {
      result.exponents[i] = exponents[order[i]];
      result.errors[i] = errors[order[i]];
    }
  }

  const LyapunovOptions& options_;
  MatrixXd directions_;
  Flow flow_;
  std::unique_ptr<Workspace> workspace_;
  double before_ = 0;  // section at the end of the last step
  bool counting_ = false, finite_ = true;
  long decompositions_ = 0;
};

}  // namespace

LyapunovResult calc_lyapunov_exponents(const System& system, const State& start,
                                       const LyapunovOptions& options) {
  LyapunovResult result;
  result.problem = refuse_flow(system);
  if (!result.problem.empty()) return result;
  return Averager(system, start, options).run();
}

}  // namespace cartan::analysis
