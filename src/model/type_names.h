// The words a model file may use for types and methods, each list in one place.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "model/force_list.h"

namespace cartan {

template <class... F>
std::vector<std::string> type_names_of(const std::variant<F...>*) {
  return {F::type...};
}
inline const std::vector<std::string> force_types =
    type_names_of(static_cast<const ForceLaw*>(nullptr));
inline const std::vector<std::string> constraint_types = {"distance", "drive", "coupler",
                                                          "rolling-disc", "knife-edge"};
inline const std::vector<std::string> formulation_names = {
    "recursive",         "moving-frame", "absolute-se3", "absolute-so3r3",
    "rotation-elements", "canonical",    "generated"};
inline const std::vector<std::string> known_integrators = {"gl1",         "gl2",
                                                           "gl3",         "gl4",
                                                           "gl5",         "gl6",
                                                           "gl7",         "gl8",
                                                           "rk4",         "rk45",
                                                           "dop853",      "rkmk4",
                                                           "rkmk45",      "generalized-alpha",
                                                           "variational", "cvode",
                                                           "ida",         "held-multipliers"};

}  // namespace cartan
