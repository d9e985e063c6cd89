#include "mechanics/machine/parameter_seeds.h"

namespace cartan::mechanics {

std::vector<Dual4> seed_parameters(const Model& model, std::span<const double> values,
                                   std::span<const int> which, std::size_t first) {
  std::vector<Dual4> seeded(values.begin(), values.end());
  const std::size_t last = std::min(first + 4, which.size());
  for (int i : model.parameter_order) {
    const auto listed = std::find(which.begin(), which.end(), i);
    if (listed == which.end()) {
      seeded[i].d = evaluate<Dual4>(model.parameters[i].value, seeded)[0].d;
      continue;
    }
    for (std::size_t k = first; k < last; ++k)
      if (which[k] == i) seeded[i].d[k - first] = 1;
  }
  return seeded;
}

}  // namespace cartan::mechanics
