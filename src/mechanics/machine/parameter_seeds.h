// Derivatives by parameters: mechanisms whose parameters are dual numbers, four directions each.
//
// The parameters listed in `which` are the independent ones: each is varied by itself, as if all of
// them were given with --set. Parameters that are not listed follow their formulas, so the
// derivative by a listed one contains what depends on it.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "mechanics/machine/mechanism.h"

namespace cartan::mechanics {

// The parameters, in file order, with direction k along which[first + k]; `values` are their
// values.
std::vector<Dual4> seed_parameters(const Model& model, std::span<const double> values,
                                   std::span<const int> which, std::size_t first);

// Mechanisms for one list of parameters, four of the list in each, with their scratch.
template <class Scratch>
struct SeededMechanisms {
  std::vector<int> which;
  std::vector<Mechanism<Dual4>> mechanisms;
  std::vector<Scratch> scratch;
  bool made = false;

  // Builds anew when the list has changed. `make(parameters)` gives a mechanism,
  // `make_scratch(mechanism)` its scratch.
  template <class Make, class MakeScratch>
  void prepare(const Model& model, std::span<const double> values, std::span<const int> wanted,
               Make&& make, MakeScratch&& make_scratch) {
    if (made && std::equal(wanted.begin(), wanted.end(), which.begin(), which.end())) return;
    which.assign(wanted.begin(), wanted.end());
    mechanisms.clear();
    scratch.clear();
    for (std::size_t first = 0; first < which.size(); first += 4)
      mechanisms.push_back(make(seed_parameters(model, values, which, first)));
    for (const Mechanism<Dual4>& mechanism : mechanisms) scratch.push_back(make_scratch(mechanism));
    made = true;
  }

  // Columns of J from the derivatives of what `evaluate(mechanism, scratch)` returns.
  template <class Evaluate>
  void fill_columns(Eigen::Ref<Eigen::MatrixXd> J, Evaluate&& evaluate) {
    for (std::size_t group = 0; group < mechanisms.size(); ++group) {
      const std::span<const Dual4> values = evaluate(mechanisms[group], scratch[group]);
      const std::size_t first = 4 * group, count = std::min<std::size_t>(4, which.size() - first);
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t i = 0; i < values.size(); ++i)
          J(static_cast<int>(i), static_cast<int>(first + k)) = values[i].d[k];
    }
  }
};

}  // namespace cartan::mechanics
