#include "codegen/implicit_unit.h"

#include <fmt/format.h>

#include "core/block_triangular.h"
#include "symbolic/differentiate.h"
#include "symbolic/simplify/is_zero.h"

namespace cartan::codegen {
namespace {

CodeMatrix empty_sparse(const std::string& name, std::size_t rows, std::size_t columns) {
  CodeMatrix matrix;
  matrix.name = name;
  matrix.rows = static_cast<int>(rows);
  matrix.columns = static_cast<int>(columns);
  return matrix;
}

void add_entry(CodeMatrix& matrix, int row, int column, const Expression& value) {
  if (is_zero(value)) return;
  matrix.row.push_back(row);
  matrix.column.push_back(column);
  matrix.entries.push_back(value);
}

}  // namespace

ImplicitUnit::ImplicitUnit(ExpressionGraph& graph, ImplicitForm form, std::vector<Expression> x)
    : graph_(graph), form_(std::move(form)), x_(std::move(x)) {
  int next = 0;
  for (const Expression& rate : form_.rates) {
    const bool unknown = next < form_.size && identical(rate, form_.unknowns[next]);
    unknown_of_.push_back(unknown ? next++ : -1);
  }
  base_ = {form_.size, form_.A, form_.b, false, "u", form_.unknowns};
}

// ---------------------------------------------------------------------------------------- systems

std::vector<Expression> ImplicitUnit::residuals(const std::vector<Expression>& values,
                                                const std::vector<Expression>& u) const {
  std::vector<Expression> result = values;
  for (int i = 0; i < form_.size; ++i)
    for (int k = 0; k < form_.size; ++k)
      result[i] -= form_.A[static_cast<std::size_t>(i) * form_.size + k] * u[k];
  return result;
}

std::vector<Expression> ImplicitUnit::dense_jacobian(const std::vector<Expression>& values,
                                                     const std::vector<Expression>& by) const {
  std::vector<Expression> full(values.size() * by.size(), Expression(0));
  const SparseJacobian sparse = symbolic::jacobian(graph_, values, by);
  for (std::size_t k = 0; k < sparse.entries.size(); ++k)
    full[static_cast<std::size_t>(sparse.row[k]) * by.size() + sparse.column[k]] =
        sparse.entries[k];
  return full;
}

// Which entries can differ from zero follows block by block, as the solution does.
ImplicitUnit::Slopes ImplicitUnit::solve_for(std::vector<Expression> rhs, int columns,
                                             const std::string& name) const {
  const int n = form_.size;
  Slopes slopes;
  slopes.columns = columns;
  slopes.entries.assign(static_cast<std::size_t>(n) * columns, Expression(0));
  std::vector<int> row, column;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (!is_zero(form_.A[static_cast<std::size_t>(i) * n + j]))
        row.push_back(i), column.push_back(j);
  std::vector<Expression> unknowns(slopes.entries.size());
  for (std::size_t k = 0; k < unknowns.size(); ++k)
    unknowns[k] = graph_.symbol(fmt::format("{}[{}][{}]", name, k / columns, k % columns));
  for (const EquationBlock& block : order_blocks(n, row, column).blocks)
    for (int c = 0; c < columns; ++c) {
      bool moves = false;
      for (const int i : block.rows) {
        moves |= !is_zero(rhs[static_cast<std::size_t>(i) * columns + c]);
        for (int k = 0; k < n; ++k)
          moves |=
              !is_zero(form_.A[static_cast<std::size_t>(i) * n + k]) && !is_zero(slopes.at(k, c));
      }
      if (!moves) continue;
      for (const int j : block.columns) {
        const std::size_t place = static_cast<std::size_t>(j) * columns + c;
        slopes.entries[place] = unknowns[place];
      }
    }
  slopes.solve = {n, form_.A, std::move(rhs), false, name, std::move(unknowns)};
  return slopes;
}

std::vector<Expression> ImplicitUnit::mixed(const std::vector<Expression>& formulas,
                                            const std::vector<Expression>& found) const {
  std::vector<Expression> result = formulas;
  for (std::size_t i = 0; i < result.size(); ++i)
    if (unknown_of_[i] >= 0) result[i] = found[unknown_of_[i]];
  return result;
}

void ImplicitUnit::add_rows(const std::vector<Expression>& rates, const std::vector<Expression>& by,
                            const Slopes& slopes, int first_row, int first_column,
                            CodeMatrix& matrix) const {
  const std::vector<Expression> explicit_slopes = dense_jacobian(rates, by);
  const int columns = static_cast<int>(by.size());
  for (std::size_t i = 0; i < rates.size(); ++i)
    for (int j = 0; j < columns; ++j)
      add_entry(
          matrix, first_row + static_cast<int>(i), first_column + j,
          unknown_of_[i] >= 0 ? slopes.at(unknown_of_[i], j) : explicit_slopes[i * columns + j]);
}

// -------------------------------------------------------------------------------------- functions

CodeFunction ImplicitUnit::derivative() const {
  return {"derivative",
          "xdot = f(t, x, p) from A(t, x, p) xdot = b(t, x, p)",
          {column("xdot", form_.rates)},
          std::nullopt,
          {base_}};
}

CodeFunction ImplicitUnit::slopes_by(const std::vector<Expression>& by, const std::string& name,
                                     const std::string& comment, const std::string& output) {
  const int columns = static_cast<int>(by.size());
  const Slopes slopes =
      solve_for(dense_jacobian(residuals(form_.b, form_.unknowns), by), columns, "d" + output);
  CodeMatrix matrix = empty_sparse(output, form_.rates.size(), by.size());
  add_rows(form_.rates, by, slopes, 0, 0, matrix);
  return {name, comment, {std::move(matrix)}, std::nullopt, {base_, slopes.solve}};
}

CodeFunction ImplicitUnit::jacobian() {
  return slopes_by(x_, "jacobian", "derivatives of xdot by x", "J");
}

CodeFunction ImplicitUnit::parameter_jacobian(const std::vector<Expression>& p) {
  return slopes_by(p, "parameter_jacobian", "derivatives of xdot by p", "Jp");
}

CodeFunction ImplicitUnit::variational(const std::vector<Expression>& dx) {
  const Slopes change =
      solve_for(total_time_derivative(graph_, residuals(form_.b, form_.unknowns), x_, dx), 1, "du");
  const std::vector<Expression> formulas = total_time_derivative(graph_, form_.rates, x_, dx);
  return {"variational",
          "dxdot = (d xdot / d x) dx",
          {column("dxdot", mixed(formulas, change.entries))},
          std::nullopt,
          {base_, change.solve}};
}

CodeFunction ImplicitUnit::variational_jacobian(const std::vector<Expression>& dx) {
  const int n = form_.size, columns = static_cast<int>(x_.size());
  const std::vector<Expression> held = residuals(form_.b, form_.unknowns);
  const Slopes slopes = solve_for(dense_jacobian(held, x_), columns, "du_dx");
  const std::vector<Expression> s = total_time_derivative(graph_, held, x_, dx);
  const Slopes change = solve_for(s, 1, "du");
  std::vector<Expression> rhs = dense_jacobian(residuals(s, change.entries), x_);
  const std::vector<Expression> by_rates = dense_jacobian(s, form_.unknowns);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < columns; ++j)
      for (int k = 0; k < n; ++k)
        rhs[static_cast<std::size_t>(i) * columns + j] +=
            by_rates[static_cast<std::size_t>(i) * n + k] * slopes.at(k, j);
  const Slopes second = solve_for(std::move(rhs), columns, "ddu_dx");
  const std::vector<Expression> formulas = total_time_derivative(graph_, form_.rates, x_, dx);
  CodeMatrix J = empty_sparse("J", 2 * x_.size(), 2 * x_.size());
  add_rows(form_.rates, x_, slopes, 0, 0, J);
  add_rows(formulas, x_, second, columns, 0, J);
  add_rows(formulas, dx, slopes, columns, columns, J);
  return {"variational_jacobian",
          "derivatives of (xdot, dxdot) by (x, dx)",
          {std::move(J)},
          std::nullopt,
          {base_, slopes.solve, change.solve, second.solve}};
}

}  // namespace cartan::codegen
