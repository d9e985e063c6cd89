// More runs against the reference cases C1 to C12, with other numbers than reference_test.cpp.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "published/contacts/contact_run.h"

namespace cartan::test {
namespace {

// C1.c2: impacts whose times depend on the start ever more; the reference says how much
TEST(Contacts, ShakenWithoutOrder) {
  const double t[] = {
      0.1396627221634765,  0.31326346639016231, 0.56338144380141167, 0.69095786313694632,
      0.71839689949778516, 0.81793198593507016, 0.93535824515789599, 1.1289181920848378,
      1.2971323103592048,  1.3565318866934236,  1.5219975187714815,  1.5588022762439296,
      1.6752943467887301,  1.8764554584309568,  2.1300396937953677,  2.2816188181602287,
      2.4256545628319295,  2.5981362575372493,  2.7826045033705158,  2.8236739693098045};
  const double sensitivity[] = {0.82,   1.93,   5.89,   26.1,   44.1,   168,    909,
                                3.69e3, 4.49e4, 5.61e4, 3.52e5, 2.89e5, 5.87e5, 7.2e5,
                                3.85e6, 1.28e7, 9.47e7, 3.03e8, 3.56e9, 5.23e9};
  const Example ball = load_example("shaken_ball", "recursive",
                                    {{"a", 0.005}, {"w", 60}, {"e", 0.8}, {"z0", 0.1}, {"v0", 0}});
  ASSERT_TRUE(ball) << ball.problem;
  const ContactRun run = run_contacts(ball, {.integrator = "gl4", .duration = 2.84, .step = 0.001});
  ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  ASSERT_EQ(run.impacts.size(), 20u);
  for (int k = 0; k < 20; ++k)
    EXPECT_NEAR(run.impacts[k].t, t[k], std::max(1e-13, 1e-15 * sensitivity[k])) << k;
}

// C2.d, C2.e
TEST(Contacts, OtherStops) {
  const Example held =
      load_example("pendulum_stop", "recursive",
                   {{"L", 1.4}, {"m", 2.5}, {"start", 0.9}, {"stop", 0.15}, {"e", 0.75}});
  ASSERT_TRUE(held) << held.problem;
  const ContactRun d = run_contacts(held, {.integrator = "gl4", .duration = 7, .step = 0.005});
  ASSERT_EQ(d.report.status, RunStatus::completed) << d.report.message;
  const double t[] = {0.4567901040737089, 1.31248455186979,  2.111392066147678, 2.84724016038645,
                      3.510367785834745,  4.091113318049719, 4.583338833005555, 4.987090138536084};
  ASSERT_GT(d.impacts.size(), 8u);
  for (int k = 0; k < 8; ++k) EXPECT_NEAR(d.impacts[k].t, t[k], 1e-12 * (1 + t[k])) << k;
  EXPECT_NEAR(d.impacts[7].speed_before, -0.3708414699095601, 1e-12);
  ASSERT_EQ(d.events.size(), 1u);
  EXPECT_NEAR(d.events[0].state.t, 6.3454237086327649, 1e-11);
  const auto workspace = held.system->make_workspace();
  EXPECT_NEAR(held.mechanism().report_contacts(d.report.final_state, *workspace)[0].normal,
              2.565479139240515, 1e-12);

  // the upper stop as a surface: the end of the rod against a plane through the hinge
  std::string text = example_text("pendulum_stop");
  text += R"toml(
[[contact]]
name = "wall"
a = { body = "rod", point = [0, 0, "-L"] }
b = { body = "world", plane = ["-cos(0.7)", 0, "-sin(0.7)"] }
restitution = 0.8
)toml";
  const auto put = [&](const std::string& old, const std::string& by) {
    text.replace(text.find(old), old.size(), by);
  };
  put("L = 1 ", "L = 0.5 ");
  put("m = 1 ", "m = 0.8 ");
  put("start = 1.2", "start = 0.1");
  put("rate = 0", "rate = 9");
  put("stop = 0.3", "stop = -1.1");
  put("e = 0.6", "e = 0.9");
  const Example two = load_text(text);
  ASSERT_TRUE(two) << two.problem;
  const ContactRun e = run_contacts(two, {.integrator = "gl4", .duration = 6.5, .step = 0.002});
  ASSERT_EQ(e.report.status, RunStatus::completed) << e.report.message;
  const double te[] = {0.06897179361416478, 0.331739629867668, 0.6095075181447712,
                       0.9572990497697877,  1.314958281936139, 2.224017944363165,
                       3.166359764189979,   4.143880955715079, 5.15540588727998,
                       6.197933679453669};
  const char* const where[] = {"wall", "hinge lower", "wall", "hinge lower", "wall",
                               "wall", "wall",        "wall", "wall",        "wall"};
  ASSERT_EQ(e.impacts.size(), 10u);
  for (int k = 0; k < 10; ++k) {
    EXPECT_NEAR(e.impacts[k].t, te[k], 1e-11) << k;
    EXPECT_EQ(two.system->contact_name(e.impacts[k].contact), where[k]) << k;
  }
  EXPECT_NEAR(e.impacts[9].speed_before, -0.5 * 1.585523038477359, 1e-11);
}

// C4.b: six spokes
TEST(Contacts, WheelWithSixSpokes) {
  std::string text = example_text("rimless_wheel");
  for (const char* last : {"spoke6", "spoke7"}) {
    const std::size_t at = text.find(std::string("[[contact]]\nname = \"") + last);
    text.erase(at, text.find("friction = 1\n", at) + 13 - at);
  }
  const auto put = [&](const std::string& old, const std::string& by) {
    text.replace(text.find(old), old.size(), by);
  };
  put("l = 1 ", "l = 0.5 ");
  put("m = 1\n", "m = 2\n");
  put("J = 0.2", "J = 0.1");
  put("gamma = 0.08", "gamma = 0.25");
  put("w0 = 1.5", "w0 = 2");
  put("pi/8", "pi/6");
  const Example wheel = load_text(text);
  ASSERT_TRUE(wheel) << wheel.problem;
  const ContactRun run = run_contacts(wheel, {.integrator = "gl4", .duration = 3, .step = 0.005});
  ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  const double t[] = {0.4981185770078686, 0.9891138313573553, 1.477761746455866,
                      1.965619422783208,  2.453209170177306,  2.940707859306832};
  ASSERT_EQ(run.impacts.size(), 6u);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(run.impacts[k].t, t[k], 1e-11) << k;
  // the foot ahead comes down with 2 l sin(alpha) times the rate before
  EXPECT_NEAR(run.impacts[5].speed_before, -2 * 0.5 * 0.5 * 3.501730210330924, 1e-11);
}

// C7.a, b, d
TEST(Contacts, OtherBilliardBalls) {
  struct Case {
    Settings settings;
    double x, y, lost;
  };
  const Case cases[] = {{{{"mu", 0.2}, {"vx", 5}, {"vy", 0}, {"wx", 0}, {"wy", 0}, {"wz", 0}},
                         7.662942852982171,
                         0,
                         0.6071428571428571},
                        {{{"mu", 0.2}, {"vx", 2}, {"vy", 0}, {"wx", 0}, {"wy", -250}, {"wz", 0}},
                         0.5179247539994591,
                         0,
                         2.022165178571429},
                        {{{"m", 0.21},
                          {"R", 0.035},
                          {"mu", 0.15},
                          {"vx", 1.2},
                          {"vy", -0.7},
                          {"wx", -140},
                          {"wy", 60},
                          {"wz", -35}},
                         2.772692745054112,
                         0.9189770803366993,
                         0.9651}};
  for (const char* formulation : {"recursive", "absolute-so3r3"})
    for (const Case& c : cases) {
      const Example ball = load_example("billiard_ball", formulation, c.settings);
      ASSERT_TRUE(ball) << ball.problem;
      const ContactRun run =
          run_contacts(ball, {.integrator = "gl6", .duration = 2, .step = 0.001});
      ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
      EXPECT_NEAR(run.end.q[0][4], c.x, 1e-11) << formulation;
      EXPECT_NEAR(run.end.q[0][5], c.y, 1e-11) << formulation;
      EXPECT_NEAR(run.end.work, -c.lost, 1e-11) << formulation;
      EXPECT_LT(run.drift, 1e-11) << formulation;
    }
}

// C8.c: another ladder, and when its head leaves the wall
TEST(Contacts, LongerLadder) {
  const Example ladder = load_example("falling_ladder", "recursive",
                                      {{"L", 3.5}, {"m", 12}, {"start", 0.5235987755982988}});
  ASSERT_TRUE(ladder) << ladder.problem;
  const MechanicalSystem& system = ladder.mechanism();
  const auto workspace = system.make_workspace();
  const double leaves = 0.6080767627678056;
  for (const double d : {-1e-9, 1e-9}) {
    const ContactRun to =
        run_contacts(ladder, {.integrator = "gl4", .duration = leaves + d, .step = 0.002});
    const int mode = system.report_contacts(to.report.final_state, *workspace)[1].mode;
    EXPECT_EQ(mode, d < 0 ? 2 : 0);
    EXPECT_NEAR(to.end.q[0][2], 0.9553166181245092, 3e-9);
    EXPECT_NEAR(to.end.v[0][2], 1.557994059325309, 1e-8);
  }
  const ContactRun run = run_contacts(ladder, {.integrator = "gl4", .duration = 1, .step = 0.002});
  ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  ASSERT_FALSE(run.impacts.empty());
  EXPECT_NEAR(run.impacts[0].t, 0.9076772616619378, 1e-11);
  double fastest = 0;  // of head and foot the head comes down
  for (const Impact& i : run.impacts) fastest = std::min(fastest, i.speed_before);
  EXPECT_NEAR(fastest, -3.5 * 2.583640860192381, 1e-10);
  EXPECT_NEAR(run.end.v[0][0], 1.574139506707784, 1e-11);
}

// C12.d: a squat block stops dead
TEST(Contacts, AnotherSquatBlock) {
  const Example squat = load_example("rocking_block", "recursive",
                                     {{"b", 0.6}, {"h", 0.4}, {"m", 7}, {"tilt", 0.15}});
  const ContactRun run = run_contacts(squat, {.integrator = "gl4", .duration = 0.5, .step = 0.01});
  ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
  ASSERT_EQ(run.impacts.size(), 2u);
  EXPECT_NEAR(run.impacts[0].t, 0.1972306033847567, 1e-12);
  EXPECT_NEAR(std::min(run.impacts[0].normal, run.impacts[1].normal), 0.241496395425522, 1e-11);
  EXPECT_NEAR(std::max(run.impacts[0].normal, run.impacts[1].normal), 6.278906281063573, 1e-11);
  double along = 0;
  for (const Impact& i : run.impacts) along += i.impulse[0];
  EXPECT_NEAR(std::fabs(along), 4.346935117659397, 1e-11);
}

}  // namespace
}  // namespace cartan::test
