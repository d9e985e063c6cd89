// Source 000, chapter 3: rod pendulums with one, two and four links.
//
// Reference values: exact formula (one link); planar equations in extended precision, confirmed by
// three other formulations (two and four links). Twenty digits of agreement there, so all errors
// are ours.
#include <cmath>

#include <gtest/gtest.h>

#include "support/example.h"

namespace cartan::test {
namespace {

const double times[] = {1, 2, 5, 10};

// Absolute angles from the vertical, then their rates.
std::vector<double> angles_and_rates(const MechanicalSystem& system, const State& state) {
  const Observation now = observe(system, state);
  std::vector<double> angles, rates;
  for (const BodyState& body : now.bodies) {
    angles.push_back(angle_about_x(body));
    rates.push_back(world_rate(body).x);
  }
  angles.insert(angles.end(), rates.begin(), rates.end());
  return angles;
}

using Rows = std::vector<std::vector<double>>;  // per time
const Rows one_link = {{-0.090724085093030461, -0.11386076427241902},
                       {0.064612895325769788, 0.20664306241160274},
                       {0.056488575400849179, -0.22342263561750135},
                       {-0.036205490166741064, -0.25241037396463709}};
const Rows two_links = {{-2.3471866602256102e-02, -4.9008145715454084e-02, -9.9655316259599966e-02,
                         -3.4706070956094022e-01},
                        {-7.9278708840130594e-02, -8.1245820735220749e-02, 1.4038583747997705e-01,
                         5.8331943144264923e-02},
                        {-7.6064519273478682e-02, -1.5016849011476071e-01, -5.0384008747815482e-03,
                         3.5048768258343902e-02},
                        {9.8726604093707960e-02, 1.0159627879052924e-01, -3.7960041942717811e-02,
                         3.0765802299277199e-02}};
const Rows four_links = {{6.2069213123991910e-03, 1.5984991982793204e-02, 2.9890831937813668e-02,
                          1.0067620842447227e-01, -8.3278359924801485e-02, -1.2810017881132449e-01,
                          -1.9655224906699600e-01, -1.4491778678012736e-01},
                         {-5.1940855528556537e-02, -8.3065058913428244e-02, -1.1890219367475605e-01,
                          -1.7674816272716844e-01, -2.1727078086972583e-02, -9.0011920086057060e-02,
                          -1.1080032426499905e-01, 1.3108714890630560e-02},
                         {5.2645632106602250e-02, 8.8271637871244056e-02, 1.3062593294229643e-01,
                          1.6873213821973124e-01, -3.7864685398848588e-02, -1.1833389763837612e-02,
                          -9.0865073962467998e-02, -1.2218882888226043e-01},
                         {7.2465711014734603e-02, 7.4608820003396578e-02, 6.7418383404321227e-02,
                          7.5404521329623605e-02, -7.9100697505911690e-02, -1.5014306377478767e-01,
                          -6.1519435259023046e-02, -2.0651850309911545e-02}};

struct Case {
  const char* example;
  const Rows& reference;
  double energy;
  double gl3_error;  // angles, h = 0.01
};

class Chains : public testing::TestWithParam<std::tuple<Case, std::string>> {
 protected:
  double error(const SimulateOptions& options, int numbers) const {
    const auto& [chain, formulation] = GetParam();
    const Example example = load_example(chain.example, formulation);
    if (!example) return INFINITY;
    const std::vector<State> states = states_at(*example.system, times, options);
    double worst = 0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      std::vector<double> got = angles_and_rates(example.mechanism(), states[i]);
      std::vector<double> expected = chain.reference[i];
      got.resize(numbers), expected.resize(numbers);
      worst = std::max(worst, largest_difference(got, expected));
    }
    return worst;
  }
  int count() const { return static_cast<int>(std::get<0>(GetParam()).reference[0].size()); }
};

TEST_P(Chains, MeetTheReferenceWithin2e13) {
  const double e = error({.integrator = "gl5", .step = 0.01}, count());
  RecordProperty("error", std::to_string(e * 1e15) + "e-15");
  EXPECT_LE(e, 2e-13);
}

// Table 3.2's method and step.
TEST_P(Chains, AnglesByGl3) {
  const double e = error({.integrator = "gl3", .step = 0.01}, count() / 2);
  RecordProperty("error", std::to_string(e * 1e15) + "e-15");
  EXPECT_LE(e, std::get<0>(GetParam()).gl3_error);
}

TEST_P(Chains, EnergyOfTheStart) {
  const auto& [chain, formulation] = GetParam();
  const Example example = load_example(chain.example, formulation);
  ASSERT_TRUE(example);
  const Observation start = observe(example.mechanism(), example.system->initial_state());
  EXPECT_EQ(start.kinetic, 0);
  EXPECT_NEAR(start.potential, chain.energy, 4e-16 * std::fabs(chain.energy));
}

INSTANTIATE_TEST_SUITE_P(
    Source000, Chains,
    testing::Combine(testing::Values(Case{"pendulum", one_link, -488.04954306887163827, 2e-13},
                                     Case{"double_pendulum", two_links, -1952.1981722754866, 1e-12},
                                     Case{"four_link", four_links, -7808.7926891019462, 1e-11}),
                     testing::Values("recursive", "moving-frame")),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).example) +
             (std::get<1>(info.param) == "recursive" ? "_recursive" : "_moving_frame");
    });

// sin(theta/2) = k cd(w0 t, k) at every step of the run.
TEST(SinglePendulum, FollowsTheExactAngle) {
  const Example example = load_example("pendulum");
  ASSERT_TRUE(example);
  Trajectory path;
  const SimulateReport report = simulate(*example.system, example.system->initial_state(),
                                         {.integrator = "gl3", .step = 0.01}, path);
  ASSERT_TRUE(report.ok()) << report.message;
  ASSERT_EQ(path.count(), 1001u);
  const long double k = std::sin(0.05L), inertia = 50 * (4 + 0.04L) / 12 + 50;
  const long double w0 = std::sqrt(50 * 9.81L / inertia);
  double worst = 0, swing = 0;
  for (std::size_t i = 0; i < path.count(); ++i) {
    const Jacobi f = jacobi(w0 * path.t[i], k);
    const double exact = 2 * std::asin(k * f.cn / f.dn);
    const double angle = angle_about_x(observe(example.mechanism(), path.state(i)).bodies[0]);
    worst = std::max(worst, std::fabs(angle - exact));
    swing = std::max(swing, std::fabs(exact));
  }
  EXPECT_GT(swing, 0.09);
  RecordProperty("error", std::to_string(worst * 1e15) + "e-15");
  EXPECT_LE(worst, 2e-13);
}

// The event "vertical" of the example: quarter period, then every half period.
TEST(SinglePendulum, PassesTheVerticalEveryHalfPeriod) {
  const Example example = load_example("pendulum");
  ASSERT_TRUE(example);
  Trajectory path;
  const SimulateReport report = simulate(*example.system, example.system->initial_state(),
                                         {.integrator = "gl3", .step = 0.01}, path);
  ASSERT_TRUE(report.ok()) << report.message;
  const double period = 2.3207503701612812434;
  ASSERT_EQ(path.events.size(), 9u);
  for (std::size_t i = 0; i < path.events.size(); ++i)
    EXPECT_NEAR(path.events[i].state.t, period * (0.25 + 0.5 * i), 2e-12);
}

struct Invariants {
  double unit_length = 0, relative_drift = 0;
  SimulateReport report;
};

Invariants run_four_links(const SimulateOptions& options, const std::string& formulation) {
  const Example example = load_example("four_link", formulation);
  Invariants result;
  if (!example) return result;
  double first = 0;
  const auto workspace = example.system->make_workspace();
  Observation now;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    example.mechanism().observe(state, now, *workspace);
    const double energy = now.kinetic + now.potential;
    if (first == 0) first = energy;
    result.relative_drift = std::max(result.relative_drift, std::fabs((energy - first) / first));
    result.unit_length = std::max(result.unit_length, now.unit_norm_error);
  };
  result.report = simulate(*example.system, example.system->initial_state(), options, observer);
  EXPECT_TRUE(result.report.ok()) << result.report.message;
  EXPECT_GE(result.report.counts.evaluations, 2000);  // every stage of every step
  return result;
}

class FourLinks : public testing::TestWithParam<std::string> {};

TEST_P(FourLinks, Gl3KeepsLengthAndEnergyToRounding) {
  const Invariants got = run_four_links({.integrator = "gl3", .step = 0.01}, GetParam());
  RecordProperty("unit_length", std::to_string(got.unit_length * 1e15) + "e-15");
  RecordProperty("drift", std::to_string(got.relative_drift * 1e15) + "e-15");
  RecordProperty("evaluations", static_cast<int>(got.report.counts.evaluations));
  EXPECT_LE(got.unit_length, 5e-15);
  EXPECT_LE(got.relative_drift, 1e-14);
}

// Table 3.2: 11,334 evaluations for a drift of 3.0e-13.
TEST_P(FourLinks, Gl2WithLooseStagesNeedsFewEvaluations) {
  const Invariants got =
      run_four_links({.integrator = "gl2", .step = 0.01, .tolerance = 1e-9}, GetParam());
  RecordProperty("drift", std::to_string(got.relative_drift * 1e15) + "e-15");
  RecordProperty("evaluations", static_cast<int>(got.report.counts.evaluations));
  const bool few = got.relative_drift <= 1e-12 && got.report.counts.evaluations <= 8500;
  const bool accurate = got.relative_drift <= 3e-13 && got.report.counts.evaluations <= 9200;
  EXPECT_TRUE(few || accurate) << "drift " << got.relative_drift << " with "
                               << got.report.counts.evaluations << " evaluations";
}

INSTANTIATE_TEST_SUITE_P(Source000, FourLinks, testing::Values("recursive", "moving-frame"),
                         [](const auto& info) {
                           return info.param == "recursive" ? std::string("recursive")
                                                            : "moving_frame";
                         });

}  // namespace
}  // namespace cartan::test
