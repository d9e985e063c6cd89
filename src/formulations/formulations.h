// The table of formulations: a row each, no class hierarchy. Adding one is one file pair and one
// row.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mechanics/machine/mechanism_system.h"

namespace cartan::formulations {

struct FormulationInfo {
  const char* name;
  const char* summary;
  // "" when the model can be run in this formulation, otherwise a sentence that says why not and
  // what to use instead.
  std::string (*refusal)(const Model& model);
  // The model must outlive the system.
  std::unique_ptr<MechanicalSystem> (*make)(const Model& model, std::vector<double> parameters);
};

const std::vector<FormulationInfo>& formulation_table();
const FormulationInfo* find_formulation(const std::string& name);

// What a system is for: numbers; a state from which equations are derived, which does without the
// values of functions known by name only; numbers for a method that steps over contacts
// (System::contact_stepping).
enum class SystemUse { numbers, derivation, stepping };

// Makes the system of a model (mechanism or [variables]) or says why not: bad names, constraints
// that cannot be satisfied, joints whose motion meets no inertia. `problem` is a sentence; `where`
// the place in the file it belongs to, if there is one.
std::unique_ptr<System> make_system(const Model& model, std::vector<double> parameters,
                                    const std::string& formulation, std::string& problem,
                                    Location* where = nullptr, SystemUse use = SystemUse::numbers);

}  // namespace cartan::formulations
