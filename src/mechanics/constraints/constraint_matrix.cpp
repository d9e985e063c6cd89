#include "mechanics/constraints/constraint_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/dense.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/row_chooser.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/recursive.h"

namespace cartan::mechanics {
namespace {

constexpr double least_sine = 1e-8;
constexpr double balanced = 1e-12;  // of the wrenches that add up to nothing

// The lowest link that carries both.
class CommonLinks {
 public:
  explicit CommonLinks(const Mechanism<double>& mechanism) : mechanism_(mechanism) {
    for (const Link<double>& link : mechanism.links) depth_.push_back(depth(link.parent) + 1);
  }
  int find(int a, int b) const {
    while (a != b) (depth(a) >= depth(b) ? a : b) = parent(depth(a) >= depth(b) ? a : b);
    return a;
  }

 private:
  int parent(int link) const { return mechanism_.links[link].parent; }
  int depth(int link) const { return link == world ? 0 : depth_[link]; }

  const Mechanism<double>& mechanism_;
  std::vector<int> depth_;
};

// Entries of a row of J from its wrenches on links. Those of a relative motion cancel at the lowest
// link that carries all of them: from there on the row is zero, not rounding, and so it has entries
// on its own loop alone. The sizes are those of the entries if nothing cancelled.
class RowOfWrenches {
 public:
  RowOfWrenches(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws)
      : mechanism_(mechanism), ws_(ws), common_(mechanism) {
    for (const LinkState<double>& x : ws.links) longest_ = std::max(longest_, norm(x.r));
  }

  void start() { wrenches_.clear(); }
  // A moment is a sum over lever arms that may cancel, too.
  void add(int link, const Vec3<double>& n, const Vec3<double>& f) {
    wrenches_.push_back({link, n, f, norm(n) + longest_ * norm(f), norm(f)});
  }
  // Calls act(speed, entry, size) for every speed that a wrench moves.
  template <class Act>
  void finish(Act&& act) {
    if (wrenches_.empty()) return;
    int end = wrenches_.front().link;
    for (const Wrench& w : wrenches_) end = common_.find(end, w.link);
    Wrench rest{end, {}, {}, 0, 0};
    for (Wrench& w : wrenches_) {
      carry(w, end, act);
      rest.n += w.n;
      rest.f += w.f;
      rest.moment += w.moment;
      rest.force += w.force;
    }
    if (norm(rest.n) > balanced * rest.moment || norm(rest.f) > balanced * rest.force)
      carry(rest, world, act);
  }

 private:
  struct Wrench {
    int link;
    Vec3<double> n, f;     // about the origin of the link
    double moment, force;  // how large they are if nothing cancels
  };
  template <class Act>
  void carry(Wrench& w, int end, Act&& act) const {
    for (; w.link != end; w.link = mechanism_.links[w.link].parent) {
      const Link<double>& link = mechanism_.links[w.link];
      for (int j = link.v0; j < link.v0 + link.nv; ++j)
        act(j, dot(ws_.phi[j], w.n) + dot(ws_.psi[j], w.f),
            norm(ws_.phi[j]) * w.moment + norm(ws_.psi[j]) * w.force);
      const Vec3<double>& r = ws_.links[w.link].r;
      w.n += cross(r, w.f);
      w.moment += norm(r) * w.force;
    }
  }

  const Mechanism<double>& mechanism_;
  const MotionWorkspace<double>& ws_;
  const CommonLinks common_;
  double longest_ = 0;  // distance of two origins
  std::vector<Wrench> wrenches_;
};

// Sources of the mechanism by rows.
std::vector<std::vector<int>> list_sources(const Mechanism<double>& mechanism) {
  std::vector<std::vector<int>> sources(mechanism.rows.size());
  for (std::size_t s = 0; s < mechanism.sources.size(); ++s)
    sources[mechanism.sources[s].row].push_back(static_cast<int>(s));
  return sources;
}

// act(row, speed, entry, size) for all that wrenches do.
template <class Act>
void for_each_entry(const Mechanism<double>& mechanism, const MotionWorkspace<double>& ws,
                    Act&& act) {
  RowOfWrenches row(mechanism, ws);
  const std::vector<std::vector<int>> sources = list_sources(mechanism);
  for (std::size_t r = 0; r < sources.size(); ++r) {
    row.start();
    for (const int s : sources[r])
      row.add(mechanism.sources[s].link, ws.source_n[s], ws.source_f[s]);
    row.finish([&](int j, double entry, double size) { act(r, j, entry, size); });
  }
}

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
  for_each_entry(mechanism, ws,
                 [&](std::size_t row, int j, double entry, double) { J(row, j) += entry; });
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
  for_each_entry(mechanism, ws,
                 [&](std::size_t row, int j, double, double size) { sizes(row, j) += size; });
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
  RowOfWrenches row(mechanism, ws);
  for (std::size_t l = 0; l < mechanism.loops.size(); ++l) {
    const LoopJoint<double>& loop = mechanism.loops[l];
    for (int k = loop.shape.v0; k < loop.shape.v0 + loop.shape.nv; ++k) {
      row.start();
      auto add = [&](int link, double sign) {
        const Vec3<double> arm =
            ws.loops[l].o_C - (link == world ? Vec3<double>{} : ws.links[link].o);
        const Vec3<double> f = sign * ws.loop_speed[k].beta;
        row.add(link, sign * ws.loop_speed[k].alpha + cross(arm, f), f);
      };
      add(loop.child, 1);
      add(loop.parent, -1);
      row.finish([&](int j, double entry, double) { S(k, j) += entry; });
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
  for (int k = 0; k < more; ++k)
    if (chooser.add(m + k, least_share)) free.push_back(k);
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
  for (int j : order_actuators(mechanism)) chosen[m + j] = chooser.add(m + j, least_share);
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
