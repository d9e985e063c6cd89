// The rules by which nodes are normalised.
#include "symbolic/graph.h"

#include <gtest/gtest.h>

#include <limits>

#include "random_program.h"
#include "symbolic/expression.h"
#include "symbolic/substitute.h"

namespace cartan::test::symbolic_test {
namespace {

class Graph : public testing::Test {
 protected:
  ExpressionGraph graph;
  Expression x = graph.symbol("x", 0.4), y = graph.symbol("y", 1.3), z = graph.symbol("z", -0.8);
};

void expect_same(const Expression& a, const Expression& b) {
  EXPECT_TRUE(identical(a, b));
}

TEST_F(Graph, OrderDoesNotMatter) {
  expect_same(x + y, y + x);
  expect_same(x * y, y * x);
  expect_same(min(x, y), min(y, x));
  expect_same(2 * (x * y), (2 * y) * x);
}

TEST_F(Graph, SignsGoOutside) {
  expect_same(x - y, -(y - x));
  expect_same(1 - x, -(x - 1));
  expect_same(-1 - x, -(1 + x));
  expect_same((x - y) * (z - x), (y - x) * (x - z));
  expect_same(sin(x - y), -sin(y - x));
  expect_same(cos(1 - x), cos(x - 1));
  expect_same(-(-x), x);
  expect_same((-x) / y, x / (-y));
  expect_same(abs(x - y), abs(y - x));
}

TEST_F(Graph, NumbersAreFolded) {
  expect_same((x + 1) + 2, x + 3);
  expect_same((x + 1) - (y + 1), x - y);
  expect_same((1 - x) + x, 1);
  expect_same(2 * (3 * x), 6 * x);
  expect_same(2 * x + 2, 2 * (1 + x));
  expect_same(2 - 2 * x, -2 * (x - 1));
  expect_same(2 * x + 3 * x, 5 * x);
  expect_same(2 * x + 2 * y, 2 * (x + y));
  expect_same(x - x, 0);
  expect_same(0 * x, 0);
  expect_same(x / x, 1);
  expect_same(pow(x, 3), x * x * x);
  expect_same(pow(x, -2), 1 / (x * x));
  for (const double n : {-40.0, -17.0, -16.0, -1.0, 0.0, 1.0, 7.0, 16.0, 17.0, 40.0, 2.5, -0.5})
    EXPECT_DOUBLE_EQ(pow(y, n).sample(), std::pow(1.3, n)) << n;
}

TEST_F(Graph, WhatCancelsIsGone) {
  expect_same((x + y) - x, y);
  expect_same(x - (x + y), -y);
  expect_same((x * y) / y, x);
  expect_same(y * (x / y), x);
  expect_same(sqrt(x) * sqrt(x), x);
  expect_same(sqrt(x * x), abs(x));
  expect_same(sqrt(4 * x * x), 2 * abs(x));
  expect_same(sin(x) * sin(x) + cos(x) * cos(x), 1);
  expect_same(3 * sin(x) * sin(x) + 3 * cos(x) * cos(x), 3);
  expect_same(1 - sin(x) * sin(x), cos(x) * cos(x));
  expect_same(cos(x) * cos(x) - 1, -sin(x) * sin(x));
  expect_same(log(exp(x)), x);
  expect_same(sin(asin(x)), x);
}

TEST_F(Graph, EqualExpressionsAreOneNode) {
  const int before = (x * sin(y)).node();
  const int size = graph.size();
  EXPECT_EQ((sin(y) * x).node(), before);
  EXPECT_EQ(graph.size(), size);
}

// Whatever is multiplied first: the node that is there is taken, and none is made for the search.
TEST_F(Graph, ProductsOfTheSameFactorsAreOneNode) {
  const Expression w = graph.symbol("w", 0.7);
  const Expression xy = x * y, three = xy * z;
  const Expression xz = x * z, yz = y * z;
  expect_same(xz * y, three);
  expect_same(x * yz, three);
  expect_same((2 * xz) * (3 * y), 6 * three);
  expect_same(xz * y - yz * x, Expression(0));
  const Expression zw = z * w, four = xy * zw;
  const Expression yw = y * w;
  const int before = graph.size();
  expect_same(xz * yw, four);
  expect_same(yw * xz, four);
  EXPECT_EQ(graph.size(), before);
}

TEST_F(Graph, NumbersThatAreNotFiniteDoNoHarm) {
  const double infinite = std::numeric_limits<double>::infinity();
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const double n : {infinite, -infinite, none, 1e308, 5e-324})
    for (const Expression& e : {x + n, n - x, n * x, x / n, n / x, pow(x, n), pow(n, x), min(x, n),
                                (n * x + n * y) * n, n + n * x, (n * x - n * y) + (n - x)})
      EXPECT_LE(e.is_number() ? 0 : e.node(), graph.size());
  EXPECT_TRUE(std::isinf((x / 0).sample()));
}

// Every node made again from its operands is itself.
TEST(GraphLaws, NormalisationIsIdempotent) {
  ProgramMaker maker(11);
  for (int k = 0; k < 2000; ++k) {
    const RandomProgram random = maker.make(5 + k % 40);
    ExpressionGraph graph;
    run_symbolic(random.program, symbols_at(graph, random.point[0]));
    const int size = graph.size();
    for (int i = 0; i < size; ++i) {
      const Instruction x = graph.node(i);
      if (x.op == Op::constant || x.op == Op::input || is_table(x.op)) continue;
      const int count = operand_count(x.op);
      ASSERT_EQ(graph.make(x.op, x.a, count > 1 ? x.b : 0, count > 2 ? x.c : 0), i) << k;
    }
  }
}

TEST(GraphLaws, SumsAndProductsCommuteAndSignsGoOutside) {
  ProgramMaker maker(12);
  Random random(13);
  for (int k = 0; k < 1000; ++k) {
    const RandomProgram program = maker.make(20);
    ExpressionGraph graph;
    run_symbolic(program.program, symbols_at(graph, program.point[0]));
    const int size = graph.size();
    for (int tries = 0; tries < 30; ++tries) {
      const Expression a(graph, random.integer(0, size - 1)), b(graph, random.integer(0, size - 1));
      ASSERT_TRUE(identical(a + b, b + a)) << k;
      ASSERT_TRUE(identical(a * b, b * a)) << k;
      ASSERT_TRUE(identical(a - b, -(b - a))) << k;
      ASSERT_TRUE(identical((-a) * b, -(a * b))) << k;
      ASSERT_TRUE(identical(-(-a), a)) << k;
      if (!identical(b, 0)) ASSERT_TRUE(identical((-a) / b, -(a / b))) << k;
      ASSERT_TRUE(identical(a - a, 0)) << k;
    }
  }
}

}  // namespace
}  // namespace cartan::test::symbolic_test
