// A mass on a spring, carried by a belt: it sticks until the spring pulls harder than friction
// holds, slides, and is caught again. Where it has stuck before, its speed comes back to that of
// the belt and no further, without an acceleration: sliding stays slow for long, and friction
// across it decays at rates that change by orders of magnitude within a step.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "support/example.h"

namespace cartan::test {
namespace {

constexpr double k = 40, mu = 0.3, belt = 0.2, weight = 9.81, duration = 5;
constexpr double middle = mu * weight / k;  // of the slides
const double w = std::sqrt(k);

std::string carried_mass(double speed) {
  return "[parameters]\nk = 40\nmu = 0.3\nbelt = 0.2\n[[body]]\nname = \"belt\"\nmass = 5\n"
         "inertia = [1, 1, 1]\n[[body]]\nname = \"mass\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\n"
         "[[joint]]\nname = \"belt\"\ntype = \"prismatic\"\naxis = [1, 0, 0]\n"
         "parent = { body = \"world\" }\nchild = { body = \"belt\" }\n[[constraint]]\n"
         "type = \"drive\"\nname = \"motor\"\njoint = \"belt\"\nposition = \"belt*t\"\n"
         "[[joint]]\nname = \"fly\"\ntype = \"free\"\nparent = { body = \"world\" }\n"
         "child = { body = \"mass\" }\nvelocity = [0, 0, 0, " +
         std::to_string(speed) +
         ", 0, 0]\n[[force]]\ntype = \"wrench\"\nname = \"spring\"\nbody = \"mass\"\n"
         "force = [\"-k*mass.x\", 0, 0]\n[[contact]]\nname = \"touch\"\n"
         "a = { body = \"mass\", point = [0, 0, 0] }\nb = { body = \"belt\", plane = [0, 0, 1] }\n"
         "friction = \"mu\"\n";
}

struct Place {
  double x, v;
};

// From where it has the speed of the belt, at time t.
Place carried(double x, double t) {
  const double sticks = (middle - x) / belt;
  if (t < sticks) return {x + belt * t, belt};
  const double slides = t - sticks;
  return {middle + belt / w * std::sin(w * slides), belt * std::cos(w * slides)};
}

// From rest at 0: x = m (1 - cos w t), until it has the speed of the belt.
Place from_rest() {
  const double caught = std::asin(belt / (w * middle)) / w;
  return carried(middle * (1 - std::cos(w * caught)), duration - caught);
}

double error(const std::string& text, const char* method, double step,
             const std::string& formulation, const Place& truth) {
  const Example example = load_text(text, formulation);
  EXPECT_TRUE(example) << example.problem;
  const MechanicalSystem& system = example.mechanism();
  Observation end;
  const auto workspace = system.make_workspace();
  const SimulateReport run = simulate(
      system, system.initial_state(), {.integrator = method, .duration = duration, .step = step},
      {.on_sample = [&](const State& state) { system.observe(state, end, *workspace); }});
  EXPECT_TRUE(run.ok()) << method << step << formulation << run.message;
  const BodyState& mass = end.bodies[1];
  return std::max({std::fabs(mass.position.x - truth.x), std::fabs(mass.linear.x - truth.v),
                   std::fabs(mass.position.y)});
}

TEST(Belt, StickSlipOfAFreeBody) {
  for (const char* formulation : {"recursive", "moving-frame", "absolute-se3", "absolute-so3r3"})
    for (const char* method : {"gl3", "gl6"}) {
      EXPECT_LT(error(carried_mass(belt), method, 0.01, formulation, carried(0, duration)), 1e-10)
          << formulation << method;
      EXPECT_LT(error(carried_mass(0), method, 0.01, formulation, from_rest()), 1e-10)
          << formulation << method;
    }
}

TEST(Belt, ImplicitMethodsKeepTheirOrder) {
  const struct {
    const char* method;
    double order;
  } rows[] = {{"gl1", 2}, {"gl2", 4}};
  for (const auto& row : rows) {
    const double coarse =
        error(carried_mass(belt), row.method, 0.02, "recursive", carried(0, duration));
    const double fine =
        error(carried_mass(belt), row.method, 0.005, "recursive", carried(0, duration));
    EXPECT_NEAR(std::log(coarse / fine) / std::log(4), row.order, 0.3) << row.method;
  }
}

}  // namespace
}  // namespace cartan::test
