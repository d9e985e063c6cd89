// Identities that hold for any mechanism, whatever the forces: inverse dynamics undoes forward
// dynamics, T' + V' = P, the mass matrix is symmetric positive definite and is the moving frame's
// M*.
#include <algorithm>

#include "agreement.h"

namespace cartan::test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

template <class F>
void for_each_tree(F&& f) {
  for (std::uint64_t seed = 1; seed <= tree_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::unique_ptr<Case> c = make_case(seed);
    for (const auto& system : c->systems) {
      SCOPED_TRACE(system->formulation());
      const std::unique_ptr<Workspace> workspace = system->make_workspace();
      f(*c, *system, *workspace);
    }
  }
}

// Sum of the absolute terms of M v' + bias, row by row: what its rounding is measured against.
VectorXd row_sizes(const MatrixXd& M, const VectorXd& vdot, const VectorXd& bias) {
  return M.cwiseAbs() * vdot.cwiseAbs() + bias.cwiseAbs();
}

TEST(Identities, InverseDynamicsOfForwardDynamicsAsksForNoFurtherForce) {
  double largest_force = 0;
  for_each_tree([&](const Case& c, const MechanicalSystem& system, Workspace& workspace) {
    if (c.nv == 0) return;
    const VectorXd vdot = flat(system.report_dynamics(c.state, workspace).acceleration);
    const MassMatrixReport m = system.report_mass_matrix(c.state, workspace);
    const Conditioning conditioning = calc_conditioning(m.mass_matrix);
    const VectorXd size = row_sizes(m.mass_matrix, vdot, m.bias);
    // v' itself is only known to kappa eps; what that error means in forces is M times it
    const double tolerance = 1e3 * conditioning.kappa * eps * size.maxCoeff();
    const std::vector<double> extra =
        system
            .calc_inverse_dynamics(c.state, {vdot.data(), static_cast<std::size_t>(c.nv)},
                                   workspace)
            .force;
    for (double force : extra) EXPECT_LE(std::fabs(force), tolerance);
    // and of another motion it returns M (difference)
    const VectorXd other = vdot + VectorXd::Ones(c.nv);
    const std::vector<double> needed =
        system
            .calc_inverse_dynamics(c.state, {other.data(), static_cast<std::size_t>(c.nv)},
                                   workspace)
            .force;
    const VectorXd expected = m.mass_matrix * VectorXd::Ones(c.nv);
    bool loaded = false;  // bearing loads follow the accelerations: then the answer is not linear
    for (const Force& force : c.model.forces)
      if (const auto* f = std::get_if<FrictionForce>(&force.law)) loaded |= !f->bearings.empty();
    if (loaded) return;
    for (int k = 0; k < c.nv; ++k) EXPECT_NEAR(needed[k], expected[k], tolerance);
    largest_force = std::max(largest_force, expected.lpNorm<Eigen::Infinity>());
  });
  EXPECT_GT(largest_force, 1);
}

TEST(Identities, EnergyRatesEqualPower) {
  double largest_power = 0, largest_constraint = 0;
  int balanced = 0;
  for_each_tree([&](const Case& c, const MechanicalSystem& system, Workspace& workspace) {
    const DynamicsReport report = system.report_dynamics(c.state, workspace);
    const MassMatrixReport m = system.report_mass_matrix(c.state, workspace);
    const PowerBalance& p = report.power;
    double size =
        std::fabs(p.kinetic_rate) + std::fabs(p.potential_rate) + std::fabs(p.nonconservative);
    for (const ForceReport& f : report.forces)
      size += std::fabs(f.potential_rate) + std::fabs(f.power);
    // the kinetic rate is v^T M v', a sum of many terms
    if (c.nv > 0)
      size += c.v().cwiseAbs().dot(m.mass_matrix.cwiseAbs() * flat(report.acceleration).cwiseAbs());
    const double residual = p.kinetic_rate + p.potential_rate - p.nonconservative - p.constraint;
    EXPECT_LE(std::fabs(residual), 1e-12 * size);
    largest_power = std::max(largest_power, std::fabs(p.nonconservative));
    largest_constraint = std::max(largest_constraint, std::fabs(p.constraint));
    balanced +=
        std::fabs(p.kinetic_rate) > 1e-3 * size && std::fabs(p.nonconservative) > 1e-3 * size;
  });
  EXPECT_GT(largest_power, 1);
  EXPECT_EQ(largest_constraint, 0);
  EXPECT_GT(balanced, tree_count / 4);  // all three terms took part
}

TEST(Identities, MassMatrixIsSymmetricPositiveDefiniteAndClosesTheEquations) {
  double largest = 0;
  for_each_tree([&](const Case& c, const MechanicalSystem& system, Workspace& workspace) {
    if (c.nv == 0) return;
    const MassMatrixReport m = system.report_mass_matrix(c.state, workspace);
    const VectorXd vdot = flat(system.report_dynamics(c.state, workspace).acceleration);
    EXPECT_EQ((m.mass_matrix - m.mass_matrix.transpose()).cwiseAbs().maxCoeff(), 0);
    EXPECT_EQ(m.mass_matrix.llt().info(), Eigen::Success);
    const Conditioning conditioning = calc_conditioning(m.mass_matrix);
    EXPECT_GT(conditioning.kappa, 0);
    const VectorXd size = row_sizes(m.mass_matrix, vdot, m.bias);
    const VectorXd residual = m.mass_matrix * vdot + m.bias;
    EXPECT_LE(residual.lpNorm<Eigen::Infinity>(), 1e3 * conditioning.kappa * eps * size.maxCoeff());
    largest = std::max(largest, size.maxCoeff());
    Observation observed;
    system.observe(c.state, observed, workspace);
    EXPECT_NEAR(0.5 * c.v().dot(m.mass_matrix * c.v()), observed.kinetic,
                1e-12 * c.v().cwiseAbs().dot(m.mass_matrix.cwiseAbs() * c.v().cwiseAbs()));
  });
  EXPECT_GT(largest, 1);
}

TEST(Identities, MovingFrameMatricesAreThoseOfTheMotion) {
  double largest_rate = 0;
  for_each_tree([&](const Case& c, const MechanicalSystem& system, Workspace& workspace) {
    if (c.nv == 0) return;
    const MovingFrameReport f = system.report_moving_frame(c.state, workspace);
    const MassMatrixReport m = system.report_mass_matrix(c.state, workspace);
    const VectorXd vdot = flat(system.report_dynamics(c.state, workspace).acceleration);
    EXPECT_LE((f.M_star - m.mass_matrix).cwiseAbs().maxCoeff(),
              1e-13 * m.mass_matrix.cwiseAbs().maxCoeff());
    // M* v' + N* v = F*
    const VectorXd left = f.M_star * vdot + f.N_star * c.v();
    const double size = (f.M_star.cwiseAbs() * vdot.cwiseAbs() +
                         f.N_star.cwiseAbs() * c.v().cwiseAbs() + f.F_star.cwiseAbs())
                            .maxCoeff();
    EXPECT_LE((left - f.F_star).lpNorm<Eigen::Infinity>(),
              1e3 * calc_conditioning(m.mass_matrix).kappa * eps * size);
    // B v are the velocities of the bodies: of the centre of mass in world axes, angular in body
    // axes
    const VectorXd rates = f.B * c.v();
    Observation observed;
    system.observe(c.state, observed, workspace);
    const NaiveTree tree = make_naive_tree(c.model, c.parameters);
    for (std::size_t i = 0; i < observed.bodies.size(); ++i) {
      const BodyState& b = observed.bodies[i];
      const Mat3<double> R = rotation_matrix(b.orientation);
      const Vec3<double> com_velocity = b.linear + R * cross(b.angular, tree.bodies[i].com);
      const double tolerance =
          1e-12 * (f.B.middleRows(6 * i, 6).cwiseAbs() * c.v().cwiseAbs()).maxCoeff() + 1e-14;
      EXPECT_LE((rates.segment<3>(6 * i) - eigen(com_velocity)).norm(), tolerance);
      EXPECT_LE((rates.segment<3>(6 * i + 3) - eigen(b.angular)).norm(), tolerance);
    }
    largest_rate = std::max(largest_rate, rates.lpNorm<Eigen::Infinity>());
  });
  EXPECT_GT(largest_rate, 1);
}

}  // namespace
}  // namespace cartan::test
