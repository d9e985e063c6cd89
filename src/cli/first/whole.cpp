#include "cli/first/whole.h"

#include <cstdlib>

#include <fmt/core.h>
#include <unistd.h>

#include "codegen/rate_compiler.h"

namespace cartan {
namespace {

char** words_of_program = nullptr;

}  // namespace

void remember_words(char** words) {
  words_of_program = words;
}

// The launcher tells its path; CARTAN_WHOLE makes it build everything.
int hand_to_whole(const Words&) {
  const char* const launcher = std::getenv("CARTAN_LAUNCHER");
  if (launcher && words_of_program && !std::getenv("CARTAN_WHOLE")) {
    setenv("CARTAN_WHOLE", "yes", 1);
    words_of_program[0] = const_cast<char*>(launcher);
    execv(launcher, words_of_program);
  }
  fmt::print(
      stderr,
      "cartan: this is the program of a first run, which has `run`, `check`, `eval` and "
      "`new`; `./cartan` of the checkout builds the rest, by hand `ninja -C build cartan`.\n");
  return exit_failed;
}

// Compiled equations are asked for when a system is made, before anything is printed.
std::shared_ptr<RateCompiler> make_rate_compiler(const Model&, std::vector<double>) {
  std::exit(hand_to_whole({}));
}

}  // namespace cartan
