// What the examples with contacts promise: the woodpecker pecks its way down, the ratchet holds.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "published/contacts/contact_run.h"

namespace cartan::test {
namespace {

// After some pecks every one is like the one before: the same time, the same way down, the same
// speed of the beak.
TEST(ContactExamples, TheWoodpeckerPecksDown) {
  const Example bird = load_example("woodpecker");
  ASSERT_TRUE(bird) << bird.problem;
  const MechanicalSystem& system = bird.mechanism();
  const auto workspace = system.make_workspace();
  struct Peck {
    double t, height, speed;
  };
  std::vector<Peck> pecks;
  Observer observer;
  Observation seen;
  observer.on_jump = [&](const State&, const State& after, const JumpNotes& notes) {
    for (const Impact& i : notes.impacts) {
      if (system.contact_name(i.contact) != "beak") continue;
      system.observe(after, seen, *workspace);
      pecks.push_back({i.t, seen.q[0][0], i.speed_before});
    }
  };
  const SimulateReport r = simulate(
      system, system.initial_state(),
      {.integrator = "dop853", .duration = 2.5, .step = 0.002, .tolerance = 1e-12}, observer);
  ASSERT_TRUE(r.ok()) << r.message;
  ASSERT_GT(pecks.size(), 15u);
  const std::size_t n = pecks.size();
  const double period = pecks[n - 1].t - pecks[n - 2].t,
               way = pecks[n - 1].height - pecks[n - 2].height;
  EXPECT_NEAR(period, 0.1308, 5e-4);
  EXPECT_NEAR(way, -0.0145, 1e-3);
  for (std::size_t k = n - 5; k + 1 < n; ++k) {
    EXPECT_NEAR(pecks[k + 1].t - pecks[k].t, period, 1e-8) << k;
    EXPECT_NEAR(pecks[k + 1].height - pecks[k].height, way, 1e-8) << k;
    EXPECT_NEAR(pecks[k + 1].speed, pecks[k].speed, 1e-7) << k;
  }
}

// A pin that has passed the pawl leans on it from the other side: centres 2 r apart, 4 mm of that
// in height.
TEST(ContactExamples, TheRatchetNeverGoesBack) {
  const double beyond = std::sqrt(4 * 0.003 * 0.003 - 0.004 * 0.004);
  const auto run = [&](const Example& ratchet, int& passed) {
    const MechanicalSystem& system = ratchet.mechanism();
    const auto workspace = system.make_workspace();
    Observation seen;
    double back = 0;
    passed = 0;
    Observer observer;
    observer.on_sample = [&](const State& state) {
      system.observe(state, seen, *workspace);
      // a pin has passed where the pawl has come back behind it
      const double x = seen.q[0][0];
      const int beside = static_cast<int>(std::floor((x + 0.01 - beyond) / 0.02 + 1e-9)) + 1;
      if (seen.q[1][0] < 1e-6) passed = std::max(passed, std::clamp(beside, 0, 4));
      const double held = 0.02 * (passed - 1) - 0.01 + beyond;
      if (passed > 0) back = std::max(back, held - seen.q[0][0]);
    };
    const SimulateReport r = simulate(
        system, system.initial_state(),
        {.integrator = "dop853", .duration = 2, .step = 0.001, .tolerance = 1e-11}, observer);
    EXPECT_TRUE(r.ok()) << r.message;
    return back;
  };
  int passed = 0;
  const Example ratchet = load_example("ratchet");
  ASSERT_TRUE(ratchet) << ratchet.problem;
  EXPECT_LT(run(ratchet, passed), 1e-9);
  EXPECT_EQ(passed, 4);
  // without the pawl's pins the rack goes back with the force
  std::string text = example_text("ratchet");
  const std::size_t first = text.find("[[contact]]");
  text.erase(first, text.find("[[output]]") - first);
  const Example loose = load_text(text);
  ASSERT_TRUE(loose) << loose.problem;
  EXPECT_GT(run(loose, passed), 0.001);
}

}  // namespace
}  // namespace cartan::test
