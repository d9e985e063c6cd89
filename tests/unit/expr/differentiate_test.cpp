// Symbolic derivatives against forward derivatives (Dual), twice over.
#include <gtest/gtest.h>

#include "random_expression.h"
#include "support.h"

namespace cartan::test::expr_test {
namespace {

TEST(Differentiate, AgreesWithDualOnRandomExpressions) {
  RandomExpression random(31);
  int not_zero = 0;
  for (int k = 0; k < 500; ++k) {
    const std::string text = random.text();
    const std::vector<double> at = random.point();
    const Program program = program_of(text);
    const Dual4 forward = value_at<Dual4>(program, as_variables(at));
    for (int d = 0; d < 4; ++d) {
      const double symbolic = value_at<double>(differentiate(program, all_symbols[d]), at);
      EXPECT_NEAR(symbolic, forward.d[d],
                  1e-11 * (1 + std::fabs(forward.a) + std::fabs(forward.d[d])))
          << text << " by " << d;
      not_zero += symbolic != 0;
    }
  }
  EXPECT_GT(not_zero, 800);
}

TEST(Differentiate, TwiceAgreesWithReverseOverForward) {
  RandomExpression random(32);
  int not_zero = 0;
  for (int k = 0; k < 300; ++k) {
    const std::string text = random.text(3);
    const std::vector<double> at = random.point();
    const Program program = program_of(text);
    const std::vector<Dual4> gradient = gradient_at<Dual4>(program, as_variables(at));
    const Program second = differentiate(differentiate(program, symbol_x), symbol_x);
    const double expected = gradient[1].d[1];
    EXPECT_NEAR(value_at<double>(second, at), expected,
                1e-10 * (1 + std::fabs(expected) + std::fabs(gradient[1].a)))
        << text;
    not_zero += expected != 0;
  }
  EXPECT_GT(not_zero, 60);
}

TEST(Differentiate, TablesGiveTheirSplineDerivatives) {
  const Program program = program_of("table(\"sine.csv\", \"y\", t)");
  const Program first = differentiate(program, symbol_t);
  const Program second = differentiate(first, symbol_t);
  const Program third = differentiate(second, symbol_t);
  for (double t : {-3.5, -1.0, 0.3, 2.9, 4.0}) {
    EXPECT_EQ(value_at<double>(first, {t, 0, 0, 0}), sine_table()->slope(t));
    EXPECT_EQ(value_at<double>(second, {t, 0, 0, 0}), sine_table()->curvature(t));
    EXPECT_EQ(value_at<double>(third, {t, 0, 0, 0}), sine_table()->jerk(t));
    EXPECT_EQ(gradient_at<double>(second, {t, 0, 0, 0})[0], sine_table()->jerk(t));
  }
  EXPECT_TRUE(differentiate(third, symbol_t).is_constant());
}

TEST(Differentiate, ResultsAreSimple) {
  const auto size = [](const char* text) {
    return differentiate(program_of(text), symbol_t).code.size();
  };
  EXPECT_EQ(size("x*y"), 1u);         // 0
  EXPECT_EQ(size("3*t + x"), 1u);     // 3
  EXPECT_EQ(size("x*t"), 1u);         // x
  EXPECT_EQ(size("sin(t)"), 2u);      // cos t
  EXPECT_EQ(size("x*sin(2*t)"), 7u);  // x * (cos(2 t) * 2)
  EXPECT_EQ(size("step(t)*x"), 1u);   // 0
  EXPECT_TRUE(differentiate(program_of("sin(x)"), symbol_t).is_constant());
}

TEST(Differentiate, EveryOutput) {
  const Program derivative = differentiate(compile_texts({"x", "t^2", "exp(t)"}).program, symbol_t);
  ASSERT_EQ(derivative.outputs.size(), 3u);
  EXPECT_EQ(derivative.inputs, std::vector<Symbol>{symbol_t});
  EXPECT_EQ(value_at<double>(derivative, {3, 0, 0, 0}, 0), 0);
  EXPECT_EQ(value_at<double>(derivative, {3, 0, 0, 0}, 1), 6);
  EXPECT_EQ(value_at<double>(derivative, {3, 0, 0, 0}, 2), std::exp(3.0));
}

}  // namespace
}  // namespace cartan::test::expr_test
