// Closed linkages: the Stewart platform (case S1.2), Andrews' squeezer, Bricard's ring, the
// four-bar, and others.
#include <cmath>

#include <gtest/gtest.h>

#include "support/example.h"

namespace cartan::test {
namespace {

using FormulationTest = testing::TestWithParam<std::string>;

std::string linkages_name(const testing::TestParamInfo<std::string>& info) {
  return info.param == "recursive" ? "recursive" : "moving_frame";
}

class Linkages : public FormulationTest {};
INSTANTIATE_TEST_SUITE_P(Published, Linkages, testing::Values("recursive", "moving-frame"),
                         linkages_name);

// Case S1.2, platform twist with closed-form legs in long double; maximal coordinates with 72
// constraints agree with it to 2.5e-14 (position), 1e-13 (rotation), 1.4e-13 (velocity), 1.5e-12
// (angular velocity). Position, quaternion, velocity, angular velocity (body axes), lengths of the
// legs.
const double platform_times[] = {0.1, 0.25, 0.5, 0.75, 1};
const double platform_reference[][19] = {
    {0.04481318450394982, -0.022135296796385696, 0.6065602270934871, 0.9975520420678342,
     -0.05445946961196941, 0.03690494201084677, -0.02370896014279928, -0.18808925785904543,
     0.05867192366771689, -0.0895099307756508, 1.2441228982311858, -0.26773556650293096,
     -4.232323387730769, 0.6801642364916001, 0.6252532930819753, 0.6884397323228604,
     0.7054255123059794, 0.7017746017529584, 0.7034812387611689},
    {-0.015349477140010165, 0.010876523879530121, 0.6189168216387138, 0.9981247263121291,
     -0.0318310118552092, 0.05035266195293722, 0.014086406314739605, -0.3761206379745589,
     0.3119416231605538, -0.10829423147854504, -1.902835473315996, 2.951093457185405,
     4.5253405939365425, 0.6929086956257892, 0.6829698789194862, 0.6596503180378072,
     0.7088546101925838, 0.7170827641375599, 0.6983256706135925},
    {-0.0013822722368585921, 0.0018083191435302299, 0.615228255396808, 0.9946029695038873,
     0.01948647102105518, -0.029173665464135808, -0.09764275571992927, 0.43206361941186544,
     -0.3662561263873498, -0.22260028870945048, 2.3637745980723173, -3.62983202664527,
     2.265650489137872, 0.7141116384396251, 0.6850343996897489, 0.7259023968961353,
     0.6578535249729014, 0.703179117772409, 0.6648554386846346},
    {0.017992026585424287, -0.010405842356576926, 0.6082108184501642, 0.9958409293230184,
     -0.015830047498898426, -0.007621076657196695, -0.08939895006002589, -0.3572763066328022,
     0.3468294735274852, -0.012077577583263251, -3.038473155445612, 4.392873002161713,
     -2.549932602388386, 0.7062943228385256, 0.6526306396134056, 0.7135554245515267,
     0.6670538954126923, 0.6996695753615484, 0.6745266954575693},
    {-0.031629650100086164, 0.017783310100362847, 0.6065993183280802, 0.9984167476228921,
     -0.011938666507242917, 0.04296274819599246, 0.03428802379261094, 0.2254978793588358,
     -0.2536490002687473, 0.12543367085072782, 3.467386558235073, -4.006675068653415,
     -3.8120740885530795, 0.6803248113453021, 0.6963210397925935, 0.6462517231148132,
     0.6965394360502619, 0.699121178234023, 0.6820839026809591}};

TEST_P(Linkages, StewartPlatformMeetsTheReference) {
  const Example example = load_example("stewart", GetParam());
  ASSERT_TRUE(example);
  const std::vector<State> states =
      states_at(*example.system, platform_times, {.integrator = "gl6", .step = 0.0025});
  double place = 0, rotation = 0, speed = 0, rate = 0, length = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Observation now = observe(example.mechanism(), states[i]);
    const BodyState& platform = now.bodies[0];
    const std::span<const double> r(platform_reference[i]);
    std::vector<double> position, quaternion, linear, angular, legs;
    append(position, platform.position);
    append(quaternion, platform.orientation);
    append(linear, platform.linear);
    append(angular, platform.angular);
    for (int k = 0; k < 6; ++k) legs.push_back(now.q[2 + 2 * k][0]);
    place = std::max(place, largest_difference(position, r.subspan(0, 3)));
    rotation = std::max(rotation, largest_difference(quaternion, r.subspan(3, 4)));
    speed = std::max(speed, largest_difference(linear, r.subspan(7, 3)));
    rate = std::max(rate, largest_difference(angular, r.subspan(10, 3)));
    length = std::max(length, largest_difference(legs, r.subspan(13, 6)));
    EXPECT_NEAR(now.kinetic + now.potential, 182.83136917170058, 1e-11);
    EXPECT_LE(now.position_violation, 1e-14);
  }
  RecordProperty("place", std::to_string(place * 1e15) + "e-15");
  RecordProperty("rate", std::to_string(rate * 1e15) + "e-15");
  EXPECT_LE(place, 2.5e-13);
  EXPECT_LE(rotation, 1e-12);
  EXPECT_LE(speed, 1.4e-12);
  EXPECT_LE(rate, 1.5e-11);
  EXPECT_LE(length, 2.5e-13);
}

// Test Set for IVP Solvers (Bari / CWI): by PSIDE with tolerances 1e-14 on a Cray C90.
TEST_P(Linkages, SqueezerMeetsThePublishedSolution) {
  const Example example = load_example("squeezer", GetParam());
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  const DynamicsReport start = system.report_dynamics(system.initial_state(), *workspace);
  EXPECT_NEAR(start.acceleration[0][0], 14222.4439199541138705911625887, 1e-7);
  EXPECT_NEAR(start.acceleration[1][0], -10666.8329399655854029433719415, 1e-7);
  const double times[] = {0.03};
  const State end = states_at(*example.system, times, {.integrator = "gl4", .step = 1e-5})[0];
  const Observation now = observe(system, end);
  struct Angle {
    const char* name;
    int joint;
    double position, rate;
  };
  const Angle reference[] = {{"beta", 0, 15.81077119629904, 1139.920302151208},
                             {"Theta", 1, -15.75637105984298, -1424.379294994111},
                             {"gamma", 2, 0.04082224013073101, 11.03291221937134},
                             {"delta", 3, 0.5244099658805304, 0.5735699284790808},
                             {"Phi", 4, -0.5347301163226948, 19.29337464421385},
                             {"epsilon", 5, 1.048080741042263, 0.3231791658026955},
                             {"Omega", 6, 0.5347301163226948, -19.29337464421385}};
  double worst = 0;
  for (const Angle& angle : reference) {
    worst = std::max(worst, std::fabs(now.q[angle.joint][0] / angle.position - 1));
    EXPECT_NEAR(now.q[angle.joint][0] / angle.position, 1, 1e-6) << angle.name;
    EXPECT_NEAR(now.v[angle.joint][0] / angle.rate, 1, 1e-5) << angle.name;
  }
  RecordProperty("angles", std::to_string(worst * 1e12) + "e-12");
  EXPECT_LE(now.position_violation, 1e-14);
}

TEST_P(Linkages, BricardTurnsInsideOutWithoutLosingEnergy) {
  const Example example = load_example("bricard", GetParam());
  ASSERT_TRUE(example);
  double drift = 0, relation = 0, violation = 0, turned = 0;
  const MechanicalSystem& system = example.mechanism();
  const Observation start = observe(system, system.initial_state());
  const double energy = start.kinetic + start.potential;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    const Observation now = observe(system, state);
    drift = std::max(drift, std::fabs(now.kinetic + now.potential - energy));
    violation = std::max(violation, now.position_violation);
    turned = std::max(turned, std::fabs(now.q[0][0] - start.q[0][0]));
    for (int k = 0; k < 6; ++k)
      relation = std::max(
          relation,
          std::fabs((1 + std::cos(now.q[k][0])) * (1 + std::cos(now.q[(k + 1) % 6][0])) - 1));
  };
  const SimulateReport report =
      simulate(*example.system, system.initial_state(),
               {.integrator = "gl4", .duration = 10, .step = 0.005, .every = 10}, observer);
  ASSERT_TRUE(report.ok()) << report.message;
  RecordProperty("drift", std::to_string(drift * 1e12) + "e-12");
  EXPECT_GE(turned, 1);
  EXPECT_LE(drift, 1e-8);
  EXPECT_LE(relation, 1e-11);
  EXPECT_LE(violation, 1e-13);
}

// The weight, the drum and the flywheel share one acceleration.
TEST_P(Linkages, GearsFallByTheFormula) {
  const Example example = load_example("gears", GetParam());
  ASSERT_TRUE(example);
  const double m = 2, r = 0.1, J = 0.01, Jf = 0.002, ratio = 4;
  const double a = -m * 9.81 / (m + (J + Jf * ratio * ratio) / (r * r));
  const double times[] = {2};
  const State end = states_at(*example.system, times, {.integrator = "gl3", .step = 0.01})[0];
  const Observation now = observe(example.mechanism(), end);
  EXPECT_NEAR(now.q[0][0], 2 * a, 1e-12);
  EXPECT_NEAR(now.q[1][0], 2 * a / r, 1e-11);
  EXPECT_NEAR(now.q[2][0], -2 * a / r * ratio, 1e-10);
  EXPECT_NEAR(now.v[0][0], 2 * a, 1e-12);
}

// Redundant in the plane: it swings like the rigid body it is.
TEST_P(Linkages, BracedFrameIsARigidPendulum) {
  const Example example = load_example("braced_frame", GetParam());
  ASSERT_TRUE(example);
  const double a = 0.5, w = 0.02, D = a * std::sqrt(2.0), start = 0.3;
  const double bar = 2700 * a * w * w, brace = 2700 * D * w * w, mass = 4 * bar + 2 * brace;
  const double moment = 4 * bar * (a * a + w * w) / 12 + bar * a * a * (0.25 + 0.25 + 1.25 + 1.25) +
                        2 * brace * ((D * D + w * w) / 12 + a * a / 2);
  const double lever = a / 2 * (std::cos(start) - std::sin(start));
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  const DynamicsReport report = system.report_dynamics(system.initial_state(), *workspace);
  EXPECT_NEAR(report.acceleration[0][0], -9.81 * mass * lever / moment, 1e-11);
  for (int j = 1; j < 6; ++j) EXPECT_NEAR(report.acceleration[j][0], 0, 1e-11) << j;
  // whatever the bars do to each other, the hook carries the whole
  EXPECT_NEAR(report.reactions[0].force.y, 0, 1e-11);
  const double accelerated = mass * -9.81 * mass * lever / moment;
  const double com_x = lever, com_z = a / 2 * (std::cos(start) + std::sin(start));
  EXPECT_NEAR(report.reactions[0].force.x, -accelerated * com_z, 1e-10);
  EXPECT_NEAR(report.reactions[0].force.z, accelerated * com_x + 9.81 * mass, 1e-10);
}

// Energy and loops over a second of every other linkage.
TEST_P(Linkages, EnergyAndLoopsHold) {
  struct Run {
    const char* name;
    double step, duration;
  };
  const Run runs[] = {{"four_bar", 0.001, 1}, {"slider_crank", 1e-4, 0.1},
                      {"governor", 0.002, 1}, {"scissor", 0.002, 1},
                      {"ladder", 0.001, 0.5}, {"braced_frame", 0.005, 1}};
  for (const Run& run : runs) {
    SCOPED_TRACE(run.name);
    const Example example = load_example(run.name, GetParam());
    ASSERT_TRUE(example);
    const double times[] = {0, run.duration};
    const std::vector<State> states =
        states_at(*example.system, times, {.integrator = "gl4", .step = run.step});
    const Observation a = observe(example.mechanism(), states[0]),
                      b = observe(example.mechanism(), states[1]);
    const double scale = std::max({1.0, b.kinetic, std::fabs(b.potential)});
    EXPECT_NEAR(b.kinetic + b.potential, a.kinetic + a.potential, 1e-10 * scale);
    EXPECT_LE(a.position_violation, 1e-13);
    EXPECT_LE(b.position_violation, 1e-13);
    EXPECT_LE(b.velocity_violation, 1e-11 * std::max(1.0, std::sqrt(scale)));
  }
}

// The governor turns with the angular momentum it was given.
TEST_P(Linkages, GovernorKeepsItsAngularMomentum) {
  const Example example = load_example("governor", GetParam());
  ASSERT_TRUE(example);
  const double times[] = {0, 2};
  const std::vector<State> states =
      states_at(*example.system, times, {.integrator = "gl4", .step = 0.002});
  const double before = observe(example.mechanism(), states[0]).angular_momentum.z;
  EXPECT_NEAR(observe(example.mechanism(), states[1]).angular_momentum.z, before, 1e-11);
}

TEST(LongFourBar, ThousandSeconds) {
  const Example example = load_example("four_bar");
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const Observation start = observe(system, system.initial_state());
  const double energy = start.kinetic + start.potential;
  double violation = 0;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    violation = std::max(violation, observe(system, state).position_violation);
  };
  const SimulateReport report =
      simulate(*example.system, system.initial_state(),
               {.integrator = "gl3", .duration = 1000, .step = 1e-3, .every = 1000}, observer);
  ASSERT_TRUE(report.ok()) << report.message;
  const Observation end = observe(system, report.final_state);
  const double drift = std::fabs((end.kinetic + end.potential) / energy - 1);
  RecordProperty("drift", std::to_string(drift * 1e12) + "e-12");
  RecordProperty("violation", std::to_string(violation * 1e15) + "e-15");
  EXPECT_LE(violation, 1e-12);
  EXPECT_LE(drift, 1e-9);
}

}  // namespace
}  // namespace cartan::test
