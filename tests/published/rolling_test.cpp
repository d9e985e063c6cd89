// Wheels that roll without slipping: the coin (case S4.10), the bicycle of source 004 (7.4, case
// S4.8) and the benchmark bicycle of Meijaard et al. (2007, case S4.9).
#include <array>
#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/LU>

#include "support/example.h"

namespace cartan::test {
namespace {

using FormulationTest = testing::TestWithParam<std::string>;

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  return info.param == "recursive" ? "recursive" : "moving_frame";
}

class Rolling : public FormulationTest {};
INSTANTIATE_TEST_SUITE_P(Published, Rolling, testing::Values("recursive", "moving-frame"),
                         test_name);

const double pi = std::acos(-1.0);

struct Coin {
  double cosine;         // of the angle between axis and vertical
  double spin;           // about the axis
  double climb;          // d spin / d angle = psi' sin(theta) / (C + 1)
  Vec3<double> contact;  // the lowest point
  double contact_speed;  // of the coin's material there
};

Coin look_at_coin(const BodyState& body) {
  Coin coin;
  const Mat3<double> R = rotation_matrix(body.orientation);
  const Vec3<double> axis = R * Vec3<double>{0, 0, 1}, up = {0, 0, 1};
  const Vec3<double> rise = up - axis.z * axis;  // in the coin's plane
  const double sine = norm(rise);
  const Vec3<double> omega = world_rate(body), arm = (-1 / sine) * rise;
  coin.cosine = axis.z;
  coin.spin = body.angular.z;
  coin.climb = dot(omega, rise) / sine / 1.5;
  coin.contact = body.position + arm;
  coin.contact_speed = norm(body.linear + cross(omega, arm));
  return coin;
}

// P_nu(x) and its derivative for nu (nu + 1) = -4/3, by the hypergeometric series about x = 1.
std::array<double, 2> legendre(double x) {
  const long double z = (1 - static_cast<long double>(x)) / 2;
  long double term = 1, value = 0, slope = 0;
  for (int k = 0; k < 4000 && std::fabs(term) > 1e-22L; ++k) {
    value += term;
    const long double next = term * (k * (k + 1) + 4.0L / 3) / ((k + 1.0L) * (k + 1)) * z;
    slope += (k + 1) * next / z;
    term = next;
  }
  return {static_cast<double>(value), static_cast<double>(-slope / 2)};
}

// spin = c1 P(cos theta) + c2 P(-cos theta) with constant c1, c2.
std::array<double, 2> appell_constants(const Coin& coin) {
  const double sine = std::sqrt(1 - coin.cosine * coin.cosine);
  const auto [p, dp] = legendre(coin.cosine);
  const auto [r, dr] = legendre(-coin.cosine);
  // d/dtheta P(cos theta) = -sin P', d/dtheta P(-cos theta) = sin P'
  const double a = -sine * dp, b = sine * dr, det = p * b - r * a;
  return {(coin.spin * b - r * coin.climb) / det, (p * coin.climb - a * coin.spin) / det};
}

TEST_P(Rolling, CoinInSteadyMotion) {
  const Example example = load_example("rolling_coin", GetParam());
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  EXPECT_NEAR(observe(system, system.initial_state()).bodies[0].angular.z, -0.301566846126417176,
              1e-15);
  const double times[] = {0, pi / 2, pi, 3 * pi / 2, 2 * pi};
  const std::vector<State> states =
      states_at(*example.system, times, {.integrator = "gl6", .step = 0.01});
  std::vector<Vec3<double>> contacts;
  for (const State& state : states) {
    const Coin coin = look_at_coin(observe(system, state).bodies[0]);
    EXPECT_NEAR(coin.cosine, 0.5, 1e-13);
    EXPECT_NEAR(coin.spin, -0.301566846126417176, 1e-13);
    EXPECT_NEAR(coin.contact.z, 0, 1e-14);
    EXPECT_LE(coin.contact_speed, 1e-12);
    contacts.push_back(coin.contact);
  }
  EXPECT_NEAR(norm(contacts[2] - contacts[0]) / 2, 0.801566846126417176, 1e-12);
  EXPECT_NEAR(norm(contacts[3] - contacts[1]) / 2, 0.801566846126417176, 1e-12);
  EXPECT_LE(norm(contacts[4] - contacts[0]), 1e-12);
}

// The frequency of small nodding about the steady motion: after its period a small push is back.
TEST_P(Rolling, CoinNodsWithThePublishedFrequency) {
  const double push = 1e-5, omega = std::sqrt(0.727008673537188277);
  const Example example = load_example("rolling_coin", GetParam(), {{"push", push}});
  ASSERT_TRUE(example);
  const double times[] = {2 * pi / omega};
  const State end = states_at(*example.system, times, {.integrator = "gl6", .step = 0.01})[0];
  const Coin coin = look_at_coin(observe(example.mechanism(), end).bodies[0]);
  EXPECT_NEAR((std::acos(coin.cosine) - pi / 3) * omega / push, 0, 1e-4);
}

TEST_P(Rolling, CoinKeepsEnergyAndBothIntegrals) {
  const Example example = load_example("rolling_coin", GetParam(), {{"push", 0.3}});
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const Observation start = observe(system, system.initial_state());
  const std::array<double, 2> before = appell_constants(look_at_coin(start.bodies[0]));
  double energy = 0, integrals = 0, slip = 0, gap = 0, lowest = 1, highest = -1;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    const Observation now = observe(system, state);
    const Coin coin = look_at_coin(now.bodies[0]);
    const std::array<double, 2> after = appell_constants(coin);
    energy =
        std::max(energy, std::fabs(now.kinetic + now.potential - start.kinetic - start.potential));
    for (int k = 0; k < 2; ++k) integrals = std::max(integrals, std::fabs(after[k] - before[k]));
    slip = std::max(slip, coin.contact_speed);
    gap = std::max(gap, std::fabs(coin.contact.z));
    lowest = std::min(lowest, coin.cosine), highest = std::max(highest, coin.cosine);
  };
  const SimulateReport report =
      simulate(*example.system, system.initial_state(),
               {.integrator = "gl6", .duration = 20, .step = 0.01, .every = 10}, observer);
  ASSERT_TRUE(report.ok()) << report.message;
  RecordProperty("energy", std::to_string(energy * 1e15) + "e-15");
  RecordProperty("integrals", std::to_string(integrals * 1e15) + "e-15");
  RecordProperty("slip", std::to_string(slip * 1e15) + "e-15");
  EXPECT_GE(highest - lowest, 0.2) << "it nods";
  EXPECT_LE(energy, 1e-12);
  EXPECT_LE(integrals, 1e-11);
  EXPECT_LE(slip, 1e-12);
  EXPECT_LE(gap, 1e-13);
}

// Lean and steer of a bicycle, forward speeds of the wheels; signs of source 004 (right and nose up
// positive). The frame stands in world axes x forward, y left, z up: yaw about -z, then lean about
// x, then pitch about -y.
struct Ride {
  double u1 = 0, u2 = 0, u5 = 0, q1 = 0, q2 = 0, pitch = 0, pitch_rate = 0, yaw_rate = 0, u4 = 0;
};

enum { frame_place, rear_axle, steering, front_axle };

State make_ride(const MechanicalSystem& system, const Ride& r, double radius) {
  const double c1 = std::cos(r.q1), s1 = std::sin(r.q1), cp = std::cos(r.pitch),
               sp = std::sin(r.pitch);
  const double ch = std::cos(r.q1 / 2), sh = std::sin(r.q1 / 2), cq = std::cos(r.pitch / 2),
               sq = std::sin(r.pitch / 2);
  // after the lean, before the pitch
  const double w[3] = {r.u1, -r.yaw_rate * s1 - r.pitch_rate, -r.yaw_rate * c1};
  const double v[2] = {radius * (r.u4 + w[1]), -radius * r.u1};
  std::vector<std::optional<std::vector<double>>> q(4), u(4);
  q[frame_place] = {ch * cq, sh * cq, -ch * sq, -sh * sq, 0, -radius * s1, radius * c1};
  u[frame_place] = {
      cp * w[0] + sp * w[2], w[1], cp * w[2] - sp * w[0], cp * v[0], v[1], -sp * v[0]};
  q[rear_axle] = {0}, u[rear_axle] = {r.u4};
  q[steering] = {r.q2}, u[steering] = {r.u2};
  q[front_axle] = {0}, u[front_axle] = {r.u5};
  return system.make_state(0, q, u);
}

Ride look_at_ride(const Observation& now, int frame) {
  Ride r;
  const BodyState& body = now.bodies[frame];
  const Mat3<double> R = rotation_matrix(body.orientation);
  const Vec3<double> omega = world_rate(body), left = R * Vec3<double>{0, 1, 0};
  Vec3<double> ahead = cross(left, Vec3<double>{0, 0, 1});
  ahead = (1 / norm(ahead)) * ahead;
  r.q1 = std::asin(R(2, 1));
  r.pitch = std::atan2(R(2, 0), R(2, 2));
  r.u1 = dot(omega, ahead);
  r.yaw_rate = -dot(omega, cross(ahead, left)) / std::cos(r.q1);
  r.q2 = now.q[steering][0];
  r.u2 = now.v[steering][0];
  r.u4 = now.v[rear_axle][0];
  r.u5 = now.v[front_axle][0];
  return r;
}

// u1' from the rate of the angular velocity (body axes).
double lean_acceleration(const Observation& now, const DynamicsReport& report, int frame) {
  const BodyState& body = now.bodies[frame];
  const Mat3<double> R = rotation_matrix(body.orientation);
  const std::vector<double>& a = report.acceleration[frame_place];
  const Vec3<double> omega = world_rate(body), left = R * Vec3<double>{0, 1, 0}, up = {0, 0, 1};
  Vec3<double> ahead = cross(left, up);
  ahead = (1 / norm(ahead)) * ahead;
  const double yaw = -look_at_ride(now, frame).yaw_rate;  // about the upward vertical
  return dot(R * Vec3<double>{a[0], a[1], a[2]}, ahead) + dot(omega, cross(yaw * up, ahead));
}

struct RideReference {
  Ride ride;
  double u1dot, u2dot, u5dot, kinetic, potential;
};

// Kane's equations with 60 digits, Lagrange's with multipliers agree to 1e-18.
TEST_P(Rolling, BicycleAccelerations) {
  const double rows[][14] = {
      // u1, u2, u5, q1, q2, delta, delta', psi', u4, u1', u2', u5', T, V
      {0.0, 0.0, 14.0, 0.1, -0.2, 0.0009705202960851574, 2.812999161923241e-21, -0.8730984785966069,
       13.71427546017877, 6.535871070707128, 7.025973474717486, 1.160795679775133,
       161.1753645739188, 66.11151738161884},
      {0.3, -0.5, 12.0, 0.2, 0.4, -0.00571798708918651, 0.001358272022960704, 1.471868113717788,
       11.02609327248022, -3.510769283871651, 4.620221978540987, 0.9250526327701015,
       101.5212652723301, 64.59692731449815},
      {0.4, -0.9, 11.0, 0.3, 0.7, -0.007057836149917492, -0.002525961210994988, 2.281431292553078,
       8.200579476465801, -1.950147857865501, 3.218355038871162, -0.2724482800368959,
       63.6553450588065, 62.7753416983256}};
  const Example example = load_example("bicycle", GetParam());
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  for (const auto& r : rows) {
    const Ride ride = {.u1 = r[0],
                       .u2 = r[1],
                       .u5 = r[2],
                       .q1 = r[3],
                       .q2 = r[4],
                       .pitch = r[5],
                       .pitch_rate = r[6],
                       .yaw_rate = r[7],
                       .u4 = r[8]};
    const State state = make_ride(system, ride, 0.354);
    const Observation now = observe(system, state);
    EXPECT_LE(now.position_violation, 1e-14);
    EXPECT_LE(now.velocity_violation, 1e-13);
    EXPECT_NEAR(now.kinetic, r[12], 1e-12);
    EXPECT_NEAR(now.potential, r[13], 1e-12);
    const DynamicsReport report = system.report_dynamics(state, *workspace);
    EXPECT_NEAR(lean_acceleration(now, report, 0), r[9], 1e-12);
    EXPECT_NEAR(report.acceleration[steering][0], r[10], 1e-12);
    EXPECT_NEAR(report.acceleration[front_axle][0], r[11], 1e-12);
  }
}

// The sample run of source 004 with the geometry of its table: u1, u2, u5, q1, q2, delta.
TEST_P(Rolling, BicycleMeetsTheReference) {
  const double times[] = {0.5, 1, 2, 5, 10};
  const double reference[][6] = {{-0.1570620573605812, 0.01455962669026189, 14.61926177528901,
                                  0.2525174920581765, 0.1613842082649239, -0.002948916334115127},
                                 {0.07408065363231085, 0.1057833974122401, 14.25729568612202,
                                  0.2093412117555831, 0.06833137168831148, -0.001063021584369497},
                                 {0.001503368962862818, 0.01245863009625145, 14.31366203201675,
                                  0.2138043801928412, 0.08806487892265633, -0.00140068480842846},
                                 {-0.003431960344250483, -0.001337844306442832, 14.29295093294706,
                                  0.2040881374024631, 0.08441140484717095, -0.001285966279789241},
                                 {-0.004604208775721586, -0.001819923095944677, 14.25196314257016,
                                  0.1839567496748954, 0.07652198037461164, -0.001057729044854054}};
  const Example example = load_example("bicycle", GetParam());
  ASSERT_TRUE(example);
  const std::vector<State> states =
      states_at(*example.system, times, {.integrator = "gl6", .step = 0.01});
  double worst = 0, slip = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Observation now = observe(example.mechanism(), states[i]);
    const Ride ride = look_at_ride(now, 0);
    const std::vector<double> got = {ride.u1, ride.u2, ride.u5, ride.q1, ride.q2, ride.pitch};
    worst = std::max(worst, largest_difference(got, reference[i]));
    slip = std::max(slip, now.velocity_violation);
    EXPECT_NEAR(now.kinetic + now.potential, 230.161456863098, 1e-9);
    EXPECT_LE(now.position_violation, 1e-13);
  }
  RecordProperty("error", std::to_string(worst * 1e12) + "e-12");
  RecordProperty("slip", std::to_string(slip * 1e15) + "e-15");
  EXPECT_LE(worst, 1e-8);
  EXPECT_LE(slip, 1e-11);
}

// Small motions about straight running obey M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 with the
// published matrices: derivatives of the accelerations by central differences.
TEST_P(Rolling, BenchmarkBicycleHasThePublishedMatrices) {
  Eigen::Matrix2d M, C1, K0, K2;
  M << 80.81722, 2.3194133220870913, 2.3194133220870913, 0.29784188199685553;
  C1 << 0, 33.866413914924944, -0.85035641456978437, 1.6854039739755967;
  K0 << -80.95, -2.5995168524987164, -2.5995168524987164, -0.80329488458617688;
  K2 << 0, 76.597345895732222, 0, 2.6543152379460403;
  const double v = 4.6, e = 1e-4, wheelbase = 1.02, trail = 0.08, tilt = pi / 10;
  const int frame = 1;
  const Example example = load_example("benchmark_bicycle", GetParam());
  ASSERT_TRUE(example);
  const MechanicalSystem& system = example.mechanism();
  const auto workspace = system.make_workspace();
  const auto accelerations = [&](const Eigen::Vector4d& x) {  // lean, steer, their rates
    const Ride ride = {.u1 = x[2],
                       .u2 = x[3],
                       .u5 = v / 0.35,
                       .q1 = x[0],
                       .q2 = x[1],
                       .yaw_rate = (v * x[1] + trail * x[3]) * std::cos(tilt) / wheelbase,
                       .u4 = v / 0.3};
    const State state = make_ride(system, ride, 0.3);
    const DynamicsReport report = system.report_dynamics(state, *workspace);
    return Eigen::Vector2d(lean_acceleration(observe(system, state), report, frame),
                           report.acceleration[steering][0]);
  };
  Eigen::Matrix<double, 2, 4> expected;
  expected << -M.inverse() * (9.81 * K0 + v * v * K2), -M.inverse() * v * C1;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector4d x = e * Eigen::Vector4d::Unit(k);
    const Eigen::Vector2d slope = (accelerations(x) - accelerations(-x)) / (2 * e);
    for (int i = 0; i < 2; ++i)
      EXPECT_NEAR(slope[i], expected(i, k), 1e-6 * std::max(1.0, std::fabs(expected(i, k))))
          << i << k;
  }
}

// Pushed sideways between weave and capsize speed it comes upright again; below, it does not.
TEST_P(Rolling, BenchmarkBicycleIsStableInItsRange) {
  for (const double v : {5.0, 3.5}) {
    const Example example =
        load_example("benchmark_bicycle", GetParam(), {{"v", v}, {"push", 0.01}});
    ASSERT_TRUE(example);
    const double times[] = {4};
    const State end = states_at(*example.system, times, {.integrator = "gl4", .step = 0.01})[0];
    const Ride ride = look_at_ride(observe(example.mechanism(), end), 1);
    if (v == 5.0)
      EXPECT_LE(std::fabs(ride.u2), 1e-3);
    else
      EXPECT_GE(std::hypot(ride.u2, ride.q2), 0.02);
  }
}

}  // namespace
}  // namespace cartan::test
