// Source 003: the constructed pendulum, without friction and with both readings of its friction
// law, and the revolute chains of hollow cylinders.
//
// References: Lagrange's and Hamilton's equations of the pendulum in extended precision, agreeing
// to 1e-12 (1e-11 with friction); accelerations of the chains in 90-digit arithmetic.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "support/example.h"

namespace cartan::test {
namespace {

const double constructed_times[] = {1, 2, 5, 10};
using Row = std::vector<double>;  // q1, q2, q1', q2'

// Largest error of the coordinates and speeds at `constructed_times`.
double motion_error(const Example& example, const std::vector<Row>& reference,
                    const SimulateOptions& options) {
  const std::vector<State> states = states_at(*example.system, constructed_times, options);
  double worst = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Observation now = observe(example.mechanism(), states[i]);
    const Row got = {now.q[0][0], now.q[1][0], now.v[0][0], now.v[1][0]};
    worst = std::max(worst, largest_difference(got, reference[i]));
  }
  return worst;
}

class ConstructedPendulum : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Source003, ConstructedPendulum,
                         testing::Values("recursive", "moving-frame"), [](const auto& info) {
                           return info.param == "recursive" ? std::string("recursive")
                                                            : "moving_frame";
                         });

TEST_P(ConstructedPendulum, WithoutFrictionMeetsTheReference) {
  const Example example = load_example("constructed_pendulum", GetParam());
  ASSERT_TRUE(example);
  const std::vector<Row> reference = {{6.8313757588997424e+00, -1.6826031201641932e+00,
                                       5.5437608846117728e+00, 5.1336978907717559e+00},
                                      {1.4223784522601589e+01, 2.9776315172571357e-01,
                                       2.6833596733127276e+00, -1.5742950529087337e+01},
                                      {3.4687316849133475e+01, 3.0633964643572004e+00,
                                       1.0345668848450023e+01, -7.2863778134394268e+00},
                                      {6.8684410211482219e+01, 2.2502673602468856e-01,
                                       2.6528972555022621e+00, -1.5487028761076466e+01}};
  const double error = motion_error(example, reference, {.integrator = "gl6", .step = 0.005});
  RecordProperty("error", std::to_string(error * 1e15) + "e-15");
  EXPECT_LE(error, 1e-11);
  const Observation start = observe(example.mechanism(), example.system->initial_state());
  EXPECT_NEAR(start.kinetic + start.potential, 36.121771883980482, 2e-14);
  EXPECT_NEAR(start.angular_momentum.z, 2.0728924391236074, 2e-15);
  EXPECT_NEAR(start.outputs[0], 2.0728924391236074, 2e-15);
}

// Hamilton's equations against the joint speeds, as source 003 does it (chapter 5.2).
TEST(HamiltonsCheck, CanonicalAndRecursiveAgreeOverTenSeconds) {
  const Example momenta = load_example("constructed_pendulum", "canonical");
  const Example speeds = load_example("constructed_pendulum", "recursive");
  ASSERT_TRUE(momenta && speeds);
  std::vector<double> tenths;
  for (int k = 1; k <= 100; ++k) tenths.push_back(0.1 * k);
  const SimulateOptions options = {.integrator = "gl6", .step = 0.005};
  const std::vector<State> a = states_at(*momenta.system, tenths, options),
                           b = states_at(*speeds.system, tenths, options);
  ASSERT_EQ(a.size(), tenths.size());
  ASSERT_EQ(b.size(), tenths.size());
  double worst = 0, energy = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Observation p = observe(momenta.mechanism(), a[i]), v = observe(speeds.mechanism(), b[i]);
    for (int j = 0; j < 2; ++j)
      worst = std::max({worst, std::fabs(p.q[j][0] - v.q[j][0]), std::fabs(p.v[j][0] - v.v[j][0])});
    ASSERT_TRUE(p.hamiltonian);
    energy = std::max(energy, std::fabs(*p.hamiltonian - 36.121771883980482));
    // the momentum of the first angle, which nothing depends on, is the angular momentum
    EXPECT_NEAR(p.p[0][0], 2.0728924391236074, 1e-12);
  }
  RecordProperty("difference", std::to_string(worst * 1e15) + "e-15");
  RecordProperty("hamiltonian", std::to_string(energy * 1e15) + "e-15");
  std::printf("canonical against recursive %.2g, Hamiltonian kept to %.2g J\n", worst, energy);
  EXPECT_LE(worst, 1e-10);
  EXPECT_LE(energy, 1e-11);
}

struct Reading {
  const char* example;
  std::vector<Row> motion;
  std::vector<double> energy;
  std::vector<double> turning_times, turning_angles;
};
const Reading reading_a = {
    "constructed_pendulum_friction_a",
    {{6.521968264643567, -1.271738480357444, 4.0972473404639675, 7.495710445827156},
     {13.12933231080035, -1.3019968799199426, 4.133054359943799, -6.588151040027121},
     {30.371194907187732, -0.4459173114933006, 2.6445746392317075, 10.92099586566344},
     {57.83367990426194, 2.930207125398059, 9.321259669341941, -5.1045906739141085}},
    {35.76905939614363, 35.20255708463327, 34.10239099135952, 32.158365894943024},
    {0.7692184878264787, 1.49378519240564, 2.185154325985872, 2.855927269074516, 3.5054906823811316,
     4.1420473300794285, 4.762209678244619, 5.373067455044626, 5.970218656141192, 6.560241350988723,
     7.138401061182458, 7.710856523211929, 8.27288026470195, 8.830200275461038, 9.37827214786824,
     9.92237934202441},
    {-2.026136787953497, 3.5184846194888113, -1.8627223364922771, 3.4305066176553005,
     -1.7277341153297758, 3.3606069061825536, -1.609419563778261, 3.301529577369488,
     -1.5033246769756041, 3.249883111301174, -1.407135404567647, 3.2037588714037133,
     -1.319345976980682, 3.1619554115495454, -1.238820553279218, 3.123656718050734}};
const Reading reading_b = {
    "constructed_pendulum_friction_b",
    {{6.238250255416799, -0.7725031621746521, 3.08935497598667, 10.111678375094254},
     {12.535120015959302, -1.6007976525851253, 5.11823447582933, -0.7110155628612345},
     {29.442730772060894, 1.0854643394567598, 3.5070143644662197, -14.807844296447094},
     {52.87294757718875, -0.48388295752624433, 2.5782606320922077, 3.6516020609414994}},
    {35.410104668404855, 34.39013737775309, 32.0195688388276, 29.14309925464621},
    {0.7443999276701213, 1.4021794717020242, 2.018305390971421, 2.6063624248038506,
     3.171663086175907, 3.719594044451295, 4.251735786726724, 4.77118903042478, 5.278952418562093,
     5.776703790191814, 6.265534262399239, 6.746107467870455, 7.219730602305744, 7.686344938575667,
     8.147455717386078, 8.602494725426647, 9.053117756796311, 9.498399014163029, 9.940099257538195},
    {-1.8983985144884643, 3.3602267203042517, -1.6073000093622676, 3.20416907238392,
     -1.393657348636801, 3.0888293408887146, -1.2219362761523593, 2.995629927361401,
     -1.0786067221415008, 2.9168630049560815, -0.9559751009191557, 2.8484292059260126,
     -0.8490509195460506, 2.7878297646749703, -0.7544033129071012, 2.7334042641220107,
     -0.6695841143772401, 2.683982185586449, -0.5927940902251494}};

// Turning points of the arm are the example's only events.
void expect_turning_points(const Example& example, const Reading& reading,
                           const SimulateOptions& options) {
  Trajectory path;
  const SimulateReport report =
      simulate(*example.system, example.system->initial_state(), options, path);
  ASSERT_TRUE(report.ok()) << report.message;
  ASSERT_EQ(path.events.size(), reading.turning_times.size());
  double worst = 0;
  for (std::size_t i = 0; i < path.events.size(); ++i) {
    const State& at = path.events[i].state;
    worst =
        std::max({worst, std::fabs(at.t - reading.turning_times[i]),
                  std::fabs(observe(example.mechanism(), at).q[1][0] - reading.turning_angles[i])});
  }
  testing::Test::RecordProperty("turning", std::to_string(worst * 1e15) + "e-15");
  EXPECT_LE(worst, 1e-10);
}

void expect_reading(const Reading& reading, const std::string& formulation,
                    const SimulateOptions& options) {
  const Example example = load_example(reading.example, formulation);
  ASSERT_TRUE(example);
  const double error = motion_error(example, reading.motion, options);
  testing::Test::RecordProperty("error", std::to_string(error * 1e15) + "e-15");
  EXPECT_LE(error, 1e-10);
  expect_turning_points(example, reading, options);
  // what the energy loses is the work of friction
  const std::vector<State> states = states_at(*example.system, constructed_times, options);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Observation now = observe(example.mechanism(), states[i]);
    EXPECT_NEAR(now.kinetic + now.potential, reading.energy[i], 1e-9);
    EXPECT_NEAR(now.kinetic + now.potential - now.work, 36.121771883980482, 1e-10);
    EXPECT_LT(now.work, -0.1);
  }
}

TEST_P(ConstructedPendulum, FrictionReadingA) {
  expect_reading(reading_a, GetParam(), {.integrator = "gl6", .step = 0.005});
}

// The centrifugal load of the arm is a joint force with sign(v): smooth between the located
// reversals, with a jump inside the step that is then cut short. Error control copes with the jump;
// fixed steps must be small enough for the stages to converge across it.
TEST_P(ConstructedPendulum, FrictionReadingBWithErrorControl) {
  expect_reading(reading_b, GetParam(), {.integrator = "dop853", .step = 0.01, .tolerance = 1e-14});
}
TEST_P(ConstructedPendulum, FrictionReadingBWithFixedSteps) {
  expect_reading(reading_b, GetParam(), {.integrator = "gl6", .step = 0.002});
}

// Bearing loads (eq. 127-138): the two bearings of the hanging arm share its weight and, once
// friction slows the arm down, the force that slows its centre of mass: tau = -C10 m2 |(g, l2
// tau/M22)|, friction and acceleration together.
TEST(BearingFriction, LoadsOfTheHangingArm) {
  const Example example =
      load_example("bearing_friction", "recursive", {{"rpm", 0}, {"start", std::acos(0.0)}});
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  // held at rest by friction: nothing moves
  const SimulateReport still =
      simulate(*example.system, system.initial_state(),
               {.integrator = "gl2", .duration = 0.1, .step = 0.01}, Observer{});
  ASSERT_TRUE(still.ok()) << still.message;
  EXPECT_EQ(observe(system, still.final_state).v[1][0], 0);
  const State slow =
      system.make_state(0, {}, {std::vector<double>{0.0}, std::vector<double>{1e-9}});
  const auto workspace = system.make_workspace();
  const DynamicsReport report = system.report_dynamics(slow, *workspace);
  const Eigen::MatrixXd M = system.report_mass_matrix(slow, *workspace).mass_matrix;
  const double moment = M(1, 0) * report.acceleration[0][0] + M(1, 1) * report.acceleration[1][0];
  const double across = 0.12675638 * moment / M(1, 1);
  EXPECT_NEAR(moment, -0.001592442688858 * 4.6811 * std::hypot(9.81, across), 1e-15);
  EXPECT_GT(std::fabs(across), 0.01);
}

// ------------------------------------------------------------------------------------ revolute
// chains

class RevoluteChain : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Source003, RevoluteChain, testing::Values("recursive", "moving-frame"),
                         [](const auto& info) {
                           return info.param == "recursive" ? std::string("recursive")
                                                            : "moving_frame";
                         });

TEST_P(RevoluteChain, AccelerationsTo1e13) {
  const std::vector<Row> reference = {{0},
                                      {0.132625689205277, 10.8919582194231},
                                      {-0.0117991569801251, 11.9777040220965, 7.47569483003834}};
  for (int n = 1; n <= 3; ++n) {
    const Example example = load_example("revolute_chain_" + std::to_string(n), GetParam());
    ASSERT_TRUE(example);
    const auto workspace = example.system->make_workspace();
    const DynamicsReport report =
        example.mechanism().report_dynamics(example.system->initial_state(), *workspace);
    for (int j = 0; j < n; ++j)
      EXPECT_NEAR(report.acceleration[j][0], reference[n - 1][j], 1e-13 * 12)
          << n << " links, joint " << j + 1;
  }
}

TEST_P(RevoluteChain, EnergiesOfThreeLinks) {
  const Example example = load_example("revolute_chain_3", GetParam());
  ASSERT_TRUE(example);
  const Observation now = observe(example.mechanism(), example.system->initial_state());
  EXPECT_NEAR(now.kinetic, 206.75149843673629, 1e-13 * 206);
  EXPECT_NEAR(now.potential, 1275.3694700145187, 1e-13 * 1275);
}

// Up to six links, where no reference stands: the formulations agree and conserve the energy.
TEST(RevoluteChains, AgreeUpToSixLinks) {
  for (int n = 1; n <= 6; ++n) {
    const std::string name = "revolute_chain_" + std::to_string(n);
    const Example one = load_example(name, "recursive"), other = load_example(name, "moving-frame");
    ASSERT_TRUE(one && other);
    const SimulateOptions options = {.integrator = "gl5", .duration = 1, .step = 0.005};
    const State start = one.system->initial_state();
    const SimulateReport a = simulate(*one.system, start, options, Observer{});
    const SimulateReport b = simulate(*other.system, start, options, Observer{});
    ASSERT_TRUE(a.ok() && b.ok()) << a.message << b.message;
    EXPECT_LE(largest_difference(a.final_state.x, b.final_state.x), 1e-11) << name;
    const Observation first = observe(one.mechanism(), start),
                      last = observe(one.mechanism(), a.final_state);
    EXPECT_NEAR(last.kinetic + last.potential, first.kinetic + first.potential,
                1e-12 * (first.kinetic + std::fabs(first.potential)));
  }
}

}  // namespace
}  // namespace cartan::test
