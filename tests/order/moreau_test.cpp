// Time stepping over contacts comes to the event-driven motion with order 1.
#include <gtest/gtest.h>

#include <cmath>

#include "support/example.h"
#include "system/contact_stepping.h"

namespace cartan::test {
namespace {

struct TouchingMotion {
  const char *name, *text;
  double duration;
};

// A ball that bounces; one that falls with spin and rubs; two rods whose hinges have stops; a stool
// on three feet, whose forces are unique, that slides up a slope and turns until it sticks for
// good; a loop of three bodies that runs against a stop.
const TouchingMotion motions[] = {{"bouncing ball", R"toml(
[[body]]
name = "ball"
mass = 1
inertia = [0.01, 0.01, 0.01]
[[joint]]
name = "flight"
type = "prismatic"
axis = [0, 0, 1]
parent = { body = "world" }
child = { body = "ball" }
position = 1
[[contact]]
name = "floor"
a = { body = "ball" }
b = { body = "world", plane = [0, 0, 1] }
restitution = 0.8
)toml",
                                   1.6},
                                  {"spinning ball", R"toml(
[[body]]
name = "ball"
mass = 0.2
inertia = [8e-5, 8e-5, 8e-5]
[[joint]]
name = "flight"
type = "free"
parent = { body = "world" }
child = { body = "ball" }
position = { at = [0, 0, 0.3] }
velocity = [30, -60, 20, 1, 0.5, 0]
[[contact]]
name = "floor"
a = { body = "ball", sphere = 0.03 }
b = { body = "world", plane = [0, 0, 1] }
restitution = 0.6
friction = 0.25
)toml",
                                   1.0},
                                  {"rods with stops", R"toml(
[[body]]
repeat = 2
name = "rod{i}"
mass = 1
com = [0, 0, -0.5]
inertia = [0.1, 0.1, 0.01]
[[joint]]
repeat = 2
name = "hinge{i}"
type = "revolute"
axis = [0, 1, 0]
parent = { body = "rod{i-1}", at = [0, 0, -1] }
child = { body = "rod{i}" }
stop = { lower = -0.3, upper = 0.9, restitution = 0.5 }
first = { parent = { body = "world" }, position = 0.8, stop = { lower = -0.4, restitution = 0.7 } }
)toml",
                                   1.5},
                                  {"stool on a slope", R"toml(
gravity = [-3, 0, -9]
[[body]]
name = "stool"
mass = 2
inertia = [0.02, 0.03, 0.04]
[[joint]]
name = "motion"
type = "free"
parent = { body = "world" }
child = { body = "stool" }
position = { at = [0, 0, 0.1] }
velocity = [0, 0, 0.4, 1.5, 0.3, 0]
[[contact]]
repeat = 3
name = "foot{i}"
a = { body = "stool", sphere = 0.01, at = ["0.2*cos(2*pi*i/3)", "0.2*sin(2*pi*i/3)", -0.09] }
b = { body = "world", plane = [0, 0, 1] }
friction = 0.5
)toml",
                                   0.5},
                                  {"slider-crank on a stop", R"toml(
[parameters]
r = 0.2
l = 0.5
th = 1.8
w = 0
rod = "-asin(r*sin(th)/l)"
rod_w = "-r*cos(th)*w/(l*cos(rod))"
[[body]]
name = "crank"
mass = 1
com = ["r/2", 0, 0]
inertia = [0, "r^2/12", "r^2/12"]
[[body]]
name = "rod"
mass = 1.5
com = ["l/2", 0, 0]
inertia = [0, "1.5*l^2/12", "1.5*l^2/12"]
[[body]]
name = "slider"
mass = 2
inertia = [0.001, 0.001, 0.001]
[[joint]]
name = "crank"
type = "revolute"
axis = [0, -1, 0]
parent = { body = "world" }
child = { body = "crank" }
position = "th"
velocity = "w"
[[joint]]
name = "pin"
type = "revolute"
axis = [0, -1, 0]
parent = { body = "crank", at = ["r", 0, 0] }
child = { body = "rod" }
position = "rod - th"
velocity = "rod_w - w"
[[joint]]
name = "slide"
type = "prismatic"
axis = [1, 0, 0]
parent = { body = "world" }
child = { body = "slider" }
position = "r*cos(th) + l*cos(rod)"
velocity = "-r*sin(th)*w - l*sin(rod)*rod_w"
stop = { upper = 0.62, restitution = 0.8 }
[[joint]]
name = "wrist"
type = "revolute"
axis = [0, -1, 0]
parent = { body = "rod", at = ["l", 0, 0] }
child = { body = "slider" }
[[force]]
type = "spring"
from = { body = "world", at = [1, 0, 0] }
to = { body = "slider", at = [0, 0, 0] }
stiffness = 40
length = 0
)toml",
                                   1.0}};

// Positions at equal intervals, one after the other.
std::vector<double> positions_along(const Example& example, const std::string& integrator,
                                    double duration, int steps, double tolerance, int numbers) {
  constexpr int samples = 20;
  SimulateOptions options;
  options.integrator = integrator;
  options.duration = duration;
  options.step = duration / steps;
  options.every = steps / samples;
  options.tolerance = tolerance;
  Trajectory path;
  const SimulateReport report =
      simulate(*example.system, example.system->initial_state(), options, path);
  EXPECT_EQ(report.status, RunStatus::completed) << report.message;
  EXPECT_EQ(path.count(), samples + 1u);
  std::vector<double> all;
  for (std::size_t k = 0; k < path.count(); ++k) {
    const State state = path.state(k);
    all.insert(all.end(), state.x.begin(), state.x.begin() + numbers);
  }
  return all;
}

TEST(Moreau, ComesToTheMotionWithLocatedEventsInOrderOne) {
  for (const TouchingMotion& motion : motions) {
    const Example located = load_text(motion.text);
    const Example stepped = load_text(motion.text, "recursive", SystemUse::stepping);
    ASSERT_TRUE(located && stepped) << motion.name;
    const int numbers = stepped.system->contact_stepping()->positions().size();
    const std::vector<double> truth =
        positions_along(located, "dop853", motion.duration, 200, 1e-12, numbers);
    // instants of impacts fall anywhere within a step: many lengths, and a line through them
    double n = 0, x = 0, y = 0, xx = 0, xy = 0, last = 0;
    for (const int steps : {200, 280, 400, 560, 800, 1120, 1600, 2240, 3200, 4480, 6400}) {
      const std::vector<double> found =
          positions_along(stepped, "moreau", motion.duration, steps, 1e-10, numbers);
      ASSERT_EQ(found.size(), truth.size());
      double sum = 0;
      for (std::size_t i = 0; i < truth.size(); ++i) sum += std::fabs(found[i] - truth[i]);
      last = sum / static_cast<double>(truth.size());
      const double h = std::log(motion.duration / steps), e = std::log(last);
      n += 1, x += h, y += e, xx += h * h, xy += h * e;
    }
    const double order = (n * xy - x * y) / (n * xx - x * x);
    std::printf("%s: order %.2f, mean error %.1e\n", motion.name, order, last);
    EXPECT_GT(order, 0.75) << motion.name;
    EXPECT_LT(order, 1.4) << motion.name;
    // whose impacts are known to a step of 1.6e-4 s, in which the ball turns by 0.01
    EXPECT_LT(last, 1e-2) << motion.name;
    EXPECT_GT(last, 1e-9) << motion.name;  // it locates nothing
  }
}

// Boxes that fall on each other, turning, whatever axes their speeds are in: what contacts take and
// what pushing apart lifts is all that energies change by. `beside`: the centre of mass is not
// where the joint is; then `recursive` has the error of its midpoint rule, of order 2.
double balance_of_boxes(const std::string& formulation, const char* beside, double step) {
  const std::string text = std::string(R"toml(
[[body]]
repeat = 3
name = "box{i}"
density = 500
shape = { box = [0.2, 0.3, 0.1], at = [)toml") +
                           beside + R"toml(, 0, 0] }
[[joint]]
repeat = 3
name = "fly{i}"
type = "free"
parent = { body = "world" }
child = { body = "box{i}" }
position = { at = ["0.05*sin(3*i)", "0.04*cos(5*i)", "0.35*i"], rpy = ["0.3*i", "0.5*i", 0.2] }
velocity = [1, -2, 0.5, 0, 0.1, 0]
[[contacts]]
bodies = ["box*"]
against = [{ plane = [0, 0, 1] }]
friction = 0.5
restitution = 0.2
)toml";
  const Example boxes = load_text(text, formulation, SystemUse::stepping);
  EXPECT_TRUE(boxes) << boxes.problem;
  if (!boxes) return NAN;
  const MechanicalSystem& system = boxes.mechanism();
  double start = NAN, lost = 0, worst = 0;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    const Observation at = observe(system, state);
    const double energy = at.kinetic + at.potential - at.work;
    if (std::isnan(start)) start = energy;
    worst = std::max(worst, std::fabs(energy - start));
    lost = -at.work;
  };
  const SimulateReport report =
      simulate(system, system.initial_state(),
               {.integrator = "moreau", .duration = 0.8, .step = step}, observer);
  EXPECT_TRUE(report.ok()) << report.message;
  EXPECT_GT(lost, 5) << formulation;  // J: they do touch
  return worst;
}

TEST(Moreau, BalancesEnergyOfBoxesInEveryFormulation) {
  for (const char* formulation : {"absolute-so3r3", "recursive", "moving-frame", "absolute-se3"})
    EXPECT_LT(balance_of_boxes(formulation, "0", 1e-3), 1e-12) << formulation;
  for (const char* formulation : {"absolute-so3r3", "absolute-se3"})
    EXPECT_LT(balance_of_boxes(formulation, "0.03", 1e-3), 1e-12) << formulation;
  const double coarse = balance_of_boxes("recursive", "0.03", 1e-3);
  const double fine = balance_of_boxes("recursive", "0.03", 2.5e-4);
  EXPECT_LT(coarse, 1e-3);
  EXPECT_GT(coarse, 8 * fine);
}

}  // namespace
}  // namespace cartan::test
