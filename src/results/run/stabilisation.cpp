#include "results/run/stabilisation.h"

#include <algorithm>

#include <fmt/format.h>

#include "mechanics/machine/mechanism_system.h"
#include "results/load/load.h"
#include "results/refusal.h"

namespace cartan::results {

void check_stabilisation(const std::string& command, const std::string& name) {
  const std::vector<std::string> known = {"projection", "none", "baumgarte"};
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string near = suggestion(name, known);
  refuse(command, fmt::format("--stabilisation: unknown '{}'{}", name,
                              near.empty() ? "; expected projection, none or baumgarte" : near));
}

void stabilise(const std::string& how, System& system, SimulateOptions& options) {
  options.project = how == "projection";
  options.normalise = how != "none";
  auto* mechanism = dynamic_cast<MechanicalSystem*>(&system);
  if (mechanism && how == "baumgarte") mechanism->set_baumgarte(0.2 / options.step);
}

void check_row_axes(const std::string& command, const std::string& name) {
  if (name.empty() || name == "joint" || name == "world") return;
  refuse(command, fmt::format("--rows: unknown '{}'; expected joint or world", name));
}

void choose_row_axes(const std::string& command, const std::string& name, System& system) {
  if (name != "world") return;
  auto* mechanism = dynamic_cast<MechanicalSystem*>(&system);
  const std::string problem = mechanism ? mechanism->set_world_rows(true)
                                        : "a file with [variables] has no joints; leave it out";
  if (!problem.empty()) refuse(command, "--rows world: " + problem);
}

}  // namespace cartan::results
