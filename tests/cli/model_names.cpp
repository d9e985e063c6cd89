#include "cli/model_names.h"

#include "core/method_names.h"
#include "model/type_names.h"

namespace cartan::test {

std::set<std::string> model_file_formulations() {
  return {formulation_names.begin(), formulation_names.end()};
}
std::set<std::string> model_file_integrators() {
  return {known_integrators.begin(), known_integrators.end()};
}
std::set<std::string> model_file_forces() {
  return {force_types.begin(), force_types.end()};
}
std::set<std::string> model_file_constraints() {
  return {constraint_types.begin(), constraint_types.end()};
}
std::set<std::string> model_file_measures() {
  return {torsion_measures.begin(), torsion_measures.end()};
}

}  // namespace cartan::test
