#include "dynamics/constraint_matrix.h"

#include <algorithm>

#include "core/dense.h"
#include "dynamics/constraints.h"
#include "dynamics/kinematics.h"
#include "dynamics/recursive.h"

namespace cartan {
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
  for (const RowTerm<double>& term : mechanism.terms)
    J(term.row, mechanism.links[term.link].v0 + term.component) += term.factor;
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
  for (const RowTerm<double>& term : mechanism.terms)
    sizes(term.row, mechanism.links[term.link].v0 + term.component) += std::fabs(term.factor);
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
  double violation = 0;
  for (double g : ws.row_position) violation = std::max(violation, std::fabs(g));
  const double tolerance = std::min(1e-2, std::max(least_sine, 100 * violation));
  const Eigen::VectorXd scales = speed_scales(mechanism, ws);
  const Eigen::MatrixXd J = calc_constraint_matrix(mechanism, ws) * scales.asDiagonal();
  std::vector<int> driven(m), holonomic(m), all(m, 1);
  report.holonomic_active.assign(m, 0);
  for (int r = 0; r < m; ++r) {
    driven[r] = mechanism.rows[r].driven_speed >= 0;
    holonomic[r] = mechanism.rows[r].holonomic;
    report.holonomic_rows += holonomic[r];
  }
  const Eigen::VectorXd sizes = calc_row_sizes(mechanism, ws, scales);
  const double negligible = std::clamp(violation, cancelled, 1e-4);
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
  const Eigen::VectorXd least = solver.solve(J.transpose() * lambda);
  return {least.data(), least.data() + least.size()};
}

// The rows of J, then a row for every speed; the constraints are chosen already.
static RowChooser make_speed_chooser(const Mechanism<double>& mechanism,
                                     MotionWorkspace<double>& ws, const Eigen::MatrixXd& J,
                                     std::vector<int>& chosen) {
  const int nv = mechanism.nv, m = mechanism.row_count();
  const Eigen::VectorXd scales = speed_scales(mechanism, ws);
  Eigen::MatrixXd all(m + nv, nv);
  all << J * scales.asDiagonal(), Eigen::MatrixXd::Identity(nv, nv);
  Eigen::VectorXd sizes = Eigen::VectorXd::Ones(m + nv);
  sizes.head(m) = calc_row_sizes(mechanism, ws, scales);
  RowChooser chooser(all, sizes, cancelled);
  std::vector<int> candidates(m + nv, 0);
  std::fill(candidates.begin(), candidates.begin() + m, 1);
  chosen.assign(m + nv, 0);
  chooser.choose(candidates, least_sine, chosen);
  return chooser;
}

// A speed is independent when this much of it is left over by the rows before.
constexpr double least_share = 1e-6;

int find_dependent_speed(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws,
                         const std::vector<int>& speeds) {
  const int m = mechanism.row_count();
  std::vector<int> chosen;
  RowChooser chooser =
      make_speed_chooser(mechanism, ws, calc_constraint_matrix(mechanism, ws), chosen);
  for (std::size_t k = 0; k < speeds.size(); ++k) {
    std::vector<int> candidate(chosen.size(), 0);
    candidate[m + speeds[k]] = 1;
    chooser.choose(candidate, least_share, chosen);
    if (!chosen[m + speeds[k]]) return static_cast<int>(k);
  }
  return -1;
}

std::vector<double> calc_actuator_forces(const Mechanism<double>& mechanism,
                                         MotionWorkspace<double>& ws,
                                         const std::vector<double>& force) {
  const int nv = mechanism.nv, m = mechanism.row_count();
  const Eigen::MatrixXd J = calc_constraint_matrix(mechanism, ws);
  std::vector<int> chosen;
  RowChooser chooser = make_speed_chooser(mechanism, ws, J, chosen);
  for (int j = 0; j < nv; ++j) {
    std::vector<int> candidate(m + nv, 0);
    candidate[m + j] = 1;
    chooser.choose(candidate, least_share, chosen);
  }
  std::vector<int> passive;
  for (int j = 0; j < nv; ++j)
    if (!chosen[m + j]) passive.push_back(j);
  const Eigen::MatrixXd Jt = J.transpose();
  Eigen::MatrixXd A(passive.size(), m);
  Eigen::VectorXd b(passive.size());
  for (std::size_t k = 0; k < passive.size(); ++k) {
    A.row(k) = Jt.row(passive[k]);
    b[k] = force[passive[k]];
  }
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver;
  solver.setThreshold(least_sine);
  solver.compute(A);
  const Eigen::VectorXd carried = Jt * solver.solve(b);
  std::vector<double> result(nv, 0.0);
  for (int j = 0; j < nv; ++j)
    if (chosen[m + j]) result[j] = force[j] - carried[j];
  return result;
}

}  // namespace cartan
