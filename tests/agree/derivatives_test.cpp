// The derivatives of accelerations that `recursive` has as formulas (motion_slopes.h) against dual
// numbers through the whole dynamics, which the formulation moving-frame keeps: all joints, forces
// and constraints of the random mechanisms, entry by entry, off the tangent space too.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "agreement.h"
#include "mechanics/constraints/constraints.h"
#include "mechanics/forces/dry_friction.h"
#include "mechanics/forces/forces.h"
#include "mechanics/joints/joint_motion.h"
#include "mechanics/machine/kinematics.h"
#include "mechanics/machine/several_points.h"
#include "mechanics/tree/recursive.h"
#include "mechanics/tree/slope_plan.h"
#include "support/allocation_counter.h"
#include "support/example.h"
#include "support/random_closed.h"
#include "system/state_products.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;

// Whether the formulas cover the model, and are not left to dual numbers themselves.
bool is_covered(const Model& model, const std::vector<double>& parameters) {
  const Mechanism<double> mechanism = make_with_constants<double>(model, parameters);
  SlopePlan plan;
  return make_slope_plan(mechanism, make_work_split(mechanism), plan);
}

// Products against the matrix, and nothing allocated once warm.
void check_products(const System& system, const State& at, const MatrixXd& J, double tolerance) {
  const auto* products = dynamic_cast<const StateProducts*>(&system);
  ASSERT_TRUE(products);
  const auto workspace = system.make_workspace();
  const auto n = J.rows();
  Random random(7);
  Eigen::VectorXd u(n), result(n);
  for (double& entry : u) entry = random.uniform(-1, 1);
  const std::span<const double> from(u.data(), n);
  const std::span<double> to(result.data(), n);
  products->jvp(at, from, to, *workspace);
  EXPECT_LE((result - J * u).lpNorm<Eigen::Infinity>(), static_cast<double>(n) * tolerance);
  products->vjp(at, from, to, *workspace);
  EXPECT_LE((result - J.transpose() * u).lpNorm<Eigen::Infinity>(),
            static_cast<double>(n) * tolerance);
  MatrixXd again(n, n);
  system.jacobian(at, again, *workspace);
  const long before = test::allocation_count();
  system.jacobian(at, again, *workspace);
  products->jvp(at, from, to, *workspace);
  products->vjp(at, from, to, *workspace);
  EXPECT_EQ(test::allocation_count() - before, 0);
}

struct DerivativeTally {
  int covered = 0, all = 0;
  double worst = 0;  // error relative to the tolerance
};

void compare(const Model& model, const std::vector<double>& parameters, const State& at,
             double kappa, DerivativeTally& tally) {
  ++tally.all;
  tally.covered += is_covered(model, parameters);
  if (at.x.empty()) return;
  std::string problem;
  MatrixXd J[2];
  std::unique_ptr<System> products;
  int k = 0;
  for (const char* formulation : {"recursive", "moving-frame"}) {
    const auto system = make_system(model, parameters, formulation, problem);
    ASSERT_TRUE(system) << problem;
    const auto workspace = system->make_workspace();
    const int n = static_cast<int>(at.x.size());
    J[k].setConstant(n, n, 0.5);
    system->jacobian(at, J[k++], *workspace);
    if (k == 1) products = make_system(model, parameters, formulation, problem);
  }
  const double size = J[1].cwiseAbs().maxCoeff(), error = (J[0] - J[1]).cwiseAbs().maxCoeff();
  const double tolerance = 1e3 * kappa * eps * size;
  EXPECT_LE(error, tolerance);
  check_products(*products, at, J[1], tolerance);
  tally.worst = std::max(tally.worst, error / tolerance);
  if (error > tolerance) {
    Eigen::Index i, j;
    (J[0] - J[1]).cwiseAbs().maxCoeff(&i, &j);
    std::printf("  row %d column %d: %.12g, dual numbers %.12g\n", static_cast<int>(i),
                static_cast<int>(j), J[0](i, j), J[1](i, j));
  }
}

void report(const char* what, const DerivativeTally& tally) {
  std::printf("%s: %d of %d covered, largest error / tolerance %.2g\n", what, tally.covered,
              tally.all, tally.worst);
}

void compare_trees(const char* what, const RandomMechanismOptions& options, int seeds,
                   int least_covered) {
  DerivativeTally tally;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(std::string(what) + ", seed " + std::to_string(seed));
    const Model model = make_checked_random_model(seed, options);
    const std::vector<double> parameters = parameter_values(model);
    std::string problem;
    const auto owner = make_system(model, parameters, "recursive", problem);
    ASSERT_TRUE(owner) << problem;
    const auto& system = dynamic_cast<const MechanicalSystem&>(*owner);
    const State at = system.make_state(Random(seed).uniform(0.2, 2), {}, {});
    const auto workspace = system.make_workspace();
    const double kappa =
        calc_conditioning(system.report_mass_matrix(at, *workspace).mass_matrix).kappa;
    compare(model, parameters, at, kappa, tally);
  }
  report(what, tally);
  EXPECT_GE(tally.covered, least_covered);
}

RandomMechanismOptions bare_tree(JointType type) {
  RandomMechanismOptions options;
  options.max_bodies = 5;
  options.joints = {type};
  options.ellipsoidal = 0;
  options.forces = options.varying_gravity = false;
  return options;
}

TEST(Derivatives, OneTypeOfJoint) {
  for (const JointTypeInfo& row : all_joint_types()) {
    if (row.type == JointType::ellipsoidal) continue;
    compare_trees(row.name, bare_tree(row.type), 8, 8);
  }
  RandomMechanismOptions options = bare_tree(JointType::spherical);
  options.ellipsoidal = 1;
  compare_trees("ellipsoidal", options, 8, 8);
}

TEST(Derivatives, OneTypeOfForce) {
  bool RandomMechanismOptions::*const kinds[] = {
      &RandomMechanismOptions::springs,         &RandomMechanismOptions::torsion,
      &RandomMechanismOptions::wrenches,        &RandomMechanismOptions::joint_forces,
      &RandomMechanismOptions::potentials,      &RandomMechanismOptions::drag,
      &RandomMechanismOptions::smooth_friction, &RandomMechanismOptions::exact_friction,
      &RandomMechanismOptions::bushings};
  const char* const names[] = {"spring", "torsion",         "wrench",         "joint",  "potential",
                               "drag",   "smooth friction", "exact friction", "bushing"};
  for (int k = 0; k < 9; ++k) {
    RandomMechanismOptions options;
    options.max_bodies = 6;
    options.varying_gravity = options.bearings = false;
    for (auto kind : kinds) options.*kind = kind == kinds[k];
    compare_trees(names[k], options, 20, 1);
  }
}

TEST(Derivatives, RandomTrees) {
  RandomMechanismOptions options;
  options.max_bodies = 20;
  options.varying_gravity = options.bearings = false;
  compare_trees("trees", options, 60, 30);
  options.variables = 3;
  compare_trees("with variables", options, 20, 5);
}

void compare_closed(const char* what, const RandomClosedOptions& options, int seeds,
                    int least_covered) {
  DerivativeTally tally;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(std::string(what) + ", seed " + std::to_string(seed));
    const ClosedModel closed(make_random_closed_mechanism(seed, options));
    std::string problem;
    const auto system = make_system(closed.model, closed.tree.parameters, "recursive", problem);
    ASSERT_TRUE(system) << problem;
    compare(closed.model, closed.tree.parameters, system->initial_state(), closed.calc().kappa,
            tally);
  }
  report(what, tally);
  EXPECT_GE(tally.covered, least_covered);
}

RandomClosedOptions bare_loops() {
  RandomClosedOptions options;
  options.tree.max_bodies = 4;
  options.tree.forces = options.tree.varying_gravity = false;
  options.planar_linkage = options.parallelogram = options.doubled_joint = 0;
  options.min_loops = options.max_loops = options.max_constraints = 0;
  options.accidental_redundancy = 0;
  return options;
}

TEST(Derivatives, OneTypeOfLoopJoint) {
  for (const JointTypeInfo& row : all_joint_types()) {
    RandomClosedOptions options = bare_loops();
    options.min_loops = options.max_loops = 1;
    options.loop_joints = {row.type};
    compare_closed(row.name, options, 6, 1);
  }
}

TEST(Derivatives, OneTypeOfConstraint) {
  bool RandomClosedOptions::*const kinds[] = {
      &RandomClosedOptions::distances,   &RandomClosedOptions::drives,
      &RandomClosedOptions::couplers,    &RandomClosedOptions::rolling_discs,
      &RandomClosedOptions::knife_edges, &RandomClosedOptions::points_on_planes};
  const char* const names[] = {"distance",     "drive",      "coupler",
                               "rolling-disc", "knife-edge", "point-on-plane"};
  for (int k = 0; k < 6; ++k) {
    RandomClosedOptions options = bare_loops();
    for (auto kind : kinds) options.*kind = kind == kinds[k];
    options.max_constraints = 1;
    compare_closed(names[k], options, 10, 1);
  }
}

// ------------------------------------------------------------------------------- far, fast, long

// v' by dual numbers through `recursive` itself: rows of speeds alone.
MatrixXd differentiate_recursion(const Model& model, const std::vector<double>& parameters,
                                 const State& at) {
  const Mechanism<Dual4> mechanism = make_with_constants<Dual4>(model, parameters);
  MotionWorkspace<Dual4> ws = make_motion_workspace(mechanism);
  std::copy(at.mode.begin(), at.mode.end(), ws.mode.begin());
  std::vector<Dual4> x, xdot;
  MatrixXd J = MatrixXd::Zero(static_cast<int>(at.x.size()), static_cast<int>(at.x.size()));
  differentiate_columns(
      at.x, mechanism.state_size(), J, x, xdot, [&](const Dual4* point, Dual4* to) {
        fill_kinematics<Dual4>(mechanism, Dual4(at.t), point, point + mechanism.nq, ws);
        fill_forces(mechanism, ws);
        solve_with_friction(mechanism, ws, solve_accelerations<Dual4>);
        std::copy(ws.vdot.begin(), ws.vdot.end(), to + mechanism.nq);
      });
  return J.middleRows(mechanism.nq, mechanism.nv);
}

// The largest difference, each row in units of its largest entry, or of what a change of the state
// in its last digits does to that row by itself.
struct RowError {
  double of_row = 0, of_last_digits = 0;
  void grow(const RowError& other) {
    of_row = std::max(of_row, other.of_row);
    of_last_digits = std::max(of_last_digits, other.of_last_digits);
  }
};

RowError compare_rows(const Model& model, const std::vector<double>& parameters, const State& at) {
  std::string problem;
  const auto system = make_system(model, parameters, "recursive", problem);
  if (!system) ADD_FAILURE() << problem;
  const auto workspace = system->make_workspace();
  const int n = static_cast<int>(at.x.size());
  MatrixXd J(n, n);
  // at a calm state first: that its digits were right there says nothing of the one that counts
  State calm = at;
  for (int i = system->kinematic_size(); i < n; ++i) calm.x[i] *= 1e-3;
  for (int k = 0; k < 2; ++k) system->jacobian(calm, J, *workspace);
  system->jacobian(at, J, *workspace);
  const MatrixXd truth = differentiate_recursion(model, parameters, at);
  MatrixXd noise = eps * truth.cwiseAbs();
  Random random(1);
  for (int k = 0; k < 4; ++k) {
    State near = at;
    for (double& x : near.x) x *= 1 + eps * random.uniform(-2, 2);
    noise = noise.cwiseMax((differentiate_recursion(model, parameters, near) - truth).cwiseAbs());
  }
  RowError worst;
  for (int i = 0; i < truth.rows(); ++i) {
    const double size = truth.row(i).cwiseAbs().maxCoeff();
    const double error = (J.row(system->kinematic_size() + i) - truth.row(i)).cwiseAbs().maxCoeff();
    if (size > 0) worst.grow({error / size, error / noise.row(i).maxCoeff()});
  }
  return worst;
}

// At the start of the file, speeds of a free body and its place changed.
RowError compare_example(const std::string& name, double far, double fast) {
  const test::Example example = test::load_example(name);
  const Model* const model = example.model.get();
  const std::vector<double> parameters = parameter_values(*model);
  std::string problem;
  const auto system = make_system(*model, parameters, "recursive", problem);
  EXPECT_TRUE(system) << problem;
  State at = system->initial_state();
  const Mechanism<double> mechanism = make_with_constants<double>(*model, parameters);
  Random random(11);
  for (const Link<double>& link : mechanism.links) {
    const bool loose = link.parent == world && link.nv == 6;
    for (int k = 0; k < link.nv; ++k) {
      double& speed = at.x[mechanism.nq + link.v0 + k];
      speed += loose && k >= 3 ? fast : random.uniform(-1, 1);
    }
    if (loose)
      for (int k = 0; k < 3; ++k) at.x[link.q0 + 4 + k] += far;
    if (!has_quaternion(link))
      for (int k = 0; k < link.nq; ++k) at.x[link.q0 + k] += random.uniform(-0.2, 0.2);
  }
  const RowError error = compare_rows(*model, parameters, at);
  std::printf("%s, %g m, %g m/s: %.2g of the row, %.2g of the last digits\n", name.c_str(), far,
              fast, error.of_row, error.of_last_digits);
  return error;
}

// Dual numbers have errors of their own, some thousand roundings in long chains. In the straight
// chain whole rows vanish but for rounding.
TEST(Derivatives, LongChainsKeepTheirDigits) {
  EXPECT_LE(compare_example("coiled_drop", 0, 0).of_row, 2e-11);
  EXPECT_LE(compare_example("sixtyfour_link", 0, 0).of_last_digits, 50);
}

TEST(Derivatives, NeitherDistanceNorSpeedCostsDigits) {
  for (const char* name : {"bicycle", "benchmark_bicycle", "stewart", "four_bar"}) {
    EXPECT_LE(compare_example(name, 0, 0).of_row, 2e-13);
    EXPECT_LE(compare_example(name, 0, 3000).of_row, 2e-11);
  }
  for (const double far : {0.0, 1e4}) {
    RandomMechanismOptions options;
    options.max_bodies = 20;
    options.joints = {JointType::free, JointType::revolute, JointType::spherical};
    options.forces = options.varying_gravity = false;
    RowError worst;
    for (int seed = 1; seed <= 20; ++seed) {
      const Model model = make_checked_random_model(seed, options);
      const std::vector<double> parameters = parameter_values(model);
      std::string problem;
      const auto owner = make_system(model, parameters, "recursive", problem);
      const auto& system = dynamic_cast<const MechanicalSystem&>(*owner);
      State at = system.make_state(0.3, {}, {});
      const Mechanism<double> mechanism = make_with_constants<double>(model, parameters);
      for (const Link<double>& link : mechanism.links)
        if (link.nv == 6 && link.parent == world)
          for (int k = 0; k < 3; ++k) at.x[link.q0 + 4 + k] += far;
      worst.grow(compare_rows(model, parameters, at));
    }
    std::printf("random trees, %g m: %.2g of the row, %.2g of the last digits\n", far, worst.of_row,
                worst.of_last_digits);
    EXPECT_LE(worst.of_row, 1e-11);
  }
}

TEST(Derivatives, RandomClosedMechanisms) {
  RandomClosedOptions options;
  options.tree.max_bodies = 12;
  options.tree.varying_gravity = options.tree.bearings = false;
  compare_closed("closed", options, 60, 10);
}

}  // namespace
}  // namespace cartan::test
