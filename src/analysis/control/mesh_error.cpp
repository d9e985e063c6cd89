#include "analysis/control/mesh_error.h"

#include <algorithm>
#include <cmath>

#include "analysis/control/steering_program.h"
#include "core/dense.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// One interval solved anew with more points.
class IntervalCheck {
 public:
  IntervalCheck(const SteeringPhase& problem, const PhaseMotion& motion)
      : problem_(problem),
        motion_(motion),
        rule_(CollocationKind::gauss, motion.mesh.rule.points() + 3),
        n_(problem.states) {}

  VectorXd end, finish;  // of the new solution and of the old
  MatrixXd change;       // d end / d start
  VectorXd inside;       // largest differences at the points

  bool solve(int k) {
    const int S = rule_.points(), n = n_;
    const double begin = motion_.interval_begin(k), h = motion_.interval_end(k) - begin;
    std::vector<double> a = motion_.base[k];
    a.insert(a.end(), problem_.numbers.begin(), problem_.numbers.end());
    const VectorXd& y0 = motion_.node[k];
    VectorXd Y(S * n), old(S * n), residual(S * n);
    for (int i = 0; i < S; ++i) old.segment(i * n, n) = motion_.coordinates(k, rule_.c[i]);
    Y = old;
    MatrixXd A(S * n, S * n);
    const SmoothMap& map = *problem_.stage;
    std::vector<double> f(map.outputs), slopes(map.slopes.size());
    VectorXd z(map.inputs);
    for (int pass = 0; pass < 8; ++pass) {
      A.setZero();
      for (int i = 0; i < S; ++i) {
        z << Y.segment(i * n, n), motion_.inputs_in(k, rule_.c[i]), begin + rule_.c[i] * h;
        map.value(z.data(), a.data(), f.data());
        map.fill_slopes(z.data(), a.data(), slopes.data());
        residual.segment(i * n, n) =
            rule_.D(i, 0) * y0 - h * Eigen::Map<const VectorXd>(f.data(), n);
        for (int j = 0; j < S; ++j) {
          residual.segment(i * n, n) += rule_.D(i, j + 1) * Y.segment(j * n, n);
          A.block(i * n, j * n, n, n).diagonal().array() += rule_.D(i, j + 1);
        }
        for (int e = 0; e < map.slopes.size(); ++e)
          if (map.slopes.row[e] < n && map.slopes.column[e] < n)
            A(i * n + map.slopes.row[e], i * n + map.slopes.column[e]) -= h * slopes[e];
      }
      factor_.compute(A);
      const VectorXd step = factor_.solve(residual);
      Y -= step;
      if (!Y.allFinite()) return false;
      if (step.cwiseAbs().maxCoeff() < 1e-13 * (1 + Y.cwiseAbs().maxCoeff())) break;
    }
    MatrixXd by_start(S * n, n);
    for (int i = 0; i < S; ++i)
      by_start.middleRows(i * n, n) = -rule_.D(i, 0) * MatrixXd::Identity(n, n);
    by_start = factor_.solve(by_start);
    end = rule_.end(0) * y0;
    change = rule_.end(0) * MatrixXd::Identity(n, n);
    inside = VectorXd::Zero(n);
    for (int i = 0; i < S; ++i) {
      end += rule_.end(i + 1) * Y.segment(i * n, n);
      change += rule_.end(i + 1) * by_start.middleRows(i * n, n);
      inside = inside.cwiseMax((Y - old).segment(i * n, n).cwiseAbs());
    }
    finish = motion_.coordinates(k, 1);
    return true;
  }

 private:
  const SteeringPhase& problem_;
  const PhaseMotion& motion_;
  CollocationRule rule_;
  int n_;
  Eigen::PartialPivLU<MatrixXd> factor_;
};

// Slopes of a map as a full matrix, the first `rows` and `columns` of it.
MatrixXd full_slopes(const SmoothMap& map, const double* z, const double* a, int rows,
                     int columns) {
  std::vector<double> entries(map.slopes.size());
  map.fill_slopes(z, a, entries.data());
  MatrixXd J = MatrixXd::Zero(rows, columns);
  for (int e = 0; e < map.slopes.size(); ++e)
    if (map.slopes.row[e] < rows && map.slopes.column[e] < columns)
      J(map.slopes.row[e], map.slopes.column[e]) += entries[e];
  return J;
}

// An error at the end of interval k as one at node k + 1: around its base, on the constraints.
VectorXd carried(const SteeringPhase& problem, const PhaseMotion& motion, int k,
                 const VectorXd& finish, VectorXd error) {
  const int n = problem.states;
  if (problem.chart) {
    std::vector<double> a = motion.base[k];
    a.insert(a.end(), motion.base[k + 1].begin(), motion.base[k + 1].end());
    error = full_slopes(*problem.chart, finish.data(), a.data(), n, n) * error;
  }
  if (problem.closures == 0) return error;
  std::vector<double> a = motion.base[k + 1];
  a.insert(a.end(), problem.numbers.begin(), problem.numbers.end());
  VectorXd z = VectorXd::Zero(n + 1 + problem.closures);
  z.head(n) = motion.node[k + 1];
  z(n) = motion.interval_end(k);
  const MatrixXd C = full_slopes(*problem.closure, z.data(), a.data(), problem.closures, n);
  const MatrixXd square = C * C.transpose();
  return error - C.transpose() * Eigen::LDLT<MatrixXd>(square).solve(C * error);
}

// y' and its slopes at the end of a phase, or at its start; with the inputs' polynomials there.
VectorXd rates_at_edge(const SteeringPhase& phase, const PhaseMotion& motion, bool last) {
  const int k = last ? motion.intervals() - 1 : 0, n = phase.states;
  std::vector<double> a = last ? motion.base.back() : motion.base.front();
  a.insert(a.end(), phase.numbers.begin(), phase.numbers.end());
  VectorXd z(phase.stage->inputs), f(phase.stage->outputs);
  z << (last ? motion.node.back() : motion.node.front()), motion.inputs_in(k, last ? 1 : 0),
      (last ? motion.times.back() : motion.times.front());
  phase.stage->value(z.data(), a.data(), f.data());
  return f.head(n);
}

// An error at the end of a phase as one at the start of the next.
VectorXd carried_over(const SteeringProblem& problem, const SteeringMotion& motion,
                      const SteeringJunction& junction, std::size_t index, const VectorXd& error) {
  const SteeringPhase &from = problem.phases[junction.from], &to = problem.phases[junction.to];
  const PhaseMotion& before = motion.phases[junction.from];
  const int n = from.states, m = junction.impulses;
  VectorXd z(junction.map->inputs);
  z << before.node.back(), before.times.back(), motion.impulses[index];
  const std::vector<double> a = junction_numbers(junction, motion);
  const MatrixXd J = full_slopes(*junction.map, z.data(), a.data(), n + m + junction.closings,
                                 junction.map->inputs);
  MatrixXd R = J.topLeftCorner(n, n + 1);  // by y and t
  if (m > 0) {
    const MatrixXd equations = J.block(n, n + 1, m, m);
    R -= J.block(0, n + 1, n, m) *
         Eigen::PartialPivLU<MatrixXd>(equations).solve(J.block(n, 0, m, n + 1));
  }
  if (junction.closings == 0) return R.leftCols(n) * error;
  // of several gaps that close together the one that the error moves most
  const VectorXd rate = rates_at_edge(from, before, true);
  double shift = 0;
  for (int c = 0; c < junction.closings; ++c) {
    const Eigen::RowVectorXd h = J.row(n + m + c).head(n);
    const double tau = -h.dot(error) / (h.dot(rate) + J(n + m + c, n));
    if (std::fabs(tau) > std::fabs(shift)) shift = tau;
  }
  return R.leftCols(n) * (error + shift * rate) + shift * R.col(n) -
         shift * rates_at_edge(to, motion.phases[junction.to], false);
}

// Errors of one phase are added to those it begins with.
bool add_phase_errors(const SteeringPhase& phase, const PhaseMotion& motion, const VectorXd& scale,
                      VectorXd& error, MeshErrors& result) {
  const int N = motion.intervals();
  result.local.emplace_back();
  IntervalCheck check(phase, motion);
  for (int k = 0; k < N; ++k) {
    if (!check.solve(k)) return false;
    const VectorXd at_end = check.end - check.finish;
    const VectorXd local = check.inside.cwiseMax(at_end.cwiseAbs()).cwiseQuotient(scale);
    result.local.back().push_back(local.maxCoeff());
    result.largest = std::max(result.largest, local.maxCoeff());
    const double whole = (error.cwiseAbs() + check.inside).cwiseQuotient(scale).maxCoeff();
    result.error = std::max(result.error, whole);
    error = carried(phase, motion, k, check.finish, check.change * error + at_end);
  }
  result.error = std::max(result.error, error.cwiseAbs().cwiseQuotient(scale).maxCoeff());
  return true;
}

void add_beyond(const SteeringPhase& phase, const PhaseMotion& motion, MeshErrors& result) {
  constexpr int looks = 12;
  std::vector<double>& list = result.beyond.emplace_back(motion.intervals(), 0.0);
  if (phase.watched_paths.empty()) return;
  VectorXd z(phase.stage->inputs), f(phase.stage->outputs);
  std::vector<double> size(phase.paths, 1.0);
  MatrixXd beyond = MatrixXd::Zero(phase.paths, motion.intervals());
  for (int k = 0; k < motion.intervals(); ++k) {
    std::vector<double> a = motion.base[k];
    a.insert(a.end(), phase.numbers.begin(), phase.numbers.end());
    for (int i = 0; i <= looks; ++i) {
      const double s = 1.0 * i / looks, begin = motion.interval_begin(k);
      z << motion.coordinates(k, s), motion.inputs_in(k, s),
          begin + s * (motion.interval_end(k) - begin);
      phase.stage->value(z.data(), a.data(), f.data());
      for (const int j : phase.watched_paths) {
        const double value = f(phase.states + 1 + j);
        size[j] = std::max(size[j], 1 + std::fabs(value));
        beyond(j, k) = std::max(
            {beyond(j, k), phase.path_bounds[j].low - value, value - phase.path_bounds[j].high});
      }
    }
  }
  for (int k = 0; k < motion.intervals(); ++k)
    for (const int j : phase.watched_paths) list[k] = std::max(list[k], beyond(j, k) / size[j]);
  result.largest_beyond =
      std::max(result.largest_beyond, *std::max_element(list.begin(), list.end()));
}

}  // namespace

MeshErrors estimate_mesh_errors(const SteeringProblem& problem, const SteeringMotion& motion) {
  MeshErrors result;
  const int n = problem.phases.front().states;
  VectorXd scale = VectorXd::Ones(n), error = VectorXd::Zero(n);
  for (const PhaseMotion& phase : motion.phases)
    for (const VectorXd& y : phase.node) scale = scale.cwiseMax(y.cwiseAbs() + VectorXd::Ones(n));
  for (std::size_t p = 0; p < motion.phases.size(); ++p)
    add_beyond(problem.phases[p], motion.phases[p], result);
  for (std::size_t p = 0; p < motion.phases.size(); ++p) {
    bool known = add_phase_errors(problem.phases[p], motion.phases[p], scale, error, result);
    for (std::size_t j = 0; known && j < problem.junctions.size(); ++j) {
      const SteeringJunction& junction = problem.junctions[j];
      if (junction.repeats || junction.from != static_cast<int>(p)) continue;
      error = carried_over(problem, motion, junction, j, error);
      known = error.allFinite();
    }
    if (known) continue;
    result.local.clear();
    for (const PhaseMotion& phase : motion.phases)
      result.local.emplace_back(phase.mesh.intervals.size(), 1.0);
    result.largest = result.error = std::numeric_limits<double>::infinity();
    break;
  }
  return result;
}

}  // namespace cartan::analysis
