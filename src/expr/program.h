// A compiled expression: a flat list of instructions, its evaluation and its derivatives.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/scalar.h"
#include "expr/external_function.h"
#include "expr/table_function.h"

namespace cartan::expr {

// What a name in an expression can mean.
enum class Quantity : std::uint8_t {
  time,           // t
  parameter,      // index: which
  joint_q,        // index: joint in file order, component
  joint_v,        //
  body_position,  // index: body in file order, component 0..2: origin in the world
  body_velocity,  // velocity of the origin, world axes
  body_angular,   // angular velocity, body axes
  kinetic,
  potential,
  variable,            // index: entry of [variables]
  variable_rate,       // its rate x', in `equations`
  branch,              // index: which switch; where it is held (expr/switches.h)
  body_rotation,       // index: body, component 3 i + j: entry of its axes in the world
  point_position,      // index: entry of [[point]], component 0..2: world
  point_velocity,      //
  joint_acceleration,  // d/dt of joint_v; this and all below: in outputs only
  body_acceleration,   // of the origin, world axes
  point_acceleration,  //
  reaction,    // index: joint, component 0..5: force, torque that the parent exerts on the child
  multiplier,  // index: constraint, component: its row; of a loop joint: index -1 - joint
};

struct Symbol {
  Quantity quantity = Quantity::time;
  int index = 0;
  int component = 0;
  auto operator<=>(const Symbol&) const = default;
};

// clang-format off
enum class Op : std::uint8_t {
  constant, input,
  add, subtract, multiply, divide, negate, power,
  sin, cos, tan, asin, acos, atan, atan2, sinh, cosh, tanh, exp, log, sqrt, abs, sign,
  min, max, step, if_positive,  // if(c, a, b): a where c > 0, else b
  table, table_slope, table_curvature, table_jerk,  // a table and its derivatives
  call,  // a function whose code is the user's
};
// clang-format on

// a, b, c are earlier instructions, as many as the operation takes. Exceptions: `a` of a constant,
// an input or a table is the index of the datum; the argument of a table is in b. Of a call, a is
// the index of the function, and c of its arguments stand from b on in Program::arguments. (In
// expression graphs calls are stored otherwise, see symbolic/graph.h.)
struct Instruction {
  Op op = Op::constant;
  int a = 0, b = 0, c = 0;
  bool operator==(const Instruction&) const = default;
};

// A function of the user, or one of its derivatives.
struct CalledFunction {
  std::shared_ptr<const FunctionCode> code;
  int order = 0;  // FunctionCode::order
  bool operator==(const CalledFunction&) const = default;
};

// One or several expressions compiled together.
struct Program {
  std::vector<Instruction> code;
  std::vector<double> constants;
  std::vector<Symbol> inputs;  // distinct; order of the input values
  std::vector<std::shared_ptr<const TableFunction>> tables;
  std::vector<CalledFunction> functions;
  std::vector<int> arguments;  // of calls, one list after the other: instructions
  std::vector<int> outputs;    // instruction of each output

  bool is_constant() const { return inputs.empty(); }
  bool depends_on(Quantity quantity) const;
  std::size_t scratch_size() const { return code.size(); }
};

// outputs[k] = value of output k at the inputs. scratch: scratch_size() numbers.
template <class S>
void evaluate(const Program& program, std::span<const S> inputs, std::span<S> scratch,
              std::span<S> outputs);

// Also the gradient of output `which` with respect to every input, by one reverse sweep.
// adjoints: scratch_size() numbers. Returns the value.
//
// At kinks: abs'(0) = 0, sign' = step' = 0, min, max and `if` follow the branch they chose (and
// nothing from the other branch, not even a NaN), sqrt'(0) = 0 and so is the slope of x^y at x = 0
// for y < 1.
template <class S>
S evaluate_gradient(const Program& program, int which, std::span<const S> inputs,
                    std::span<S> scratch, std::span<S> adjoints, std::span<S> gradient);

// A program that computes the derivative of every output of `program` with respect to `symbol`
// (symbolically; used for rates of prescribed motions). Its inputs are those the derivatives need.
Program differentiate(const Program& program, const Symbol& symbol);

// The program of plain numbers, for models built in C++ and for defaults.
Program constant_program(std::span<const double> values);

}  // namespace cartan::expr
