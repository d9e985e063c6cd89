// Functions of the code of A(t, x) u = b(t, x), u rates that are solved for (with others that have
// formulas, x' = (formulas, u)). All derivatives follow from the same matrix:
//   A du/dx_j     = d(b - A u)/dx_j                      u held
//   A u_d         = D(b - A u) =: s                      D: along dx, u held; u_d = (du/dx) dx
//   A du_d/dx_j   = d(s - A u_d)/dx_j + (ds/du) du/dx_j  u and u_d held
// and du_d/d(dx) = du/dx. Each line is a linear system that uses what the lines before have found.
#pragma once

#include <vector>

#include "codegen/code_unit.h"
#include "codegen/derivation.h"

namespace cartan::codegen {

class ImplicitUnit {
 public:
  ImplicitUnit(ExpressionGraph& graph, ImplicitForm form, std::vector<Expression> x);

  CodeFunction derivative() const;
  CodeFunction jacobian();
  CodeFunction parameter_jacobian(const std::vector<Expression>& p);
  CodeFunction variational(const std::vector<Expression>& dx);
  CodeFunction variational_jacobian(const std::vector<Expression>& dx);

 private:
  // A system with the matrix A; entry (i, j) of its solution is a symbol, or 0 where it is zero
  // whatever the numbers are.
  struct Slopes {
    LinearSolve solve;
    int columns = 0;
    std::vector<Expression> entries;
    const Expression& at(int i, int j) const {
      return entries[static_cast<std::size_t>(i) * columns + j];
    }
  };
  Slopes solve_for(std::vector<Expression> rhs, int columns, const std::string& name) const;
  // d(values)/d(by) as a full matrix.
  std::vector<Expression> dense_jacobian(const std::vector<Expression>& values,
                                         const std::vector<Expression>& by) const;
  // values - A u
  std::vector<Expression> residuals(const std::vector<Expression>& values,
                                    const std::vector<Expression>& u) const;
  CodeFunction slopes_by(const std::vector<Expression>& by, const std::string& name,
                         const std::string& comment, const std::string& output);
  // Entries of the derivative of all rates, row by row, from those of u.
  void add_rows(const std::vector<Expression>& rates, const std::vector<Expression>& by,
                const Slopes& slopes, int first_row, int first_column, CodeMatrix& matrix) const;
  std::vector<Expression> mixed(const std::vector<Expression>& formulas,
                                const std::vector<Expression>& found) const;

  ExpressionGraph& graph_;
  ImplicitForm form_;
  std::vector<Expression> x_;
  std::vector<int> unknown_of_;  // by variable: which unknown its rate is, or -1
  LinearSolve base_;             // A u = b
};

}  // namespace cartan::codegen
