#include "mechanics/constraints/constraint_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/dense.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/mass_metric.h"
#include "mechanics/constraints/row_chooser.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::mechanics {
namespace {

constexpr double least_sine = 1e-8;

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
  return MassMetric(mechanism, ws).diagonal().cwiseSqrt().cwiseInverse();
}

}  // namespace

RankReport calc_rank(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  const int m = mechanism.row_count();
  RankReport report;
  report.rows = m;
  report.active.assign(m, 0);
  if (m == 0) return report;
  fill_constraint_positions(mechanism, ws);
  const double tolerance = calc_rank_tolerance(ws);
  const Eigen::VectorXd scales = speed_scales(mechanism, ws);
  const ConstraintRows rows = calc_constraint_rows(mechanism, ws);
  const SparseMatrix J = rows.J * scales.asDiagonal();
  std::vector<int> driven(m), holonomic(m), all(m, 1);
  report.holonomic_active.assign(m, 0);
  // rows of contacts are chosen with their modes (contacts/contact_events.h)
  for (int r = mechanism.contact_row0; r < m; ++r) all[r] = 0;
  for (int r = 0; r < mechanism.contact_row0; ++r) {
    driven[r] = mechanism.rows[r].driven_speed >= 0;
    holonomic[r] = mechanism.rows[r].holonomic;
    report.holonomic_rows += holonomic[r];
  }
  const Eigen::VectorXd sizes = rows.sizes(scales);
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
  const ConstraintRows rows = calc_constraint_rows(mechanism, ws);
  const Eigen::VectorXd sizes = rows.sizes();
  Eigen::MatrixXd J(rows.J);
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
                                  const SparseMatrix& rows, RowKind kind) {
  const int m = mechanism.row_count(), more = static_cast<int>(rows.rows());
  std::vector<int> free;
  if (more == 0) return free;
  const Eigen::VectorXd scales = speed_scales(mechanism, ws);
  fill_constraint_positions(mechanism, ws);
  const ConstraintRows constraints = calc_constraint_rows(mechanism, ws);
  const SparseMatrix all = stack_rows(constraints.J, rows) * scales.asDiagonal();
  Eigen::VectorXd sizes(m + more);
  sizes.head(m) = constraints.sizes(scales);
  for (int k = 0; k < more; ++k)  // a loop joint that cannot move has a row of rounding
    sizes[m + k] = rows.row(k).norm() < cancelled ? INFINITY : all.row(m + k).norm();
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
  SparseMatrix rows(static_cast<Eigen::Index>(speeds.size()), mechanism.nv);
  for (std::size_t k = 0; k < speeds.size(); ++k)
    rows.insert(static_cast<Eigen::Index>(k), speeds[k]) = 1;
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
  const ConstraintRows all = calc_constraint_rows(mechanism, ws);
  std::vector<int> kept;
  for (int r = 0; r < mechanism.row_count(); ++r)
    if (!mechanism.rows[r].drive) kept.push_back(r);
  const int m = static_cast<int>(kept.size());
  if (m == 0) return Eigen::MatrixXd::Identity(nv, nv);
  const SparseMatrix J = select_rows(all.J, kept);
  SparseMatrix units(nv, nv);
  units.setIdentity();
  Eigen::VectorXd sizes = Eigen::VectorXd::Ones(m + nv);
  sizes.head(m) = all.sizes(scales)(kept);
  RowChooser chooser(stack_rows(J * scales.asDiagonal(), units), sizes, cancelled);
  std::vector<int> candidates(m + nv, 0), chosen(m + nv, 0);
  std::fill(candidates.begin(), candidates.begin() + m, 1);
  chooser.choose(candidates, least_sine, chosen);
  for (int j : order_actuators(mechanism)) chosen[m + j] = chooser.add(m + j, least_share);
  std::vector<int> passive;
  for (int j = 0; j < nv; ++j)
    if (!chosen[m + j]) passive.push_back(j);
  const Eigen::MatrixXd Jt = Eigen::MatrixXd(J).transpose();
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
