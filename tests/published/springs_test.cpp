// Source 000, 3.3: torsional springs, spring and dampers on sixteen links, the coiled chain.
#include <cmath>

#include <gtest/gtest.h>

#include "published/springs_reference.h"
#include "support/example.h"

namespace cartan::test {
namespace {

const Vec3<double> middle{0, 0, -1}, end{0, 0, -2};  // of a rod

// What the reference tables list, for the given links (from 1).
struct Columns {
  std::vector<double> positions, attitudes, rates;
};
Columns columns(const Observation& now, std::initializer_list<int> links, bool with_end) {
  Columns c;
  for (int link : links) {
    const BodyState& body = now.bodies[link - 1];
    append(c.positions, point_on(body, middle));
    append(c.attitudes, body.orientation);
    append(c.rates, world_rate(body));
  }
  if (with_end) append(c.positions, point_on(now.bodies.back(), end));
  return c;
}

// A quaternion and its opposite are one rotation.
void choose_positive(std::vector<double>& attitudes) {
  for (std::size_t i = 0; i < attitudes.size(); i += 4)
    if (attitudes[i] < 0)
      for (int k = 0; k < 4; ++k) attitudes[i + k] = -attitudes[i + k];
}

struct Errors {
  double position = 0, attitude = 0, rate = 0;
  void compare(Columns got, const std::vector<double>& reference) {
    choose_positive(got.attitudes);
    const std::span<const double> all(reference);
    const std::size_t p = got.positions.size(), a = got.attitudes.size();
    position = std::max(position, largest_difference(got.positions, all.first(p)));
    attitude = std::max(attitude, largest_difference(got.attitudes, all.subspan(p, a)));
    rate = std::max(rate, largest_difference(got.rates, all.subspan(p + a)));
  }
  void record() const {
    for (const auto& [name, value] :
         {std::pair("position", position), {"attitude", attitude}, {"rate", rate}})
      testing::Test::RecordProperty(name, std::to_string(value * 1e15) + "e-15");
  }
};

Errors four_link_errors(const Example& example, const std::vector<std::vector<double>>& reference,
                        const SimulateOptions& options) {
  Errors errors;
  const double times[] = {0.5, 1, 2, 5};
  const std::vector<State> states = states_at(*example.system, times, options);
  for (std::size_t i = 0; i < states.size(); ++i)
    errors.compare(columns(observe(example.mechanism(), states[i]), {1, 2, 3, 4}, false),
                   reference[i]);
  return errors;
}

// Rods turn about their axes at 150 rad/s against the springs. There rounding of the accelerations
// is felt above 1e-15 of the stages.
const SimulateOptions torsion_options = {.integrator = "gl6", .step = 0.0025, .tolerance = 1e-13};

class Springs : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Source000, Springs, testing::Values("recursive", "moving-frame"),
                         [](const auto& info) {
                           return info.param == "recursive" ? std::string("recursive")
                                                            : "moving_frame";
                         });

TEST_P(Springs, LiteralTorsionMeetsTheReference) {
  const Example example = load_example("torsion_literal", GetParam());
  ASSERT_TRUE(example);
  const Errors errors = four_link_errors(example, torsion_literal_reference, torsion_options);
  errors.record();
  EXPECT_LE(errors.position, 1e-12);
  EXPECT_LE(errors.attitude, 1e-12);
  EXPECT_LE(errors.rate, 1e-12);
}

TEST_P(Springs, EulerTorsionMeetsTheReference) {
  const Example example = load_example("torsion_euler", GetParam());
  ASSERT_TRUE(example);
  const Errors errors = four_link_errors(example, torsion_euler_reference, torsion_options);
  errors.record();
  EXPECT_LE(errors.position, 1e-11);
  EXPECT_LE(errors.attitude, 1e-11);
  EXPECT_LE(errors.rate, 5e-10);
}

// The springs with a potential conserve the energy; the printed ones add to it, and their work is
// counted.
TEST_P(Springs, EnergyBalanceOfTorsion) {
  for (const bool literal : {false, true}) {
    const Example example = load_example(literal ? "torsion_literal" : "torsion_euler", GetParam());
    ASSERT_TRUE(example);
    const MechanicalSystem& system = example.mechanism();
    const double times[] = {5};
    const Observation first = observe(system, system.initial_state());
    const Observation last = observe(system, states_at(system, times, torsion_options)[0]);
    const double start = first.kinetic + first.potential, finish = last.kinetic + last.potential;
    if (literal) {
      EXPECT_NEAR(start, -5160.3803086306862,
                  1e-11);  // gravity alone: these springs have no potential
      EXPECT_NEAR(finish, -4619.5506437469900, 1e-8);
      EXPECT_GT(std::fabs(last.work), 100);
    } else {
      EXPECT_NEAR(start, -4218.9412993471060, 1e-11);
      EXPECT_EQ(last.work, 0);
    }
    EXPECT_NEAR(finish - last.work, start, 1e-8);
  }
}

TEST_P(Springs, SpringAndDampersMeetTheReference) {
  const Example example = load_example("spring_damper_chain", GetParam());
  ASSERT_TRUE(example);
  const double all_times[] = {0.5, 1, 2, 3, 4, 5};
  const bool cheap = GetParam() == "recursive";  // the other formulation: a part of the motion
  const std::vector<State> states =
      states_at(*example.system, std::span(all_times).first(cheap ? 6 : 2),
                {.integrator = "gl5", .step = 0.005, .tolerance = 1e-13});
  Errors errors;
  for (std::size_t i = 0; i < states.size(); ++i)
    errors.compare(columns(observe(example.mechanism(), states[i]), {4, 8, 12, 16}, true),
                   spring_damper_reference[i]);
  errors.record();
  EXPECT_LE(errors.position, 2e-12);
  EXPECT_LE(errors.attitude, 2e-12);
  EXPECT_LE(errors.rate, 2e-12);
}

// The coil lies flat at the start; it falls, keeps unit lengths without being normalised, and the
// energy lost is the work of the dampers.
void drop_the_coil(double duration) {
  const Example example = load_example("coiled_drop");
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const Observation first = observe(system, system.initial_state());
  for (const BodyState& body : first.bodies) EXPECT_NEAR(point_on(body, end).z, 0, 1e-12);
  const SimulateReport report = simulate(
      *example.system, system.initial_state(),
      {.integrator = "gl3", .duration = duration, .step = 0.01, .tolerance = 1e-11}, Observer{});
  ASSERT_EQ(report.status, RunStatus::completed) << report.message;
  EXPECT_EQ(report.steps, std::lround(duration / 0.01));
  EXPECT_LE(report.unit_norm_error, 1e-12);
  const Observation last = observe(system, report.final_state);
  EXPECT_LT(point_on(last.bodies.back(), end).z, -1);
  EXPECT_LT(last.work, -1);
  testing::Test::RecordProperty("unit_length",
                                std::to_string(report.unit_norm_error * 1e15) + "e-15");
  testing::Test::RecordProperty("seconds", std::to_string(report.wall_seconds));
  testing::Test::RecordProperty(
      "balance", std::to_string(last.kinetic + last.potential - last.work - first.potential));
  testing::Test::RecordProperty("work", std::to_string(last.work));
}

TEST(CoiledDrop, Begins) {
  drop_the_coil(0.5);
}
TEST(LongCoiledDrop, RunsTenSeconds) {
  drop_the_coil(10);
}

}  // namespace
}  // namespace cartan::test
