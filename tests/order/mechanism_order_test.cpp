// Observed order of every integrator on a mechanism as users run it: four rods on ball joints in
// spatial motion, straight and tilted by 0.5 rad, the first with body rate (0, 0.5, 3). Methods
// that treat rotations carelessly fall to order two here.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "integrate/integrator.h"
#include "support/example.h"

namespace cartan::test {
namespace {

constexpr double duration = 1;

class MechanismOrder : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    chain_ = load_example("four_link", GetParam(), {{"tilt", 0.5}, {"sway", 0.5}, {"turn", 3}});
    ASSERT_TRUE(chain_);
    exact_ = end_of_run("gl8", 200);
    // two methods that have nothing in common
    SimulateOptions tight = {.integrator = "dop853", .duration = duration, .tolerance = 1e-14};
    const SimulateReport other =
        simulate(*chain_.system, chain_.system->initial_state(), tight, Observer{});
    ASSERT_LE(largest_difference(other.final_state.x, exact_), 1e-12);
    ASSERT_GE(largest_difference(chain_.system->initial_state().x, exact_), 0.1);
  }
  std::vector<double> end_of_run(const std::string& method, int steps) const {
    // large steps of high order: rounding of the accelerations is felt above 1e-15 of the stages
    const SimulateOptions options = {.integrator = method,
                                     .duration = duration,
                                     .step = duration / steps,
                                     .tolerance = 1e-13,
                                     .fixed_step = true};
    const SimulateReport report =
        simulate(*chain_.system, chain_.system->initial_state(), options, Observer{});
    EXPECT_EQ(report.status, RunStatus::completed) << method << ": " << report.message;
    EXPECT_EQ(report.steps, steps);
    return report.final_state.x;
  }
  double error(const std::string& method, int steps) const {
    return largest_difference(end_of_run(method, steps), exact_);
  }

  Example chain_;
  std::vector<double> exact_;
};

// Least squares through (log h, log error).
double slope(const std::vector<double>& h, const std::vector<double>& error) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const double n = static_cast<double>(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) {
    const double a = std::log(h[i]), b = std::log(error[i]);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

// Orders up to eight: all halvings whose errors lie between 1e-4 and the floor, at least three of
// them. Three halvings at order eight are more than seven decades, so its window reaches a little
// further down.
TEST_P(MechanismOrder, SlopeOverThreeHalvings) {
  for (const IntegratorInfo& method : integrator_table()) {
    if (method.order > 8) continue;
    const double floor = method.order == 8 ? 5e-13 : 1e-11;
    std::vector<double> steps, errors;
    int count = method.order == 8 ? 7 : 16;
    if (method.order == 2) count = 1024;
    for (; errors.size() < 5 && count <= 8192; count *= 2) {
      const double e = error(method.name, count);
      if (e < floor) break;
      if (e > 1e-4) continue;
      steps.push_back(duration / count);
      errors.push_back(e);
    }
    ASSERT_GE(steps.size(), 4u) << method.name;
    const double observed = slope(steps, errors);
    RecordProperty(method.name, std::to_string(observed));
    EXPECT_GE(observed, method.order - 0.1) << method.name;
    EXPECT_LE(observed, method.order + 0.6) << method.name;
  }
}

// Higher orders pass through the window within one or two halvings: every further stage must pay
// instead.
TEST_P(MechanismOrder, EveryFurtherStagePays) {
  double before = error("gl3", 8);
  for (const char* method : {"gl4", "gl5", "gl6", "gl7", "gl8"}) {
    const double now = error(method, 8);
    EXPECT_LE(now, std::max(before / 20, 1e-13)) << method;
    before = now;
  }
  EXPECT_LE(before, 1e-13);
}

INSTANTIATE_TEST_SUITE_P(Formulations, MechanismOrder, testing::Values("recursive", "moving-frame"),
                         [](const auto& info) {
                           return info.param == "recursive" ? std::string("recursive")
                                                            : "moving_frame";
                         });

}  // namespace
}  // namespace cartan::test
