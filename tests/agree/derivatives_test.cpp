// The derivatives of accelerations that `recursive` has as formulas (motion_slopes.h) against dual
// numbers through the whole dynamics, which the formulation moving-frame keeps: all joints, forces
// and constraints of the random mechanisms, entry by entry, off the tangent space too.
#include <algorithm>
#include <cstdio>

#include "agreement.h"
#include "mechanics/tree/slope_plan.h"
#include "support/allocation_counter.h"
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

struct Tally {
  int covered = 0, all = 0;
  double worst = 0;  // error relative to the tolerance
};

void compare(const Model& model, const std::vector<double>& parameters, const State& at,
             double kappa, Tally& tally) {
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
  check_products(*products, at, J[0], tolerance);
  tally.worst = std::max(tally.worst, error / tolerance);
  if (error > tolerance) {
    Eigen::Index i, j;
    (J[0] - J[1]).cwiseAbs().maxCoeff(&i, &j);
    std::printf("  row %d column %d: %.12g, dual numbers %.12g\n", static_cast<int>(i),
                static_cast<int>(j), J[0](i, j), J[1](i, j));
  }
}

void report(const char* what, const Tally& tally) {
  std::printf("%s: %d of %d covered, largest error / tolerance %.2g\n", what, tally.covered,
              tally.all, tally.worst);
}

void compare_trees(const char* what, const RandomMechanismOptions& options, int seeds,
                   int least_covered) {
  Tally tally;
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
  Tally tally;
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
      &RandomClosedOptions::distances, &RandomClosedOptions::drives, &RandomClosedOptions::couplers,
      &RandomClosedOptions::rolling_discs, &RandomClosedOptions::knife_edges};
  const char* const names[] = {"distance", "drive", "coupler", "rolling-disc", "knife-edge"};
  for (int k = 0; k < 5; ++k) {
    RandomClosedOptions options = bare_loops();
    for (auto kind : kinds) options.*kind = kind == kinds[k];
    options.max_constraints = 1;
    compare_closed(names[k], options, 10, 1);
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
