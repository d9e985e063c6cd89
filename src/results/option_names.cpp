#include "results/option_names.h"

#include <string_view>

namespace cartan::results {
namespace {

struct Naming {
  const char *words, *instead;
};

constexpr Naming namings[] = {
    {"a driven orbit", "a driven orbit (--driven)"},
    {"a steady state near it", "a steady state near it (--at equilibrium)"},
    {"hold quantities", "hold quantities (--hold)"},
    {"more nodes along the orbit", "more nodes along the orbit (--shooting)"},
    {"a single node along the orbit", "a single node along the orbit (--shooting)"},
    {"as many points as were asked for", "as many points as were asked for (--points)"},
    {"an expression that it sets", "an expression that it sets (--parameter)"},
    {"leave the form of the equations out", "leave --form out"},
    {"use the formulation", "use --formulation"},
    {"let it be replaced", "replace it with --force"},
    {"go on with it", "go on with it by --resume"},
};

}  // namespace

std::string name_options(std::string message) {
  for (const auto& [words, instead] : namings)
    if (const std::size_t at = message.find(words); at != std::string::npos)
      message.replace(at, std::string_view(words).size(), instead);
  return message;
}

}  // namespace cartan::results
