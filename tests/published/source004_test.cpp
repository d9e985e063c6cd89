// Source 004: the pair of swinging legs (3.3), van der Pol's and Roessler's equations (2.3).
#include <cmath>

#include <gtest/gtest.h>

#include "support/example.h"

namespace cartan::test {
namespace {

class SwingingLegs : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Source004, SwingingLegs, testing::Values("recursive", "moving-frame"),
                         [](const auto& info) {
                           return info.param == "recursive" ? std::string("recursive")
                                                            : "moving_frame";
                         });

TEST_P(SwingingLegs, AccelerationsAndMassMatrix) {
  const Example example = load_example("swinging_legs", GetParam());
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  const DynamicsReport report = system.report_dynamics(system.initial_state(), *workspace);
  const double udot[] = {-1.1575536779547632, -6.8850409920478790, 10.012266235048693};
  for (int j = 0; j < 3; ++j)
    EXPECT_NEAR(report.acceleration[j][0], udot[j], 1e-15 * std::fabs(udot[j])) << j;
  const MassMatrixReport mass = system.report_mass_matrix(system.initial_state(), *workspace);
  const double M12 = 1.3815914910043276e-01, M13 = 1.1464037869507272e-01;
  const double M[3][3] = {{1.9, M12, M13}, {M12, 0.06, 0}, {M13, 0, 0.048}};
  const double force[3] = {-2.0027734003151124, -0.57302909070717920, 0.34788638728172895};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(mass.mass_matrix(i, j), M[i][j], 1e-15) << i << j;
    EXPECT_NEAR(mass.bias[i], -force[i], 1e-15) << i;
  }
}

// The reference is good to 1e-16, for m3 = 0.4, L = 0.3, g = 9.81 and the start as decimal numbers.
// None of them is a binary number: the same equations solved in extended precision, but with these
// data rounded to double, give `of_binary_data`, 2.3e-15 away from the reference. That much no
// program in double precision can help; the rest is kept within 1e-15. (Steps of 0.01 are not
// binary either: 1e-16 s after 5 s, where u3' = 10.)
TEST_P(SwingingLegs, MotionMeetsTheReference) {
  const Example example = load_example("swinging_legs", GetParam());
  ASSERT_TRUE(example);
  const double times[] = {0.5, 1, 2, 3, 4, 5};
  const std::vector<std::vector<double>> reference = {
      // u1, u2, u3, q1, q2, q3
      {-2.8713507929516468e-01, -7.4032512063343367e-01, 5.0234982011819799e-01,
       5.6670813413659019e-02, -1.8176292211106900e-01, 5.1849487480083237e-01},
      {-1.8500048920651091e-01, 9.4251364425528301e-01, -2.2189052690439855e+00,
       -7.3354202285355728e-02, 1.0869009958261074e-02, -3.6399325878708463e-01},
      {2.6862170178139262e-01, 1.2841066161094424e+00, -1.1158328389712643e+00,
       7.3079327128832686e-02, -1.8589548748535196e-01, 3.8033278232619055e-01},
      {-2.6242482662330616e-01, -1.5012397813169080e+00, 7.3472339045732660e-01,
       -4.6067634309694759e-02, -3.6993051789162633e-01, 2.2221546231689392e-01},
      {3.2215306596148764e-01, -1.1503379998239005e+00, 2.1391243824631028e+00,
       4.2254475733724609e-02, 1.5613018855647359e-01, -1.7428826801659028e-01},
      {-2.9997166738623698e-01, -1.2642196948782045e-01, -1.0937361400715157e+00,
       -7.5137777302789411e-03, 2.4038527214680290e-01, -4.7465317647218397e-01}};
  const std::vector<std::vector<double>> of_binary_data = {
      {-2.87135079295164696e-01, -7.40325120633433621e-01, 5.02349820118197867e-01,
       5.66708134136590249e-02, -1.81762922111069030e-01, 5.18494874800832360e-01},
      {-1.85000489206510937e-01, 9.42513644255283045e-01, -2.21890526904398530e+00,
       -7.33542022853557359e-02, 1.08690099582611324e-02, -3.63993258787084682e-01},
      {2.68621701781392631e-01, 1.28410661610944304e+00, -1.11583283897126484e+00,
       7.30793271288326915e-02, -1.85895487485351891e-01, 3.80332782326190432e-01},
      {-2.62424826623306200e-01, -1.50123978131690722e+00, 7.34723390457325784e-01,
       -4.60676343096947625e-02, -3.69930517891626466e-01, 2.22215462316894050e-01},
      {3.22153065961487625e-01, -1.15033799982390097e+00, 2.13912438246310378e+00,
       4.22544757337246158e-02, 1.56130188556473340e-01, -1.74288268016590002e-01},
      {-2.99971667386237063e-01, -1.26421969487821632e-01, -1.09373614007151350e+00,
       -7.51377773027893966e-03, 2.40385272146802962e-01, -4.74653176472184098e-01}};
  const std::vector<State> states =
      states_at(*example.system, times, {.integrator = "gl6", .step = 1.0 / 128});
  double worst = 0, own = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Observation now = observe(example.mechanism(), states[i]);
    const std::vector<double> got = {now.v[0][0], now.v[1][0], now.v[2][0],
                                     now.q[0][0], now.q[1][0], now.q[2][0]};
    worst = std::max(worst, largest_difference(got, reference[i]));
    own = std::max(own, largest_difference(got, of_binary_data[i]));
    EXPECT_NEAR(now.kinetic + now.potential, -2.3204696295666419, 2e-15);
  }
  RecordProperty("error", std::to_string(worst * 1e15) + "e-15");
  RecordProperty("error_of_binary_data", std::to_string(own * 1e15) + "e-15");
  EXPECT_LE(own, 1e-15);
  EXPECT_LE(worst, 1e-15 + 2.3e-15);
}

// Trajectories from four starts, by Taylor series with 32 digits: x1(0), x2(0), t, x1, x2.
TEST(VanDerPol, MeetsTheReference) {
  struct Row {
    double start, t, x1, x2;
  };
  const Row rows[] = {{1, 1, -1.04423826228283336, 0.49761543464768807},
                      {1, 5, 2.61830270472869812, 0.986981361005374218},
                      {1, 10, 0.734183638625086361, -1.58203139333744175},
                      {0.2, 1, -0.286461193638408114, 0.0700067724151192978},
                      {0.2, 5, 1.93389751047163517, 0.718315427117852765},
                      {0.2, 10, 0.8024318960763277, -1.47249122279840158},
                      {-0.2, 10, -0.8024318960763277, 1.47249122279840158}};
  for (const char* method : {"dop853", "gl6"}) {
    double worst = 0;
    for (const Row& row : rows) {
      const Example example = load_example("van_der_pol", "recursive", {{"start", row.start}});
      ASSERT_TRUE(example);
      const double times[] = {row.t};
      const State end = states_at(*example.system, times,
                                  {.integrator = method, .step = 0.01, .tolerance = 1e-15})[0];
      worst = std::max({worst, std::fabs(end.x[0] - row.x1), std::fabs(end.x[1] - row.x2)});
    }
    RecordProperty(method, std::to_string(worst * 1e15) + "e-15");
    EXPECT_LE(worst, 5e-14) << method;
  }
}

TEST(VanDerPol, StartOffTheAxis) {
  const Example example = load_example("van_der_pol");
  ASSERT_TRUE(example);
  State state = example.system->initial_state();
  state.x[0] = 2, state.x[1] = -2;
  const SimulateReport report = simulate(
      *example.system, state, {.integrator = "gl6", .duration = 10, .step = 0.01}, Observer{});
  ASSERT_TRUE(report.ok()) << report.message;
  EXPECT_NEAR(report.final_state.x[0], -0.753591295097705089, 5e-14);
  EXPECT_NEAR(report.final_state.x[1], 1.55237336908646474, 5e-14);
}

// On the closed orbit after 40 time units (a contraction of 8.6e-4 per turn): period and largest
// x2.
TEST(VanDerPol, PeriodAndAmplitude) {
  const Example example = load_example("van_der_pol");
  ASSERT_TRUE(example);
  Trajectory path;
  const SimulateReport report =
      simulate(*example.system, example.system->initial_state(),
               {.integrator = "dop853", .duration = 60, .step = 0.05, .tolerance = 1e-14}, path);
  ASSERT_TRUE(report.ok()) << report.message;
  const std::size_t n = path.events.size();
  ASSERT_GE(n, 8u);
  EXPECT_NEAR(path.events[n - 1].state.t - path.events[n - 2].state.t, 6.66328685932313018969,
              1e-12);
  EXPECT_NEAR(path.events[n - 1].state.x[1], 2.00861986087484313651, 1e-12);
}

// The stable orbit at a = 0.3 through the section y = 0; its largest multiplier is -0.6005, so 200
// time units leave about 1e-7 of the distance at the start.
TEST(Roessler, SettlesOnItsOrbit) {
  const Example example = load_example("roessler");
  ASSERT_TRUE(example);
  Trajectory path;
  const SimulateReport report =
      simulate(*example.system, example.system->initial_state(),
               {.integrator = "dop853", .duration = 400, .step = 0.05, .tolerance = 1e-13}, path);
  ASSERT_TRUE(report.ok()) << report.message;
  const std::size_t n = path.events.size();
  ASSERT_GE(n, 60u);
  EXPECT_NEAR(path.events[n - 1].state.x[0], 3.152548632195287254, 1e-11);
  EXPECT_NEAR(path.events[n - 1].state.x[2], 2.663171626064349229, 1e-11);
  EXPECT_NEAR(path.events[n - 1].state.t - path.events[n - 2].state.t, 6.174637520583301482, 1e-11);
}

}  // namespace
}  // namespace cartan::test
