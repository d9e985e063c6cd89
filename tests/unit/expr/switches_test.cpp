// Held expressions: free branches leave what is written, held ones continue one formula.
#include "expr/switches.h"

#include <cmath>

#include <gtest/gtest.h>

#include "expr/expression.h"

namespace cartan {
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

}  // namespace
}  // namespace cartan
