#include "support/naive_parts.h"

#include <algorithm>
#include <cmath>

namespace cartan::test::naive_parts {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

std::vector<Eigen::Matrix3d> world_inertias(const NaiveTree& tree,
                                            const std::vector<NaiveBody>& bodies) {
  std::vector<Eigen::Matrix3d> J;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Eigen::Matrix3d R = eigen(bodies[i].X.R);
    J.push_back(R * eigen(full(tree.bodies[i].inertia)) * R.transpose());
  }
  return J;
}

void fill_columns(const NaiveTree& tree, const NaiveState& state, NaiveResult& result) {
  result.columns.setZero(6 * static_cast<int>(tree.bodies.size()), tree.nv);
  std::vector<double> unit(tree.nv, 0.0);
  for (int k = 0; k < tree.nv; ++k) {
    unit[k] = 1;
    const std::vector<NaiveBody> moved = calc_naive_motion(tree, state.q, unit);
    unit[k] = 0;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      result.columns.block<3, 1>(6 * i, k) = eigen(moved[i].w);
      result.columns.block<3, 1>(6 * i + 3, k) = eigen(moved[i].com_velocity);
    }
  }
}

void fill_mass_matrix(const NaiveTree& tree, const std::vector<Eigen::Matrix3d>& J,
                      NaiveResult& result) {
  result.mass_matrix.setZero(tree.nv, tree.nv);
  if (tree.nv == 0) return;
  for (std::size_t i = 0; i < J.size(); ++i) {
    const MatrixXd w = result.columns.middleRows(6 * i, 3),
                   x = result.columns.middleRows(6 * i + 3, 3);
    result.mass_matrix += w.transpose() * J[i] * w + tree.bodies[i].mass * x.transpose() * x;
  }
  result.mass_matrix.diagonal() += Eigen::Map<const VectorXd>(tree.rotor.data(), tree.nv);
}

void read_kinetic_rate(const NaiveTree& tree, const NaiveState& state,
                       const std::vector<Eigen::Matrix3d>& J, const NaiveForces& forces,
                       NaiveResult& result) {
  for (int k = 0; k < tree.nv; ++k) {
    const double power = tree.rotor[k] * state.v[k] * result.vdot[k];
    result.kinetic_rate += power;
    result.power_scale += std::fabs(power);
  }
  for (std::size_t i = 0; i < J.size(); ++i) {
    const NaiveBody& b = result.bodies[i];
    const double turning = dot(b.w, vec3(J[i] * eigen(b.alpha)));
    const double moving = tree.bodies[i].mass * dot(b.com_velocity, b.com_acceleration);
    result.kinetic_rate += turning + moving;
    const double force = tree.bodies[i].mass * (norm(b.com_acceleration) + norm(forces.gravity));
    result.power_scale += norm(b.com_velocity) * force;
    result.power_scale += norm(b.w) * (J[i] * eigen(b.alpha)).norm();
  }
}

void read_energies(const NaiveForces& forces, NaiveResult& result) {
  result.kinetic = forces.kinetic;
  result.potential = forces.potential;
  result.potential_rate = forces.gravity_rate;
  result.nonconservative = forces.gravity_power;
  result.power_scale += std::fabs(forces.gravity_rate) + std::fabs(forces.gravity_power);
  result.elements = forces.elements;
  for (const NaiveEnergy& e : forces.elements) {
    result.potential_rate += e.potential_rate;
    result.nonconservative += e.power;
    result.power_scale += std::fabs(e.potential_rate) + std::fabs(e.power);
  }
}

void read_scales(const NaiveTree& tree, const std::vector<Eigen::Matrix3d>& J,
                 const NaiveForces& forces, NaiveResult& result) {
  result.length_scale = 1;
  result.applied_scale = Eigen::Map<const VectorXd>(forces.tau.data(), tree.nv).cwiseAbs();
  for (std::size_t i = 0; i < J.size(); ++i) {
    const NaiveBody& b = result.bodies[i];
    const double m = tree.bodies[i].mass;
    result.length_scale = std::max({result.length_scale, norm(b.com), norm(b.X.p)});
    result.speed_scale = std::max(result.speed_scale, norm(b.origin_velocity));
    result.potential_scale += std::fabs(m * dot(forces.gravity, b.com));
    // what columns project: external forces and the rate of momentum
    const Vector3d w = eigen(b.w), turning = J[i] * eigen(b.alpha);
    Eigen::Matrix<double, 6, 1> size;
    size << eigen(forces.torque[i]).cwiseAbs() + w.cross(J[i] * w).cwiseAbs() + turning.cwiseAbs(),
        eigen(forces.force[i]).cwiseAbs() + m * eigen(b.com_acceleration).cwiseAbs();
    if (tree.nv > 0)
      result.applied_scale += result.columns.middleRows(6 * i, 6).cwiseAbs().transpose() * size;
  }
  for (const NaiveEnergy& e : forces.elements) result.potential_scale += std::fabs(e.potential);
  for (const NaiveWrench& w : result.reactions) {
    result.force_scale = std::max(result.force_scale, norm(w.force));
    result.torque_scale = std::max(result.torque_scale, norm(w.torque));
  }
  for (const Vec3<double>& f : forces.force)
    result.force_scale = std::max(result.force_scale, norm(f));
  for (const Vec3<double>& n : forces.torque)
    result.torque_scale = std::max(result.torque_scale, norm(n));
}

}  // namespace cartan::test::naive_parts
