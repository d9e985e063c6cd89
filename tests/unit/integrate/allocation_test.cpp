// A warm step allocates nothing. Counts calls of operator new in this program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "integrate/integrator.h"
#include "order/problems.h"

namespace {
long allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

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
  const long before = allocations;
  steps(50);
  integrator->restart();
  steps(5);
  return allocations - before;
}

TEST(Allocation, WarmStepsAllocateNothing) {
  const long before = allocations;
  const Problem<FreeBodyRates> body = make_free_body();
  EXPECT_GT(allocations, before);  // the counter counts
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

}  // namespace
}  // namespace cartan::test
