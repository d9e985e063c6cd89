// Laws of impact and friction against exact fractions and closed forms (reference cases C10, C11).
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mechanics/contacts/contact_problem.h"
#include "published/contacts/contact_run.h"

namespace cartan::test {
namespace {

// Speeds after a simultaneous impact of balls in a row (Moreau's form of Newton's law).
std::vector<double> collide(const std::vector<double>& m, std::vector<double> v, double e) {
  const int n = static_cast<int>(m.size()) - 1;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, n + 1);
  for (int i = 0; i < n; ++i) J(i, i) = -1, J(i, i + 1) = 1;
  Eigen::Map<Eigen::VectorXd> speed(v.data(), n + 1);
  const Eigen::VectorXd mass = Eigen::Map<const Eigen::VectorXd>(m.data(), n + 1);
  const Eigen::MatrixXd A = J * mass.cwiseInverse().asDiagonal() * J.transpose();
  ContactProblem problem;
  problem.A.setZero(3 * n, 3 * n);
  problem.b.setZero(3 * n);
  problem.laws.resize(n);
  const Eigen::VectorXd before = J * speed;
  for (int i = 0; i < n; ++i) {
    problem.b[3 * i] = (1 + e) * before[i];
    for (int j = 0; j < n; ++j) problem.A(3 * i, 3 * j) = A(i, j);
  }
  const ContactSolution solution = solve_contacts(problem);
  EXPECT_TRUE(solution.found) << solution.residual;
  Eigen::VectorXd P(n);
  for (int i = 0; i < n; ++i) P[i] = solution.r[3 * i];
  speed += mass.cwiseInverse().asDiagonal() * J.transpose() * P;
  return v;
}

TEST(ImpactLaws, BallsInARow) {  // C11.a
  const auto near = [](const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-14) << i;
  };
  near(collide({1, 2}, {3, 0}, 0.6), {-0.2, 1.6});
  near(collide({1, 1, 1}, {1, 0, 0}, 1), {-1.0 / 3, 2.0 / 3, 2.0 / 3});
  near(collide({1, 1, 1}, {1, 0, 0}, 0.5), {0, 0.5, 0.5});
  near(collide({1, 2, 3}, {1, 0, 0}, 1), {-2.0 / 3, 1.0 / 3, 1.0 / 3});
  near(collide({1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, 1), {-0.6, 0.4, 0.4, 0.4, 0.4});
  near(collide({1, 1, 1, 1, 1}, {1, 1, 1, 0, 0}, 1), {0.2, 0.2, 0.2, 1.2, 1.2});
  near(collide({1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, 1), {-0.2, -0.2, 0.8, 0.8, 0.8});
  near(collide({1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, 0.9), {-0.52, 0.38, 0.38, 0.38, 0.38});
  near(collide({1, 1, 1}, {1, 0, -1}, 1), {-1, 0, 1});
}

// Balls on a line with equal gaps between them: pairs meet one after another until none approach.
// Without forces the size of the gaps sets the times and nothing else.
TEST(ImpactLaws, BallsInARowWithGaps) {  // C11.a: the sequential column
  struct Row {
    std::vector<double> mass, before;
    double e;
    std::vector<double> after;
    std::size_t pairs;
    double energy;
  };
  const Row rows[] = {
      {{1, 2}, {3, 0}, 0.6, {-0.2, 1.6}, 1, 129.0 / 50},
      {{1, 1, 1}, {1, 0, 0}, 1, {0, 0, 1}, 2, 0.5},
      {{1, 1, 1}, {1, 0, 0}, 0.5, {13.0 / 64, 15.0 / 64, 9.0 / 16}, 3, 845.0 / 4096},
      {{1, 2, 3}, {1, 0, 0}, 1, {-1.0 / 3, -2.0 / 15, 8.0 / 15}, 2, 0.5},
      {{1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, 1, {0, 0, 0, 0, 1}, 4, 0.5},
      {{1, 1, 1, 1, 1}, {1, 1, 0, 0, 0}, 1, {0, 0, 0, 1, 1}, 6, 1},
      {{1, 1, 1, 1, 1}, {1, 1, 1, 0, 0}, 1, {0, 0, 1, 1, 1}, 6, 1.5},
      {{1, 1, 1, 1, 1},
       {1, 0, 0, 0, 0},
       0.9,
       {11142421.0 / 256e6, 11615479.0 / 256e6, 605397.0 / 128e5, 157757.0 / 32e5, 130321.0 / 16e4},
       10,
       22021437514428941.0 / 65536e12},
      // both ends at one instant: one impact of all, not a sequence
      {{1, 1, 1}, {1, 0, -1}, 1, {-1, 0, 1}, 2, 1}};
  for (const Row& row : rows) {
    std::string text = "gravity = [0, 0, 0]\n";
    for (std::size_t i = 0; i < row.mass.size(); ++i)
      text += fmt::format(
          "[[body]]\nname = \"ball{0}\"\nmass = {1}\ninertia = [1, 1, 1]\n"
          "shape = {{ sphere = 0.5 }}\n[[joint]]\nname = \"slide{0}\"\ntype = \"prismatic\"\n"
          "axis = [1, 0, 0]\nparent = {{ body = \"world\" }}\nchild = {{ body = \"ball{0}\" }}\n"
          "position = {2}\nvelocity = {3}\n",
          i, row.mass[i], 1.0625 * static_cast<double>(i), row.before[i]);
    text += fmt::format("[[contacts]]\nbodies = [\"ball*\"]\nrestitution = {}\n", row.e);
    const Example balls = load_text(text);
    ASSERT_TRUE(balls) << balls.problem;
    const ContactRun run = run_contacts(balls, {.integrator = "gl3", .duration = 50, .step = 0.5});
    ASSERT_EQ(run.report.status, RunStatus::completed) << run.report.message;
    EXPECT_EQ(run.impacts.size(), row.pairs) << text;
    for (std::size_t i = 0; i < row.mass.size(); ++i)
      EXPECT_NEAR(run.end.v[i][0], row.after[i], 2e-14) << i << text;
    EXPECT_NEAR(run.end.kinetic, row.energy, 2e-14) << text;
  }
}

// A sphere that hits a floor obliquely: it sticks inside the cone and slides outside of it.
TEST(ImpactLaws, FrictionInTheTrueCone) {
  const double m = 2, c = 0.4, k = 1 / c;  // tangential inertia m / (1 + k)
  for (const double mu : {0.1, 0.5, 2.0})
    for (const double angle : {0.3, 1.1, 2.0, 4.0}) {
      ContactProblem problem;
      problem.A.setZero(3, 3);
      problem.A.diagonal() << 1 / m, (1 + k) / m, (1 + k) / m;
      problem.b.resize(3);
      problem.b << -3, 2 * std::cos(angle), 2 * std::sin(angle);
      problem.laws = {{ContactLaw::Kind::friction, mu}};
      const ContactSolution s = solve_contacts(problem);
      ASSERT_TRUE(s.found);
      EXPECT_NEAR(s.r[0], 3 * m, 1e-13);
      const double sticking = 2 * m / (1 + k), most = mu * 3 * m;
      const double size = std::min(sticking, most);
      EXPECT_NEAR(s.r[1], -size * std::cos(angle), 1e-12);
      EXPECT_NEAR(s.r[2], -size * std::sin(angle), 1e-12);
      EXPECT_EQ(static_cast<bool>(s.slips[0]), most < sticking);
    }
}

constexpr const char* rod_text = R"toml(
name = "Painleve rod"
[parameters]
mu = MU
l = 0.5
phi = PHI
w = RATE
[[body]]
name = "rod"
mass = 1
inertia = ["l^2/3", "l^2/3", 0]
[[joint]]
name = "plane"
type = "planar"
normal = [0, -1, 0]
parent = { body = "world" }
child = { body = "rod" }
position = ["-l*cos(phi)", "l*sin(phi)", "-phi"]
velocity = ["5 + l*sin(phi)*w", "l*cos(phi)*w", "-w"]
[[contact]]
name = "tip"
a = { body = "rod", point = ["l", 0, 0] }
b = { body = "world", plane = [0, 0, 1] }
friction = "mu"
)toml";

Example rod(double mu, double phi, double rate) {
  std::string text = rod_text;
  const auto put = [&](const std::string& word, double value) {
    text.replace(text.find(word), word.size(), std::to_string(value));
  };
  put("MU", mu);
  put("PHI", phi);
  put("RATE", rate);
  return load_text(text);
}

// A rough contact that slides at the start stops in an impact: the tip of the rod comes to rest,
// A P = -u over both directions; where that would pull at the floor, along it alone, and the tip
// leaves. In the frame of the floor A = [[1 + s^2/k, s c/k], [s c/k, 1 + c^2/k]], k = 1/3.
TEST(ImpactLaws, RoughContactThatSlidesAtTheStartStops) {
  constexpr double k = 1.0 / 3, u = 5;
  for (const double phi : {0.8, std::acos(-1.0) - 0.8}) {
    std::string text = rod_text;
    for (const auto& [word, by] : {std::pair<std::string, std::string>{"\"mu\"", "\"rough\""},
                                   {"MU", "1"},
                                   {"PHI", std::to_string(phi)},
                                   {"RATE", "0"}})
      text.replace(text.find(word), word.size(), by);
    const Example example = load_text(text);
    ASSERT_TRUE(example) << example.problem;
    const MechanicalSystem& system = example.mechanism();
    std::vector<Impact> impacts;
    double start = NAN, drift = 0;
    Observation after;
    Observer observer;
    observer.on_impact = [&](const Impact& impact) { impacts.push_back(impact); };
    observer.on_sample = [&](const State& state) {
      const Observation seen = observe(system, state);
      const double energy = seen.kinetic + seen.potential - seen.work;
      if (std::isnan(start)) start = energy, after = seen;
      drift = std::max(drift, std::fabs(energy - start));
    };
    const Observation before = observe(system, system.initial_state());
    const SimulateReport r =
        simulate(system, system.initial_state(),
                 {.integrator = "gl4", .duration = 0.05, .step = 0.001}, observer);
    ASSERT_TRUE(r.ok()) << r.message;
    const double at = std::stod(std::to_string(phi)), s = std::sin(at), c = std::cos(at);
    const double xx = 1 + s * s / k, zz = 1 + c * c / k, xz = s * c / k;
    const double both = u / (xx * zz - xz * xz);
    const double tangential = xz > 0 ? both * zz : u / xx, normal = xz > 0 ? both * xz : 0;
    ASSERT_EQ(impacts.size(), 1u);
    EXPECT_EQ(impacts[0].t, 0);
    EXPECT_NEAR(impacts[0].tangential, tangential, 1e-12);
    EXPECT_NEAR(impacts[0].normal, normal, 1e-12);
    EXPECT_NEAR(impacts[0].energy_lost, 0.5 * u * tangential, 1e-11);
    EXPECT_NEAR(r.energy_lost, 0.5 * u * tangential, 1e-11);
    // what is left at the first sample and what was lost are what was there
    EXPECT_NEAR(start, before.kinetic + before.potential, 1e-11);
    EXPECT_LT(drift, 1e-11);
    // the tip: at rest along the floor, and across it unless it leaves
    const double rate = after.v[0][2];
    EXPECT_NEAR(after.v[0][0] + 0.5 * s * rate, 0, 1e-12);
    EXPECT_NEAR(after.v[0][1] + 0.5 * c * rate, xz > 0 ? 0 : -xz * tangential, 1e-12);
  }
}

TEST(ImpactLaws, PainleveIsTold) {  // C10.a
  const auto verdict = [](double mu, double phi, double rate) {
    const Example example = rod(mu, phi, rate);
    EXPECT_TRUE(example) << example.problem;
    const SimulateReport r =
        simulate(*example.system, example.system->initial_state(),
                 {.integrator = "dop853", .duration = 1e-4, .step = 1e-4}, Observer{});
    return r;
  };
  for (const auto& [mu, phi, rate] :
       {std::array{1.5, 1.1, 0.0}, std::array{1.5, 1.1, 3.0}, std::array{2.0, 0.7, 1.0}}) {
    const SimulateReport none = verdict(mu, phi, rate);
    EXPECT_EQ(none.status, RunStatus::no_jump);
    EXPECT_NE(none.message.find("Painleve"), std::string::npos) << none.message;
    EXPECT_NE(none.message.find("'tip'"), std::string::npos);
  }
  const SimulateReport two = verdict(1.5, 1.1, 6);
  EXPECT_EQ(two.status, RunStatus::completed);
  EXPECT_NE(two.warning.find("2 accelerations"), std::string::npos) << two.warning;
  const SimulateReport one = verdict(1.5, 1.3, 2);
  EXPECT_EQ(one.status, RunStatus::completed) << one.message;
  EXPECT_EQ(one.warning, "");
  // the normal force at the start, per mass; of two solutions the least is taken
  for (const auto& [mu, phi, rate, force] :
       {std::array{1.2, 1.0, 2.0, 33.9981142247073}, std::array{1.5, 0.7, 1.0, 17.6456916535331},
        std::array{1.5, 1.3, 2.0, 143.87769078673}, std::array{1.5, 1.1, 6.0, 0.0},
        std::array{2.0, 0.6, 8.0, 0.0}}) {
    const Example example = rod(mu, phi, rate);
    const MechanicalSystem& system = example.mechanism();
    const auto workspace = system.make_workspace();
    double normal = NAN;
    Observer observer;
    observer.on_sample = [&](const State& state) {
      if (std::isnan(normal)) normal = system.report_contacts(state, *workspace)[0].normal;
    };
    simulate(system, system.initial_state(),
             {.integrator = "dop853", .duration = 1e-4, .step = 1e-4}, observer);
    EXPECT_NEAR(normal, force, 1e-12 * (1 + force)) << mu << ' ' << phi;
  }
}

// C10.c: sliding until the force vanishes; C10.e: until the sliding ends
TEST(ImpactLaws, RodLiftsOffOrSticks) {
  const auto mode_at = [](double mu, double rate, double t, Observation& seen) {
    const Example example = rod(mu, 0.8, rate);
    const MechanicalSystem& system = example.mechanism();
    const SimulateReport r = simulate(
        system, system.initial_state(),
        {.integrator = "dop853", .duration = t, .step = t, .tolerance = 1e-13}, Observer{});
    EXPECT_EQ(r.status, RunStatus::completed) << r.message;
    const auto workspace = system.make_workspace();
    system.observe(r.final_state, seen, *workspace);
    return system.report_contacts(r.final_state, *workspace)[0].mode;
  };
  Observation seen;
  EXPECT_EQ(mode_at(1.2, 1, 0.1322770143660297 - 1e-9, seen), 2);
  EXPECT_NEAR(-seen.q[0][2], 1.163573623920672, 1e-8);
  EXPECT_EQ(mode_at(1.2, 1, 0.1322770143660297 + 1e-9, seen), 0);
  EXPECT_EQ(mode_at(1.2, -0.5, 0.178440751863391 - 1e-9, seen), 2);
  EXPECT_EQ(mode_at(1.2, -0.5, 0.178440751863391 + 1e-9, seen), 1);
  EXPECT_NEAR(-seen.q[0][2], 0.9688089761974187, 1e-8);
  EXPECT_EQ(mode_at(1.2, -0.5, 0.398116639970513, seen), 1);
  EXPECT_NEAR(-seen.q[0][2], std::acos(-1.0) / 2, 1e-10);
  EXPECT_NEAR(-seen.v[0][2], 2.44544902742806, 1e-10);
}

// C10.d: lift-off next to the singular point; C10.f: into it
TEST(ImpactLaws, RodNearItsJam) {
  const auto run = [](double mu, double phi, double rate, double t, Observation& seen) {
    const Example example = rod(mu, phi, rate);
    const MechanicalSystem& system = example.mechanism();
    const SimulateReport r = simulate(
        system, system.initial_state(),
        {.integrator = "dop853", .duration = t, .step = t, .tolerance = 1e-13}, Observer{});
    const auto workspace = system.make_workspace();
    system.observe(r.final_state, seen, *workspace);
    return std::pair(r, system.report_contacts(r.final_state, *workspace)[0].mode);
  };
  Observation seen;
  const double leaves = 0.0407903546193779;
  EXPECT_EQ(run(1.4, 0.8, 3, leaves - 1e-9, seen).second, 2);
  EXPECT_EQ(run(1.4, 0.8, 3, leaves + 1e-9, seen).second, 0);
  EXPECT_NEAR(-seen.q[0][2], 0.9612513735334211, 1e-8);
  EXPECT_NEAR(-seen.v[0][2], 4.891778419973031, 1e-7);
  const auto [jam, mode] = run(1.6, 0.6, 3, 0.1, seen);
  EXPECT_FALSE(jam.ok());
  EXPECT_NE(jam.message.find("Painleve"), std::string::npos) << jam.message;
  // the steps shrink with the way to the singular point, so that the run ends next to it
  EXPECT_NEAR(jam.final_state.t, 0.0616493735892429, 1e-9);
  const double angle = -seen.q[0][2], turning = -seen.v[0][2];
  EXPECT_NEAR(angle, 0.8207609834100306, 1e-8);
  EXPECT_NEAR(turning, 5.178374166261565, 1e-7);
  EXPECT_NEAR(seen.v[0][0] - 0.5 * std::sin(angle) * turning, 2.14177206180006, 1e-7);
  EXPECT_NEAR(seen.q[0][0] + 0.5 * std::cos(angle), 0.247296262522968, 1e-8);
}

}  // namespace
}  // namespace cartan::test
