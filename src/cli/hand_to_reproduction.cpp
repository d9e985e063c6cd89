// cartan reproduce: a program of its own beside this one (reproduction/), which a checkout builds
// when it is first asked for.
#include <cerrno>
#include <filesystem>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/child_process.h"

namespace cartan::cli {

int hand_to_reproduction(const Words& words) {
  const std::filesystem::path program =
      std::filesystem::path(own_program()).parent_path() / "cartan-reproduce";
  std::vector<char*> arguments = {const_cast<char*>(program.c_str())};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  return complain("reproduce",
                  fmt::format("'{}' is missing; in a checkout `./cartan reproduce` builds it, by "
                              "hand `ninja -C build cartan-reproduce`",
                              program.string()),
                  exit_failed);
}

}  // namespace cartan::cli
