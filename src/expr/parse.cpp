#include "expr/parse.h"

#include <algorithm>
#include <unordered_set>

#include "expr/functions.h"
#include "expr/parser.h"
#include "expr/syntax_tree.h"

namespace cartan::expr {

Syntax parse_expression(std::string_view text, ExpressionError& error,
                        const UserFunctions* functions) {
  try {
    return std::make_shared<const SyntaxTree>(Parser(text, functions).parse());
  } catch (const Parser::Failure& failure) {
    error = failure.error;
    return nullptr;
  }
}

Syntax parse_equation(std::string_view text, ExpressionError& error,
                      const UserFunctions* functions) {
  try {
    return std::make_shared<const SyntaxTree>(Parser(text, functions).parse_equation());
  } catch (const Parser::Failure& failure) {
    error = failure.error;
    return nullptr;
  }
}

static std::vector<std::string> texts_of(const Syntax& tree, NodeKind kind) {
  std::vector<std::string> names;
  if (!tree) return names;
  std::unordered_set<std::string_view> seen;
  for (const SyntaxNode& node : tree->nodes) {
    if (node.kind != kind) continue;
    const std::string& name = tree->texts[node.text];
    if (seen.insert(name).second) names.push_back(name);
  }
  return names;
}

std::vector<std::string> names_in(const Syntax& tree) {
  return texts_of(tree, NodeKind::name);
}

std::vector<std::string> calls_in(const Syntax& tree) {
  return texts_of(tree, NodeKind::call);
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FunctionRow& row : all_functions()) names.emplace_back(row.name);
  names.insert(std::lower_bound(names.begin(), names.end(), "table"), "table");
  return names;
}

}  // namespace cartan::expr
