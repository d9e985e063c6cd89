// Where branches of motions with impacts end or begin: orbits that only touch a stop (reference
// case C3.b), gaits on slopes that go to zero (C5.a).
#include <array>
#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "published/contacts/contact_branches.h"

namespace cartan::test {
namespace {

// The frequency that the end of the branch names.
double grazed_at(const Branch& branch) {
  const std::string words = "the orbit grazes 'slide upper' at ";
  const std::size_t at = branch.end.find(words);
  EXPECT_NE(at, std::string::npos) << branch.end;
  return at == std::string::npos ? 0 : std::stod(branch.end.substr(at + words.size()));
}

// Both frequencies at which an orbit touches the stop without an impact. Beyond them it has one
// impact more, so that the branch ends there.
TEST(ContactBranches, GrazingOfTheImpactOscillator) {  // C3.b
  const Settings b = {{"z", 0.05}, {"d", 0.5}, {"r", 0.8}};
  Settings settings = b;
  settings.push_back({"w", 2.5});
  const Example free = load_example("impact_oscillator", "recursive", settings);
  // from next to the lowest point of the motion without impacts
  const State low = free.mechanism().make_state(0.0, {{std::vector<double>{-0.19}}},
                                                {{std::vector<double>{0.0}}});
  const Branch quiet = follow_oscillator(free, 2.5, 1.6, low, 1, 0.1);
  EXPECT_FALSE(quiet.reached);
  ASSERT_FALSE(quiet.samples.empty());
  EXPECT_NEAR(quiet.samples.back().point.parameter(), 1.729885745753515, 1e-8) << quiet.end;
  EXPECT_NEAR(grazed_at(quiet), 1.729885745753515, 1e-10);
  settings.back().second = 1.5;
  const Example hits = load_example("impact_oscillator", "recursive", settings);
  const Branch one =
      follow_oscillator(hits, 1.5, 0.7, 0.393290586125633, 2.339109183737475, 1, 0.05);
  EXPECT_FALSE(one.reached);
  ASSERT_FALSE(one.samples.empty());
  EXPECT_NEAR(one.samples.back().point.parameter(), 0.794651625380844, 1e-8) << one.end;
  EXPECT_NEAR(grazed_at(one), 0.794651625380844, 1e-10);
}

struct SmallSlope {
  double theta, w, T, trace, determinant;  // of the step map; theta, w over gamma^(1/3)
};

// The gait next to a guess: its state after the strike, its period, its multipliers 1, 0, m1, m2.
SmallSlope find_gait(double x, double theta, double w, double T) {
  const double root = std::sqrt(x);  // x = gamma^(2/3)
  const Example example =
      load_example("simplest_walker", "recursive",
                   {{"gamma", x * root}, {"theta0", theta * root}, {"w0", w * root}});
  OrbitOptions options;
  options.period = T;
  const Orbit orbit = find_orbit(
      *example.system, later(*example.system, example.system->initial_state(), 1), options);
  EXPECT_TRUE(orbit.found()) << orbit.problem;
  SmallSlope gait{};
  Observer observer;
  observer.on_jump = [&](const State&, const State& after, const JumpNotes&) {
    gait.theta = after.x[0] / root;
    gait.w = after.x[1] / root;
  };
  simulate(*example.system, orbit.state(),
           {.integrator = "dop853", .duration = T, .step = 1, .tolerance = 1e-13}, observer);
  gait.T = orbit.point.period;
  std::complex<double> sum = 0, pairs = 0;
  for (std::size_t i = 0; i < orbit.multipliers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) pairs += orbit.multipliers[i] * orbit.multipliers[j];
    sum += orbit.multipliers[i];
  }
  gait.trace = sum.real() - 1;
  gait.determinant = pairs.real() - gait.trace;
  return gait;
}

// The first two coefficients of the series in x through `gait_count` gaits.
constexpr int gait_count = 8;
using Coefficients = std::array<double, 2>;
Coefficients series_of(const std::array<SmallSlope, gait_count>& gaits, double first,
                       double SmallSlope::*what) {
  Eigen::MatrixXd powers(gait_count, gait_count);
  Eigen::VectorXd values(gait_count);
  for (int k = 0; k < gait_count; ++k) {
    values[k] = gaits[k].*what;
    for (int j = 0; j < gait_count; ++j) powers(k, j) = std::pow(k + 1, j);
  }
  const Eigen::VectorXd c = powers.fullPivLu().solve(values);
  return {c[0], c[1] / first};
}

// theta, theta' and T of gaits on small slopes are series in x = gamma^(2/3) (times gamma^(1/3)).
// Their first terms follow from gaits at x = h, 2 h, .., up to a slope of 0.006.
TEST(ContactBranches, GaitsOnSmallSlopes) {  // C5.a
  constexpr double h = 0.004;
  std::array<SmallSlope, gait_count> slow, quick;
  for (int k = 0; k < gait_count; ++k) {
    const double x = h * (k + 1);
    slow[k] = find_gait(x, 0.97096 - 0.1866 * x, -1.01485 + 1.2579 * x, 3.81209 + 1.5791 * x);
    quick[k] = find_gait(x, 0.94398 - 0.2646 * x, -1.0288 + 1.13 * x, M_PI - 0.9075 * x);
  }
  const auto expect = [](const Coefficients& c, double first, double second, const char* name) {
    EXPECT_NEAR(c[0], first, 1e-10 * (1 + std::fabs(first))) << name;
    EXPECT_NEAR(c[1], second, 1e-7) << name;  // a difference over h loses digits
  };
  expect(series_of(slow, h, &SmallSlope::theta), 0.97095612493881, -0.186569065501, "theta");
  expect(series_of(slow, h, &SmallSlope::w), -1.01484612353799, 1.25789749868, "theta'");
  expect(series_of(slow, h, &SmallSlope::T), 3.81209179509297, 1.57912868333, "T");
  expect(series_of(quick, h, &SmallSlope::theta), 0.943976068448217, -0.264561358159, "short");
  expect(series_of(quick, h, &SmallSlope::w), -1.02924675840402, 1.15506936276, "short theta'");
  expect(series_of(quick, h, &SmallSlope::T), M_PI, -0.907496221487, "short T");
  EXPECT_NEAR(series_of(slow, h, &SmallSlope::trace)[0], 1.48625967364, 1e-8);
  EXPECT_NEAR(series_of(slow, h, &SmallSlope::determinant)[0], 0.486259673644, 1e-8);
  EXPECT_NEAR(series_of(quick, h, &SmallSlope::trace)[0], 3, 1e-8);
  EXPECT_NEAR(series_of(quick, h, &SmallSlope::determinant)[0], 2, 1e-8);
}

}  // namespace
}  // namespace cartan::test
