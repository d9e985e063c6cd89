#include "support/random_contacts.h"

#include <algorithm>
#include <cmath>

#include "formulations/formulations.h"

namespace cartan::test {
namespace {

ContactSideText random_surface(Random& random, const std::string& body) {
  ContactSideText side;
  side.body = body;
  const char* const shapes[] = {"point", "sphere", "disc", "capsule", "box", "ellipsoid"};
  side.shape = shapes[random.integer(0, 5)];
  const auto length = [&] { return Value(random.uniform(0.05, 0.3)); };
  if (side.shape == "sphere" || side.shape == "disc") side.size = {length()};
  if (side.shape == "capsule") side.size = {length(), length()};
  if (side.shape == "box" || side.shape == "ellipsoid") side.size = {length(), length(), length()};
  if (side.shape == "disc") side.axis = {1, 0.3, 0.2};
  return side;
}

Vec3<double> normalised(const Vec3<double>& a) {
  return (1 / norm(a)) * a;
}

void choose_laws(Random& random, const RandomContactOptions& options, ContactText& contact) {
  if (random.chance(options.restitution)) contact.restitution = Value(random.uniform(0, 0.8));
  if (random.chance(options.friction)) {
    if (random.chance(0.2))
      contact.rough = true;
    else
      contact.friction = Value(random.uniform(0, 1));
  }
  if (options.rough > 0 && random.chance(options.rough)) contact.rough = true;
  if (random.chance(options.poisson)) contact.law = "poisson";
}

ModelDescription random_base(std::uint64_t seed, const RandomContactOptions& options) {
  RandomMechanismOptions tree;
  tree.max_bodies = options.max_bodies;
  tree.floating = seed % 4 < 2;
  tree.forces = seed % 2 == 0;
  tree.exact_friction = tree.bearings = tree.varying_gravity = false;
  tree.time_dependent = false;
  tree.wrenches = tree.joint_forces = tree.potentials = false;  // some have no bound
  tree.thin_bodies = false;
  if (seed % 4 != 3 || !options.closed) return make_random_mechanism(seed, tree);
  RandomClosedOptions closed;
  tree.floating = false;
  tree.min_bodies = 2;
  closed.tree = tree;
  closed.min_loops = 0;
  closed.max_loops = 1;
  closed.max_constraints = 1;
  closed.drives = false;
  closed.parallelogram = closed.doubled_joint = closed.accidental_redundancy = 0;
  return make_random_closed_mechanism(seed, closed);
}

// Gaps of all contacts at the start, or nothing.
std::vector<double> start_gaps(const ModelDescription& d, Observation& seen) {
  Diagnostics problems("random");
  const std::optional<Model> model = check_model(d, problems);
  if (!model) return {};
  std::string problem;
  const auto made = make_system(*model, parameter_values(*model), "recursive", problem);
  if (!made) return {};
  const auto& system = dynamic_cast<const MechanicalSystem&>(*made);
  const auto workspace = system.make_workspace();
  const State start = system.initial_state();
  system.observe(start, seen, *workspace);
  std::vector<double> gaps;
  for (const ContactReport& c : system.report_contacts(start, *workspace)) gaps.push_back(c.gap);
  return gaps;
}

}  // namespace

std::optional<ModelDescription> make_random_contacts(std::uint64_t seed,
                                                     const RandomContactOptions& options) {
  ModelDescription d = random_base(seed, options);
  d.gravity = {0, 0, -9.81};
  Random random(seed + 77);
  constexpr double far_below = -100;
  const Vec3<double> n = normalised({random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2), 1});
  int number = 0;
  for (const BodyText& body : d.bodies) {
    if (!random.chance(0.7)) continue;
    ContactText contact;
    contact.name = "contact " + std::to_string(++number);
    contact.a = random_surface(random, body.name);
    contact.b.body = "world";
    contact.b.shape = "plane";
    contact.b.size = {n.x, n.y, n.z};
    contact.b.at = {0, 0, far_below};
    choose_laws(random, options, contact);
    d.contacts.push_back(contact);
  }
  Observation seen;
  const std::vector<double> gaps = start_gaps(d, seen);
  if (gaps.size() != d.contacts.size() || (gaps.empty() && seen.bodies.empty())) return {};
  if (!gaps.empty()) {
    const double lowest = *std::min_element(gaps.begin(), gaps.end());
    const double shift = lowest - random.uniform(0.01, options.highest);
    for (ContactText& contact : d.contacts)
      contact.b.at = {shift * n.x, shift * n.y, far_below + shift * n.z};
  }
  // balls about two bodies
  for (std::size_t i = 0; i + 1 < d.bodies.size() && seen.bodies.size() == d.bodies.size(); ++i) {
    const std::size_t j = i + 1;
    const double apart = norm(seen.bodies[i].position - seen.bodies[j].position);
    if (!random.chance(0.3) || apart < 0.1) continue;
    ContactText contact;
    contact.name = "balls " + std::to_string(++number);
    contact.a.body = d.bodies[i].name;
    contact.b.body = d.bodies[j].name;
    contact.a.shape = contact.b.shape = "sphere";
    contact.a.size = {random.uniform(0.2, 0.4) * apart};
    contact.b.size = {random.uniform(0.2, 0.4) * apart};
    choose_laws(random, options, contact);
    d.contacts.push_back(contact);
  }
  for (std::size_t j = 0; j < d.joints.size() && seen.q.size() == d.joints.size(); ++j) {
    JointText& joint = d.joints[j];
    if ((joint.type != "revolute" && joint.type != "prismatic") || random.chance(0.5)) continue;
    StopText stop;
    stop.lower = Value(seen.q[j][0] - random.uniform(0.02, 1));
    stop.upper = Value(seen.q[j][0] + random.uniform(0.02, 1));
    stop.restitution = Value(random.uniform(0, 0.9));
    joint.stops = {stop};
  }
  return d;
}

}  // namespace cartan::test
