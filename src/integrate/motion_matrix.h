// The matrix of Newton's iteration for the equations of a SecondOrderForm, factorised.
//
// Unknowns (a, lambda). With a, velocities change by v_scale da and positions by q_scale T da,
// T = dexp_-d the way a displacement d of q moves its end. Rows of position equations are divided
// by q_scale, those of velocity equations by v_scale:
//
//   [ M + v_scale C + q_scale K T   -J^T ]
//   [ G T  (positions)                0  ]      which for short steps is the matrix of the index-1
//   [ A    (velocities)               0  ]      equations, whatever the length of the step
#pragma once

#include "core/dense.h"
#include "system/second_order.h"

namespace cartan::integrate {

class MotionMatrix {
 public:
  explicit MotionMatrix(const SecondOrderForm& form);

  // Sizes and levels of the multipliers of this mode.
  void set_mode(std::span<const int> mode);
  int speeds() const { return speeds_; }
  int size() const { return speeds_ + static_cast<int>(levels_.size()); }
  int multipliers() const { return static_cast<int>(levels_.size()); }
  bool has_position_rows() const { return position_rows_ > 0; }
  // The form has factors of its own, which cost less than a matrix.
  bool is_structured() const { return structured_; }

  // Forms and factorises; `d` is the displacement to at.q. True: `residual` is that of the point.
  bool refresh(const MotionPoint& at, double q_scale, double v_scale, std::span<const double> d,
               std::span<double> residual, Workspace& workspace);
  // Divides the rows of a residual as those of the matrix are.
  void scale(std::span<double> residual) const;
  // In place.
  void solve(std::span<double> residual, Workspace& workspace);

 private:
  void fill_turn(std::span<const double> d);

  const SecondOrderForm& form_;
  const int speeds_;
  std::vector<EquationLevel> levels_;
  int position_rows_ = 0;
  double q_scale_ = 1, v_scale_ = 1;
  TurnBlocks turn_;
  bool structured_ = false;  // the factors are the form's own
  Eigen::MatrixXd matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
  Eigen::VectorXd solution_;
};

}  // namespace cartan::integrate
