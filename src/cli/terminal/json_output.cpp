#include "cli/terminal/json_output.h"

#include <fmt/core.h>

namespace cartan::cli {

void print_json(const Json& object) {
  fmt::print("{}\n", object.dump(2));
}

}  // namespace cartan::cli
