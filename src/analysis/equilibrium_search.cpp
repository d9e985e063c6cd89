#include "analysis/equilibrium_search.h"

#include <cmath>

namespace cartan::analysis {
namespace {

bool equal(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= tolerance * std::max(1.0, std::fabs(a[i])))) return false;
  return true;
}

}  // namespace

SearchResult search_equilibria(const SteadyProblem& problem, const std::vector<SearchStart>& starts,
                               const SearchOptions& options) {
  SearchResult result;
  std::vector<std::vector<double>> signatures;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    if (options.progress) options.progress(static_cast<double>(i) / starts.size());
    result.residuals.push_back(INFINITY);
    result.rates.push_back(INFINITY);
    result.reached.push_back(-1);
    if (!starts[i].problem.empty()) continue;
    const State& start = starts[i].state;
    const Eigen::VectorXd c = problem.explain(start);
    result.residuals.back() = problem.steadiness(start, c);
    result.rates.back() = problem.residual(start, c, {}).head(problem.size()).norm();
    EquilibriumOptions one = options.equilibrium;
    if (options.holds) one.held = options.holds(start);
    Equilibrium found = find_equilibrium(problem, start, one);
    if (!found.found) continue;
    const std::vector<double> signature = options.signature(found.state);
    std::size_t k = 0;
    while (k < signatures.size() && !equal(signatures[k], signature, options.distinct)) ++k;
    if (k == signatures.size()) {
      signatures.push_back(signature);
      Linearisation linear = linearise(problem, found.state);
      result.states.push_back({std::move(found), std::move(linear), 0});
    }
    ++result.states[k].starts;
    result.reached.back() = static_cast<int>(k);
  }
  return result;
}

}  // namespace cartan::analysis
