// What a command line gives to the [inputs] of a model: --input, --input-file, --input-kind.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/description.h"

namespace cartan {

class Arguments;

struct InputArguments {
  std::vector<std::string> values;  // NAME=EXPR
  std::string file;                 // columns t and names of inputs
  std::string kind;                 // steps, linear (default), smooth
};

void declare_inputs(Arguments& arguments, InputArguments& target);

// Adds them to the description as `signals`. False after a complaint. What is taken from the file,
// and from when to when it goes, is told unless `quiet`.
bool add_signals(const InputArguments& arguments, bool quiet, ModelDescription& description);

}  // namespace cartan
