// Equations of motion as C, as source 004 measures them: every expression written out, or shared
// expressions computed once.
#pragma once

#include <string>
#include <vector>

#include "symbolic/differentiate.h"

namespace cartan::reproduction {

// void equations(const double* x, double* y): symbols by number in x, values in y; + - * / sin cos
// sqrt and choices only. written_out: every expression in full, in several functions where they are
// long (a compiler then looks for common parts within each of these); otherwise one line for each
// node.
std::string write_equations(const ExpressionGraph& graph, const std::vector<Expression>& values,
                            bool written_out);

// M u' = f of a chain with q' = u; symbols by their place among the inputs x.
struct WrittenMotion {
  std::vector<Expression> values;          // M row by row, then f
  SparseJacobian slopes;                   // of f - M u' by (q, u); empty: the base system alone
  std::vector<int> speeds, accelerations;  // u, u'
};

// A file with `void derivatives(double* x, const double* phi, double* y)`: y = (u, u'), solved by
// elimination, and with slopes the derivatives of the full variational system, phi' = A phi, row by
// row behind it. The accelerations found are put into x.
std::string write_derivatives(const ExpressionGraph& graph, const WrittenMotion& motion,
                              bool written_out);

}  // namespace cartan::reproduction
