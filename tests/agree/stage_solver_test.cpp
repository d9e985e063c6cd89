// The elimination of implicit methods along the tree (stage_elimination.h) against dense matrices:
// those of stages made of System::jacobian, those of the second-order form. All joints, forces in
// joints and between neighbours.
#include <complex>
#include <cstdio>

#include "agreement.h"
#include "support/allocation_counter.h"
#include "system/second_order.h"
#include "system/stage_solver.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXcd;
using Eigen::MatrixXd;
using Eigen::VectorXcd;
using Eigen::VectorXd;
using Number = std::complex<double>;

// Counts the solutions that are not the right sides themselves.
void compare_stages(const System& system, const StageSolver& solver, const State& at,
                    int& changed) {
  const auto workspace = system.make_workspace();
  const int n = static_cast<int>(at.x.size()), nq = system.kinematic_size(),
            nv = n - nq - system.quadratures();
  ASSERT_TRUE(solver.linearise(at, *workspace));
  MatrixXd J(n, n);
  const auto other = system.make_workspace();
  system.jacobian(at, J, *other);
  const MatrixXd f_v = J.block(nq, nq, nv, nv),
                 f_q = J.block(nq, 0, nv, nq) * J.block(0, nq, nq, nv);
  Random random(3);
  int which = 0;
  for (const Number s : {Number(0.01, 0), Number(0.05, 0.03), Number(0.3, -0.8)}) {
    const MatrixXcd A = MatrixXcd::Identity(nv, nv) - s * f_v - s * s * f_q;
    VectorXcd r(nv);
    for (Number& entry : r) entry = {random.uniform(-1, 1), random.uniform(-1, 1)};
    VectorXcd x = r;
    solver.factorise_stage(which, s, *workspace);
    solver.solve_stage(which, {x.data(), static_cast<std::size_t>(nv)}, *workspace);
    const Eigen::JacobiSVD<MatrixXcd> svd(A);
    const double kappa = svd.singularValues()(0) / svd.singularValues()(nv - 1);
    const VectorXcd truth = A.partialPivLu().solve(r);
    EXPECT_LE((x - truth).norm(), 1e-11 * kappa * truth.norm()) << s;
    changed += (x - r).norm() > 1e-9 * r.norm();
    ++which;
  }
  VectorXcd x = VectorXcd::Ones(nv);
  const long before = test::allocation_count();
  solver.linearise(at, *workspace);
  solver.factorise_stage(0, 0.1, *workspace);
  solver.solve_stage(0, {x.data(), static_cast<std::size_t>(nv)}, *workspace);
  EXPECT_EQ(test::allocation_count() - before, 0);
}

// A x = b with the matrix of the form, at accelerations that do not solve the dynamics.
void compare_residuals(const SecondOrderForm& form, const State& at, Workspace& workspace) {
  const std::size_t nq = form.positions().size(), nv = form.positions().tangent_size();
  Random random(5);
  std::vector<double> a(nv), b(nv);
  for (double& entry : a) entry = random.uniform(-3, 3);
  for (double& entry : b) entry = random.uniform(-1, 1);
  TurnBlocks turn;
  for (const StateBlock& block : form.positions().blocks()) {
    const bool vector = block.kind == StateBlock::Kind::vector;
    const int size = block.kind == StateBlock::Kind::pose ? 6 : (vector ? block.size : 3);
    for (int k = 0; k < size; ++k) {
      TurnBlocks::Column column{block.tangent + (vector ? k : 0), vector ? 1 : size, {}};
      for (int i = 0; i < column.size; ++i)
        column.entries[i] = (i == (vector ? 0 : k) ? 1 : 0) + random.uniform(-0.2, 0.2);
      turn.columns.push_back(column);
    }
  }
  ASSERT_EQ(turn.columns.size(), nv);
  const MotionPoint point{at.t, {at.x.data(), nq}, {at.x.data() + nq, nv}, a, {}, at.mode};
  const MotionDirections directions{0.02, 0.3, &turn};
  MatrixXd A(nv, nv);
  form.residual_matrix(point, directions, A, workspace);
  std::vector<double> known(nv, 0.5), residual(nv);
  ASSERT_TRUE(form.factorise_residual(point, directions, known, workspace));
  form.residual(point, residual, workspace);
  EXPECT_EQ(known, residual);
  VectorXd x = Eigen::Map<const VectorXd>(b.data(), static_cast<Eigen::Index>(nv));
  form.solve_residual({x.data(), nv}, workspace);
  const VectorXd truth = A.partialPivLu().solve(Eigen::Map<const VectorXd>(b.data(), x.size()));
  const Eigen::JacobiSVD<MatrixXd> svd(A);
  const double kappa = svd.singularValues()(0) / svd.singularValues()(x.size() - 1);
  EXPECT_LE((x - truth).norm(), 1e-11 * kappa * truth.norm());
}

void compare(const char* what, const RandomMechanismOptions& options, int seeds, int least) {
  int covered = 0, changed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(std::string(what) + ", seed " + std::to_string(seed));
    const Model model = make_checked_random_model(seed, options);
    std::string problem;
    const auto owner = make_system(model, parameter_values(model), "recursive", problem);
    ASSERT_TRUE(owner) << problem;
    const auto& system = dynamic_cast<const MechanicalSystem&>(*owner);
    const StageSolver* solver = find_stage_solver(system);
    if (!solver) continue;
    ++covered;
    const State at = system.make_state(Random(seed).uniform(0.2, 2), {}, {});
    compare_stages(system, *solver, at, changed);
    const auto workspace = system.make_workspace();
    compare_residuals(*system.second_order(), at, *workspace);
  }
  std::printf("%s: %d of %d along the tree\n", what, covered, seeds);
  EXPECT_GE(covered, least);
  if (least > 0 && std::string(what) != "translation" && std::string(what) != "prismatic") {
    EXPECT_GT(changed, covered);
  }
}

RandomMechanismOptions tree_of(JointType type, int bodies) {
  RandomMechanismOptions options;
  options.max_bodies = bodies;
  options.joints = {type};
  options.ellipsoidal = 0;
  options.forces = options.varying_gravity = false;
  return options;
}

TEST(StageSolver, OneTypeOfJoint) {
  for (const JointTypeInfo& row : all_joint_types()) {
    if (row.type == JointType::ellipsoidal || row.nv == 0) continue;
    compare(row.name, tree_of(row.type, 6), 6, 6);
  }
  RandomMechanismOptions options = tree_of(JointType::spherical, 6);
  options.ellipsoidal = 1;
  compare("ellipsoidal", options, 6, 6);
}

TEST(StageSolver, ForcesInJointsAndBetweenNeighbours) {
  bool RandomMechanismOptions::*const kinds[] = {&RandomMechanismOptions::springs,
                                                 &RandomMechanismOptions::torsion,
                                                 &RandomMechanismOptions::joint_forces,
                                                 &RandomMechanismOptions::smooth_friction,
                                                 &RandomMechanismOptions::exact_friction,
                                                 &RandomMechanismOptions::bushings,
                                                 &RandomMechanismOptions::wrenches,
                                                 &RandomMechanismOptions::potentials,
                                                 &RandomMechanismOptions::drag};
  const char* const names[] = {"spring",          "torsion",        "joint",
                               "smooth friction", "exact friction", "bushing",
                               "wrench",          "potential",      "drag"};
  const int least[] = {3, 20, 1, 5, 5, 3, 0, 0, 0};
  for (int k = 0; k < 9; ++k) {
    RandomMechanismOptions options;
    options.max_bodies = k == 0 || k == 5 ? 2 : 6;
    options.varying_gravity = options.bearings = false;
    for (auto kind : kinds) options.*kind = kind == kinds[k];
    compare(names[k], options, 30, least[k]);
  }
}

}  // namespace
}  // namespace cartan::test
