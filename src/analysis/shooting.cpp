#include "analysis/shooting.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analysis/tangents.h"

namespace cartan::analysis {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The same rates after a shift of number i of x by whole turns?
bool same_after(const System& system, const State& state, int i, double shift,
                Workspace& workspace) {
  State other = state;
  other.x[i] += shift;
  const VectorXd f = tangent_rate(system, state, workspace);
  const VectorXd g = tangent_rate(system, other, workspace);
  return (f - g).lpNorm<Eigen::Infinity>() <= 1e-9 * (1 + f.lpNorm<Eigen::Infinity>());
}

// Angles that have gone around are back; what was taken away is noted.
void take_turns(const System& system, const State& at, VectorXd& d,
                std::vector<std::pair<int, int>>& turns, Workspace& workspace) {
  for (const StateBlock& b : system.space().blocks()) {
    if (b.kind != StateBlock::Kind::vector) continue;
    for (int k = 0; k < b.size && b.tangent + k < d.size(); ++k) {
      const double turn = system.turn(b.x + k);
      if (!(turn > 0)) continue;
      const double count = std::round(d[b.tangent + k] / turn);
      if (count == 0 || !same_after(system, at, b.x + k, count * turn, workspace)) continue;
      d[b.tangent + k] -= count * turn;
      turns.push_back({b.x + k, static_cast<int>(count)});
    }
  }
}

// d h / d y = (gradient of h) E B, and h, both over the size of the slope: a length.
Eigen::RowVectorXd slope(const System& system, const StateFunction& h, const State& at,
                         const MatrixXd& directions, double wanted, double& value,
                         Workspace& workspace) {
  VectorXd gradient = VectorXd::Zero(system.space().size());
  value = h.gradient(at, {gradient.data(), static_cast<std::size_t>(gradient.size())}, workspace);
  const Eigen::RowVectorXd row =
      gradient.head(embedded_numbers(system)).transpose() * tangent_map(system, at.x) * directions;
  const double size = row.norm() > 0 ? row.norm() : 1;
  value = (value - wanted) / size;
  return row / size;
}

// Where tangent numbers come from when the numbers of x are exchanged.
std::vector<int> swap_tangents(const System& system, const std::vector<int>& swap) {
  std::vector<int> tangent_of(system.space().size(), -1), result(tangent_numbers(system));
  for (const StateBlock& b : system.space().blocks())
    for (int k = 0; k < b.size; ++k) tangent_of[b.x + k] = b.tangent + k;
  for (const StateBlock& b : system.space().blocks()) {
    const bool vector = b.kind == StateBlock::Kind::vector;
    const int count = vector ? b.size : b.kind == StateBlock::Kind::quaternion ? 3 : 6;
    for (int k = 0; k < count && b.tangent + k < static_cast<int>(result.size()); ++k)
      // a rotation or pose goes as a whole: from where its first number comes
      result[b.tangent + k] = vector ? tangent_of[swap[b.x + k]] : tangent_of[swap[b.x]] + k;
  }
  return result;
}

struct Builder {
  Flow& flow;
  const ShootingProblem& problem;
  const ShootingPoint& point;
  ShootingEquations equations{};
  const System& system = flow.system();
  const int count = static_cast<int>(point.nodes.size());
  int d = 0, unknowns = 0;

  void add_segment(int i) {
    const int next = (i + 1) % count;
    const State& x = point.nodes[i];
    const MatrixXd &B = equations.directions[i], &B_next = equations.directions[next];
    const MatrixXd motion = least_parameter_motion(system, x, problem.parameters, flow.workspace());
    const double t_end = point.nodes[0].t + point.period * (i + 1) / count;
    Transition segment = calc_transition(flow, x, t_end, B, motion);
    equations.problem = segment.problem;
    if (!segment.problem.empty()) return;
    const bool swaps = !problem.swap.empty() && (i + 1) * problem.swap_times % count == 0;
    if (swaps) relabel(segment);
    if (swaps || next == 0) compare_rates(segment, point.nodes[next]);
    VectorXd gap = difference(system, segment.end.x, point.nodes[next].x);
    if (next == 0) take_turns(system, point.nodes[0], gap, equations.turns, flow.workspace());
    std::vector<int> shifted;
    if (swaps) shifted = take_shifts(gap, next == 0);
    const int row = i * d;
    equations.residual.segment(row, d) = B_next.transpose() * gap;
    const auto without_shifts = [&](MatrixXd columns) {
      for (int k : shifted) columns.row(k).setZero();
      return columns;
    };
    const auto by_end = [&](const MatrixXd& columns) -> MatrixXd {
      return B_next.transpose() * without_shifts(difference_rate(system, gap, columns));
    };
    const auto by_next = [&](const MatrixXd& columns) -> MatrixXd {
      return -B_next.transpose() * without_shifts(difference_rate(system, -gap, columns));
    };
    equations.matrix.block(row, i * d, d, d) += by_end(segment.end_directions * segment.product());
    equations.matrix.block(row, next * d, d, d) += by_next(B_next);
    for (int k : shifted)
      equations.matrix.block(row, next * d, d, d) += B_next.row(k).transpose() * B_next.row(k);
    equations.by_period.segment(row, d) = by_end(segment.end_rate) / count;
    if (!problem.driven)
      equations.matrix.block(row, count * d, d, 1) = equations.by_period.segment(row, d);
    if (!problem.parameters.empty()) {
      const MatrixXd next_motion =
          least_parameter_motion(system, point.nodes[next], problem.parameters, flow.workspace());
      equations.by_parameters.middleRows(row, d) =
          by_end(segment.by_parameters) + by_next(next_motion);
    }
    segment.factors.back() = B_next.transpose() * segment.end_directions * segment.factors.back();
    for (MatrixXd& factor : segment.factors) equations.factors.push_back(std::move(factor));
    equations.rate = std::max(equations.rate, segment.end_rate.norm());
  }

  // The end of a segment with its parts exchanged.
  void relabel(Transition& segment) {
    const std::vector<int> from = swap_tangents(system, problem.swap);
    const auto exchange = [&](MatrixXd& columns) {
      if (columns.size() == 0) return;
      const MatrixXd before = columns;
      for (std::size_t k = 0; k < from.size(); ++k) columns.row(k) = before.row(from[k]);
    };
    const std::vector<double> x = segment.end.x;
    for (std::size_t k = 0; k < problem.swap.size(); ++k) segment.end.x[k] = x[problem.swap[k]];
    exchange(segment.end_directions);
    exchange(segment.by_parameters);
    MatrixXd end_rate = segment.end_rate;
    exchange(end_rate);
    segment.end_rate = end_rate;
  }

  void compare_rates(const Transition& segment, const State& next) {
    const VectorXd rate = tangent_rate(system, next, flow.workspace());
    equations.unlike =
        std::max(equations.unlike, (segment.end_rate - rate).norm() / std::max(1.0, rate.norm()));
  }

  // Coordinates whose shift changes no rate, event or constraint: they need not come back.
  std::vector<int> take_shifts(VectorXd& gap, bool last) {
    std::vector<int> shifted;
    const State& at = point.nodes[0];
    const auto same_events = [&](int i, double shift) {
      const std::size_t count = system.events().size();
      std::vector<double> here(count), there(count);
      system.event_values(at, here, flow.workspace());
      State other = at;
      other.x[i] += shift;
      system.event_values(other, there, flow.workspace());
      for (std::size_t k = 0; k < count; ++k)
        if (!(std::fabs(here[k] - there[k]) <= 1e-9 * (1 + std::fabs(here[k])))) return false;
      std::vector<double> kept(system.constraint_count());
      system.constraint_values(other, kept, flow.workspace());
      for (double c : kept)
        if (!(std::fabs(c) <= 1e-6)) return false;
      return true;
    };
    for (const StateBlock& b : system.space().blocks()) {
      if (b.kind != StateBlock::Kind::vector) continue;
      for (int k = 0; k < b.size && b.tangent + k < gap.size(); ++k) {
        const double shift = gap[b.tangent + k];
        if (!same_after(system, at, b.x + k, shift, flow.workspace()) ||
            !same_after(system, at, b.x + k, 0.731, flow.workspace()) ||
            !same_events(b.x + k, 0.731))
          continue;
        gap[b.tangent + k] = 0;
        shifted.push_back(b.tangent + k);
        if (last) equations.shifts.push_back({b.x + k, shift});
      }
    }
    return shifted;
  }

  void add_conditions() {
    const State& x = point.nodes[0];
    int row = count * d;
    if (!problem.driven) {
      if (problem.section) {
        equations.matrix.block(row, 0, 1, d) =
            slope(system, *problem.section, x, equations.directions[0], 0, equations.residual[row],
                  flow.workspace());
      } else {
        const VectorXd f = tangent_rate(system, x, flow.workspace());
        equations.matrix.block(row, 0, 1, d) =
            f.transpose() * equations.directions[0] / std::max(f.norm(), 1e-300);
      }
      ++row;
    }
    for (const auto& [function, wanted] : problem.holds) {
      equations.matrix.block(row, 0, 1, d) =
          slope(system, *function, x, equations.directions[0], wanted, equations.residual[row],
                flow.workspace());
      ++row;
    }
  }

  ShootingEquations build() {
    equations.directions = node_directions(system, problem, point.nodes, flow.workspace());
    d = static_cast<int>(equations.directions[0].cols());
    for (const MatrixXd& B : equations.directions)
      if (B.cols() != d) equations.problem = "the constraints change their number along the orbit";
    if (!equations.problem.empty()) return equations;
    const int more = problem.driven ? 0 : 1,
              conditions = more + static_cast<int>(problem.holds.size());
    unknowns = count * d + more;
    equations.residual.setZero(count * d + conditions);
    equations.matrix.setZero(count * d + conditions, unknowns);
    equations.by_period.setZero(count * d + conditions);
    equations.by_parameters.setZero(count * d + conditions,
                                    static_cast<int>(problem.parameters.size()));
    for (int i = 0; i < count && equations.problem.empty(); ++i) add_segment(i);
    if (equations.problem.empty()) add_conditions();
    if (equations.problem.empty() &&
        !(equations.residual.allFinite() && equations.matrix.allFinite()))
      equations.problem = "the equations have no finite value here";
    return equations;
  }
};

}  // namespace

std::vector<MatrixXd> node_directions(const System& system, const ShootingProblem& problem,
                                      const std::vector<State>& nodes, Workspace& workspace) {
  std::vector<MatrixXd> directions;
  if (problem.references) problem.references->resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    directions.push_back(allowed_directions(system, nodes[i], workspace));
    if (problem.references && system.constraint_count() > 0)
      directions[i] = align_basis(directions[i], (*problem.references)[i]);
  }
  return directions;
}

std::string make_shooting_point(const System& system, const State& start, double period, int nodes,
                                const FlowOptions& options, ShootingPoint& point) {
  point.period = period;
  point.nodes = {start};
  if (nodes == 1) return "";
  // The matrix of all nodes is dense.
  constexpr int most_unknowns = 4000;
  if (nodes > most_unknowns / std::max(tangent_numbers(system), 1))
    return fmt::format("{} nodes with {} unknowns each are more than {} unknowns; take fewer nodes",
                       nodes, tangent_numbers(system), most_unknowns);
  Flow flow(system, 0, {}, options);
  flow.start(start, MatrixXd(tangent_numbers(system), 0));
  for (int i = 1; i < nodes; ++i) {
    const std::string problem = flow.advance(start.t + period * i / nodes);
    if (!problem.empty()) return problem;
    point.nodes.push_back(flow.state());
  }
  return "";
}

ShootingEquations linearise_shooting(Flow& flow, const ShootingProblem& problem,
                                     const ShootingPoint& point) {
  return Builder{flow, problem, point}.build();
}

std::string apply_shooting_step(const System& system, const ShootingEquations& equations,
                                const VectorXd& step, ShootingPoint& point, Workspace& workspace) {
  const int count = static_cast<int>(point.nodes.size());
  const int d = static_cast<int>(equations.directions[0].cols());
  if (step.size() > count * d) point.period += step[count * d];
  for (int i = 0; i < count; ++i) {
    State& node = point.nodes[i];
    node.t = point.nodes[0].t + point.period * i / count;
    displace(system, equations.directions[i] * step.segment(i * d, d), node);
    if (!system.constrained()) continue;
    const Projection done = system.project(node, workspace);
    if (!done.problem.empty()) return done.problem;
  }
  return "";
}

std::string refuse_time(const System& system, const ShootingProblem& problem,
                        const ShootingPoint& point, Workspace& workspace) {
  const auto differs = [&](const State& state, double later) {
    State other = state;
    other.t += later;
    const VectorXd f = tangent_rate(system, state, workspace);
    const VectorXd g = tangent_rate(system, other, workspace);
    return !((f - g).lpNorm<Eigen::Infinity>() <= 1e-9 * (1 + f.lpNorm<Eigen::Infinity>()));
  };
  const State& start = point.nodes[0];
  for (const double fraction : {0.0, 0.137, 0.41, 0.73}) {
    if (problem.driven) {
      State at = start;
      at.t += fraction * point.period;
      if (differs(at, point.period))
        return fmt::format(
            "the equations are not the same after the time {:.10g}; give the period of the drive "
            "or "
            "a multiple of it",
            point.period);
    } else if (differs(start, fraction * point.period)) {
      return "the equations depend on t, so that only the period of the drive or its multiples are "
             "possible; look for a driven orbit";
    }
  }
  if (problem.driven) return "";
  const VectorXd f = tangent_rate(system, start, workspace);
  const MatrixXd B = allowed_directions(system, start, workspace);
  if ((f - B * (B.transpose() * f)).norm() > 1e-6 * (1 + f.norm()))
    return "a drive moves with time, so that only its period or multiples of it are possible; look "
           "for a driven orbit";
  return "";
}

}  // namespace cartan::analysis
