// All steady states that are reached from a set of starts, each told once, and the residuals of the
// starts.
#pragma once

#include <functional>

#include "analysis/equilibrium.h"

namespace cartan::analysis {

struct SearchStart {
  State state;
  std::string problem;  // why there is no state: constraints cannot be met
};

struct FoundState {
  Equilibrium equilibrium;
  Linearisation linear;
  int starts = 0;  // how many led to it
};

struct SearchResult {
  std::vector<double> residuals;   // per start: how far from steady it is; infinite without a state
  std::vector<double> rates;       // per start: size of the rate that symmetries do not explain
  std::vector<int> reached;        // per start: which of the states, or -1
  std::vector<FoundState> states;  // distinct, in the order in which they were found
};

struct SearchOptions {
  EquilibriumOptions equilibrium;
  // What tells states apart: numbers that are equal for equal states (angles as sine and cosine).
  std::function<std::vector<double>(const State&)> signature;
  double distinct = 1e-6;                // largest difference of equal states
  std::function<void(double)> progress;  // fraction done
  // Held expressions keep the value they have at each start.
  std::function<std::vector<Held>(const State&)> holds;
};

SearchResult search_equilibria(const SteadyProblem& problem, const std::vector<SearchStart>& starts,
                               const SearchOptions& options);

}  // namespace cartan::analysis
