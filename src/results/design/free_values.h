// What is free in an optimisation: entries of [parameters] and initial values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/load/load.h"

namespace cartan::results {

struct FreeEntry {
  std::string name;       // as written
  std::string parameter;  // the entry of [parameters] that stands for it
  bool added = false;     // the model does not know it: an unknown of the expressions alone
};

// The model with everything free among its parameters.
struct FreeModel {
  std::unique_ptr<const Model> model;
  std::vector<FreeEntry> free;
  std::vector<int> which;  // their parameters
};

// `free`: "A,B=START"; what is wrong with it is refused in the name of `command`. A name of its own
// with =START becomes a further unknown, for expressions that mention it; the caller must see that
// one does.
FreeModel load_free(const char* command, const ModelArguments& model, const std::string& free,
                    const api::Watch& watch);

// What to say of a name that means nothing.
std::string explain_unknown_free(const std::string& name);

}  // namespace cartan::results
