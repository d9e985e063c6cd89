// The formulation `generated` with equal branches side by side in vectors, against `recursive`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codegen/rate_compiler.h"
#include "generated/example_units.h"
#include "support/random.h"

namespace cartan::test {
namespace {

bool has_twins(const std::string& name, const Example& example) {
  Derivation derivation(*example.model, parameter_values(*example.model),
                        example.system->initial_state());
  UnitOptions options;
  options.extras = false;
  options.quadrature = true;
  CodeUnit unit = make_unit(derivation, options, name);
  unit.side_by_side = true;
  unit.checks = false;
  return has_vectors(emit(unit, Language::c)[0].text);
}

void expect_rates_of_recursive(const Model& model, const System& system, std::uint64_t seed) {
  const State start = system.initial_state();
  const auto compiler = make_rate_compiler(model, parameter_values(model));
  std::string problem;
  const RateCode* const code = compiler->find_derivative(start, problem);
  ASSERT_NE(code, nullptr) << problem;
  const auto workspace = system.make_workspace();
  std::mt19937_64 random(seed);
  std::vector<double> rates(start.x.size()), found(start.x.size() + 1);
  for (int k = 0; k < 20; ++k) {
    const State state = random_state(system, random);
    system.derivative(state, rates, *workspace);
    code->derivative(state.t, state.x.data(), nullptr, found.data());
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      largest = std::max(largest, std::fabs(rates[i]));
      const double d = std::fabs(rates[i] - found[i]);
      difference = d <= difference ? difference : d;  // NaN counts
    }
    EXPECT_GT(largest, 0.1);
    EXPECT_LE(difference, std::max(1e-12 * (1 + largest),
                                   roundings_allowed * rounding_of_rates(system, state)));
  }
}

TEST(GeneratedTwins, OfExamplesHaveTheNativeRates) {
  int compared = 0;
  for (const char* name : {"humanoid", "stewart", "quadcopter", "swinging_legs", "governor"}) {
    SCOPED_TRACE(name);
    const Example example = load_example(name);
    ASSERT_TRUE(example) << example.problem;
    if (!has_flat_list(*example.model) || !has_twins(name, example)) continue;
    expect_rates_of_recursive(*example.model, *example.system, 7);
    ++compared;
  }
  EXPECT_GE(compared, 1);
}

// A body with equal legs but for numbers and signs: limbs of random joints and full inertias.
ModelDescription make_legged(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d;
  d.name = "legged";
  const auto numbers = [&](double size) {
    return Values{random.uniform(-size, size), random.uniform(-size, size),
                  random.uniform(-size, size)};
  };
  const auto add = [&](const std::string& parent, const std::string& name, const char* type,
                       double mirror) {
    BodyText body;
    body.name = name;
    body.mass = random.uniform(0.5, 2);
    body.com = numbers(0.2);
    body.inertia = {0.3, 0.31, 0.32, 0.02 * mirror, 0.03, -0.01 * mirror};
    d.bodies.push_back(body);
    JointText joint;
    joint.name = name + "_joint";
    joint.type = type;
    if (std::string(type) == "revolute" || std::string(type) == "prismatic")
      joint.axis = Values{0.0, 1.0, 0.0};
    joint.parent.body = parent;
    joint.parent.at = numbers(0.5);
    joint.child.body = name;
    d.joints.push_back(joint);
  };
  add("world", "trunk", "free", 1);
  const int legs = random.integer(2, 9), links = random.integer(2, 4);
  static constexpr const char* types[] = {"revolute", "spherical", "prismatic", "universal"};
  std::vector<const char*> chosen(links);
  for (const char*& type : chosen) type = types[random.integer(0, 2)];
  for (int leg = 0; leg < legs; ++leg)
    for (int link = 0; link < links; ++link) {
      const auto name = [&](int k) { return fmt::format("leg{}_{}", leg, k); };
      add(link == 0 ? "trunk" : name(link - 1), name(link), chosen[link], leg % 2 ? -1 : 1);
    }
  return d;
}

TEST(GeneratedTwins, OfRandomLegsHaveTheNativeRates) {
  int with_vectors = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    Diagnostics problems("legged");
    Example example;
    std::optional<Model> model = check_model(make_legged(seed), problems);
    ASSERT_TRUE(model) << problems.text();
    example.model = std::make_unique<Model>(std::move(*model));
    std::string problem;
    example.system =
        make_system(*example.model, parameter_values(*example.model), "recursive", problem);
    ASSERT_TRUE(example.system) << problem;
    with_vectors += has_twins("legged", example);
    expect_rates_of_recursive(*example.model, *example.system, seed);
  }
  EXPECT_GE(with_vectors, 4);
}

}  // namespace
}  // namespace cartan::test
