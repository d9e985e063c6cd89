// Periodic orbits: against closed forms, invariants and motions that were merely simulated.
#include "support.h"

namespace cartan::test {
namespace {

constexpr double g = 9.81;

// Of examples/pendulum: frequency of small swings about the pivot.
double rod_frequency() {
  const double L = 2, w = 0.2;
  return std::sqrt(g * L / 2 / ((L * L + w * w) / 12 + L * L / 4));
}

double largest(const std::vector<std::complex<double>>& list) {
  double size = 0;
  for (const auto& z : list) size = std::max(size, std::abs(z));
  return size;
}

TEST(Orbit, SingleAndMultipleShootingAgree) {
  const Example e = load_example("roessler");
  ASSERT_TRUE(e) << e.problem;
  const auto section = function_of(e, "y");
  const Orbit one = orbit_of(e, orbit_options(6, section.get()));
  for (int nodes : {2, 5, 9}) {
    const Orbit many = orbit_of(e, orbit_options(6, section.get(), nodes));
    EXPECT_NEAR(many.point.period, one.point.period, 1e-12);
    EXPECT_LT(largest_difference(many.state().x, one.state().x), 1e-12);
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(std::abs(many.multipliers[i] / one.multipliers[i] - 1.0), 0, 1e-9);
  }
}

// Without a section the orbit begins beside the start.
TEST(Orbit, SectionIsOptional) {
  const Example e = load_example("roessler");
  const auto section = function_of(e, "y");
  const Orbit with = orbit_of(e, orbit_options(6, section.get()));
  const Orbit without = orbit_of(e, orbit_options(6));
  EXPECT_NEAR(without.point.period, with.point.period, 1e-12);
  EXPECT_NEAR(without.multipliers[1].real(), with.multipliers[1].real(), 1e-11);
}

// T = 4 K(sin(tilt/2))/omega, in every formulation with derivatives on its manifold, from a guess
// that is 5 % wrong.
TEST(Orbit, PendulumHasThePeriodOfTheEllipticIntegral) {
  const double tilt = 1.2, exact = 4 * elliptic_K(std::sin(tilt / 2)) / rod_frequency();
  for (const FormulationInfo& row : formulation_table()) {
    SCOPED_TRACE(row.name);
    const Example e = load_example("pendulum", row.name, {{"tilt", tilt}});
    ASSERT_TRUE(e) << e.problem;
    if (!refuse_flow(*e.system).empty()) {
      EXPECT_EQ(std::string(row.name), "rotation-elements");
      continue;
    }
    const Orbit orbit = orbit_of(e, orbit_options(1.05 * exact));
    ASSERT_TRUE(orbit.found());
    const Observation at = observe(e.mechanism(), orbit.state());
    // energy of the orbit found, from which its amplitude
    const double m = 50, L = 2;
    const double amplitude = std::acos(-(at.kinetic + at.potential) / (m * g * L / 2));
    const double expected = 4 * elliptic_K(std::sin(amplitude / 2)) / rod_frequency();
    EXPECT_NEAR(orbit.point.period, expected, 1e-10);
    EXPECT_NEAR(amplitude, tilt, 0.5);
    EXPECT_GE(orbit.neutral, 2);  // along the orbit, along the family
    EXPECT_FALSE(orbit.attracting);
  }
}

TEST(Orbit, HoldsAQuantityWhereOrbitsAreAFamily) {
  const double tilt = 2.0, exact = 4 * elliptic_K(std::sin(tilt / 2)) / rod_frequency();
  const Example e = load_example("pendulum", "recursive", {{"tilt", tilt}});
  const auto section = function_of(e, "joint1.v[0]"),
             energy = function_of(e, "kinetic + potential");
  OrbitOptions options = orbit_options(0.95 * exact, section.get());
  const State start = e.system->initial_state();
  options.problem.holds = {{energy.get(), energy->value(start, *e.system->make_workspace())}};
  const Orbit orbit = orbit_of(e, options);
  EXPECT_NEAR(orbit.point.period, exact, 1e-10);
  EXPECT_LT(largest_difference(orbit.state().x, start.x), 1e-9);
}

// Over the top: (angle/2)' = v/2 sqrt(1 - k^2 sin^2(angle/2)); the angle comes back one turn
// farther.
TEST(Orbit, PendulumThatGoesAround) {
  const Example e = load_text(R"(
[[body]]
name = "bob"
mass = 1
com = [0, 0, -1]
[[joint]]
name = "hinge"
type = "revolute"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "bob" }
velocity = 7
)");
  ASSERT_TRUE(e) << e.problem;
  const auto energy = function_of(e, "kinetic + potential"), section = function_of(e, "hinge.q");
  const double k = 2 * std::sqrt(g) / 7, exact = 4 * elliptic_K(k) / 7;
  OrbitOptions options = orbit_options(1.1 * exact, section.get());
  options.problem.holds = {{energy.get(), 0.5 * 49 - g}};
  const Orbit orbit = orbit_of(e, options);
  EXPECT_NEAR(orbit.point.period, exact, 1e-10);
  ASSERT_EQ(orbit.turns.size(), 1u);
  EXPECT_EQ(orbit.turns[0], std::make_pair(0, 1));
}

// A closed loop whose crank goes around: the period is that of the simulated motion.
TEST(Orbit, FourBarLinkage) {
  const Example e = load_example("four_bar", "recursive", {{"speed", 30}});
  ASSERT_TRUE(e) << e.problem;
  const auto section = function_of(e, "motor.q - 0.5"),
             energy = function_of(e, "kinetic + potential");
  const State start = e.system->initial_state();
  OrbitOptions options = orbit_options(0.3, section.get(), 3);
  options.problem.holds = {{energy.get(), energy->value(start, *e.system->make_workspace())}};
  const Orbit orbit = orbit_of(e, options);
  ASSERT_TRUE(orbit.found());
  const SimulateReport run = simulate(
      *e.system, start,
      {.integrator = "dop853", .duration = orbit.point.period, .tolerance = 1e-13}, Observer{});
  ASSERT_TRUE(run.ok()) << run.message;
  const Observation a = observe(e.mechanism(), start), b = observe(e.mechanism(), run.final_state);
  for (std::size_t j = 0; j < a.q.size(); ++j) {
    EXPECT_NEAR(std::sin(b.q[j][0] - a.q[j][0]), 0, 1e-9);
    EXPECT_NEAR(b.v[j][0], a.v[j][0], 1e-8);
  }
  ASSERT_EQ(orbit.multipliers.size(), 2u);  // one degree of freedom is left
  for (const auto& m : orbit.multipliers) EXPECT_NEAR(std::abs(m - 1.0), 0, 1e-5);
  EXPECT_NEAR(std::abs(orbit.multipliers[0] * orbit.multipliers[1]), 1, 1e-9);
  ASSERT_EQ(orbit.turns.size(), 2u);  // motor forwards, knee backwards
}

// A periodically driven system settles on the orbit that Newton finds; by Liouville's formula the
// product of its multipliers is exp(-damping T).
TEST(Orbit, DrivenDuffing) {
  const Example e = load_example("duffing", "recursive", {{"drive", 0.2}});
  ASSERT_TRUE(e) << e.problem;
  const double T = 2 * std::acos(-1.0) / 1.2;
  for (int multiple : {1, 2}) {
    OrbitOptions options = orbit_options(multiple * T, nullptr, multiple);
    options.problem.driven = true;
    const Orbit orbit = orbit_of(e, options);
    EXPECT_EQ(orbit.point.period, multiple * T);
    const auto product = orbit.multipliers[0] * orbit.multipliers[1];
    EXPECT_NEAR(product.real() / std::exp(-0.3 * multiple * T), 1, 1e-11);
    EXPECT_TRUE(orbit.attracting);
    EXPECT_EQ(orbit.neutral, 0);
    const SimulateReport run = simulate(
        *e.system, e.system->initial_state(),
        {.integrator = "dop853", .duration = 60 * T, .step = T, .tolerance = 1e-12}, Observer{});
    EXPECT_LT(largest_difference(run.final_state.x, orbit.state().x), 1e-9);
  }
}

// A drive of a joint: the inverted pendulum on a shaker stands upright, which is an orbit of the
// state with the slider in it.
TEST(Orbit, DrivenJoint) {
  const Example e = load_example("driven_pendulum", "recursive", {{"drag", 0}});
  ASSERT_TRUE(e) << e.problem;
  OrbitOptions options = orbit_options(2 * std::acos(-1.0) / 30);
  options.problem.driven = true;
  State start = e.system->initial_state();
  for (int i : {1, 2}) start.x[i] = i == 1 ? 3.1 : 0.02;
  const Orbit orbit = find_orbit(*e.system, start, options);
  ASSERT_TRUE(orbit.found()) << orbit.problem;
  EXPECT_NEAR(orbit.state().x[1], std::acos(-1.0), 1e-10);
  ASSERT_EQ(orbit.multipliers.size(), 4u);  // of the pendulum; the slider is not free
  EXPECT_NEAR(largest(orbit.multipliers), 1, 1e-9);
  EXPECT_TRUE(orbit.stable);
  EXPECT_FALSE(orbit.attracting);
}

// -----------------------------------------------------------------------------------------
// failures

std::string failure(const Example& e, const OrbitOptions& options) {
  return find_orbit(*e.system, e.system->initial_state(), options).problem;
}

TEST(Orbit, FailuresAreTold) {
  const auto contains = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  const Example duffing = load_example("duffing");
  contains(failure(duffing, orbit_options(5)), "look for a driven orbit");
  OrbitOptions wrong = orbit_options(5);
  wrong.problem.driven = true;
  contains(failure(duffing, wrong), "period of the drive");
  contains(failure(load_example("stick_slip"), orbit_options(1)), "smoothing");
  contains(failure(load_example("van_der_pol", "recursive", {{"start", 0}}), orbit_options(6)),
           "equilibrium");
  contains(failure(load_example("roessler"), orbit_options(-1)), "positive");
  const Example away = load_text("[variables]\nx = { initial = 1, rate = \"x^2\" }\n");
  contains(failure(away, orbit_options(5)), "cannot be followed");
  const Example line = load_text(
      "[variables]\nx = { initial = 1, rate = \"2\" }\n"
      "y = { initial = 1, rate = \"-y\" }\n");
  contains(failure(line, orbit_options(2)), "the orbit is lost");
}

}  // namespace
}  // namespace cartan::test
