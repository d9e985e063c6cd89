#include "results/load/trust.h"

#include <filesystem>
#include <fstream>

#include "core/environment.h"
#include "core/private_folder.h"
#include "model/consent.h"
#include "results/task.h"

namespace cartan::results {
namespace fs = std::filesystem;

std::string trust_list_path() {
  for (const auto& [variable, below] : {std::pair{"XDG_CONFIG_HOME", "cartan/trusted"},
                                        std::pair{"HOME", ".config/cartan/trusted"}})
    if (const char* folder = environment(variable); folder && fs::path(folder).is_absolute())
      return (fs::path(folder) / below).string();
  return "";
}

bool is_on_trust_list(const std::string& model, const api::Watch& watch) {
  const std::string list = trust_list_path();
  std::error_code ignored;
  if (list.empty() || !fs::exists(list, ignored)) return false;
  std::string why;
  if (!is_private_file(list, why)) {
    tell(watch, "cartan: the list of trusted models is not believed: " + why);
    return false;
  }
  std::ifstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    if (fs::path(line).is_absolute() && lies_in(model, line)) return true;
  }
  return false;
}

}  // namespace cartan::results
