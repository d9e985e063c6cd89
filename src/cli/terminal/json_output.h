// Records as JSON on stdout.
#pragma once

#include "results/json_values.h"

namespace cartan::cli {

// One object, with a line end.
void print_json(const Json& object);

}  // namespace cartan::cli
