// Moving supports, strings and a knife edge of source 004: the sleigh on a turntable (4.4, case
// S4.2), the driven and Foucault's pendulum (6.7.5, case S4.4), coupled spherical pendulums (7.3,
// case S4.7).
#include <algorithm>
#include <cmath>
#include <complex>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include "support/example.h"

namespace cartan::test {
namespace {

using FormulationTest = testing::TestWithParam<std::string>;

std::string drives_name(const testing::TestParamInfo<std::string>& info) {
  return info.param == "recursive" ? "recursive" : "moving_frame";
}

class Supports : public FormulationTest {};
INSTANTIATE_TEST_SUITE_P(Source004, Supports, testing::Values("recursive", "moving-frame"),
                         drives_name);

// Long double; 1.3e-14 at t = 20, to which errors grow by 1e5. u1, u2, q1, q2, q3, T, V, T', V',
// power of the constraints.
const double sleigh_times[] = {0.5, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20};
const double sleigh_reference[][10] = {
    {-15.772351410859885, -22.27104542194354, 0.3422831297018375, -2.0859733626097436,
     0.9654408665243547, 340.286058290388, 11.931854883077353, 156.96948036101622,
     -126.49575432338615, 30.473726037630076},
    {-3.6788137909750955, -2.699034613106035, -6.039264674902949, -9.455585801869436,
     0.7320192030417603, 58.629163090287804, 433.16366838855737, -70.1888564148569,
     413.6194397109984, 343.4305832961415},
    {1.2781265134532107, 10.652637824816155, 4.414663944060704, 3.305299627474841,
     1.7427466444709399, 323.84946309502385, 222.09508645156157, -297.43328392518504,
     311.09717499415217, 13.663891068967127},
    {-3.5432163495895446, -2.140717307759916, 3.741460033204028, 4.946023294051045,
     5.72448297688997, 312.666961238818, 223.32291430366104, -106.06759834808256,
     180.46099039024048, 74.39339204215794},
    {-3.4441717781281365, -6.395870254935744, -7.883580895308616, -7.681435646964962,
     7.379886492514496, 120.07981864500455, 417.10970315053464, -796.9531221310054,
     607.4353222259712, -189.5177999050343},
    {8.209055443580564, 8.812630719241454, 2.680232393038695, 5.578776731092625, 7.106322464109412,
     82.70258324572907, 329.7954541688075, -672.1470680039191, 953.5426569079747,
     281.3955889040555},
    {-12.731286517028787, -1.1196599773810738, -9.903561062545382, -1.9971518806783488,
     6.48011482195334, 120.2968729583299, 328.2875728388969, -960.4197541564571, 1029.7065748319335,
     69.28682067547639},
    {-7.681703432170417, 9.400039800117119, 2.651977867120337, -6.984594585745861,
     8.838102524328285, 334.577209269921, 177.5843595862277, -206.34473797831106,
     -317.27225061533767, -523.6169885936487},
    {21.179371566205575, -6.34500113476924, 2.2392917187739676, 3.9838746150530393,
     12.296814822776653, 183.49366957472543, 146.37862889705846, -507.73276287007593,
     705.7874312247044, 198.0546683546285},
    {0.8184605668433613, -19.252840453105748, -4.99945362540213, -2.297867344751141,
     11.04315337587482, 314.0168752820373, 212.52339854176898, -805.0289895492522,
     776.8681371181824, -28.160852431069838},
    {12.574485535363436, -3.834296398597191, -3.5116379424403763, 2.898025062536165,
     15.201899700415902, 248.79549404369234, 213.17615139312804, 491.5077010328263,
     -855.4811193382046, -363.9734183053783},
    {-5.737539333829964, 18.74752226499703, 3.8327344949647326, -2.657643758630079,
     17.57121717220859, 274.4977350453406, 201.76056182445598, 1049.2245695492522,
     -1105.0977771101104, -55.87320756085823},
    {-3.9736927431013527, 9.877701065908745, -7.589153720853911, -0.6485773817393923,
     17.455212792744344, 134.39851942770082, 296.2058234321538, 266.6335220923651,
     -301.3524626459779, -34.71894055361274},
    {11.156808204900573, 1.7292235108119565, 10.587860035062056, -0.013159686264440178,
     22.084596401338136, 173.54524309615113, 369.7060367431041, -782.1501292542293,
     969.2768891020435, 187.12675984781416}};

TEST_P(Supports, SleighAtTheStart) {
  const Example example = load_example("sleigh", GetParam());
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  const DynamicsReport report = system.report_dynamics(system.initial_state(), *workspace);
  EXPECT_NEAR(report.acceleration[0][0], 0, 1e-13);
  EXPECT_NEAR(report.acceleration[1][0], -43.865843676809153, 1e-12);
  EXPECT_NEAR(report.acceleration[1][1], -69.496135515998497, 1e-12);
  EXPECT_NEAR(report.power.kinetic_rate, -112.22426944432497, 1e-11);
  EXPECT_NEAR(report.power.potential_rate, 0, 1e-11);
  EXPECT_NEAR(report.power.constraint, -112.22426944432497, 1e-11);
}

TEST_P(Supports, SleighMeetsTheReference) {
  for (const double table : {0.0, 1.0, 100.0}) {  // changes its own kinetic energy only
    const Example example = load_example("sleigh", GetParam(), {{"table", table}});
    ASSERT_TRUE(example);
    const MechanicalSystem& system = example.mechanism();
    const auto workspace = system.make_workspace();
    const std::vector<State> states =
        states_at(*example.system, sleigh_times, {.integrator = "gl6", .step = 0.005});
    double worst = 0, power = 0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Observation now = observe(system, states[i]);
      const std::vector<double> got = {now.v[1][0], now.v[1][1], now.q[1][0], now.q[1][1],
                                       now.q[1][2]};
      worst = std::max(worst, largest_difference(got, std::span(sleigh_reference[i], 5)));
      const DynamicsReport report = system.report_dynamics(states[i], *workspace);
      const std::vector<double> rates = {now.kinetic - table / 2, now.potential,
                                         report.power.kinetic_rate, report.power.potential_rate,
                                         report.power.constraint};
      power = std::max(power, largest_difference(rates, std::span(sleigh_reference[i] + 5, 5)));
      EXPECT_NEAR(report.power.kinetic_rate + report.power.potential_rate, report.power.constraint,
                  1e-10);
      EXPECT_NEAR(now.outputs[0], 383.17732906760362, 1e-9);  // Jacobi's integral
      EXPECT_LE(now.velocity_violation, 1e-12);
    }
    RecordProperty("motion", std::to_string(worst * 1e12) + "e-12");
    RecordProperty("power", std::to_string(power * 1e12) + "e-12");
    EXPECT_LE(worst, 2e-9);
    EXPECT_LE(power, 1e-6);  // of up to 1000 W, steep in the motion
  }
}

// A resting table: the energy itself is constant, the constraints do no work.
TEST_P(Supports, SleighOnAFixedTableKeepsItsEnergy) {
  const Example example = load_example("sleigh", GetParam(), {{"Omega", 0}});
  ASSERT_TRUE(example);
  const double times[] = {0, 5};
  const std::vector<State> states =
      states_at(*example.system, times, {.integrator = "gl6", .step = 0.005});
  const Observation a = observe(example.mechanism(), states[0]),
                    b = observe(example.mechanism(), states[1]);
  EXPECT_NEAR(b.kinetic + b.potential, a.kinetic + a.potential, 1e-10);
  EXPECT_NEAR(b.work, 0, 1e-10);
}

std::vector<double> hinge_numbers(const Observation& now) {
  return {now.v[1][0], now.v[1][1], now.q[1][0], now.q[1][1]};
}

// Long double against DOP853: 1e-13. u1, u2, q1, q2. Drag goes with the square of the speed, which
// is not smooth at rest: small steps.
TEST_P(Supports, DrivenPendulumMeetsTheReference) {
  const double times[] = {0.25, 0.5, 1, 2, 3, 4};
  const double reference[][4] = {
      {2.721670048901767, -0.4232576823299455, 1.9417560921452726, 1.1074619428109163},
      {2.317738932789349, -4.544212195258791, 3.0052392465547224, 0.28403945103405137},
      {0.736615379464811, -0.7959022157121232, 3.5727884765958553, -0.7315022897861656},
      {1.9991977121996523, -3.1201107350770476, 2.8722906733689366, 0.5191253335195882},
      {-0.8574157644700933, 1.6635858196002231, 3.2859080067288473, -0.2995691475699916},
      {0.525020576886824, -1.1212009919336896, 3.174898511129047, -0.07139457050159385}};
  const Example example = load_example("driven_pendulum", GetParam());
  ASSERT_TRUE(example);
  const std::vector<State> states =
      states_at(*example.system, times, {.integrator = "gl4", .step = 0.00025});
  double worst = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Observation now = observe(example.mechanism(), states[i]);
    worst = std::max(worst, largest_difference(hinge_numbers(now), reference[i]));
    EXPECT_NEAR(now.q[0][0], 0.2 * std::sin(30 * times[i]), 1e-14);
  }
  RecordProperty("error", std::to_string(worst * 1e15) + "e-15");
  EXPECT_LE(worst, 1e-12);
}

TEST_P(Supports, DrivenPendulumStandsOnItsHead) {
  const Example example = load_example("driven_pendulum", GetParam());
  ASSERT_TRUE(example);
  const double times[] = {40};
  const State end = states_at(*example.system, times, {.integrator = "gl4", .step = 0.005})[0];
  const Observation now = observe(example.mechanism(), end);
  EXPECT_NEAR(now.q[1][0], std::acos(-1.0), 1e-6);
  EXPECT_NEAR(now.q[1][1], 0, 1e-6);
}

// 2e-14. The second set has another latitude (the script's).
TEST_P(Supports, FoucaultMeetsTheReference) {
  const double times[] = {10, 40, 100};
  const double strong[][4] = {
      {0.17447116580996908, -0.01260321527996904, -0.37475449611914313, 0.02841281667749086},
      {-0.23644579140010566, 0.07925554422778239, -0.09275690620442517, 0.03442929617287904},
      {0.09383669505481022, -0.10126850757292272, 0.05210754518021656, -0.06052209973242061}};
  const double weak[][4] = {
      {0.19607237707279407, -0.012583851195763286, -0.44611003575341057, 0.03300356600180464},
      {-0.42934052833870184, 0.13853960030119378, -0.06643299011303556, 0.02462185549625704},
      {0.28064452844556803, -0.2813483214575345, -0.07349038006500562, 0.07015921838464023}};
  struct Case {
    double drag, latitude;
    const double (*reference)[4];
  };
  for (const Case& one : {Case{0.01, 1.04, strong}, Case{0.001, 1, weak}}) {
    const Example example =
        load_example("foucault", GetParam(), {{"drag", one.drag}, {"latitude", one.latitude}});
    ASSERT_TRUE(example);
    const std::vector<State> states =
        states_at(*example.system, times, {.integrator = "gl4", .step = 0.0025});
    double worst = 0;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const Observation now = observe(example.mechanism(), states[i]);
      worst =
          std::max(worst, largest_difference(hinge_numbers(now), std::span(one.reference[i], 4)));
    }
    RecordProperty("error", std::to_string(worst * 1e15) + "e-15");
    EXPECT_LE(worst, 5e-13);
  }
}

TEST_P(Supports, StringsHangInEquilibrium) {
  const Example example = load_example("coupled_pendulums", GetParam(), {{"together", 0}});
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  const DynamicsReport report = system.report_dynamics(system.initial_state(), *workspace);
  for (int j = 0; j < 2; ++j)
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(report.acceleration[j][i], 0, 1e-13) << j << i;
}

// The exact linearisation there: eigenvalues of the Jacobian are those of the three modes, +- i
// omega, and zeros (motions the constraints forbid: nothing brings them back).
TEST_P(Supports, StringsHaveThePublishedFrequencies) {
  const Example example = load_example("coupled_pendulums", GetParam(), {{"together", 0}});
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  Eigen::MatrixXd J(system.space().size(), system.space().size());
  system.jacobian(system.initial_state(), J, *workspace);
  const Eigen::VectorXcd eigenvalues = J.eigenvalues();
  std::vector<double> omega;
  for (const std::complex<double>& value : eigenvalues)
    if (value.imag() > 1) {
      omega.push_back(value.imag());
      EXPECT_NEAR(value.real(), 0, 1e-11);
    }
  std::sort(omega.begin(), omega.end());
  const double published[] = {15.7370680647896875, 26.7123466839293046, 27.0732277097579694};
  ASSERT_EQ(omega.size(), std::size(published));
  for (std::size_t k = 0; k < omega.size(); ++k) EXPECT_NEAR(omega[k], published[k], 1e-11);
}

// After exactly one published period a small motion is back where it began.
TEST_P(Supports, StringsSwingWithThePublishedPeriods) {
  struct Mode {
    const char* name;
    double frequency;  // Hz
    int component;
  };
  const double push = 1e-5;
  for (const Mode& mode :
       {Mode{"together", 2.50463217228488617, 1}, Mode{"against", 4.30883801546045351, 1},
        Mode{"along", 4.25140201633174756, 2}}) {
    SCOPED_TRACE(mode.name);
    Settings settings = {{"together", 0}};
    settings.push_back({mode.name, push});
    if (mode.name == std::string("together")) settings.erase(settings.begin());
    const Example example = load_example("coupled_pendulums", GetParam(), settings);
    ASSERT_TRUE(example);
    const double times[] = {0, 1 / mode.frequency};
    const std::vector<State> states =
        states_at(*example.system, times, {.integrator = "gl6", .step = 0.002});
    const Observation start = observe(example.mechanism(), states[0]),
                      end = observe(example.mechanism(), states[1]);
    const double omega = 2 * std::acos(-1.0) * mode.frequency;
    const double phase = (end.q[0][mode.component] - start.q[0][mode.component]) * omega /
                         start.v[0][mode.component];
    EXPECT_NEAR(phase, 0, 1e-7);
    EXPECT_NEAR(end.v[0][mode.component] / start.v[0][mode.component], 1, 1e-7);
  }
}

}  // namespace
}  // namespace cartan::test
