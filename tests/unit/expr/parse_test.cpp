// Texts against values computed by hand or by the standard library, and bad texts against the place
// and the reason they must be refused for.
#include <gtest/gtest.h>

#include <random>

#include "support.h"

namespace cartan::test::expr_test {
namespace {

TEST(Parse, Numbers) {
  EXPECT_EQ(value_of_text("1"), 1);
  EXPECT_EQ(value_of_text("1.5"), 1.5);
  EXPECT_EQ(value_of_text(".5"), 0.5);
  EXPECT_EQ(value_of_text("2."), 2);
  EXPECT_EQ(value_of_text("1e-3"), 1e-3);
  EXPECT_EQ(value_of_text("  1.25E+2 "), 125);
  EXPECT_EQ(value_of_text("0.1"), 0.1);
  EXPECT_EQ(value_of_text("pi"), 3.14159265358979323846);
}

TEST(Parse, Precedence) {
  EXPECT_EQ(value_of_text("1 + 2*3"), 7);
  EXPECT_EQ(value_of_text("(1 + 2)*3"), 9);
  EXPECT_EQ(value_of_text("10 - 4 - 3"), 3);
  EXPECT_EQ(value_of_text("16/4/2"), 2);
  EXPECT_EQ(value_of_text("2^3^2"), 512);
  EXPECT_EQ(value_of_text("-3^2"), -9);
  EXPECT_EQ(value_of_text("-x^2", 3), -9);
  EXPECT_EQ(value_of_text("(-x)^2", 3), 9);
  EXPECT_EQ(value_of_text("2^-1"), 0.5);
  EXPECT_EQ(value_of_text("2^-x^2", 2), 0.0625);
  EXPECT_EQ(value_of_text("2*-3"), -6);
  EXPECT_EQ(value_of_text("--3"), 3);
  EXPECT_EQ(value_of_text("+3 - +2"), 1);
  EXPECT_EQ(value_of_text("6/2*3"), 9);
  EXPECT_EQ(value_of_text("-2*3 + 10"), 4);
  EXPECT_EQ(value_of_text("2*3^2"), 18);
}

TEST(Parse, Comparisons) {
  EXPECT_EQ(value_of_text("if(x < 2, 10, 20)", 1), 10);
  EXPECT_EQ(value_of_text("if(x < 2, 10, 20)", 2), 20);
  EXPECT_EQ(value_of_text("if(x <= 2, 10, 20)", 2), 10);
  EXPECT_EQ(value_of_text("if(x <= 2, 10, 20)", 2.5), 20);
  EXPECT_EQ(value_of_text("if(x > 2, 10, 20)", 2), 20);
  EXPECT_EQ(value_of_text("if((x >= 2), 10, 20)", 2), 10);
  EXPECT_EQ(value_of_text("if(x >= 2, 10, 20)", 1), 20);
  EXPECT_EQ(value_of_text("if(x, 10, 20)", 0), 20);
  EXPECT_EQ(value_of_text("if(x, 10, 20)", 0.1), 10);
}

TEST(Parse, Names) {
  EXPECT_EQ(names_in(parsed("pivot.q[1]*x + 'my joint'.q[0] - x + sin(a_1.vx) + pi")),
            (std::vector<std::string>{"pivot.q", "x", "my joint.q", "a_1.vx"}));
  EXPECT_TRUE(names_in(nullptr).empty());
  const Program program = program_of("pivot.q[ 3 ]");
  ASSERT_EQ(program.inputs.size(), 1u);
  EXPECT_EQ(program.inputs[0], (Symbol{Quantity::joint_q, 0, 3}));
}

TEST(Parse, FunctionNamesAreFreeForOtherUses) {
  EXPECT_EQ(names_in(parsed("step*2 + min(min, 'pi')")),
            (std::vector<std::string>{"step", "min", "pi"}));
}

struct BadText {
  const char* text;
  int offset;
  const char* part_of_message;
};

class ParseRefuses : public testing::TestWithParam<BadText> {};

TEST_P(ParseRefuses, WithPlaceAndReason) {
  const BadText& bad = GetParam();
  ExpressionError error;
  EXPECT_FALSE(parse_expression(bad.text, error));
  EXPECT_EQ(error.offset, bad.offset) << error.message;
  EXPECT_NE(error.message.find(bad.part_of_message), std::string::npos) << error.message;
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ParseRefuses,
    testing::Values(
        BadText{"", 0, "empty"}, BadText{"   ", 0, "empty"}, BadText{"1 +", 3, "ends too early"},
        BadText{"(1 + 2", 0, "never closed"}, BadText{"2*(1 + (3)", 2, "never closed"},
        BadText{"1 + 2)", 5, "without a matching '('"}, BadText{"sin(x", 3, "never closed"},
        BadText{"sine(x)", 0, "did you mean 'sin'"},
        BadText{"1 + sqr(x)", 4, "did you mean 'sqrt'"}, BadText{"Sin(x)", 0, "did you mean 'sin'"},
        BadText{"frobnicate(x)", 0, "unknown function"},
        BadText{"sin(x, y)", 0, "takes 1 argument, not 2"}, BadText{"atan2(x)", 0, "atan2(y, x)"},
        BadText{"3*max(x)", 2, "takes 2 or more"}, BadText{"if(x, 1)", 0, "takes 3"},
        BadText{"sin()", 0, "not 0"}, BadText{"2 x", 2, "operator is missing"},
        BadText{"2x", 1, "operator is missing"}, BadText{"x # 2", 2, "unexpected '#'"},
        BadText{"x + $", 4, "unexpected '$'"}, BadText{"x \xE2\x88\x92 2", 2, "byte 0xE2"},
        BadText{"x ** 2", 2, "write powers with '^'"}, BadText{"x*/2", 2, "unexpected '/'"},
        BadText{"1,5", 1, "decimal point"}, BadText{"(1, 2)", 2, "outside the arguments"},
        BadText{"1e", 1, "exponent"}, BadText{"1e999", 0, "too large"},
        BadText{"x < 2", 2, "only as the condition"},
        BadText{"if(1 + (x < 2), 1, 2)", 10, "condition"},
        BadText{"if(x, y < 2, 1)", 8, "condition"}, BadText{"if(1 < x < 2, 1, 2)", 9, "chained"},
        BadText{"if(x == 2, 1, 2)", 5, "comparisons are"}, BadText{"x.", 2, "after '.'"},
        BadText{"x.1", 2, "after '.'"}, BadText{"'x", 0, "never closed"}, BadText{"''", 0, "empty"},
        BadText{"x[1.5]", 3, "whole number"}, BadText{"x[-1]", 2, "whole number"},
        BadText{"x[]", 2, "whole number"}, BadText{"x[1", 1, "add ']'"},
        BadText{"x[99999999999]", 2, "too large"}, BadText{"pi(2)", 0, "not a function"},
        BadText{"table(x, 1)", 6, "text in quotes"},
        BadText{"table(\"a\", \"b\")", 14, "',' is missing"},
        BadText{"table(\"a\", \"b\", x, y)", 19, "a text in quotes"},
        BadText{"table(\"a\", \"b\", x, \"cubic\")", 19, "'linear', 'pchip', 'spline' or 'steps'"},
        BadText{"table(\"a\", \"b\", x, \"steps\", \"holds\")", 28, "did you mean 'hold'?"},
        BadText{"table(\"a\", \"b\", x, \"steps\", \"hold\", 1)", 34, "too many"},
        BadText{"\"a\"", 0, "only in table"}, BadText{"sin(,x)", 4, "before ','"},
        BadText{"()", 1, "before ')'"}, BadText{"body-1.x", 7, "single quotes"}));

TEST(ParseLimits, DeepNestingIsRefused) {
  ExpressionError error;
  for (const char* opening : {"(", "-", "sin(", "2^", "if(", "min(1,", "table(\"a\",\"b\","}) {
    std::string text;
    for (std::size_t size = std::string(opening).size(); text.size() + size < 60000;)
      text += opening;
    EXPECT_FALSE(parse_expression(text + "x", error)) << opening;
    EXPECT_NE(error.message.find("nested"), std::string::npos) << error.message;
  }
  EXPECT_TRUE(parse_expression(std::string(150, '(') + "x" + std::string(150, ')'), error));
}

TEST(ParseLimits, LongTexts) {
  ExpressionError error;
  EXPECT_FALSE(parse_expression(std::string(100000, '('), error));
  EXPECT_NE(error.message.find("longer than"), std::string::npos);
  std::string sum = "x";
  while (sum.size() < 65000) sum += "+x";
  EXPECT_EQ(value_of_text(sum, 1), (sum.size() + 1) / 2.0);
}

// Pieces of valid texts glued together: no crash on the way to a derivative, and every refusal
// names a place inside the text.
TEST(ParseLimits, RandomTexts) {
  const char* pieces[] = {"x",      "1",  ".",    "e",    "+",    "-",  "*",
                          "/",      "^",  "(",    ")",    "[",    "]",  ",",
                          "<",      ">=", "sin(", "if(",  "'",    "\"", " ",
                          "table(", "pi", "max(", "\xff", "2.5e", "0",  "'a b'.q[1]"};
  std::mt19937 random(7);
  int accepted = 0;
  for (int k = 0; k < 20000; ++k) {
    std::string text;
    for (int n = 1 + static_cast<int>(random() % 12); n > 0; --n)
      text += pieces[random() % std::size(pieces)];
    ExpressionError error;
    if (const Syntax tree = parse_expression(text, error)) {
      std::vector<CompileError> errors;
      const Program program = compile(std::span(&tree, 1), Names(), read_table, errors);
      EXPECT_EQ(differentiate(program, symbol_x).outputs.size(), 1u) << text;
      ++accepted;
      continue;
    }
    EXPECT_FALSE(error.message.empty()) << text;
    EXPECT_GE(error.offset, 0) << text;
    EXPECT_LE(error.offset, static_cast<int>(text.size())) << text;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace cartan::test::expr_test
