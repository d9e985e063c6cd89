// What time stepping spends on many contacts grows with their number.
#include <gtest/gtest.h>

#include <string>

#include "support/example.h"

namespace cartan::test {
namespace {

// Four layers of spheres that fall on a floor; between walls that stand 2 mm away from them, or
// with free sides.
std::string layers(int row, double pitch, bool walls) {
  const std::string half = std::to_string(0.5 * row * pitch + 0.052);
  std::string surfaces = "{ plane = [0, 0, 1] }";
  if (walls)
    for (const std::string& at : {half + ", 0, 0", "-" + half + ", 0, 0"})
      surfaces += ", { box = [0.1, 4, 4], at = [" + at + "] }";
  if (walls)
    for (const std::string& at : {"0, " + half + ", 0", "0, -" + half + ", 0"})
      surfaces += ", { box = [4, 0.1, 4], at = [" + at + "] }";
  return "[parameters]\nrow = " + std::to_string(row) + "\npitch = " + std::to_string(pitch) +
         R"toml(
[[body]]
repeat = "4*row^2"
name = "ball{i}"
density = 2500
shape = { sphere = 0.015 }
[[joint]]
repeat = "4*row^2"
name = "fly{i}"
type = "free"
parent = { body = "world" }
child = { body = "ball{i}" }
position = { at = [
  "pitch*(mod(i - 1, row) - (row - 1)/2) + 0.001*sin(7*i)",
  "pitch*(mod(floor((i - 1)/row), row) - (row - 1)/2) + 0.001*cos(5*i)",
  "0.016 + 0.033*floor((i - 1)/row^2)"] }
[[contacts]]
bodies = ["ball*"]
restitution = 0.1
friction = 0.4
against = [)toml" +
         surfaces + "]\n";
}

SimulateReport let_fall(const std::string& text, double duration) {
  const Example heap = load_text(text, "absolute-so3r3", SystemUse::stepping);
  if (!heap) {
    ADD_FAILURE() << heap.problem;
    return {};
  }
  Observer observer;
  SimulateReport report = simulate(
      *heap.system, heap.system->initial_state(),
      {.integrator = "moreau", .duration = duration, .step = 1e-3, .tolerance = 1e-6}, observer);
  EXPECT_TRUE(report.ok()) << report.message;
  EXPECT_EQ(report.counts.contacts.unsettled, 0);
  EXPECT_LT(report.counts.contacts.overlap, 2e-7);
  return report;
}

// Where a heap of a given height is wider, the slowest of its places is slower: that place alone is
// gone on with. So sweeps, counted in visits of all contacts, hardly grow. Where all contacts went
// on until the last one had settled, they were 2.4 times as many.
TEST(ManyContacts, WiderHeapsTakeAsManySweeps) {
  const SimulateReport narrow = let_fall(layers(7, 0.0325, false), 0.2);
  const SimulateReport wide = let_fall(layers(16, 0.0325, false), 0.2);
  EXPECT_GT(wide.counts.contacts.most, 7 * narrow.counts.contacts.most);
  EXPECT_LT(wide.counts.iterations, 1.8 * narrow.counts.iterations);
}

// Jammed between walls, with a quarter of the contacts at the limit of friction.
TEST(ManyContacts, JammedHeapsSettle) {
  const SimulateReport jammed = let_fall(layers(10, 0.031, true), 0.15);
  EXPECT_GT(jammed.counts.contacts.most, 700);
  EXPECT_LT(jammed.counts.iterations, 150 * 250);  // 430 sweeps a step before
}

}  // namespace
}  // namespace cartan::test
