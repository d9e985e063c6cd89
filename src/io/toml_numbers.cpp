#include "io/toml_numbers.h"

#include <cmath>

#include "expr/compile.h"
#include "expr/program.h"

namespace cartan::io {
namespace {
constexpr int deepest_parameter = 100;
}

bool EarlyNumbers::knows(const std::string& name) const {
  if (given_.count(name)) return true;
  if (parameters_)
    for (const TomlEntry& entry : parameters_->entries)
      if (entry.key == name) return true;
  return false;
}

std::optional<double> EarlyNumbers::parameter(const std::string& name, std::string& problem,
                                              int depth) const {
  if (const auto found = given_.find(name); found != given_.end()) return found->second;
  if (parameters_)
    for (const TomlEntry& entry : parameters_->entries) {
      if (entry.key != name) continue;
      if (entry.value.is(TomlNode::Kind::number)) return entry.value.number;
      if (entry.value.is(TomlNode::Kind::text))
        return evaluate(entry.value.text, problem, {}, depth + 1);
    }
  problem = "unknown name '" + name + "'; expected parameters";
  return std::nullopt;
}

std::optional<double> EarlyNumbers::evaluate(const std::string& expression, std::string& problem,
                                             const std::map<std::string, double>& extra,
                                             int depth) const {
  if (depth > deepest_parameter) {
    problem = "parameters refer to each other in a circle";
    return std::nullopt;
  }
  ExpressionError error;
  const Syntax tree = parse_expression(expression, error);
  if (!tree) {
    problem = error.message;
    return std::nullopt;
  }
  const Resolver resolve = [&](const std::string& name, int index) {
    Meaning meaning;
    if (const auto found = extra.find(name); found != extra.end() && index < 0)
      meaning.number = found->second;
    else if (index < 0)
      meaning.number = parameter(name, meaning.problem, depth);
    if (!meaning.number && meaning.problem.empty())
      meaning.problem = "unknown name '" + name + "'; expected parameters";
    return meaning;
  };
  const TableReader tables = [](const TableText&, std::string& why) {
    why = "a table cannot stand here";
    return nullptr;
  };
  std::vector<CompileError> errors;
  const Program program = compile(std::span(&tree, 1), resolve, tables, errors);
  if (!errors.empty()) {
    problem = errors[0].message;
    return std::nullopt;
  }
  std::vector<double> scratch(program.scratch_size());
  double result = 0;
  expr::evaluate<double>(program, {}, scratch, std::span(&result, 1));
  return result;
}

std::optional<double> EarlyNumbers::value(const std::string& expression, std::string& problem,
                                          const std::map<std::string, double>& extra) const {
  return evaluate(expression, problem, extra, 0);
}

std::optional<double> EarlyNumbers::value(const TomlNode& node, std::string& problem) const {
  if (node.is(TomlNode::Kind::number)) return node.number;
  if (node.is(TomlNode::Kind::text)) return evaluate(node.text, problem, {}, 0);
  problem = "expected a number or an expression in quotes, got " + describe(node);
  return std::nullopt;
}

}  // namespace cartan::io
