#include "symbolic/vectors/subexpressions.h"

#include <limits>
#include <span>

#include <fmt/format.h>

#include "symbolic/flatten.h"
#include "symbolic/simplify/is_zero.h"
#include "symbolic/substitute.h"
#include "symbolic/vectors/linear_map.h"

namespace cartan::symbolic {
namespace {

bool is_symbol(const Expression& x) {
  return !x.is_number() && x.graph()->node(x.node()).op == Op::input;
}

}  // namespace

Expression Subexpressions::define(const Expression& value, int level) {
  ExpressionGraph& graph = kinematics_->graph();
  if (level < 0 || level > 2) {
    kinematics_->problems().error(
        {}, fmt::format("A subexpression is differentiated 0, 1 or 2 times, not {}: 2 for "
                        "positions, 1 for velocities, 0 for forces",
                        level));
    return value;
  }
  if (value.is_number() || is_symbol(value)) return value;
  for (const Definition& known : definitions_)
    if (identical(known.value, value) && known.level >= level) return known.symbol;
  const int number = static_cast<int>(definitions_.size());
  const Expression symbol = graph.symbol(fmt::format("{}{}", prefix_, number + 1), value.sample());
  definitions_.push_back({symbol, value, level});
  kinematics_->set_rate(symbol, [this, number] { return rate_of(number); });
  return symbol;
}

Vector Subexpressions::define(const Vector& value, int level) {
  std::vector<Expression> components;
  for (const Vector::Term& term : value.terms())
    for (int i = 0; i < 3; ++i) components.push_back(define(term.c[i], level));
  return value.with_components(components);
}

// Called by the kinematics when the rate is first asked for.
Expression Subexpressions::rate_of(int which) {
  const Definition definition = definitions_[which];
  const Expression rate = kinematics_->rate(definition.value);
  if (is_zero(rate)) return rate;
  if (definition.level == 0) {
    const ExpressionGraph& graph = kinematics_->graph();
    kinematics_->problems().error(
        {}, fmt::format("Subexpression {} is differentiated by time more often than it was "
                        "declared for: define it with a higher level (2 for positions, 1 for "
                        "velocities)",
                        graph.symbol_name(graph.node(definition.symbol.node()).a)));
    return 0;
  }
  std::vector<Expression> by = kinematics_->speeds();
  for (const Expression& u : kinematics_->speeds()) by.push_back(kinematics_->acceleration(u));
  return split(rate, by, definition.level - 1);
}

// The coefficients become subexpressions; what is not linear stays as it is, under a name.
Expression Subexpressions::split(const Expression& rate, const std::vector<Expression>& by,
                                 int level) {
  const std::vector<Expression> value = {rate};
  // accelerations where there are some: the speeds then belong to the coefficients
  const std::size_t half = by.size() / 2;
  for (const auto& part :
       {std::vector(by.begin() + half, by.end()), std::vector(by.begin(), by.begin() + half)}) {
    const LinearMap map(kinematics_->graph(), value, part);
    if (map.nonlinear_value() >= 0) continue;
    std::vector<Expression> coefficients;
    bool any = false;
    for (int k = 0; k < map.columns(); ++k) {
      coefficients.push_back(map.column(k)[0]);
      any = any || !is_zero(coefficients.back());
    }
    if (!any) continue;
    Expression sum = define(map.rest()[0], level);
    for (int k = 0; k < map.columns(); ++k) sum += define(coefficients[k], level) * part[k];
    return sum;
  }
  return define(rate, level);
}

void Subexpressions::differentiate() {
  for (std::size_t i = 0; i < definitions_.size(); ++i)  // the list grows
    if (definitions_[i].level > 0) kinematics_->rate(Expression(definitions_[i].symbol));
}

// Definitions first, in their order: each is put into the later ones once.
std::vector<Expression> Subexpressions::expand(std::vector<Expression> values) const {
  ExpressionGraph& graph = kinematics_->graph();
  std::vector<Expression> symbols, by;
  for (const Definition& definition : definitions_) {
    by.push_back(substitute(graph, definition.value, symbols, by));
    symbols.push_back(definition.symbol);
  }
  return substitute(graph, values, symbols, by);
}

std::vector<double> Subexpressions::evaluate(const std::vector<Expression>& symbols,
                                             const std::vector<double>& at) const {
  const ExpressionGraph& graph = kinematics_->graph();
  std::vector<Expression> values;
  for (const Definition& definition : definitions_) values.push_back(definition.value);
  values = expand(values);
  std::vector<double> result(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string missing;
    const Program program = flatten(graph, std::span(&values[i], 1), symbols, &missing);
    std::vector<double> scratch(program.scratch_size());
    expr::evaluate<double>(program, at, scratch, std::span(&result[i], 1));
    if (!missing.empty()) result[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

}  // namespace cartan::symbolic
