// The depth of the recursion is that of one written expression, which the listing keeps short.
#include "codegen/languages/expression_writer.h"

#include <cmath>

#include <fmt/format.h>

#include "symbolic/operations.h"

namespace cartan::codegen {

std::string ExpressionWriter::definition(int node) const {
  return text_of(write_operation(node));
}
std::string ExpressionWriter::value(int node) const {
  return text_of(write(node));
}

std::string ExpressionWriter::atom(int node) const {
  const Signed x = write(node);
  if (x.magnitude.binding == Binding::atom) return (x.negative ? "-" : "") + x.magnitude.text;
  return dialect_.in_parentheses(text_of(x));
}

std::string ExpressionWriter::text_of(const Signed& x) const {
  return x.negative ? "-" + dialect_.at_least(x.magnitude, Binding::product) : x.magnitude.text;
}

ExpressionWriter::Signed ExpressionWriter::write(int node) const {
  const int temporary = listing_.temporary_of[node];
  if (temporary < 0) return write_operation(node);
  std::string name = dialect_.temporary(temporary);
  const int set = listing_.set_of(node);
  if (set < 0) return {false, {std::move(name), Binding::atom}};
  const int place = listing_.twins.place_of[node];
  return {listing_.twins.sets[set].flipped[place] != 0,
          {fmt::format("{}[{}]", name, place), Binding::atom}};
}

// a + b, or -(a + b) = -a - b where that saves a sign.
ExpressionWriter::Signed ExpressionWriter::write_sum(int a, int b, bool negated) const {
  if (dialect_.fuses() && (is_written_product(a) || is_written_product(b)))
    return is_written_product(b) ? write_fused(b, a, negated) : write_fused(a, b, negated);
  Signed x = write(a), y = write(b);
  if (negated && x.negative != y.negative) {
    x.negative = !x.negative, y.negative = !y.negative;
    negated = false;
  }
  // not -x + y; and a sum on the right changes sides, which keeps the result to the last bit
  const bool sum_on_right =
      y.magnitude.binding == Binding::sum && !y.negative && x.magnitude.binding != Binding::sum;
  if ((x.negative && !y.negative) || (sum_on_right && !x.negative)) std::swap(x, y);
  const std::string right = dialect_.at_least(y.magnitude, Binding::product);
  return {negated, {text_of(x) + (y.negative ? " - " : " + ") + right, Binding::sum}};
}

// A product that is written where it is used; a sign is none.
bool ExpressionWriter::is_written_product(int node) const {
  if (graph_.node(node).op != Op::multiply || listing_.temporary_of[node] >= 0) return false;
  if (!graph_.is_number(graph_.node(node).a, -1)) return true;
  return is_written_product(graph_.node(node).b);
}

// x y + z; of -(x y + z) the sign goes to the front, of one negative part to the operation.
ExpressionWriter::Signed ExpressionWriter::write_fused(int product, int other, bool negated) const {
  bool minus_product = negated;
  while (graph_.is_number(graph_.node(product).a, -1)) {
    product = graph_.node(product).b;
    minus_product = !minus_product;
  }
  const Signed x = write(graph_.node(product).a), y = write(graph_.node(product).b),
               z = write(other);
  if (x.negative != y.negative) minus_product = !minus_product;
  const bool minus_z = z.negative != negated, both = minus_product && minus_z;
  return {both,
          {dialect_.fused(x.magnitude.text, y.magnitude.text, z.magnitude.text,
                          minus_product && !both, minus_z && !both),
           Binding::atom}};
}

ExpressionWriter::Signed ExpressionWriter::write_operation(int node) const {
  const Instruction& i = graph_.node(node);
  switch (i.op) {
    case Op::constant: {
      const double value = graph_.number(node);
      return {std::signbit(value), {dialect_.number(std::fabs(value)), Binding::atom}};
    }
    case Op::input: {
      if (const auto found = listing_.solutions.find(i.a); found != listing_.solutions.end())
        return {false,
                {dialect_.solution(found->second.first, found->second.second), Binding::atom}};
      const SymbolPlace place = names_.place(i.a);
      return {false, {dialect_.symbol(place.argument, place.entry), Binding::atom}};
    }
    case Op::add:
      return write_sum(i.a, i.b, false);
    case Op::multiply: {
      const Instruction& second = graph_.node(i.b);
      if (graph_.is_number(i.a, -1) && second.op == Op::add && listing_.temporary_of[i.b] < 0)
        return write_sum(second.a, second.b, true);
      const Signed x = write(i.a), y = write(i.b);
      if (graph_.is_number(i.a)) {  // its sign is that of the product
        const bool negative = x.negative != y.negative;
        if (graph_.is_number(i.a, -1)) return {negative, y.magnitude};
        return {negative, dialect_.product(x.magnitude, y.magnitude)};
      }
      return {x.negative != y.negative, dialect_.product(x.magnitude, y.magnitude)};
    }
    case Op::divide: {
      const Signed x = write(i.a), y = write(i.b);
      return {x.negative != y.negative, dialect_.quotient(x.magnitude, y.magnitude)};
    }
    default:
      break;
  }
  std::vector<std::string> operands;
  auto take = [&](int k) { operands.push_back(text_of(write(k))); };
  if (i.op == Op::call) {
    for (const int argument : graph_.arguments(i.b)) take(argument);
    return {false, {dialect_.call(names_.external(i.a), operands), Binding::atom}};
  }
  if (is_table(i.op)) {
    take(i.b);
    return {false, {dialect_.table(i.a, table_order(i.op), operands[0]), Binding::atom}};
  }
  for_each_operand(i, take);
  return {false, {dialect_.function(i.op, operands), Binding::atom}};
}

}  // namespace cartan::codegen
