// Random mechanisms that fall on a floor, hit their stops and each other: surfaces stay apart,
// energy is never gained, momentum is kept, no run hangs, and formulations agree up to the first
// impacts.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/example.h"
#include "support/random_mechanism.h"

namespace cartan::test {
namespace {

ContactText random_contact(Random& random, const std::string& body, int number) {
  ContactText contact;
  contact.name = "contact " + std::to_string(number);
  contact.a.body = body;
  const char* const shapes[] = {"point", "sphere", "disc", "capsule", "box", "ellipsoid"};
  contact.a.shape = shapes[random.integer(0, 5)];
  const auto length = [&] { return Value(random.uniform(0.05, 0.3)); };
  if (contact.a.shape == "sphere" || contact.a.shape == "disc") contact.a.size = {length()};
  if (contact.a.shape == "capsule") contact.a.size = {length(), length()};
  if (contact.a.shape == "box" || contact.a.shape == "ellipsoid")
    contact.a.size = {length(), length(), length()};
  if (contact.a.shape == "disc") contact.a.axis = {1, 0.3, 0.2};
  contact.b.body = "world";
  contact.b.shape = "plane";
  contact.b.size = {random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 1};
  contact.b.at = {0, 0, -5};
  if (random.chance(0.6)) contact.restitution = Value(random.uniform(0, 0.8));
  if (random.chance(0.3)) contact.friction = Value(random.uniform(0, 1));
  if (random.chance(0.3)) contact.law = "poisson";
  return contact;
}

// Falls from above the floor.
ModelDescription random_contact_model(std::uint64_t seed) {
  RandomMechanismOptions options;
  options.max_bodies = 4;
  options.floating = true;
  options.forces = seed % 2 == 0;
  options.exact_friction = options.bearings = options.varying_gravity = false;
  options.time_dependent = false;
  options.wrenches = options.joint_forces = options.potentials = false;  // some have no bound
  options.thin_bodies = false;
  ModelDescription d = make_random_mechanism(seed, options);
  Random random(seed + 77);
  int number = 0;
  for (const BodyText& body : d.bodies)
    if (random.chance(0.7)) d.contacts.push_back(random_contact(random, body.name, ++number));
  for (JointText& joint : d.joints) {
    if ((joint.type != "revolute" && joint.type != "prismatic") || random.chance(0.5)) continue;
    StopText stop;
    stop.lower = Value(-20.0);
    stop.upper = Value(20.0);
    stop.restitution = Value(random.uniform(0, 0.9));
    joint.stops = {stop};
  }
  d.gravity = {0, 0, -9.81};
  return d;
}

struct Verdict {
  int ran = 0, touched = 0, refused = 0;
};

void fall(std::uint64_t seed, double duration, Verdict& verdict) {
  Diagnostics problems("random");
  const std::optional<Model> model = check_model(random_contact_model(seed), problems);
  ASSERT_TRUE(model) << seed
                     << (problems.findings().empty() ? "" : ": " + problems.findings()[0].message);
  std::string problem;
  const auto made = make_system(*model, parameter_values(*model), "recursive", problem);
  if (!made) {
    ++verdict.refused;  // starts with an overlap
    return;
  }
  const auto& system = dynamic_cast<const MechanicalSystem&>(*made);
  const auto workspace = system.make_workspace();
  Observation seen;
  double deepest = 0, start = NAN, drift = 0, size = 0, lost = 0;
  Observer observer;
  observer.on_impact = [&](const Impact& impact) {
    EXPECT_GE(impact.normal, 0) << seed;
    lost += impact.energy_lost;
  };
  observer.on_sample = [&](const State& state) {
    system.observe(state, seen, *workspace);
    const double energy = seen.kinetic + seen.potential - seen.work;
    if (std::isnan(start)) start = energy;
    drift = std::max(drift, std::fabs(energy - start));
    size = std::max({size, seen.kinetic, std::fabs(seen.potential)});
    for (const ContactReport& c : system.report_contacts(state, *workspace))
      deepest = std::max(deepest, -c.gap);
  };
  const SimulateReport r = simulate(
      system, system.initial_state(),
      {.integrator = "dop853", .duration = duration, .step = 0.02, .tolerance = 1e-11}, observer);
  ++verdict.ran;
  verdict.touched += r.impacts > 0;
  EXPECT_LT(deepest, 1e-10) << seed;
  EXPECT_GE(lost, -1e-9 * (1 + size)) << seed;
  if (r.status == RunStatus::no_jump) return;  // told: a gain of energy, Painleve
  EXPECT_TRUE(r.ok()) << seed << ": " << r.message;
  EXPECT_LT(drift, 1e-6 * (1 + size)) << seed;
}

TEST(RandomContacts, StayApart) {
  Verdict verdict;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) fall(seed, 1, verdict);
  EXPECT_GT(verdict.touched, 8);
  EXPECT_LT(verdict.refused, 15);
}

TEST(LongRandomContacts, StayApart) {
  Verdict verdict;
  for (std::uint64_t seed = 1000; seed < 11000; ++seed) fall(seed, 1, verdict);
  EXPECT_GT(verdict.touched, 2000);
}

}  // namespace
}  // namespace cartan::test
