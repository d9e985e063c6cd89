// Values against the standard library; gradients against forward derivatives (Dual).
#include <gtest/gtest.h>

#include <array>

#include "random_expression.h"
#include "support.h"

namespace cartan::test::expr_test {
namespace {

TEST(Evaluate, EveryFunctionMatchesTheStandardLibrary) {
  const double x = 0.7, y = -0.4;
  const std::vector<std::pair<std::string, double>> cases = {
      {"x + y", x + y},
      {"x - y", x - y},
      {"x*y", x * y},
      {"x/y", x / y},
      {"-x", -x},
      {"x^y", std::pow(x, y)},
      {"pow(x, 2.5)", std::pow(x, 2.5)},
      {"sin(x)", std::sin(x)},
      {"cos(x)", std::cos(x)},
      {"tan(x)", std::tan(x)},
      {"asin(x)", std::asin(x)},
      {"acos(x)", std::acos(x)},
      {"atan(x)", std::atan(x)},
      {"atan2(y, x)", std::atan2(y, x)},
      {"atan2(y, -x)", std::atan2(y, -x)},
      {"sinh(x)", std::sinh(x)},
      {"cosh(x)", std::cosh(x)},
      {"tanh(x)", std::tanh(x)},
      {"exp(x)", std::exp(x)},
      {"log(x)", std::log(x)},
      {"sqrt(x)", std::sqrt(x)},
      {"abs(y)", std::fabs(y)},
      {"sign(y)", -1},
      {"sign(x)", 1},
      {"sign(x - x*1)", 0},
      {"min(x, y)", y},
      {"max(x, y)", x},
      {"min(x, 3, y, 2)", y},
      {"max(x, 3, y, 2)", 3},
      {"step(x)", 1},
      {"step(y)", 0},
      {"step(x - x*1)", 1},
      {"if(y, 1, 2)", 2},
      {"if(x, 1, 2)", 1},
      {"table(\"sine.csv\", \"y\", x)", sine_table()->value(x)}};
  for (const auto& [text, expected] : cases)
    EXPECT_DOUBLE_EQ(value_of_text(text, x, y), expected) << text;
}

// The same text with numbers in place of names: the folded value is the computed one.
TEST(Evaluate, FoldingGivesTheComputedValue) {
  for (const char* function : {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
                               "exp", "log", "sqrt", "abs", "sign", "step"}) {
    const std::string name = function;
    const Program folded = program_of(name + "(0.7)");
    EXPECT_TRUE(folded.is_constant());
    EXPECT_EQ(folded.code.size(), 1u);
    EXPECT_EQ(value_at<double>(folded, {0, 0, 0, 0}), value_of_text(name + "(x)", 0.7)) << name;
  }
}

TEST(Evaluate, WholePowers) {
  for (int n = -10; n <= 10; ++n) {
    const std::string text = "x^" + std::to_string(n);
    EXPECT_NEAR(value_of_text(text, 1.3) / std::pow(1.3, n), 1, 5e-15) << text;
    EXPECT_NEAR(value_of_text(text, -1.3) / std::pow(-1.3, n), 1, 5e-15) << text;
  }
}

double tolerance(double value, double derivative) {
  return 1e-11 * (1 + std::fabs(value) + std::fabs(derivative));
}

TEST(Gradient, AgreesWithDualOnRandomExpressions) {
  RandomExpression random(20240501);
  int not_zero = 0;
  std::array<bool, 64> seen{};
  for (int k = 0; k < 500; ++k) {
    const std::string text = random.text();
    const std::vector<double> at = random.point();
    const Program program = program_of(text);
    for (const Instruction& i : program.code) seen[static_cast<int>(i.op)] = true;
    const Dual4 forward = value_at<Dual4>(program, as_variables(at));
    double value = 0;
    const std::vector<double> gradient = gradient_at<double>(program, at, &value);
    ASSERT_TRUE(std::isfinite(value)) << text;
    EXPECT_EQ(value, value_at<double>(program, at)) << text;
    EXPECT_NEAR(value, forward.a, tolerance(value, 0)) << text;
    for (int d = 0; d < 4; ++d)
      EXPECT_NEAR(gradient[d], forward.d[d], tolerance(value, forward.d[d])) << text << " by " << d;
    not_zero += std::any_of(gradient.begin(), gradient.end(), [](double g) { return g != 0; });
  }
  EXPECT_GT(not_zero, 400);
  for (Op op = Op::constant; op <= Op::table; op = static_cast<Op>(static_cast<int>(op) + 1))
    EXPECT_TRUE(seen[static_cast<int>(op)])
        << "operation " << static_cast<int>(op) << " never came up";
}

TEST(Gradient, AgreesWithDifferences) {
  RandomExpression random(77);
  int compared = 0;
  for (int k = 0; k < 200; ++k) {
    const std::string text = random.text(3);
    const std::vector<double> at = random.point();
    const Program program = program_of(text);
    const std::vector<double> gradient = gradient_at<double>(program, at);
    for (int d = 0; d < 4; ++d) {
      const double h = 1e-5;
      std::vector<double> below = at, above = at;
      below[d] -= h;
      above[d] += h;
      const double low = value_at<double>(program, below), high = value_at<double>(program, above);
      const double middle = value_at<double>(program, at);
      // A kink or jump between the two points says nothing about the gradient.
      if (std::fabs(high - 2 * middle + low) > 1e-7) continue;
      EXPECT_NEAR(gradient[d], (high - low) / (2 * h), 1e-5 * (1 + std::fabs(gradient[d]))) << text;
      ++compared;
    }
  }
  EXPECT_GT(compared, 600);
}

// Reverse over forward: second derivatives; symmetric, and equal to differences of the gradient's
// own.
TEST(Gradient, OverDualGivesASymmetricHessian) {
  RandomExpression random(5);
  int not_zero = 0;
  for (int k = 0; k < 200; ++k) {
    const std::string text = random.text(3);
    const std::vector<Dual4> gradient =
        gradient_at<Dual4>(program_of(text), as_variables(random.point()));
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < i; ++j) {
        EXPECT_NEAR(gradient[i].d[j], gradient[j].d[i], 1e-9 * (1 + std::fabs(gradient[i].d[j])))
            << text;
        not_zero += gradient[i].d[j] != 0;
      }
  }
  EXPECT_GT(not_zero, 50);
}

TEST(Gradient, AtKinks) {
  const auto slope = [](const char* text, double x, double y = 0) {
    const Program program = program_of(text);
    const double reverse = gradient_at<double>(program, {0, x, y, 0})[1];
    EXPECT_EQ(value_at<Dual4>(program, as_variables({0, x, y, 0})).d[1], reverse) << text;
    EXPECT_EQ(value_at<double>(differentiate(program, symbol_x), {0, x, y, 0}), reverse) << text;
    EXPECT_EQ(gradient_at<Pack4>(program, {0, x, y, 0})[1][2], reverse) << text;
    return reverse;
  };
  EXPECT_EQ(slope("abs(x)", 0), 0);
  EXPECT_EQ(slope("sign(x)", 0), 0);
  EXPECT_EQ(slope("step(x)", 0), 0);
  EXPECT_EQ(slope("sqrt(x)", 0), 0);
  EXPECT_EQ(slope("sqrt(x*x)", 0), 0);
  EXPECT_EQ(slope("x^0.5", 0), 0);
  EXPECT_EQ(slope("x^1.5", 0), 0);
  EXPECT_EQ(slope("x^y", 0, 1), 1);
  EXPECT_EQ(slope("x^y", 0, 2), 0);
  EXPECT_EQ(slope("x^y", 0, 0), 0);
  EXPECT_EQ(slope("x^y", -2, 3), 12);
  EXPECT_EQ(slope("y^x", 0, 0), 0);
  EXPECT_EQ(slope("min(x, 2*x)", 0), 1);
  EXPECT_EQ(slope("min(x, 2*x)", -1), 2);
  EXPECT_EQ(slope("max(x, 2*x)", 1), 2);
  EXPECT_EQ(slope("max(x, 2*x)", -1), 1);
  EXPECT_EQ(slope("if(x > 0, log(x), 3*x)", 0), 3);
  EXPECT_EQ(slope("if(x > 0, 1/x, 3*x)", 0), 3);
  EXPECT_EQ(slope("if(x > 0, sqrt(x)*x^-2, 3*x)", 0), 3);
  EXPECT_EQ(slope("if(x > 0, atan2(x, y), 3*x)", 0), 3);
  EXPECT_EQ(slope("if(x > 0, asin(x - 2), 3*x)", 0), 3);
}

TEST(Packs, EveryLaneIsItsOwnEvaluation) {
  RandomExpression random(99);
  for (int k = 0; k < 200; ++k) {
    const std::string text = random.text();
    const Program program = program_of(text);
    std::vector<std::vector<double>> at;
    std::vector<Pack4> packed(4);
    for (int lane = 0; lane < 4; ++lane) {
      at.push_back(random.point());
      for (int d = 0; d < 4; ++d) packed[d][lane] = at[lane][d];
    }
    Pack4 value;
    const std::vector<Pack4> gradient = gradient_at<Pack4>(program, packed, &value);
    for (int lane = 0; lane < 4; ++lane) {
      double alone = 0;
      const std::vector<double> gradient_alone = gradient_at<double>(program, at[lane], &alone);
      EXPECT_NEAR(value[lane], alone, tolerance(alone, 0)) << text;
      for (int d = 0; d < 4; ++d)
        EXPECT_NEAR(gradient[d][lane], gradient_alone[d], tolerance(alone, gradient_alone[d]))
            << text;
    }
  }
}

// One lane stands where the other branch has an infinite slope.
TEST(Packs, ABranchNotTakenDoesNotReachItsLane) {
  Pack4 x;
  for (int lane = 0; lane < 4; ++lane) x[lane] = lane;
  const std::vector<Pack4> gradient =
      gradient_at<Pack4>(program_of("if(x > 0, log(x), 3*x)"), {0, x, 0, 0});
  EXPECT_EQ(gradient[1][0], 3);
  EXPECT_EQ(gradient[1][1], 1);
  EXPECT_EQ(gradient[1][2], 0.5);
}

}  // namespace
}  // namespace cartan::test::expr_test
