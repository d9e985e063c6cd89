// The code of every example, and what the system itself gives at the same states.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "codegen/emit.h"
#include "codegen/model_unit.h"
#include "support/example.h"

namespace cartan::test {

inline constexpr int states_compared = 50;
// A Jacobian grows with the square of the states; beyond this its flat list alone is compared
// (functions_test.cpp).
inline constexpr std::size_t most_states_with_jacobian = 20;

std::vector<std::string> example_names();

// Where no system is solved on the way (implicit_test.cpp) and no C code is called
// (languages_test.cpp), a flat list of operations says everything.
inline bool has_flat_list(const Model& model) {
  return !model.implicit && model.function_files.empty() && model.contacts.empty();
}

// Near the initial state, where there are constraints on them; the discrete state stays.
State random_state(const System& system, std::mt19937_64& random, double size = 0.3);

// How much the native rates change when the state is rounded another way: what two computations may
// differ by, whatever they do.
double rounding_of_rates(const System& system, const State& state);
inline constexpr double roundings_allowed = 20;

struct ExampleUnit {
  std::string name;
  Example example;
  std::unique_ptr<Derivation> derivation;
  CodeUnit unit;  // functions derivative and, where the system is small, jacobian
  std::vector<double> parameters;
  std::vector<State> states;
  int rates = 0, entries = 0;    // numbers of the two functions
  std::vector<double> rounding;  // per state: of the rates
  std::vector<double> expected;  // per state: rates, then entries of the Jacobian

  bool has_jacobian() const { return unit.functions.size() > 1; }
  std::size_t numbers() const { return static_cast<std::size_t>(rates + entries); }
};

ExampleUnit make_example_unit(const std::string& name);
std::vector<ExampleUnit> make_example_units();

// Values of all states, one after the other, against the expected ones: 1e-12 of the largest rate
// (of the largest entry of the Jacobian), or so many roundings of the state where these do more.
void expect_native(const ExampleUnit& example, const std::vector<double>& values);

}  // namespace cartan::test
