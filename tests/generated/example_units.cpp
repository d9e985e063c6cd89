#include "generated/example_units.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "support/dual_jacobian.h"

namespace cartan::test {

// Less those with contacts, stops or jumps, whose equations are not written out.
std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CARTAN_ROOT "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().stem().string(), text = example_text(name);
    const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
    if (!has("[[contact]]") && !has("[[contacts]]") && !has("\nstop = ") && !has("\nset = {"))
      names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

State random_state(const System& system, std::mt19937_64& random, double size) {
  std::uniform_real_distribution<double> number(-size, size);
  const auto workspace = system.make_workspace();
  const State start = system.initial_state();
  std::vector<double> d(system.space().tangent_size());
  for (double& x : d) x = number(random);
  State state = start;
  state.t = system.constrained() ? start.t : 0.5 + number(random);
  for (int tries = 0; tries < 8; ++tries) {
    system.space().plus(start.x, d, state.x);
    if (!system.constrained() || system.project(state, *workspace).problem.empty()) break;
    state.x = start.x;
    for (double& x : d) x /= 2;
  }
  return state;
}

double rounding_of_rates(const System& system, const State& state) {
  const auto workspace = system.make_workspace();
  std::vector<double> rates(state.x.size()), moved(state.x.size());
  system.derivative(state, rates, *workspace);
  std::mt19937_64 random(5);
  double largest = 0;
  for (int k = 0; k < 5; ++k) {
    State other = state;
    for (double& x : other.x) x += (random() % 2 ? 0x1p-53 : -0x1p-53) * x;
    system.derivative(other, moved, *workspace);
    for (std::size_t i = 0; i < rates.size(); ++i)
      largest = std::max(largest, std::fabs(moved[i] - rates[i]));
  }
  return largest;
}

ExampleUnit make_example_unit(const std::string& name) {
  ExampleUnit made;
  made.name = name;
  made.example = load_example(name);
  EXPECT_TRUE(made.example) << name << ": " << made.example.problem;
  use_dual_numbers(*made.example.system);
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
    made.rounding.push_back(rounding_of_rates(system, made.states.back()));
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
    auto compare = [&](std::size_t from, std::size_t count, double rounding, const char* what) {
      double largest = 0, difference = 0;
      for (std::size_t i = from; i < from + count; ++i) {
        largest = std::max(largest, std::fabs(example.expected[i]));
        const double d = std::fabs(values[i] - example.expected[i]);
        difference = d <= difference ? difference : d;  // NaN counts
      }
      EXPECT_LE(difference, std::max(1e-12 * (1 + largest), roundings_allowed * rounding))
          << example.name << ", " << what;
    };
    compare(first, example.rates, example.rounding[first / example.numbers()], "rates");
    compare(first + example.rates, example.entries, 0, "Jacobian");
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace cartan::test
