// The naive reference for closed mechanisms and the generator of such mechanisms, checked against
// each other, against the reference for trees and against a closed form; no formulation takes part.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "agreement.h"
#include "support/random_closed.h"

namespace cartan {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int closed_count = 200;

TEST(ClosedGenerator, CoversLoopsConstraintsAndRedundancy) {
  std::map<std::string, int> seen;
  double worst_kappa = 0;
  int largest = 0;
  for (std::uint64_t seed = 1; seed <= closed_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ModelDescription d = make_random_closed_mechanism(seed);
    const ClosedModel m(d);
    const NaiveClosedResult r = m.calc();
    for (int k : m.tree.loops) {
      ++seen[info(m.tree.joints[k].type).name];
      ++seen[d.joints[k].loop ? "flag" : "no flag"];
    }
    for (const Constraint& c : m.model.constraints) {
      ++seen[c.type];
      if (const auto* drive = std::get_if<DriveConstraint>(&c.law))
        ++seen[m.tree.joints[drive->joint].loop ? "drive of loop" : "drive of tree"];
      if (const auto* coupler = std::get_if<CouplerConstraint>(&c.law))
        for (const CouplerTerm& term : coupler->terms)
          ++seen[m.tree.joints[term.joint].loop ? "coupler of loop" : "coupler of tree"];
    }
    ++seen["loops " + std::to_string(std::min<std::size_t>(m.tree.loops.size(), 5))];
    ++seen[r.redundant > 0 ? "redundant" : "independent"];
    for (bool unique : r.unique) ++seen[unique ? "unique" : "not unique"];
    ++seen["dof " + std::to_string(std::min(r.dof, 9))];
    EXPECT_GE(r.dof, 1);
    EXPECT_LT(r.rows.position.lpNorm<Eigen::Infinity>(), 1e-12);
    EXPECT_LT(r.rows.rate.lpNorm<Eigen::Infinity>(), 1e-11);
    worst_kappa = std::max(worst_kappa, r.kappa);
    largest = std::max(largest, r.rows.count());
  }
  for (const auto& [what, count] : seen) std::printf("%s %d, ", what.c_str(), count);
  std::printf("\nlargest kappa %.2g, rows %d\n", worst_kappa, largest);
  for (int k = 0; k < joint_type_count; ++k)
    EXPECT_GE(seen[info(static_cast<JointType>(k)).name], 10);
  for (const char* what : {"distance", "drive", "coupler", "rolling-disc", "knife-edge", "redundant",
                           "independent", "flag", "no flag", "drive of loop", "drive of tree",
                           "coupler of loop", "not unique", "loops 1", "loops 2", "loops 3"})
    EXPECT_GE(seen[what], 10) << what;
}

// Sums of energies close whatever the multipliers are; the rows hold; nothing depends on a choice.
TEST(ClosedReference, EquationsAndEnergyBalanceHold) {
  double residual = 0, power = 0, rows = 0;
  for (std::uint64_t seed = 1; seed <= closed_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClosedModel m(make_random_closed_mechanism(seed));
    const NaiveClosedResult r = m.calc();
    const double tolerance = 1e3 * r.kappa * eps;
    const VectorXd left = (r.rows.J * r.vdot - r.rows.gamma).cwiseQuotient(r.rank.row_scale);
    const double size = r.rank.speed_scale.cwiseProduct(r.vdot).norm() +
                        r.rows.gamma.cwiseQuotient(r.rank.row_scale).norm();
    EXPECT_LE(left.norm(), tolerance * size);
    rows = std::max(rows, left.norm() / (tolerance * size));
    const double balance =
        r.kinetic_rate + r.potential_rate - r.nonconservative - r.constraint_power;
    EXPECT_LE(std::fabs(balance), tolerance * r.power_scale);
    residual = std::max(residual, std::fabs(balance) / (tolerance * r.power_scale));
    power = std::max(power, std::fabs(r.constraint_power));
    // rows through bodies and directly are all there is
    const MatrixXd direct = r.rows.J - r.rows.on_bodies * r.columns;
    for (int i = 0; i < r.rows.count(); ++i)
      for (const NaiveJoint& j : m.tree.joints)
        for (int k = j.v0; k < j.v0 + j.nv && i < 6 * static_cast<int>(m.tree.loops.size()); ++k) {
          if (!j.loop) { EXPECT_LE(std::fabs(direct(i, k)), 1e-12 * (1 + r.length_scale)); }
        }
  }
  std::printf("error / tolerance: rows %.2g, energy %.2g; drive power %.3g\n", rows, residual, power);
  EXPECT_GT(power, 1);
}

// A joint of a tree made to close a loop, with everything that acts on it: the trusted reference
// for trees must come out, reactions too, because nothing is redundant.
TEST(ClosedReference, TreeJointRebuiltAsLoopJoint) {
  RandomMechanismOptions options;
  options.max_bodies = 8;
  options.exact_friction = options.bearings = false;
  std::map<std::string, int> seen;
  double worst = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ModelDescription d = make_random_mechanism(seed, options);
    const ClosedModel tree(d);
    const NaiveResult expected = calc_naive_dynamics(tree.tree, tree.state);
    Random random(seed);
    ModelDescription rebuilt = d;
    for (int k = 0; k < 2; ++k) {
      const ClosedModel now(rebuilt);
      const int which = random.integer(0, static_cast<int>(d.joints.size()) - 1);
      if (now.tree.joints[which].loop) continue;
      ++seen[d.joints[which].type];
      rebuilt = rebuilt_as_loop(rebuilt, now, d.joints[which].name, "free" + std::to_string(k));
    }
    const ClosedModel closed(rebuilt);
    const NaiveClosedResult r = closed.calc();
    EXPECT_EQ(r.redundant, 0);
    EXPECT_EQ(r.dof, tree.tree.nv);
    const double tolerance = 1e3 * r.kappa * eps;
    auto close = [&](double difference, double size, const char* what) {
      EXPECT_LE(difference, tolerance * size) << what;
      worst = std::max(worst, difference / (tolerance * size));
    };
    double acceleration = 0;
    for (const NaiveBody& b : expected.bodies)
      acceleration = std::max({acceleration, norm(b.alpha), norm(b.com_acceleration)});
    for (std::size_t i = 0; i < expected.bodies.size(); ++i) {
      const NaiveBody &a = expected.bodies[i], &b = r.bodies[i];
      close(norm(a.alpha - b.alpha), acceleration, "angular acceleration");
      close(norm(a.com_acceleration - b.com_acceleration), acceleration, "acceleration");
    }
    const double force = expected.force_scale,
                 torque = expected.torque_scale + force * expected.length_scale;
    for (std::size_t j = 0; j < d.joints.size(); ++j) {
      const NaiveJoint &a = tree.tree.joints[j], &b = closed.tree.joints[j];
      for (int k = 0; k < a.nv; ++k)
        close(std::fabs(expected.vdot[a.v0 + k] - r.vdot[b.v0 + k]),
              expected.vdot.lpNorm<Eigen::Infinity>(), "joint acceleration");
      EXPECT_TRUE(r.unique[j]);
      close(norm(expected.reactions[j].force - r.reactions[j].force), force, "force");
      close(norm(expected.reactions[j].torque - r.reactions[j].torque), torque, "torque");
    }
    close(std::fabs(r.kinetic_rate - expected.kinetic_rate), expected.power_scale, "kinetic rate");
    EXPECT_EQ(r.constraint_power, 0);
  }
  std::printf("largest error / tolerance %.2g\n", worst);
  for (int k = 0; k < joint_type_count; ++k)
    EXPECT_GE(seen[info(static_cast<JointType>(k)).name], 3);
}

// The same loop cut at another joint.
TEST(ClosedReference, CutElsewhere) {
  double worst = 0;
  int cuts = 0;
  for (std::uint64_t seed = 1; seed <= closed_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ModelDescription d = make_random_closed_mechanism(seed);
    const ClosedModel m(d);
    if (m.tree.loops.empty()) continue;
    Random random(seed);
    const int loop = random.pick(m.tree.loops);
    const std::vector<int> path = joints_of_loop(m.tree, loop);
    if (path.empty()) continue;
    const int joint = random.pick(path);
    const ClosedModel other(cut_at(d, m, d.joints[loop].name, d.joints[joint].name));
    const NaiveClosedResult a = m.calc(), b = other.calc();
    EXPECT_EQ(a.dof, b.dof);
    const double tolerance = 1e3 * std::max(a.kappa, b.kappa) * eps;
    auto close = [&](double difference, double size, const char* what) {
      EXPECT_LE(difference, tolerance * size) << what;
      worst = std::max(worst, difference / (tolerance * size));
    };
    double acceleration = 0;
    for (const NaiveBody& x : a.bodies)
      acceleration = std::max({acceleration, norm(x.alpha), norm(x.com_acceleration)});
    for (std::size_t i = 0; i < a.bodies.size(); ++i) {
      close(norm(a.bodies[i].alpha - b.bodies[i].alpha), acceleration, "angular acceleration");
      close(norm(a.bodies[i].com_acceleration - b.bodies[i].com_acceleration), acceleration,
            "acceleration");
    }
    const double force = std::max(a.force_scale, b.force_scale),
                 torque = std::max(a.torque_scale, b.torque_scale) + force * a.length_scale;
    for (std::size_t j = 0; j < d.joints.size(); ++j) {
      EXPECT_EQ(a.unique[j], b.unique[j]) << d.joints[j].name;
      if (!a.unique[j] || !b.unique[j]) continue;
      close(norm(a.reactions[j].force - b.reactions[j].force), force, "force");
      close(norm(a.reactions[j].torque - b.reactions[j].torque), torque, "torque");
    }
    close(std::fabs(a.constraint_power - b.constraint_power), a.power_scale, "constraint power");
    ++cuts;
  }
  std::printf("%d cuts, largest error / tolerance %.2g\n", cuts, worst);
  EXPECT_GT(cuts, 100);
}

}  // namespace
}  // namespace cartan
