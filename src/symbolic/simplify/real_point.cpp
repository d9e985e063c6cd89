#include "symbolic/simplify/real_point.h"

#include <cmath>
#include <limits>

namespace cartan::symbolic {
namespace {

constexpr long double long_epsilon = std::numeric_limits<long double>::epsilon();

}  // namespace

RealPoint::RealPoint(const ExpressionGraph& graph, std::span<const double> at, double number_error)
    : graph_(graph), at_(at), number_error_(number_error), values_(graph) {}

void RealPoint::evaluate(std::span<const int> nodes) {
  for (const int i : nodes) {
    Value v = evaluate_node(i);
    v.error += long_epsilon * std::fabs(v.value);
    values_[i] = v;
  }
}

RealPoint::Value RealPoint::evaluate_node(int i) const {
  const Instruction& x = graph_.node(i);
  switch (x.op) {
    case Op::constant: {
      const double n = graph_.number(i);
      return {n, n == std::floor(n) ? 0 : number_error_ * std::fabs(n)};
    }
    case Op::input:
      return {at_[x.a], 0};
    case Op::call: {
      Value sum{static_cast<long double>(x.a), 0};
      int k = 0;
      for (const int argument : graph_.arguments(x.b)) {
        sum.value += (0.7L + 0.3L * k) * values_[argument].value;
        sum.error += (0.7L + 0.3L * k++) * values_[argument].error;
      }
      return {1.5L + std::sin(sum.value), sum.error};
    }
    default:
      break;
  }
  // Any function that tells its arguments apart, which steps and held ends do not.
  if (is_table(x.op)) {
    const Value& at = values_[x.b];
    const long double which = 4 * x.a + table_order(x.op);
    return {1.5L + std::sin(which + 0.7L * at.value), at.error};
  }
  return function(x);
}

RealPoint::Value RealPoint::function(const Instruction& x) const {
  const Value a = values_[x.a], b = operand_count(x.op) > 1 ? values_[x.b] : Value{0, 0};
  const auto chain = [&](long double value, long double slope) {
    return Value{value, std::fabs(slope) * a.error};
  };
  const long double v = a.value;
  switch (x.op) {
    case Op::add:
      return {v + b.value, a.error + b.error};
    case Op::multiply:
      return {v * b.value, std::fabs(b.value) * a.error + std::fabs(v) * b.error};
    case Op::divide:
      return {v / b.value, (a.error + std::fabs(v / b.value) * b.error) / std::fabs(b.value)};
    case Op::power: {
      const long double p = std::pow(v, b.value);
      return {p, std::fabs(b.value * p / v) * a.error +
                     (b.error > 0 ? std::fabs(p * std::log(v)) * b.error : 0)};
    }
    case Op::atan2: {
      const long double square = v * v + b.value * b.value;
      return {std::atan2(v, b.value),
              (std::fabs(b.value) * a.error + std::fabs(v) * b.error) / square};
    }
    case Op::min:
      return b.value < v ? b : a;
    case Op::max:
      return v < b.value ? b : a;
    case Op::if_positive:
      return v > 0 ? b : values_[x.c];
    case Op::sin:
      return chain(std::sin(v), std::cos(v));
    case Op::cos:
      return chain(std::cos(v), std::sin(v));
    case Op::tan:
      return chain(std::tan(v), 1 + std::tan(v) * std::tan(v));
    case Op::asin:
      return chain(std::asin(v), 1 / std::sqrt((1 - v) * (1 + v)));
    case Op::acos:
      return chain(std::acos(v), 1 / std::sqrt((1 - v) * (1 + v)));
    case Op::atan:
      return chain(std::atan(v), 1 / (1 + v * v));
    case Op::sinh:
      return chain(std::sinh(v), std::cosh(v));
    case Op::cosh:
      return chain(std::cosh(v), std::sinh(v));
    case Op::tanh:
      return chain(std::tanh(v), 1);
    case Op::exp:
      return chain(std::exp(v), std::exp(v));
    case Op::log:
      return chain(std::log(v), 1 / v);
    case Op::sqrt:
      return chain(std::sqrt(v), 0.5L / std::sqrt(v));
    case Op::abs:
      return chain(std::fabs(v), 1);
    case Op::sign:
      return {v > 0 ? 1.0L : v < 0 ? -1.0L : 0.0L, 0};
    default:  // step
      return {v < 0 ? 0.0L : 1.0L, 0};
  }
}

}  // namespace cartan::symbolic
