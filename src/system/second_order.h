// The equations of motion of a System not solved for the accelerations: what index-3 methods need.
//
//   q on a group, v in its algebra:   q' = q v   (StateSpace::plus: d/ds q (+) s v at s = 0)
//   R_dyn(t, q, v, a, lambda) = M(q) a - f(t, q, v) - J(q)^T lambda = 0        one per speed
//   one equation per multiplier, on one of three levels:
//     position  g(t, q) = 0         velocity  y(t, q, v) = 0         force  any, of all unknowns
//
// x = (q, v, quadratures). Which multipliers there are follows from the mode (redundant rows have
// none); speeds that are held (joints that stick) have the equation a = 0 in place of theirs.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "system/system.h"

namespace cartan::system {

enum class EquationLevel { position, velocity, force };

// Where the equations are looked at.
struct MotionPoint {
  double t = 0;
  std::span<const double> q, v, a, lambda;
  std::span<const int> mode;
};

// A square matrix of blocks along the diagonal, none larger than six.
struct TurnBlocks {
  struct Column {
    int first = 0, size = 0;  // rows that are not zero
    double entries[6] = {};
  };
  std::vector<Column> columns;

  double operator()(int i, int k) const {
    const Column& column = columns[k];
    const int row = i - column.first;
    return row >= 0 && row < column.size ? column.entries[row] : 0;
  }
};

// Directions of the unknowns: with a changes v, and with both q. Column k of `turn` is the tangent
// change of q and e_k that of a; none: the identity:
//   dq = q_scale q turn e_k,   dv = v_scale e_k,   da = e_k
struct MotionDirections {
  double q_scale = 0, v_scale = 0;
  const TurnBlocks* turn = nullptr;
};

// The motion through a state.
struct MotionStart {
  std::vector<double> a, jerk;  // v' and v''
  std::vector<double> lambda;
};

class SecondOrderForm {
 public:
  virtual ~SecondOrderForm() = default;

  // The space of the first numbers of x; its tangent numbers are the speeds.
  virtual const StateSpace& positions() const = 0;
  // One level per multiplier.
  virtual void fill_levels(std::span<const int> mode, std::vector<EquationLevel>& levels) const = 0;

  // R_dyn, then the equations of the multipliers.
  virtual void residual(const MotionPoint& at, std::span<double> result,
                        Workspace& workspace) const = 0;
  // Derivatives of all equations by (a, lambda) along the directions, exact.
  virtual void residual_matrix(const MotionPoint& at, const MotionDirections& directions,
                               Eigen::Ref<Eigen::MatrixXd> result, Workspace& workspace) const = 0;
  // The same matrix, factorised along the structure of the equations instead of filled; the
  // factors stay in the workspace. The residual there comes along. False: not here.
  virtual bool factorise_residual(const MotionPoint&, const MotionDirections&, std::span<double>,
                                  Workspace&) const {
    return false;
  }
  virtual void solve_residual(std::span<double>, Workspace&) const {}
  // v and a brought to y = 0 and y' = 0 (y = g' of position equations) at the place of the point,
  // by the smallest mass-weighted change, and the multipliers to what that takes: M (change of a) =
  // J^T (change of lambda).
  virtual void settle(const MotionPoint& place, std::span<double> v, std::span<double> a,
                      std::span<double> lambda, Workspace& workspace) const = 0;
  // The part of speeds that position equations forbid: the least e in the mass metric with
  // J e = J direction for these, J e = 0 for equations of velocities.
  virtual void forbidden_part(const MotionPoint& place, std::span<const double> direction,
                              std::span<double> result, Workspace& workspace) const = 0;
  // Rates of the quadratures of the System.
  virtual void quadrature_rates(const MotionPoint& at, std::span<double> result,
                                Workspace& workspace) const = 0;
  // Accelerations, their rates along the motion (exact) and multipliers at a state that satisfies
  // the constraints and their rates.
  virtual void start(StateView at, MotionStart& result, Workspace& workspace) const = 0;
};

}  // namespace cartan::system
