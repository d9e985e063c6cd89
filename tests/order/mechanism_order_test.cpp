// Observed order of every integrator on a mechanism as users run it: four rods on ball joints in
// spatial motion, straight and tilted by 0.5 rad, the first rod with body rate (0, 0.5, turn).
// Methods that treat rotations carelessly fall to order two here.
//
// Errors that count lie between 1e-11 and 1e-4. A halving divides the error by 2^p, so three of
// them take 2^(3p): 2.6e5 at order 6; 1.7e7 at order 8, more than the 1e7 of the window; 2.8e14 at
// order 16. Up to order 6 there are three halvings. Above, steps follow each other by smaller
// ratios and fill the window.
#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <Eigen/QR>

#include "integrate/integrator.h"
#include "support/example.h"

namespace cartan::test {
namespace {

constexpr double largest = 1e-4, smallest = 1e-11;

// A motion, known in the middle and at the end: an error read at one instant alone can pass through
// zero.
class Motion {
 public:
  Motion(const std::string& formulation, const Settings& settings, double duration)
      : chain_(load_example("four_link", formulation, settings)), duration_(duration) {
    if (chain_) exact_ = run("gl8", 512, 1e-15);
  }
  double duration() const { return duration_; }
  // It moves, and a method that has nothing in common with gl8 ends at the same place.
  void check() const {
    ASSERT_TRUE(chain_);
    const double times[] = {duration_ / 2, duration_};
    std::vector<double> x = chain_.system->initial_state().x;
    ASSERT_GE(largest_difference(x, std::span(exact_).last(x.size())), 0.1);
    for (const State& state :
         states_at(*chain_.system, times, {.integrator = "dop853", .tolerance = 1e-14}))
      x.insert(x.end(), state.x.begin(), state.x.end());
    ASSERT_LE(distance(x), smallest / 2);
    ASSERT_LE(distance(run("gl6", 1024, 1e-15)), smallest / 20);
  }
  // Largest error relative to max(1, |x|); infinite where the step is too long for the stages.
  double error(const IntegratorInfo& method, int steps) const {
    return distance(run(method.name, steps, 1e-15));
  }

 private:
  std::vector<double> run(const std::string& method, int steps, double tolerance) const {
    const SimulateOptions options = {.integrator = method,
                                     .duration = duration_,
                                     .step = duration_ / steps,
                                     .tolerance = tolerance,
                                     .every = steps / 2,
                                     .fixed_step = true};
    Trajectory path;
    const SimulateReport report =
        simulate(*chain_.system, chain_.system->initial_state(), options, path);
    return report.ok() ? path.x : std::vector<double>{};
  }
  double distance(const std::vector<double>& x) const {
    if (x.size() != exact_.size()) return std::numeric_limits<double>::infinity();
    double worst = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::fabs(x[i] - exact_[i]) / std::max(1.0, std::fabs(exact_[i])));
    return worst;
  }

  Example chain_;
  double duration_;
  std::vector<double> exact_;
};

// Steps and errors inside the window.
struct Series {
  std::vector<double> h, error;

  double decades() const { return error.empty() ? 0 : std::log10(error.front() / error.back()); }
  // Least squares: log(error) = a + slope log(h), where wanted + b h^2.
  double slope(bool next_term) const {
    const Eigen::Index n = static_cast<Eigen::Index>(h.size());
    Eigen::MatrixXd A(n, next_term ? 3 : 2);
    Eigen::VectorXd y(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      A(i, 0) = 1;
      A(i, 1) = std::log(h[i]);
      if (next_term) A(i, 2) = h[i] * h[i];
      y[i] = std::log(error[i]);
    }
    return A.colPivHouseholderQr().solve(y)[1];
  }
  Series below(double limit) const {
    Series part;
    for (std::size_t i = 0; i < h.size(); ++i)
      if (error[i] <= limit) part.h.push_back(h[i]), part.error.push_back(error[i]);
    return part;
  }
};

Series measure(const Motion& motion, const IntegratorInfo& method, double first_steps,
               double ratio) {
  Series series;
  for (double half = first_steps / 2; half < 20000; half *= ratio) {
    const int steps = 2 * static_cast<int>(std::lround(half));
    const double error = motion.error(method, steps);
    if (error < smallest) break;
    if (error > largest) continue;
    series.h.push_back(motion.duration() / steps);
    series.error.push_back(error);
    if (ratio == 2 && series.h.size() == 5) break;
  }
  return series;
}

class MechanismOrder : public testing::TestWithParam<std::string> {
 protected:
  // Slope within [order - 0.1, order + 0.3], told with what it rests on.
  void expect_order(const IntegratorInfo& method, const Series& series, double observed) {
    EXPECT_GE(observed, method.order - 0.1) << method.name;
    EXPECT_LE(observed, method.order + 0.3) << method.name;
    RecordProperty(method.name, testing::PrintToString(observed) + " from " +
                                    testing::PrintToString(series.h.size()) + " steps over " +
                                    testing::PrintToString(series.decades()) + " decades");
  }
};

TEST_P(MechanismOrder, UpToSixOverThreeHalvings) {
  const Motion motion(GetParam(), {{"tilt", 0.5}, {"sway", 0.5}, {"turn", 3}}, 1);
  ASSERT_NO_FATAL_FAILURE(motion.check());
  for (const IntegratorInfo& method : integrator_table()) {
    if (method.order == 0 || method.order > 6 || method.refusal) continue;
    const Series series = measure(motion, method, method.order == 2 ? 512 : 8, 2);
    ASSERT_GE(series.h.size(), 4u) << method.name;
    expect_order(method, series, series.slope(false));
  }
}

// Ratio 2^(3/8): the error falls to an eighth each time.
TEST_P(MechanismOrder, Eight) {
  const Motion motion(GetParam(), {{"tilt", 0.5}, {"sway", 0.5}, {"turn", 3}}, 10);
  ASSERT_NO_FATAL_FAILURE(motion.check());
  for (const IntegratorInfo& method : integrator_table()) {
    if (method.order != 8) continue;
    const Series series = measure(motion, method, 40, std::exp2(3.0 / 8));
    ASSERT_GE(series.h.size(), 7u) << method.name;
    expect_order(method, series, series.slope(false));
  }
}

// gl5 to gl8, ratio 2^(2/p): the error falls to a fourth each time. (The upper decades of the
// window are out of reach for gl8: its stages do not converge where a step turns the rod by 4 rad.)
//
// In the motion above their steps reach past the nearest singularity of the motion at complex times
// before the error leaves the window, and no power of h is seen. A thicker first rod that spins at
// 30 rad/s makes errors large at steps that are short for the swing: what limits them is a
// rotation, which has no singularity. The error of a symmetric method is h^p (C + D h^2 + ...). Its
// second term is felt in all of the window (from below, 2 D h^2 / C = 0.2 to 0.5 at order 16) and
// to rounding, so log(error) = a + p log(h) + b h^2 is fitted over the whole window; the plain
// slope where errors are below 1e-7 reaches the order within 0.1 up to order 12.
TEST_P(MechanismOrder, TenToSixteen) {
  const Motion motion(GetParam(), {{"w", 1}, {"tilt", 0.5}, {"sway", 0.5}, {"turn", 30}}, 8);
  ASSERT_NO_FATAL_FAILURE(motion.check());
  for (const IntegratorInfo& method : integrator_table()) {
    if (method.order < 10) continue;
    const Series series = measure(motion, method, 32, std::exp2(2.0 / method.order));
    ASSERT_GE(series.h.size(), 8u) << method.name;
    EXPECT_GE(series.decades(), method.order == 16 ? 4 : 5.5) << method.name;
    expect_order(method, series, series.slope(true));
    const double plain = series.below(1e-7).slope(false);
    EXPECT_GE(plain, method.order - (method.order <= 12 ? 0.1 : 0.3)) << method.name;
    RecordProperty(method.name + std::string("_plain"), testing::PrintToString(plain));
  }
}

INSTANTIATE_TEST_SUITE_P(Formulations, MechanismOrder, testing::Values("recursive", "moving-frame"),
                         [](const auto& info) {
                           return info.param == "recursive" ? std::string("recursive")
                                                            : "moving_frame";
                         });

}  // namespace
}  // namespace cartan::test
