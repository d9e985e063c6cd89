// Random programs of plain, unnormalised instructions that use every operation, share results and
// stay away from poles, kinks and large numbers at two points: evaluated directly they say what
// expression graphs have to give.
#pragma once

#include <cmath>
#include <vector>

#include "expr/functions.h"
#include "expr/program.h"
#include "support/random.h"
#include "symbolic/expression.h"
#include "symbolic/operations.h"

namespace cartan::test::symbolic_test {

constexpr int inputs = 4;

struct RandomProgram {
  Program program;
  std::vector<double> point[2];
};

inline std::shared_ptr<const TableFunction> bump_table() {
  return std::make_shared<const TableFunction>(std::vector<double>{-3, -1, 0, 0.7, 2, 4},
                                               std::vector<double>{0.2, -1, 0.5, 1.5, -0.3, 1},
                                               Interpolation::spline, Outside::extrapolate);
}

class ProgramMaker {
 public:
  // `ops`: the operations to choose from; all where it is empty.
  explicit ProgramMaker(std::uint64_t seed, std::vector<Op> ops = {})
      : random_(seed),
        table_(bump_table()),
        ops_(ops.empty() ? all_operations() : std::move(ops)) {}

  RandomProgram make(int operations) {
    made_ = {};
    for (auto& values : values_) values.clear();
    made_.program.tables = {table_};
    for (auto& point : made_.point)
      for (int k = 0; k < inputs; ++k) point.push_back(random_.uniform(-1.5, 1.5));
    for (int k = 0; k < inputs; ++k) {
      made_.program.inputs.push_back({Quantity::variable, k, 0});
      add({Op::input, k, 0, 0});
    }
    for (const double number : {0.0, 1.0, -1.0, 2.0, 0.5, -0.3, 3.0}) {
      made_.program.constants.push_back(number);
      add({Op::constant, static_cast<int>(made_.program.constants.size()) - 1, 0, 0});
    }
    const int leaves = size();
    for (int tries = 0; size() < leaves + operations && tries < 60 * operations; ++tries) try_one();
    made_.program.outputs = {size() - 1, size() - 2, size() - 3};
    return made_;
  }

 private:
  int size() const { return static_cast<int>(made_.program.code.size()); }
  // Late results are taken more often than early ones.
  int operand() {
    const int n = size();
    return random_.chance(0.6) ? random_.integer(std::max(0, n - 8), n - 1)
                               : random_.integer(0, n - 1);
  }

  static std::vector<Op> all_operations() {
    return {Op::add,      Op::add,        Op::add,      Op::subtract, Op::subtract, Op::subtract,
            Op::multiply, Op::multiply,   Op::multiply, Op::multiply, Op::divide,   Op::divide,
            Op::negate,   Op::power,      Op::power,    Op::sin,      Op::sin,      Op::cos,
            Op::cos,      Op::tan,        Op::asin,     Op::acos,     Op::atan,     Op::atan2,
            Op::sinh,     Op::cosh,       Op::tanh,     Op::exp,      Op::log,      Op::sqrt,
            Op::abs,      Op::sign,       Op::min,      Op::max,      Op::step,     Op::if_positive,
            Op::table,    Op::table_slope};
  }

  void try_one() {
    Instruction i{random_.pick(ops_), operand(), operand(), operand()};
    if (is_table(i.op)) i.a = 0;
    if (random_.chance(0.2)) i.b = i.a;
    if (is_table(i.op)) i.b = operand(), i.a = 0;
    for (int p = 0; p < 2; ++p)
      if (!is_good(i, p)) return;
    add(i);
  }

  bool is_good(const Instruction& i, int p) const {
    const std::vector<double>& v = values_[p];
    const double a = v[i.a], b = v[i.b];
    const auto far = [](double x, double distance) { return std::fabs(x) > distance; };
    bool good = true;
    switch (i.op) {
      case Op::divide:
        good = far(b, 0.3);
        break;
      case Op::power:
        good = (a > 0.2 && std::fabs(b) < 3) ||
               (made_.program.code[i.b].op == Op::constant && b == std::floor(b) && far(a, 0.3));
        break;
      case Op::tan:
        good = far(std::cos(a), 0.3);
        break;
      case Op::asin:
      case Op::acos:
        good = std::fabs(a) < 0.9;
        break;
      case Op::atan2:
        good = far(a * a + b * b, 0.1) && (b > 0 || far(a, 1e-3));  // not near its cut
        break;
      case Op::log:
      case Op::sqrt:
        good = a > 0.1;
        break;
      case Op::abs:
      case Op::sign:
      case Op::step:
      case Op::if_positive:
        good = far(a, 1e-3);
        break;
      case Op::min:
      case Op::max:
        good = far(a - b, 1e-3);
        break;
      default:
        break;
    }
    return good && std::fabs(value(i, p)) < 20;
  }

  double value(const Instruction& i, int p) const {
    const std::vector<double>& v = values_[p];
    if (i.op == Op::constant) return made_.program.constants[i.a];
    if (i.op == Op::input) return made_.point[p][i.a];
    if (i.op == Op::if_positive) return v[i.a] > 0 ? v[i.b] : v[i.c];
    if (is_table(i.op)) return table_->derivative(table_order(i.op), v[i.b]);
    return value_of_operation(i.op, v[i.a], v[i.b]);
  }

  void add(const Instruction& i) {
    for (int p = 0; p < 2; ++p) values_[p].push_back(value(i, p));
    made_.program.code.push_back(i);
  }

  Random random_;
  std::shared_ptr<const TableFunction> table_;
  std::vector<Op> ops_;
  RandomProgram made_;
  std::vector<double> values_[2];
};

// The instructions run on the scalar S = Expression.
inline std::vector<Expression> run_symbolic(const Program& program,
                                            const std::vector<Expression>& given) {
  std::vector<Expression> v;
  for (const Instruction& i : program.code) {
    if (i.op == Op::constant)
      v.push_back(program.constants[i.a]);
    else if (i.op == Op::input)
      v.push_back(given[i.a]);
    else if (is_table(i.op))
      v.push_back(apply_table(program.tables[i.a], table_order(i.op), v[i.b]));
    else if (i.op == Op::if_positive)
      v.push_back(select(less(0, v[i.a]), v[i.b], v[i.c]));
    else if (operand_count(i.op) > 1)
      v.push_back(apply(i.op, v[i.a], v[i.b]));
    else
      v.push_back(apply(i.op, v[i.a]));
  }
  std::vector<Expression> outputs;
  for (const int output : program.outputs) outputs.push_back(v[output]);
  return outputs;
}

inline std::vector<Expression> symbols_at(ExpressionGraph& graph, const std::vector<double>& at) {
  std::vector<Expression> symbols;
  for (std::size_t k = 0; k < at.size(); ++k)
    symbols.push_back(graph.symbol("x" + std::to_string(k + 1), at[k]));
  return symbols;
}

template <class S>
std::vector<S> values_of(const Program& program, const std::vector<S>& at) {
  std::vector<S> scratch(program.scratch_size()), outputs(program.outputs.size());
  evaluate<S>(program, at, scratch, outputs);
  return outputs;
}

inline std::vector<Dual4> as_variables(const std::vector<double>& at) {
  std::vector<Dual4> variables;
  for (int k = 0; k < static_cast<int>(at.size()); ++k)
    variables.push_back(Dual4::variable(at[k], k));
  return variables;
}

}  // namespace cartan::test::symbolic_test
