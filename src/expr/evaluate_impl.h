// Evaluation of programs over any scalar. Include this only to instantiate `evaluate` for a further
// scalar; double, Dual and Pack are instantiated in evaluate.cpp.
//
// A further scalar needs the functions of core/scalar.h and
//   S table_value(const std::shared_ptr<const TableFunction>&, int order, const S& x)
// the derivative `order` of a table, and
//   S call_value(const FunctionCode&, int order, const S* x)
// a function of the user, both found by ADL.
#pragma once

#include <cassert>
#include <cmath>
#include <span>

#include "core/mixed.h"
#include "expr/functions.h"
#include "expr/program.h"

namespace cartan::expr {

// --------------------------------------------------------------- what differs between the scalars

// Where a table has no value, a note says why.
inline double table_value(const std::shared_ptr<const TableFunction>& table, int order, double x) {
  const double value = table->derivative(order, x);
  if (std::isnan(value)) table->note_outside(x);
  return value;
}
template <int N>
Dual<N> table_value(const std::shared_ptr<const TableFunction>& table, int order,
                    const Dual<N>& x) {
  return x.chain(table_value(table, order, x.a), table->derivative(order + 1, x.a));
}
template <int N>
Pack<N> table_value(const std::shared_ptr<const TableFunction>& table, int order,
                    const Pack<N>& x) {
  return Pack<N>::map([&](int k) { return table_value(table, order, x.lane[k]); });
}
inline Mixed table_value(const std::shared_ptr<const TableFunction>& table, int order,
                         const Mixed& x) {
  return x.chain(table_value(table, order, x.a), table->derivative(order + 1, x.a),
                 table->derivative(order + 2, x.a), table->derivative(order + 3, x.a));
}

inline double call_value(const FunctionCode& function, int order, const double* x) {
  return function.value(order, x);
}
// A derivative that nothing asks for need not exist.
template <int N>
Dual<N> call_value(const FunctionCode& function, int order, const Dual<N>* x) {
  double at[most_arguments];
  const int count = function.arguments();
  for (int k = 0; k < count; ++k) at[k] = x[k].a;
  Dual<N> result(function.value(order, at));
  if (order < 0) return result;
  for (int k = 0; k < count; ++k) {
    bool moves = false;
    for (double d : x[k].d) moves = moves || d != 0;
    if (!moves) continue;
    const double slope = function.value(function.order(order).slope[k], at);
    for (int j = 0; j < N; ++j) result.d[j] += slope * x[k].d[j];
  }
  return result;
}
template <int N>
Pack<N> call_value(const FunctionCode& function, int order, const Pack<N>* x) {
  return Pack<N>::map([&](int lane) {
    double at[most_arguments];
    for (int k = 0; k < function.arguments(); ++k) at[k] = x[k].lane[lane];
    return function.value(order, at);
  });
}
inline Mixed call_value(const FunctionCode& function, int order, const Mixed* x) {
  double at[most_arguments];
  const int count = function.arguments();
  for (int k = 0; k < count; ++k) at[k] = x[k].a;
  const auto slope = [&](int of, int k) { return of < 0 ? of : function.order(of).slope[k]; };
  Mixed result(function.value(order, at));
  if (order < 0) return result;
  for (int k = 0; k < count; ++k) {
    if (x[k].is_constant()) continue;
    const int first = slope(order, k);
    result += x[k].chain(0, function.value(first, at), 0, 0);
    for (int j = 0; j < count; ++j) {
      const double uw = x[k].u * x[j].w, uv = x[k].u * x[j].v, wv = x[k].w * x[j].v,
                   uwv = x[k].uw * x[j].v + x[k].uv * x[j].w + x[k].wv * x[j].u;
      if (uw == 0 && uv == 0 && wv == 0 && uwv == 0) continue;
      const int second = slope(first, j);
      const double bend = function.value(second, at);
      result.uw += bend * uw;
      result.uv += bend * uv;
      result.wv += bend * wv;
      result.uwv += bend * uwv;
      for (int i = 0; i < count; ++i)
        if (const double all = uw * x[i].v; all != 0)
          result.uwv += function.value(slope(second, i), at) * all;
    }
  }
  return result;
}

namespace program_detail {

// x^y. The slope of x^y at x = 0 is infinite for y < 1; as for sqrt it is taken as zero, because
// infinity times a derivative that vanishes would be NaN.
template <class S>
S power_value(const S& x, const S& y) {
  return pow(x, y);
}
template <int N>
Dual<N> power_value(const Dual<N>& x, const Dual<N>& y) {
  if (x.a == 0 && y.a < 1) return Dual<N>(std::pow(x.a, y.a));
  return pow(x, y);
}

// Whether nothing flows back through an adjoint. Such instructions are skipped: that saves time,
// and an infinite slope in the branch an `if` did not take cannot turn 0 into NaN.
template <class S>
bool is_zero(const S&) {
  return false;
}
inline bool is_zero(double x) {
  return x == 0;
}
template <int N>
bool is_zero(const Dual<N>& x) {
  bool zero = x.a == 0;
  for (double d : x.d) zero = zero && d == 0;
  return zero;
}
inline bool is_zero(const Mixed& x) {
  return x.a == 0 && x.is_constant();
}
template <int N>
bool is_zero(const Pack<N>& x) {
  bool zero = true;
  for (double lane : x.lane) zero = zero && lane == 0;
  return zero;
}

// adjoint * slope, where a lane without adjoint stays zero whatever the slope.
template <class S>
S flow(const S& adjoint, const S& slope) {
  return adjoint * slope;
}
template <int N>
Pack<N> flow(const Pack<N>& adjoint, const Pack<N>& slope) {
  return Pack<N>::map(
      [&](int k) { return adjoint.lane[k] == 0 ? 0 : adjoint.lane[k] * slope.lane[k]; });
}

// The function called by an instruction, or its derivative by one of its arguments.
template <class S>
[[gnu::noinline]] S value_of_call(const Program& program, const Instruction& i, const S* v,
                                  int by = -1) {
  S x[most_arguments];
  for (int k = 0; k < i.c; ++k) x[k] = v[program.arguments[i.b + k]];
  const CalledFunction& called = program.functions[i.a];
  const int order = by < 0 ? called.order : called.code->order(called.order).slope[by];
  return call_value(*called.code, order, x);
}

// ----------------------------------------------------------------------------------------- values

// The value of one instruction; v holds those of the earlier ones. Inlined into the loop by force:
// a call per instruction would cost more than most instructions.
template <class S>
[[gnu::always_inline]] inline S value_of_instruction(const Program& program, const Instruction& i,
                                                     const S* inputs, const S* v) {
  switch (i.op) {
    case Op::constant:
      return S(program.constants[i.a]);
    case Op::input:
      return inputs[i.a];
    case Op::add:
      return v[i.a] + v[i.b];
    case Op::subtract:
      return v[i.a] - v[i.b];
    case Op::multiply:
      return v[i.a] * v[i.b];
    case Op::divide:
      return v[i.a] / v[i.b];
    case Op::negate:
      return -v[i.a];
    case Op::power:
      return power_value(v[i.a], v[i.b]);
    case Op::sin:
      return sin(v[i.a]);
    case Op::cos:
      return cos(v[i.a]);
    case Op::tan:
      return tan(v[i.a]);
    case Op::asin:
      return asin(v[i.a]);
    case Op::acos:
      return acos(v[i.a]);
    case Op::atan:
      return atan(v[i.a]);
    case Op::atan2:
      return atan2(v[i.a], v[i.b]);
    case Op::sinh:
      return sinh(v[i.a]);
    case Op::cosh:
      return cosh(v[i.a]);
    case Op::tanh:
      return tanh(v[i.a]);
    case Op::exp:
      return exp(v[i.a]);
    case Op::log:
      return log(v[i.a]);
    case Op::sqrt:
      return sqrt(v[i.a]);
    case Op::abs:
      return abs(v[i.a]);
    case Op::sign:
      return sign(v[i.a]);
    case Op::min:
      return min(v[i.a], v[i.b]);
    case Op::max:
      return max(v[i.a], v[i.b]);
    case Op::step:
      return step(v[i.a]);
    case Op::if_positive:
      return select(less(S(0), v[i.a]), v[i.b], v[i.c]);
    case Op::table:
    case Op::table_slope:
    case Op::table_curvature:
    case Op::table_jerk:
      return table_value(program.tables[i.a], table_order(i.op), v[i.b]);
    case Op::call:
      return value_of_call(program, i, v);
  }
  return S(0);
}

// -------------------------------------------------------------------------------------- gradients

template <class S>
S power_slope_by_base(const S& x, const S& y) {
  const S slope = y * power_value(x, y - S(1));
  return select(less(S(0), abs(x)), slope, select(less(y, S(1)), S(0), slope));
}

// value = x^y. For x <= 0 the exponent must be constant, so nothing flows.
template <class S>
S power_slope_by_exponent(const S& x, const S& value) {
  return select(less(S(0), x), value * log(x), S(0));
}

// The slope of an operation with one operand x and the given value.
template <class S>
S slope_of(Op op, const S& x, const S& value) {
  const S one(1);
  switch (op) {
    case Op::sin:
      return cos(x);
    case Op::cos:
      return -sin(x);
    case Op::tan:
      return one + value * value;
    case Op::asin:
      return one / sqrt((one - x) * (one + x));
    case Op::acos:
      return -one / sqrt((one - x) * (one + x));
    case Op::atan:
      return one / (one + x * x);
    case Op::sinh:
      return cosh(x);
    case Op::cosh:
      return sinh(x);
    case Op::tanh:
      return one / square(cosh(x));
    case Op::exp:
      return value;
    case Op::log:
      return one / x;
    case Op::sqrt:
      return select(less(S(0), value), S(0.5) / value, S(0));
    case Op::abs:
      return sign(x);
    default:
      return S(0);
  }
}

// Hands the adjoint of instruction i to its operands. v: values, w: adjoints.
template <class S>
[[gnu::always_inline]] inline void push_adjoint(const Program& program, int number, const S* v,
                                                S* w) {
  const Instruction& i = program.code[number];
  const S& g = w[number];
  switch (i.op) {
    case Op::constant:
    case Op::input:
    case Op::sign:
    case Op::step:
    case Op::table_jerk:
      return;
    case Op::add:
      w[i.a] += g;
      w[i.b] += g;
      return;
    case Op::subtract:
      w[i.a] += g;
      w[i.b] -= g;
      return;
    case Op::multiply:
      w[i.a] += flow(g, v[i.b]);
      w[i.b] += flow(g, v[i.a]);
      return;
    case Op::divide: {
      const S part = flow(g, S(1) / v[i.b]);
      w[i.a] += part;
      w[i.b] -= flow(part, v[number]);
      return;
    }
    case Op::negate:
      w[i.a] -= g;
      return;
    case Op::power:
      w[i.a] += flow(g, power_slope_by_base(v[i.a], v[i.b]));
      if (program.code[i.b].op != Op::constant)
        w[i.b] += flow(g, power_slope_by_exponent(v[i.a], v[number]));
      return;
    case Op::atan2: {
      const S part = flow(g, S(1) / (square(v[i.a]) + square(v[i.b])));
      w[i.a] += flow(part, v[i.b]);
      w[i.b] -= flow(part, v[i.a]);
      return;
    }
    case Op::min:
    case Op::max: {
      const auto takes_b = i.op == Op::min ? less(v[i.b], v[i.a]) : less(v[i.a], v[i.b]);
      w[i.a] += select(takes_b, S(0), g);
      w[i.b] += select(takes_b, g, S(0));
      return;
    }
    case Op::if_positive: {
      const auto holds = less(S(0), v[i.a]);
      w[i.b] += select(holds, g, S(0));
      w[i.c] += select(holds, S(0), g);
      return;
    }
    case Op::table:
    case Op::table_slope:
    case Op::table_curvature:
      w[i.b] += flow(g, table_value(program.tables[i.a], table_order(i.op) + 1, v[i.b]));
      return;
    case Op::call:
      for (int k = 0; k < i.c; ++k)
        if (program.code[program.arguments[i.b + k]].op != Op::constant)
          w[program.arguments[i.b + k]] += flow(g, value_of_call(program, i, v, k));
      return;
    default:
      w[i.a] += flow(g, slope_of(i.op, v[i.a], v[number]));
      return;
  }
}

template <class S>
inline void fill_values(const Program& program, int count, const S* inputs, S* v) {
  const Instruction* code = program.code.data();
  for (int i = 0; i < count; ++i) v[i] = value_of_instruction(program, code[i], inputs, v);
}

}  // namespace program_detail

template <class S>
void evaluate(const Program& program, std::span<const S> inputs, std::span<S> scratch,
              std::span<S> outputs) {
  assert(inputs.size() >= program.inputs.size() && scratch.size() >= program.scratch_size() &&
         outputs.size() >= program.outputs.size());
  program_detail::fill_values(program, static_cast<int>(program.code.size()), inputs.data(),
                              scratch.data());
  for (std::size_t k = 0; k < program.outputs.size(); ++k) outputs[k] = scratch[program.outputs[k]];
}

template <class S>
S evaluate_gradient(const Program& program, int which, std::span<const S> inputs,
                    std::span<S> scratch, std::span<S> adjoints, std::span<S> gradient) {
  assert(inputs.size() >= program.inputs.size() && scratch.size() >= program.scratch_size() &&
         adjoints.size() >= program.scratch_size() && gradient.size() >= program.inputs.size());
  const int last = program.outputs[which];  // what comes after it does not matter
  program_detail::fill_values(program, last + 1, inputs.data(), scratch.data());
  for (std::size_t k = 0; k < program.inputs.size(); ++k) gradient[k] = S(0);
  for (int i = 0; i < last; ++i) adjoints[i] = S(0);
  adjoints[last] = S(1);
  for (int i = last; i >= 0; --i) {
    using program_detail::is_zero;  // or that of the scalar's own folder
    if (is_zero(adjoints[i])) continue;
    if (program.code[i].op == Op::input) gradient[program.code[i].a] = adjoints[i];
    program_detail::push_adjoint(program, i, scratch.data(), adjoints.data());
  }
  return scratch[last];
}

}  // namespace cartan::expr
