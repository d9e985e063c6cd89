// Nonholonomic constraints and redundant coordinates: equations linear in the speeds by which some
// of them follow from the others.
//
//   A_d u_d + A_i u_i + b = 0      =>   u_d = W u_i + w0,    u_d' = W u_i' + g
//   A_d W = -A_i,   A_d w0 = -b,   A_d g = -(A' u + b')   (A' and b' the rates of A and b)
// The equations of motion with all speeds free are projected on what the constraints leave:
//   (W_all^T M W_all) u_i' = W_all^T (f - M g_all),     W_all = [1; W],  g_all = [0; g].
// A redundant coordinate has a speed as its rate, and the rate of its equation is one of these
// constraints; its kinematic differential equation is then part of the result.
#pragma once

#include <vector>

#include "symbolic/vectors/kane_system.h"

namespace cartan::symbolic {

struct DependentSpeeds {
  std::vector<Expression> independent, dependent;
  std::vector<Expression> W;   // dependent x independent, row by row
  std::vector<Expression> w0;  // part that does not depend on the speeds
  std::vector<Expression> g;   // u_d' where u_i' = 0, an expression of all speeds
  // u_d as expressions of the independent speeds.
  std::vector<Expression> values;
};

// Solves the constraints (expressions that vanish, as many as dependent speeds) for the dependent
// speeds. A sentence in the problems when they are not linear, too few or too many, or do not
// determine them at the sample point.
DependentSpeeds solve_for_dependent(Kinematics& kinematics,
                                    const std::vector<Expression>& constraints,
                                    const std::vector<Expression>& speeds,
                                    const std::vector<Expression>& dependent);

// The equations for the independent speeds alone; the dependent ones are substituted.
MotionEquations reduce(ExpressionGraph& graph, const MotionEquations& free,
                       const DependentSpeeds& speeds);

// The solution X of A X = B, B with `columns` columns; Gauss's elimination, the pivots chosen by
// the values at the sample point. Empty when a pivot is zero there.
std::vector<Expression> solve_linear(std::vector<Expression> A, std::vector<Expression> B, int size,
                                     int columns);

}  // namespace cartan::symbolic
