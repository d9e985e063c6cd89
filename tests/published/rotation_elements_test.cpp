// Source 001 in its own formulation: the double pendulum (case S1.1) with all multipliers, what the
// multipliers of a free body do, and the scheme that holds them over a step.
#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "support/example.h"

namespace cartan::test {
namespace {

// x down, y horizontal; two bars of 0.108 kg, 20 x 2 x 1 cm, on spherical joints.
const char* const pendulum = R"(
name = "double pendulum of source 001"
gravity = [9.81, 0, 0]
[parameters]
m = 0.108
l = 0.2
a = 0.02
b = 0.01
Jx = "m*(a^2 + b^2)/12"
Jy = "m*(l^2 + b^2)/12"
Jz = "m*(l^2 + a^2)/12"
[[body]]
name = "S1"
mass = "m"
com = ["l/2", 0, 0]
inertia = ["Jx", "Jy", "Jz"]
[[body]]
name = "S2"
mass = "m"
com = ["l/2", 0, 0]
inertia = ["Jx", "Jy", "Jz"]
[[joint]]
name = "O"
type = "spherical"
parent = { body = "world" }
child = { body = "S1" }
position = { axis = [0, 0, 1], angle = "pi/9" }
[[joint]]
name = "H1"
type = "spherical"
parent = { body = "S1", at = ["l", 0, 0] }
child = { body = "S2" }
position = { axis = [0, 0, 1], angle = "-pi/18" }
)";

constexpr double element_times[] = {0, 0.1, 0.5, 1, 2, 5};
// phi, psi, phi', psi', L01 (x, y), L12 (x, y), Lambda1 (11, 12, 22), Lambda2 (11, 12, 22)
constexpr double reference[6][14] = {
    {3.4906585039886592e-01, 1.7453292519943296e-01, 0, 0, 1.8368963862276081e+00,
     5.9407421673522574e-01, 8.9206017338515772e-01, 2.7909300023909643e-01,
     -2.5288294676458191e-01, -9.1930133372718257e-02, -3.3419165056442984e-02,
     -8.9861396131000125e-02, -1.5963749381798194e-02, -2.8357804484231910e-03},
    {2.1317030131446323e-01, 3.0365840213825221e-01, -2.3105650189811138e+00,
     1.8172367730724993e+00, 2.2346115030452100e+00, 3.9459165606181063e-01, 1.1347114028930659e+00,
     3.0878657704157256e-01, -3.0563982762041861e-01, -1.1121170050725439e-01,
     -4.0487830980811217e-02, -1.1513787051341146e-01, -2.0255624296665741e-02,
     -3.5757091990953171e-03},
    {-2.5151172821847472e-01, -3.7410844585436313e-01, -1.6300863628847639e+00,
     2.5949025272248311e+00, 2.1462299309384571e+00, -4.4228664404035797e-01,
     1.0785229621426753e+00, -3.5899188321716891e-01, -2.9423131662404062e-01,
     -1.0711416843770949e-01, -3.9005474086578289e-02, -1.1242026023202311e-01,
     -1.9877833600471876e-02, -3.5397098452840147e-03},
    {1.6091549145818490e-01, 5.3793944988495474e-01, 4.7550306196495342e-01, 7.1746292384815839e-01,
     1.9008775666694702e+00, 1.9170406975289450e-01, 8.2427309139479014e-01, 2.8196218598096884e-01,
     -2.4428177662743559e-01, -8.8941611134567753e-02, -3.2384054843331510e-02,
     -8.2903339677431949e-02, -1.4439361722072741e-02, -2.5164441814233705e-03},
    {2.9371689122443071e-01, 1.1503801788330079e-01, 1.0635116353600679e+00, 1.0597502117707910e+00,
     1.9403549454995695e+00, 5.3348853028582844e-01, 9.5843821115019808e-01, 2.3485838990774992e-01,
     -2.6507633805492507e-01, -9.6375649305123105e-02, -3.5044535862937230e-02,
     -9.5304396674767018e-02, -1.6926095165984621e-02, -3.0100948177596301e-03},
    {-9.2347827682167745e-02, 1.5918557274565859e-01, 1.1044520875934547e+00,
     3.1687024228653700e+00, 2.1245858305504050e+00, -2.2670371157721745e-01,
     1.0738603871219020e+00, 1.0685683956333498e-02, -2.8332294428725774e-01,
     -1.0319858182032244e-01, -3.7594379449069087e-02, -1.0655626451080891e-01,
     -1.8624280249184908e-02, -3.2922339038291191e-03}};

double angle_of(const BodyState& body) {
  const Vec3<double> along = rotation_matrix(body.orientation).c[0];
  return std::atan2(along.y, along.x);
}

ElementMultipliers multipliers_at(const MechanicalSystem& system, const State& state) {
  return *system.report_dynamics(state, *system.make_workspace()).elements;
}

// Largest of what would leave the plane.
double out_of_plane(const Observation& now) {
  double most = 0;
  for (const BodyState& body : now.bodies)
    for (double x : {body.position.z, body.linear.z, body.angular.x, body.angular.y,
                     body.orientation.x, body.orientation.y})
      most = std::max(most, std::fabs(x));
  return most;
}

TEST(RotationElements, DoublePendulumOfSource001) {
  const Example example = load_text(pendulum, "rotation-elements");
  ASSERT_TRUE(example) << example.problem;
  const MechanicalSystem& system = example.mechanism();
  const std::vector<State> states =
      states_at(system, element_times, {.integrator = "gl6", .step = 0.005});
  double angle = 0, joint = 0, body = 0, plane = 0;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const Observation now = observe(system, states[i]);
    const ElementMultipliers found = multipliers_at(system, states[i]);
    const double angles[] = {angle_of(now.bodies[0]), angle_of(now.bodies[1]),
                             now.bodies[0].angular.z, now.bodies[1].angular.z};
    const double joints[] = {found.joint[0][0], found.joint[0][1], found.joint[1][0],
                             found.joint[1][1]};
    const Mat3<double>&L1 = found.Lambda[0], &L2 = found.Lambda[1];
    const double bodies[] = {L1(0, 0), L1(0, 1), L1(1, 1), L2(0, 0), L2(0, 1), L2(1, 1)};
    const std::span<const double> r(reference[i]);
    angle = std::max(angle, largest_difference(angles, r.subspan(0, 4)));
    joint = std::max(joint, largest_difference(joints, r.subspan(4, 4)));
    body = std::max(body, largest_difference(bodies, r.subspan(8, 6)));
    plane = std::max(plane, out_of_plane(now));
    for (const Mat3<double>* L : {&L1, &L2})
      for (int k = 0; k < 3; ++k) plane = std::max(plane, std::fabs((*L)(2, k)));
    for (int j = 0; j < 2; ++j) plane = std::max(plane, std::fabs(found.joint[j][2]));
    EXPECT_NEAR(now.kinetic + now.potential, -0.40301407317721368, 1e-13);
    EXPECT_LT(now.unit_norm_error, 2e-15);
  }
  std::printf("angles %.2g, joints %.2g, Lambda %.2g, out of plane %.2g\n", angle, joint, body,
              plane);
  EXPECT_LT(angle, 1e-9);
  EXPECT_LT(joint, 1e-9);
  EXPECT_LT(body, 1e-9);
  EXPECT_LT(plane, 1e-13);
}

// The same in a plane oblique to all axes, where no zeros help.
TEST(RotationElements, PlanarMotionStaysPlanar) {
  std::string text = pendulum;
  const std::string ground = "parent = { body = \"world\" }";
  text.replace(text.find(ground), ground.size(),
               "parent = { body = \"world\", rotate = { axis = [1, 0, 0], angle = 0.7 } }");
  const Example example = load_text(text, "rotation-elements");
  ASSERT_TRUE(example) << example.problem;
  const MechanicalSystem& system = example.mechanism();
  const Vec3<double> normal{0, -std::sin(0.7), std::cos(0.7)};
  double out = 0;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    for (const BodyState& body : observe(system, state).bodies) {
      const Vec3<double> rate = world_rate(body);
      out = std::max({out, std::fabs(dot(normal, body.position)),
                      std::fabs(dot(normal, body.linear)), norm(cross(normal, rate))});
    }
  };
  const SimulateReport report =
      simulate(system, system.initial_state(),
               {.integrator = "gl6", .duration = 5, .step = 0.005, .every = 10}, observer);
  ASSERT_TRUE(report.ok()) << report.message;
  const Observation end = observe(system, report.final_state);
  EXPECT_NEAR(end.kinetic + end.potential, -0.40301407317721368, 1e-13);
  std::printf("out of an oblique plane: %.2g\n", out);
  EXPECT_GT(out, 0);
  EXPECT_LT(out, 1e-13);
}

// Case S1.2 at t = 1 s: what 001 announces as its next step.
TEST(RotationElements, StewartPlatformMeetsTheReference) {
  const Example example = load_example("stewart", "rotation-elements");
  ASSERT_TRUE(example) << example.problem;
  const double end[] = {1};
  const State state = states_at(*example.system, end, {.integrator = "gl6", .step = 0.0025})[0];
  const Observation now = observe(example.mechanism(), state);
  std::vector<double> found;
  append(found, now.bodies[0].position);
  append(found, now.bodies[0].orientation);
  append(found, now.bodies[0].linear);
  append(found, now.bodies[0].angular);
  for (int k = 0; k < 6; ++k) found.push_back(now.q[2 + 2 * k][0]);
  const double expected[] = {
      -0.031629650100086164, 0.017783310100362847, 0.6065993183280802,  0.9984167476228921,
      -0.011938666507242917, 0.04296274819599246,  0.03428802379261094, 0.2254978793588358,
      -0.2536490002687473,   0.12543367085072782,  3.467386558235073,   -4.006675068653415,
      -3.8120740885530795,   0.6803248113453021,   0.6963210397925935,  0.6462517231148132,
      0.6965394360502619,    0.699121178234023,    0.6820839026809591};
  const double difference = largest_difference(found, expected);
  std::printf("Stewart platform at 1 s: difference %.2g\n", difference);
  EXPECT_LT(difference, 1.5e-11);  // the reference's own accuracy in rates is 1.5e-12
  EXPECT_NEAR(now.kinetic + now.potential, 182.83136917170058, 1e-11);
}

// The joints' equations are linear in the elements and kept to rounding by any Runge-Kutta method;
// R^T R = 1 is not, and shows when nothing is projected.
TEST(RotationElements, DriftWithoutProjection) {
  const Example example = load_text(pendulum, "rotation-elements");
  ASSERT_TRUE(example) << example.problem;
  const MechanicalSystem& system = example.mechanism();
  SimulateOptions options{.integrator = "rk4", .duration = 1, .step = 0.005};
  const auto end = [&](bool project) {
    options.project = project;
    const SimulateReport report = simulate(system, system.initial_state(), options, Observer{});
    EXPECT_TRUE(report.ok()) << report.message;
    return observe(system, report.final_state);
  };
  const Observation raw = end(false), kept = end(true);
  std::printf("R^T R - 1: %.2g without projection, %.2g with; joints %.2g\n", raw.unit_norm_error,
              kept.unit_norm_error, raw.position_violation);
  EXPECT_GT(raw.unit_norm_error, 1e-10);
  EXPECT_LT(raw.unit_norm_error, 1e-4);
  EXPECT_LT(raw.position_violation, 1e-14);
  EXPECT_LT(kept.unit_norm_error, 1e-15);
  EXPECT_LT(kept.position_violation, 1e-15);
}

std::string free_body(double Jx, double Jy, double Jz) {
  return "name = \"free\"\ngravity = [0, 0, 0]\n[[body]]\nname = \"B\"\nmass = 2\ninertia = [" +
         std::to_string(Jx) + ", " + std::to_string(Jy) + ", " + std::to_string(Jz) +
         "]\n[[joint]]\nname = \"f\"\ntype = \"free\"\nparent = { body = \"world\" }\nchild = { "
         "body = \"B\" }\nvelocity = [1.0, 2.0, 0.5, 0, 0, 0]\n";
}

struct FreeBody {
  double trace = 0;        // largest |tr Lambda + 2T|
  double eigenvalues = 0;  // largest change
};
FreeBody watch_free_body(const std::string& text) {
  FreeBody result;
  const Example example = load_text(text, "rotation-elements");
  EXPECT_TRUE(example) << example.problem;
  if (!example) return result;
  const MechanicalSystem& system = example.mechanism();
  const double energy = observe(system, system.initial_state()).kinetic;
  EXPECT_GT(energy, 1);
  std::optional<Eigen::Vector3d> first;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    const Mat3<double> L = multipliers_at(system, state).Lambda[0];
    Eigen::Matrix3d m;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) m(r, c) = L(r, c);
    const Eigen::Vector3d values = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(m).eigenvalues();
    if (!first) first = values;
    result.trace = std::max(result.trace, std::fabs(trace(L) + 2 * energy));
    result.eigenvalues = std::max(result.eigenvalues, (values - *first).cwiseAbs().maxCoeff());
  };
  const SimulateReport report =
      simulate(system, system.initial_state(),
               {.integrator = "gl6", .duration = 10, .step = 0.02, .every = 5}, observer);
  EXPECT_TRUE(report.ok()) << report.message;
  return result;
}

// Of a free body the trace of Lambda is -2T; its eigenvalues are constant only when the body is
// axisymmetric, against the sentence quoted in the source.
TEST(RotationElements, MultiplierOfAFreeBody) {
  const FreeBody general = watch_free_body(free_body(1, 1.5, 2)),
                 symmetric = watch_free_body(free_body(1, 1, 1.7));
  std::printf("tr Lambda + 2T: %.2g, %.2g; eigenvalues change by %.3g, axisymmetric %.2g\n",
              general.trace, symmetric.trace, general.eigenvalues, symmetric.eigenvalues);
  EXPECT_LT(general.trace, 1e-13 * 50);
  EXPECT_LT(symmetric.trace, 1e-13 * 50);
  EXPECT_GT(general.eigenvalues, 0.1);
  EXPECT_LT(symmetric.eigenvalues, 1e-12);
}

// Multipliers held over the step: first order, in angles and with or without projection.
TEST(RotationElements, HeldMultipliersAreOfFirstOrder) {
  const Example example = load_text(pendulum, "rotation-elements");
  ASSERT_TRUE(example) << example.problem;
  const MechanicalSystem& system = example.mechanism();
  for (bool project : {true, false}) {
    double last = 0;
    for (double h : {1e-3, 5e-4, 2.5e-4, 1.25e-4}) {
      const SimulateReport report = simulate(
          system, system.initial_state(),
          {.integrator = "held-multipliers", .duration = 0.5, .step = h, .project = project},
          Observer{});
      ASSERT_TRUE(report.ok()) << report.message;
      const Observation now = observe(system, report.final_state);
      const double error = std::max(std::fabs(angle_of(now.bodies[0]) - reference[2][0]),
                                    std::fabs(angle_of(now.bodies[1]) - reference[2][1]));
      const double order = last > 0 ? std::log2(last / error) : 1;
      std::printf("projection %d, h = %.3g: error %.3g, order %.3f\n", project, h, error, order);
      EXPECT_NEAR(order, 1, 0.15) << h;
      last = error;
    }
    EXPECT_LT(last, 1e-2);
  }
}

TEST(RotationElements, HeldMultipliersRefuse) {
  const Example other = load_text(pendulum, "recursive");
  ASSERT_TRUE(other);
  const SimulateReport report =
      simulate(*other.system, other.system->initial_state(),
               {.integrator = "held-multipliers", .duration = 0.1}, Observer{});
  EXPECT_EQ(report.status, RunStatus::bad_options);
  EXPECT_NE(report.message.find("'rotation-elements'"), std::string::npos) << report.message;

  const Example flat = load_text(free_body(1, 1, 2), "rotation-elements");
  ASSERT_TRUE(flat) << flat.problem;
  const SimulateReport thin =
      simulate(*flat.system, flat.system->initial_state(),
               {.integrator = "held-multipliers", .duration = 0.1}, Observer{});
  EXPECT_EQ(thin.status, RunStatus::bad_options);
  EXPECT_NE(thin.message.find("body 'B'"), std::string::npos) << thin.message;
  // K of a plate is singular, its motion is not
  const FreeBody plate = watch_free_body(free_body(1, 1, 2));
  EXPECT_LT(plate.trace, 1e-13 * 50);
}

TEST(RotationElements, RefusesJointsThatStick) {
  const Example example =
      load_text(std::string(pendulum) +
                "[[force]]\nname = \"rub\"\ntype = \"friction\"\njoint = \"O\"\ncoulomb = 0.1\n");
  ASSERT_TRUE(example);
  const std::string problem = find_formulation("rotation-elements")->refusal(*example.model);
  EXPECT_NE(problem.find("friction 'rub'"), std::string::npos) << problem;
  EXPECT_NE(problem.find("smoothing"), std::string::npos) << problem;
}

}  // namespace
}  // namespace cartan::test
