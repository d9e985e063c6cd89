// Tops: the heavy symmetric top of source 000 (3.3.1) and the top of source 002 without gravity.
#include <cmath>

#include <gtest/gtest.h>

#include "model/mass_properties.h"
#include "support/example.h"

namespace cartan::test {
namespace {

class Tops : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Published, Tops, testing::Values("recursive", "moving-frame"),
                         [](const auto& info) {
                           return info.param == "recursive" ? std::string("recursive")
                                                            : "moving_frame";
                         });

double quaternion_error(const Quat<double>& got, const double* expected) {
  double worst[2] = {0, 0};
  const double u[4] = {got.w, got.x, got.y, got.z};
  for (int k = 0; k < 4; ++k) {
    worst[0] = std::max(worst[0], std::fabs(u[k] - expected[k]));
    worst[1] = std::max(worst[1], std::fabs(u[k] + expected[k]));
  }
  return std::min(worst[0], worst[1]);
}

// Exact motion (elliptic functions and quadratures): theta, theta', q0..q3 at t = 1, 2, 5, 10.
const double heavy_times[] = {1, 2, 5, 10};
const double heavy_reference[][6] = {
    {0.344114769108829465, 0.10231219065151321, 0.98021500667899029, 0.053118451915758462,
     0.162761165742865909, -0.0993266010361957883},
    {0.304702670899298316, -0.218102094196294446, 0.968832524689114812, -0.129629664396283856,
     0.078918007809042977, -0.195784670637091473},
    {0.322884195868703984, 0.347240009477260443, 0.864397318035640241, 0.160687996972142749,
     0.00415545652216448377, -0.476423526269395372},
    {0.345162674690045734, 0.0131544449352379621, 0.529507979890959745, 0.168722412695302362,
     0.0319771073840949169, -0.830741543014081549}};

TEST_P(Tops, HeavyTopMeetsTheExactMotion) {
  const Example example = load_example("heavy_top", GetParam());
  ASSERT_TRUE(example);
  const std::vector<State> states =
      states_at(*example.system, heavy_times, {.integrator = "gl5", .step = 0.0025});
  double worst = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const BodyState top = observe(example.mechanism(), states[i]).bodies[0];
    const Mat3<double> R = rotation_matrix(top.orientation);
    const double sine = std::hypot(R(0, 2), R(1, 2));
    const double theta = std::atan2(sine, R(2, 2));
    const double theta_dot = -(R(2, 0) * top.angular.y - R(2, 1) * top.angular.x) / sine;
    worst = std::max({worst, std::fabs(theta - heavy_reference[i][0]),
                      std::fabs(theta_dot - heavy_reference[i][1]),
                      quaternion_error(top.orientation, heavy_reference[i] + 2)});
  }
  RecordProperty("error", std::to_string(worst * 1e15) + "e-15");
  EXPECT_LE(worst, 2e-12);
}

// Rod and disc by their density.
TEST(HeavyTop, MassPropertiesFollowFromTheShapes) {
  const Example example = load_example("heavy_top");
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  const Eigen::MatrixXd M =
      system.report_mass_matrix(system.initial_state(), *workspace).mass_matrix;
  EXPECT_NEAR(M(0, 0), 5.71966212494191731, 1e-14);
  EXPECT_NEAR(M(1, 1), 5.71966212494191731, 1e-14);
  EXPECT_NEAR(M(2, 2), 2.01454628911445491, 1e-14);
  const Observation start = observe(system, system.initial_state());
  EXPECT_NEAR(start.kinetic + start.potential, 2624.1759986294011401, 1e-12);
  EXPECT_NEAR(start.angular_momentum.z, 96.22847895118107088, 1e-13);
}

TEST_P(Tops, SpinMomentumIsConstantToRounding) {
  const Example example = load_example("heavy_top", GetParam());
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  Observation now;
  double spin = 0, vertical = 0, energy = 0, nodding = 0;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    system.observe(state, now, *workspace);
    spin = std::max(spin, std::fabs(now.v[0][2] / 50 - 1));
    vertical = std::max(vertical, std::fabs(now.angular_momentum.z / 96.22847895118107088 - 1));
    energy = std::max(energy, std::fabs((now.kinetic + now.potential) / 2624.1759986294011401 - 1));
    nodding = std::max(nodding, std::acos(rotation_matrix(now.bodies[0].orientation)(2, 2)));
  };
  const SimulateReport report = simulate(*example.system, system.initial_state(),
                                         {.integrator = "gl3", .step = 0.002}, observer);
  ASSERT_TRUE(report.ok()) << report.message;
  RecordProperty("spin", std::to_string(spin * 1e15) + "e-15");
  RecordProperty("vertical", std::to_string(vertical * 1e15) + "e-15");
  RecordProperty("energy", std::to_string(energy * 1e15) + "e-15");
  RecordProperty("unit", std::to_string(report.unit_norm_error * 1e15) + "e-15");
  EXPECT_NEAR(nodding, 0.34517992129933543573, 1e-4);
  EXPECT_LE(spin, 2e-15);
  EXPECT_LE(vertical, 1e-11);
  EXPECT_LE(report.unit_norm_error, 1e-14);
}

// Event "most upright" of the example: the period of nutation.
TEST(HeavyTop, NodsWithTheExactPeriod) {
  const Example example = load_example("heavy_top");
  ASSERT_TRUE(example);
  Trajectory path;
  const SimulateReport report =
      simulate(*example.system, example.system->initial_state(),
               {.integrator = "gl4", .duration = 2.1, .step = 0.002}, path);
  ASSERT_TRUE(report.ok()) << report.message;
  ASSERT_EQ(path.events.size(), 5u);
  for (std::size_t i = 0; i < path.events.size(); ++i)
    EXPECT_NEAR(path.events[i].state.t, 0.4082702807328222067 * (i + 1), 1e-11);
}

// Body rates by elliptic functions, attitude integrated in extended precision; t = 0.1, 0.5, 1, 2,
// 5, 10: wx, wy, wz, q0..q3.
const double free_times[] = {0.1, 0.5, 1, 2, 5, 10};
const double free_reference[][7] = {
    {-2.3022370926035434e+01, 6.8862544944586166e+01, 1.1258264799550657e+01,
     9.2742989894639441e-01, 1.3287059104373499e-01, 3.3653024827836289e-01,
     9.4692030127527704e-02},
    {4.1358026003987417e+00, 6.3035482673495294e+01, 3.0970955562270468e+01, 2.1716080912633789e-01,
     -1.0882511989097899e-03, -8.8124843929360909e-01, -4.1981089425061421e-01},
    {8.1793811430656761e+00, 6.3624599410657176e+01, 2.9637498825403878e+01, 9.0559731656474491e-01,
     1.3816906699617071e-02, 3.8303402263678882e-01, 1.8162469772216282e-01},
    {1.5583886047726976e+01, 6.5663878662153388e+01, 2.4347785409826198e+01, 6.3970190546121707e-01,
     3.9262604368925866e-02, 7.0659818881793726e-01, 2.9993152486303910e-01},
    {2.4099063213268680e+01, 6.9412340395555929e+01, -6.6639068424429428e+00,
     5.5708549496611265e-01, 1.4507596328378112e-01, -8.0583344213769391e-01,
     -1.3871257948780382e-01},
    {-9.3303132357076098e+00, 6.3861463870842406e+01, -2.9080489511540390e+01,
     3.0649621732807544e-01, 1.3643613902344738e-01, 9.4191916666617756e-01,
     1.5281760332157924e-02}};

TEST_P(Tops, FreeTopMeetsTheReference) {
  const Example example = load_example("free_top", GetParam());
  ASSERT_TRUE(example);
  const std::vector<State> states =
      states_at(*example.system, free_times, {.integrator = "gl6", .step = 0.001});
  double rates = 0, attitude = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const BodyState top = observe(example.mechanism(), states[i]).bodies[0];
    const double w[3] = {top.angular.x, top.angular.y, top.angular.z};
    rates = std::max(rates, largest_difference(w, std::span(free_reference[i]).first(3)));
    attitude = std::max(attitude, quaternion_error(top.orientation, free_reference[i] + 3));
  }
  RecordProperty("rates", std::to_string(rates * 1e15) + "e-15");
  RecordProperty("attitude", std::to_string(attitude * 1e15) + "e-15");
  EXPECT_LE(rates, 2e-11);  // at 70 rad/s; a shift in time by 2e-14 s
  EXPECT_LE(attitude, 1e-12);
  const Observation start = observe(example.mechanism(), example.system->initial_state());
  EXPECT_NEAR(start.kinetic, 13972.398950622204997, 4e-12);
  EXPECT_NEAR(start.angular_momentum.y, 358.518553627667, 1e-12);
  EXPECT_NEAR(start.angular_momentum.z, 172.473436682080, 1e-12);
}

}  // namespace
}  // namespace cartan::test
