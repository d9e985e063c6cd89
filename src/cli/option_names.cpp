#include "cli/option_names.h"

namespace cartan {
namespace {

struct Naming {
  const char *words, *option;
};

constexpr Naming namings[] = {
    {"a driven orbit", "--driven"},
    {"a steady state near it", "--at equilibrium"},
    {"hold quantities", "--hold"},
    {"more nodes along the orbit", "--shooting"},
    {"single node along the orbit", "--shooting"},
    {"as many points as were asked for", "--points"},
    {"an expression that it sets", "--parameter"},
    {"another form of the equations", "--form"},
};

}  // namespace

std::string name_options(std::string message) {
  for (const auto& [words, option] : namings) {
    const std::string phrase = words;
    if (const std::size_t at = message.find(phrase); at != std::string::npos)
      message.insert(at + phrase.size(), std::string(" (") + option + ")");
  }
  return message;
}

}  // namespace cartan
