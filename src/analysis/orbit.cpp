#include "analysis/orbit.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/tangents.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double settled_step = 1e-9;   // of a Newton step: the next one would be below rounding
constexpr double good_residual = 1e-9;  // that an orbit must reach
constexpr double neutral_distance = 1e-5, circle_width = 1e-6;

// The step of least length with A s = -r. Where orbits come in families A loses rank on the family,
// and near it has singular values of the size of r: a damping mu of the size r^2 (Levenberg and
// Marquardt) keeps the steps short along the family and convergence quadratic. What is left below
// 1e-9 of the largest singular value is rounding. Where quantities are held there is no family.
struct Solution {
  VectorXd step;
  // |A^T r| / (|A| |r|): near zero where the residual cannot be made smaller, at a fold
  double slope = 0;
};

Solution solve(const ShootingEquations& e, bool family) {
  const Eigen::JacobiSVD<MatrixXd> svd(e.matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const VectorXd& sigma = svd.singularValues();
  const double r = e.residual.norm(), mu = r * std::min(r, family ? 1e-2 : 1e-6);
  VectorXd y = svd.matrixU().transpose() * e.residual;
  for (int i = 0; i < sigma.size(); ++i)
    y[i] *= sigma[i] > 1e-9 * sigma[0] ? -sigma[i] / (sigma[i] * sigma[i] + mu) : 0;
  const double slope = (e.matrix.transpose() * e.residual).norm() / (sigma[0] * r);
  return {svd.matrixV() * y, slope};
}

class Newton {
 public:
  Newton(const System& system, const ShootingPoint& guess, const OrbitOptions& options)
      : system_(system),
        options_(options),
        workspace_(system.make_workspace()),
        guess_(guess.period) {
    orbit_.point = guess;
  }

  Orbit run() {
    orbit_.problem = begin();
    if (orbit_.problem.empty()) orbit_.problem = iterate();
    if (orbit_.problem.empty()) finish();
    if (flow_) orbit_.evaluations = flow_->evaluations();
    return std::move(orbit_);
  }

 private:
  std::string begin() {
    if (std::string reason = refuse_flow(system_); !reason.empty()) return reason;
    if (!(orbit_.point.period > 0)) return "the period must be positive";
    if (std::string reason = refuse_time(system_, options_.problem, orbit_.point, *workspace_);
        !reason.empty())
      return reason;
    const int d =
        static_cast<int>(allowed_directions(system_, orbit_.point.nodes[0], *workspace_).cols());
    if (d == 0) return "the constraints leave no motion that could be changed";
    const int p = static_cast<int>(options_.problem.parameters.size());
    flow_ = std::make_unique<Flow>(system_, d + p, options_.problem.parameters, options_.flow);
    equations_ = linearise_shooting(*flow_, options_.problem, orbit_.point);
    if (!equations_.problem.empty())
      return fmt::format("the motion cannot be followed for the time {:g}: {}", orbit_.point.period,
                         equations_.problem);
    return "";
  }

  double size() const {
    double largest = 1;
    for (double x : orbit_.point.nodes[0].x) largest = std::max(largest, std::fabs(x));
    return largest;
  }

  std::string iterate() {
    const double first = equations_.residual.norm();
    double last_step = 0;
    for (;;) {
      const double residual = equations_.residual.lpNorm<Eigen::Infinity>();
      if (options_.on_step) options_.on_step(orbit_.newton_steps, residual);
      if (residual <= 1e-13 * size()) return "";
      const bool settled = orbit_.newton_steps > 0 && last_step <= settled_step * size();
      if (settled && residual <= good_residual * size()) return "";
      const Solution solution = solve(equations_, options_.problem.holds.empty());
      if (orbit_.newton_steps == options_.most_steps)
        return describe_failure(fmt::format("{} Newton steps", options_.most_steps), first,
                                solution.slope);
      VectorXd step = solution.step;
      limit_period(step);
      last_step = step.lpNorm<Eigen::Infinity>();
      if (std::string reason = try_step(step); !reason.empty()) {
        if (residual <= good_residual * size()) return "";  // rounding stops the decrease
        return describe_failure(reason, first, solution.slope);
      }
      ++orbit_.newton_steps;
      if (std::string reason = look_for_loss(); !reason.empty()) return reason;
    }
  }

  // The period changes by a third at most.
  void limit_period(VectorXd& step) const {
    if (options_.problem.driven) return;
    const double change = std::fabs(step[step.size() - 1]), most = orbit_.point.period / 3;
    if (change > most) step *= most / change;
  }

  // The whole step, or a part of it that brings the residual down.
  std::string try_step(const VectorXd& step) {
    std::string reason;
    for (double part = 1; part > 0.01; part /= 2) {
      if (options_.flow.stop_requested && *options_.flow.stop_requested) return "interrupted";
      ShootingPoint trial = orbit_.point;
      reason = apply_shooting_step(system_, equations_, part * step, trial, *workspace_);
      if (!reason.empty()) continue;
      ShootingEquations next = linearise_shooting(*flow_, options_.problem, trial);
      reason = next.problem;
      if (!reason.empty()) continue;
      if (!(next.residual.norm() < equations_.residual.norm())) {
        reason = "no step along the Newton direction brings the orbit closer to closing";
        continue;
      }
      orbit_.point = std::move(trial);
      equations_ = std::move(next);
      return "";
    }
    return reason;
  }

  std::string look_for_loss() const {
    if (options_.problem.driven) return "";
    const double T = orbit_.point.period;
    if (T > 20 * guess_ || T < guess_ / 20)
      return fmt::format("the orbit is lost: the period went from the guess {:g} to {:g}", guess_,
                         T);
    if (equations_.rate * T < 1e-6 * size())
      return "the iteration ended at an equilibrium, where every period is one; begin farther from "
             "it, or with another period";
    return "";
  }

  std::string describe_failure(const std::string& what, double first, double slope) const {
    std::string text = fmt::format(
        "no orbit was found: {}; the residual went from {:.3g} to {:.3g} in {} steps, the period "
        "is {:.6g}",
        what, first, equations_.residual.norm(), orbit_.newton_steps, orbit_.point.period);
    if (slope < 0.2)
      text +=
          "; the residual is close to a minimum there that is not zero: as beyond a fold, there "
          "may "
          "be no orbit near at these parameters, or the start is too far from it";
    else
      text += "; try a start closer to the orbit, a better period, or more nodes along the orbit";
    return text;
  }

  void finish() {
    orbit_.residual = equations_.residual.lpNorm<Eigen::Infinity>();
    orbit_.turns = equations_.turns;
    orbit_.shifts = equations_.shifts;
    if (!options_.problem.swap.empty() && equations_.unlike > 1e-6)
      orbit_.problem = fmt::format(
          "the parts that are exchanged are not alike: the rates after the exchange differ by "
          "{:.2g} of their size; exchange all that belongs together",
          equations_.unlike);
    orbit_.multipliers = product_eigenvalues(equations_.factors);
    judge_stability(orbit_, options_.problem.driven);
    if (!options_.problem.driven && equations_.rate * orbit_.point.period < 1e-6 * size())
      orbit_.problem = "the start is an equilibrium, where every period is one";
    orbit_.equations = std::move(equations_);
  }

  const System& system_;
  const OrbitOptions& options_;
  std::unique_ptr<Workspace> workspace_;
  double guess_;
  std::unique_ptr<Flow> flow_;
  Orbit orbit_;
  ShootingEquations equations_;
};

}  // namespace

Orbit find_orbit(const System& system, const ShootingPoint& guess, const OrbitOptions& options) {
  return Newton(system, guess, options).run();
}

Orbit find_orbit(const System& system, const State& start, const OrbitOptions& options) {
  Orbit orbit;
  ShootingPoint guess;
  orbit.problem = refuse_flow(system);
  if (orbit.problem.empty() && !(options.period > 0)) orbit.problem = "the period must be positive";
  if (orbit.problem.empty())
    orbit.problem = make_shooting_point(system, start, options.period,
                                        std::max(1, options.shooting), options.flow, guess);
  return orbit.problem.empty() ? find_orbit(system, guess, options) : orbit;
}

std::string leave_event(const System& system, const OrbitOptions& options, State& start,
                        bool& moved) {
  constexpr double near = 0.03;  // of the period
  moved = false;
  if (system.events().empty() || options.problem.section) return "";
  const auto workspace = system.make_workspace();
  State begin = start;
  system.settle(begin, *workspace);
  if (!workspace->jumps.problem.empty()) return workspace->jumps.problem;
  const double t0 = start.t, T = options.period;
  const MatrixXd none(tangent_numbers(system), 0);
  Flow flow(system, 0, {}, options.flow);
  flow.start(begin, none);
  std::vector<double> jumps = {0};  // parts of the period
  long known = 0;
  bool close = begin.x != start.x;
  std::string problem = flow.advance(t0 + (1 + near) * T, [&] {
    if (flow.jumps() == known) return true;
    known = flow.jumps();
    const double part = (flow.state().t - t0) / T;
    close |= part < near || part > 1 - near;
    jumps.push_back(part);
    return true;
  });
  if (!problem.empty() || !close) return problem;
  // the middle of the longest time without a jump
  jumps.push_back(1);
  double from = 0, length = 0;
  for (std::size_t k = 1; k < jumps.size(); ++k)
    if (jumps[k] - jumps[k - 1] > length) from = jumps[k - 1], length = jumps[k] - jumps[k - 1];
  flow.start(begin, none);
  problem = flow.advance(t0 + (from + 0.5 * length) * T);
  if (!problem.empty()) return problem;
  start = flow.state();
  if (!options.problem.driven) start.t = t0;
  moved = true;
  return "";
}

void judge_stability(Orbit& orbit, bool driven) {
  orbit.neutral = 0;
  orbit.stable = orbit.attracting = true;
  for (const std::complex<double>& m : orbit.multipliers) {
    if (std::abs(m - 1.0) < neutral_distance) {
      ++orbit.neutral;
      continue;
    }
    orbit.stable &= std::abs(m) <= 1 + circle_width;
    orbit.attracting &= std::abs(m) < 1 - circle_width;
  }
  orbit.attracting &= orbit.neutral <= (driven ? 0 : 1);
}

}  // namespace cartan::analysis
