#include "codegen/prepared_function.h"

#include "codegen/linear_system.h"
#include "symbolic/substitute.h"

namespace cartan::codegen {
namespace {

// What the systems solved so far have found, put in for their unknowns.
class Found {
 public:
  explicit Found(ExpressionGraph& graph) : graph_(graph) {}

  void add(const std::vector<Expression>& unknowns, const std::vector<Expression>& values) {
    unknowns_.insert(unknowns_.end(), unknowns.begin(), unknowns.end());
    values_.insert(values_.end(), values.begin(), values.end());
  }
  std::vector<Expression> put_into(const std::vector<Expression>& list) const {
    return unknowns_.empty() ? list : substitute(graph_, list, unknowns_, values_);
  }
  LinearSolve put_into(LinearSolve solve) const {
    solve.matrix = put_into(solve.matrix);
    solve.rhs = put_into(solve.rhs);
    return solve;
  }

 private:
  ExpressionGraph& graph_;
  std::vector<Expression> unknowns_, values_;
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
    result.arrays.push_back(std::move(array));
  }
  const bool has_solve = function.solve && function.solve->size > 0;
  if (has_solve) {
    StoredArray array;
    array.name = function.solve->result;
    array.rows = function.solve->size;
    array.columns = function.solve->columns();
    array.nodes.assign(static_cast<std::size_t>(array.rows) * array.columns, -1);
    result.arrays.push_back(std::move(array));
  }
  result.outputs = static_cast<int>(result.arrays.size());
  Found found(graph);
  for (const LinearSolve& solve : function.inner)
    found.add(solve.unknowns, solve_system(graph, found.put_into(solve), -1, result));
  if (has_solve) solve_system(graph, found.put_into(*function.solve), result.outputs - 1, result);
  for (std::size_t k = 0; k < function.outputs.size(); ++k)
    for (const Expression& entry : found.put_into(function.outputs[k].entries))
      result.arrays[k].nodes.push_back(entry.node_in(graph));
  return result;
}

}  // namespace cartan::codegen
