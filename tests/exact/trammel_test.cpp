// A rod whose ends run in two slots that cross, as planes in which they stay: without weight it
// turns at a constant rate w, its middle goes round in a circle, and the slots press with
//   N = m w^2 l/2 cos(angle),   m w^2 l/2 sin(angle)
#include <cmath>

#include "motion.h"

namespace cartan::test::exact {
namespace {

constexpr double m = 1.3, l = 0.8, w = 2.1, start = 0.4;

ConstraintText slot(const std::string& name, double at, Values normal) {
  ConstraintText c;
  c.name = name;
  c.type = "point-on-plane";
  c.body = Reference("body");
  c.at = {at, 0, 0};
  c.plane_normal = std::move(normal);
  c.plane_where.line = 1;
  return c;
}

ModelDescription trammel() {
  BodyText rod;
  rod.mass = m;
  rod.inertia = {1e-3, m * l * l / 12, m * l * l / 12};
  // coordinates x, z and the angle from x towards z
  JointText joint = joint_to_world("planar", {0, -1, 0});
  joint.position.given = true;
  joint.position.coordinates = {l / 2 * std::cos(start), -l / 2 * std::sin(start), start};
  joint.velocity = {-l / 2 * std::sin(start) * w, -l / 2 * std::cos(start) * w, w};
  joint.velocity_given = true;
  ModelDescription d = one_body(rod, joint);
  d.gravity = {0, 0, 0};
  d.constraints = {slot("upright", -l / 2, {2, 0, 0}), slot("level", l / 2, {0, 0, -0.5})};
  return d;
}

TEST(Trammel, TurnsAtAConstantRate) {
  run_everywhere(trammel(), {.duration = 6, .step = 0.01}, [](const Sample& s) {
    const double angle = start + w * s.t;
    EXPECT_NEAR(s.seen.q[0][2], angle, 1e-9);
    EXPECT_NEAR(s.seen.q[0][0], l / 2 * std::cos(angle), 1e-9);
    EXPECT_NEAR(s.seen.q[0][1], -l / 2 * std::sin(angle), 1e-9);
    EXPECT_NEAR(s.seen.v[0][2], w, 1e-9);
  });
}

TEST(Trammel, SlotsPress) {
  Diagnostics problems;
  const std::optional<Model> model = check_model(trammel(), problems);
  ASSERT_TRUE(model) << problems.text();
  int formulations = 0;
  for (const FormulationInfo& formulation : formulation_table()) {
    if (!formulation.refusal(*model).empty()) continue;
    ++formulations;
    SCOPED_TRACE(formulation.name);
    const auto system = formulation.make(*model, parameter_values(*model));
    const auto workspace = system->make_workspace();
    const DynamicsReport report = system->report_dynamics(system->initial_state(), *workspace);
    // the acceleration of the middle points to the origin
    const double size = w * w * l / 2;
    EXPECT_NEAR(report.acceleration[0][0], -size * std::cos(start), 1e-12 * size);
    EXPECT_NEAR(report.acceleration[0][1], size * std::sin(start), 1e-12 * size);
    // in absolute coordinates behind those of the joint
    ASSERT_GE(report.multipliers.size(), 2u);
    const double* slots = &report.multipliers.back() - 1;
    EXPECT_NEAR(std::fabs(slots[0]), m * size * std::cos(start), 1e-11);
    EXPECT_NEAR(std::fabs(slots[1]), m * size * std::sin(start), 1e-11);
  }
  EXPECT_GE(formulations, 5);
}

}  // namespace
}  // namespace cartan::test::exact
