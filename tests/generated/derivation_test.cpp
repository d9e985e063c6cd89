// Equations derived on symbols, evaluated from their flat list, against the numbers of `recursive`.
#include <gtest/gtest.h>

#include <cmath>

#include "generated/example_units.h"
#include "support/random_closed.h"
#include "support/random_mechanism.h"
#include "symbolic/flatten.h"

namespace cartan::test {
namespace {

// Flat code for x' (with the quadrature) of t, x, p.
struct FlatRates {
  std::unique_ptr<Derivation> derivation;
  Program program;
  std::vector<double> parameters;

  FlatRates(const Model& model, const State& at, const DeriveOptions& options = {}) {
    derivation = std::make_unique<Derivation>(model, parameter_values(model), at, options);
    std::vector<Expression> rates = derivation->rates();
    if (const auto power = derivation->power()) rates.push_back(*power);
    std::vector<Expression> inputs = {derivation->time()};
    for (const DerivedSymbol& s : derivation->state()) inputs.push_back(s.symbol);
    for (const DerivedSymbol& s : derivation->parameters()) {
      inputs.push_back(s.symbol);
      parameters.push_back(s.symbol.sample());
    }
    program = flatten(derivation->graph(), rates, inputs);
  }

  std::vector<double> operator()(const State& state) const {
    std::vector<double> inputs = {state.t};
    inputs.insert(inputs.end(), state.x.begin(), state.x.begin() + derivation->state().size());
    inputs.insert(inputs.end(), parameters.begin(), parameters.end());
    std::vector<double> scratch(program.scratch_size()), result(program.outputs.size());
    evaluate<double>(program, inputs, scratch, result);
    return result;
  }
};

void expect_equal_rates(const System& system, const FlatRates& flat, const State& state,
                        double tolerance) {
  const auto workspace = system.make_workspace();
  std::vector<double> rates(state.x.size());
  system.derivative(state, rates, *workspace);
  const std::vector<double> derived = flat(state);
  ASSERT_EQ(derived.size(), rates.size());
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    largest = std::max(largest, std::fabs(rates[i]));
    const double d = std::fabs(rates[i] - derived[i]);
    difference = d <= difference ? difference : d;  // NaN counts
  }
  EXPECT_LE(difference, std::max(tolerance * (1 + largest),
                                 roundings_allowed * rounding_of_rates(system, state)));
}

class DerivedExample : public testing::TestWithParam<std::string> {};

TEST_P(DerivedExample, HasTheNativeRates) {
  const Example example = load_example(GetParam());
  ASSERT_TRUE(example) << example.problem;
  if (!has_flat_list(*example.model)) GTEST_SKIP() << "see has_flat_list";
  std::mt19937_64 random(7);
  const FlatRates flat(*example.model, example.system->initial_state());
  const FlatRates folded(*example.model, example.system->initial_state(), {true, true});
  for (int k = 0; k < 50; ++k) {
    const State state = random_state(*example.system, random);
    expect_equal_rates(*example.system, flat, state, 1e-12);
    expect_equal_rates(*example.system, folded, state, 1e-12);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DerivedExample, testing::ValuesIn(example_names()),
                         [](const auto& info) { return info.param; });

// Trees and closed mechanisms of all joint types with all forces and constraints.
TEST(DerivedRandomMechanisms, HaveTheNativeRates) {
  RandomMechanismOptions trees;
  trees.max_bodies = 6;
  trees.variables = 2;
  trees.switches = 0.3;
  RandomClosedOptions closed;
  closed.tree.variables = 1;
  closed.tree.switches = 0.3;
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Diagnostics problems("random");
    const std::optional<Model> model = check_model(
        seed % 2 ? make_random_mechanism(seed, trees) : make_random_closed_mechanism(seed, closed),
        problems);
    ASSERT_TRUE(model) << problems.text();
    std::string problem;
    const auto system = make_system(*model, parameter_values(*model), "recursive", problem);
    if (!system) continue;
    std::mt19937_64 random(seed);
    const FlatRates flat(*model, system->initial_state());
    for (int k = 0; k < 3; ++k)
      expect_equal_rates(*system, flat, random_state(*system, random, 0.05), 1e-12);
    ++compared;
    if (HasFailure()) return;
  }
  EXPECT_GE(compared, 180);
}

}  // namespace
}  // namespace cartan::test
