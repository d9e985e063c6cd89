// Stops, contacts and impacts against the reference cases C1 to C14: digits from independent codes
// in high precision (closed forms, elliptic functions, Cartesian coordinates with multipliers).
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "published/contacts/contact_run.h"

namespace cartan::test {
namespace {

constexpr const char* contact_formulations[] = {"recursive", "moving-frame"};

// C1.a, C1.b
TEST(Contacts, BouncingBallToItsLimit) {
  struct Case {
    Settings settings;
    double times[4], limit;
  };
  const Case cases[] = {
      {{{"h", 1}, {"v0", 0}, {"e", 0.8}},
       {0.4515236409857309, 1.1739614665629004, 1.7519117270246359, 2.2142719353940244},
       4.0637127688715781},
      {{{"h", 2.3}, {"v0", 1.7}, {"e", 0.65}},
       {0.87964911667735757, 1.797912642160165, 2.3947839337239899, 2.782750273240476},
       3.5032591894853788}};
  for (const char* formulation : contact_formulations)
    for (const Case& c : cases)
      for (const char* method : {"gl3", "dop853"}) {
        const Example ball = load_example("bouncing_ball", formulation, c.settings);
        ASSERT_TRUE(ball) << ball.problem;
        const ContactRun run =
            run_contacts(ball, {.integrator = method, .duration = 5, .step = 0.01});
        ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
        ASSERT_GT(run.impacts.size(), 10u);
        for (int k = 0; k < 4; ++k)
          EXPECT_NEAR(run.impacts[k].t, c.times[k], 1e-14 * c.times[k] + 2e-15) << method << k;
        ASSERT_EQ(run.events.size(), 1u);
        EXPECT_EQ(run.events[0].name, "floor closes");
        // error control of dop853 is coarser than rounding
        const double tolerance = method == std::string("gl3") ? 1e-14 : 3e-14;
        EXPECT_NEAR(run.events[0].state.t, c.limit, tolerance * c.limit) << method;
        EXPECT_LT(run.drift, 1e-12);
        EXPECT_GT(run.least_gap, -1e-14);
        const auto workspace = ball.system->make_workspace();
        const ContactReport rest =
            ball.mechanism().report_contacts(run.report.final_state, *workspace)[0];
        const double m = 2000 * 4.0 / 3 * std::acos(-1.0) * std::pow(0.05, 3);
        EXPECT_NEAR(rest.normal, m * 9.81, 1e-12);
        EXPECT_EQ(rest.mode, 2);
      }
}

// C1.c: the first impacts on an oscillating plane
TEST(Contacts, OscillatingPlane) {
  const Example ball = load_example("shaken_ball", "recursive",
                                    {{"a", 0.002}, {"w", 60}, {"e", 0.8}, {"z0", 0.1}, {"v0", 0}});
  ASSERT_TRUE(ball) << ball.problem;
  const ContactRun run = run_contacts(ball, {.integrator = "gl4", .duration = 2.4, .step = 0.001});
  ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  ASSERT_EQ(run.impacts.size(), 20u);
  const double t[] = {0.14163812728647651, 0.34140371525590973, 0.50298388288310137,
                      0.64544785776497038, 0.77962018646205152};
  for (int k = 0; k < 5; ++k) EXPECT_NEAR(run.impacts[k].t, t[k], 1e-13) << k;
  EXPECT_NEAR(run.impacts[19].t, 2.3220519128524178, 1e-12);
  EXPECT_LT(run.drift, 1e-11);
}

// C1.e: chatter, rest on a moving plane, lift-off
TEST(Contacts, ChatterRestAndLiftOff) {
  for (const char* formulation : {"recursive", "absolute-se3", "absolute-so3r3"}) {
    const Example ball = load_example("shaken_ball", formulation);
    ASSERT_TRUE(ball) << ball.problem;
    const ContactRun run =
        run_contacts(ball, {.integrator = "gl4", .duration = 0.4, .step = 0.001});
    ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
    ASSERT_GT(run.impacts.size(), 4u);
    EXPECT_NEAR(run.impacts[0].t, 0.11779031060352533, 1e-12) << formulation;
    EXPECT_NEAR(run.impacts[0].speed_before, -0.3071288142476844, 1e-12) << formulation;
    EXPECT_NEAR(run.impacts[3].t, 0.14528087616092797, 1e-12) << formulation;
    ASSERT_EQ(run.events.size(), 2u) << formulation;
    EXPECT_NEAR(run.events[0].state.t, 0.14898972318671976, 2e-12) << formulation;
    const double period = 2 * std::acos(-1.0) / 32;
    EXPECT_NEAR(run.events[1].state.t, 0.14898972318671976 + period, 2e-12) << formulation;
  }
}

// C2.a, C2.c
TEST(Contacts, PendulumOnAStop) {
  for (const char* formulation : contact_formulations) {
    const Example free =
        load_example("pendulum_stop", formulation, {{"stop", -0.2}, {"e", 0.7}, {"start", 1}});
    ASSERT_TRUE(free) << free.problem;
    const ContactRun a = run_contacts(free, {.integrator = "gl4", .duration = 9, .step = 0.01});
    ASSERT_EQ(a.impacts.size(), 8u);
    const double t[] = {0.4914259426463717, 1.490437694075741, 2.536803847926875,
                        3.653396998389026,  4.855967098783286, 6.149725750644378,
                        7.528243404996264,  8.977415661593876};
    for (int k = 0; k < 8; ++k) EXPECT_NEAR(a.impacts[k].t, t[k], 1e-12 * t[k] + 1e-12) << k;
    EXPECT_NEAR(a.impacts[7].speed_before, -0.2962725275613644, 1e-12);
    EXPECT_LT(a.drift, 1e-12);

    const Example held = load_example("pendulum_stop", formulation);
    const ContactRun c = run_contacts(held, {.integrator = "gl4", .duration = 4, .step = 0.005});
    ASSERT_EQ(c.report.status, RunStatus::completed) << c.report.message;
    ASSERT_EQ(c.events.size(), 1u);
    EXPECT_NEAR(c.events[0].state.t, 2.448442490133465, 3e-12);
    const auto workspace = held.system->make_workspace();
    const auto rest = held.mechanism().report_contacts(c.report.final_state, *workspace);
    EXPECT_NEAR(rest[0].normal, 1.449526613673871, 1e-12);
    EXPECT_NEAR(c.end.v[0][0], 0, 1e-14);
  }
}

// C7: sliding, then rolling
TEST(Contacts, BilliardBall) {
  const Example ball = load_example("billiard_ball");
  ASSERT_TRUE(ball) << ball.problem;
  const ContactRun run = run_contacts(ball, {.integrator = "gl6", .duration = 2, .step = 0.001});
  ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  EXPECT_NEAR(run.end.q[0][4], 1.455862446982537, 1e-11);
  EXPECT_NEAR(run.end.q[0][5], -0.7448254777481608, 1e-11);
  EXPECT_NEAR(run.end.work, -0.9127694642857143, 1e-11);
  EXPECT_LT(run.drift, 1e-11);
  const auto workspace = ball.system->make_workspace();
  EXPECT_EQ(ball.mechanism().report_contacts(run.report.final_state, *workspace)[0].mode, 1);
}

// C8: the wall is left, the floor is hit
TEST(Contacts, FallingLadder) {
  const Example smooth = load_example("falling_ladder");
  ASSERT_TRUE(smooth) << smooth.problem;
  const ContactRun a = run_contacts(smooth, {.integrator = "gl4", .duration = 1, .step = 0.002});
  ASSERT_EQ(a.report.status, RunStatus::completed) << a.report.message;
  ASSERT_FALSE(a.impacts.empty());
  EXPECT_NEAR(a.impacts[0].t, 0.8945467579666077, 1e-11);
  EXPECT_NEAR(a.end.v[0][0], 1.378677842147279, 1e-11);
  const Example rough = load_example("falling_ladder", "recursive", {{"mu", 0.2}, {"start", 0.6}});
  const ContactRun b = run_contacts(rough, {.integrator = "gl4", .duration = 1.2, .step = 0.002});
  ASSERT_EQ(b.report.status, RunStatus::completed) << b.report.message;
  ASSERT_FALSE(b.impacts.empty());
  EXPECT_NEAR(b.impacts[0].t, 0.7877120963545591, 1e-11);
  EXPECT_NEAR(b.end.q[0][0], 1.067328058112211, 1e-11);
  EXPECT_NEAR(b.end.v[0][0], 0, 1e-13);
}

// C4: w before and after the impacts
TEST(Contacts, RimlessWheel) {
  for (const char* formulation : contact_formulations) {
    const Example wheel = load_example("rimless_wheel", formulation);
    ASSERT_TRUE(wheel) << wheel.problem;
    const ContactRun run =
        run_contacts(wheel, {.integrator = "gl4", .duration = 4.5, .step = 0.005});
    ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
    const double t[] = {0.5772274128874336, 1.231291170327453, 1.947129672844613,
                        2.708015385286192,  3.499212517862483, 4.309627539149271};
    ASSERT_EQ(run.impacts.size(), 6u);
    for (int k = 0; k < 6; ++k) EXPECT_NEAR(run.impacts[k].t, t[k], 1e-11) << k;
    EXPECT_LT(run.drift, 1e-11);
  }
}

// C12: rocking to its limit; a squat block stops dead
TEST(Contacts, RockingBlock) {
  const Example block = load_example("rocking_block");
  ASSERT_TRUE(block) << block.problem;
  const ContactRun run = run_contacts(block, {.integrator = "gl4", .duration = 11, .step = 0.01});
  ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  const double t[] = {0.8912496270417899, 1.981919434005096, 2.844730960846595,
                      3.567924931199785,  4.190761185974994, 4.735700161651649};
  ASSERT_GT(run.impacts.size(), 6u);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(run.impacts[k].t, t[k], 1e-11) << k;
  ASSERT_GE(run.events.size(), 1u);
  EXPECT_NEAR(run.events[0].state.t, 9.775410939135038, 1e-9);
  EXPECT_NEAR(run.end.v[0][2], 0, 1e-12);

  const Example squat =
      load_example("rocking_block", "recursive", {{"b", 1}, {"h", 0.5}, {"m", 20}, {"tilt", 0.1}});
  const ContactRun stop = run_contacts(squat, {.integrator = "gl4", .duration = 0.5, .step = 0.01});
  ASSERT_EQ(stop.report.status, RunStatus::completed) << stop.report.message;
  ASSERT_EQ(stop.impacts.size(), 2u);
  double normal[2] = {stop.impacts[0].normal, stop.impacts[1].normal};
  std::sort(normal, normal + 2);
  EXPECT_NEAR(stop.impacts[0].t, 0.1886594957746083, 1e-12);
  EXPECT_NEAR(normal[0], 3.568120416492135, 1e-10);
  EXPECT_NEAR(normal[1], 17.84060208246068, 1e-10);
  EXPECT_NEAR(stop.end.kinetic, 0, 1e-20);
}

}  // namespace
}  // namespace cartan::test
