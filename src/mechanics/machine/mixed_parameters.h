// Parameters for second derivatives: they move along the second direction of Mixed.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/mixed.h"
#include "model/model.h"

namespace cartan::mechanics {

// The parameters, in file order, where which[moving] moves (-1: none does). As in
// parameter_seeds.h, those in `which` are the independent ones, and others follow their formulas.
inline std::vector<Mixed> mixed_parameters(const Model& model, std::span<const double> values,
                                           std::span<const int> which, int moving) {
  std::vector<Mixed> seeded(values.begin(), values.end());
  if (moving < 0) return seeded;
  for (const int i : model.parameter_order) {
    if (std::find(which.begin(), which.end(), i) == which.end())
      seeded[i].w = evaluate<Mixed>(model.parameters[i].value, seeded)[0].w;
    else if (which[moving] == i)
      seeded[i].w = 1;
  }
  return seeded;
}

}  // namespace cartan::mechanics
