// Observed order of every method in the table, on spatial rotations.
#include <gtest/gtest.h>

#include <cmath>

#include "integrate/simulate.h"
#include "order/problems.h"

namespace cartan::test {
namespace {

std::vector<double> end_of_run(const System& system, const std::string& method, double duration,
                               long steps) {
  SimulateOptions options;
  options.integrator = method;
  options.duration = duration;
  options.step = duration / static_cast<double>(steps);
  options.fixed_step = true;
  const SimulateReport report = simulate(system, system.initial_state(), options, Observer{});
  EXPECT_EQ(report.status, RunStatus::completed) << report.message;
  EXPECT_EQ(report.steps, steps);
  return report.final_state.x;
}

// The states at equal intervals, one after the other: an error read at one instant alone can pass
// through zero.
constexpr int checkpoints = 5;
std::vector<double> run_checkpoints(const System& system, const std::string& method,
                                    double duration, long steps) {
  SimulateOptions options;
  options.integrator = method;
  options.duration = duration;
  options.step = duration / static_cast<double>(steps);
  options.every = static_cast<int>(steps / checkpoints);
  options.fixed_step = true;
  Trajectory path;
  const SimulateReport report = simulate(system, system.initial_state(), options, path);
  if (report.status != RunStatus::completed)
    return {};  // a step too long for the stages to converge
  EXPECT_EQ(path.count(), checkpoints + 1u);
  return path.x;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::fabs(a[i] - b[i]));
  return worst;
}

struct Fit {
  double slope = 0;
  int points = 0;
  double range = 1;  // largest step / smallest step
};

// Slope of log(error) against log(h) by least squares over errors between 1e-4 and 1e-11: the four
// finest of a series of halvings. Orders above six pass through that window within less than three
// halvings: smaller ratios, and a window further down, where the next power of h is small.
Fit fit_order(const System& system, const IntegratorInfo& method, double duration,
              const std::vector<double>& exact) {
  const bool high = method.order > 6;
  const double ratio = high ? 1.01 : 2;
  const double largest = method.order > 8 ? 3e-9 : high ? 1e-7 : 1e-4;
  const double smallest = method.order > 8 ? 1e-13 : 1e-11;
  const std::size_t wanted = method.order <= 2 ? 6 : 20;
  const auto error_with = [&](long steps) {
    const std::vector<double> x = run_checkpoints(system, method.name, duration, steps);
    return x.empty() ? 1.0 : largest_difference(x, exact);
  };
  long first = 2;  // steps between two checkpoints, the fewest that enter the window
  while (error_with(checkpoints * first) > largest) first += 1 + first / 10;
  std::vector<double> h, e;
  for (double steps = first; h.size() < wanted; steps = std::max(steps + 1, ratio * steps)) {
    const long count = checkpoints * std::lround(steps);
    const double error = error_with(count);
    if (error < smallest) break;
    h.push_back(std::log(duration / static_cast<double>(count)));
    e.push_back(std::log(error));
  }
  if (!high && h.size() > 4) {
    h.erase(h.begin(), h.end() - 4);
    e.erase(e.begin(), e.end() - 4);
  }
  Fit fit;
  fit.points = static_cast<int>(h.size());
  if (fit.points < 2) return fit;
  double mh = 0, me = 0, hh = 0, he = 0;
  for (std::size_t i = 0; i < h.size(); ++i) mh += h[i] / fit.points, me += e[i] / fit.points;
  for (std::size_t i = 0; i < h.size(); ++i) {
    hh += (h[i] - mh) * (h[i] - mh);
    he += (h[i] - mh) * (e[i] - me);
  }
  fit.slope = he / hh;
  fit.range = std::exp(h.front() - h.back());
  return fit;
}

class Order : public testing::TestWithParam<IntegratorInfo> {};

void check_order(const System& system, double duration, const IntegratorInfo& method) {
  const std::vector<double> exact = run_checkpoints(system, "gl8", duration, 100 * checkpoints);
  const std::vector<double> start = system.initial_state().x;
  ASSERT_GT(largest_difference(start, {exact.end() - start.size(), exact.end()}), 0.1);  // it moves
  const Fit fit = fit_order(system, method, duration, exact);
  EXPECT_GE(fit.points, 4);
  if (method.order <= 6) {
    EXPECT_GE(fit.range, 7.9);  // three halvings
  }
  // Above order ten the terms of order h^(p+2) are felt down to rounding: mechanism_order_test fits
  // them too, here the slope is a plausibility check.
  const double slack = method.order <= 10 ? 0.1 : 0.05 * method.order;
  EXPECT_GT(fit.slope, method.order - slack) << method.name;
  testing::Test::RecordProperty("slope", std::to_string(fit.slope));
}

TEST_P(Order, FreeRigidBody) {
  check_order(make_free_body(), GetParam().order > 4 ? 40 : 8, GetParam());
}

class OrderOfChain : public Order {};
TEST_P(OrderOfChain, SphericalChain) {
  check_order(make_chain(2, 0.5, {0, 0.5, 3}, false), GetParam().order > 4 ? 4 : 1.5, GetParam());
}

// The short cut for positions changes the way to the stages, not the stages.
TEST_P(OrderOfChain, SphericalChainWithKinematics) {
  check_order(make_chain(2, 0.5, {0, 0.5, 3}, true), GetParam().order > 4 ? 4 : 1.5, GetParam());
}

std::vector<IntegratorInfo> methods(int highest_order) {
  std::vector<IntegratorInfo> rows;
  for (const IntegratorInfo& row : integrator_table())
    if (row.order > 0 && row.order <= highest_order && !row.refusal) rows.push_back(row);
  return rows;
}
const auto name_of = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Methods, Order, testing::ValuesIn(methods(16)), name_of);
// Above order eight this motion of the chain leaves no steps between divergence and rounding;
// mechanism_order_test has one that does.
INSTANTIATE_TEST_SUITE_P(Methods, OrderOfChain, testing::ValuesIn(methods(8)), name_of);

// Inside a step the dense output has its own order: local error h^(q+1).
class DenseOrder : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(DenseOrder, FreeRigidBody) {
  const auto [name, order] = GetParam();
  const Problem<FreeBodyRates> body = make_free_body();
  std::vector<double> errors;
  for (double h : {0.8, 0.4, 0.2}) {
    IntegratorOptions options;
    options.fixed_step = true;
    auto integrator = find_integrator(name)->make(body, options);
    State state = body.initial_state();
    integrator->restart();
    ASSERT_EQ(integrator->step(state, h, h).status, StepStatus::ok);
    double worst = 0;
    for (double theta : {0.3, 0.6, 0.85}) {
      std::vector<double> x(7);
      ASSERT_TRUE(integrator->dense(theta, x));
      worst = std::max(worst, largest_difference(x, end_of_run(body, "gl8", theta * h, 20)));
    }
    errors.push_back(worst);
    // the ends are met exactly
    std::vector<double> x(7);
    integrator->dense(0, x);
    EXPECT_LT(largest_difference(x, body.initial_state().x), 1e-15);
    integrator->dense(1, x);
    EXPECT_LT(largest_difference(x, state.x), 1e-14);
  }
  EXPECT_GT(std::log2(errors[1] / errors[2]), order + 1 - 0.4) << errors[1] << " " << errors[2];
}

INSTANTIATE_TEST_SUITE_P(Methods, DenseOrder,
                         testing::Values(std::pair{"rk4", 3}, std::pair{"rk45", 4},
                                         std::pair{"dop853", 7}, std::pair{"rkmk4", 3},
                                         std::pair{"rkmk45", 4}, std::pair{"gl1", 1},
                                         std::pair{"gl2", 2}, std::pair{"gl3", 3},
                                         std::pair{"gl4", 4}, std::pair{"gl5", 5}),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace cartan::test
