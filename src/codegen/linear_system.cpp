// Linear systems. A symmetric matrix falls into blocks without entries between them, any other into
// blocks that are solved in turn (core/block_triangular.h): what earlier blocks have found goes to
// the right side of later ones. Each block is solved
//   - by a division, where it is one equation with one unknown,
//   - symbolically, L D L^T x = b, when it is symmetric positive definite and small, or has so many
//     zeros that half the work of a full matrix is saved: then only entries that are not zero, or
//     become so on the way, appear in the code. The unknown with the fewest neighbours is
//     eliminated first (minimum degree);
//   - by a loop in the code otherwise.
#include "codegen/linear_system.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/block_triangular.h"
#include "core/dense.h"
#include "symbolic/simplify/is_zero.h"

namespace cartan::codegen {
namespace {

constexpr int largest_unrolled = 12;
constexpr double most_unrolled_operations = 20000;

class LinearSystem {
 public:
  LinearSystem(ExpressionGraph& graph, const LinearSolve& solve, int result,
               PreparedFunction& function)
      : graph_(graph),
        n_(solve.size),
        columns_(solve.columns()),
        symmetric_(solve.symmetric),
        matrix_(solve.matrix),
        rhs_(solve.rhs),
        function_(function),
        found_(solve.rhs.size()),
        is_named_(result < 0),
        result_(result) {}

  std::vector<Expression> solve() {
    if (symmetric_) {
      for (const std::vector<int>& rows : components()) {
        if (is_unrolled(rows))
          solve_symbolically(rows);
        else
          solve_by_loop(rows, rows, false);
      }
      return found_;
    }
    const std::vector<EquationBlock> blocks = blocks_in_turn();
    for (std::size_t k = 0; k < blocks.size(); ++k) solve_block(blocks[k], k + 1 < blocks.size());
    return found_;
  }

 private:
  Expression& at(int i, int j) { return matrix_[static_cast<std::size_t>(i) * n_ + j]; }
  Expression& right(int i, int c) { return rhs_[static_cast<std::size_t>(i) * columns_ + c]; }
  Expression& found(int i, int c) { return found_[static_cast<std::size_t>(i) * columns_ + c]; }
  void set_found(int unknown, int c, const Expression& value) {
    found(unknown, c) = value;
    if (result_ >= 0)
      function_.arrays[result_].nodes[static_cast<std::size_t>(unknown) * columns_ + c] =
          value.node_in(graph_);
  }

  // Unknowns that are linked, directly or by others.
  std::vector<std::vector<int>> components() {
    std::vector<int> root(n_);
    std::iota(root.begin(), root.end(), 0);
    auto find = [&](int i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j)
        if (!is_zero(at(i, j))) root[find(j)] = find(i);
    std::vector<std::vector<int>> found(n_), result;
    for (int i = 0; i < n_; ++i) found[find(i)].push_back(i);
    for (std::vector<int>& rows : found)
      if (!rows.empty()) result.push_back(std::move(rows));
    return result;
  }

  std::vector<EquationBlock> blocks_in_turn() {
    std::vector<int> row, column;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j)
        if (!is_zero(at(i, j))) row.push_back(i), column.push_back(j);
    BlockOrder order = order_blocks(n_, row, column);
    if (order.left_rows.empty()) return std::move(order.blocks);
    EquationBlock all;  // no inverse, whatever the numbers are
    for (int i = 0; i < n_; ++i) all.rows.push_back(i), all.columns.push_back(i);
    return {std::move(all)};
  }

  void solve_block(const EquationBlock& block, bool is_used) {
    for (const int i : block.rows)
      for (int k = 0; k < n_; ++k) {
        if (is_zero(at(i, k)) || std::binary_search(block.columns.begin(), block.columns.end(), k))
          continue;
        for (int c = 0; c < columns_; ++c)
          if (!is_zero(found(k, c))) right(i, c) -= at(i, k) * found(k, c);
      }
    if (block.rows.size() > 1) return solve_by_loop(block.rows, block.columns, is_used);
    const int i = block.rows[0], j = block.columns[0];
    for (int c = 0; c < columns_; ++c) set_found(j, c, right(i, c) / at(i, j));
  }

  // The order of elimination, and the operations it takes.
  double order_by_degree(std::vector<int>& rows) {
    const int m = static_cast<int>(rows.size());
    std::vector<std::vector<char>> linked(m, std::vector<char>(m, 0));
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) linked[i][j] = i != j && !is_zero(at(rows[i], rows[j]));
    std::vector<char> gone(m, 0);
    std::vector<int> order;
    double operations = 0;
    for (int step = 0; step < m; ++step) {
      int best = -1, least = m + 1;
      for (int i = 0; i < m; ++i) {
        if (gone[i]) continue;
        const int degree = static_cast<int>(std::count(linked[i].begin(), linked[i].end(), 1));
        if (degree < least) best = i, least = degree;
      }
      gone[best] = 1;
      order.push_back(rows[best]);
      operations += 1.0 * least * (least + 1) + 4.0 * least * columns_ + 2;
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < m; ++j)
          if (i != j && linked[best][i] && linked[best][j]) linked[i][j] = 1;
      for (int i = 0; i < m; ++i) linked[i][best] = linked[best][i] = 0;
    }
    rows = order;
    return operations;
  }

  bool is_unrolled(const std::vector<int>& rows) {
    if (static_cast<int>(rows.size()) <= largest_unrolled) return true;
    std::vector<int> order = rows;
    const double operations = order_by_degree(order);
    const double m = static_cast<double>(rows.size()), full = m * m * m / 3;
    return operations < most_unrolled_operations && operations < full / 2;
  }

  void solve_symbolically(std::vector<int> order) {
    order_by_degree(order);
    const int m = static_cast<int>(order.size());
    std::vector<std::vector<Expression>> a(m, std::vector<Expression>(m));
    for (int i = 0; i < m; ++i)
      for (int j = 0; j <= i; ++j)  // the triangle given below the diagonal
        a[i][j] = order[i] > order[j] ? at(order[i], order[j]) : at(order[j], order[i]);
    std::vector<Expression> inverse(m);
    for (int k = 0; k < m; ++k) {
      inverse[k] = Expression(1) / a[k][k];
      for (int i = k + 1; i < m; ++i) {
        if (is_zero(a[i][k])) continue;
        const Expression below = a[i][k] * inverse[k];
        a[k][i] = a[i][k];  // D L^T, above the diagonal
        for (int j = k + 1; j <= i; ++j)
          if (!is_zero(a[k][j])) a[i][j] -= below * a[k][j];
        a[i][k] = below;  // L
      }
    }
    for (int c = 0; c < columns_; ++c) {
      std::vector<Expression> x(m);
      for (int k = 0; k < m; ++k) {
        x[k] = right(order[k], c);
        for (int i = 0; i < k; ++i)
          if (!is_zero(a[k][i])) x[k] -= a[k][i] * x[i];
      }
      for (int k = m - 1; k >= 0; --k) {
        x[k] *= inverse[k];
        for (int i = k + 1; i < m; ++i)
          if (!is_zero(a[i][k])) x[k] -= a[i][k] * x[i];
        set_found(order[k], c, x[k]);
      }
    }
  }

  // Right sides that are zero have the solution zero.
  std::vector<int> columns_to_solve(const std::vector<int>& rows) {
    std::vector<int> active;
    for (int c = 0; c < columns_; ++c)
      if (symmetric_ ||
          std::any_of(rows.begin(), rows.end(), [&](int i) { return !is_zero(right(i, c)); }))
        active.push_back(c);
    return active;
  }

  void solve_by_loop(const std::vector<int>& rows, const std::vector<int>& columns, bool is_used) {
    const int m = static_cast<int>(rows.size()), number = static_cast<int>(function_.blocks.size());
    const std::vector<int> active = columns_to_solve(rows);
    for (const int j : columns)
      for (int c = 0; c < columns_; ++c)
        if (!std::binary_search(active.begin(), active.end(), c)) set_found(j, c, Expression(0));
    if (active.empty()) return;
    StoredArray matrix, rhs;
    matrix.is_output = rhs.is_output = false;
    matrix.name = "matrix" + std::to_string(number + 1);
    rhs.name = "right" + std::to_string(number + 1);
    matrix.rows = matrix.columns = rhs.rows = m;
    rhs.columns = static_cast<int>(active.size());
    DenseBlock block{m, rhs.columns, symmetric_, 0, 0, result_, {}};
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) {
        const bool is_mirrored = symmetric_ && j > i;  // only one triangle is read
        matrix.nodes.push_back(is_mirrored ? -1 : at(rows[i], columns[j]).node_in(graph_));
      }
      for (const int c : active) {
        rhs.nodes.push_back(right(rows[i], c).node_in(graph_));
        if (result_ >= 0) block.result_entries.push_back(columns[i] * columns_ + c);
      }
    }
    block.matrix = static_cast<int>(function_.arrays.size());
    block.rhs = block.matrix + 1;
    if (is_used || is_named_) name_solutions(rows, columns, active, block.rhs);
    function_.arrays.push_back(std::move(matrix));
    function_.arrays.push_back(std::move(rhs));
    function_.blocks.push_back(std::move(block));
  }

  // Symbols for what a loop will find; their samples are the solution at the sample point.
  void name_solutions(const std::vector<int>& rows, const std::vector<int>& columns,
                      const std::vector<int>& active, int array) {
    const int m = static_cast<int>(rows.size()), count = static_cast<int>(active.size());
    Eigen::MatrixXd a(m, m), b(m, count);
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j)
        a(i, j) = symmetric_ && j > i ? at(rows[j], columns[i]).sample()
                                      : at(rows[i], columns[j]).sample();
      for (int c = 0; c < count; ++c) b(i, c) = right(rows[i], active[c]).sample();
    }
    const bool known = a.allFinite() && b.allFinite();
    const Eigen::MatrixXd x =
        known ? Eigen::MatrixXd(Eigen::PartialPivLU<Eigen::MatrixXd>(a).solve(b))
              : Eigen::MatrixXd::Constant(m, count, std::nan(""));
    for (int i = 0; i < m; ++i)
      for (int c = 0; c < count; ++c) {
        const int number = graph_.symbol_count();
        found(columns[i], active[c]) = graph_.symbol("solution " + std::to_string(number), x(i, c));
        function_.solutions[number] = {array, i * count + c};
      }
  }

  ExpressionGraph& graph_;
  int n_, columns_;
  bool symmetric_;
  std::vector<Expression> matrix_, rhs_;
  PreparedFunction& function_;
  std::vector<Expression> found_;
  bool is_named_;  // others ask for the solution by its entries
  int result_;     // array it goes to, or -1
};

}  // namespace

std::vector<Expression> solve_system(ExpressionGraph& graph, const LinearSolve& solve, int result,
                                     PreparedFunction& function) {
  return LinearSystem(graph, solve, result, function).solve();
}

}  // namespace cartan::codegen
