// Held expressions: free branches leave what is written, held ones continue one formula.
#include "expr/switches.h"

#include <cmath>

#include <gtest/gtest.h>

#include "expr/expression.h"
#include "expr/lowest_jump.h"
#include "expr/program_builder.h"

namespace cartan::test {
namespace {

Program compile_text(const std::string& text) {
  ExpressionError error;
  const Syntax tree = parse_expression(text, error);
  std::vector<CompileError> errors;
  const Resolver names = [](const std::string& name, int) {
    Meaning meaning;
    if (name == "x") meaning.symbol = Symbol{Quantity::variable, 0, 0};
    if (name == "p") meaning.symbol = Symbol{Quantity::parameter, 0, 0};
    return meaning;
  };
  Program program = compile(std::span(&tree, 1), names, {}, errors);
  EXPECT_TRUE(errors.empty()) << text;
  return program;
}

double value(const Program& program, double x, const std::vector<int>& branches) {
  std::vector<double> inputs, scratch(program.scratch_size()), result(1);
  for (const Symbol& symbol : program.inputs)
    inputs.push_back(symbol.quantity == Quantity::branch      ? branches[symbol.index]
                     : symbol.quantity == Quantity::parameter ? 2.0
                                                              : x);
  evaluate<double>(program, inputs, scratch, result);
  return result[0];
}

TEST(Switches, FreeBranchesChangeNothing) {
  for (const char* text :
       {"abs(x)", "sign(x)", "step(x)", "min(x, 1)", "max(x, -1)", "if(x - 0.5, x^2, 3*x)",
        "min(2, max(-2, 3*x)) + abs(x - 1)*sign(x + 1)", "max(-x, 0)^1.5", "sqrt(max(x, 0))"}) {
    const Program program = compile_text(text);
    const HeldProgram held = hold_switches(program, 0);
    ASSERT_FALSE(held.switches.empty()) << text;
    const std::vector<int> free(held.switches.size(), branch_free);
    for (const double x : {-2.0, -1.0, -0.3, 0.0, 0.5, 0.7, 1.0, 1.5}) {
      EXPECT_EQ(value(held.program, x, free), value(program, x, {})) << text << " at " << x;
      for (const SwitchPoint& point : held.switches)
        EXPECT_EQ(value(point.event, x, free), 1) << text;  // never crosses
    }
  }
}

TEST(Switches, HeldBranchesContinueOneFormula) {
  struct Case {
    const char* text;
    double (*above)(double);
    double (*below)(double);
  };
  const Case cases[] = {
      {"abs(x)", [](double x) { return x; }, [](double x) { return -x; }},
      {"sign(x)", [](double) { return 1.0; }, [](double) { return -1.0; }},
      {"step(x)", [](double) { return 1.0; }, [](double) { return 0.0; }},
      {"max(x, 0)", [](double x) { return x; }, [](double) { return 0.0; }},
      {"min(x, 0)", [](double) { return 0.0; }, [](double x) { return x; }},
      {"if(x, x^2, 3*x)", [](double x) { return x * x; }, [](double x) { return 3 * x; }},
  };
  for (const Case& c : cases) {
    const HeldProgram held = hold_switches(compile_text(c.text), 0);
    ASSERT_EQ(held.switches.size(), 1u) << c.text;
    for (const double x : {-0.7, 0.7}) {
      EXPECT_EQ(value(held.program, x, {branch_above}), c.above(x)) << c.text;
      EXPECT_EQ(value(held.program, x, {-branch_above}), c.below(x)) << c.text;
      EXPECT_EQ(value(held.program, x, {branch_sampled}), c.above(x)) << c.text;
      EXPECT_EQ(value(held.program, x, {-branch_sampled}), c.below(x)) << c.text;
      // above zero on the side that is held, silent where it is sampled
      EXPECT_EQ(value(held.switches[0].event, x, {branch_above}), x) << c.text;
      EXPECT_EQ(value(held.switches[0].event, x, {-branch_above}), -x) << c.text;
      EXPECT_EQ(value(held.switches[0].event, x, {branch_sampled}), 1) << c.text;
    }
  }
}

TEST(Switches, SignOfZeroIsHeld) {
  const HeldProgram held = hold_switches(compile_text("sign(x)"), 0);
  EXPECT_EQ(value(held.program, 0.3, {branch_zero}), 0);
  EXPECT_GT(value(held.switches[0].event, 0, {branch_zero}), 0);
  EXPECT_LT(value(held.switches[0].event, 1e-20, {branch_zero}), 0);
}

TEST(Switches, RootsHaveValuesBeyondTheSwitchingPointOnly) {
  const HeldProgram held = hold_switches(compile_text("max(-x, 0)^1.5"), 0);
  ASSERT_EQ(held.switches.size(), 1u);
  EXPECT_TRUE(held.switches[0].root);
  EXPECT_DOUBLE_EQ(value(held.program, -0.25, {branch_above}), 0.125);
  EXPECT_TRUE(std::isfinite(value(held.program, 0.25, {branch_above})));
  // without a value as written, without one held
  const HeldProgram none = hold_switches(compile_text("sqrt(min(x, 5))"), 0);
  EXPECT_TRUE(std::isnan(value(none.program, -1, {-branch_above})));
  EXPECT_EQ(value(none.program, 4, {-branch_above}), 2);
}

TEST(Switches, OneForEachArgumentAndNoneForParameters) {
  EXPECT_EQ(hold_switches(compile_text("abs(x) + max(x, 0) + step(x)"), 0).switches.size(), 1u);
  EXPECT_EQ(hold_switches(compile_text("abs(x) + abs(x - 1)"), 0).switches.size(), 2u);
  EXPECT_TRUE(hold_switches(compile_text("abs(p)*x + if(p, x, 2*x)"), 0).switches.empty());
  EXPECT_TRUE(hold_switches(compile_text("sin(x)*tanh(x)"), 0).switches.empty());
  const HeldProgram later = hold_switches(compile_text("abs(x)"), 7);
  EXPECT_EQ(later.switches.size(), 1u);
  EXPECT_TRUE(later.program.depends_on(Quantity::branch));
}

// ------------------------------------------------------------------------------------------ tables

HeldProgram held_table(Interpolation between, Outside outside) {
  const std::vector<double> x = {0, 0.5, 1, 2}, y = {1, 3, 2, 1};
  const auto table = std::make_shared<const TableFunction>(x, y, between, outside);
  ProgramBuilder builder;
  const int argument = builder.input({Quantity::variable, 0, 0});
  return hold_switches(builder.finish({builder.table(table, 0, argument)}), 0);
}

// Corners 0.5 and 1 (and 0 and 2 where the ends are held): piece k is continued beyond them.
TEST(Switches, PiecesOfTablesAreContinued) {
  const HeldProgram inner = held_table(Interpolation::linear, Outside::extrapolate);
  ASSERT_EQ(inner.switches.size(), 1u);
  EXPECT_EQ(inner.switches[0].corners, (std::vector<double>{0.5, 1}));
  for (const double x : {-1.0, 0.2, 0.7, 1.5, 3.0}) {
    EXPECT_NEAR(value(inner.program, x, {1}), 1 + 4 * x, 1e-14);
    EXPECT_NEAR(value(inner.program, x, {2}), 3 - 2 * (x - 0.5), 1e-14);
    EXPECT_NEAR(value(inner.program, x, {3}), 2 - (x - 1), 1e-14);
    EXPECT_EQ(value(inner.switches[0].event, x, {branch_argument}), x);
    EXPECT_NEAR(value(inner.switches[0].event, x, {2}), std::min(x - 0.5, 1 - x), 1e-14);
    EXPECT_EQ(value(inner.switches[0].event, x, {branch_free}), 1);
  }
  const HeldProgram ends = held_table(Interpolation::linear, Outside::hold);
  EXPECT_EQ(ends.switches[0].corners, (std::vector<double>{0, 0.5, 1, 2}));
  EXPECT_NEAR(value(ends.program, 0.3, {1}), 1, 1e-14);
  EXPECT_NEAR(value(ends.program, 0.3, {5}), 1, 1e-14);
  EXPECT_NEAR(value(ends.program, 3, {2}), 13, 1e-13);
  const HeldProgram steps = held_table(Interpolation::steps, Outside::error);
  EXPECT_EQ(steps.switches[0].corners, (std::vector<double>{0.5, 1, 2}));
  EXPECT_EQ(value(steps.program, 0.5, {1}), 1);
  EXPECT_EQ(value(steps.program, 0.4, {2}), 3);
  EXPECT_TRUE(std::isnan(value(steps.program, 2.5, {3})));  // beyond the end
  EXPECT_TRUE(held_table(Interpolation::spline, Outside::extrapolate).switches.empty());
}

// A smooth table of many rows whose end values hold: corners at its ends alone, and between them it
// is what it is.
TEST(Switches, BetweenCornersATableIsWhatItIs) {
  std::vector<double> x, y;
  for (int k = 0; k <= 40; ++k) x.push_back(0.05 * k), y.push_back(std::sin(3 * x.back()));
  for (const Outside outside : {Outside::hold, Outside::periodic}) {
    const auto table = std::make_shared<const TableFunction>(x, y, Interpolation::spline, outside);
    ProgramBuilder builder;
    const int t = builder.input({Quantity::time, 0, 0});
    const HeldProgram held = hold_switches(builder.finish({builder.table(table, 0, t)}), 0);
    ASSERT_EQ(held.switches.size(), 1u);
    const int corners = static_cast<int>(held.switches[0].corners.size());
    const int branch = outside == Outside::hold ? 2 : corners * branch_periods + 1;
    for (const double at : {0.013, 0.31, 1.0, 1.62, 1.99})
      EXPECT_NEAR(value(held.program, at, {branch}), table->value(at), 1e-13) << at;
    // a little beyond: the last piece goes on
    EXPECT_NEAR(value(held.program, 2.01, {branch}), std::sin(6.03), 1e-3);
  }
}

TEST(Switches, PeriodsOfTablesAreCounted) {
  const HeldProgram held = held_table(Interpolation::steps, Outside::periodic);
  ASSERT_EQ(held.switches.size(), 1u);
  const SwitchPoint& point = held.switches[0];
  EXPECT_EQ(point.corners, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(point.period, 2);
  const int zero = 3 * branch_periods + 1;  // the piece from 0 to 0.5
  const double values[] = {1, 3, 2}, ends[] = {0, 0.5, 1, 2};
  for (const int period : {-2, 0, 5})
    for (int k = 0; k < 3; ++k) {
      const int branch = zero + 3 * period + k;
      const double low = ends[k] + 2 * period, high = ends[k + 1] + 2 * period;
      EXPECT_NEAR(value(held.program, low - 0.1, {branch}), values[k], 1e-14);
      EXPECT_NEAR(value(point.event, low, {branch}), 0, 1e-14);
      EXPECT_NEAR(value(point.event, high, {branch}), 0, 1e-14);
      EXPECT_GT(value(point.event, 0.5 * (low + high), {branch}), 0);
    }
}

// What a method meets where it does not stop, and what is left where it stops at switches.
TEST(Switches, LowestJump) {
  const auto jump = [](const char* text, bool located) {
    return find_lowest_jump(compile_text(text), located).value_or(-1);
  };
  EXPECT_EQ(jump("sin(x)*p", false), -1);
  EXPECT_EQ(jump("abs(x)*x", false), 1);
  EXPECT_EQ(jump("max(x, 0) + step(x)", false), 0);
  EXPECT_EQ(jump("abs(p)*x", false), -1);  // parameters do not change on the way
  EXPECT_EQ(jump("abs(x) + step(x)", true), -1);
  const auto table_jump = [](Interpolation between, Outside outside, bool located) {
    ProgramBuilder builder;
    const auto table = std::make_shared<const TableFunction>(
        std::vector<double>{0, 1, 2, 3.5, 5, 6}, std::vector<double>{0, 1, -1, 2, 0, 1}, between,
        outside);
    const int argument = builder.input({Quantity::variable, 0, 0});
    const Program program = builder.finish({builder.table(table, 0, argument)});
    return find_lowest_jump(program, located).value_or(-1);
  };
  EXPECT_EQ(table_jump(Interpolation::steps, Outside::extrapolate, false), 0);
  EXPECT_EQ(table_jump(Interpolation::linear, Outside::extrapolate, false), 1);
  EXPECT_EQ(table_jump(Interpolation::linear, Outside::extrapolate, true), -1);
  EXPECT_EQ(table_jump(Interpolation::pchip, Outside::extrapolate, false), 2);
  EXPECT_EQ(table_jump(Interpolation::spline, Outside::extrapolate, false), 3);
  EXPECT_EQ(table_jump(Interpolation::spline, Outside::extrapolate, true), 3);
  EXPECT_EQ(table_jump(Interpolation::spline, Outside::hold, false), 1);
}

}  // namespace
}  // namespace cartan::test
