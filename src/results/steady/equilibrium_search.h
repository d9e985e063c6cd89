// cartan equilibrium --search: every steady state reached from a box of initial values.
#pragma once

#include <string>
#include <vector>

#include "results/steady/steady.h"

namespace cartan {

struct SearchArguments {
  std::string path, box, out;
  std::vector<std::string> holds;
  bool json = false, force = false;
};

// Prints the states, writes search.csv and search.svg (the residual map) and equilibria.json; the
// exit status.
int search_box(const SteadyCase& steady, const SearchArguments& arguments);

}  // namespace cartan
