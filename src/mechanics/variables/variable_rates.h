// Formulas and rates of a [variables] file over one scalar.
//
// Rates that are not written down follow from A(t, x) x' = b(t, x), block by block in the order the
// check has found (core/block_triangular.h): in each block what is known goes to the right side,
// and L U with partial pivoting gives the rest. Over Dual the same steps carry the derivatives.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "model/model.h"

namespace cartan::mechanics {

// Where the entries of A that belong to the equations of a block go.
struct BlockEntry {
  int entry = 0;            // of the form
  int row = 0, column = 0;  // in the block; column -1: its rate is known
  int variable = 0;         // whose rate it stands before
};

// For each block, in the order of solution.
inline std::vector<std::vector<BlockEntry>> plan_blocks(const ImplicitRates& implicit) {
  struct Place {
    int block = -1, at = -1;
  };
  std::vector<Place> rows(implicit.size()), columns(implicit.size());
  for (std::size_t b = 0; b < implicit.blocks.size(); ++b)
    for (std::size_t i = 0; i < implicit.blocks[b].rows.size(); ++i) {
      const Place place{static_cast<int>(b), static_cast<int>(i)};
      rows[implicit.blocks[b].rows[i]] = columns[implicit.blocks[b].columns[i]] = place;
    }
  std::vector<std::vector<BlockEntry>> plan(implicit.blocks.size());
  for (std::size_t k = 0; k < implicit.row.size(); ++k) {
    const Place row = rows[implicit.row[k]];
    const auto unknown =
        std::lower_bound(implicit.unknowns.begin(), implicit.unknowns.end(), implicit.column[k]);
    BlockEntry entry{static_cast<int>(k), row.at, -1, implicit.column[k]};
    if (unknown != implicit.unknowns.end() && *unknown == implicit.column[k]) {
      const Place column = columns[unknown - implicit.unknowns.begin()];
      if (column.block == row.block) entry.column = column.at;
    }
    plan[row.block].push_back(entry);
  }
  return plan;
}

// Room for implicit rates.
template <class S>
struct ImplicitScratch {
  std::vector<S> form, matrix, right;
  std::vector<std::vector<BlockEntry>> plan;

  void make_room(const Model& model) {
    if (!model.implicit) return;
    plan = plan_blocks(*model.implicit);
    std::size_t largest = 0;
    for (const EquationBlock& block : model.implicit->blocks)
      largest = std::max(largest, block.rows.size());
    form.resize(model.implicit->form.program.outputs.size());
    matrix.resize(largest * largest);
    right.resize(largest);
  }
};

// Room for evaluating the model's programs over one scalar.
template <class S>
struct ProgramScratch {
  std::vector<S> inputs, work, x, xdot;
  ImplicitScratch<S> implicit;
  std::vector<int> branches;  // of switches

  explicit ProgramScratch(const Model& model) {
    for (const Variable& v : model.variables) make_room(v.rate.program);
    for (const Event& e : model.events) make_room(e.when.program);
    for (const Output& o : model.outputs) make_room(o.value.program);
    x.resize(model.variables.size());
    xdot.resize(model.variables.size());
    if (model.implicit) make_room(model.implicit->form.program);
    implicit.make_room(model);
  }

  // Also for expressions that are not the model's own.
  void make_room(const Program& program) {
    if (inputs.size() < program.inputs.size()) inputs.resize(program.inputs.size());
    if (work.size() < program.scratch_size()) work.resize(program.scratch_size());
  }
};

// outputs: as many as the formula has.
template <class S, class P>
void evaluate_formula(const Formula& formula, const S& t, std::span<const S> x,
                      const std::vector<P>& parameters, ProgramScratch<S>& s, S* outputs) {
  const Program& program = formula.program;
  s.make_room(program);
  for (std::size_t k = 0; k < program.inputs.size(); ++k) {
    const Symbol& symbol = program.inputs[k];
    s.inputs[k] = symbol.quantity == Quantity::time        ? t
                  : symbol.quantity == Quantity::parameter ? S(parameters[symbol.index])
                  : symbol.quantity == Quantity::branch
                      ? S(static_cast<double>(s.branches[symbol.index]))
                      : x[symbol.index];
  }
  evaluate<S>(program, std::span<const S>(s.inputs.data(), program.inputs.size()), s.work,
              std::span<S>(outputs, program.outputs.size()));
}

// matrix x = right, n equations, row by row; x replaces right. False where the matrix is singular
// to rounding.
template <class S>
bool solve_block(int n, S* matrix, S* right) {
  constexpr double smallest = 1e-15;  // pivot relative to the largest entry of its column
  const auto size = [](const S& x) { return std::fabs(value_of(x)); };
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    double largest = 0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, size(matrix[i * n + k]));
    for (int i = k + 1; i < n; ++i)
      if (size(matrix[i * n + k]) > size(matrix[pivot * n + k])) pivot = i;
    if (!(size(matrix[pivot * n + k]) > smallest * largest)) return false;
    if (pivot != k) {
      for (int j = k; j < n; ++j) std::swap(matrix[k * n + j], matrix[pivot * n + j]);
      std::swap(right[k], right[pivot]);
    }
    const S inverse = S(1) / matrix[k * n + k];
    for (int i = k + 1; i < n; ++i) {
      const S factor = matrix[i * n + k] * inverse;
      for (int j = k + 1; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
      right[i] -= factor * right[k];
    }
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) right[k] -= matrix[k * n + j] * right[j];
    right[k] /= matrix[k * n + k];
  }
  return true;
}

// Matrix and right side of a block, from the values of the form and the rates known so far.
template <class S>
void fill_block(const ImplicitRates& implicit, const EquationBlock& block,
                const std::vector<BlockEntry>& entries, const S* form, const S* xdot, S* matrix,
                S* right) {
  const int n = static_cast<int>(block.rows.size());
  std::fill_n(matrix, n * n, S(0));
  for (int i = 0; i < n; ++i) right[i] = form[implicit.row.size() + block.rows[i]];
  for (const BlockEntry& e : entries) {
    if (e.column >= 0)
      matrix[e.row * n + e.column] = form[e.entry];
    else
      right[e.row] -= form[e.entry] * xdot[e.variable];
  }
}

// The rates that A x' = b leaves open, from the values of the form; NaN where it is singular.
template <class S>
void solve_implicit_rates(const ImplicitRates& implicit, ImplicitScratch<S>& s, S* xdot) {
  bool solved = true;
  for (std::size_t b = 0; b < implicit.blocks.size(); ++b) {
    const EquationBlock& block = implicit.blocks[b];
    const int n = static_cast<int>(block.rows.size());
    if (solved) {
      fill_block(implicit, block, s.plan[b], s.form.data(), xdot, s.matrix.data(), s.right.data());
      solved = solve_block(n, s.matrix.data(), s.right.data());
    }
    for (int i = 0; i < n; ++i)
      xdot[implicit.unknowns[block.columns[i]]] =
          solved ? s.right[i] : S(std::numeric_limits<double>::quiet_NaN());
  }
}

// All rates.
template <class S, class P>
void evaluate_rates(const Model& model, const S& t, std::span<const S> x,
                    const std::vector<P>& parameters, ProgramScratch<S>& s, S* xdot) {
  for (std::size_t i = 0; i < model.variables.size(); ++i)
    if (model.variables[i].rate.given())
      evaluate_formula<S>(model.variables[i].rate, t, x, parameters, s, &xdot[i]);
  if (!model.implicit) return;
  evaluate_formula<S>(model.implicit->form, t, x, parameters, s, s.implicit.form.data());
  solve_implicit_rates(*model.implicit, s.implicit, xdot);
}

}  // namespace cartan::mechanics
