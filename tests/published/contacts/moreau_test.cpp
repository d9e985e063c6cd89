// Reference case C15: eight spheres dropped into the corner of a box, by time stepping. The resting
// pile is not unique; what every pile obeys is compared.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "integrate/stepping/cone_problem.h"
#include "published/contacts/contact_run.h"
#include "support/example.h"
#include "system/contact_stepping.h"

namespace cartan::test {
namespace {

constexpr double corner_friction = 0.4;
constexpr double radii[] = {0.05, 0.045, 0.042, 0.04, 0.038, 0.035, 0.032, 0.03};

std::string spheres_in_a_corner() {
  const char* const places[] = {"0.06, 0.07, 0.08", "0.18, 0.06, 0.07", "0.07, 0.19, 0.06",
                                "0.06, 0.08, 0.2",  "0.19, 0.18, 0.09", "0.09, 0.2, 0.19",
                                "0.2, 0.09, 0.2",   "0.26, 0.27, 0.25"};
  std::string text =
      "gravity = [\"-9.81/sqrt(3)\", \"-9.81/sqrt(3)\", \"-9.81/sqrt(3)\"]\n"
      "[[contacts]]\nbodies = [\"ball*\"]\nfriction = 0.4\n"
      "against = [{ plane = [1, 0, 0] }, { plane = [0, 1, 0] }, { plane = [0, 0, 1] }]\n";
  for (int i = 0; i < 8; ++i) {
    const std::string name = "ball" + std::to_string(i + 1);
    text += "[[body]]\nname = \"" + name +
            "\"\ndensity = 1000\nshape = { sphere = " + std::to_string(radii[i]) +
            " }\n[[joint]]\nname = \"fly" + std::to_string(i + 1) +
            "\"\ntype = \"free\"\nparent = { body = \"world\" }\nchild = { body = \"" + name +
            "\" }\nposition = { at = [" + places[i] + "] }\n";
  }
  return text;
}

struct CornerRun {
  SimulateReport report;
  double growth = 0, drift = 0, fastest = 0;  // of energy from step to step; balance; at the end
  double start = NAN, overlap = 0;
};

// Largest speed of a centre, and of a surface by spin.
double fastest_of(const Observation& at) {
  double fastest = 0;
  for (int i = 0; i < 8; ++i)
    fastest =
        std::max({fastest, norm(at.bodies[i].linear), radii[i] * norm(world_rate(at.bodies[i]))});
  return fastest;
}

// Overlaps by the distances of centres, not by what the method says.
double overlap_of(const Observation& at) {
  double deepest = 0;
  for (int i = 0; i < 8; ++i) {
    const Vec3<double> p = at.bodies[i].position;
    deepest = std::max({deepest, radii[i] - p.x, radii[i] - p.y, radii[i] - p.z});
    for (int j = 0; j < i; ++j)
      deepest = std::max(deepest, radii[i] + radii[j] - norm(p - at.bodies[j].position));
  }
  return deepest;
}

CornerRun run_corner(const Example& corner, double step, double tolerance) {
  CornerRun run;
  const MechanicalSystem& system = corner.mechanism();
  double before = NAN, start = NAN;
  Observer observer;
  observer.on_sample = [&](const State& state) {
    const Observation at = observe(system, state);
    const double energy = at.kinetic + at.potential;
    if (std::isnan(start)) start = run.start = energy;
    if (!std::isnan(before)) run.growth = std::max(run.growth, energy - before);
    before = energy;
    run.drift = std::max(run.drift, std::fabs(energy - at.work - start));
    run.overlap = std::max(run.overlap, overlap_of(at));
    run.fastest = fastest_of(at);
  };
  run.report = simulate(
      system, system.initial_state(),
      {.integrator = "moreau", .duration = 1.5, .step = step, .tolerance = tolerance}, observer);
  return run;
}

void expect_rest(const CornerRun& run, const std::string& name) {
  ASSERT_TRUE(run.report.ok()) << name << run.report.message;
  EXPECT_NEAR(run.start, 4.3393134621934, 1e-12) << name;
  EXPECT_LT(run.overlap, 1e-5) << name;
  EXPECT_NEAR(run.overlap, run.report.counts.contacts.overlap, 1e-12) << name;
  EXPECT_LT(run.growth, 1e-9) << name;
  EXPECT_LT(run.fastest, 1e-6) << name;
}

constexpr const char* all_formulations[] = {"absolute-so3r3", "recursive", "moving-frame",
                                            "absolute-se3"};

// In coordinates that turn with the bodies as well: rates belong to the middle of the motion that
// contacts make, and lifting works against the forces where it is done. So what contacts take is
// all that is lost.
TEST(MoreauCorner, EightSpheresComeToRestInEveryFormulation) {
  for (const char* formulation : all_formulations)
    for (const double step : {1e-3, 5e-4}) {
      const Example corner = load_text(spheres_in_a_corner(), formulation, SystemUse::stepping);
      ASSERT_TRUE(corner) << corner.problem;
      const CornerRun run = run_corner(corner, step, 1e-6);
      const std::string name = formulation + (", h = " + std::to_string(step));
      expect_rest(run, name);
      EXPECT_LT(run.drift, 1e-13) << name;
      EXPECT_EQ(run.report.counts.contacts.unsettled, 0) << name;
    }
}

TEST(MoreauCorner, LawsAreKeptAsCloselyAsAsked) {
  const Example corner = load_text(spheres_in_a_corner(), "absolute-so3r3", SystemUse::stepping);
  ASSERT_TRUE(corner) << corner.problem;
  for (const double step : {1e-3, 5e-4}) {
    const CornerRun run = run_corner(corner, step, 1e-8);
    expect_rest(run, std::to_string(step));
    EXPECT_LT(run.drift, 1e-13) << step;
    // m/s; steps that end at the limit of sweeps come as near as this
    EXPECT_LT(run.report.counts.contacts.residual, 1e-7) << step;
  }
}

// Speeds in the order of parts as those of the state.
void set_speeds(const ContactStepping& stepping, const std::vector<double>& v, State& state) {
  for (std::size_t i = 0; i < v.size(); ++i)
    if (const int k = stepping.speed_order()[i]; k >= 0)
      state.x[stepping.positions().size() + k] = v[i];
}

// The impulses of a step from rest, over its length: what the contacts carry.
struct RestForces {
  double moves = 0;          // largest speed after the step
  double weight = 0;         // of all spheres
  Vec3<double> from_planes;  // sum of the forces of the three planes
};

void find_rest_forces(const Example& corner, double h, RestForces& found) {
  const System& system = *corner.system;
  State rest = run_corner(corner, h, 1e-8).report.final_state;
  const ContactStepping& stepping = *system.contact_stepping();
  set_speeds(stepping, std::vector<double>(stepping.speed_order().size(), 0.0), rest);
  const auto workspace = system.make_workspace();
  ContactSet set;
  ASSERT_EQ(stepping.find_contacts(rest, rest, h, set, *workspace), "");
  std::vector<double> rates(rest.x.size()), v;
  system.derivative(rest, rates, *workspace);
  const int positions = stepping.positions().size();
  for (const int k : stepping.speed_order()) v.push_back(k < 0 ? 0 : h * rates[positions + k]);
  ConeProblem problem;
  problem.begin(set, v.size());
  const ConeReport report = problem.solve(v, {1e-13, 0, 100000});
  EXPECT_TRUE(report.settled) << report.residual;
  stepping.add_answer(problem.answer(), v, *workspace);
  for (const double speed : v) found.moves = std::max(found.moves, std::fabs(speed));
  for (const auto& P : problem.impulse) {
    EXPECT_GE(P[0], 0);
    EXPECT_LE(std::hypot(P[1], P[2]), corner_friction * P[0] * (1 + 1e-9));
  }
  // planes act on one part, pairs on two: what the impulses of planes alone would do
  std::vector<double> by_planes(v.size(), 0.0);
  ConeProblem planes;
  planes.begin(set, v.size());
  for (std::size_t c = 0; c < set.contacts.size(); ++c)
    if (set.contacts[c].part[1].lanes == 0) planes.push(static_cast<int>(c), problem.impulse[c]);
  stepping.add_answer(planes.answer(), by_planes, *workspace);
  set_speeds(stepping, by_planes, rest);
  const Observation at = observe(corner.mechanism(), rest);
  for (int i = 0; i < 8; ++i) {
    const double mass = 1000 * 4.0 / 3 * std::acos(-1.0) * radii[i] * radii[i] * radii[i];
    found.from_planes += (mass / h) * at.bodies[i].linear;
    found.weight += 9.81 * mass;
  }
}

// At rest the forces of a step carry the weight, W/sqrt(3) by every plane, and stay in their cones;
// on every sphere forces and moments balance: nothing begins to move.
TEST(MoreauCorner, ForcesAtRestCarryTheWeight) {
  for (const char* formulation : all_formulations) {
    const Example corner = load_text(spheres_in_a_corner(), formulation, SystemUse::stepping);
    ASSERT_TRUE(corner) << corner.problem;
    for (const double h : {1e-3, 5e-4}) {
      RestForces found;
      find_rest_forces(corner, h, found);
      EXPECT_LT(found.moves, 1e-13) << formulation << h;
      EXPECT_NEAR(found.weight, 21.0279433047055, 1e-12);
      for (int k = 0; k < 3; ++k) EXPECT_NEAR(found.from_planes[k], 12.1404887274759, 1e-8);
    }
  }
}

// Where impacts are located, the first two are those of the reference.
TEST(MoreauCorner, FirstImpactsWhereTheyAreLocated) {
  const Example corner = load_text(spheres_in_a_corner());
  ASSERT_TRUE(corner) << corner.problem;
  const ContactRun run =
      run_contacts(corner, {.integrator = "gl3", .duration = 0.073, .step = 0.005});
  ASSERT_TRUE(run.report.ok()) << run.report.message;
  ASSERT_GE(run.impacts.size(), 2u);
  const Impact& first = run.impacts[0];
  EXPECT_NEAR(first.t, 0.0594238530135011, 1e-13);
  EXPECT_NEAR(first.speed_before, -0.336565183604907, 1e-12);
  EXPECT_NEAR(first.normal, 0.17622511804455, 1e-12);
  EXPECT_NEAR(first.tangential, 0.070490047217818, 1e-12);
  EXPECT_NEAR(run.impacts[1].t, 0.0727790592166131, 1e-13);
}

}  // namespace
}  // namespace cartan::test
