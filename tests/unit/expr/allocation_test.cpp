// Evaluation asks for no memory.
#include <gtest/gtest.h>

#include "random_expression.h"
#include "support.h"
#include "support/allocation_counter.h"

namespace cartan::test::expr_test {
namespace {

template <class S>
long allocations_of_evaluation(const Program& program, const std::vector<double>& at) {
  const std::vector<S> inputs = inputs_of<S>(program, std::vector<S>(at.begin(), at.end()));
  std::vector<S> scratch(program.scratch_size()), adjoints(program.scratch_size());
  std::vector<S> outputs(program.outputs.size()), gradient(program.inputs.size());
  const long before = test::allocation_count();
  evaluate<S>(program, inputs, scratch, outputs);
  evaluate_gradient<S>(program, 0, inputs, scratch, adjoints, gradient);
  return test::allocation_count() - before;
}

TEST(Allocation, NoneInEvaluation) {
  RandomExpression random(3);
  for (int k = 0; k < 50; ++k) {
    const long before = test::allocation_count();
    const Program program = program_of(random.text());
    EXPECT_GT(test::allocation_count(), before);  // the counter works
    const std::vector<double> at = random.point();
    EXPECT_EQ(allocations_of_evaluation<double>(program, at), 0);
    EXPECT_EQ(allocations_of_evaluation<Dual4>(program, at), 0);
    EXPECT_EQ(allocations_of_evaluation<Pack4>(program, at), 0);
  }
}

}  // namespace
}  // namespace cartan::test::expr_test
