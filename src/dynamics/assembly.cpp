#include "dynamics/assembly.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include "core/dense.h"
#include "core/failure_note.h"
#include "dynamics/constraints.h"
#include "dynamics/joint_motion.h"
#include "dynamics/kinematics.h"
#include "dynamics/projection.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double closed_gap = 1e-12;  // a loop this close is closed (times the size of the thing)
constexpr double largest_turn = 0.4;  // of a coordinate in one step

// Least change d (in the metric) with J d = rhs, dependent rows allowed.
class LeastChange {
 public:
  LeastChange(const MatrixXd& metric) : factor_(metric) {}
  // `sizes`: of the rows before cancellation; rows that are rounding only are left out.
  void set(const MatrixXd& J, const VectorXd& sizes) {
    // with d = L^-T z: the shortest z with (J L^-T) z = rhs
    MatrixXd W = factor_.matrixL().solve(J.transpose()).transpose();
    scale_.resize(W.rows());
    for (Eigen::Index r = 0; r < W.rows(); ++r) {
      scale_[r] = J.row(r).norm() > cancelled * sizes[r] ? 1 / W.row(r).norm() : 0;
      W.row(r) *= scale_[r];
    }
    solver_.setThreshold(1e-9);
    solver_.compute(W);
  }
  VectorXd operator()(const VectorXd& rhs) const {
    const VectorXd z = solver_.solve(VectorXd(scale_.cwiseProduct(rhs)));
    return factor_.matrixU().solve(z);
  }

 private:
  Eigen::LLT<MatrixXd> factor_;
  VectorXd scale_;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver_;
};

class Assembler {
 public:
  Assembler(const Mechanism<double>& mechanism, double t, MotionWorkspace<double>& ws)
      : mechanism_(mechanism), t_(t), ws_(ws), still_(mechanism.nv, 0.0) {
    for (int r = 0; r < mechanism.row_count(); ++r)
      if (mechanism.rows[r].holonomic) holonomic_.push_back(r);
  }

  // Positions. True when all gaps are closed.
  bool close(std::vector<double>& q, const LoopGuesses& guesses) {
    std::vector<double> speeds = still_;
    place_driven(q, speeds);
    start_ = q;
    place(q);
    if (gap() <= goal()) return true;
    follow_guesses(q, guesses);
    // with an independent set of rows in O(n); with all of them, of any rank, when that fails
    const std::vector<double> guessed = q;
    choose_rows(q);
    if (newton(q)) return refine(q), true;
    q = guessed;
    use_all_rows();
    if (newton(q)) return refine(q), true;
    // not from here: a few other starts nearby, always the same ones
    std::mt19937_64 random(20261115);
    std::vector<double> best = q;
    double best_gap = gap_at(q);
    for (int attempt = 1; attempt <= 24; ++attempt) {
      std::vector<double> other = start_;
      const double reach = 0.05 * attempt;
      for (const Link<double>& link : mechanism_.links) {
        double d[6];
        for (int k = 0; k < link.nv; ++k)
          d[k] = link.driven ? 0 : reach * (2 * (random() >> 11) * 0x1p-53 - 1);
        move_coordinates(link, d, other.data() + link.q0);
      }
      if (newton(other)) {
        q = other;
        refine(q);
        return true;
      }
      const double left = gap_at(other);
      if (left < best_gap) best = other, best_gap = left;
    }
    q = best;
    place(q);
    return false;
  }

  static bool any_speed(const LoopGuesses& guesses) {
    return std::any_of(guesses.v.begin(), guesses.v.end(),
                       [](const std::vector<double>& g) { return !g.empty(); });
  }

  // Speeds: least change from v and the guesses of loop joints. True when they satisfy all rows.
  bool move(std::vector<double>& q, std::vector<double>& v, const LoopGuesses& guesses) {
    place_driven(q, v);
    fill_kinematics<double>(mechanism_, t_, q.data(), v.data(), ws_);
    if (calc_velocity_violation(mechanism_, ws_) <= speed_goal(v) * 1e-6 && !any_speed(guesses))
      return true;
    MatrixXd metric = calc_metric(mechanism_, ws_);
    VectorXd wanted = Eigen::Map<VectorXd>(v.data(), mechanism_.nv);
    follow_speed_guesses(guesses, metric, wanted);
    std::copy(wanted.data(), wanted.data() + wanted.size(), v.begin());
    LeastChange least(metric);
    least.set(calc_constraint_matrix(mechanism_, ws_), sizes());
    for (int k = 0; k < 3; ++k) {
      fill_kinematics<double>(mechanism_, t_, q.data(), v.data(), ws_);
      if (calc_velocity_violation(mechanism_, ws_) <= speed_goal(v) * 1e-4) break;
      const VectorXd d =
          least(-Eigen::Map<const VectorXd>(ws_.row_speed.data(), mechanism_.row_count()));
      for (int j = 0; j < mechanism_.nv; ++j) v[j] += d[j];
    }
    fill_kinematics<double>(mechanism_, t_, q.data(), v.data(), ws_);
    return calc_velocity_violation(mechanism_, ws_) <= speed_goal(v);
  }

  // Newton alone, for positions close by: with the rows chosen, then with all.
  bool project(std::vector<double>& q) {
    const std::vector<double> start = q;
    all_rows_.reset();
    if (newton(q)) return true;
    q = start;
    place(q);
    use_all_rows();
    return newton(q);
  }

  // d without what the chosen rows on positions forbid at q.
  VectorXd calc_allowed(const std::vector<double>& q, const VectorXd& d) {
    place(q);
    std::vector<double> forbidden = ws_.row_speed;
    fill_kinematics<double>(mechanism_, t_, q.data(), d.data(), ws_);
    for (std::size_t r = 0; r < forbidden.size(); ++r)
      forbidden[r] = ws_.row_speed[r] - forbidden[r];
    place(q);
    solve_least_change(mechanism_, forbidden, ws_);
    VectorXd allowed = d + Eigen::Map<const VectorXd>(ws_.vdot.data(), mechanism_.nv);
    for (const Link<double>& link : mechanism_.links)
      if (link.driven) allowed.segment(link.v0, link.nv).setZero();
    return allowed;
  }

  // Independent rows on positions, for the closed recursion.
  void choose_rows(const std::vector<double>& q) {
    all_rows_.reset();
    place(q);
    const RankReport rank = calc_rank(mechanism_, ws_);
    std::copy(rank.holonomic_active.begin(), rank.holonomic_active.end(),
              ws_.mode.begin() + mechanism_.mode_count);
  }
  MatrixXd holonomic_matrix() {
    const MatrixXd J = calc_constraint_matrix(mechanism_, ws_);
    MatrixXd some(holonomic_.size(), J.cols());
    for (std::size_t k = 0; k < holonomic_.size(); ++k) some.row(k) = J.row(holonomic_[k]);
    return some;
  }
  VectorXd sizes() { return calc_row_sizes(mechanism_, ws_, VectorXd::Ones(mechanism_.nv)); }
  VectorXd holonomic_sizes() {
    const VectorXd all = sizes();
    VectorXd some(holonomic_.size());
    for (std::size_t k = 0; k < holonomic_.size(); ++k) some[k] = all[holonomic_[k]];
    return some;
  }
  void place(const std::vector<double>& q) {
    fill_kinematics<double>(mechanism_, t_, q.data(), still_.data(), ws_);
  }

 private:
  double gap() { return calc_position_violation(mechanism_, ws_); }
  double gap_at(const std::vector<double>& q) {
    place(q);
    return gap();
  }
  double goal() const {
    double size = 1;
    for (const LinkState<double>& x : ws_.links)
      size = std::max({size, std::fabs(x.o.x), std::fabs(x.o.y), std::fabs(x.o.z)});
    return closed_gap * size;
  }
  double speed_goal(const std::vector<double>& v) const {
    double size = 1;
    for (double x : v) size = std::max(size, std::fabs(x));
    return 1e-9 * size;
  }
  VectorXd residual() {
    VectorXd g(holonomic_.size());
    for (std::size_t k = 0; k < holonomic_.size(); ++k) g[k] = ws_.row_position[holonomic_[k]];
    return g;
  }
  void step(const VectorXd& d, double factor, std::vector<double>& q) const {
    std::vector<double> scaled(mechanism_.nv);
    for (int j = 0; j < mechanism_.nv; ++j) scaled[j] = factor * d[j];
    for (const Link<double>& link : mechanism_.links)
      move_coordinates(link, scaled.data() + link.v0, q.data() + link.q0);
  }

  // Damped Newton; every accepted step makes the residual smaller. Ends at rounding.
  bool newton(std::vector<double>& q) {
    place(q);
    double violation = gap(), size = residual().norm();
    for (int iteration = 0; iteration < 200; ++iteration) {
      if (!std::isfinite(violation)) return false;
      place(q);
      gap();
      const VectorXd d = calc_step();
      const double longest = d.size() > 0 ? d.cwiseAbs().maxCoeff() : 0;
      if (!std::isfinite(longest)) return false;
      double factor = longest > largest_turn ? largest_turn / longest : 1;
      bool better = false;
      for (int halving = 0; halving < 12 && !better; ++halving, factor *= 0.5) {
        std::vector<double> next = q;
        step(d, factor, next);
        place(next);
        const double now = gap(), now_size = residual().norm();
        if (std::isfinite(now_size) && now_size < size * (1 - 1e-4 * factor)) {
          q = next, violation = now, size = now_size;
          better = true;
        }
        if (violation <= goal()) {
          if (!better) break;
        }
      }
      if (!better) break;
      if (violation <= 1e-3 * goal()) break;
    }
    place(q);
    return gap() <= goal();
  }

  // From any closed position to the one nearest to the start: with e the change so far,
  //   e <- (the least e with  J e = J e_old - g)
  void refine(std::vector<double>& q) {
    VectorXd e = change_from_start(q);
    for (int iteration = 0; iteration < 40; ++iteration) {
      const VectorXd next = calc_shortest(q, e);
      std::vector<double> moved = start_;
      step(next, 1, moved);
      if (!newton(moved)) return;
      const VectorXd now = change_from_start(moved);
      const double shorter = e.norm() - now.norm();
      if (!(shorter > 1e-12 * (1 + e.norm()))) return;
      e = now;
      q = moved;
    }
  }
  VectorXd change_from_start(const std::vector<double>& q) const {
    VectorXd e(mechanism_.nv);
    for (const Link<double>& link : mechanism_.links)
      calc_coordinate_change(link, start_.data() + link.q0, q.data() + link.q0, e.data() + link.v0);
    return e;
  }

  // The change d that closes the gaps to first order, at the position in ws.
  VectorXd calc_step() {
    if (all_rows_) {
      all_rows_->set(holonomic_matrix(), holonomic_sizes());
      return (*all_rows_)(-residual());
    }
    solve_least_change(mechanism_, std::vector<double>(ws_.row_position), ws_);
    return Eigen::Map<const VectorXd>(ws_.vdot.data(), mechanism_.nv);
  }
  // The least e' with  J e' = J e - g  at q.
  VectorXd calc_shortest(const std::vector<double>& q, const VectorXd& e) {
    place(q);
    gap();
    if (all_rows_) {
      const MatrixXd J = holonomic_matrix();
      all_rows_->set(J, holonomic_sizes());
      return (*all_rows_)(J * e - residual());
    }
    std::vector<double> wanted = ws_.row_position;  // g - J e, with J e from speeds e
    for (std::size_t r = 0; r < wanted.size(); ++r) wanted[r] += ws_.row_speed[r];
    fill_kinematics<double>(mechanism_, t_, q.data(), e.data(), ws_);
    for (std::size_t r = 0; r < wanted.size(); ++r) wanted[r] -= ws_.row_speed[r];
    place(q);
    solve_least_change(mechanism_, wanted, ws_);
    return Eigen::Map<const VectorXd>(ws_.vdot.data(), mechanism_.nv);
  }

  void use_all_rows() { all_rows_.emplace(calc_metric(mechanism_, ws_)); }

  // Driven joints have their values before anything else is changed for them.
  void place_driven(std::vector<double>& q, std::vector<double>& v) {
    ProjectionResult ignored;
    ws_.t = t_;
    place_driven_joints(mechanism_, q.data(), v.data(), ws_, ignored);
  }

  // A few Gauss-Newton steps that also pull written coordinates of loop joints to their values, so
  // that they decide between the ways in which a loop can be closed.
  void follow_guesses(std::vector<double>& q, const LoopGuesses& guesses) {
    const bool any = std::any_of(guesses.q.begin(), guesses.q.end(),
                                 [](const std::vector<double>& g) { return !g.empty(); });
    if (!any) return;
    LeastChange least(calc_metric(mechanism_, ws_));
    for (int iteration = 0; iteration < 20; ++iteration) {
      place(q);
      gap();
      const MatrixXd J = holonomic_matrix(), S = calc_loop_matrix(mechanism_, ws_);
      MatrixXd both(J.rows() + S.rows(), mechanism_.nv);
      VectorXd rhs = VectorXd::Zero(both.rows());
      both << J, MatrixXd::Zero(S.rows(), mechanism_.nv);
      rhs.head(J.rows()) = -residual();
      for (std::size_t l = 0; l < mechanism_.loops.size(); ++l) {
        if (guesses.q[l].empty()) continue;
        const Link<double>& shape = mechanism_.loops[l].shape;
        double d[6];
        calc_coordinate_change(shape, ws_.loop_q.data() + shape.q0, guesses.q[l].data(), d);
        for (int k = 0; k < shape.nv; ++k) {
          both.row(J.rows() + shape.v0 + k) = S.row(shape.v0 + k);
          rhs[J.rows() + shape.v0 + k] = d[k];
        }
      }
      VectorXd both_sizes(both.rows());
      both_sizes << holonomic_sizes(), VectorXd::Ones(S.rows());
      least.set(both, both_sizes);
      const VectorXd d = least(rhs);
      const double longest = d.size() > 0 ? d.cwiseAbs().maxCoeff() : 0;
      if (!std::isfinite(longest) || longest < 1e-6) break;
      step(d, longest > largest_turn ? largest_turn / longest : 1, q);
    }
  }

  // Guessed speeds of loop joints weigh as much as the inertia they move in the open tree.
  void follow_speed_guesses(const LoopGuesses& guesses, MatrixXd& metric, VectorXd& wanted) {
    if (!any_speed(guesses)) return;
    const MatrixXd S = calc_loop_matrix(mechanism_, ws_);
    const Eigen::LLT<MatrixXd> factor(metric);
    VectorXd momentum = metric * wanted;
    bool any = false;
    for (std::size_t l = 0; l < mechanism_.loops.size(); ++l) {
      if (guesses.v[l].empty()) continue;
      const Link<double>& shape = mechanism_.loops[l].shape;
      for (int k = 0; k < shape.nv; ++k) {
        const VectorXd s = S.row(shape.v0 + k);
        const double mobility = s.dot(factor.solve(s));
        if (!(mobility > 0)) continue;
        metric += s * s.transpose() / mobility;
        momentum += s * (guesses.v[l][k] / mobility);
        any = true;
      }
    }
    if (any) wanted = metric.llt().solve(momentum);
  }

  const Mechanism<double>& mechanism_;
  const double t_;
  MotionWorkspace<double>& ws_;
  std::vector<double> still_, start_;
  std::vector<int> holonomic_;
  std::optional<LeastChange> all_rows_;  // in use: all rows, whatever their rank
};

int worst_row(const std::vector<double>& residual) {
  int worst = 0;
  for (std::size_t r = 1; r < residual.size(); ++r)
    if (!(std::fabs(residual[r]) <= std::fabs(residual[worst]))) worst = static_cast<int>(r);
  return worst;
}

void blame(const Mechanism<double>& mechanism, int row, AssemblyReport& report) {
  const ConstraintRow& r = mechanism.rows[row];
  if (r.loop >= 0)
    report.joint = mechanism.loops[r.loop].joint;
  else
    report.constraint = r.element;
}

// Length of the residual over all rows that belong to the same joint or constraint.
double owner_gap(const Mechanism<double>& mechanism, int row, const std::vector<double>& residual) {
  double sum = 0;
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (mechanism.rows[r].loop == mechanism.rows[row].loop &&
        mechanism.rows[r].element == mechanism.rows[row].element)
      sum += residual[r] * residual[r];
  return std::sqrt(sum);
}

// Problems that no iteration can mend and that would only show as a division by zero.
std::string find_degenerate(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                            AssemblyReport& report) {
  for (std::size_t k = 0; k < mechanism.constraints.size(); ++k) {
    const ConstraintElement<double>& element = mechanism.constraints[k];
    const std::string& name = mechanism.model->constraints[k].name;
    report.constraint = static_cast<int>(k);
    if (const auto* e = std::get_if<DistanceElement<double>>(&element)) {
      if (norm(point_position(ws, e->to) - point_position(ws, e->from)) < 1e-9 * e->length)
        return fmt::format(
            "constraint '{}': its two points coincide at the start, so the direction between them "
            "is not known; move one of them",
            name);
    } else if (const auto* e = std::get_if<RollingDiscElement<double>>(&element)) {
      auto in_world = [&](int link, const Vec3<double>& d) {
        return link == world ? d : ws.links[link].R * d;
      };
      const Vec3<double> n = in_world(e->plane.link, e->normal);
      const Vec3<double> a = in_world(e->center.link, e->axis);
      if (norm(cross(n, a)) < 1e-9)
        return fmt::format(
            "constraint '{}': the disc lies flat on the plane (its axis is parallel to the "
            "normal), so it has no lowest point; tilt it",
            name);
    }
  }
  report.constraint = -1;
  return "";
}

// A drive whose position or rate has no value at the start: sqrt(t) has no rate at t = 0.
std::string find_undefined(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                           AssemblyReport& report) {
  clear_failure_note();
  fill_constraint_positions(mechanism, ws);
  for (int r = 0; r < mechanism.row_count(); ++r) {
    const bool position = std::isfinite(ws.row_position[r]);
    if (position && std::isfinite(ws.row_speed[r])) continue;
    blame(mechanism, r, report);
    const std::string note = take_failure_note();
    return fmt::format("{}: its {} is not a finite number at the start{}{}",
                       row_owner(*mechanism.model, mechanism.rows[r]),
                       position ? "rate" : "position", note.empty() ? "" : "; ", note);
  }
  return "";
}

}  // namespace

AssemblyReport assemble(const Mechanism<double>& mechanism, double t, std::span<double> q,
                        std::span<double> v, const LoopGuesses& guesses,
                        MotionWorkspace<double>& ws) {
  AssemblyReport report;
  if (mechanism.rows.empty()) return report;
  Assembler assembler(mechanism, t, ws);
  std::vector<double> position(q.begin(), q.end()), speed(v.begin(), v.end());
  assembler.place(position);
  report.problem = find_degenerate(mechanism, ws, report);
  if (report.problem.empty()) report.problem = find_undefined(mechanism, ws, report);
  if (!report.problem.empty()) return report;
  const bool closed = assembler.close(position, guesses);
  report.position_gap = calc_position_violation(mechanism, ws);
  if (!closed) {
    const int row = worst_row(ws.row_position);
    blame(mechanism, row, report);
    report.problem = fmt::format(
        "{} cannot be satisfied: a gap of {:.3g} remains; check lengths and placements, or start "
        "closer to an assembled position",
        row_owner(*mechanism.model, mechanism.rows[row]),
        owner_gap(mechanism, row, ws.row_position));
    return report;
  }
  const bool moving = assembler.move(position, speed, guesses);
  report.velocity_gap = calc_velocity_violation(mechanism, ws);
  if (!moving) {
    const int row = worst_row(ws.row_speed);
    blame(mechanism, row, report);
    report.problem = fmt::format(
        "{} contradicts other constraints or drives: no speeds satisfy all of them (a "
        "difference of {:.3g} remains); remove a drive, or start away from a singular position",
        row_owner(*mechanism.model, mechanism.rows[row]), report.velocity_gap);
    return report;
  }
  for (std::size_t i = 0; i < q.size(); ++i)
    report.position_change = std::max(report.position_change, std::fabs(position[i] - q[i]));
  for (std::size_t j = 0; j < v.size(); ++j)
    report.velocity_change = std::max(report.velocity_change, std::fabs(speed[j] - v[j]));
  std::copy(position.begin(), position.end(), q.begin());
  std::copy(speed.begin(), speed.end(), v.begin());
  return report;
}

std::string find_singularity(const Mechanism<double>& mechanism, double t,
                             std::span<const double> q, const RankReport& rank,
                             MotionWorkspace<double>& ws, int& row) {
  row = -1;
  if (rank.redundant() == 0 || rank.rank >= mechanism.nv) return "";
  Assembler assembler(mechanism, t, ws);
  std::vector<double> here(q.begin(), q.end());
  assembler.place(here);
  // small motions that the constraints allow to first order
  std::mt19937_64 random(7);
  for (int attempt = 0; attempt < 3; ++attempt) {
    VectorXd d(mechanism.nv);
    for (const Link<double>& link : mechanism.links)
      for (int j = link.v0; j < link.v0 + link.nv; ++j)
        d[j] = link.driven ? 0 : 2 * (random() >> 11) * 0x1p-53 - 1;
    assembler.choose_rows(here);
    d = assembler.calc_allowed(here, d);
    if (!(d.norm() > 1e-6)) continue;
    d *= 0.01 / d.cwiseAbs().maxCoeff();
    std::vector<double> near = here;
    for (const Link<double>& link : mechanism.links)
      move_coordinates(link, d.data() + link.v0, near.data() + link.q0);
    if (!assembler.project(near)) continue;
    const RankReport there = calc_rank(mechanism, ws);
    assembler.place(here);
    if (there.holonomic_rank <= rank.holonomic_rank) continue;
    for (int r = 0; r < mechanism.row_count(); ++r)
      if (there.active[r] && !rank.active[r]) row = r;
    return fmt::format(
        "{}: the position is singular (the constraints have rank {} here and {} nearby), so the "
        "motion from it is not unique; start in another position",
        row_owner(*mechanism.model, mechanism.rows[row < 0 ? 0 : row]), rank.holonomic_rank,
        there.holonomic_rank);
  }
  return "";
}

}  // namespace cartan
