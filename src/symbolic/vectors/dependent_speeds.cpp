#include "symbolic/vectors/dependent_speeds.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include <fmt/format.h>

#include "symbolic/simplify/is_zero.h"
#include "symbolic/substitute.h"

namespace cartan::symbolic {
namespace {

std::string names_of(const ExpressionGraph& graph, const std::vector<Expression>& symbols) {
  std::string text;
  for (const Expression& x : symbols)
    text += (text.empty() ? "" : ", ") + graph.symbol_name(graph.node(x.node()).a);
  return text;
}

bool contains(const std::vector<Expression>& list, const Expression& x) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Expression& y) { return identical(x, y); });
}

// Largest entry of column k from row k on, relative to its row; -1: all zero.
int find_pivot(const std::vector<Expression>& A, int size, int k) {
  int best = -1;
  double largest = 0;
  for (int i = k; i < size; ++i) {
    double scale = 0;
    for (int j = k; j < size; ++j) scale = std::max(scale, std::fabs(A[i * size + j].sample()));
    const double value = std::fabs(A[i * size + k].sample());
    if (is_zero(A[i * size + k]) || !(value > 1e-12 * scale)) continue;
    if (value / scale > largest) largest = value / scale, best = i;
  }
  return best;
}

}  // namespace

std::vector<Expression> solve_linear(std::vector<Expression> A, std::vector<Expression> B, int size,
                                     int columns) {
  auto swap_rows = [&](int i, int k) {
    for (int j = 0; j < size; ++j) std::swap(A[i * size + j], A[k * size + j]);
    for (int j = 0; j < columns; ++j) std::swap(B[i * columns + j], B[k * columns + j]);
  };
  for (int k = 0; k < size; ++k) {
    const int pivot = find_pivot(A, size, k);
    if (pivot < 0) return {};
    if (pivot != k) swap_rows(pivot, k);
    for (int i = k + 1; i < size; ++i) {
      if (is_zero(A[i * size + k])) continue;
      const Expression factor = A[i * size + k] / A[k * size + k];
      for (int j = k + 1; j < size; ++j) A[i * size + j] -= factor * A[k * size + j];
      for (int j = 0; j < columns; ++j) B[i * columns + j] -= factor * B[k * columns + j];
    }
  }
  for (int k = size - 1; k >= 0; --k)
    for (int c = 0; c < columns; ++c) {
      for (int j = k + 1; j < size; ++j) B[k * columns + c] -= A[k * size + j] * B[j * columns + c];
      B[k * columns + c] /= A[k * size + k];
    }
  return B;
}

DependentSpeeds solve_for_dependent(Kinematics& kinematics,
                                    const std::vector<Expression>& constraints,
                                    const std::vector<Expression>& speeds,
                                    const std::vector<Expression>& dependent) {
  DependentSpeeds result;
  result.dependent = dependent;
  for (const Expression& u : speeds)
    if (!contains(dependent, u)) result.independent.push_back(u);
  const ExpressionGraph& graph = kinematics.graph();
  const int m = static_cast<int>(dependent.size()), n = static_cast<int>(result.independent.size());
  if (constraints.size() != dependent.size()) {
    kinematics.problems().error(
        {}, fmt::format("{} constraint{} cannot be solved for {} speed{} ({}): name as many "
                        "dependent speeds as there are constraints",
                        constraints.size(), constraints.size() == 1 ? "" : "s", m,
                        m == 1 ? "" : "s", names_of(graph, dependent)));
    return result;
  }
  std::vector<Expression> all = dependent;
  all.insert(all.end(), result.independent.begin(), result.independent.end());
  const LinearEquations system = collect(kinematics, constraints, all);  // A u = -b
  // right sides: -A_i, -b, -(A' u + b')
  std::vector<Expression> A, B;
  for (int i = 0; i < m; ++i) {
    const Expression* row = &system.matrix[i * (m + n)];
    A.insert(A.end(), row, row + m);
    for (int k = 0; k < n; ++k) B.push_back(-row[m + k]);
    B.push_back(system.right[i]);
    Expression rate = kinematics.rate_at_constant_speeds(system.right[i]);
    for (int k = 0; k < m + n; ++k) rate -= kinematics.rate_at_constant_speeds(row[k]) * all[k];
    B.push_back(rate);
  }
  const std::vector<Expression> X = solve_linear(A, B, m, n + 2);
  if (X.empty() && m > 0) {
    kinematics.problems().error(
        {}, fmt::format("The constraints do not determine the speeds {} at the sample point "
                        "(their matrix is singular there): choose others as dependent, or give "
                        "the symbols sample values of an ordinary position",
                        names_of(graph, dependent)));
    return result;
  }
  for (int i = 0; i < m; ++i) {
    const Expression* row = &X[i * (n + 2)];
    result.W.insert(result.W.end(), row, row + n);
    result.w0.push_back(row[n]);
    result.g.push_back(row[n + 1]);
    Expression value = row[n];
    for (int k = 0; k < n; ++k) value += row[k] * result.independent[k];
    result.values.push_back(value);
  }
  return result;
}

MotionEquations reduce(ExpressionGraph& graph, const MotionEquations& free,
                       const DependentSpeeds& speeds) {
  const int n = static_cast<int>(speeds.independent.size()), all = free.size();
  if (speeds.values.size() != speeds.dependent.size()) return {};  // was refused
  // W_all and g_all in the order of the free speeds
  std::vector<Expression> W(static_cast<std::size_t>(all) * n), g(all);
  for (int i = 0; i < all; ++i) {
    for (int k = 0; k < n; ++k)
      if (identical(free.speeds[i], speeds.independent[k])) W[i * n + k] = 1;
    for (std::size_t d = 0; d < speeds.dependent.size(); ++d) {
      if (!identical(free.speeds[i], speeds.dependent[d])) continue;
      for (int k = 0; k < n; ++k) W[i * n + k] = speeds.W[d * n + k];
      g[i] = speeds.g[d];
    }
  }
  MotionEquations result;
  result.speeds = speeds.independent;
  std::vector<Expression> MW(static_cast<std::size_t>(all) * n), rest = free.f;
  for (int i = 0; i < all; ++i)
    for (int j = 0; j < all; ++j) {
      const Expression& m = free.M[i * all + j];
      rest[i] -= m * g[j];
      for (int k = 0; k < n; ++k) MW[i * n + k] += m * W[j * n + k];
    }
  result.M.resize(n * n);
  result.f.resize(n);
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < all; ++i) {
      result.f[k] += W[i * n + k] * rest[i];
      for (int l = k; l < n; ++l) result.M[k * n + l] += W[i * n + k] * MW[i * n + l];
    }
  for (int k = 0; k < n; ++k)
    for (int l = 0; l < k; ++l) result.M[k * n + l] = result.M[l * n + k];
  result.M = substitute(graph, result.M, speeds.dependent, speeds.values);
  result.f = substitute(graph, result.f, speeds.dependent, speeds.values);
  return result;
}

}  // namespace cartan::symbolic
