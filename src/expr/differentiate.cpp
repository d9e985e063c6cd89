// Forward differentiation of a program, instruction by instruction, into a new program.
//
// A derivative that is zero for structural reasons is not written at all (`zero`), so that 0 *
// infinity cannot arise; at kinks the conventions are those of evaluate_gradient.
#include <limits>

#include "expr/functions.h"
#include "expr/program_builder.h"

namespace cartan::expr {
namespace {

constexpr int zero = -1;  // in place of an instruction: the number 0

class Differentiator {
 public:
  Differentiator(const Program& program, const Symbol& symbol)
      : program_(program), symbol_(symbol) {}

  Program run() {
    for (const Instruction& i : program_.code) {
      value_.push_back(copy(i));
      slope_.push_back(slope(i, value_.back()));
    }
    std::vector<int> outputs;
    for (int output : program_.outputs) outputs.push_back(written(slope_[output]));
    return builder_.finish(outputs);
  }

 private:
  int number(double x) { return builder_.constant(x); }
  int apply(Op op, int a, int b = 0, int c = 0) { return builder_.make(op, a, b, c); }
  int written(int instruction) { return instruction == zero ? number(0) : instruction; }

  int copy(const Instruction& i) {
    if (i.op == Op::constant) return number(program_.constants[i.a]);
    if (i.op == Op::input) return builder_.input(program_.inputs[i.a]);
    if (is_table(i.op)) return builder_.table(program_.tables[i.a], table_order(i.op), value_[i.b]);
    if (i.op == Op::call) return builder_.call(program_.functions[i.a], arguments(i));
    const int operands = operand_count(i.op);
    return apply(i.op, value_[i.a], operands > 1 ? value_[i.b] : 0, operands > 2 ? value_[i.c] : 0);
  }

  // Sums and products in which `zero` may stand.
  int plus(int a, int b) {
    if (a == zero) return b;
    return b == zero ? a : builder_.add(a, b);
  }
  int minus(int a, int b) {
    if (b == zero) return a;
    return a == zero ? builder_.negate(b) : builder_.subtract(a, b);
  }
  int times(int a, int b) { return a == zero || b == zero ? zero : builder_.multiply(a, b); }

  // The derivative of instruction i, whose copy is `value`.
  int slope(const Instruction& i, int value) {
    if (i.op == Op::constant) return zero;
    if (i.op == Op::input) return program_.inputs[i.a] == symbol_ ? number(1) : zero;
    if (is_table(i.op)) return table_slope(i);
    if (i.op == Op::call) return call_slope(i);
    switch (operand_count(i.op)) {
      case 1:
        return slope_[i.a] == zero ? zero : chain(i.op, value_[i.a], value, slope_[i.a]);
      case 2:
        return slope_of_two(i, value);
      default:
        return branch(value_[i.a], slope_[i.b], slope_[i.c]);
    }
  }

  int table_slope(const Instruction& i) {
    if (slope_[i.b] == zero || i.op == Op::table_jerk) return zero;
    return times(builder_.table(program_.tables[i.a], table_order(i.op) + 1, value_[i.b]),
                 slope_[i.b]);
  }

  std::vector<int> arguments(const Instruction& i) const {
    std::vector<int> list;
    for (int k = 0; k < i.c; ++k) list.push_back(value_[program_.arguments[i.b + k]]);
    return list;
  }

  // Sum of (derivative by argument k) (slope of argument k)
  int call_slope(const Instruction& i) {
    const CalledFunction& called = program_.functions[i.a];
    int sum = zero;
    for (int k = 0; k < i.c; ++k) {
      const int change = slope_[program_.arguments[i.b + k]];
      if (change == zero) continue;
      const int order = called.code->order(called.order).slope[k];
      if (order < 0) return number(std::numeric_limits<double>::quiet_NaN());
      sum = plus(sum, times(builder_.call({called.code, order}, arguments(i)), change));
    }
    return sum;
  }

  // The slope `a` where condition > 0, else `b`.
  int branch(int condition, int a, int b) {
    if (a == zero && b == zero) return zero;
    return apply(Op::if_positive, condition, written(a), written(b));
  }

  int slope_of_two(const Instruction& i, int value) {
    const int x = value_[i.a], y = value_[i.b], dx = slope_[i.a], dy = slope_[i.b];
    if (dx == zero && dy == zero) return zero;
    switch (i.op) {
      case Op::add:
        return plus(dx, dy);
      case Op::subtract:
        return minus(dx, dy);
      case Op::multiply:
        return plus(times(dx, y), times(x, dy));
      case Op::divide:
        return builder_.divide(minus(dx, times(value, dy)), y);
      case Op::min:
        return branch(builder_.subtract(x, y), dy, dx);
      case Op::max:
        return branch(builder_.subtract(y, x), dy, dx);
      case Op::atan2:
        return builder_.divide(minus(times(y, dx), times(x, dy)), sum_of_squares(x, y));
      default:
        return plus(power_by_base(x, y, dx), power_by_exponent(x, value, dy));
    }
  }

  int sum_of_squares(int x, int y) {
    return builder_.add(builder_.multiply(x, x), builder_.multiply(y, y));
  }

  int power_by_base(int x, int y, int dx) {
    if (dx == zero) return zero;
    const int slope = builder_.multiply(y, apply(Op::power, x, builder_.subtract(y, number(1))));
    if (builder_.is_constant(y) && builder_.constant_at(y) >= 1) return times(slope, dx);
    // At x = 0 the slope is infinite for y < 1: taken as zero.
    const int at_zero = apply(Op::if_positive, builder_.subtract(number(1), y), number(0), slope);
    return times(apply(Op::if_positive, apply(Op::abs, x), slope, at_zero), dx);
  }

  int power_by_exponent(int x, int value, int dy) {
    if (dy == zero) return zero;
    const int slope = builder_.multiply(value, apply(Op::log, x));
    return times(apply(Op::if_positive, x, slope, number(0)), dy);
  }

  // f'(x) dx for an operation with one operand x and the given value.
  int chain(Op op, int x, int value, int dx) {
    const auto over = [&](int divisor) { return builder_.divide(dx, divisor); };
    const auto square = [&](int a) { return builder_.multiply(a, a); };
    const auto circle = [&] {  // sqrt(1 - x^2)
      return apply(Op::sqrt,
                   builder_.multiply(builder_.subtract(number(1), x), builder_.add(number(1), x)));
    };
    switch (op) {
      case Op::negate:
        return builder_.negate(dx);
      case Op::sin:
        return times(apply(Op::cos, x), dx);
      case Op::cos:
        return builder_.negate(times(apply(Op::sin, x), dx));
      case Op::tan:
        return times(builder_.add(number(1), square(value)), dx);
      case Op::asin:
        return over(circle());
      case Op::acos:
        return builder_.negate(over(circle()));
      case Op::atan:
        return over(builder_.add(number(1), square(x)));
      case Op::sinh:
        return times(apply(Op::cosh, x), dx);
      case Op::cosh:
        return times(apply(Op::sinh, x), dx);
      case Op::tanh:
        return over(square(apply(Op::cosh, x)));
      case Op::exp:
        return times(value, dx);
      case Op::log:
        return over(x);
      case Op::sqrt: {  // at zero the slope is taken as zero
        const int slope = builder_.divide(number(0.5), value);
        return times(apply(Op::if_positive, value, slope, number(0)), dx);
      }
      case Op::abs:
        return times(apply(Op::sign, x), dx);
      default:
        return zero;  // sign, step
    }
  }

  const Program& program_;
  const Symbol& symbol_;
  ProgramBuilder builder_;
  std::vector<int> value_;  // copy of each instruction of the program
  std::vector<int> slope_;  // its derivative, or `zero`
};

}  // namespace

Program differentiate(const Program& program, const Symbol& symbol) {
  return Differentiator(program, symbol).run();
}

}  // namespace cartan::expr
