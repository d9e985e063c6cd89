#include "expr/switches.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "expr/lowest_jump.h"
#include "expr/operands.h"
#include "expr/program_builder.h"

namespace cartan::expr {
namespace {

constexpr double nowhere = 1e300;  // beyond every argument
constexpr std::size_t most_soft_corners = 300;

// Where the pieces of a table meet that are not smooth together; and, unless it repeats, of each
// stretch between such corners a point inside and a first and a last point within it.
struct TablePieces {
  std::vector<double> corners, inside;
  double period = 0;
  std::vector<double> first = {}, last = {};
};
constexpr double within = 1 - 1e-9;  // so near to its ends do points within a stretch come

// Twice differentiable counts as smooth. Jumps of the curvature (pchip) are worth a stop where they
// are few; a table of many rows follows a curve closely, and there they are small.
std::vector<double> corners_of(const TableFunction& table) {
  std::vector<double> corners;
  std::vector<TableFunction::Corner> found = table.corners(2);
  if (found.size() > most_soft_corners) found = table.corners(1);
  for (const TableFunction::Corner& corner : found) corners.push_back(corner.x);
  return corners;
}

TablePieces cut_at_corners(const TableFunction& table) {
  TablePieces result{corners_of(table), {}, 0};
  if (table.outside() == Outside::periodic) {
    result.period = table.period();
    return result;
  }
  const std::vector<double>& at = result.corners;
  if (at.empty()) return result;
  const double length = table.period();
  const double before =
      at.front() > table.first() ? 0.5 * (table.first() + at.front()) : at.front() - length;
  // a table of steps has its last step where it ends
  const double beyond = table.outside() == Outside::error ? 1e-10 * length : length;
  const double after =
      at.back() < table.last() ? 0.5 * (at.back() + table.last()) : at.back() + beyond;
  result.inside.push_back(before);
  for (std::size_t k = 1; k < at.size(); ++k) result.inside.push_back(0.5 * (at[k - 1] + at[k]));
  result.inside.push_back(after);
  for (std::size_t k = 0; k <= at.size(); ++k) {
    const double m = result.inside[k];
    result.first.push_back(k == 0 ? std::min(m, table.first()) : m + within * (at[k - 1] - m));
    result.last.push_back(k == at.size() ? std::max(m, table.last()) : m + within * (at[k] - m));
  }
  return result;
}

bool is_switch(const Instruction& i, const Program& program) {
  switch (i.op) {
    case Op::abs:
    case Op::sign:
    case Op::step:
    case Op::min:
    case Op::max:
    case Op::if_positive:
      return true;
    default:
      return is_table(i.op) && !corners_of(*program.tables[i.a]).empty();
  }
}

bool argument_moves(const Instruction& i, const std::vector<char>& moves) {
  if (i.op == Op::min || i.op == Op::max) return moves[i.a] || moves[i.b];
  if (is_table(i.op)) return moves[i.b];
  return operand_count(i.op) > 0 && i.op != Op::call && moves[i.a];
}

// Of one instruction.
std::optional<int> lowest_jump_of(const Instruction& i, const Program& program, bool located) {
  if (is_table(i.op)) {
    const TableFunction& table = *program.tables[i.a];
    const std::vector<double> stops = located ? corners_of(table) : std::vector<double>{};
    std::optional<int> lowest;
    for (const TableFunction::Corner& corner : table.corners(3))
      if (std::find(stops.begin(), stops.end(), corner.x) == stops.end())
        lowest = std::min(lowest.value_or(corner.order), corner.order);
    return lowest;
  }
  if (located || !is_switch(i, program)) return std::nullopt;
  const bool continuous = i.op == Op::abs || i.op == Op::min || i.op == Op::max;
  return continuous ? 1 : 0;
}

// Copies a program into a builder, switches held. Run twice with the same result: once for the
// outputs, once per switch for its event.
class Holder {
 public:
  Holder(const Program& program, int first) : program_(program), first_(first) {
    const std::vector<char> moves = moving_instructions(program);
    for (const Instruction& i : program.code) {
      int upstream = -1;
      visit_operands(program, i, [&](int k) { upstream = std::max(upstream, upstream_[k]); });
      upstream_.push_back(upstream);
      written_.push_back(copy(i, written_));
      value_.push_back(argument_moves(i, moves) && is_switch(i, program_) ? held(i) : extended(i));
    }
  }

  struct Found {
    Op op;
    int instruction, argument;  // of the old program, of the new one
    TablePieces table;
    bool root = false;
  };
  const std::vector<Found>& found() const { return found_; }

  Program finish() {
    std::vector<int> outputs;
    for (const int output : program_.outputs) outputs.push_back(value_[output]);
    return builder_.finish(outputs);
  }
  Program finish_event(int which) {
    const Found& f = found_[which];
    return builder_.finish({f.op == Op::table ? table_event(which, f) : sign_event(which, f)});
  }

 private:
  int number(double x) { return builder_.constant(x); }
  int apply(Op op, int a, int b = 0, int c = 0) { return builder_.make(op, a, b, c); }
  int choose(int condition, int a, int b) { return apply(Op::if_positive, condition, a, b); }
  int size(int a) { return apply(Op::abs, a); }
  int less(int a, double b) { return builder_.subtract(number(b), a); }  // above zero where a < b
  int branch(int which) { return builder_.input({Quantity::branch, first_ + which, 0}); }

  bool is_whole(int exponent) const {
    if (!builder_.is_constant(exponent)) return false;
    const double n = builder_.constant_at(exponent);
    return n == std::floor(n);
  }

  int copy(const Instruction& i, const std::vector<int>& value) {
    if (i.op == Op::constant) return number(program_.constants[i.a]);
    if (i.op == Op::input) return builder_.input(program_.inputs[i.a]);
    if (is_table(i.op)) return builder_.table(program_.tables[i.a], table_order(i.op), value[i.b]);
    if (i.op == Op::call) {
      std::vector<int> arguments;
      for (int k = 0; k < i.c; ++k) arguments.push_back(value[program_.arguments[i.b + k]]);
      return builder_.call(program_.functions[i.a], arguments);
    }
    const int operands = operand_count(i.op);
    return apply(i.op, value[i.a], operands > 1 ? value[i.b] : 0, operands > 2 ? value[i.c] : 0);
  }

  // A root or power of what is held, max(-x, 0)^1.5, would have no value beyond the switching
  // point: there it is that of |x|, which the motion never sees. Where the expression as written
  // has none either, there is none.
  int extended(const Instruction& i) {
    const bool root = i.op == Op::sqrt || (i.op == Op::power && !is_whole(value_[i.b]));
    if (!root || value_[i.a] == written_[i.a]) return copy(i, value_);
    found_[upstream_[i.a]].root = true;
    const int held = value_[i.a];
    const int base = choose(apply(Op::step, written_[i.a]), size(held), held);
    return i.op == Op::sqrt ? apply(Op::sqrt, base) : apply(Op::power, base, value_[i.b]);
  }

  int held(const Instruction& i) {
    if (is_table(i.op)) return held_table(i);
    const int a = value_[i.a];
    const bool two = i.op == Op::min || i.op == Op::max;
    const int argument = two ? builder_.subtract(a, value_[i.b]) : a;
    const int which = find(i.op, argument);
    upstream_.back() = which;
    const int b = branch(which);
    const int side = choose(size(b), b, argument);  // its sign chooses
    switch (i.op) {
      case Op::abs:
        return choose(side, a, builder_.negate(a));
      case Op::sign:
        return choose(size(b), choose(less(size(b), 3), apply(Op::sign, b), number(0)),
                      apply(Op::sign, a));
      case Op::step:
        return choose(size(b), apply(Op::step, b), apply(Op::step, a));
      case Op::min:
        return choose(side, value_[i.b], a);
      case Op::max:
        return choose(side, a, value_[i.b]);
      default:
        return choose(side, value_[i.b], value_[i.c]);
    }
  }

  // Between its corners the table is what it is; beyond them the polynomial of the last piece goes
  // on, developed about the nearest point within: exact, the degree is three.
  int held_table(const Instruction& i) {
    const int x = value_[i.b], order = table_order(i.op);
    const std::shared_ptr<const TableFunction>& table = program_.tables[i.a];
    const int which = find_table(*table, x);
    upstream_.back() = which;
    const int b = branch(which);
    const TablePieces& pieces = found_[which].table;
    const int m = nearest_within(pieces, b, x);
    const int d = builder_.subtract(x, m);
    int sum = builder_.table(table, 3, m);
    for (int k = 2; k >= order; --k)
      sum = builder_.add(builder_.table(table, k, m),
                         builder_.divide(builder_.multiply(sum, d), number(k - order + 1)));
    const int written = builder_.table(table, order, x);
    if (table->outside() == Outside::error)  // where it has no value as written, it has none
      sum = choose(builder_.add(builder_.multiply(written, written), number(1)), sum, written);
    return choose(size(b), sum, written);
  }

  // list[|b| - 1]
  int at_index(const std::vector<double>& list, int b) {
    std::vector<double> places;
    for (std::size_t k = 1; k <= list.size(); ++k) places.push_back(static_cast<double>(k));
    return builder_.table(
        std::make_shared<const TableFunction>(places, list, Interpolation::linear, Outside::hold),
        0, size(b));
  }

  // Corner j of a table that repeats: c_j = j P/n + r_j, where r repeats after n.
  int repeated_corner(const TablePieces& pieces, int j) {
    const auto n = static_cast<double>(pieces.corners.size());
    std::vector<double> places, rest;
    for (std::size_t k = 0; k <= pieces.corners.size(); ++k) {
      places.push_back(static_cast<double>(k));
      const std::size_t in_period = k % pieces.corners.size();
      rest.push_back(pieces.corners[in_period] -
                     static_cast<double>(in_period) * pieces.period / n);
    }
    const auto table = std::make_shared<const TableFunction>(places, rest, Interpolation::linear,
                                                             Outside::periodic);
    return builder_.add(builder_.multiply(j, number(pieces.period / n)),
                        builder_.table(table, 0, j));
  }
  int corner_number(const TablePieces& pieces, int b) {
    const double first = 1 + static_cast<double>(pieces.corners.size()) * branch_periods;
    return builder_.subtract(b, number(first));
  }
  int middle(const TablePieces& pieces, int b) {
    const int j = corner_number(pieces, b);
    return builder_.multiply(number(0.5),
                             builder_.add(repeated_corner(pieces, j),
                                          repeated_corner(pieces, builder_.add(j, number(1)))));
  }

  int nearest_within(const TablePieces& pieces, int b, int x) {
    int first = 0, last = 0;
    if (pieces.period > 0) {
      const int m = middle(pieces, b), j = corner_number(pieces, b);
      const auto inner = [&](int corner) {
        return builder_.add(m, builder_.multiply(number(within), builder_.subtract(corner, m)));
      };
      first = inner(repeated_corner(pieces, j));
      last = inner(repeated_corner(pieces, builder_.add(j, number(1))));
    } else {
      first = at_index(pieces.first, b);
      last = at_index(pieces.last, b);
    }
    return apply(Op::min, apply(Op::max, x, first), last);
  }

  // One switch per argument: what a function of sign(x) and abs(x) does at zero happens at once.
  int find(Op op, int argument) {
    const bool keeps_zero = op == Op::sign;
    for (std::size_t k = 0; k < found_.size(); ++k)
      if (found_[k].argument == argument && found_[k].op != Op::table &&
          (found_[k].op == Op::sign) == keeps_zero)
        return static_cast<int>(k);
    found_.push_back({op, static_cast<int>(value_.size()), argument, {}, false});
    return static_cast<int>(found_.size()) - 1;
  }
  int find_table(const TableFunction& table, int argument) {
    TablePieces pieces = cut_at_corners(table);
    for (std::size_t k = 0; k < found_.size(); ++k)
      if (found_[k].argument == argument && found_[k].op == Op::table &&
          found_[k].table.corners == pieces.corners && found_[k].table.inside == pieces.inside &&
          found_[k].table.period == pieces.period)
        return static_cast<int>(k);
    found_.push_back(
        {Op::table, static_cast<int>(value_.size()), argument, std::move(pieces), false});
    return static_cast<int>(found_.size()) - 1;
  }

  int sign_event(int which, const Found& f) {
    const int b = branch(which);
    const int at_zero = choose(size(f.argument), number(-1), number(1));
    const int silent = choose(less(size(b), 3), number(1), at_zero);
    const int held = choose(less(size(b), 1.5), builder_.multiply(b, f.argument), silent);
    return choose(size(b), held, number(1));
  }

  int table_event(int which, const Found& f) {
    const int b = branch(which);
    int low = 0, high = 0;
    if (f.table.period > 0) {
      const int j = corner_number(f.table, b);
      low = repeated_corner(f.table, j);
      high = repeated_corner(f.table, builder_.add(j, number(1)));
    } else {
      std::vector<double> lows = f.table.corners, highs = lows;
      lows.insert(lows.begin(), -nowhere);
      highs.push_back(nowhere);
      low = at_index(lows, b);
      high = at_index(highs, b);
    }
    const int inside =
        apply(Op::min, builder_.subtract(f.argument, low), builder_.subtract(high, f.argument));
    const int held = choose(less(b, 0.5 * branch_argument), inside, f.argument);
    return choose(b, held, number(1));
  }

  const Program& program_;
  const int first_;
  ProgramBuilder builder_;
  std::vector<int> value_;     // copy of each instruction, switches held
  std::vector<int> written_;   // the same as it is written
  std::vector<int> upstream_;  // the last switch an instruction depends on, or -1
  std::vector<Found> found_;
};

int first_output(const Program& program, int instruction) {
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    std::vector<bool> needed(program.code.size());
    needed[program.outputs[k]] = true;
    for (int i = program.outputs[k]; i >= 0; --i)
      if (needed[i]) visit_operands(program, program.code[i], [&](int o) { needed[o] = true; });
    if (needed[instruction]) return static_cast<int>(k);
  }
  return 0;
}

}  // namespace

bool may_have_switches(const Program& program) {
  return std::any_of(program.code.begin(), program.code.end(),
                     [&](const Instruction& i) { return is_switch(i, program); });
}

std::optional<int> find_lowest_jump(const Program& program, bool located) {
  const std::vector<char> moves = moving_instructions(program);
  std::optional<int> lowest;
  for (const Instruction& i : program.code)
    if (argument_moves(i, moves))
      if (const auto jump = lowest_jump_of(i, program, located))
        lowest = std::min(lowest.value_or(*jump), *jump);
  return lowest;
}

HeldProgram hold_switches(const Program& program, int first) {
  if (!may_have_switches(program)) return {program, {}};
  Holder holder(program, first);
  if (holder.found().empty()) return {program, {}};
  HeldProgram result;
  for (std::size_t k = 0; k < holder.found().size(); ++k) {
    const Holder::Found& f = holder.found()[k];
    result.switches.push_back({f.op, first_output(program, f.instruction),
                               Holder(program, first).finish_event(static_cast<int>(k)),
                               f.table.corners, f.table.period, f.root});
  }
  result.program = holder.finish();
  return result;
}

}  // namespace cartan::expr
