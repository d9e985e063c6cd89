// A warm step of a mechanism asks for no memory, in any formulation, with every kind of force.
#include <gtest/gtest.h>

#include "formulations/formulations.h"
#include "integrate/integrator.h"
#include "io/toml_reader.h"
#include "support/allocation_counter.h"

namespace cartan::test {
namespace {

constexpr const char* text = R"toml(
gravity = [0, "0.1*sin(t)", -9.81]
[[body]]
name = "a"
mass = 2
com = [0.1, 0, -0.3]
inertia = [0.3, 0.4, 0.2, 0.01, 0.02, -0.03]
[[body]]
name = "b"
mass = 1
com = [0, 0, -0.5]
inertia = [0.2, 0.2, 0.05]
[[body]]
name = "c"
mass = 3
inertia = [0.2, 0.3, 0.15]
[[joint]]
name = "ball"
type = "spherical"
parent = { body = "world" }
child = { body = "a" }
velocity = [1, 2, 3]
[[joint]]
name = "hinge"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "a", at = [0, 0, -0.6] }
child = { body = "b" }
velocity = 2
[[joint]]
name = "plane"
type = "planar"
normal = [0, 0.6, 0.8]
parent = { body = "b", at = [0, 0, -1] }
child = { body = "c" }
velocity = [0.1, 0.2, 0.3]
[[force]]
type = "spring"
from = { body = "world", at = [1, 1, 1] }
to = { body = "c", at = [0.1, 0, 0] }
stiffness = 20
damping = 1
length = 0.5
[[force]]
type = "torsion"
joint = "ball"
stiffness = 3
damping = 0.1
[[force]]
type = "friction"
joint = "hinge"
coulomb = 0.1
smoothing = 0.01
bearings = [{ at = [0, 0.1, 0], radial = 0.01, axial = 0.01 }, { at = [0, -0.1, 0], radial = 0.01 }]
[[force]]
type = "wrench"
body = "b"
force = ["sin(t)", "hinge.q", "c.vx"]
[[force]]
type = "potential"
value = "0.5*c.x^2 + hinge.q^2 + ball.q[1]^2"
[[force]]
type = "drag"
body = "c"
coefficient = 0.1
)toml";

TEST(Allocation, WarmStepsOfMechanismsAskForNoMemory) {
  Diagnostics problems;
  const auto description = read_model_text(text, ".", problems);
  ASSERT_TRUE(description) << problems.text();
  const auto model = check_model(*description, problems);
  ASSERT_TRUE(model) << problems.text();
  for (const FormulationInfo& row : formulation_table()) {
    if (!row.refusal(*model).empty()) continue;
    const auto system = row.make(*model, parameter_values(*model));
    for (const char* method :
         {"rk4", "rk45", "dop853", "rkmk4", "rkmk45", "gl2", "gl3", "cvode", "ida"}) {
      const auto integrator = find_integrator(method)->make(*system, {});
      State state = system->initial_state();
      integrator->restart();
      for (int i = 0; i < 20; ++i) integrator->step(state, 0.01, state.t + 0.01);
      const long before = test::allocation_count();
      for (int i = 0; i < 20; ++i) integrator->step(state, 0.01, state.t + 0.01);
      EXPECT_EQ(test::allocation_count(), before) << row.name << " " << method;
      EXPECT_GT(state.t, 0.005);
    }
  }
}

}  // namespace
}  // namespace cartan::test
