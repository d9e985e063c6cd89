// A warm step allocates nothing.
#include <gtest/gtest.h>

#include "integrate/integrator.h"
#include "order/problems.h"
#include "support/allocation_counter.h"
#include "support/example.h"

namespace cartan::test {
namespace {

long count_allocations(const System& system, const IntegratorInfo& method, bool fixed_step) {
  IntegratorOptions options;
  options.tolerance = method.default_tolerance;
  options.fixed_step = fixed_step;
  const auto integrator = method.make(system, options);
  State state = system.initial_state();
  std::vector<double> x(state.x.size());
  integrator->restart();
  const auto steps = [&](int count) {
    for (int n = 0; n < count; ++n) {
      EXPECT_EQ(integrator->step(state, 0.01, state.t + 0.01).status, StepStatus::ok);
      EXPECT_TRUE(integrator->dense(0.4, x));
      EXPECT_EQ(integrator->restep(0.5 * integrator->last_length(), x).status, StepStatus::ok);
    }
  };
  steps(5);
  const long before = allocation_count();
  steps(50);
  integrator->restart();
  steps(5);
  return allocation_count() - before;
}

TEST(Allocation, WarmStepsAllocateNothing) {
  const long before = allocation_count();
  const Problem<FreeBodyRates> body = make_free_body();
  EXPECT_GT(allocation_count(), before);  // the counter counts
  for (const IntegratorInfo& method : integrator_table())
    for (bool fixed : {true, false})
      if (!method.refusal && (!fixed || method.order > 0)) {
        EXPECT_EQ(count_allocations(body, method, fixed), 0) << method.name;
      }
}

struct Stiff {
  template <class S>
  void operator()(const S& t, const S* x, S* xdot) const {
    xdot[0] = S(-1e5) * (x[0] - cos(t));
    xdot[1] = x[0] - x[1];
  }
};
TEST(Allocation, NewtonStepsAllocateNothing) {
  const auto problem = make_problem({1, 0}, Stiff{});
  EXPECT_EQ(count_allocations(problem, *find_integrator("gl3"), true), 0);
}

TEST(Allocation, WarmStepsOfMechanismsAllocateNothing) {
  for (const char* name : {"heavy_top", "four_bar", "rolling_coin", "double_spring"}) {
    const Example example = load_example(name);
    ASSERT_TRUE(example);
    EXPECT_EQ(count_allocations(*example.system, *find_integrator("variational"), true), 0) << name;
  }
}

}  // namespace
}  // namespace cartan::test
