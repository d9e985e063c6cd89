#include "model/formulas.h"

#include <charconv>
#include <cmath>

namespace cartan::model {

std::string text_of(double number) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, number).ptr};
}

std::string text_of(const Value& value) {
  return value.is_expression() ? value.text : text_of(value.number);
}

Location place_in(const Value& value, int offset) {
  if (value.text_where.line == 0) return value.where;
  Location place = value.text_where;
  for (int i = 0; i < offset && i < static_cast<int>(value.text.size()); ++i)
    if ((static_cast<unsigned char>(value.text[i]) & 0xC0) != 0x80) ++place.column;  // code points
  return place;
}

Formula constant_formula(std::initializer_list<double> values) {
  Formula formula;
  formula.program = constant_program({values.begin(), values.size()});
  for (double x : values) formula.texts.push_back(text_of(x));
  return formula;
}

Syntax FormulaCompiler::parse(const Value& value) {
  return parsed(value, false);
}
Syntax FormulaCompiler::parse_equation(const Value& value) {
  return parsed(value, true);
}

Syntax FormulaCompiler::parsed(const Value& value, bool equation) {
  if (value.reported) return nullptr;
  if (!value.is_expression() && !std::isfinite(value.number)) {
    problems_.error(value.where, "expected a finite number, got " + text_of(value.number));
    return nullptr;
  }
  ExpressionError error;
  Syntax tree = equation ? expr::parse_equation(text_of(value), error, &names_.functions())
                         : parse_expression(text_of(value), error, &names_.functions());
  if (!tree)
    problems_.error(place_in(value, error.offset), "in '" + value.text + "': " + error.message);
  return tree;
}

Program FormulaCompiler::compile_trees(const std::vector<Syntax>& trees, const Resolver& resolve,
                                       const Values& values, Scope scope, bool& failed) {
  std::vector<CompileError> errors;
  // A motion is differentiated twice, so a table in it is smooth unless it says otherwise.
  const bool smooth = scope == Scope::drive || scope == Scope::coordinates;
  const Interpolation usual = smooth ? Interpolation::spline : Interpolation::pchip;
  const TableReader tables = [&](const TableText& text, std::string& problem) {
    return tables_.find(text.file, text.column, text.rule.interpolation.value_or(usual),
                        text.rule.outside.value_or(Outside::error), problem);
  };
  Program program = expr::compile(trees, resolve, tables, errors, &names_.functions());
  for (const CompileError& error : errors) {
    const Value& value = values[error.tree];
    problems_.error(place_in(value, error.offset), "in '" + value.text + "': " + error.message);
  }
  failed |= !errors.empty();
  return program;
}

Formula FormulaCompiler::compile(const Values& values, Scope scope, int local_joint) {
  std::vector<Syntax> trees;
  for (const Value& value : values) trees.push_back(parse(value));
  return compile_parsed(trees, values, scope, local_joint);
}

Formula FormulaCompiler::compile_parsed(const std::vector<Syntax>& trees, const Values& values,
                                        Scope scope, int local_joint) {
  bool failed = false;
  Formula formula;
  formula.where = values.where.line > 0 || values.empty() ? values.where : values[0].where;
  for (const Value& value : values) formula.texts.push_back(text_of(value));
  for (const Syntax& tree : trees) failed |= !tree;
  const Resolver resolve = [&](const std::string& name, int index) {
    return names_.resolve(name, index, scope, local_joint, failed);
  };
  formula.program = compile_trees(trees, resolve, values, scope, failed);
  if (!failed) check_calls(formula.program, values, scope, failed);
  if (!failed) check_tables(formula.program, values, scope, failed);
  if (failed) formula.program = {};
  return formula;
}

Formula FormulaCompiler::compile(const Value& value, Scope scope) {
  Values values = {value};
  values.where = value.where;
  return compile(values, scope);
}

bool FormulaCompiler::check_definition(const Value& value, const Syntax& tree) {
  bool failed = false;
  const Resolver resolve = [&](const std::string& name, int index) {
    Meaning meaning = names_.resolve(name, index, Scope::outputs, -1, failed);
    if (meaning.definition) {
      meaning.definition = nullptr;
      meaning.symbol = Symbol{Quantity::variable_rate, -1 - names_.find_definition(name), 0};
    }
    return meaning;
  };
  compile_trees({tree}, resolve, {value}, Scope::outputs, failed);
  return !failed;
}

}  // namespace cartan::model
