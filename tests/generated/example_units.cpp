#include "generated/example_units.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace cartan::test {

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CARTAN_ROOT "/examples"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

State random_state(const System& system, std::mt19937_64& random, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  State state = system.initial_state();
  std::vector<double> d(system.space().tangent_size()), moved(state.x.size());
  for (double& x : d) x = number(random);
  system.space().plus(state.x, d, moved);
  state.x = moved;
  state.t = 0.5 + number(random);
  return state;
}

ExampleUnit make_example_unit(const std::string& name) {
  ExampleUnit made;
  made.name = name;
  made.example = load_example(name);
  EXPECT_TRUE(made.example) << name << ": " << made.example.problem;
  const System& system = *made.example.system;
  const State start = system.initial_state();
  made.derivation = std::make_unique<Derivation>(*made.example.model,
                                                 parameter_values(*made.example.model), start);
  UnitOptions options;
  options.extras = false;
  options.quadrature = true;
  options.jacobian = start.x.size() <= most_states_with_jacobian;
  made.unit = make_unit(*made.derivation, options, name);
  for (const Expression& p : made.unit.arguments[2].symbols) made.parameters.push_back(p.sample());
  made.rates = static_cast<int>(start.x.size());
  if (made.has_jacobian())
    made.entries = static_cast<int>(made.unit.functions[1].outputs[0].entries.size());
  std::mt19937_64 random(11);
  const auto workspace = system.make_workspace();
  std::vector<double> rates(made.rates);
  Eigen::MatrixXd J(made.rates, made.rates);
  for (int k = 0; k < states_compared; ++k) {
    made.states.push_back(random_state(system, random));
    system.derivative(made.states.back(), rates, *workspace);
    made.expected.insert(made.expected.end(), rates.begin(), rates.end());
    if (!made.has_jacobian()) continue;
    system.jacobian(made.states.back(), J, *workspace);
    const CodeMatrix& entries = made.unit.functions[1].outputs[0];
    const double largest = J.cwiseAbs().maxCoeff();
    for (int e = 0; e < made.entries; ++e) {
      made.expected.push_back(J(entries.row[e], entries.column[e]));
      J(entries.row[e], entries.column[e]) = 0;
    }
    EXPECT_LE(J.cwiseAbs().maxCoeff(), 1e-12 * (1 + largest))
        << name << ": a derivative is missing in the code";
  }
  return made;
}

std::vector<ExampleUnit> make_example_units() {
  std::vector<ExampleUnit> units;
  for (const std::string& name : example_names()) units.push_back(make_example_unit(name));
  return units;
}

void expect_native(const ExampleUnit& example, const std::vector<double>& values) {
  ASSERT_EQ(values.size(), example.expected.size()) << example.name;
  for (std::size_t first = 0; first < values.size(); first += example.numbers()) {
    auto compare = [&](std::size_t from, std::size_t count, const char* what) {
      double largest = 0, difference = 0;
      for (std::size_t i = from; i < from + count; ++i) {
        largest = std::max(largest, std::fabs(example.expected[i]));
        const double d = std::fabs(values[i] - example.expected[i]);
        difference = d <= difference ? difference : d;  // NaN counts
      }
      // the loops of the scissor are nearly dependent at states that do not satisfy them
      const double tolerance = example.name == "scissor" ? 1e-11 : 1e-12;
      EXPECT_LE(difference, tolerance * (1 + largest)) << example.name << ", " << what;
    };
    compare(first, example.rates, "rates");
    compare(first + example.rates, example.entries, "Jacobian");
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace cartan::test
