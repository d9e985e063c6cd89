#include "mechanics/constraints/constraint_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/dense.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/recursive.h"

namespace cartan::mechanics {
namespace {

// J.row(row) += what the wrench (n, f) about link's origin does on the speeds below it
void add_wrench(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws, int link,
                Vec3<double> n, const Vec3<double>& f, Eigen::Ref<Eigen::RowVectorXd> row) {
  for (int i = link; i != world; i = mechanism.links[i].parent) {
    const Link<double>& l = mechanism.links[i];
    for (int j = l.v0; j < l.v0 + l.nv; ++j) row[j] += dot(ws.phi[j], n) + dot(ws.psi[j], f);
    n += cross(ws.links[i].r, f);
  }
}

constexpr double least_sine = 1e-8;

// Chooses independent rows of a matrix by orthogonalisation, the largest remainder first. Twice is
// enough: each remainder is taken against all earlier directions a second time.
class RowChooser {
 public:
  // Rows below `negligible` times their size count as zero.
  RowChooser(const Eigen::MatrixXd& rows, const Eigen::VectorXd& sizes, double negligible)
      : rest_(rows), sine_(rows.rowwise().norm()), share_(sine_.cwiseQuotient(sizes)) {
    for (Eigen::Index r = 0; r < rest_.rows(); ++r) {
      const bool zero = !(sine_[r] > negligible * sizes[r]);
      rest_.row(r) *= zero ? 0 : 1 / sine_[r];
      sine_[r] = zero ? 0 : 1;
    }
  }
  // Adds rows of `candidates` (flags) until no remainder is above the tolerance.
  void choose(const std::vector<int>& candidates, double tolerance, std::vector<int>& chosen) {
    for (;;) {
      Eigen::Index best = -1;
      for (Eigen::Index r = 0; r < rest_.rows(); ++r)
        if (candidates[r] && !chosen[r] && sine_[r] > tolerance &&
            (best < 0 || sine_[r] > sine_[best]))
          best = r;
      if (best < 0) return;
      Eigen::RowVectorXd direction = rest_.row(best);
      for (const Eigen::RowVectorXd& d : directions_) direction -= direction.dot(d) * d;
      const double length = direction.norm();
      sine_[best] = length;
      if (!(length > tolerance)) continue;
      direction /= length;
      chosen[best] = 1;
      if (length * share_[best] < strength_) {
        weakest_ = static_cast<int>(best);
        strength_ = length * share_[best];
      }
      for (Eigen::Index r = 0; r < rest_.rows(); ++r) {
        if (chosen[r]) continue;
        const double share = rest_.row(r).dot(direction);
        if (share == 0) continue;
        rest_.row(r) -= share * direction;
        sine_[r] = rest_.row(r).norm();
      }
      directions_.push_back(std::move(direction));
    }
  }
  int rank() const { return static_cast<int>(directions_.size()); }
  int weakest() const { return weakest_; }
  double strength() const { return strength_; }

 private:
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rest_;
  Eigen::VectorXd sine_;
  Eigen::VectorXd share_;  // of its size that a row really has
  std::vector<Eigen::RowVectorXd> directions_;
  int weakest_ = -1;
  double strength_ = 1;
};

// Where the loops are not quite closed, rows are not quite what they will be.
double calc_violation(const MotionWorkspace<double>& ws) {
  double violation = 0;
  for (double g : ws.row_position) violation = std::max(violation, std::fabs(g));
  return violation;
}
double calc_rank_tolerance(const MotionWorkspace<double>& ws) {
  return std::min(1e-2, std::max(least_sine, 100 * calc_violation(ws)));
}
double calc_negligible(const MotionWorkspace<double>& ws) {
  return std::clamp(calc_violation(ws), cancelled, 1e-4);
}

// Speeds scaled so that each carries unit inertia.
Eigen::VectorXd speed_scales(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  return calc_metric(mechanism, ws).diagonal().cwiseSqrt().cwiseInverse();
}

}  // namespace

Eigen::MatrixXd calc_constraint_matrix(const Mechanism<double>& mechanism,
                                       MotionWorkspace<double>& ws) {
  fill_columns(mechanism, ws);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(mechanism.row_count(), mechanism.nv);
  Eigen::RowVectorXd row(mechanism.nv);
  for (std::size_t s = 0; s < mechanism.sources.size(); ++s) {
    const RowSource& source = mechanism.sources[s];
    row.setZero();
    add_wrench(mechanism, ws, source.link, ws.source_n[s], ws.source_f[s], row);
    J.row(source.row) += row;
  }
  for (std::size_t k = 0; k < mechanism.terms.size(); ++k) {
    const RowTerm<double>& term = mechanism.terms[k];
    const int contact = mechanism.rows[term.row].contact;
    if (contact >= 0 && ws.mode[mechanism.contact_mode0 + contact] == contact_open) continue;
    J(term.row, mechanism.links[term.link].v0 + term.component) += ws.term_factor[k];
  }
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (mechanism.rows[r].driven_speed >= 0) J(r, mechanism.rows[r].driven_speed) = 1;
  return J;
}

Eigen::VectorXd calc_row_sizes(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                               const Eigen::VectorXd& scales) {
  Eigen::MatrixXd sizes = Eigen::MatrixXd::Zero(mechanism.row_count(), mechanism.nv);
  double longest = 0;
  for (const LinkState<double>& x : ws.links) longest = std::max(longest, norm(x.r));
  for (std::size_t s = 0; s < mechanism.sources.size(); ++s) {
    // moments are sums over lever arms that may cancel, too
    const double force = norm(ws.source_f[s]);
    double moment = norm(ws.source_n[s]) + longest * force;
    for (int i = mechanism.sources[s].link; i != world; i = mechanism.links[i].parent) {
      const Link<double>& link = mechanism.links[i];
      for (int j = link.v0; j < link.v0 + link.nv; ++j)
        sizes(mechanism.sources[s].row, j) += norm(ws.phi[j]) * moment + norm(ws.psi[j]) * force;
      moment += norm(ws.links[i].r) * force;
    }
  }
  for (std::size_t k = 0; k < mechanism.terms.size(); ++k) {
    const RowTerm<double>& term = mechanism.terms[k];
    sizes(term.row, mechanism.links[term.link].v0 + term.component) += std::fabs(ws.term_factor[k]);
  }
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (mechanism.rows[r].driven_speed >= 0) sizes(r, mechanism.rows[r].driven_speed) += 1;
  return (sizes * scales.asDiagonal()).rowwise().norm();
}

Eigen::MatrixXd calc_loop_matrix(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  fill_columns(mechanism, ws);
  fill_loop_coordinates(mechanism, ws);
  Eigen::MatrixXd S = Eigen::MatrixXd::Zero(mechanism.loop_nv, mechanism.nv);
  Eigen::RowVectorXd row(mechanism.nv);
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
    const LoopJoint<double>& loop = mechanism.loops[l];
    for (int k = loop.shape.v0; k < loop.shape.v0 + loop.shape.nv; ++k) {
      row.setZero();
      auto add = [&](int link, double sign) {
        if (link == world) return;
        const Vec3<double> arm = ws.loops[l].o_C - ws.links[link].o;
        const Vec3<double> f = sign * ws.loop_speed[k].beta;
        add_wrench(mechanism, ws, link, sign * ws.loop_speed[k].alpha + cross(arm, f), f, row);
      };
      add(loop.child, 1);
      add(loop.parent, -1);
      S.row(k) = row;
    }
  }
  return S;
}

Eigen::MatrixXd calc_metric(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  const int nv = mechanism.nv;
  std::vector<double> entries(static_cast<std::size_t>(nv) * nv);
  calc_mass_matrix<double>(mechanism, ws, entries);
  Eigen::MatrixXd M = Eigen::Map<Eigen::MatrixXd>(entries.data(), nv, nv);
  const double largest = nv > 0 ? M.diagonal().maxCoeff() : 1;
  const double floor = largest > 0 ? 1e-12 * largest : 1;
  M.diagonal().array() += floor;
  return M;
}

RankReport calc_rank(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  const int m = mechanism.row_count();
  RankReport report;
  report.rows = m;
  report.active.assign(m, 0);
  if (m == 0) return report;
  fill_constraint_positions(mechanism, ws);
  const double tolerance = calc_rank_tolerance(ws);
  const Eigen::VectorXd scales = speed_scales(mechanism, ws);
  const Eigen::MatrixXd J = calc_constraint_matrix(mechanism, ws) * scales.asDiagonal();
  std::vector<int> driven(m), holonomic(m), all(m, 1);
  report.holonomic_active.assign(m, 0);
  // rows of contacts are chosen with their modes (contacts/contact_events.h)
  for (int r = mechanism.contact_row0; r < m; ++r) all[r] = 0;
  for (int r = 0; r < mechanism.contact_row0; ++r) {
    driven[r] = mechanism.rows[r].driven_speed >= 0;
    holonomic[r] = mechanism.rows[r].holonomic;
    report.holonomic_rows += holonomic[r];
  }
  const Eigen::VectorXd sizes = calc_row_sizes(mechanism, ws, scales);
  const double negligible = calc_negligible(ws);
  RowChooser chooser(J, sizes, negligible);
  chooser.choose(driven, tolerance, report.active);
  chooser.choose(all, tolerance, report.active);
  report.rank = chooser.rank();
  report.weakest = chooser.weakest();
  report.strength = chooser.strength();
  RowChooser on_positions(J, sizes, negligible);
  on_positions.choose(driven, tolerance, report.holonomic_active);
  on_positions.choose(holonomic, tolerance, report.holonomic_active);
  report.holonomic_rank = on_positions.rank();
  report.rows = mechanism.contact_row0;
  for (int r = mechanism.contact_row0; r < m; ++r)
    report.active[r] =
        ws.mode[mechanism.contact_mode0 + mechanism.rows[r].contact] != contact_open &&
        ws.mode[mechanism.mode_count + r] != 0;
  return report;
}

std::vector<double> calc_least_multipliers(const Mechanism<double>& mechanism,
                                           MotionWorkspace<double>& ws) {
  Eigen::MatrixXd J = calc_constraint_matrix(mechanism, ws);
  const Eigen::VectorXd sizes = calc_row_sizes(mechanism, ws, Eigen::VectorXd::Ones(mechanism.nv));
  for (Eigen::Index r = 0; r < J.rows(); ++r)
    if (J.row(r).norm() < cancelled * sizes[r]) J.row(r).setZero();
  const Eigen::Map<const Eigen::VectorXd> lambda(ws.lambda.data(), mechanism.row_count());
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(least_sine);
  solver.compute(J.transpose());
  const Eigen::VectorXd least = solver.solve(Eigen::VectorXd(J.transpose() * lambda));
  return {least.data(), least.data() + least.size()};
}

std::vector<int> choose_free_rows(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                                  const Eigen::MatrixXd& rows, RowKind kind) {
  const int m = mechanism.row_count(), more = static_cast<int>(rows.rows());
  std::vector<int> free;
  if (more == 0) return free;
  const Eigen::VectorXd scales = speed_scales(mechanism, ws);
  fill_constraint_positions(mechanism, ws);
  Eigen::MatrixXd all(m + more, mechanism.nv);
  all << calc_constraint_matrix(mechanism, ws) * scales.asDiagonal(), rows * scales.asDiagonal();
  Eigen::VectorXd sizes(m + more);
  sizes << calc_row_sizes(mechanism, ws, scales), all.bottomRows(more).rowwise().norm();
  for (int k = 0; k < more; ++k)  // a loop joint that cannot move has a row of rounding
    if (rows.row(k).norm() < cancelled) sizes[m + k] = INFINITY;
  RowChooser chooser(all, sizes, calc_negligible(ws));
  std::vector<int> candidates(m + more, 0), chosen(m + more, 0);
  for (int r = 0; r < m; ++r)
    candidates[r] = kind == RowKind::positions_and_speeds || mechanism.rows[r].holonomic;
  chooser.choose(candidates, calc_rank_tolerance(ws), chosen);
  for (int k = 0; k < more; ++k) {
    std::fill(candidates.begin(), candidates.end(), 0);
    candidates[m + k] = 1;
    chooser.choose(candidates, least_share, chosen);
    if (chosen[m + k]) free.push_back(k);
  }
  return free;
}

int find_dependent_speed(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                         const std::vector<int>& speeds) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(speeds.size(), mechanism.nv);
  for (std::size_t k = 0; k < speeds.size(); ++k) rows(k, speeds[k]) = 1;
  const std::vector<int> free =
      choose_free_rows(mechanism, ws, rows, RowKind::positions_and_speeds);
  for (std::size_t k = 0; k < speeds.size(); ++k)
    if (k >= free.size() || free[k] != static_cast<int>(k)) return static_cast<int>(k);
  return -1;
}

// Speeds of the tree in the order in which they are given forces: those of driven joints first.
static std::vector<int> order_actuators(const Mechanism<double>& mechanism) {
  std::vector<bool> driven(mechanism.nv, false);
  for (const ConstraintRow& row : mechanism.rows)
    if (row.driven_speed >= 0) driven[row.driven_speed] = true;
  std::vector<int> order(mechanism.nv);
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](int j) { return driven[j]; });
  return order;
}

Eigen::MatrixXd calc_actuator_map(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  const int nv = mechanism.nv;
  const Eigen::VectorXd scales = speed_scales(mechanism, ws);
  const Eigen::MatrixXd all = calc_constraint_matrix(mechanism, ws);
  const Eigen::VectorXd all_sizes = calc_row_sizes(mechanism, ws, scales);
  std::vector<int> kept;
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (!mechanism.rows[r].drive) kept.push_back(r);
  const int m = static_cast<int>(kept.size());
  if (m == 0) return Eigen::MatrixXd::Identity(nv, nv);
  Eigen::MatrixXd J(m, nv), rows(m + nv, nv);
  Eigen::VectorXd sizes = Eigen::VectorXd::Ones(m + nv);
  for (int r = 0; r < m; ++r) {
    J.row(r) = all.row(kept[r]);
    sizes[r] = all_sizes[kept[r]];
  }
  rows << J * scales.asDiagonal(), Eigen::MatrixXd::Identity(nv, nv);
  RowChooser chooser(rows, sizes, cancelled);
  std::vector<int> candidates(m + nv, 0), chosen(m + nv, 0);
  std::fill(candidates.begin(), candidates.begin() + m, 1);
  chooser.choose(candidates, least_sine, chosen);
  for (int j : order_actuators(mechanism)) {
    std::fill(candidates.begin(), candidates.end(), 0);
    candidates[m + j] = 1;
    chooser.choose(candidates, least_share, chosen);
  }
  std::vector<int> passive;
  for (int j = 0; j < nv; ++j)
    if (!chosen[m + j]) passive.push_back(j);
  const Eigen::MatrixXd Jt = J.transpose();
  Eigen::MatrixXd A(passive.size(), m), select = Eigen::MatrixXd::Zero(passive.size(), nv);
  for (std::size_t k = 0; k < passive.size(); ++k) {
    A.row(k) = Jt.row(passive[k]);
    select(k, passive[k]) = 1;
  }
  Eigen::MatrixXd map = Eigen::MatrixXd::Identity(nv, nv);
  if (!passive.empty()) {
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
    solver.setThreshold(least_sine);
    solver.compute(A);
    map -= Jt * solver.solve(select);
  }
  for (int j : passive) map.row(j).setZero();
  return map;
}

}  // namespace cartan::mechanics
