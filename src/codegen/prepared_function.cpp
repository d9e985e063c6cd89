// Linear systems. The matrix falls into blocks without entries between them; each block is solved
//   - by a division, as long as there are equations with one unknown,
//   - symbolically, L D L^T x = b, when it is symmetric positive definite and small, or has so many
//     zeros that half the work of a full matrix is saved: then only entries that are not zero, or
//     become so on the way, appear in the code. The unknown with the fewest neighbours is
//     eliminated first (minimum degree);
//   - by a loop in the code otherwise.
#include "codegen/prepared_function.h"

#include <algorithm>
#include <numeric>

namespace cartan {
namespace {

constexpr int largest_unrolled = 12;
constexpr double most_unrolled_operations = 20000;

bool is_zero(const Expression& x) {
  return x.is_number() && x.number() == 0;
}

class LinearSystem {
 public:
  LinearSystem(ExpressionGraph& graph, const LinearSolve& solve, PreparedFunction& function)
      : graph_(graph),
        n_(solve.size),
        columns_(solve.columns()),
        symmetric_(solve.symmetric),
        matrix_(solve.matrix),
        rhs_(solve.rhs),
        function_(function),
        row_done_(n_, false),
        column_done_(n_, false) {
    StoredArray result;
    result.name = solve.result;
    result.rows = n_;
    result.columns = columns_;
    result.nodes.assign(static_cast<std::size_t>(n_) * columns_, -1);
    result_ = static_cast<int>(function_.arrays.size());
    function_.arrays.push_back(result);
  }

  void solve() {
    if (!symmetric_) solve_single_unknowns();
    for (const auto& [rows, columns] : blocks()) {
      if (symmetric_ && is_unrolled(rows))
        solve_symbolically(rows);
      else
        solve_by_loop(rows, columns);
    }
  }

 private:
  Expression& at(int i, int j) { return matrix_[static_cast<std::size_t>(i) * n_ + j]; }
  Expression& right(int i, int c) { return rhs_[static_cast<std::size_t>(i) * columns_ + c]; }
  void set_result(int unknown, int c, const Expression& value) {
    function_.arrays[result_].nodes[static_cast<std::size_t>(unknown) * columns_ + c] =
        value.node_in(graph_);
  }

  // a x = b, and x goes to the right side of the other equations.
  void solve_single_unknowns() {
    for (bool found = true; found;) {
      found = false;
      for (int i = 0; i < n_; ++i) {
        if (row_done_[i]) continue;
        int unknown = -1, count = 0;
        for (int j = 0; j < n_; ++j)
          if (!column_done_[j] && !is_zero(at(i, j))) unknown = j, ++count;
        if (count != 1) continue;
        found = row_done_[i] = column_done_[unknown] = true;
        for (int c = 0; c < columns_; ++c) {
          const Expression x = right(i, c) / at(i, unknown);
          set_result(unknown, c, x);
          for (int k = 0; k < n_; ++k)
            if (!row_done_[k]) right(k, c) -= at(k, unknown) * x;
        }
      }
    }
  }

  using Block = std::pair<std::vector<int>, std::vector<int>>;  // rows, columns
  std::vector<Block> blocks() {
    std::vector<int> root(2 * n_);
    std::iota(root.begin(), root.end(), 0);
    auto find = [&](int i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    for (int i = 0; i < n_; ++i) {
      if (symmetric_) root[find(n_ + i)] = find(i);
      for (int j = 0; j < n_; ++j)
        if (!row_done_[i] && !column_done_[j] && !is_zero(at(i, j))) root[find(n_ + j)] = find(i);
    }
    std::vector<Block> found(2 * n_);
    for (int i = 0; i < n_; ++i) {
      if (!row_done_[i]) found[find(i)].first.push_back(i);
      if (!column_done_[i]) found[find(n_ + i)].second.push_back(i);
    }
    std::vector<Block> result;
    Block singular;  // a block that is not square: the matrix has no inverse, whatever the numbers
    for (Block& block : found) {
      if (block.first.empty() && block.second.empty()) continue;
      if (block.first.size() == block.second.size()) {
        result.push_back(std::move(block));
        continue;
      }
      singular.first.insert(singular.first.end(), block.first.begin(), block.first.end());
      singular.second.insert(singular.second.end(), block.second.begin(), block.second.end());
    }
    if (!singular.first.empty()) result.push_back(singular);
    return result;
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
        set_result(order[k], c, x[k]);
      }
    }
  }

  void solve_by_loop(const std::vector<int>& rows, const std::vector<int>& columns) {
    const int m = static_cast<int>(rows.size()), number = static_cast<int>(function_.blocks.size());
    StoredArray matrix, rhs;
    matrix.is_output = rhs.is_output = false;
    matrix.name = "matrix" + std::to_string(number + 1);
    rhs.name = "right" + std::to_string(number + 1);
    matrix.rows = matrix.columns = rhs.rows = m;
    rhs.columns = columns_;
    DenseBlock block{m, columns_, symmetric_, 0, 0, result_, {}};
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < m; ++j) {
        const bool is_mirrored = symmetric_ && j > i;  // only one triangle is read
        matrix.nodes.push_back(is_mirrored ? -1 : at(rows[i], columns[j]).node_in(graph_));
      }
      for (int c = 0; c < columns_; ++c) {
        rhs.nodes.push_back(right(rows[i], c).node_in(graph_));
        block.result_entries.push_back(columns[i] * columns_ + c);
      }
    }
    block.matrix = static_cast<int>(function_.arrays.size());
    block.rhs = block.matrix + 1;
    function_.arrays.push_back(std::move(matrix));
    function_.arrays.push_back(std::move(rhs));
    function_.blocks.push_back(std::move(block));
  }

  ExpressionGraph& graph_;
  int n_, columns_;
  bool symmetric_;
  std::vector<Expression> matrix_, rhs_;
  PreparedFunction& function_;
  std::vector<char> row_done_, column_done_;
  int result_ = 0;
};

}  // namespace

PreparedFunction prepare(ExpressionGraph& graph, const CodeFunction& function) {
  PreparedFunction result;
  result.name = function.name;
  result.comment = function.comment;
  for (const CodeMatrix& output : function.outputs) {
    StoredArray array;
    array.name = output.name;
    array.rows = output.rows;
    array.columns = output.columns;
    array.row = output.row;
    array.column = output.column;
    for (const Expression& entry : output.entries) array.nodes.push_back(entry.node_in(graph));
    result.arrays.push_back(std::move(array));
  }
  result.outputs = static_cast<int>(result.arrays.size());
  if (function.solve && function.solve->size > 0) {
    LinearSystem(graph, *function.solve, result).solve();
    ++result.outputs;
  }
  return result;
}

}  // namespace cartan
