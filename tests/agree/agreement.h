// One random mechanism in one state, with everything the tests of this folder compare.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <limits>
#include <memory>

#include "formulations/formulations.h"
#include "support/naive_dynamics.h"
#include "support/random_mechanism.h"

namespace cartan::test {

inline constexpr double eps = std::numeric_limits<double>::epsilon();
inline constexpr int tree_count = 300;

struct Case {
  Model model;
  std::vector<double> parameters;
  std::vector<std::unique_ptr<MechanicalSystem>> systems;   // whose state is that of the joints
  std::vector<std::unique_ptr<MechanicalSystem>> absolute;  // of free bodies, where they are taken
  State state;
  int nq = 0, nv = 0;

  Eigen::Map<const Eigen::VectorXd> q() const { return {state.x.data(), nq}; }
  Eigen::Map<const Eigen::VectorXd> v() const { return {state.x.data() + nq, nv}; }
  // The state in a system of `absolute`.
  State absolute_state(const MechanicalSystem& system) const;
  NaiveState naive_state() const {
    return {state.t, {q().begin(), q().end()}, {v().begin(), v().end()}};
  }
};

// At the model's initial coordinates and speeds, at a time that is not zero.
std::unique_ptr<Case> make_case(std::uint64_t seed, const RandomMechanismOptions& options = {});
std::unique_ptr<Case> make_case(Model model, double t);

// The case's state in the numbers of any system.
State state_in(const MechanicalSystem& system, const Case& c);

// d/dt of all speeds, file order.
Eigen::VectorXd flat(const std::vector<std::vector<double>>& per_joint);

// The mass matrix scaled to unit diagonal. Its condition number is that of finding v' when every
// speed is measured in units of its own inertia, so it does not depend on metres or kilograms.
struct Conditioning {
  Eigen::VectorXd scale;  // square roots of the diagonal
  double kappa = 1, largest = 1;
};
Conditioning calc_conditioning(const Eigen::MatrixXd& mass_matrix);

inline Eigen::Vector3d eigen(const Vec3<double>& a) {
  return {a.x, a.y, a.z};
}

}  // namespace cartan::test
