// Graphs, flattened programs, derivatives and substitution against direct evaluation of random
// programs in double and Dual.
#include <gtest/gtest.h>

#include "random_program.h"
#include "symbolic/differentiate.h"
#include "symbolic/flatten.h"
#include "symbolic/substitute.h"

namespace cartan::test::symbolic_test {
namespace {

double slope_size(const Dual4& x) {
  double size = 0;
  for (const double d : x.d) size = std::max(size, std::fabs(d));
  return size;
}

bool is_tame(const std::vector<Dual4>& outputs) {
  return std::all_of(outputs.begin(), outputs.end(),
                     [](const Dual4& x) { return slope_size(x) < 1e3; });
}

TEST(Random, ValuesOfGraphsAndProgramsAreThoseOfDirectEvaluation) {
  ProgramMaker maker(1);
  long direct_operations = 0, operations = 0;
  for (int k = 0; k < 10000; ++k) {
    const RandomProgram random = maker.make(5 + k % 40);
    ExpressionGraph graph;
    const std::vector<Expression> symbols = symbols_at(graph, random.point[0]);
    const std::vector<Expression> values = run_symbolic(random.program, symbols);
    const Program flat = flatten(graph, values, symbols);
    direct_operations += static_cast<long>(random.program.code.size());
    operations += static_cast<long>(flat.code.size());
    for (int p = 0; p < 2; ++p) {
      const std::vector<double> direct = values_of<double>(random.program, random.point[p]);
      const std::vector<double> got = values_of<double>(flat, random.point[p]);
      for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], direct[i], 1e-9) << k;
        if (p == 0) ASSERT_NEAR(values[i].sample(), direct[i], 1e-9) << k;
      }
    }
  }
  EXPECT_LT(operations, direct_operations);
}

TEST(Random, DerivativesAreThoseOfDualNumbers) {
  ProgramMaker maker(2);
  int tame = 0;
  for (int k = 0; k < 10000; ++k) {
    const RandomProgram random = maker.make(5 + k % 30);
    ExpressionGraph graph;
    const std::vector<Expression> symbols = symbols_at(graph, random.point[0]);
    const std::vector<Expression> values = run_symbolic(random.program, symbols);
    std::vector<Expression> slopes;  // by x1 forward, by x2 forward; then row 0 in reverse
    for (const Expression& by : {symbols[0], symbols[1]})
      for (const Expression& x : differentiate(graph, values, by)) slopes.push_back(x);
    for (const Expression& x : gradient(graph, values[0], symbols)) slopes.push_back(x);
    const Program flat = flatten(graph, slopes, symbols);
    for (int p = 0; p < 2; ++p) {
      const auto dual = values_of<Dual4>(random.program, as_variables(random.point[p]));
      if (!is_tame(dual)) continue;
      ++tame;
      const auto got = values_of<double>(flat, random.point[p]);
      const double tolerance = 1e-8;
      for (int by = 0; by < 2; ++by)
        for (int i = 0; i < 3; ++i) ASSERT_NEAR(got[3 * by + i], dual[i].d[by], tolerance) << k;
      for (int by = 0; by < 4; ++by) ASSERT_NEAR(got[6 + by], dual[0].d[by], tolerance) << k;
    }
  }
  EXPECT_GT(tame, 15000);
}

TEST(Random, JacobianHasTheEntriesOfDualNumbersAndNoStructuralZeros) {
  ProgramMaker maker(3);
  for (int k = 0; k < 2000; ++k) {
    const RandomProgram random = maker.make(5 + k % 30);
    ExpressionGraph graph;
    const std::vector<Expression> symbols = symbols_at(graph, random.point[0]);
    const std::vector<Expression> values = run_symbolic(random.program, symbols);
    const SparseJacobian sparse = jacobian(graph, values, symbols);
    const auto dual = values_of<Dual4>(random.program, as_variables(random.point[0]));
    if (!is_tame(dual)) continue;
    double dense[3][4] = {};
    for (std::size_t e = 0; e < sparse.entries.size(); ++e) {
      dense[sparse.row[e]][sparse.column[e]] = sparse.entries[e].sample();
      EXPECT_FALSE(sparse.entries[e].is_number() && sparse.entries[e].number() == 0);
      if (e > 0)
        EXPECT_LT(std::pair(sparse.row[e - 1], sparse.column[e - 1]),
                  std::pair(sparse.row[e], sparse.column[e]));
    }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) ASSERT_NEAR(dense[i][j], dual[i].d[j], 1e-8) << k;
  }
}

TEST(Random, TotalTimeDerivativeIsTheDerivativeAlongTheRates) {
  ProgramMaker maker(4);
  for (int k = 0; k < 2000; ++k) {
    const RandomProgram random = maker.make(5 + k % 30);
    ExpressionGraph graph;
    const std::vector<Expression> symbols = symbols_at(graph, random.point[0]);
    const std::vector<Expression> values = run_symbolic(random.program, symbols);
    const std::vector<Expression> states{symbols[0], symbols[2], symbols[3]};
    const std::vector<Expression> rates{graph.symbol("v", 0.7), symbols[0] * symbols[1], 0};
    const auto got = total_time_derivative(graph, values, states, rates);
    const auto dual = values_of<Dual4>(random.program, as_variables(random.point[0]));
    if (!is_tame(dual)) continue;
    for (int i = 0; i < 3; ++i)
      ASSERT_NEAR(got[i].sample(), dual[i].d[0] * 0.7 + dual[i].d[2] * rates[1].sample(), 1e-8)
          << k;
  }
}

TEST(Random, SubstitutionIsEvaluationAtTheSubstitutedValues) {
  ProgramMaker maker(5);
  for (int k = 0; k < 2000; ++k) {
    const RandomProgram random = maker.make(5 + k % 30);
    ExpressionGraph graph;
    const std::vector<Expression> symbols = symbols_at(graph, random.point[0]);
    const std::vector<Expression> values = run_symbolic(random.program, symbols);
    // x1 -> a number, x2 -> u + 1, x3 and x4 exchanged: all at once
    const std::vector<double>& at = random.point[1];
    const Expression u = graph.symbol("u", at[1] - 1);
    std::vector<Expression> target{at[0], u + 1, symbols[3], symbols[2]};
    const auto got = substitute(graph, values, symbols, target);
    const std::vector<Expression> inputs{u, symbols[2], symbols[3]};
    const Program flat = flatten(graph, got, inputs);
    const auto value = values_of<double>(flat, {at[1] - 1, at[3], at[2]});
    const auto direct = values_of<double>(random.program, at);
    for (int i = 0; i < 3; ++i) ASSERT_NEAR(value[i], direct[i], 1e-9) << k;
  }
}

}  // namespace
}  // namespace cartan::test::symbolic_test
