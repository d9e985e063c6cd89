// How a curve must bend to stay on the manifold of a System, in embedded numbers without
// quadratures.
//
// A curve x(s) = x + s u + s^2 n / 2 with a tangent vector u satisfies the constraints g, and
// |q|^2 = 1 of every quaternion, to second order when n has the part
//   n = -C^+ D2 g(u, u),     C = Dg
// normal to the tangent space; likewise for mixed and third derivatives.
#pragma once

#include <vector>

#include <Eigen/Core>
#include <Eigen/QR>

#include "system/state_curvature.h"

namespace cartan::analysis {

class ManifoldBend {
 public:
  using Vector = Eigen::VectorXd;

  // `curvature` is that of the system and must outlive this one.
  ManifoldBend(const System& system, const State& state, StateCurvature& curvature,
               Workspace& workspace);

  // The normal part that D2 g(u, w) asks for, parameter number `parameter` of the curvature's list
  // moving along w; and D3 g(u, w, v).
  Vector second(const Vector& u, const Vector& w, int parameter = -1) const;
  Vector third(const Vector& u, const Vector& w, const Vector& v) const;
  // The same for a change of the constraint functions.
  Vector follow(const Vector& constraint_change) const;

 private:
  Vector solve(const Vector& of_constraints, const Vector& of_quaternions) const;
  Vector padded(const Vector& x) const;

  const State state_;
  StateCurvature& curvature_;
  const int n_, kept_, rows_;
  std::vector<int> quaternions_;  // where they begin
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> normals_;
};

}  // namespace cartan::analysis
