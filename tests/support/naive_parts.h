// What the naive references for trees and for closed mechanisms share.
#pragma once

#include <Eigen/Dense>

#include "support/naive_dynamics.h"

namespace cartan::test::naive_parts {

inline Eigen::Vector3d eigen(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}
inline Vec3<double> vec3(const Eigen::Ref<const Eigen::Vector3d>& a) {
  return {a.x(), a.y(), a.z()};
}
inline Eigen::Matrix3d eigen(const Mat3<double>& m) {
  Eigen::Matrix3d e;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) e(i, j) = m(i, j);
  return e;
}

// Inertia matrices about the centres of mass, world axes.
std::vector<Eigen::Matrix3d> world_inertias(const NaiveTree& tree,
                                            const std::vector<NaiveBody>& bodies);

// Velocities (w, x' of the centre of mass) of all bodies for each unit speed.
void fill_columns(const NaiveTree& tree, const NaiveState& state, NaiveResult& result);

// columns^T diag(J, m) columns, and rotors on the diagonal
void fill_mass_matrix(const NaiveTree& tree, const std::vector<Eigen::Matrix3d>& J,
                      NaiveResult& result);

// The rate of kinetic energy, from the accelerations of the bodies.
void read_kinetic_rate(const NaiveTree& tree, const NaiveState& state,
                       const std::vector<Eigen::Matrix3d>& J, const NaiveForces& forces,
                       NaiveResult& result);
void read_energies(const NaiveForces& forces, NaiveResult& result);

// After everything else: sizes that errors are measured against.
void read_scales(const NaiveTree& tree, const std::vector<Eigen::Matrix3d>& J,
                 const NaiveForces& forces, NaiveResult& result);

}  // namespace cartan::test::naive_parts
