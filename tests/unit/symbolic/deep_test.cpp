// Graphs of millions of nodes, a million operations deep: everything is a loop.
#include <gtest/gtest.h>

#include "random_program.h"
#include "symbolic/count.h"
#include "symbolic/differentiate.h"
#include "symbolic/flatten.h"
#include "symbolic/print/print.h"
#include "symbolic/simplify/simplify.h"
#include "symbolic/simplify/zero.h"
#include "symbolic/substitute.h"

namespace cartan::test::symbolic_test {
namespace {

// x -> x + h sin(x) y, again and again: 3 nodes each, as deep as there are nodes.
Expression chain(const Expression& x, const Expression& y, int steps) {
  Expression value = x;
  for (int k = 0; k < steps; ++k) value = value + y * sin(value);
  return value;
}

TEST(Deep, TwoMillionNodesInLinearTime) {
  ExpressionGraph graph;
  const Expression x = graph.symbol("x", 0.3), y = graph.symbol("y", 1e-6);
  const int steps = 670000;
  const Expression value = chain(x, y, steps);
  EXPECT_GT(graph.size(), 2000000);
  const std::vector<Expression> values{value};
  EXPECT_EQ(count_shared(graph, values).total(), 3L * steps);
  EXPECT_EQ(count_unshared(graph, values).total(), std::numeric_limits<long>::max());
  const std::vector<Expression> inputs{x, y};
  const Program flat = flatten(graph, values, inputs);
  EXPECT_EQ(values_of<double>(flat, {0.3, 1e-6})[0], value.sample());
}

void sweep_all(int steps) {
  ExpressionGraph graph;
  const Expression x = graph.symbol("x", 0.3), y = graph.symbol("y", 1e-6);
  const Expression value = chain(x, y, steps);
  const std::vector<Expression> values{value}, inputs{x, y};
  const Expression forward = differentiate(graph, value, x);
  const Expression reverse = gradient(graph, value, inputs)[0];
  EXPECT_NEAR(forward.sample(), reverse.sample(), 1e-9);
  EXPECT_EQ(jacobian(graph, values, inputs).entries.size(), 2u);
  const Expression other = substitute(graph, value, std::vector{x}, std::vector{2 * y});
  EXPECT_NEAR(other.sample(), 2e-6 * std::exp(1e-6 * steps), 1e-10);
  EXPECT_GT(to_text(graph, value).size(), 8u * steps);
  EXPECT_TRUE(identical(simplify(graph, value), value));
  EXPECT_FALSE(is_identically_zero(graph, value));
}

TEST(Deep, EverySweepIsALoop) {
  sweep_all(60000);
}

TEST(LongDeep, EverySweepOverTwoMillionNodes) {
  sweep_all(670000);
}

}  // namespace
}  // namespace cartan::test::symbolic_test
