// Closed forms of motors and controllers: rotors, [variables] beside bodies, inputs.
#include <Eigen/Dense>
#include <cmath>

#include "motion.h"

namespace cartan::test::exact {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// x(t) of x' = A (x - rest): by eigenvectors.
VectorXd linear_motion(const MatrixXd& A, const VectorXd& rest, const VectorXd& start, double t) {
  const Eigen::EigenSolver<MatrixXd> eigen(A);
  const Eigen::MatrixXcd V = eigen.eigenvectors();
  Eigen::VectorXcd c = V.partialPivLu().solve((start - rest).cast<std::complex<double>>());
  for (int k = 0; k < c.size(); ++k) c[k] *= std::exp(eigen.eigenvalues()[k] * t);
  return rest + (V * c).real();
}

VariableText variable(const std::string& name, Value initial, const std::string& rate) {
  VariableText v;
  v.name = name;
  v.initial = std::move(initial);
  v.rate = Value(rate);
  return v;
}

ForceText joint_force(const std::string& joint, const std::string& value) {
  ForceText f;
  f.type = "joint";
  f.joint = joint;
  f.value = {Value(value)};
  return f;
}

ModelDescription wheel(Value rotor) {
  BodyText disc;
  disc.mass = 3;
  disc.inertia = {0.2, 0.2, 0.3};
  JointText joint = joint_to_world("revolute", {0, 0, 1});
  joint.inertia = {std::move(rotor)};
  return one_body(disc, joint);
}

// A ball joint to the world with a rotor: as if its inertia were the body's, whatever the body is.
TEST(RotorOfABall, AddsToTheBody) {
  const auto model = [](Values inertia, double rotor) {
    BodyText body;
    body.mass = 2;
    body.com = {0.1, 0.05, -0.3};
    body.inertia = std::move(inertia);
    JointText joint = joint_to_world("spherical");
    joint.velocity = {1.5, -0.4, 2};
    joint.velocity_given = true;
    if (rotor > 0) joint.inertia = {Value(rotor)};
    return one_body(body, joint);
  };
  const RunOptions options = {.duration = 2, .step = 0.01, .integrator = "gl4"};
  std::vector<std::vector<double>> expected;
  run_everywhere(model({0.3, 0.4, 0.5}, 0), options, [&](const Sample& s) {
    if (s.t == 0) expected.clear();
    expected.push_back(s.seen.v[0]);
  });
  std::size_t k = 0;
  double turned = 0;
  run_everywhere(model({0.1, 0.2, 0.3}, 0.2), options, [&](const Sample& s) {
    if (s.t == 0) k = 0;
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(s.seen.v[0][i], expected[k][i], 1e-9);
    turned = std::max(turned, std::fabs(s.seen.v[0][0] - 1.5));
    ++k;
  });
  EXPECT_GT(turned, 1);
}

// A disc driven by a DC motor through its rotor's inertia:
//   (J + Jr) w' = k i - c w,   L i' = V - R i - k w.
TEST(DirectCurrentMotor, StepResponse) {
  ModelDescription d = wheel("n^2*0.002");
  d.parameters = {{"n", 8}, {"k", 0.9}, {"L", 0.4}, {"R", 2}, {"c", 0.05}};
  d.inputs = {{"voltage", 12}};
  d.variables = {variable("current", 0.25, "(voltage - R*current - k*joint.v)/L")};
  d.forces = {joint_force("joint", "k*current - c*joint.v")};
  const double J = 0.3 + 64 * 0.002, k = 0.9, L = 0.4, R = 2, c = 0.05, V = 12;
  MatrixXd A(2, 2);
  A << -c / J, k / J, -k / L, -R / L;
  const VectorXd rest = A.partialPivLu().solve(Eigen::Vector2d(0, -V / L));
  double fastest = 0;
  run_everywhere(d, {.duration = 4, .step = 0.005}, [&](const Sample& s) {
    const VectorXd x = linear_motion(A, rest, Eigen::Vector2d(0, 0.25), s.t);
    EXPECT_NEAR(s.seen.v[0][0], x[0], 1e-10) << s.t;
    ASSERT_EQ(s.seen.variables.size(), 1u);
    EXPECT_NEAR(s.seen.variables[0], x[1], 1e-10) << s.t;
    EXPECT_NEAR(s.seen.kinetic, 0.5 * J * x[0] * x[0], 1e-9) << s.t;
    EXPECT_NEAR(s.seen.outputs[0], V, 0);  // the input is a column
    fastest = std::max(fastest, x[0]);
  });
  EXPECT_GT(fastest, 10);
}

// A mass on a slide under a controller with integral: x'' = -kp x - ki z - kd x' (per mass), z' =
// x - target.
TEST(Controller, ProportionalIntegralDerivativeOnAMass) {
  BodyText body;
  body.mass = 2;
  JointText slide = joint_to_world("prismatic", {1, 0, 0});
  slide.inertia = {0.5};
  ModelDescription d = one_body(body, slide);
  d.parameters = {{"kp", 30}, {"ki", 20}, {"kd", 12}};
  d.inputs = {{"target", 1.5}};
  d.definitions = {{"error", "joint.q - target"}};
  d.variables = {variable("sum", 0, "error")};
  d.forces = {joint_force("joint", "-kp*error - ki*sum - kd*joint.v")};
  const double m = 2.5, kp = 30, ki = 20, kd = 12, target = 1.5;
  MatrixXd A(3, 3);
  A << 0, 1, 0, -kp / m, -kd / m, -ki / m, 1, 0, 0;
  const Eigen::Vector3d rest(target, 0, 0), start(0, 0, 0);
  double last = 0;
  run_everywhere(d, {.duration = 6, .step = 0.01}, [&](const Sample& s) {
    const VectorXd x = linear_motion(A, rest, start, s.t);
    EXPECT_NEAR(s.seen.q[0][0], x[0], 1e-9) << s.t;
    EXPECT_NEAR(s.seen.v[0][0], x[1], 1e-9) << s.t;
    EXPECT_NEAR(s.seen.variables[0], x[2], 1e-9) << s.t;
    last = x[0];
  });
  EXPECT_NEAR(last, target, 0.1);
}

// Two discs on one axis, a torsion spring and a rotor between them: the rotor couples both,
//   w^2 = k / (I + J1 J2 / (J1 + J2)),    and the sum of the angular momenta of the discs stays.
ModelDescription two_discs() {
  ModelDescription d;
  for (const char* name : {"first", "second"}) {
    BodyText disc;
    disc.name = name;
    disc.mass = 1;
    disc.inertia = {0.5, 0.5, name[0] == 'f' ? 0.7 : 0.4};
    d.bodies.push_back(disc);
  }
  JointText base = joint_to_world("revolute", {0, 0, 1}, {"first"});
  base.name = "base";
  base.velocity = {0.8};
  base.velocity_given = true;
  JointText shaft = joint_to_world("revolute", {0, 0, 1}, {"second"});
  shaft.name = "shaft";
  shaft.parent.body = "first";
  shaft.inertia = {0.25};
  shaft.position.given = true;
  shaft.position.coordinates = {0.6};
  d.joints = {base, shaft};
  ForceText spring;
  spring.type = "torsion";
  spring.joint = "shaft";
  spring.stiffness = {5};
  d.forces = {spring};
  return d;
}
const double two_discs_frequency = std::sqrt(5 / (0.25 + 0.7 * 0.4 / 1.1));

TEST(Rotor, CouplesTheTwoBodiesOfItsJoint) {
  double travelled = 0;
  run_everywhere(two_discs(), {.duration = 3, .step = 0.01}, [&](const Sample& s) {
    EXPECT_NEAR(s.seen.q[1][0], 0.6 * std::cos(two_discs_frequency * s.t), 1e-10) << s.t;
    EXPECT_NEAR(s.seen.angular_momentum.z, 0.8 * 1.1, 1e-11) << s.t;
    EXPECT_NEAR(s.seen.kinetic + s.seen.potential, 0.5 * 1.1 * 0.64 + 0.5 * 5 * 0.36, 1e-10) << s.t;
    travelled = std::max(travelled, std::fabs(s.seen.q[0][0]));
  });
  EXPECT_GT(travelled, 1);
}

// Methods of second order, whose equations are M a = f and not solved for a.
TEST(Rotor, IndexThreeMethodIsOfSecondOrder) {
  Diagnostics problems;
  const std::optional<Model> model = check_model(two_discs(), problems);
  ASSERT_TRUE(model) << problems.text();
  for (const char* formulation : {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3"}) {
    SCOPED_TRACE(formulation);
    std::string problem;
    const auto system = make_system(*model, parameter_values(*model), formulation, problem);
    ASSERT_TRUE(system) << problem;
    std::vector<double> errors;
    for (const double step : {0.01, 0.005}) {
      SimulateOptions options;
      options.integrator = "generalized-alpha";
      options.duration = 3;
      options.step = step;
      Trajectory path;
      const SimulateReport report = simulate(*system, system->initial_state(), options, path);
      ASSERT_TRUE(report.ok()) << report.message;
      Observation seen;
      dynamic_cast<const MechanicalSystem&>(*system).observe(path.view(path.count() - 1), seen,
                                                             *system->make_workspace());
      errors.push_back(std::fabs(seen.q[1][0] - 0.6 * std::cos(two_discs_frequency * 3)));
    }
    EXPECT_LT(errors[1], 1e-3);
    EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.2);
  }
}

// The variational method keeps a rotor's momentum along its coordinate: error of second order.
TEST(Rotor, VariationalIntegratorIsOfSecondOrder) {
  Diagnostics problems;
  const std::optional<Model> model = check_model(two_discs(), problems);
  ASSERT_TRUE(model) << problems.text();
  std::string problem;
  const auto system = make_system(*model, parameter_values(*model), "recursive", problem);
  ASSERT_TRUE(system) << problem;
  std::vector<double> errors;
  for (const double step : {0.02, 0.01, 0.005}) {
    SimulateOptions options;
    options.integrator = "variational";
    options.duration = 3;
    options.step = step;
    Trajectory path;
    const SimulateReport report = simulate(*system, system->initial_state(), options, path);
    ASSERT_TRUE(report.ok()) << report.message;
    const double q = path.view(path.count() - 1).x[1];
    errors.push_back(std::fabs(q - 0.6 * std::cos(two_discs_frequency * 3)));
  }
  EXPECT_GT(errors[2], 1e-9);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.1);
}

// A rotor is all the inertia a joint may see.
TEST(Rotor, IsInertiaEnoughForABodyWithoutAny) {
  BodyText shaft;
  shaft.mass = 1;
  JointText joint = joint_to_world("revolute", {0, 0, 1});
  joint.inertia = {0.5};
  ModelDescription d = one_body(shaft, joint);
  d.forces = {joint_force("joint", "2")};
  Diagnostics problems;
  const std::optional<Model> model = check_model(d, problems);
  ASSERT_TRUE(model) << problems.text();
  for (const char* formulation : {"recursive", "moving-frame", "canonical", "generated"}) {
    std::string problem;
    const auto system = make_system(*model, parameter_values(*model), formulation, problem);
    ASSERT_TRUE(system) << problem;
    const auto& mechanics = dynamic_cast<const MechanicalSystem&>(*system);
    const auto workspace = system->make_workspace();
    EXPECT_NEAR(mechanics.report_dynamics(system->initial_state(), *workspace).acceleration[0][0],
                4, 1e-12)
        << formulation;
  }
}

// An input as a function of time: the same as if it stood in the force.
TEST(Input, FollowsAnExpressionOfTime) {
  ModelDescription d = wheel(0.2);
  d.parameters = {{"rate", 3}};
  d.inputs = {{"torque", 0}};
  d.signals = {{"torque", "2*cos(rate*t)"}};
  d.forces = {joint_force("joint", "torque")};
  run_everywhere(d, {.duration = 2}, [&](const Sample& s) {
    EXPECT_NEAR(s.seen.v[0][0], 2 * std::sin(3 * s.t) / (3 * 0.5), 1e-11) << s.t;
    EXPECT_NEAR(s.seen.outputs[0], 2 * std::cos(3 * s.t), 1e-15) << s.t;
  });
}

}  // namespace
}  // namespace cartan::test::exact
