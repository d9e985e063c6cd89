// Identities that are decided, and equations that are none.
#include "symbolic/simplify/zero.h"

#include <gtest/gtest.h>

#include "random_program.h"
#include "symbolic/differentiate.h"
#include "symbolic/print/print.h"
#include "symbolic/simplify/modular.h"
#include "symbolic/simplify/simplify.h"
#include "symbolic/substitute.h"

namespace cartan::test::symbolic_test {
namespace {

class Zero : public testing::Test {
 protected:
  void expect_zero(const Expression& e) {
    EXPECT_TRUE(is_identically_zero(graph, e)) << to_text(graph, e);
  }
  void expect_not_zero(const Expression& e) {
    EXPECT_FALSE(is_identically_zero(graph, e)) << to_text(graph, e);
  }

  ExpressionGraph graph;
  Expression x = graph.symbol("x", 0.4), y = graph.symbol("y", 1.3), z = graph.symbol("z", 0.8),
             a = graph.symbol("a", 2.1), b = graph.symbol("b", 0.6);
};

TEST_F(Zero, RationalIdentities) {
  expect_zero((x + y) * (x - y) - x * x + y * y);
  expect_zero(1 / (x - y) + 1 / (x + y) - 2 * x / (x * x - y * y));
  expect_zero((x * x - y * y) / (x - y) - (x + y));
  expect_zero(pow(x + y, 5) / pow(x + y, 3) - (x + y) * (x + y));
  expect_zero(0.1 * x + 0.2 * x - (0.1 + 0.2) * x);
  expect_not_zero((x + y) * (x - y) - x * x - y * y);
  expect_not_zero(x * y - x * z);
  expect_not_zero(1e-300 * (x - y));
  expect_not_zero(Expression(1));
  expect_zero(Expression(0));
}

TEST_F(Zero, AdditionTheorems) {
  expect_zero(sin(x + y) - sin(x) * cos(y) - cos(x) * sin(y));
  expect_zero(cos(2 * x) - 1 + 2 * sin(x) * sin(x));
  expect_zero(cos(3 * x) - 4 * cos(x) * cos(x) * cos(x) + 3 * cos(x));
  expect_zero(cos(x / 2) * cos(x / 2) - (1 + cos(x)) / 2);
  expect_zero(tan(x / 2) - sin(x) / (1 + cos(x)));
  expect_zero(sin(x + pi / 2) - cos(x));
  expect_zero(sin(x - pi) + sin(x));
  expect_zero(sin(x * (y + z)) - sin(x * y) * cos(x * z) - cos(x * y) * sin(z * x));
  expect_zero(cos((x + y) * (x - y)) - cos(x * x) * cos(y * y) - sin(x * x) * sin(y * y));
  expect_zero(sin((x + y) / z) - sin(x / z) * cos(y / z) - sin(y / z) * cos(x / z));
  expect_zero(sin(0.1 * x) * 2 * cos(0.1 * x) - sin(0.2 * x));
  expect_not_zero(sin(x + y) - sin(x) * cos(y) + cos(x) * sin(y));
  expect_not_zero(sin(x) - x);
  expect_not_zero(sin(x) * sin(x) + cos(y) * cos(y) - 1);
}

TEST_F(Zero, RootsAndPowers) {
  expect_zero(sqrt(x) * sqrt(y) - sqrt(x * y));
  expect_zero(sqrt(x * x + y * y) * sqrt(x * x + y * y) - x * x - y * y);
  expect_zero(1 / sqrt(x + y) - sqrt(x + y) / (x + y));
  expect_zero(pow(x, 1.5) - x * sqrt(x));
  expect_zero(pow(x, y) * pow(x, z) - pow(x, y + z));
  expect_zero(pow(x, y + 1) - x * pow(x, y));
  expect_zero(sqrt(8 * x) - 2 * sqrt(2 * x));
  expect_zero(sqrt((x + y) * (x + y)) - abs(x + y));
  expect_not_zero(sqrt(x * x + y * y) - x - y);
  expect_not_zero(sqrt(x + y) - sqrt(x) - sqrt(y));
}

TEST_F(Zero, ExponentialsAndLogarithms) {
  expect_zero(exp(x + y) - exp(x) * exp(y));
  expect_zero(exp(2 * x) - exp(x) * exp(x));
  expect_zero(cosh(x) * cosh(x) - sinh(x) * sinh(x) - 1);
  expect_zero(tanh(x) - sinh(x) / cosh(x));
  expect_zero(sinh(x + y) - sinh(x) * cosh(y) - cosh(x) * sinh(y));
  expect_zero(log(x * y) - log(x) - log(y));
  expect_zero(log(x / sqrt(y)) - log(x) + 0.5 * log(y));
  expect_zero(exp(3 * log(x) + y) - x * x * x * exp(y));
  expect_not_zero(exp(x) - 1 - x - x * x / 2);
  expect_not_zero(log(x + y) - log(x) - log(y));
}

TEST_F(Zero, BranchesAndSigns) {
  expect_zero(abs(x) * abs(y) - abs(x * y));
  expect_zero(max(x, y) + min(x, y) - x - y);
  expect_zero(max(x, y) - min(x, y) - abs(x - y));
  expect_zero(abs(x) - x * sign(x));
  expect_zero(select(less(x, y), x, y) - min(x, y));
  expect_zero(differentiate(graph, sqrt(x * x + y), x) - x / sqrt(x * x + y));
  expect_not_zero(abs(x) - x);
  expect_not_zero(select(less(0, x), select(less(0, y), select(less(0, z), a, 0), 0), 0));
}

TEST_F(Zero, InverseFunctionsAsAngles) {
  expect_zero(sin(atan2(y, x)) - y / sqrt(x * x + y * y));
  expect_zero(cos(asin(x)) - sqrt(1 - x * x));
  expect_zero(sin(2 * acos(x)) - 2 * x * sqrt(1 - x * x));
  expect_zero(tan(x + atan(y)) - (tan(x) + y) / (1 - tan(x) * y));
  expect_not_zero(sin(atan(x)) - x);
}

TEST_F(Zero, FunctionsKnownByName) {
  const Expression f = graph.call("f", {x + y, z}), g = graph.call("f", {y + x, z});
  expect_zero(f - g);
  expect_zero(graph.call("f", {(x + y) * (x + y), z}) -
              graph.call("f", {x * x + 2 * x * y + y * y, z}));
  expect_not_zero(f - graph.call("f", {x - y, z}));
  expect_not_zero(f - graph.call("g", {x + y, z}));
}

TEST_F(Zero, RoundedNumbersAreZeroToRoundingOnly) {
  const Expression e = (0.1 * x) * 3 - 0.3 * x;  // 0.30000000000000004 - 0.3
  expect_not_zero(e);
  EXPECT_TRUE(are_equal_to_rounding(graph, (0.1 * x) * 3, 0.3 * x));
  EXPECT_TRUE(is_zero_to_rounding(graph, (x * 0.1 + y) * 3 - 0.3 * x - 3 * y));
  const Expression turned = sin(x + pi / 4) - std::sqrt(0.5) * (sin(x) + cos(x));
  expect_not_zero(turned);
  EXPECT_TRUE(is_zero_to_rounding(graph, turned));
  EXPECT_FALSE(is_zero_to_rounding(graph, turned + 1e-13 * x));
  EXPECT_FALSE(is_zero_to_rounding(graph, sin(x) - x));
}

TEST_F(Zero, NumbersCanBeReadAsFractions) {
  const Expression thirds = (1.0 / 3) * x + (2.0 / 49) * y, other = (49 * x + 6 * y) / 147;
  EXPECT_FALSE(are_identical(graph, thirds, other));
  EXPECT_TRUE(are_identical(graph, thirds, other, Numbers::as_fractions));
  EXPECT_TRUE(are_identical(graph, sin(0.1 * x) * (0.1 * y) * 3, 0.3 * y * sin(0.1 * x),
                            Numbers::as_fractions));
  EXPECT_TRUE(are_identical(graph, cos(x / 3) * (4 * cos(x / 3) * cos(x / 3) - 3), cos(x),
                            Numbers::as_fractions));
  EXPECT_TRUE(are_identical(graph, pow(x, 1.0 / 3) * pow(x, 0.1) * pow(x, 0.9 - 1.0 / 3), x,
                            Numbers::as_fractions));
  EXPECT_FALSE(are_identical(graph, thirds, other + 1e-9 * x, Numbers::as_fractions));
}

TEST_F(Zero, ManyAtOnce) {
  const std::vector<Expression> values{(x + y) * (x + y) - x * x - y * y - 2 * x * y, x, 0, 3,
                                       sin(2 * x) - 2 * sin(x) * cos(x)};
  EXPECT_EQ(which_are_identically_zero(graph, values),
            (std::vector<bool>{true, false, true, false, true}));
}

// Product rule, chain rule and reverse against forward: the difference is zero, symbolically.
TEST(ZeroRandom, ForwardAndReverseDerivativesAreIdentical) {
  ProgramMaker maker(41);
  int decided = 0, all = 0;
  for (int k = 0; k < 300; ++k) {
    const RandomProgram random = maker.make(3 + k % 10);
    ExpressionGraph graph;
    const auto symbols = symbols_at(graph, random.point[0]);
    const auto values = run_symbolic(random.program, symbols);
    const auto reverse = gradient(graph, values[0], symbols);
    for (int j = 0; j < inputs; ++j) {
      const Expression gap = differentiate(graph, values[0], symbols[j]) - reverse[j];
      decided += is_identically_zero(graph, gap);
      EXPECT_FALSE(is_identically_zero(graph, gap + 1e-6 * symbols[j]));
      ++all;
    }
  }
  EXPECT_EQ(decided, all);
}

TEST(ZeroRandom, SimplifiedExpressionsAreTheSame) {
  ProgramMaker maker(42, {Op::add, Op::subtract, Op::multiply, Op::sin, Op::cos, Op::multiply,
                          Op::divide, Op::multiply});
  for (int k = 0; k < 500; ++k) {
    const RandomProgram random = maker.make(3 + k % 14);
    ExpressionGraph graph;
    const auto symbols = symbols_at(graph, random.point[0]);
    for (const Expression& value : run_symbolic(random.program, symbols)) {
      const Expression simple = simplify(graph, value);
      EXPECT_TRUE(are_identical(graph, simple, value) ||
                  are_equal_to_rounding(graph, simple, value))
          << to_text(graph, value);
    }
  }
}

TEST(Modular, ArithmeticOfAPrimeField) {
  const Modulus field(random_prime(1));
  EXPECT_EQ(field.size() % 16, 7u);
  for (const Residue square : {2, 3, 5, 7, 11, 13})
    EXPECT_EQ(field.power(square, (field.size() - 1) / 2), 1u);
  for (const double x : {0.1, -3.75, 1e300, 5e-324, 12345.0}) {
    const Residue r = field.of_double(x);
    EXPECT_EQ(field.multiply(r, field.inverse(r)), 1u) << x;
    EXPECT_EQ(field.of_double(2 * x), field.add(r, r)) << x;
    EXPECT_EQ(field.of_double(-x), field.negate(r)) << x;
  }
  EXPECT_EQ(field.of_double(12345), 12345u);
  EXPECT_NE(random_prime(2), random_prime(1));
}

// Values that steps and held ends happen to share make no identity, and values that are missing
// outside of a table's range hide none.
TEST(ZeroTables, TheyTellTheirArgumentsApart) {
  const std::vector<double> at{-100, 50, 100}, value{1, 2, 3};
  for (const Outside outside : {Outside::hold, Outside::error, Outside::periodic}) {
    const auto table =
        std::make_shared<const TableFunction>(at, value, Interpolation::steps, outside);
    ExpressionGraph graph;
    const Expression x = graph.symbol("x", 0.4), y = graph.symbol("y", 0.7);
    EXPECT_FALSE(
        are_equal_to_rounding(graph, apply_table(table, 0, x), apply_table(table, 0, y), 1e3));
    EXPECT_TRUE(are_equal_to_rounding(graph, apply_table(table, 0, x * x - y * y),
                                      apply_table(table, 0, (x - y) * (x + y)), 1e3));
  }
}

}  // namespace
}  // namespace cartan::test::symbolic_test
