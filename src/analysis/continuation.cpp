#include "analysis/continuation.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/dense.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Equations = ContinuationProblem::Equations;

constexpr double rank_tolerance = 1e-11;

// Smallest weighted step d with A d = -r in the sense of least squares.
VectorXd smallest_step(const MatrixXd& A, const VectorXd& r, const VectorXd& weights) {
  const MatrixXd scaled = A * weights.cwiseInverse().asDiagonal();
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
  solver.setThreshold(rank_tolerance);
  solver.compute(scaled);
  return weights.cwiseInverse().cwiseProduct(VectorXd(-solver.solve(r)));
}

// Unit vectors (in the weighted norm) that A annihilates, at least `wanted`: the weakest ones.
MatrixXd weakest_directions(const MatrixXd& A, const VectorXd& weights, int wanted) {
  const MatrixXd scaled = A * weights.cwiseInverse().asDiagonal();
  const Eigen::JacobiSVD<MatrixXd> svd(scaled, Eigen::ComputeFullV);
  return weights.cwiseInverse().asDiagonal() * svd.matrixV().rightCols(wanted);
}

double weighted_dot(const VectorXd& a, const VectorXd& b, const VectorXd& weights) {
  return a.cwiseProduct(weights).dot(b.cwiseProduct(weights));
}

bool is_solved(const Equations& e, double tolerance) {
  return e.residual.lpNorm<Eigen::Infinity>() <= tolerance * e.size;
}

class Follower {
 public:
  Follower(ContinuationProblem& problem, const ContinuationOptions& options)
      : problem_(problem), options_(options) {}

  // Gauss-Newton with one more equation, row . d = 0 from step to step. Iterations, or -1.
  int correct(ContinuationPoint& point, const VectorXd* row, Equations& at) {
    constexpr int most = 12;
    double last = 0;
    for (int iteration = 0; iteration <= most; ++iteration) {
      at = problem_.linearise(point);
      if (!at.problem.empty() || !at.residual.allFinite() || !at.matrix.allFinite()) return -1;
      const double size = at.residual.lpNorm<Eigen::Infinity>();
      if (is_solved(at, options_.tolerance)) return iteration;
      if (iteration > 3 && size > 0.7 * last)  // rounding stops it, or it does not converge
        return size <= 100 * options_.tolerance * at.size ? iteration : -1;
      last = size;
      MatrixXd A = at.matrix;
      VectorXd r = at.residual;
      A.conservativeResize(A.rows() + 1, Eigen::NoChange);
      r.conservativeResize(r.size() + 1);
      if (row)
        A.bottomRows(1) = row->cwiseProduct(at.weights).cwiseProduct(at.weights).transpose();
      else
        A.bottomRows(1) = VectorXd::Unit(A.cols(), A.cols() - 1).transpose();
      r(r.size() - 1) = 0;
      const VectorXd step = smallest_step(A, r, at.weights);
      if (!step.allFinite()) return -1;
      trouble = problem_.move(step, point);
      if (!trouble.empty()) return -1;
    }
    return -1;
  }

  VectorXd tangent_at(const Equations& at, const VectorXd* before) {
    VectorXd t = weakest_directions(at.matrix, at.weights, 1);
    const double along =
        before ? weighted_dot(t, *before, at.weights) : options_.direction * t(t.size() - 1);
    if (along < 0) t = -t;
    return t;
  }

  std::optional<BranchSample> sample(ContinuationPoint point, const Equations& at,
                                     const VectorXd* before, double arc) {
    BranchSample s;
    s.tangent = tangent_at(at, before);
    s.spectrum = problem_.calc_spectrum(point);
    if (!s.spectrum.problem.empty()) {
      trouble = s.spectrum.problem;
      return std::nullopt;
    }
    s.point = std::move(point);
    s.stable = s.spectrum.unstable(1e-9) == 0;
    s.arc = arc;
    return s;
  }

  // The solution at arc length s from `from`, along its tangent.
  std::optional<BranchSample> advance(const BranchSample& from, double s, int& iterations) {
    ContinuationPoint point = from.point;
    trouble = problem_.move(s * from.tangent, point);
    if (!trouble.empty()) return std::nullopt;
    Equations at;
    iterations = correct(point, &from.tangent, at);
    if (iterations < 0) {
      if (trouble.empty()) trouble = at.problem;
      return std::nullopt;
    }
    return sample(std::move(point), at, &from.tangent, from.arc + s);
  }

  std::string trouble;

 private:
  ContinuationProblem& problem_;
  const ContinuationOptions& options_;
};

// Growths from the most unstable on.
std::vector<std::complex<double>> by_growth(const Spectrum& spectrum) {
  std::vector<std::complex<double>> values = spectrum.values;
  std::sort(values.begin(), values.end(), [&](auto a, auto b) {
    const double x = spectrum.growth(a), y = spectrum.growth(b);
    return x != y ? x > y : a.imag() > b.imag();
  });
  return values;
}

// What happens between two neighbouring samples, if anything does.
class Detector {
 public:
  Detector(Follower& follower, const ContinuationOptions& options)
      : follower_(follower), options_(options) {}

  // Whether all that happened between is one event that can be located.
  static bool is_simple(const BranchSample& a, const BranchSample& b) {
    const int change = std::abs(a.spectrum.unstable() - b.spectrum.unstable());
    const bool fold = turns(a, b);
    if (change <= 1) return true;
    if (change > 2 || fold) return false;
    const int k = std::max(a.spectrum.unstable(), b.spectrum.unstable());
    return is_pair(by_growth(a.spectrum), k) && is_pair(by_growth(b.spectrum), k);
  }

  std::optional<Bifurcation> find(const BranchSample& a, const BranchSample& b) {
    const int before = a.spectrum.unstable(), after = b.spectrum.unstable();
    if (turns(a, b))
      return locate(
          a, b, [](const BranchSample& s) { return s.tangent(s.tangent.size() - 1); },
          BifurcationKind::fold);
    if (before == after) return std::nullopt;
    const int k = std::max(before, after);
    const auto growth = [k](const BranchSample& s) {
      const auto values = by_growth(s.spectrum);
      return k <= static_cast<int>(values.size()) ? s.spectrum.growth(values[k - 1]) : -1.0;
    };
    std::optional<Bifurcation> found = locate(a, b, growth, BifurcationKind::branch_point);
    if (!found) return found;
    const auto values = by_growth(found->at.spectrum);
    const std::complex<double> critical = values[std::min<std::size_t>(k, values.size()) - 1];
    found->critical = {critical.real(), std::fabs(critical.imag())};
    found->kind = name(found->at.spectrum, critical, std::abs(after - before));
    return found;
  }

 private:
  static bool turns(const BranchSample& a, const BranchSample& b) {
    return a.tangent(a.tangent.size() - 1) * b.tangent(b.tangent.size() - 1) < 0;
  }
  static bool is_pair(const std::vector<std::complex<double>>& values, int k) {
    if (k < 2 || k > static_cast<int>(values.size())) return false;
    const auto a = values[k - 2], b = values[k - 1];
    return a.imag() != 0 && std::abs(a - std::conj(b)) < 1e-6 * (1 + std::abs(a));
  }
  static BifurcationKind name(const Spectrum& spectrum, std::complex<double> critical, int change) {
    const bool pair = change == 2 && std::fabs(critical.imag()) > 1e-7 * (1 + std::abs(critical));
    if (!spectrum.multipliers) return pair ? BifurcationKind::hopf : BifurcationKind::branch_point;
    if (pair) return BifurcationKind::torus;
    return critical.real() < 0 ? BifurcationKind::period_doubling : BifurcationKind::branch_point;
  }

  // Root of `test` along the arc from a (Illinois' form of the false position, then halving).
  template <class Test>
  std::optional<Bifurcation> locate(const BranchSample& a, const BranchSample& b, Test&& test,
                                    BifurcationKind kind) {
    double left = 0, right = b.arc - a.arc, f_left = test(a), f_right = test(b);
    BranchSample best = std::fabs(f_left) < std::fabs(f_right) ? a : b;
    int side = 0;
    for (int k = 0; k < 60 && right - left > 1e-14 * (b.arc - a.arc); ++k) {
      double s = (left * f_right - right * f_left) / (f_right - f_left);
      if (!(s > left && s < right) || k % 8 == 7) s = (left + right) / 2;
      int iterations = 0;
      const std::optional<BranchSample> middle = follower_.advance(a, s, iterations);
      if (!middle) break;
      const double f = test(*middle);
      if (std::fabs(f) <= std::fabs(test(best))) best = *middle;
      if (f == 0) break;
      if (f * f_right < 0) {
        left = s, f_left = f;
        if (side == -1) f_right /= 2;
        side = -1;
      } else {
        right = s, f_right = f;
        if (side == 1) f_left /= 2;
        side = 1;
      }
      if (std::fabs(f) < 1e-14) break;
    }
    Bifurcation found;
    found.kind = kind;
    found.at = std::move(best);
    return found;
  }

  Follower& follower_;
  const ContinuationOptions& options_;
};

bool inside(const ContinuationOptions& o, double parameter) {
  return parameter >= std::min(o.from, o.to) && parameter <= std::max(o.from, o.to);
}

// Ends the branch exactly at the border of the interval.
void add_last(Follower& follower, ContinuationProblem& problem, const ContinuationOptions& o,
              const BranchSample& beyond, Branch& branch) {
  const BranchSample& last = branch.samples.back();
  const double border = beyond.point.parameter() > std::max(o.from, o.to) ? std::max(o.from, o.to)
                                                                          : std::min(o.from, o.to);
  const double span = beyond.point.parameter() - last.point.parameter();
  const double part = span != 0 ? (border - last.point.parameter()) / span : 0;
  ContinuationPoint point = last.point;
  VectorXd step = part * (beyond.arc - last.arc) * last.tangent;
  step(step.size() - 1) = border - last.point.parameter();
  branch.reached = true;
  branch.end = fmt::format("the parameter reached {:g}", border);
  if (part <= 0 || !problem.move(step, point).empty()) return;
  Equations at;
  if (follower.correct(point, nullptr, at) < 0) return;
  if (auto sample = follower.sample(std::move(point), at, &last.tangent,
                                    last.arc + part * (beyond.arc - last.arc)))
    branch.samples.push_back(std::move(*sample));
}

void add_bifurcation(ContinuationProblem& problem, std::optional<Bifurcation> found,
                     Branch& branch) {
  if (!found) return;
  if (found->kind == BifurcationKind::branch_point) {
    const Equations at = problem.linearise(found->at.point);
    if (at.problem.empty()) {
      MatrixXd two = weakest_directions(at.matrix, at.weights, 2);
      // the part of the null space that the branch itself does not take
      const VectorXd& t = found->at.tangent;
      VectorXd best = VectorXd::Zero(t.size());
      for (int j = 0; j < 2; ++j) {
        VectorXd d = two.col(j);
        d -= weighted_dot(d, t, at.weights) / weighted_dot(t, t, at.weights) * t;
        if (weighted_dot(d, d, at.weights) > weighted_dot(best, best, at.weights)) best = d;
      }
      found->other_direction = best / std::sqrt(weighted_dot(best, best, at.weights));
    }
  }
  branch.bifurcations.push_back(std::move(*found));
}

Branch follow_from(ContinuationProblem& problem, BranchSample first,
                   const ContinuationOptions& options) {
  Follower follower(problem, options);
  Detector detector(follower, options);
  Branch branch;
  branch.samples.push_back(std::move(first));
  double step = options.step;
  while (static_cast<int>(branch.samples.size()) < options.most_points) {
    if (options.stop_requested && options.stop_requested->load()) {
      branch.end = "stopped on request";
      return branch;
    }
    const BranchSample& last = branch.samples.back();
    int iterations = 0;
    std::optional<BranchSample> next = follower.advance(last, step, iterations);
    const bool sharp = next && last.tangent.normalized().dot(next->tangent.normalized()) < 0.8;
    if (!next ||
        ((sharp || !Detector::is_simple(last, *next)) && step > 1e3 * options.least_step)) {
      step /= 2;
      if (step >= options.least_step) continue;
      branch.end = follower.trouble.empty()
                       ? "steps became too small: the branch ends or turns too sharply here"
                       : follower.trouble;
      return branch;
    }
    if (!inside(options, next->point.parameter())) {
      const BranchSample beyond = *next;
      add_last(follower, problem, options, beyond, branch);
      return branch;
    }
    add_bifurcation(problem, detector.find(last, *next), branch);
    branch.samples.push_back(std::move(*next));
    if (options.on_point)
      options.on_point(static_cast<int>(branch.samples.size()),
                       branch.samples.back().point.parameter());
    if (iterations <= 3) step = std::min(1.4 * step, options.largest_step);
    if (iterations > 6) step /= 2;
  }
  branch.end = fmt::format("{} points computed", branch.samples.size());
  return branch;
}

}  // namespace

double Spectrum::growth(std::complex<double> value) const {
  return multipliers ? std::log(std::max(std::abs(value), 1e-300)) : value.real();
}

int Spectrum::unstable(double margin) const {
  return static_cast<int>(std::count_if(values.begin(), values.end(),
                                        [&](auto value) { return growth(value) > margin; }));
}

const char* to_string(BifurcationKind kind) {
  switch (kind) {
    case BifurcationKind::fold:
      return "fold";
    case BifurcationKind::branch_point:
      return "branch-point";
    case BifurcationKind::hopf:
      return "hopf";
    case BifurcationKind::period_doubling:
      return "period-doubling";
    case BifurcationKind::torus:
      return "torus";
  }
  return "";
}

std::string solve_at_parameter(ContinuationProblem& problem, ContinuationPoint& point,
                               double tolerance) {
  ContinuationOptions options;
  options.tolerance = tolerance;
  Follower follower(problem, options);
  Equations at;
  if (follower.correct(point, nullptr, at) >= 0) return "";
  if (!at.problem.empty()) return at.problem;
  return follower.trouble.empty()
             ? fmt::format("Newton's method does not converge; the residual is {:.2g}",
                           at.residual.size() > 0 ? at.residual.lpNorm<Eigen::Infinity>() : 0.0)
             : follower.trouble;
}

Branch follow_branch(ContinuationProblem& problem, const ContinuationPoint& start,
                     const ContinuationOptions& options) {
  Branch none;
  ContinuationPoint point = start;
  none.problem = solve_at_parameter(problem, point, options.tolerance);
  if (!none.problem.empty()) return none;
  Follower follower(problem, options);
  const Equations at = problem.linearise(point);
  std::optional<BranchSample> first = follower.sample(std::move(point), at, nullptr, 0);
  if (!first) {
    none.problem = follower.trouble;
    return none;
  }
  return follow_from(problem, std::move(*first), options);
}

std::vector<Branch> switch_branch(ContinuationProblem& problem, const Bifurcation& at,
                                  const ContinuationOptions& options) {
  std::vector<Branch> branches;
  if (at.other_direction.size() == 0) return branches;
  for (int sign : {1, -1}) {
    BranchSample first = at.at;
    first.tangent = sign * at.other_direction;
    first.arc = 0;
    ContinuationOptions o = options;
    o.step = std::min(options.step, 0.1 * options.largest_step);
    Branch branch = follow_from(problem, std::move(first), o);
    if (branch.samples.size() > 1) branches.push_back(std::move(branch));
  }
  return branches;
}

}  // namespace cartan
