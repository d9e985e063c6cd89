// The naive reference for closed mechanisms and the generator of such mechanisms, checked against
// each other, against the reference for trees and against a closed form; no formulation takes part.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "agreement.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int reference_count = 100;

TEST(ClosedGenerator, CoversLoopsConstraintsAndRedundancy) {
  std::map<std::string, int> seen;
  double worst_kappa = 0;
  int largest = 0;
  for (std::uint64_t seed = 1; seed <= reference_count; ++seed) {
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
      if (const auto* coupler = std::get_if<CouplerConstraint>(&c.law)) {
        ++seen[coupler->is_curved() ? "curved coupler" : "linear coupler"];
        for (const CouplerTerm& term : coupler->terms)
          ++seen[m.tree.joints[term.joint].loop ? "coupler of loop" : "coupler of tree"];
      }
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
    EXPECT_GE(seen[info(static_cast<JointType>(k)).name], 5);
  for (const char* what :
       {"distance", "drive", "coupler", "rolling-disc", "knife-edge", "point-on-plane", "redundant",
        "independent", "flag", "no flag", "coupler of loop", "curved coupler", "linear coupler",
        "not unique", "loops 1", "loops 2", "loops 3"})
    EXPECT_GE(seen[what], 5) << what;
  EXPECT_GE(std::min(seen["drive of loop"], seen["drive of tree"]), 3);
}

// Sums of energies close whatever the multipliers are; the rows hold; nothing depends on a choice.
TEST(ClosedReference, EquationsAndEnergyBalanceHold) {
  double residual = 0, power = 0, rows = 0;
  for (std::uint64_t seed = 1; seed <= reference_count; ++seed) {
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
          if (!j.loop) {
            EXPECT_LE(std::fabs(direct(i, k)), 1e-12 * (1 + r.length_scale));
          }
        }
  }
  std::printf("error / tolerance: rows %.2g, energy %.2g; drive power %.3g\n", rows, residual,
              power);
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
  for (std::uint64_t seed = 1; seed <= reference_count; ++seed) {
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
  EXPECT_GT(cuts, 90);
}

// x' of a state, and the state some way along it.
struct Slope {
  VectorXd v, vdot;
};
NaiveState moved(const NaiveTree& tree, NaiveState state, const std::vector<Slope>& slopes,
                 const std::vector<double>& weights, double h) {
  VectorXd step = VectorXd::Zero(tree.nv), change = step;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    step += h * weights[k] * slopes[k].v;
    change += h * weights[k] * slopes[k].vdot;
  }
  for (const NaiveJoint& j : tree.joints)
    advance_naive_coordinates(j, step.data() + j.v0, state.q.data() + j.q0);
  for (int k = 0; k < tree.nv; ++k) state.v[k] += change[k];
  for (double w : weights) state.t += w * h;
  return state;
}

// Steps of second order (midpoint in the group): what the constraints are violated by after a given
// time falls with h^2, so rows, their rates and gamma belong together.
TEST(ClosedReference, ConstraintsHoldAlongTheMotion) {
  auto violation = [](const ClosedModel& m, double h) {
    NaiveState state = m.state;
    for (int step = 0; step < std::lround(0.008 / h); ++step) {
      auto slope = [&](const NaiveState& at) {
        return Slope{Eigen::Map<const VectorXd>(at.v.data(), m.tree.nv),
                     calc_naive_closed_dynamics(m.tree, at).vdot};
      };
      const Slope first = slope(state);
      state = moved(m.tree, state, {slope(moved(m.tree, state, {first}, {0.5}, h))}, {1}, h);
    }
    const NaiveRows rows = calc_naive_row_system(m.tree, state);
    return std::max(rows.position.lpNorm<Eigen::Infinity>(), rows.rate.lpNorm<Eigen::Infinity>());
  };
  std::vector<double> ratios;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClosedModel m(make_random_closed_mechanism(seed));
    if (m.calc().rows.gamma.lpNorm<Eigen::Infinity>() > 1e4) continue;  // too fast for these steps
    const double coarse = violation(m, 2e-3), fine = violation(m, 1e-3);
    EXPECT_TRUE(fine < 0.3 * coarse || fine < 1e-12) << coarse << " " << fine;
    ratios.push_back(coarse / fine);
  }
  std::sort(ratios.begin(), ratios.end());
  std::printf("%zu motions, violation falls by %.2f (median)\n", ratios.size(),
              ratios[ratios.size() / 2]);
  EXPECT_GT(ratios.size(), 30u);
}

// ------------------------------------------------------------------------------------ closed forms

JointText hinge(const char* name, PlacementText parent, PlacementText child, double angle,
                double rate) {
  JointText joint;
  joint.name = name;
  joint.type = "revolute";
  joint.axis = {0, 0, 1};
  joint.parent = parent;
  joint.child = child;
  joint.position.given = joint.velocity_given = true;
  joint.position.coordinates = {angle};
  joint.velocity = {rate};
  return joint;
}
BodyText rod(const char* name, double mass, double length) {
  BodyText body;
  body.name = name;
  body.mass = mass;
  body.com = {length / 2, 0, 0};
  body.inertia = {0, mass * length * length / 12, mass * length * length / 12};
  return body;
}

// a exp(i t2) + b exp(i t3) = d + c exp(i t4), the crank t2 driven. Twice differentiated, times
// exp(-i t4), the real part:
//   b (t3'' sin(t3 - t4) + t3'^2 cos(t3 - t4)) - c t4'^2 = -a (t2'' sin(t2 - t4) + t2'^2 cos(..))
TEST(ClosedReference, DrivenFourBarClosedForm) {
  const double a = 0.4, b = 1.1, c = 0.8, d = 1.0, t2 = 0.9, w2 = 1.7, a2 = -0.6;
  // the triangle of d, the crank's end and the rocker's
  const double ex = d - a * std::cos(t2), ey = -a * std::sin(t2), e = std::hypot(ex, ey);
  const double t3 = std::atan2(ey, ex) + std::acos((b * b + e * e - c * c) / (2 * b * e));
  const double t4 =
      std::atan2(a * std::sin(t2) + b * std::sin(t3), a * std::cos(t2) + b * std::cos(t3) - d);
  const double w3 = a * w2 * std::sin(t4 - t2) / (b * std::sin(t3 - t4));
  const double w4 = a * w2 * std::sin(t3 - t2) / (c * std::sin(t3 - t4));
  const double a3 = -(a * (a2 * std::sin(t2 - t4) + w2 * w2 * std::cos(t2 - t4)) +
                      b * w3 * w3 * std::cos(t3 - t4) - c * w4 * w4) /
                    (b * std::sin(t3 - t4));
  ModelDescription m;
  m.name = "four-bar";
  m.gravity = {0, -9.81, 0};
  m.bodies = {rod("crank", 1, a), rod("coupler", 2, b), rod("rocker", 1.5, c)};
  m.joints = {hinge("A", {"world"}, {"crank"}, t2, w2),
              hinge("B", {"crank", {a, 0, 0}}, {"coupler"}, t3 - t2, w3 - w2),
              hinge("D", {"world", {d, 0, 0}}, {"rocker"}, t4, w4),
              hinge("C", {"coupler", {b, 0, 0}}, {"rocker", {c, 0, 0}}, t4 - t3, w4 - w3)};
  ConstraintText drive;
  drive.type = "drive";
  drive.joint = "A";
  drive.position = {"0.9 + 1.7*t - 0.3*t^2"};
  m.constraints = {drive};
  const ClosedModel closed(m);
  const NaiveClosedResult r = closed.calc();
  EXPECT_LT(r.rows.position.lpNorm<Eigen::Infinity>(), 1e-15);
  EXPECT_LT(r.rows.rate.lpNorm<Eigen::Infinity>(), 1e-14);
  EXPECT_EQ(r.dof, 0);
  EXPECT_EQ(r.redundant, 3);
  EXPECT_NEAR(r.vdot[0], a2, 1e-13);
  EXPECT_NEAR(r.vdot[1], a3 - a2, 1e-12);
  // what the motor gives goes into energy
  EXPECT_NEAR(r.constraint_power, r.kinetic_rate + r.potential_rate, 1e-12);
  EXPECT_NEAR(r.reactions[0].torque.z * w2, r.constraint_power, 1e-12);
  // in the plane pins carry forces that are determined; across it they are not
  for (int k = 0; k < 4; ++k) EXPECT_FALSE(r.unique[k]);
}

// Three hanging cranks carry a beam: (3 (I + m l^2/4) + M l^2) t'' = -(3 m/2 + M) g l sin t.
TEST(ClosedReference, ParallelogramClosedForm) {
  const double l = 0.7, mass = 0.9, beam = 2.4, t = 0.6, g = 9.81;
  ModelDescription m;
  m.name = "parallelogram";
  m.gravity = {g, 0, 0};
  BodyText bar;
  bar.name = "beam";
  bar.mass = beam;
  bar.com = {0.2, 0.5, 0.1};
  bar.inertia = {0.1, 0.2, 0.25};
  m.bodies = {rod("one", mass, l), rod("two", mass, l), rod("three", mass, l), bar};
  const char* names[] = {"one", "two", "three"};
  for (int k = 0; k < 3; ++k) {
    const double y = 0.6 * k, z = 0.1 * k;
    m.joints.push_back(hinge(names[k], {"world", {0, y, z}}, {names[k]}, t, 1.3));
    m.joints.push_back(hinge((std::string("top ") + names[k]).c_str(), {names[k], {l, 0, 0}},
                             {"beam", {0, y, z}}, -t, -1.3));
  }
  const ClosedModel closed(m);
  const NaiveClosedResult r = closed.calc();
  EXPECT_EQ(r.dof, 1);
  EXPECT_EQ(r.redundant, 7);  // 10 rows of two loops hold 3 of 4 speeds
  const double inertia = 3 * mass * l * l / 3 + beam * l * l;
  EXPECT_NEAR(r.vdot[0], -(1.5 * mass + beam) * g * l * std::sin(t) / inertia, 1e-12);
}

// A disc that rolls straight down a plane: x'' = g sin(slope)/(1 + I/(m r^2)).
TEST(ClosedReference, RollingDiscClosedForm) {
  const double mass = 1.3, radius = 0.4, spin = 0.08, slope = 0.35, g = 9.81, speed = 0.9;
  ModelDescription m;
  m.name = "disc";
  m.gravity = {g * std::sin(slope), 0, -g * std::cos(slope)};
  BodyText disc;
  disc.name = "disc";
  disc.mass = mass;
  disc.inertia = {spin / 2, spin, spin / 2};
  m.bodies = {disc};
  JointText free;
  free.name = "floating";
  free.type = "free";
  free.parent.body = "world";
  free.child.body = "disc";
  free.position.given = free.velocity_given = true;
  free.position.at = {0.2, 0.1, radius};
  free.velocity = {0, speed / radius, 0, speed, 0, 0};
  m.joints = {free};
  ConstraintText rolling;
  rolling.type = "rolling-disc";
  rolling.body = "disc";
  rolling.axis = {0, 1, 0};
  rolling.radius = radius;
  rolling.plane_normal = {0, 0, 1};
  m.constraints = {rolling};
  const ClosedModel closed(m);
  const NaiveClosedResult r = closed.calc();
  EXPECT_EQ(r.dof, 3);
  EXPECT_EQ(r.redundant, 0);
  EXPECT_LT(r.rows.rate.lpNorm<Eigen::Infinity>(), 1e-15);
  const double expected = g * std::sin(slope) / (1 + spin / (mass * radius * radius));
  EXPECT_NEAR(r.bodies[0].com_acceleration.x, expected, 1e-13);
  EXPECT_NEAR(r.vdot[1], expected / radius, 1e-13);
  EXPECT_NEAR(r.bodies[0].com_acceleration.z, 0, 1e-13);
}

}  // namespace
}  // namespace cartan::test
