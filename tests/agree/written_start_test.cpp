// The start of closed mechanisms: joints in file order, a written value is held if the constraints
// and the values held before leave it free, the rest follows with the smallest mass-weighted
// change. Judged by the naive reference, in which the speeds of loop joints are unknowns of their
// own: a value is held exactly if its unit row raises the rank of the rows so far.
#include <cmath>
#include <random>

#include "agreement.h"
#include "core/dense.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct StartTally {
  int mechanisms = 0, held = 0, free_to_change = 0, loops_held = 0, nearest = 0, out_of_reach = 0,
      far = 0;
};

struct Start {
  const ClosedModel& m;
  std::unique_ptr<System> owner;
  MechanicalSystem* system = nullptr;
  std::unique_ptr<Workspace> workspace;

  explicit Start(const ClosedModel& model) : m(model) {
    std::string problem;
    owner = make_system(m.model, m.tree.parameters, "recursive", problem);
    EXPECT_TRUE(owner) << problem;
    if (!owner) return;
    system = dynamic_cast<MechanicalSystem*>(owner.get());
    workspace = system->make_workspace();
  }
  State state(const std::vector<double>& q, const std::vector<double>& v) const {
    std::vector<std::optional<std::vector<double>>> of_q, of_v;
    for (const NaiveJoint& j : m.tree.joints) {
      of_q.emplace_back(std::vector<double>(q.begin() + j.q0, q.begin() + j.q0 + j.nq));
      of_v.emplace_back(std::vector<double>(v.begin() + j.v0, v.begin() + j.v0 + j.nv));
    }
    return system->make_state(m.state.t, of_q, of_v);
  }
  // All joints, loop joints too.
  NaiveState observe(const State& state) const {
    Observation now;
    system->observe(state, now, *workspace);
    NaiveState result{state.t, {}, {}};
    for (std::size_t j = 0; j < now.q.size(); ++j) {
      result.q.insert(result.q.end(), now.q[j].begin(), now.q[j].end());
      result.v.insert(result.v.end(), now.v[j].begin(), now.v[j].end());
    }
    return result;
  }
};

// Rows of unit length on speeds in units of equal inertia.
MatrixXd normalised(const MatrixXd& rows, const VectorXd& speed_scale) {
  MatrixXd result = rows * speed_scale.cwiseInverse().asDiagonal();
  for (Eigen::Index r = 0; r < result.rows(); ++r)
    if (result.row(r).norm() > 0) result.row(r).normalize();
  return result;
}

// Which of the values (columns of all speeds) are held; 2 where the rank is not clear.
std::vector<int> decide(const MatrixXd& rows, const VectorXd& speed_scale,
                        const std::vector<int>& values) {
  MatrixXd known = normalised(rows, speed_scale);
  std::vector<int> result;
  for (int value : values) {
    VectorXd left = VectorXd::Unit(known.cols(), value);
    if (known.rows() > 0) {
      const Eigen::JacobiSVD<MatrixXd> svd(known, Eigen::ComputeThinU | Eigen::ComputeThinV);
      for (Eigen::Index k = 0; k < svd.singularValues().size(); ++k)
        if (svd.singularValues()[k] > 1e-7)
          left -= svd.matrixV().col(k) * svd.matrixV().col(k)[value];
    }
    const double share = left.norm();
    result.push_back(share > 1e-4 ? 1 : share < 1e-8 ? 0 : 2);
    if (result.back() != 1) continue;
    known.conservativeResize(known.rows() + 1, Eigen::NoChange);
    known.row(known.rows() - 1) = VectorXd::Unit(known.cols(), value);
  }
  return result;
}

MatrixXd with_unit_rows(const MatrixXd& J, const std::vector<int>& columns) {
  MatrixXd all(J.rows() + columns.size(), J.cols());
  all.topRows(J.rows()) = J;
  for (std::size_t k = 0; k < columns.size(); ++k)
    all.row(J.rows() + k) = VectorXd::Unit(J.cols(), columns[k]);
  return all;
}

// Part of M change along the motions that all rows allow, against M change itself, with speeds in
// units of equal inertia: zero where the change is the smallest.
double calc_excess(const MatrixXd& rows, const MatrixXd& M, const VectorXd& change,
                   const VectorXd& speed_scale) {
  const VectorXd momentum = (M * change).cwiseQuotient(speed_scale);
  if (momentum.norm() == 0) return 0;
  const MatrixXd scaled = normalised(rows, speed_scale);
  const Eigen::JacobiSVD<MatrixXd> svd(scaled, Eigen::ComputeFullV);
  const VectorXd& s = svd.singularValues();
  Eigen::Index rank = 0;
  while (rank < s.size() && s[rank] > 1e-7) ++rank;
  return (svd.matrixV().rightCols(scaled.cols() - rank).transpose() * momentum).norm() /
         momentum.norm();
}

VectorXd vector_of(const std::vector<double>& list) {
  return Eigen::Map<const VectorXd>(list.data(), static_cast<Eigen::Index>(list.size()));
}

std::vector<bool> find_driven(const ClosedModel& m) {
  std::vector<bool> driven(m.tree.joints.size(), false);
  for (const Constraint& constraint : m.model.constraints)
    if (const auto* drive = std::get_if<DriveConstraint>(&constraint.law))
      driven[drive->joint] = true;
  return driven;
}

void check_speeds(std::uint64_t seed, StartTally& tally) {
  RandomClosedOptions options;
  options.tree.rotors = 0;  // one in a loop joint does not count in the size of a change
  const ClosedModel m(make_random_closed_mechanism(seed, options));
  const Start start(m);
  ASSERT_TRUE(start.system);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-2, 2);
  std::vector<double> wanted(m.state.v.size(), 0.0);
  WrittenStart written(m.tree.joints.size());
  std::vector<int> values;
  for (std::size_t j = 0; j < m.tree.joints.size(); ++j) {
    const NaiveJoint& joint = m.tree.joints[j];
    if (random() % 3 == 0) continue;
    for (int k = 0; k < joint.nv; ++k) {
      wanted[joint.v0 + k] = number(random);
      values.push_back(joint.v0 + k);
      written[j].v.push_back(wanted[joint.v0 + k]);
    }
  }
  State state = start.state(m.state.q, wanted);
  const AssemblyReport report = start.system->assemble(state, written, *start.workspace);
  ASSERT_EQ(report.problem, "");
  const NaiveState found = start.observe(state);
  const NaiveClosedResult r = calc_naive_closed_dynamics(m.tree, {m.state.t, m.state.q, found.v});
  const VectorXd v = vector_of(found.v), w = vector_of(wanted);
  const double size = 1 + v.cwiseAbs().maxCoeff();
  if (r.rows.count() > 0)
    EXPECT_LE((r.rows.J * v + r.rows.time_rate).cwiseQuotient(r.rank.row_scale).norm(),
              1e-8 * size);
  const std::vector<int> decided = decide(r.rows.J, r.rank.speed_scale, values);
  std::vector<int> held;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (decided[k] == 2) return;  // not clear: everything after it may differ
    if (decided[k] == 0) {
      ++tally.free_to_change;
      continue;
    }
    held.push_back(values[k]);
    ++tally.held;
    EXPECT_NEAR(v[values[k]], w[values[k]], 1e-8 * size) << "speed " << values[k];
    for (const NaiveJoint& joint : m.tree.joints) {
      if (values[k] < joint.v0 || values[k] >= joint.v0 + joint.nv) continue;
      tally.loops_held += joint.loop;
      if (!joint.loop) EXPECT_EQ(v[values[k]], w[values[k]]) << "kept exactly";
    }
  }
  // drives are obeyed first; the change is counted from there
  VectorXd change = v - w;
  const std::vector<bool> driven = find_driven(m);
  for (std::size_t j = 0; j < m.tree.joints.size(); ++j)
    if (driven[j]) change.segment(m.tree.joints[j].v0, m.tree.joints[j].nv).setZero();
  EXPECT_LE(calc_excess(with_unit_rows(r.rows.J, held), r.mass_matrix, change, r.rank.speed_scale),
            1e-6);
  // what is listed as changed is what changed
  for (std::size_t j = 0; j < m.tree.joints.size(); ++j) {
    const NaiveJoint& joint = m.tree.joints[j];
    bool changed = false;
    for (int k = 0; k < joint.nv && !written[j].v.empty(); ++k)
      changed |= std::fabs(v[joint.v0 + k] - w[joint.v0 + k]) > 1e-8 * size;
    const bool listed = std::any_of(
        report.changed.begin(), report.changed.end(),
        [&](const ChangedValues& c) { return c.velocity && c.joint == static_cast<int>(j); });
    if (changed) EXPECT_TRUE(listed) << m.model.joints[j].name;
  }
  ++tally.mechanisms;
}

TEST(WrittenStart, SpeedsAreHeldInFileOrder) {
  StartTally tally;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check_speeds(seed, tally);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(tally.mechanisms, 120);
  EXPECT_GT(tally.held, 200);
  EXPECT_GT(tally.free_to_change, 100);
  EXPECT_GT(tally.loops_held, 5);
}

// Coordinates of a joint as its motions from one position to another (contract: unit quaternions
// first).
VectorXd motions_between(const NaiveJoint& joint, const double* from, const double* to) {
  VectorXd d(joint.nv);
  if (joint.nq == joint.nv) {
    for (int k = 0; k < joint.nv; ++k) d[k] = to[k] - from[k];
    return d;
  }
  const Quat<double> a{from[0], from[1], from[2], from[3]}, b{to[0], to[1], to[2], to[3]};
  const Vec3<double> turn = log(conjugate(a) * b);
  d.head(3) = eigen(turn);
  if (joint.nv == 6) {
    const Vec3<double> shift{to[4] - from[4], to[5] - from[5], to[6] - from[6]};
    d.tail(3) = eigen(transpose_times(rotation_matrix(a), shift));
  }
  return d;
}

void check_positions(std::uint64_t seed, StartTally& tally) {
  RandomClosedOptions options;
  options.tree.joints = {JointType::revolute, JointType::prismatic,   JointType::cylindrical,
                         JointType::planar,   JointType::translation, JointType::universal};
  options.tree.rotors = 0;  // one in a loop joint does not count in the size of a change
  const ClosedModel m(make_random_closed_mechanism(seed, options));
  const Start start(m);
  ASSERT_TRUE(start.system);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-0.02, 0.02);
  const std::vector<bool> driven = find_driven(m);
  std::vector<double> wanted = m.state.q;
  WrittenStart written(m.tree.joints.size());
  std::vector<int> values;                        // among the speeds
  std::vector<std::pair<int, bool>> coordinates;  // of each value; plain ones of the tree
  for (std::size_t j = 0; j < m.tree.joints.size(); ++j) {
    const NaiveJoint& joint = m.tree.joints[j];
    const bool plain = joint.nq == joint.nv, write = plain && random() % 3 != 0;
    for (int k = 0; plain && k < joint.nq; ++k) {
      if (!driven[j] && (!joint.loop || write)) wanted[joint.q0 + k] += number(random);
      if (!write) continue;
      values.push_back(joint.v0 + k);
      coordinates.emplace_back(joint.q0 + k, !joint.loop);
      written[j].q.push_back(wanted[joint.q0 + k]);
    }
  }
  State state = start.state(wanted, std::vector<double>(m.state.v.size(), 0.0));
  const AssemblyReport report = start.system->assemble(state, written, *start.workspace);
  if (!report.problem.empty()) return;  // cannot be closed near this guess
  NaiveState found = start.observe(state);
  const NaiveRows rows = calc_naive_row_system(m.tree, found);
  const NaiveClosedResult r = calc_naive_closed_dynamics(m.tree, found);
  if (rows.count() == 0) return;
  EXPECT_LE(rows.position.cwiseAbs().maxCoeff(), 1e-9);
  MatrixXd J(0, rows.J.cols());
  for (int k = 0; k < rows.count(); ++k) {
    if (!rows.holonomic[k]) continue;
    J.conservativeResize(J.rows() + 1, Eigen::NoChange);
    J.row(J.rows() - 1) = rows.J.row(k);
  }
  const std::vector<int> decided = decide(J, r.rank.speed_scale, values);
  std::vector<int> held;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (decided[k] == 2) return;
    const auto [coordinate, of_tree] = coordinates[k];
    if (decided[k] == 0) {
      ++tally.free_to_change;
      continue;
    }
    const double off = found.q[coordinate] - wanted[coordinate];
    if (of_tree ? off != 0 : std::fabs(std::remainder(off, 2 * M_PI)) > 1e-8) {
      // free to first order where the search ended, but no closed position near has it
      EXPECT_GT(std::fabs(off), 1e-3) << "coordinate " << coordinate;
      ++tally.out_of_reach;
      return;
    }
    held.push_back(values[k]);
    ++tally.held;
    tally.loops_held += !of_tree;
  }
  VectorXd change = VectorXd::Zero(rows.J.cols());
  for (const NaiveJoint& joint : m.tree.joints)
    if (!joint.loop && joint.nv > 0)
      change.segment(joint.v0, joint.nv) =
          motions_between(joint, wanted.data() + joint.q0, found.q.data() + joint.q0);
  ++tally.mechanisms;
  // not closed near the guess: the masses, as the joints see them, are others there
  if (change.norm() > 1) {
    ++tally.far;
    return;
  }
  tally.nearest +=
      calc_excess(with_unit_rows(J, held), r.mass_matrix, change, r.rank.speed_scale) < 1e-5;
}

TEST(WrittenStart, PositionsAreHeldInFileOrder) {
  StartTally tally;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check_positions(seed, tally);
    if (HasFatalFailure()) return;
  }
  std::printf("%d mechanisms, %d held (%d of loop joints), %d not, %d nearest\n", tally.mechanisms,
              tally.held, tally.loops_held, tally.free_to_change, tally.nearest);
  EXPECT_GT(tally.mechanisms, 60);
  EXPECT_GT(tally.held, 80);
  EXPECT_GT(tally.free_to_change, 40);
  EXPECT_GT(tally.loops_held, 5);
  EXPECT_LE(tally.out_of_reach, tally.mechanisms / 20);
  EXPECT_LE(tally.far, tally.mechanisms / 20);
  EXPECT_EQ(tally.nearest, tally.mechanisms - tally.far);
}

}  // namespace
}  // namespace cartan::test
