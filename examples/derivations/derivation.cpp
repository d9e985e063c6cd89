#include "derivations/derivation.h"

#include "symbolic/flatten.h"
#include "symbolic/vectors/velocity_transformation.h"

namespace cartan::derivations {

std::vector<double> evaluate(const Derivation& derivation,
                             const std::vector<Expression>& expressions, const Values& at) {
  const ExpressionGraph& graph = derivation.graph;
  std::vector<Expression> inputs;
  std::vector<double> values;
  for (int i = 0; i < graph.symbol_count(); ++i) {
    const int node = graph.symbol_node(i);
    inputs.push_back({const_cast<ExpressionGraph&>(graph), node});
    const auto given = at.find(graph.symbol_name(i));
    values.push_back(given == at.end() ? graph.sample(node) : given->second);
  }
  const Program program = flatten(graph, expressions, inputs);
  std::vector<double> scratch(program.scratch_size()), result(expressions.size());
  expr::evaluate<double>(program, values, scratch, result);
  return result;
}

std::vector<double> accelerations(const Derivation& derivation, const Values& at) {
  const MotionEquations& equations = derivation.equations;
  const std::vector<double> M = evaluate(derivation, equations.M, at);
  return solve(factorise_mass_matrix(M, equations.size()), evaluate(derivation, equations.f, at));
}

Values with_accelerations(const Derivation& derivation, Values at) {
  const std::vector<double> found = accelerations(derivation, at);
  for (int k = 0; k < derivation.equations.size(); ++k) {
    const int node = derivation.equations.speeds[k].node();
    at[derivation.graph.symbol_name(derivation.graph.node(node).a) + "'"] = found[k];
  }
  return at;
}

}  // namespace cartan::derivations
