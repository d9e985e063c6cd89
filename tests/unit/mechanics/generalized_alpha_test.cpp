// generalized-alpha on mechanisms: all examples, changes of step length, events and sticking,
// numerical damping, what it does not take.
#include "integrate/generalized_alpha.h"

#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "support/allocation_counter.h"
#include "support/example.h"

namespace cartan::test {
namespace {

double relative_difference(std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double error = std::fabs(a[i] - b[i]) / std::max(1.0, std::fabs(b[i]));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CARTAN_ROOT "/examples"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Every example runs and ends where dop853 does, with an error that halves twice with the step, or
// is refused with a sentence.
class AlphaSweep : public testing::TestWithParam<const char*> {};

TEST_P(AlphaSweep, EveryExampleRunsOrIsRefused) {
  int ran = 0, refused = 0;
  for (const std::string& name : example_names()) {
    SCOPED_TRACE(name);
    Example e = load_example(name);
    ASSERT_TRUE(e);
    if (e.model->is_mechanism()) {
      if (!find_formulation(GetParam())->refusal(*e.model).empty()) continue;
      e = load_example(name, GetParam());
    }
    if (const std::string reason = refuse_integrator("generalized-alpha", *e.system);
        !reason.empty()) {
      const bool jumps = e.system->contact_count() > 0 || e.system->contact_stepping();
      const bool beside = !e.model->variables.empty();
      if (!jumps && !beside) {
        EXPECT_EQ(e.system->second_order(), nullptr);
      }
      ++refused;
      continue;
    }
    const bool fast = name == "squeezer";  // turns at 6000 rad/s
    SimulateOptions options = {.integrator = "dop853",
                               .duration = fast ? 0.002 : 0.04,
                               .step = fast ? 2e-5 : 1e-3,
                               .tolerance = 1e-10};
    const State start = e.system->initial_state();
    const SimulateReport exact = simulate(*e.system, start, options, Observer{});
    ASSERT_TRUE(exact.ok()) << exact.message;
    options.integrator = "generalized-alpha";
    options.tolerance = 0;
    const auto error = [&] {
      const SimulateReport report = simulate(*e.system, start, options, Observer{});
      EXPECT_TRUE(report.ok()) << report.message;
      EXPECT_EQ(report.final_state.mode, exact.final_state.mode);
      return relative_difference(report.final_state.x, exact.final_state.x);
    };
    const double coarse = error();
    options.step /= 2;
    const double fine = error();
    EXPECT_LT(coarse, 2e-2);
    EXPECT_LT(fine, std::max(0.3 * coarse, 1e-8));
    ++ran;
  }
  EXPECT_GT(ran, 30);
  EXPECT_GE(refused, 4);  // [variables]
}
INSTANTIATE_TEST_SUITE_P(Formulations, AlphaSweep, testing::Values("recursive", "absolute-se3"),
                         [](const auto& info) {
                           return std::string(info.param) == "recursive" ? "recursive"
                                                                         : "absolute_se3";
                         });

// The memory belongs to one length of the step; a short last step, and steps of other lengths in
// between, do not cost the order of the multipliers.
TEST(GeneralizedAlpha, ChangesOfTheStepKeepTheOrder) {
  const Example e = load_example("spherical_three_bar", "absolute-so3r3");
  ASSERT_TRUE(e);
  const auto run = [&](double h) {
    const auto method = make_generalized_alpha(*e.system, {});
    State state = e.system->initial_state();
    method->restart();
    for (int n = 0; n < std::lround(0.2 / h) / 4; ++n)
      for (const double part : {1.0, 1.0, 0.5, 1.5}) {
        EXPECT_EQ(method->step(state, part * h, state.t + part * h).status, StepStatus::ok);
      }
    std::vector<double> result(method->multipliers().begin(), method->multipliers().end());
    result.insert(result.end(), state.x.begin(), state.x.end());
    return result;
  };
  const std::vector<double> coarse = run(0.001), middle = run(0.0005), fine = run(0.00025);
  EXPECT_GT(largest_difference(coarse, middle) / largest_difference(middle, fine), 3.4);
}

// A restep ends where a step of that length would have; the last step stays what it was.
TEST(GeneralizedAlpha, RestepAndDenseOutput) {
  const Example e = load_example("stewart", "recursive");
  ASSERT_TRUE(e);
  const auto method = make_generalized_alpha(*e.system, {}),
             other = make_generalized_alpha(*e.system, {});
  State state = e.system->initial_state(), short_state = state;
  const double h = 1e-3;
  for (auto* m : {method.get(), other.get()}) m->restart();
  for (int n = 0; n < 20; ++n) {
    ASSERT_EQ(method->step(state, h, (n + 1) * h).status, StepStatus::ok);
    if (n < 19) {
      ASSERT_EQ(other->step(short_state, h, (n + 1) * h).status, StepStatus::ok);
    }
  }
  const State before = short_state;
  ASSERT_EQ(other->step(short_state, 0.3 * h, 19.3 * h).status, StepStatus::ok);
  std::vector<double> x(state.x.size());
  ASSERT_EQ(method->restep(0.3 * h, x).status, StepStatus::ok);
  EXPECT_LT(largest_difference(x, short_state.x), 1e-12);
  std::vector<double> inside(x.size());
  ASSERT_TRUE(method->dense(0.3, inside));
  EXPECT_LT(largest_difference(inside, x), 1e-4);  // velocities off g' = 0 by h^2
  ASSERT_TRUE(method->dense(0, inside));
  EXPECT_LT(largest_difference(inside, before.x), 1e-15);
  ASSERT_TRUE(method->dense(1, inside));
  EXPECT_LT(largest_difference(inside, state.x), 1e-14);
}

// Joints that stick and let go: the same instants as with gl3.
TEST(GeneralizedAlpha, StickingAndBearingLoads) {
  for (const char* name : {"stick_slip", "bearing_friction"}) {
    SCOPED_TRACE(name);
    const Example e = load_example(name, "recursive");
    ASSERT_TRUE(e);
    SimulateOptions options = {.integrator = "gl3", .duration = 2, .step = 5e-4};
    const State start = e.system->initial_state();
    const SimulateReport exact = simulate(*e.system, start, options, Observer{});
    options.integrator = "generalized-alpha";
    const SimulateReport report = simulate(*e.system, start, options, Observer{});
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.internal_events, exact.internal_events);
    EXPECT_EQ(report.final_state.mode, exact.final_state.mode);
    EXPECT_LT(relative_difference(report.final_state.x, exact.final_state.x), 1e-4);
  }
}

// A free oscillator whose period is a thousandth of the step: rho is left of it per step.
TEST(GeneralizedAlpha, DampsWhatIsFasterThanTheStep) {
  const Example e = load_text(R"(
gravity = [0, 0, 0]
[[body]]
name = "block"
mass = 1
inertia = [1, 1, 1]
[[joint]]
name = "slide"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "block" }
position = 1
[[force]]
type = "torsion"
name = "spring"
joint = "slide"
stiffness = 4e7
)");
  ASSERT_TRUE(e) << e.problem;
  for (const double radius : {0.0, 0.3, 0.6, 0.9, 1.0}) {
    IntegratorOptions options;
    options.spectral_radius = radius;
    const auto method = make_generalized_alpha(*e.system, options);
    State state = e.system->initial_state();
    method->restart();
    const auto advance = [&](int steps) {
      double size = 0;
      for (int n = 0; n < steps; ++n) {
        EXPECT_EQ(method->step(state, 1, state.t + 1).status, StepStatus::ok);
        size = std::max(size, std::fabs(state.x[0]));
      }
      return size;
    };
    if (radius == 0) {
      EXPECT_LT(advance(20), 10);
      EXPECT_LT(advance(1), 1e-9);
      continue;
    }
    advance(150);
    const double before = advance(20);
    advance(80);
    const double after = advance(20);
    // a double root may multiply by n^2: (250 / 150)^2 over a hundred steps
    EXPECT_NEAR(std::pow(after / before, 0.01), radius, 0.015) << radius;
  }
}

TEST(GeneralizedAlpha, RefusesWhatHasNoSecondOrderForm) {
  const Example canonical = load_example("four_link", "canonical"), free = load_example("duffing");
  for (const Example* e : {&canonical, &free}) {
    ASSERT_TRUE(*e);
    const SimulateReport report = simulate(*e->system, e->system->initial_state(),
                                           {.integrator = "generalized-alpha"}, Observer{});
    EXPECT_EQ(report.status, RunStatus::bad_options);
    EXPECT_NE(report.message.find("recursive"), std::string::npos);
  }
}

TEST(GeneralizedAlpha, SpectralRadiusOutOfRangeIsRefused) {
  const Example e = load_example("pendulum");
  for (const double radius : {-0.1, 1.1, std::nan("")}) {
    SimulateOptions options;
    options.integrator = "generalized-alpha";
    options.spectral_radius = radius;
    const SimulateReport report =
        simulate(*e.system, e.system->initial_state(), options, Observer{});
    EXPECT_EQ(report.status, RunStatus::bad_options);
    EXPECT_NE(report.message.find("from 0 to 1"), std::string::npos);
  }
}

TEST(GeneralizedAlpha, WarmStepsAllocateNothing) {
  for (const char* formulation : {"recursive", "absolute-se3"}) {
    const Example e = load_example("stewart", formulation);
    ASSERT_TRUE(e);
    const auto method = make_generalized_alpha(*e.system, {});
    State state = e.system->initial_state();
    method->restart();
    const auto advance = [&](int steps) {
      for (int n = 0; n < steps; ++n) method->step(state, 5e-4, state.t + 5e-4);
    };
    advance(50);
    const long before = allocation_count(), matrices = method->counts().jacobians;
    advance(200);
    EXPECT_GT(method->counts().jacobians, matrices) << "new matrices count, too";
    EXPECT_EQ(allocation_count() - before, 0) << formulation;
  }
}

// The work of a damper and of a drive is a quadrature of the same order.
TEST(GeneralizedAlpha, WorkIsOfSecondOrder) {
  const Example e = load_example("driven_pendulum", "recursive");
  ASSERT_TRUE(e);
  ASSERT_EQ(e.system->quadratures(), 1);
  const auto work = [&](const char* method, double h) {
    return simulate(*e.system, e.system->initial_state(),
                    {.integrator = method, .duration = 0.5, .step = h}, Observer{})
        .final_state.x.back();
  };
  const double exact = work("gl4", 1e-3);
  ASSERT_GT(std::fabs(exact), 1e-3);
  const double coarse = work("generalized-alpha", 1e-3) - exact;
  const double fine = work("generalized-alpha", 5e-4) - exact;
  EXPECT_NEAR(coarse / fine, 4, 0.5);
  EXPECT_LT(std::fabs(fine), 1e-3 * std::fabs(exact));
}

}  // namespace
}  // namespace cartan::test
