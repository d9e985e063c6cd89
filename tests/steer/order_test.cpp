// Errors of optimal control fall with the order of the points: 2 s for Gauss, 2 s - 1 for Radau,
// costs and costates included (Gauss points are symplectic; Radau's go with their adjoint).
#include <cmath>

#include <gtest/gtest.h>

#include "results/design/steer.h"

namespace cartan::test {
namespace {

double objective_of(const char* task, const char* method, int points, int intervals) {
  SteerArguments arguments;
  arguments.task = std::string(CARTAN_ROOT) + "/examples/steering/" + task + ".toml";
  arguments.how.method = method;
  arguments.how.points = points;
  arguments.how.intervals = intervals;
  arguments.how.tolerance = 1e-10;
  arguments.how.refine = false;
  arguments.how.starts = 1;
  return steer_task(arguments).result.objective;
}

// shared/reference/control, O3: Pontryagin by shooting
void expect_order(const char* method, int points, double order, int first,
                  const char* task = "slew", double exact = 2.211517937226574) {
  const double coarse = std::fabs(objective_of(task, method, points, first) - exact);
  const double fine = std::fabs(objective_of(task, method, points, 2 * first) - exact);
  EXPECT_NEAR(std::log2(coarse / fine), order, 0.35) << coarse << ' ' << fine;
  EXPECT_GT(coarse, 1e-9);
}

TEST(SteeringOrder, Gauss) {
  expect_order("gauss", 1, 2, 16);
  expect_order("gauss", 2, 4, 8);
  expect_order("gauss", 3, 6, 6);
}
TEST(SteeringOrder, Radau) {
  expect_order("radau", 2, 3, 64);
  expect_order("radau", 3, 5, 16);
}

// A step of a walker, through its impact and back to its start.
TEST(SteeringOrder, OfAGait) {
  const double exact = objective_of("walk", "gauss", 8, 20);
  EXPECT_NEAR(exact, 296.450663350, 1e-8);
  expect_order("gauss", 1, 2, 16, "walk", exact);
  expect_order("gauss", 2, 4, 16, "walk", exact);
  expect_order("gauss", 3, 6, 16, "walk", exact);
  expect_order("radau", 2, 3, 16, "walk", exact);
}

}  // namespace
}  // namespace cartan::test
