// The random trees really contain everything they are meant to test.
#include <map>
#include <set>

#include "agreement.h"

namespace cartan::test {
namespace {

TEST(Generator, CoversJointsForcesAndNotations) {
  std::map<std::string, int> seen;
  std::size_t largest = 0, branching = 0;
  for (std::uint64_t seed = 1; seed <= tree_count; ++seed) {
    const ModelDescription d = make_random_mechanism(seed);
    const Model model = make_checked_random_model(seed);
    largest = std::max(largest, model.bodies.size());
    std::map<int, std::size_t> children;
    for (const TreeJoint& t : model.tree) {
      const Joint& joint = model.joints[t.joint];
      if (joint.inertia.given()) ++seen[is_ball(joint.type) ? "rotor of a ball" : "rotor"];
      ++seen[std::string(info(joint.type).name) + (t.reversed ? " reversed" : "")];
      branching = std::max(branching, ++children[t.inboard]);
      for (const Placement* p : {&joint.parent, &joint.child})
        ++seen["rotate " + std::to_string(static_cast<int>(p->rotate.kind))];
    }
    for (const ForceText& f : d.forces) {
      ++seen[f.type];
      if (f.type == "torsion") ++seen["measure " + f.measure];
      if (f.type == "friction") {
        ++seen[f.smoothing ? "smooth" : "exact"];
        ++seen[f.bearings.empty() ? "no bearings" : "bearings"];
      }
      if (f.type == "drag") ++seen[!f.on.empty() ? "on" : f.medium.empty() ? "still" : "medium"];
      if (f.type == "spring") ++seen[f.length ? "length" : "no length"];
      if (f.type == "wrench") ++seen["frame " + f.frame.name.substr(0, 1)];
    }
    for (const BodyText& body : d.bodies)
      ++seen[body.density ? "density" : body.inertia.empty() ? "particle" : "inertia"];
    if (!d.gravity_frame.empty()) ++seen["gravity frame"];
    if (model.gravity.program.depends_on(Quantity::time)) ++seen["gravity of time"];
  }
  EXPECT_EQ(largest, 40u);
  EXPECT_GE(branching, 4u);
  for (int k = 0; k < joint_type_count; ++k)
    for (const char* way : {"", " reversed"})
      EXPECT_GE(seen[std::string(info(static_cast<JointType>(k)).name) + way], 50);
  for (const char* what : {"rotor",
                           "rotor of a ball",
                           "spring",
                           "torsion",
                           "wrench",
                           "joint",
                           "potential",
                           "friction",
                           "drag",
                           "measure ",
                           "measure rotation-vector",
                           "measure euler321",
                           "measure euler321-literal",
                           "smooth",
                           "exact",
                           "bearings",
                           "no bearings",
                           "on",
                           "medium",
                           "still",
                           "length",
                           "no length",
                           "frame ",
                           "frame w",
                           "frame b",
                           "density",
                           "particle",
                           "inertia",
                           "gravity frame",
                           "gravity of time",
                           "rotate 0",
                           "rotate 1",
                           "rotate 2",
                           "rotate 3"})
    EXPECT_GE(seen[what], 5) << what;
}

TEST(Generator, SameSeedSameMechanism) {
  const Model a = make_checked_random_model(7), b = make_checked_random_model(7);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  std::set<std::size_t> sizes;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    sizes.insert(make_checked_random_model(seed).bodies.size());
  EXPECT_GT(sizes.size(), 8u);
  for (std::size_t k = 0; k < a.joints.size(); ++k) EXPECT_EQ(a.joints[k].type, b.joints[k].type);
}

}  // namespace
}  // namespace cartan::test
