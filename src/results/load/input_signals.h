// What a run gives to the [inputs] of a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cartan/watch.h>

#include "model/description.h"

namespace cartan::results {

struct InputArguments {
  std::vector<std::string> values;  // NAME=EXPR
  std::string file;                 // columns t and names of inputs
  std::string kind;                 // steps, linear (default), smooth
};

// Adds them to the description as `signals`, or refuses. What is taken from the file, and from when
// to when it goes, is told to `watch`.
void add_signals(const InputArguments& arguments, const api::Watch& watch,
                 ModelDescription& description);

}  // namespace cartan::results
