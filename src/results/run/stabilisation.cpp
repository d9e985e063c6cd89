#include "results/run/stabilisation.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/terminal/arguments.h"
#include "mechanics/machine/mechanism_system.h"
#include "results/load/load.h"

namespace cartan {

void declare_stabilisation(Arguments& arguments, std::string& target) {
  arguments.option("--stabilisation", "HOW",
                   "how constraints are kept: projection, none or baumgarte (default: projection). "
                   "With none explicit methods leave the length of quaternions alone, too",
                   target);
}

bool check_stabilisation(const std::string& command, const std::string& name) {
  const std::vector<std::string> known = {"projection", "none", "baumgarte"};
  if (std::find(known.begin(), known.end(), name) != known.end()) return true;
  const std::string near = suggestion(name, known);
  fmt::print(stderr, "cartan {}: --stabilisation: unknown '{}'{}\n", command, name,
             near.empty() ? "; expected projection, none or baumgarte" : near);
  return false;
}

void stabilise(const std::string& how, System& system, SimulateOptions& options) {
  options.project = how == "projection";
  options.normalise = how != "none";
  auto* mechanism = dynamic_cast<MechanicalSystem*>(&system);
  if (mechanism && how == "baumgarte") mechanism->set_baumgarte(0.2 / options.step);
}

}  // namespace cartan
