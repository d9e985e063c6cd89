#include "results/load/sample_state.h"

#include <cmath>

namespace cartan::results {

// Steps along all tangent directions, each of another size; the discrete state stays.
State make_sample_state(const System& system) {
  State state = system.initial_state();
  const StateSpace& space = system.space();
  std::vector<double> direction(space.tangent_size()), moved(state.x.size());
  for (std::size_t i = 0; i < direction.size(); ++i)
    direction[i] = 0.05 * (1.3 + std::sin(1.7 * static_cast<double>(i + 1)));
  space.plus(state.x, direction, moved);
  state.x = moved;
  return state;
}

}  // namespace cartan::results
