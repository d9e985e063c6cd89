#include "analysis/kinematics/path.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double least_part = 1e-7;      // of the time between two rows: no step is shorter
constexpr double far_correction = 0.05;  // by which the corrector may move a prediction
constexpr double path_rank_share = 1e-8;
constexpr double speed_tolerance = 1e-6;

// f(t, x) - y(t)
class PathEquation final : public StateEquations {
 public:
  PathEquation(const System& system, const PathTarget& target) : system_(system), target_(target) {}
  std::string name() const override { return target_.name; }
  int rows() const override { return 1; }
  void values(StateView at, Eigen::Ref<VectorXd> e, Workspace& workspace) const override {
    e(0) = target_.function->value(at, workspace) - target_.wanted(0, at.t);
  }
  void jacobian(StateView at, Eigen::Ref<MatrixXd> J, Workspace& workspace) const override {
    std::vector<double> gradient(at.x.size(), 0.0);
    target_.function->gradient(at, gradient, workspace);
    J = Eigen::Map<const Eigen::RowVectorXd>(gradient.data(), embedded_numbers(system_)) *
        tangent_map(system_, at.x);
  }

 private:
  const System& system_;
  const PathTarget& target_;
};

VectorXd least_norm(const MatrixXd& A, const VectorXd& b) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> cod(A.rows(), A.cols());
  cod.setThreshold(path_rank_share);
  cod.compute(A);
  return cod.solve(b);
}

class PathFollower {
 public:
  PathFollower(const System& system, const std::vector<PathTarget>& path,
               const std::vector<ValueRange>& ranges, const State& start, Workspace& workspace,
               const KinematicOptions& options)
      : system_(system),
        options_(options),
        path_(path),
        workspace_(workspace),
        start_(start),
        nq_(system.kinematic_size()),
        nv_(tangent_place(system.space(), system.kinematic_size())) {
    for (const PathTarget& target : path)
      equations_.push_back(std::make_unique<PathEquation>(system, target));
    std::vector<const StateEquations*> pointers;
    for (const auto& equation : equations_) pointers.push_back(equation.get());
    problem_.emplace(system, pointers, ranges, Unknowns::positions, start, workspace);
  }

  PathResult run(const std::vector<double>& times) {
    State state = start_;
    state.t = times[0];
    const KinematicSolution first = solve_targets(*problem_, state, options_);
    if (!first.found) {
      result_.problem = fmt::format("no configuration at t = {:g}", times[0]);
      for (const std::string& missed : first.missed) result_.problem += "; not met: " + missed;
      return std::move(result_);
    }
    result_.freedom = first.freedom;
    generic_ = first.generic;
    if (!add_point(first)) return std::move(result_);
    for (std::size_t k = 1; k < times.size(); ++k)
      if (!advance(times[k])) break;
    return std::move(result_);
  }

 private:
  // Speeds and accelerations at a configuration; false with a problem where there are none.
  bool complete(PathPoint& point) {
    State& s = point.state;
    const int targets = static_cast<int>(path_.size()), rows = system_.constraint_count() / 2;
    std::fill_n(s.x.begin() + nq_, nv_, 0.0);
    MatrixXd F(targets + rows, nv_);
    VectorXd right(targets + rows);
    std::vector<double> gradient(s.x.size());
    for (int k = 0; k < targets; ++k) {
      right(k) = path_[k].wanted(1, s.t) - path_[k].rate->gradient(s, gradient, workspace_);
      F.row(k) = Eigen::Map<const Eigen::RowVectorXd>(gradient.data() + nq_, nv_);
    }
    if (rows > 0) {
      std::vector<double> values(2 * rows);
      MatrixXd C(2 * rows, system_.space().size());
      system_.constraint_values(s, values, workspace_);
      system_.constraint_jacobian(s, C, workspace_);
      F.bottomRows(rows) = C.block(rows, nq_, rows, nv_);
      right.tail(rows) = -Eigen::Map<const VectorXd>(values.data() + rows, rows);
    }
    const VectorXd v = least_norm(F, right);
    const double off = (F * v - right).norm(), size = std::max(1.0, right.norm());
    if (!v.allFinite() || off > speed_tolerance * size) {
      result_.problem =
          fmt::format("singular position at t = {:.9g}: no speeds follow the path there", s.t);
      return false;
    }
    std::copy(v.begin(), v.end(), s.x.begin() + nq_);
    // accelerations
    std::vector<double> rate(s.x.size());
    system_.derivative(s, rate, workspace_);
    const Eigen::Map<const VectorXd> free_motion(rate.data() + nq_, nv_);
    FunctionSlope slope;
    for (int k = 0; k < targets; ++k) {
      path_[k].rate->slope(s, {}, slope, workspace_);
      double along = slope.by_time;
      for (int i = 0; i < nq_; ++i) along += slope.by_x[i] * rate[i];
      right(k) = path_[k].wanted(2, s.t) - along;
    }
    if (rows > 0) right.tail(rows) = F.bottomRows(rows) * free_motion;
    const VectorXd a = least_norm(F, right);
    if (!a.allFinite()) {
      result_.problem = fmt::format("no accelerations follow the path at t = {:.9g}", s.t);
      return false;
    }
    point.acceleration.assign(a.begin(), a.end());
    return true;
  }

  bool add_point(const KinematicSolution& solution) {
    PathPoint point;
    point.state = solution.state;
    point.residual = solution.residual;
    point.singular = solution.rank < std::max(generic_, solution.generic);
    if (point.singular) result_.singular_times.push_back(solution.state.t);
    if (!complete(point)) return false;
    result_.points.push_back(std::move(point));
    return true;
  }

  // x moved along its speeds and accelerations for a time.
  State predict_state(const PathPoint& from, double h) const {
    VectorXd d = VectorXd::Zero(problem_->size());
    std::vector<double> rate(from.state.x.size(), 0.0), xi(system_.space().tangent_size());
    State half = from.state;  // speeds in the middle
    for (int k = 0; k < nv_; ++k) half.x[nq_ + k] += 0.5 * h * from.acceleration[k];
    system_.kinematic_rates(half, std::span<double>(rate).first(nq_), workspace_);
    system_.space().to_tangent(from.state.x, rate, xi);
    for (int k = 0; k < nv_; ++k) d(k) = h * xi[k];
    State next = problem_->moved(from.state, d);
    next.t = from.state.t + h;
    return next;
  }

  void renew_turns(PathPoint& point, double h) {
    const int count = system_.turn_entries();
    if (count == 0) return;
    std::vector<int> turns(point.state.mode.end() - count, point.state.mode.end());
    if (system_.count_turns(point.state, h, turns, workspace_).empty())
      std::copy(turns.begin(), turns.end(), point.state.mode.end() - count);
  }

  bool advance(double t_end) {
    PathPoint here = result_.points.back();
    const double whole = t_end - here.state.t;
    double h = whole;
    KinematicOptions options = options_;
    options.least_change = false;
    while (here.state.t < t_end && !options_.stopped()) {
      h = std::min(h, t_end - here.state.t);
      if (t_end - (here.state.t + h) < least_part * whole) h = t_end - here.state.t;
      State guess = predict_state(here, h);
      if (h == t_end - here.state.t) guess.t = t_end;
      const KinematicSolution next = solve_targets(*problem_, guess, options);
      const double way = std::sqrt(double(nv_)) * far_correction;
      if (!next.found || next.change > way) {
        h /= 2;
        if (h > least_part * whole) continue;
        result_.problem = fmt::format(
            "the path ends at t = {:.9g}: beyond it no configuration next to the last one meets "
            "the targets (a fold, a singular position or the end of reach)",
            here.state.t);
        return false;
      }
      PathPoint point;
      point.state = next.state;
      point.residual = next.residual;
      point.singular = next.rank < std::max(generic_, next.generic);
      if (point.singular) result_.singular_times.push_back(next.state.t);
      if (!complete(point)) return false;
      renew_turns(point, h);
      here = std::move(point);
      h *= 2;
    }
    if (options_.stopped()) return false;
    result_.points.push_back(std::move(here));
    return true;
  }

  const System& system_;
  const KinematicOptions& options_;
  const std::vector<PathTarget>& path_;
  Workspace& workspace_;
  const State& start_;
  int nq_, nv_;
  std::vector<std::unique_ptr<PathEquation>> equations_;
  std::optional<TargetProblem> problem_;
  PathResult result_;
  int generic_ = 0;
};

}  // namespace

double ProductSum::value(StateView at, Workspace& workspace) const {
  double sum = 0;
  for (const auto& [a, b] : terms_) sum += a->value(at, workspace) * b->value(at, workspace);
  return sum;
}

double ProductSum::gradient(StateView at, std::span<double> gradient, Workspace& workspace) const {
  FunctionSlope all;
  const double result = slope(at, {}, all, workspace);
  std::copy(all.by_x.begin(), all.by_x.end(), gradient.begin());
  return result;
}

double ProductSum::slope(StateView at, std::span<const int> parameters, FunctionSlope& slope,
                         Workspace& workspace) const {
  slope.by_x.assign(at.x.size(), 0.0);
  slope.by_parameters.assign(parameters.size(), 0.0);
  slope.by_time = 0;
  double sum = 0;
  FunctionSlope one;
  for (const auto& [a, b] : terms_) {
    const double va = a->value(at, workspace), vb = b->value(at, workspace);
    sum += va * vb;
    for (const auto& [function, factor] : {std::pair(a, vb), std::pair(b, va)}) {
      function->slope(at, parameters, one, workspace);
      for (std::size_t i = 0; i < one.by_x.size(); ++i) slope.by_x[i] += factor * one.by_x[i];
      for (std::size_t i = 0; i < parameters.size(); ++i)
        slope.by_parameters[i] += factor * one.by_parameters[i];
      slope.by_time += factor * one.by_time;
    }
  }
  return sum;
}

PathResult follow_path(const System& system, const std::vector<PathTarget>& path,
                       const std::vector<ValueRange>& ranges, const std::vector<double>& times,
                       const State& start, Workspace& workspace, const KinematicOptions& options) {
  return PathFollower(system, path, ranges, start, workspace, options).run(times);
}

}  // namespace cartan::analysis
