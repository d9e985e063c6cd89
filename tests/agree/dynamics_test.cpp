// Every formulation against the naive dense Newton-Euler reference, on seeded random trees with all
// joints and forces, and on the examples. Tolerances: compare.h.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "compare.h"
#include "support/example.h"

namespace cartan::test {
namespace {

TEST(RandomTrees, EveryFormulationAgreesWithNaiveNewtonEuler) {
  Worst worst;
  for (std::uint64_t seed = 1; seed <= tree_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare_with_naive(*make_case(seed), worst);
  }
  EXPECT_GT(worst.moved, 0);
  EXPECT_LE(worst.unresolved, 2 * 2);  // two mechanisms, each in two formulations
  // far inside what conditioning allows: an error that only looks like rounding would show here
  EXPECT_LT(std::max({worst.acceleration, worst.reaction, worst.energy, worst.power}), 0.1);
  RecordProperty("acceleration_fraction_of_tolerance", std::to_string(worst.acceleration));
  RecordProperty("reaction_fraction_of_tolerance", std::to_string(worst.reaction));
  std::printf("largest error / tolerance: acceleration %.2g reaction %.2g energy %.2g power %.2g\n",
              worst.acceleration, worst.reaction, worst.energy, worst.power);
}

// Joints that stick are refused.
TEST(RandomTrees, AbsoluteFormulationsAgreeWithNaiveNewtonEuler) {
  Worst worst;
  RandomMechanismOptions options;
  options.exact_friction = false;
  for (std::uint64_t seed = 1; seed <= tree_count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    compare_with_naive(*make_case(seed, options), worst);
  }
  EXPECT_EQ(worst.absolute, 3 * tree_count);
  std::printf("%d systems of free bodies\n", worst.absolute);
  std::printf("largest error / tolerance: acceleration %.2g reaction %.2g energy %.2g power %.2g\n",
              worst.acceleration, worst.reaction, worst.energy, worst.power);
}

// The example in a state of its own: turned and pushed at random, everything in motion.
std::unique_ptr<Case> make_example_case(const Model& model, std::uint64_t seed) {
  std::unique_ptr<Case> c = make_case(model, 0.4);
  Random random(seed);
  std::vector<std::optional<std::vector<double>>> q, v;
  int q0 = 0;
  for (const Joint& joint : c->model.joints) {
    std::vector<double> position(c->state.x.begin() + q0, c->state.x.begin() + q0 + joint.nq());
    q0 += joint.nq();
    std::size_t plain = 0;
    if (has_quaternion(joint.type)) {
      const Quat<double> u = Quat<double>(position[0], position[1], position[2], position[3]) *
                             exp_quat(random.vector(0.3));
      position[0] = u.w, position[1] = u.x, position[2] = u.y, position[3] = u.z;
      plain = 4;
    }
    for (; plain < position.size(); ++plain) position[plain] += random.uniform(-0.3, 0.3);
    q.push_back(position);
    v.emplace_back(std::vector<double>());
    for (int k = 0; k < joint.nv(); ++k) v.back()->push_back(random.away_from_zero(0.1, 2));
  }
  c->state = c->systems[0]->make_state(0.4, q, v);
  return c;
}

TEST(Examples, EveryFormulationAgreesWithNaiveNewtonEuler) {
  Worst worst;
  int compared = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CARTAN_ROOT) + "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().stem().string());
    const test::Example example = test::load_example(entry.path().stem().string());
    // closed ones: closed_test.cpp
    if (!example || !example.model->is_mechanism() || example.system->constrained()) continue;
    if (example.system->contact_stepping()) continue;  // hundreds of bodies
    if (entry.path().stem() == "satellite") continue;  // nothing pulls at its joint: no reactions
    compare_with_naive(*make_example_case(*example.model, 1), worst);
    ++compared;
  }
  EXPECT_GT(worst.moved, 0);
  EXPECT_GE(compared, 20);
}

}  // namespace
}  // namespace cartan::test
