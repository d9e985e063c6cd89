// The words a model file may use for types, each list in one place; those for methods are
// in core/method_names.h.
#pragma once

#include <string>
#include <vector>

namespace cartan {

inline const std::vector<std::string> force_types = {"spring",    "torsion",  "wrench", "joint",
                                                     "potential", "friction", "drag"};
inline const std::vector<std::string> constraint_types = {"distance", "drive", "coupler",
                                                          "rolling-disc", "knife-edge"};
inline const std::vector<std::string> torsion_measures = {"rotation-vector", "euler321",
                                                          "euler321-literal"};

}  // namespace cartan
