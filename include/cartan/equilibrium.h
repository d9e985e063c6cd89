// Steady states: `cartan equilibrium`.
//
//   const cartan::Equilibrium rest = cartan::equilibrium(cartan::load("model.toml"));
//   std::printf("%s after %d steps\n", rest.stable ? "stable" : "unstable", rest.iterations);
#pragma once

#include <complex>

#include <cartan/model.h>

namespace cartan::api {

// A state at rest, or one that moves along symmetries.
struct Equilibrium {
  State state;
  double residual = 0;
  bool stable = false, asymptotically_stable = false;  // to first order, neutral directions aside
  int iterations = 0;
  int neutral = 0;
  std::vector<std::complex<double>> eigenvalues;
  std::vector<std::string> held, not_held;  // what kept its initial value, and what could not
  std::vector<NamedNumber> symmetries;      // speeds along them
  long starts = 0;                          // of a search: how many of them came here
  std::string json;                         // as `cartan equilibrium --json` prints it
};

// Finds the steady state near the initial one. An Error of kind `failed` where there is none.
CARTAN_API Equilibrium equilibrium(const Model& model, const EquilibriumOptions& options = {});

// All steady states that a box of starts leads to.
struct EquilibriumSearch {
  long starts = 0;
  std::vector<Equilibrium> equilibria;
  std::string csv;   // search.csv: where every start went
  std::string json;  // as `cartan equilibrium --search .. --json` prints it
};

// Starts from every point of options.search: "A=lin(..),B=lin(..)".
CARTAN_API EquilibriumSearch equilibrium_search(const Model& model,
                                                const EquilibriumOptions& options);

}  // namespace cartan::api
