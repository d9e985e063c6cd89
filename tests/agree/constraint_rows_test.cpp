// Rows of the constraint equations as a matrix: what they say of speeds, where they are zero, the
// choice of independent ones, the least change that satisfies them.
#include <algorithm>

#include "agreement.h"
#include "mechanics/assembly/least_change.h"
#include "mechanics/constraints/constraint_rows.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/constraints/mass_metric.h"
#include "mechanics/constraints/row_chooser.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/tree/recursive.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd speeds_of_rows(const Mechanism<double>& mechanism, const NaiveState& at,
                        const std::vector<double>& v, MotionWorkspace<double>& ws) {
  fill_kinematics<double>(mechanism, at.t, at.q.data(), v.data(), ws);
  return Eigen::Map<const VectorXd>(ws.row_speed.data(), mechanism.row_count());
}

// Coordinates of tree joints in the order of the mechanism.
std::vector<double> coordinates_in(const Mechanism<double>& mechanism, const ClosedModel& m) {
  std::vector<double> q(mechanism.nq);
  for (std::size_t j = 0; j < m.tree.joints.size(); ++j) {
    const int link = mechanism.link_of_joint[j];
    if (link < 0) continue;
    std::copy_n(m.state.q.begin() + m.tree.joints[j].q0, m.tree.joints[j].nq,
                q.begin() + mechanism.links[link].q0);
  }
  return q;
}

// J e_j is what the row's own speed says of a unit speed, on any closed mechanism: entries that are
// left out because a loop is local are none.
TEST(ConstraintRows, MatrixGivesTheSpeedsOfTheRows) {
  double worst = 0, largest = 0;
  int local = 0, entries = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClosedModel m(make_random_closed_mechanism(seed));
    const std::vector<double> parameters = parameter_values(m.model);
    const Mechanism<double> mechanism = make_mechanism<double>(m.model, parameters);
    MotionWorkspace<double> ws = make_motion_workspace(mechanism);
    NaiveState at = m.state;
    at.q = coordinates_in(mechanism, m);
    std::vector<double> v(mechanism.nv, 0.0);
    const VectorXd rest = speeds_of_rows(mechanism, at, v, ws);
    const ConstraintRows rows = calc_constraint_rows(mechanism, ws);
    const MatrixXd J(rows.J);
    const VectorXd sizes = rows.sizes();
    for (int j = 0; j < mechanism.nv; ++j) {
      v[j] = 1;
      const VectorXd column = speeds_of_rows(mechanism, at, v, ws) - rest;
      v[j] = 0;
      for (int r = 0; r < mechanism.row_count(); ++r) {
        const double size = std::max({1.0, sizes[r], std::fabs(rest[r])});
        worst = std::max(worst, std::fabs(column[r] - J(r, j)) / size);
        largest = std::max(largest, std::fabs(J(r, j)));
        local += J(r, j) == 0;
        ++entries;
      }
    }
  }
  // rounding of sums over at most forty links
  EXPECT_LT(worst, 1e-13);
  EXPECT_GT(largest, 1);
  EXPECT_GT(local, entries / 4);
  std::printf("largest difference %.2g of the row, %d of %d entries are zero\n", worst, local,
              entries);
}

MatrixXd random_matrix(Random& random, int rows, int columns) {
  MatrixXd m(rows, columns);
  for (double& entry : m.reshaped()) entry = random.uniform(-1, 1);
  return m;
}

// Three blocks of ranks 2, 1, 3 in mixed order, and a column of nobody.
struct Blocks {
  MatrixXd rows = MatrixXd::Zero(11, 12);
  explicit Blocks(std::uint64_t seed) {
    Random random(seed);
    const int rank[] = {2, 1, 3}, width[] = {4, 2, 5};
    const std::vector<std::vector<int>> at = {{0, 3, 6, 9}, {1, 4}, {2, 5, 7, 8, 10}};
    const std::vector<std::vector<int>> columns = {{11, 2, 5, 8}, {0, 7}, {1, 3, 4, 6, 9}};
    for (int b = 0; b < 3; ++b)
      rows(at[b], columns[b]) = random_matrix(random, static_cast<int>(at[b].size()), rank[b]) *
                                random_matrix(random, rank[b], width[b]);
  }
};

TEST(ConstraintRows, BlocksShareNoColumn) {
  const SparseMatrix rows = Blocks(1).rows.sparseView();
  const std::vector<RowBlock> blocks = find_row_blocks(rows);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[0].columns, (std::vector<int>{0, 7}));
  EXPECT_EQ(blocks[0].rows, (std::vector<int>{1, 4}));
  EXPECT_EQ(blocks[1].columns, (std::vector<int>{1, 3, 4, 6, 9}));
  EXPECT_EQ(blocks[2].columns, (std::vector<int>{2, 5, 8, 11}));
  for (const RowBlock& block : blocks)
    EXPECT_EQ(block.part_of(rows), Blocks(1).rows(block.rows, block.columns));
  // a place that may have an entry elsewhere joins two blocks, where that is asked for
  SparseMatrix more = rows;
  more.insert(0, 7) = 0;
  EXPECT_EQ(find_row_blocks(more).size(), 3u);
  EXPECT_EQ(find_row_blocks(more, JoinedBy::places).size(), 2u);
}

MatrixXd dense_metric(const Mechanism<double>& mechanism, MotionWorkspace<double>& ws) {
  const int nv = mechanism.nv;
  std::vector<double> entries(static_cast<std::size_t>(nv) * nv);
  calc_mass_matrix<double>(mechanism, ws, entries);
  return Eigen::Map<MatrixXd>(entries.data(), nv, nv);
}

// The metric without its n^2 entries is the mass matrix, rotors of loop joints and all: products,
// diagonal, and the part of any speeds.
TEST(MassMetric, IsTheMassMatrix) {
  double worst = 0, rotors = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClosedModel m(make_random_closed_mechanism(seed));
    const std::vector<double> parameters = parameter_values(m.model);
    const Mechanism<double> mechanism = make_mechanism<double>(m.model, parameters);
    MotionWorkspace<double> ws = make_motion_workspace(mechanism);
    const std::vector<double> q = coordinates_in(mechanism, m), v(mechanism.nv, 0.0);
    fill_kinematics<double>(mechanism, m.state.t, q.data(), v.data(), ws);
    const MatrixXd M = dense_metric(mechanism, ws);
    rotors += static_cast<double>(mechanism.loop_rotors.size());
    const MassMetric metric(mechanism, ws);
    Random random(seed);
    VectorXd x(mechanism.nv);
    std::vector<int> some;
    for (int j = 0; j < mechanism.nv; ++j) {
      x[j] = random.uniform(-1, 1);
      if (random.uniform(0, 1) < 0.6) some.push_back(j);
    }
    const double size = M.cwiseAbs().maxCoeff();
    worst = std::max(worst, (metric.times(x) - M * x).cwiseAbs().maxCoeff() / size);
    worst = std::max(worst, (metric.diagonal() - M.diagonal()).cwiseAbs().maxCoeff() / size);
    if (some.empty()) continue;
    worst = std::max(worst, (metric.part(some) - M(some, some)).cwiseAbs().maxCoeff() / size);
  }
  EXPECT_LT(worst, 1e-11);  // 1e-12 of the largest entry is on its diagonal
  EXPECT_GT(rotors, 2);
}

// Cut between groups of links: a group's part is the mass matrix of its own bodies, whatever stands
// on them.
TEST(MassMetric, GroupsMoveTheirOwnBodies) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const ClosedModel m(make_random_closed_mechanism(seed));
    const std::vector<double> parameters = parameter_values(m.model);
    Mechanism<double> mechanism = make_mechanism<double>(m.model, parameters);
    mechanism.loop_rotors.clear();
    MotionWorkspace<double> ws = make_motion_workspace(mechanism);
    const std::vector<double> q = coordinates_in(mechanism, m), v(mechanism.nv, 0.0);
    fill_kinematics<double>(mechanism, m.state.t, q.data(), v.data(), ws);
    const int n = static_cast<int>(mechanism.links.size()), first = n / 2;
    std::vector<int> group(n, 0), speeds;
    for (int i = first; i < n; ++i) {
      group[i] = 1;
      for (int k = 0; k < mechanism.links[i].nv; ++k) speeds.push_back(mechanism.links[i].v0 + k);
    }
    std::sort(speeds.begin(), speeds.end());
    std::vector<int> inner;
    for (int j = 0; j < mechanism.nv; ++j)
      if (!std::binary_search(speeds.begin(), speeds.end(), j)) inner.push_back(j);
    if (inner.empty() || speeds.empty()) continue;
    const MassMetric metric(mechanism, ws, group);
    const MatrixXd M = dense_metric(mechanism, ws);
    const double size = M.cwiseAbs().maxCoeff();
    // nothing stands on the outer group
    EXPECT_LT((metric.part(speeds) - M(speeds, speeds)).cwiseAbs().maxCoeff(), 1e-11 * size);
    // the inner one without it
    for (int i = first; i < n; ++i)
      mechanism.links[i].mass = 0, mechanism.links[i].mc = {}, mechanism.links[i].J = {};
    const MatrixXd alone = dense_metric(mechanism, ws);
    EXPECT_LT((metric.part(inner) - alone(inner, inner)).cwiseAbs().maxCoeff(), 1e-11 * size);
    compared += (M(inner, inner) - alone(inner, inner)).cwiseAbs().maxCoeff() > 1e-3 * size;
  }
  EXPECT_GT(compared, 10);
}

TEST(ConstraintRows, ChosenRowsHaveTheRankOfAll) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Blocks made(seed);
    RowChooser chooser(made.rows.sparseView(), VectorXd::Ones(11), 1e-10);
    std::vector<int> chosen(11, 0);
    chooser.choose(std::vector<int>(11, 1), 1e-8, chosen);
    EXPECT_EQ(chooser.rank(), 6);
    std::vector<int> rows;
    for (int r = 0; r < 11; ++r)
      if (chosen[r]) rows.push_back(r);
    const MatrixXd kept = made.rows(rows, Eigen::all);
    EXPECT_EQ(Eigen::FullPivLU<MatrixXd>(kept).rank(), 6);
    // nothing more is free in a full block, and a taken row is none twice
    for (int r = 0; r < 11; ++r) EXPECT_FALSE(chooser.add(r, 1e-8));
  }
}

struct DenseMetric final : Metric {
  MatrixXd M;
  explicit DenseMetric(MatrixXd entries) : M(std::move(entries)) {}
  int size() const override { return static_cast<int>(M.rows()); }
  MatrixXd part(const std::vector<int>& speeds) const override { return M(speeds, speeds); }
  VectorXd times(const VectorXd& x) const override { return M * x; }
};

// The least d^T M d with J d = rhs: stationary, M d in the span of the rows, and J d = rhs.
TEST(ConstraintRows, LeastChangeIsStationary) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random(100 + seed);
    const Blocks made(seed);
    const MatrixXd root = random_matrix(random, 12, 12);
    const DenseMetric metric(root * root.transpose() + MatrixXd::Identity(12, 12));
    const VectorXd rhs = made.rows * random_matrix(random, 12, 1);
    const ChangeEquations equations{made.rows.sparseView(), VectorXd::Zero(11), VectorXd::Ones(11)};
    const VectorXd d = calc_least_change(metric, equations, rhs);
    EXPECT_GT(d.norm(), 0.1);
    EXPECT_LT((made.rows * d - rhs).norm(), 1e-11);
    const VectorXd force = metric.times(d);
    const VectorXd multipliers =
        Eigen::CompleteOrthogonalDecomposition<MatrixXd>(made.rows.transpose()).solve(force);
    EXPECT_LT((made.rows.transpose() * multipliers - force).norm(), 1e-11 * force.norm());
    // block by block: the rows too, and what is in no block stays
    const VectorXd by_blocks = calc_block_change(metric, equations, rhs);
    EXPECT_LT((made.rows * by_blocks - rhs).norm(), 1e-11);
    EXPECT_EQ(by_blocks[10], 0);
    EXPECT_GT((by_blocks - d).norm(), 1e-3);
  }
}

}  // namespace
}  // namespace cartan::test
