// Derivations by hand in the vector language (docs/vector_language.md): what each of them leaves
// behind, and numbers from it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "symbolic/vectors/dependent_speeds.h"
#include "symbolic/vectors/kane_system.h"

namespace cartan::derivations {

struct Derivation {
  ExpressionGraph graph;
  Kinematics kinematics{graph};
  Frames frames{kinematics};
  MotionEquations equations;
};

// Values of symbols by name; those not named keep their sample values.
using Values = std::map<std::string, double>;

std::vector<double> evaluate(const Derivation& derivation,
                             const std::vector<Expression>& expressions, const Values& at);
// u' from M u' = f.
std::vector<double> accelerations(const Derivation& derivation, const Values& at);
// The same values and the accelerations, under the names u1', ...
Values with_accelerations(const Derivation& derivation, Values at);

}  // namespace cartan::derivations
