// Wheels that are not round, and a cam: couplers whose offset is a function of a coordinate.
#include <cmath>

#include "motion.h"

namespace cartan::test::exact {
namespace {

BodyText wheel_body(const std::string& name, double inertia) {
  BodyText body;
  body.name = name;
  body.mass = 1;
  body.inertia = {inertia, inertia, inertia};
  return body;
}

JointText wheel_bearing(const std::string& name, const std::string& body, double x) {
  JointText joint;
  joint.name = name;
  joint.type = "revolute";
  joint.axis = {0, 1, 0};
  joint.parent.body = "world";
  joint.parent.at = {x, 0, 0};
  joint.child.body = body;
  return joint;
}

ConstraintText coupler_of(const std::string& follower, const std::string& offset) {
  ConstraintText c;
  c.name = "coupler";
  c.type = "coupler";
  CouplerTermText term;
  term.coordinate = follower;
  term.factor = 1;
  c.terms = {term};
  c.offset = Value(offset);
  return c;
}

// Two equal elliptic wheels that turn about a focus each, of eccentricity e:
//   b = -(a + 2 atan(e sin a / (1 - e cos a))),   b' = -g(a) a',   g = (1 - e^2) / (1 - 2 e cos a +
//   e^2)
// Nothing drives them: (J1 + J2 g^2) a'^2 is constant, and t = integral of sqrt(..) da.
namespace elliptic {

constexpr double e = 0.4, J1 = 0.3, J2 = 0.2, start_speed = 3;

double ratio(double a) {
  return (1 - e * e) / (1 - 2 * e * std::cos(a) + e * e);
}
double slowness(double a) {
  const double start = J1 + J2 * ratio(0) * ratio(0);
  return std::sqrt((J1 + J2 * ratio(a) * ratio(a)) / start) / start_speed;
}
double time_at(double a) {  // Simpson's rule, exact to rounding for so smooth a function
  const int n = 4000;
  double sum = slowness(0) + slowness(a);
  for (int k = 1; k < n; ++k) sum += (k % 2 ? 4 : 2) * slowness(a * k / n);
  return sum * a / (3 * n);
}

}  // namespace elliptic

TEST(EllipticWheels, TurnAsTheirEnergySays) {
  using namespace elliptic;
  ModelDescription d;
  d.name = "wheels";
  d.parameters = {{"e", e}};
  d.bodies = {wheel_body("one", J1), wheel_body("two", J2)};
  d.joints = {wheel_bearing("a", "one", 0), wheel_bearing("b", "two", 1)};
  d.joints[0].velocity = {start_speed};
  d.joints[0].velocity_given = true;
  d.constraints = {coupler_of("b", "-(a.q + 2*atan(e*sin(a.q)/(1 - e*cos(a.q))))")};
  double farthest = 0, fastest = 0;
  run_everywhere(d, {.duration = 5, .step = 0.005}, [&](const Sample& s) {
    const double a = s.seen.q[0][0], b = s.seen.q[1][0];
    farthest = std::max(farthest, a);
    fastest = std::max(fastest, std::fabs(s.seen.v[1][0]));
    EXPECT_NEAR(b, -(a + 2 * std::atan(e * std::sin(a) / (1 - e * std::cos(a)))), 1e-11);
    EXPECT_NEAR(s.seen.v[0][0], 1 / slowness(a), 1e-9);
    EXPECT_NEAR(s.seen.v[1][0], -ratio(a) / slowness(a), 1e-8);
    EXPECT_NEAR(time_at(a), s.t, 1e-9);
  });
  EXPECT_GT(farthest, 7);  // more than a turn
  EXPECT_GT(fastest, 6);   // ratios from 0.43 to 2.3
}

// A cam with the lift c q^2 + d q^3 under a weight, held on by its own mass only in the model:
//   (J + m h'^2) q'' + m h' h'' q'^2 = -m g h',   force on the weight = m (g + h' q'' + h'' q'^2)
TEST(Cam, AccelerationAndForce) {
  ModelDescription d;
  d.name = "cam";
  d.bodies = {wheel_body("cam", 0.1), wheel_body("weight", 1)};
  d.joints = {wheel_bearing("turn", "cam", 0), wheel_bearing("slide", "weight", 0)};
  d.joints[1].type = "prismatic";
  d.joints[1].axis = {0, 0, 1};
  d.joints[0].position.given = true;
  d.joints[0].position.coordinates = {0.7};
  d.joints[0].velocity = {1.3};
  d.joints[0].velocity_given = true;
  d.constraints = {coupler_of("slide", "0.2*turn.q^2 - 0.05*turn.q^3")};
  const double q = 0.7, v = 1.3, J = 0.1, m = 1, g = 9.81;
  const double h1 = 0.4 * q - 0.15 * q * q, h2 = 0.4 - 0.3 * q;
  const double a = (-m * g * h1 - m * h1 * h2 * v * v) / (J + m * h1 * h1);
  Diagnostics problems;
  const std::optional<Model> model = check_model(d, problems);
  ASSERT_TRUE(model) << problems.text();
  const std::vector<double> parameters = parameter_values(*model);
  int formulations = 0;
  for (const FormulationInfo& formulation : formulation_table()) {
    if (!formulation.refusal(*model).empty()) continue;
    ++formulations;
    SCOPED_TRACE(formulation.name);
    const auto system = formulation.make(*model, parameters);
    const auto workspace = system->make_workspace();
    const DynamicsReport report = system->report_dynamics(system->initial_state(), *workspace);
    EXPECT_NEAR(report.acceleration[0][0], a, 1e-11 * std::fabs(a));
    EXPECT_NEAR(report.acceleration[1][0], h1 * a + h2 * v * v, 1e-11 * std::fabs(a));
  }
  EXPECT_GE(formulations, 5);
}

}  // namespace
}  // namespace cartan::test::exact
