#include "analysis/continuation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/branch_events.h"

namespace cartan::analysis {
namespace {

using Eigen::VectorXd;
using Equations = ContinuationProblem::Equations;

constexpr double sharpest_turn = 0.9;  // cosine between neighbouring tangents

class Walk {
 public:
  Walk(ContinuationProblem& problem, const ContinuationOptions& options, bool from_bifurcation)
      : problem_(problem),
        options_(options),
        follower_(problem, options),
        step_(options.step),
        first_(from_bifurcation) {}

  Branch run(BranchSample start) {
    branch_.samples.push_back(std::move(start));
    while (branch_.end.empty()) advance();
    for (BranchSample& s : branch_.samples) s.matrix.resize(0, 0);
    return std::move(branch_);
  }

 private:
  void advance() {
    if (options_.stop_requested && options_.stop_requested->load()) {
      fail("stopped on request");
      return;
    }
    if (static_cast<int>(branch_.samples.size()) >= options_.most_points) {
      branch_.end = fmt::format("{} points were computed, as many points as were asked for",
                                branch_.samples.size());
      return;
    }
    const BranchSample& last = branch_.samples.back();
    int iterations = 0;
    std::optional<BranchSample> next = follower_.advance(last, step_, iterations);
    BranchEvents events;
    bool too_far = !next;
    if (next && !first_) {
      events = compare_samples(last, *next);
      too_far =
          weighted_dot(last.tangent, next->tangent, last.weights) < sharpest_turn || events.tangled;
    }
    if (too_far && (!next || step_ > 1e3 * options_.least_step)) {
      shorten();
      return;
    }
    if (const std::string end = problem_.look_for_end(last.point, next->point); !end.empty()) {
      branch_.end = end;
      return;
    }
    accept(std::move(*next), events, iterations);
  }

  void shorten() {
    step_ /= 2;
    if (step_ >= options_.least_step) return;
    const std::size_t n = branch_.samples.size();
    const ContinuationPoint& last = branch_.samples.back().point;
    std::string why = n > 1 ? problem_.explain_end(branch_.samples[n - 2].point, last) : "";
    if (why.empty()) why = follower_.trouble;
    if (why.empty()) why = "it ends or turns too sharply there";
    fail(fmt::format("it could not be followed beyond {:.10g}: {}", last.parameter(), why));
  }

  void fail(const std::string& reason) {
    branch_.end = reason;
    branch_.failed = true;
  }

  void accept(BranchSample next, const BranchEvents& events, int iterations) {
    const double p = next.point.parameter();
    const bool inside = p >= lowest() && p <= highest();
    std::vector<Bifurcation> found;
    if (!first_ && events.count() > 0)
      found = locate_events(follower_, events, branch_.samples.back(), next);
    for (Bifurcation& bifurcation : found) {
      const double at = bifurcation.at.point.parameter();
      if (at < lowest() || at > highest()) continue;
      branch_.bifurcations.push_back(std::move(bifurcation));
    }
    if (!inside) {
      add_last(next);
      return;
    }
    branch_.samples.back().matrix.resize(0, 0);
    branch_.samples.push_back(std::move(next));
    first_ = false;
    if (options_.on_point) options_.on_point(static_cast<int>(branch_.samples.size()), p);
    if (iterations <= 3) step_ = std::min(1.4 * step_, options_.largest_step);
    if (iterations > 6) step_ /= 2;
  }

  double lowest() const { return std::min(options_.from, options_.to); }
  double highest() const { return std::max(options_.from, options_.to); }

  // Ends the branch exactly at the border of the interval.
  void add_last(const BranchSample& beyond) {
    const BranchSample& last = branch_.samples.back();
    const double p = last.point.parameter();
    const double border = beyond.point.parameter() > highest() ? highest() : lowest();
    branch_.reached = border == options_.to;
    branch_.end =
        fmt::format("the parameter {} {:g}", branch_.reached ? "reached" : "came back to", border);
    const double part = (border - p) / (beyond.point.parameter() - p);
    if (!(part > 0)) return;
    ContinuationPoint point = last.point;
    VectorXd step = part * (beyond.arc - last.arc) * last.tangent;
    step[step.size() - 1] = border - p;
    if (!problem_.move(step, point).empty()) return;
    Equations at;
    if (follower_.correct(point, nullptr, at) < 0) return;
    if (auto end = follower_.sample(std::move(point), at, &last.tangent,
                                    last.arc + part * (beyond.arc - last.arc)))
      branch_.samples.push_back(std::move(*end));
  }

  ContinuationProblem& problem_;
  const ContinuationOptions& options_;
  BranchFollower follower_;
  Branch branch_;
  double step_;
  bool first_;  // the next step leaves a bifurcation
};

}  // namespace

Branch follow_branch(ContinuationProblem& problem, const ContinuationPoint& start,
                     const ContinuationOptions& options) {
  Branch none;
  BranchFollower follower(problem, options);
  ContinuationPoint point = start;
  Equations at;
  std::optional<BranchSample> first;
  if (follower.correct(point, nullptr, at) >= 0)
    first = follower.sample(std::move(point), at, nullptr, 0);
  if (!first) {
    none.problem = follower.trouble;
    return none;
  }
  return Walk(problem, options, false).run(std::move(*first));
}

Branch follow_direction(ContinuationProblem& problem, const BranchSample& from,
                        const VectorXd& direction, const ContinuationOptions& options) {
  BranchSample first = from;
  first.tangent = direction;
  first.arc = 0;
  return Walk(problem, options, true).run(std::move(first));
}

std::vector<Branch> switch_branch(ContinuationProblem& problem, const Bifurcation& at,
                                  const ContinuationOptions& options) {
  std::vector<Branch> branches;
  if (at.other_direction.size() == 0) return branches;
  for (const double sign : {1.0, -1.0}) {
    Branch branch = follow_direction(problem, at.at, sign * at.other_direction, options);
    if (branch.samples.size() > 1) branches.push_back(std::move(branch));
  }
  return branches;
}

}  // namespace cartan::analysis
