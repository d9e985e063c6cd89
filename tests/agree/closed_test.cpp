// Closed mechanisms and constraints: every formulation against the naive reference on seeded random
// mechanisms, and against itself when the same mechanism is described otherwise.
//
// Tolerance: 1e3 kappa eps, relative; kappa is the condition number of the system [M J^T; J 0] of
// the reference, scaled free of units (naive_closed.h). Accelerations are measured in that scaling
// against the norm of the whole solution, multipliers included: a backward stable solver can do no
// better. Forces and torques against the largest in the mechanism, powers against the sum of the
// absolute values of their terms.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "agreement.h"
#include "support/random_closed.h"

namespace cartan::test {
namespace {

using Eigen::VectorXd;

constexpr int closed_count = 200;

struct ClosedSystem {
  std::unique_ptr<System> owner;
  MechanicalSystem* system = nullptr;
  std::unique_ptr<Workspace> workspace;
  State state;
};

// The system at the state of the naive reference. No system where the formulation refuses. A name
// that ends in " world": gaps of joints in world axes.
ClosedSystem make_closed_system(const ClosedModel& m, const char* formulation) {
  ClosedSystem s;
  std::string problem, name = formulation;
  const bool world_rows = name.ends_with(" world");
  if (world_rows) name.resize(name.size() - 6);
  s.owner = make_system(m.model, m.tree.parameters, name, problem);
  EXPECT_TRUE(s.owner) << formulation << ": " << problem;
  if (!s.owner) return s;
  s.system = dynamic_cast<MechanicalSystem*>(s.owner.get());
  if (world_rows) EXPECT_EQ(s.system->set_world_rows(true), "");
  s.workspace = s.system->make_workspace();
  std::vector<std::optional<std::vector<double>>> q, v;
  for (const NaiveJoint& j : m.tree.joints) {
    const auto q0 = m.state.q.begin() + j.q0;
    const auto v0 = m.state.v.begin() + j.v0;
    q.emplace_back(std::vector<double>(q0, q0 + j.nq));
    v.emplace_back(std::vector<double>(v0, v0 + j.nv));
  }
  s.state = s.system->make_state(m.state.t, q, v);
  return s;
}

const char* const formulations[] = {
    "recursive",          "moving-frame",         "absolute-se3",     "absolute-so3r3",
    "absolute-se3 world", "absolute-so3r3 world", "rotation-elements"};

struct ClosedWorst {  // largest error as a fraction of the tolerance
  double acceleration = 0, rows = 0, reaction = 0, power = 0, loop = 0;
  int reactions = 0, redundant = 0, driven = 0;
};

// Largest entries of what must vanish, against a tolerance.
struct Checker {
  double tolerance;
  void operator()(double error, double size, double& worst, const std::string& what) const {
    EXPECT_LE(error, tolerance * size) << what;
    worst = std::max(worst, error / (tolerance * size));
  }
};

double solution_norm(const NaiveClosedResult& r) {
  return r.rank.speed_scale.cwiseProduct(r.vdot).norm() +
         r.rank.row_scale.cwiseProduct(r.multipliers).norm() +
         r.rows.gamma.cwiseQuotient(r.rank.row_scale).norm();
}

void compare_accelerations(const NaiveClosedResult& r, const DynamicsReport& report,
                           const Checker& check, ClosedWorst& worst) {
  const VectorXd vdot = flat(report.acceleration);
  ASSERT_EQ(vdot.size(), r.vdot.size());
  const double size = solution_norm(r);
  check(r.rank.speed_scale.cwiseProduct(vdot - r.vdot).norm(), size, worst.acceleration,
        "accelerations");
  // the accelerations themselves fulfil the rows, whatever the conditioning
  if (r.rows.count() == 0) return;
  const VectorXd left = (r.rows.J * vdot - r.rows.gamma).cwiseQuotient(r.rank.row_scale);
  const Checker rounding{std::min(check.tolerance, 1e-9)};
  rounding(left.lpNorm<Eigen::Infinity>(), size, worst.rows, "constraint accelerations");
}

void compare_reactions(const ClosedModel& m, const NaiveClosedResult& r,
                       const DynamicsReport& report, const Checker& check, ClosedWorst& worst) {
  ASSERT_EQ(report.reactions.size(), r.reactions.size());
  const double force = r.force_scale, torque = r.torque_scale + r.force_scale * r.length_scale;
  for (std::size_t j = 0; j < r.reactions.size(); ++j) {
    if (!r.unique[j]) continue;
    const std::string name = m.model.joints[j].name + " " + info(m.model.joints[j].type).name +
                             (m.tree.joints[j].loop ? " (loop)" : "");
    check(norm(report.reactions[j].force - r.reactions[j].force), force, worst.reaction,
          "force of " + name);
    check(norm(report.reactions[j].torque - r.reactions[j].torque), torque, worst.reaction,
          "torque of " + name);
    ++worst.reactions;
  }
}

bool is_driven(const Model& model) {
  return std::any_of(model.constraints.begin(), model.constraints.end(), [](const Constraint& c) {
    return std::holds_alternative<DriveConstraint>(c.law);
  });
}

void compare_power(const ClosedModel& m, const NaiveClosedResult& r, const PowerBalance& p,
                   const Checker& check, ClosedWorst& worst) {
  const double size = r.power_scale;
  check(std::fabs(p.kinetic_rate - r.kinetic_rate), size, worst.power, "kinetic rate");
  check(std::fabs(p.potential_rate - r.potential_rate), size, worst.power, "potential rate");
  check(std::fabs(p.nonconservative - r.nonconservative), size, worst.power, "nonconservative");
  check(std::fabs(p.constraint - r.constraint_power), size, worst.power, "constraint power");
  check(std::fabs(p.kinetic_rate + p.potential_rate - p.nonconservative - p.constraint), size,
        worst.power, "balance");
  if (!is_driven(m.model)) EXPECT_LE(std::fabs(p.constraint), 1e-12 * size);
}

// The loop joints' coordinates and speeds, angles up to whole turns, quaternions up to their sign.
void compare_loop_joints(const ClosedModel& m, const Observation& observed, ClosedWorst& worst) {
  const Checker check{1e-11};
  for (int k : m.tree.loops) {
    const NaiveJoint& j = m.tree.joints[k];
    const double* q = m.state.q.data() + j.q0;
    ASSERT_EQ(static_cast<int>(observed.q[k].size()), j.nq);
    ASSERT_EQ(static_cast<int>(observed.v[k].size()), j.nv);
    const std::vector<Jet> a(q, q + j.nq), b(observed.q[k].begin(), observed.q[k].end());
    const Pose<Jet> X = calc_naive_joint_pose(j, a.data()), Y = calc_naive_joint_pose(j, b.data());
    const std::string name = m.model.joints[k].name + " " + info(j.type).name;
    double size = 1 + norm(value(X.p)), speed = 1;
    for (int i = 0; i < 3; ++i)
      check(norm(value(X.R.c[i]) - value(Y.R.c[i])), 1, worst.loop, "turn of " + name);
    check(norm(value(X.p) - value(Y.p)), size, worst.loop, "place of " + name);
    for (int i = 0; i < j.nv; ++i) speed = std::max(speed, std::fabs(m.state.v[j.v0 + i]));
    for (int i = 0; i < j.nv; ++i)
      check(std::fabs(observed.v[k][i] - m.state.v[j.v0 + i]), speed * size, worst.loop,
            "speed of " + name);
  }
}

void compare_with_reference(const ClosedModel& m, ClosedWorst& worst) {
  const NaiveClosedResult r = m.calc();
  const Checker check{1e3 * r.kappa * eps};
  EXPECT_LT(check.tolerance, 1e-4) << "this state proves nothing";
  worst.redundant += r.redundant > 0;
  worst.driven += is_driven(m.model);
  for (const char* formulation : formulations) {
    SCOPED_TRACE(formulation);
    ClosedSystem s = make_closed_system(m, formulation);
    if (!s.system) return;
    const DynamicsReport report = s.system->report_dynamics(s.state, *s.workspace);
    compare_accelerations(r, report, check, worst);
    compare_reactions(m, r, report, check, worst);
    compare_power(m, r, report.power, check, worst);
    const ConstraintReport constraints = s.system->report_constraints(s.state, *s.workspace);
    EXPECT_EQ(constraints.dof(), r.dof);
    EXPECT_EQ(constraints.redundant(), r.redundant);
    Observation observed;
    s.system->observe(s.state, observed, *s.workspace);
    compare_loop_joints(m, observed, worst);
    EXPECT_LE(observed.position_violation, 1e-11 * r.length_scale);
    EXPECT_LE(observed.velocity_violation, 1e-10 * (1 + r.speed_scale));
  }
}

void print(const char* title, const ClosedWorst& worst) {
  std::printf(
      "%s: largest error / tolerance: acceleration %.2g rows %.2g reaction %.2g power %.2g loop "
      "joints %.2g (%d unique reactions, %d redundant, %d driven mechanisms)\n",
      title, worst.acceleration, worst.rows, worst.reaction, worst.power, worst.loop,
      worst.reactions, worst.redundant, worst.driven);
}

TEST(ClosedMechanisms, EveryFormulationAgreesWithTheNaiveReference) {
  ClosedWorst worst;
  for (std::uint64_t seed = 1; seed <= closed_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare_with_reference(ClosedModel(make_random_closed_mechanism(seed)), worst);
  }
  print("closed", worst);
  EXPECT_GT(worst.reactions, 1000);
  EXPECT_GT(worst.redundant, 30);
  EXPECT_GT(worst.driven, 10);
}

// One thing at a time, on small trees without forces: says which when the test above fails.
RandomClosedOptions small_and_bare() {
  RandomClosedOptions options;
  options.tree.max_bodies = 4;
  options.tree.forces = options.tree.expressions = options.tree.varying_gravity = false;
  options.planar_linkage = options.parallelogram = options.doubled_joint = 0;
  options.min_loops = options.max_loops = options.max_constraints = 0;
  options.accidental_redundancy = 0;
  return options;
}

TEST(ClosedMechanisms, OneLoopOfEachJointType) {
  for (const JointTypeInfo& row : all_joint_types()) {
    const JointType type = row.type;
    RandomClosedOptions options = small_and_bare();
    options.min_loops = options.max_loops = 1;
    options.loop_joints = {type};
    ClosedWorst worst;
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      SCOPED_TRACE(std::string(info(type).name) + ", seed " + std::to_string(seed));
      compare_with_reference(ClosedModel(make_random_closed_mechanism(seed, options)), worst);
    }
    print(info(type).name, worst);
  }
}

TEST(ClosedMechanisms, OneConstraintOfEachKind) {
  bool RandomClosedOptions::*const kinds[] = {
      &RandomClosedOptions::distances,   &RandomClosedOptions::drives,
      &RandomClosedOptions::couplers,    &RandomClosedOptions::rolling_discs,
      &RandomClosedOptions::knife_edges, &RandomClosedOptions::points_on_planes};
  const char* const names[] = {"distance",     "drive",      "coupler",
                               "rolling-disc", "knife-edge", "point-on-plane"};
  for (int k = 0; k < 6; ++k) {
    RandomClosedOptions options = small_and_bare();
    for (auto kind : kinds) options.*kind = kind == kinds[k];
    options.max_constraints = 1;
    ClosedWorst worst;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      SCOPED_TRACE(std::string(names[k]) + ", seed " + std::to_string(seed));
      compare_with_reference(ClosedModel(make_random_closed_mechanism(seed, options)), worst);
    }
    print(names[k], worst);
  }
}

// The comparison itself, where formulations are known to be right.
TEST(ClosedMechanisms, TreesPassTheSameComparison) {
  RandomMechanismOptions options;
  options.max_bodies = 8;
  options.exact_friction = options.bearings = false;
  ClosedWorst worst;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ModelDescription d = make_random_mechanism(seed, options);
    compare_with_reference(ClosedModel(d), worst);
  }
  print("trees", worst);
  EXPECT_GT(worst.reactions, 500);
}

// A consistent state is not changed by the assembly.
TEST(ClosedMechanisms, AssemblyLeavesConsistentStatesAlone) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ClosedModel m(make_random_closed_mechanism(seed));
    const ClosedSystem s = make_closed_system(m, "recursive");
    if (!s.system) return;
    const State assembled = s.system->initial_state();
    ASSERT_EQ(assembled.x.size(), s.state.x.size());
    for (std::size_t k = 0; k < assembled.x.size(); ++k)
      EXPECT_NEAR(assembled.x[k], s.state.x[k], 1e-10 * (1 + std::fabs(s.state.x[k])))
          << s.system->component_name(static_cast<int>(k));
  }
}

// ---------------------------------------------------------------- the same mechanism, told
// otherwise

// Accelerations (alpha, x'') of all bodies that belong to the given accelerations of joints.
VectorXd body_accelerations(const ClosedModel& m, const NaiveClosedResult& r,
                            const DynamicsReport& report) {
  const std::vector<NaiveBody> bias = calc_naive_motion(m.tree, m.state.q, m.state.v);
  VectorXd a = r.columns * flat(report.acceleration);
  for (std::size_t i = 0; i < bias.size(); ++i)
    a.segment<6>(6 * i) +=
        (Eigen::Matrix<double, 6, 1>() << eigen(bias[i].alpha), eigen(bias[i].com_acceleration))
            .finished();
  return a;
}

// Bodies after `steps` classical Runge-Kutta steps; nothing is projected.
Observation after(const ClosedSystem& s, int steps, double h) {
  State state = s.state;
  const std::size_t n = state.x.size();
  std::vector<double> k[4], x(n);
  for (std::vector<double>& slope : k) slope.resize(n);
  for (int step = 0; step < steps; ++step) {
    const double at[4] = {0, h / 2, h / 2, h};
    for (int stage = 0; stage < 4; ++stage) {
      x = state.x;
      for (std::size_t i = 0; stage > 0 && i < n; ++i) x[i] += at[stage] * k[stage - 1][i];
      s.system->derivative({state.t + at[stage], x, state.mode}, k[stage], *s.workspace);
    }
    for (std::size_t i = 0; i < n; ++i)
      state.x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    state.t += h;
  }
  Observation observed;
  s.system->observe(state, observed, *s.workspace);
  return observed;
}

struct Sameness {
  double acceleration = 0, motion = 0;
  int compared = 0;
};

void compare_descriptions(const ClosedModel& a, const ClosedModel& b, Sameness& same) {
  const NaiveClosedResult ra = a.calc(), rb = b.calc();
  const double tolerance = std::max(1e-9, 1e3 * std::max(ra.kappa, rb.kappa) * eps);
  for (const char* formulation : formulations) {
    SCOPED_TRACE(formulation);
    const ClosedSystem sa = make_closed_system(a, formulation),
                       sb = make_closed_system(b, formulation);
    if (!sa.system || !sb.system) return;
    const VectorXd xa =
        body_accelerations(a, ra, sa.system->report_dynamics(sa.state, *sa.workspace));
    const VectorXd xb =
        body_accelerations(b, rb, sb.system->report_dynamics(sb.state, *sb.workspace));
    const double size = 1 + xa.lpNorm<Eigen::Infinity>();
    const double difference = (xa - xb).lpNorm<Eigen::Infinity>();
    EXPECT_LE(difference, tolerance * size);
    same.acceleration = std::max(same.acceleration, difference / (tolerance * size));
    ++same.compared;
    // slow enough for the steps: the two descriptions differ by the error of the integration too
    if (size > 300 || ra.kappa > 1e4 || rb.kappa > 1e4) continue;
    const Observation oa = after(sa, 20, 5e-4), ob = after(sb, 20, 5e-4);
    for (std::size_t i = 0; i < oa.bodies.size(); ++i) {
      const double moved = norm(oa.bodies[i].position - ob.bodies[i].position);
      EXPECT_LE(moved, 1e-9 * (1 + norm(oa.bodies[i].position)));
      const Mat3<double> Ra = rotation_matrix(oa.bodies[i].orientation),
                         Rb = rotation_matrix(ob.bodies[i].orientation);
      double turned = 0;
      for (int c = 0; c < 3; ++c) turned = std::max(turned, norm(Ra.c[c] - Rb.c[c]));
      EXPECT_LE(turned, 1e-9);
      same.motion = std::max({same.motion, moved, turned});
    }
  }
}

// The closed mechanism cut at another joint of one of its loops. Forces of joints stay on joints of
// the tree: the cut joint is one that no force mentions. All bodies have full inertia: a joint that
// newly carries a rod or a particle might meet none, which is refused.
TEST(ClosedMechanisms, CutElsewhereMovesAlike) {
  Sameness same;
  RandomClosedOptions options;
  options.tree.thin_bodies = false;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ModelDescription d = make_random_closed_mechanism(seed, options);
    const ClosedModel m(d);
    if (m.tree.loops.empty()) continue;
    Random random(seed);
    const int loop = random.pick(m.tree.loops);
    std::vector<int> path = joints_of_loop(m.tree, loop);
    std::erase_if(path, [&](int j) { return is_mentioned(d, d.joints[j].name); });
    if (path.empty()) continue;
    const int joint = random.pick(path);
    SCOPED_TRACE("cut at " + d.joints[joint].name + " " + d.joints[joint].type + " instead of " +
                 d.joints[loop].name + " " + d.joints[loop].type);
    const ClosedModel other(cut_at(d, m, d.joints[loop].name, d.joints[joint].name));
    compare_descriptions(m, other, same);
  }
  std::printf("%d compared, acceleration %.2g of tolerance, motion %.2g\n", same.compared,
              same.acceleration, same.motion);
  EXPECT_GT(same.compared, 80);
}

// A joint of a tree made a loop joint, what hung on it hung on a free joint.
TEST(ClosedMechanisms, TreeJointRebuiltAsLoopJointMovesAlike) {
  RandomMechanismOptions options;
  options.max_bodies = 7;
  options.exact_friction = options.bearings = options.thin_bodies = false;
  Sameness same;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ModelDescription d = make_random_mechanism(seed, options);
    const ClosedModel tree(d);
    Random random(seed);
    const int which = random.integer(0, static_cast<int>(d.joints.size()) - 1);
    if (is_mentioned(d, d.joints[which].name)) continue;
    SCOPED_TRACE(d.joints[which].name + " " + d.joints[which].type);
    const ClosedModel closed(rebuilt_as_loop(d, tree, d.joints[which].name, "floating"));
    compare_descriptions(tree, closed, same);
  }
  std::printf("%d compared, acceleration %.2g of tolerance, motion %.2g\n", same.compared,
              same.acceleration, same.motion);
  EXPECT_GT(same.compared, 80);
}

}  // namespace
}  // namespace cartan::test
