// Text and LaTeX of expressions; text reads back as the same value.
#include "symbolic/print/print.h"

#include <gtest/gtest.h>

#include "expr/compile.h"
#include "random_program.h"

namespace cartan::test::symbolic_test {
namespace {

class Print : public testing::Test {
 protected:
  std::string text(const Expression& x) { return to_text(graph, x); }
  std::string latex(const Expression& x) { return to_latex(graph, x); }

  ExpressionGraph graph;
  Expression x = graph.symbol("x", 0.4), y = graph.symbol("y", 1.3), z = graph.symbol("z", -0.8);
};

TEST_F(Print, SignsAndBrackets) {
  EXPECT_EQ(text(x - y), "x - y");
  EXPECT_EQ(text(y - x), "y - x");
  EXPECT_EQ(text(1 - x), "1 - x");
  EXPECT_EQ(text(x - 1), "x - 1");
  EXPECT_EQ(text(-x), "-x");
  EXPECT_EQ(text(-x - y), "-x - y");
  EXPECT_EQ(text((x - y) * z), "(x - y)*z");
  EXPECT_EQ(text((y - x) * z), "(y - x)*z");
  EXPECT_EQ(text(-(x + y) * z), "-(x + y)*z");
  EXPECT_EQ(text(x * (-y)), "-x*y");
  EXPECT_EQ(text(sin(1 - x)), "-sin(x - 1)");
  EXPECT_EQ(text(2 - 2 * x), "2*(1 - x)");
  EXPECT_EQ(text(x + (y + z)), "x + y + z");
  EXPECT_EQ(text(x - (y - z)), "x - y + z");
  EXPECT_EQ(text(Expression(-3)), "-3");
}

TEST_F(Print, PowersAndFractions) {
  EXPECT_EQ(text(x * x), "x^2");
  EXPECT_EQ(text(x * x * x * y), "x^3*y");
  EXPECT_EQ(text(x / y), "x/y");
  EXPECT_EQ(text(x / (y * z)), "x/(y*z)");
  EXPECT_EQ(text(1 / (x + y)), "1/(x + y)");
  EXPECT_EQ(text(x * (1 / y)), "x/y");
  EXPECT_EQ(text(0.5 * x * y * y), "x*y^2/2");
  EXPECT_EQ(text(x / 3), "x/3");
  EXPECT_EQ(text((x + y) * (x + y)), "(x + y)^2");
  EXPECT_EQ(text(-x * x), "-x^2");
  EXPECT_EQ(text(pow(x, y)), "x^y");
  EXPECT_EQ(text(pow(-x, y + 1)), "(-x)^(y + 1)");
  EXPECT_EQ(text(pow(sin(x), 2)), "sin(x)^2");
}

TEST_F(Print, Numbers) {
  EXPECT_EQ(text(0.1 * x), "0.1*x");
  EXPECT_EQ(text(x + pi), "x + pi");
  EXPECT_EQ(text(x - pi / 2), "x - pi/2");
  EXPECT_EQ(text(2 * pi * x), "2*pi*x");
  EXPECT_EQ(text(9.81 * x), "9.81*x");
  EXPECT_EQ(text(1e-9 * x), "1e-09*x");
  EXPECT_EQ(text(x + 0.5), "x + 0.5");
  EXPECT_EQ(text(Expression(1.0 / 3)), "1/3");
}

TEST_F(Print, Latex) {
  const Expression q = graph.symbol("theta1", 1), v = graph.symbol("theta1'", 1);
  EXPECT_EQ(latex(x / y), "\\frac{x}{y}");
  EXPECT_EQ(latex(0.5 * x * y * y), "\\frac{x \\, y^{2}}{2}");
  EXPECT_EQ(latex(x * sin(q)), "x \\, \\sin{\\theta_{1}}");
  EXPECT_EQ(latex(v * v * cos(q) * cos(q)), "\\dot{\\theta}_{1}^{2} \\, \\cos^{2}{\\theta_{1}}");
  EXPECT_EQ(latex(sqrt(x + y)), "\\sqrt{x + y}");
  EXPECT_EQ(latex(1e-9 * x), "1 \\cdot 10^{-9} \\, x");
  EXPECT_EQ(latex(sin(x + y)), "\\sin\\left(x + y\\right)");
  EXPECT_EQ(to_latex(graph, x * y, [](const std::string& name) { return "\\dot{" + name + "}"; }),
            "\\dot{x} \\, \\dot{y}");
}

TEST_F(Print, LatexNames) {
  EXPECT_EQ(latex_name("q1"), "q_{1}");
  EXPECT_EQ(latex_name("m_rod"), "m_{\\mathrm{rod}}");
  EXPECT_EQ(latex_name("Omega"), "\\Omega");
  EXPECT_EQ(latex_name("pivot.q[0]"), "q_{\\mathrm{pivot},0}");
  EXPECT_EQ(latex_name("length"), "\\mathrm{length}");
  EXPECT_EQ(latex_name("q1'"), "\\dot{q}_{1}");
  EXPECT_EQ(latex_name("q''"), "\\ddot{q}");
}

TEST_F(Print, LongExpressionsHaveIntermediateResults) {
  Expression power = x + y;
  for (int k = 0; k < 40; ++k) power = sin(power) * power + z;
  const std::vector<Expression> values{power, power * x};
  const Printed printed = print_text(graph, values);
  EXPECT_GT(printed.lines.size(), 10u);
  EXPECT_EQ(printed.lines[0].name, "z1");
  std::size_t length = 0;
  for (const PrintedLine& line : printed.lines) length += line.text.size();
  EXPECT_LT(length, 3000u);
}

// What the parser of model files makes of a text.
double read_back(const std::string& text, const std::vector<double>& at) {
  ExpressionError parse_error;
  const Syntax tree = parse_expression(text, parse_error);
  EXPECT_TRUE(tree) << text << ": " << parse_error.message;
  std::vector<CompileError> errors;
  const Program program = compile(
      {&tree, 1},
      [](const std::string& name, int) {
        Meaning meaning;
        meaning.symbol = Symbol{Quantity::variable, name[1] - '1', 0};
        return meaning;
      },
      {}, errors);
  EXPECT_TRUE(errors.empty()) << text << ": " << (errors.empty() ? "" : errors[0].message);
  std::vector<double> inputs;
  for (const Symbol& symbol : program.inputs) inputs.push_back(at[symbol.index]);
  return values_of<double>(program, inputs)[0];
}

// Numbers that only look long: to one rounding.
TEST(PrintNumbers, AreShort) {
  ExpressionGraph graph;
  const Expression x = graph.symbol("x1", 1);
  constexpr double pi = 3.14159265358979323846;
  EXPECT_EQ(to_text(graph, 9.81 * pi * x), "9.81*pi*x1");
  EXPECT_EQ(to_text(graph, (2 * 9.81 * pi) * x), "19.62*pi*x1");
  EXPECT_EQ(to_text(graph, (1.57 / 3) * x), "1.57*x1/3");
  EXPECT_EQ(to_text(graph, (1.0 / 144) * x), "x1/144");
  EXPECT_EQ(to_text(graph, 0.1234567891234 * x), "0.1234567891234*x1");
  EXPECT_EQ(to_text(graph, 3.3645051 * x), "3.3645051*x1");
  for (const double number : {9.81 * pi, 1.57 / 3, 0.1234567891234567, 1e-7 / 3})
    EXPECT_NEAR(read_back(to_text(graph, number * x), {1.0}) / number, 1, 4e-16);
}

TEST(PrintRandom, TextReadsBack) {
  ProgramMaker maker(21);
  int read = 0;
  for (int k = 0; k < 3000; ++k) {
    const RandomProgram random = maker.make(3 + k % 25);
    ExpressionGraph graph;
    const auto symbols = symbols_at(graph, random.point[0]);
    for (const Expression& value : run_symbolic(random.program, symbols)) {
      const std::string text = to_text(graph, value);
      if (text.find("table") != std::string::npos || text.find('\n') != std::string::npos) continue;
      ASSERT_NEAR(read_back(text, random.point[0]), value.sample(), 1e-9) << text;
      EXPECT_GT(to_latex(graph, value).size(), 0u);
      ++read;
    }
  }
  EXPECT_GT(read, 4000);
}

}  // namespace
}  // namespace cartan::test::symbolic_test
