#include "codegen/check_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dense.h"

namespace cartan::codegen {
namespace {

constexpr int most_values = 500;  // of an output

Eigen::MatrixXd samples_of(const ExpressionGraph& graph, const StoredArray& array) {
  Eigen::MatrixXd result(array.rows, array.columns);
  for (int i = 0; i < array.rows; ++i)
    for (int j = 0; j < array.columns; ++j) {
      const int node = array.nodes[i * array.columns + j];
      result(i, j) = node >= 0 ? graph.sample(node) : 0;
    }
  return result;
}

// The entries that blocks set, solved here with another method than the code's.
void fill_solutions(const ExpressionGraph& graph, const PreparedFunction& function, int array,
                    std::vector<double>& values) {
  for (const DenseBlock& block : function.blocks) {
    if (block.result != array) continue;
    Eigen::MatrixXd matrix = samples_of(graph, function.arrays[block.matrix]);
    if (block.symmetric) matrix.triangularView<Eigen::Upper>() = matrix.transpose();
    const Eigen::MatrixXd rhs = samples_of(graph, function.arrays[block.rhs]);
    const Eigen::MatrixXd x = Eigen::PartialPivLU<Eigen::MatrixXd>(matrix).solve(rhs);
    for (int i = 0; i < block.size; ++i)
      for (int c = 0; c < block.columns; ++c)
        values[block.result_entries[i * block.columns + c]] = x(i, c);
  }
}

// Of a sum that cancels, rounding errors are those of its terms.
double size_of(const ExpressionGraph& graph, int node) {
  double size = std::fabs(graph.sample(node));
  const Instruction& x = graph.node(graph.term(node).base);
  if (x.op == Op::add)
    size = std::max({size, std::fabs(graph.sample(x.a)), std::fabs(graph.sample(x.b))});
  return size;
}

}  // namespace

std::vector<OutputCheck> check_values(const ExpressionGraph& graph,
                                      const PreparedFunction& function) {
  std::vector<OutputCheck> result;
  for (int k = 0; k < function.outputs; ++k) {
    const StoredArray& array = function.arrays[k];
    OutputCheck check;
    double scale = 0;
    std::vector<double> values(array.nodes.size(), 0);
    fill_solutions(graph, function, k, values);
    for (int i = 0; i < array.size(); ++i) {
      const int node = array.nodes[i];
      if (node >= 0) values[i] = graph.sample(node);
      const double size = node >= 0 ? size_of(graph, node) : std::fabs(values[i]);
      if (std::isfinite(size)) scale = std::max(scale, size);
      if (!std::isfinite(values[i])) values[i] = std::numeric_limits<double>::quiet_NaN();
    }
    if (scale > 0) check.scale = scale;
    check.stride = std::max(1, (array.size() + most_values - 1) / most_values);
    for (int i = 0; i < array.size(); i += check.stride) check.expected.push_back(values[i]);
    result.push_back(std::move(check));
  }
  return result;
}

}  // namespace cartan::codegen
