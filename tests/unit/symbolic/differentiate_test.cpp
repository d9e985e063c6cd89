// Derivatives of calls, at kinks, by nodes that are no symbols; counts; flattening.
#include "symbolic/differentiate.h"

#include <gtest/gtest.h>

#include <limits>

#include "random_program.h"
#include "symbolic/count.h"
#include "symbolic/flatten.h"

namespace cartan::test::symbolic_test {
namespace {

class Derivative : public testing::Test {
 protected:
  ExpressionGraph graph;
  Expression x = graph.symbol("x", 0.4), y = graph.symbol("y", 1.3), z = graph.symbol("z", -0.8);
};

TEST_F(Derivative, ReadsAsWrittenByHand) {
  EXPECT_TRUE(identical(differentiate(graph, sin(x) * y, x), cos(x) * y));
  EXPECT_TRUE(identical(differentiate(graph, x * x, x), 2 * x));
  EXPECT_TRUE(identical(differentiate(graph, 1 / x, x), -((1 / x) * (1 / x))));
  EXPECT_TRUE(identical(differentiate(graph, x * y, z), 0));
  EXPECT_TRUE(identical(differentiate(graph, Expression(3), z), 0));
}

TEST_F(Derivative, CallsAreDifferentiatedByName) {
  const Expression f = graph.call("f", {x * x, y}, 2.5);
  const Expression slope = differentiate(graph, f, x);
  EXPECT_TRUE(identical(slope, 2 * x * graph.call("f_1", {x * x, y})));
  // by y, then by the first argument: the name does not depend on the order
  const Expression mixed = differentiate(graph, differentiate(graph, f, y), x);
  EXPECT_TRUE(identical(mixed, 2 * x * graph.call("f_1_2", {x * x, y})));
  EXPECT_TRUE(identical(differentiate(graph, slope, y), mixed));
  const int f12 = graph.node(graph.call("f_1_2", {x * x, y}).node()).a;
  EXPECT_EQ(graph.function_name(graph.function(f12).base), "f");
  EXPECT_EQ(graph.function(f12).by, (std::vector<int>{0, 1}));
}

TEST_F(Derivative, CallsCanBeSampled) {
  graph.set_call_sampler([](const ExpressionGraph::Function& f, std::span<const double> at) {
    return f.by.empty() ? at[0] * at[0] : 2 * at[0];
  });
  EXPECT_DOUBLE_EQ(differentiate(graph, graph.call("square", {x}), x).sample(), 0.8);
}

TEST_F(Derivative, ByNodesThatAreNoSymbols) {
  const Expression w = x * y;
  EXPECT_TRUE(identical(differentiate(graph, w * w + x, w), 2 * w));
  const auto both = gradient(graph, w * w + x, std::vector<Expression>{w, x});
  EXPECT_TRUE(identical(both[0], 2 * w));
  EXPECT_TRUE(identical(both[1], 1));
}

TEST_F(Derivative, AtKinksAsPrograms) {
  const std::vector<Expression> values{sqrt(x), abs(x), pow(x, 0.5 * y),
                                       select(less(0, x), log(x), x), max(x, -x)};
  const auto slopes = differentiate(graph, values, x);
  const Program flat = flatten(graph, slopes, std::vector<Expression>{x, y});
  const auto at_zero = values_of<double>(flat, {0, 1});
  EXPECT_EQ(at_zero[0], 0);
  EXPECT_EQ(at_zero[1], 0);
  EXPECT_EQ(at_zero[2], 0);
  EXPECT_EQ(at_zero[3], 1);  // nothing of the infinite slope of log
}

TEST_F(Derivative, FewRowsAndManyColumnsGiveTheSameJacobian) {
  std::vector<Expression> by;
  Expression sum = 1;
  for (int k = 0; k < 40; ++k) {
    by.push_back(graph.symbol("s" + std::to_string(k), 0.1 * k));
    if (k % 3) sum = sin(sum * by.back()) + by[k / 2];
  }
  const std::vector<Expression> rows{sum}, more{sum, sum * sum, x, cos(sum), x * by[4], y, 7};
  const SparseJacobian reverse = jacobian(graph, rows, by), forward = jacobian(graph, more, by);
  std::size_t first = 0;
  while (first < forward.row.size() && forward.row[first] == 0) ++first;
  ASSERT_EQ(reverse.column.size(), first);
  for (std::size_t k = 0; k < first; ++k) {
    EXPECT_EQ(reverse.column[k], forward.column[k]);
    EXPECT_NEAR(reverse.entries[k].sample(), forward.entries[k].sample(), 1e-11);
  }
}

TEST_F(Derivative, CountsSharedAndWrittenOut) {
  Expression square = x + y;
  for (int k = 0; k < 5; ++k) square = square * square;
  const std::vector<Expression> values{square, sin(z) - x, 1 / y};
  const OperationCount shared = count_shared(graph, values);
  EXPECT_EQ(shared.additions, 2);
  EXPECT_EQ(shared.multiplications, 5);
  EXPECT_EQ(shared.divisions, 1);
  EXPECT_EQ(shared.functions, 1);
  EXPECT_EQ(shared.total(), 9);
  EXPECT_EQ(count_unshared(graph, values).multiplications, 31);
  EXPECT_EQ(count_unshared(graph, values).additions, 33);
  for (int k = 0; k < 200; ++k) square = square * square + x;
  EXPECT_EQ(count_unshared(graph, std::vector{square}).total(), std::numeric_limits<long>::max());
  // the total as a number: x + y squared five times takes 63, each of the 200 steps doubles it and
  // adds two
  EXPECT_EQ(total_unshared(graph, values), 66);
  const double large = 65 * std::ldexp(1.0, 200);
  EXPECT_NEAR(total_unshared(graph, std::vector{square}) / large, 1, 1e-14);
  EXPECT_EQ(operations_text(67), "67");
  EXPECT_EQ(operations_text(large), "1.0e+62");
  EXPECT_EQ(operations_text(INFINITY), "> 1e308");
}

TEST_F(Derivative, FlatProgramsHaveDifferencesAndOnlyWhatIsNeeded) {
  sin(x) * cos(y);  // not needed
  const std::vector<Expression> inputs{x, y, z};
  for (const Expression& value : {x - y, y - x, 1 - x, x - 1, -x}) {
    const Program flat = flatten(graph, std::vector{value}, inputs);
    int operations = 0;
    for (const Instruction& i : flat.code) operations += i.op != Op::input && i.op != Op::constant;
    EXPECT_EQ(operations, 1);
    EXPECT_EQ(values_of<double>(flat, {0.4, 1.3, -0.8})[0], value.sample());
  }
  std::string missing;
  const std::vector<Expression> values{x * graph.symbol("forgotten")};
  flatten(graph, values, inputs, &missing);
  EXPECT_EQ(missing, "forgotten");
}

}  // namespace
}  // namespace cartan::test::symbolic_test
