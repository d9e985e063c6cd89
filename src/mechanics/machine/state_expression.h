// Expressions over the names of a model (JOINT.q, BODY.vx, kinetic, ...) as functions of the state.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "mechanics/machine/motion_workspace.h"
#include "mechanics/machine/parameter_seeds.h"
#include "system/state_function.h"

namespace cartan::mechanics {

// Where a mechanism's system keeps its scratch, by scalar.
struct MotionScratch {
  std::function<MotionWorkspace<double>*(Workspace&)> real;
  std::function<MotionWorkspace<Dual4>*(Workspace&)> dual;
  // The mechanisms in which parameters are dual numbers, four each (parameter_seeds.h).
  std::function<SeededMechanisms<MotionWorkspace<Dual4>>*(Workspace&, std::span<const int>)> seeded;
};

// x = (q, v, ...) in the mechanism's own coordinates. The mechanisms must outlive the function.
std::unique_ptr<StateFunction> make_mechanism_function(const Mechanism<double>& mechanism,
                                                       const Mechanism<Dual4>& dual,
                                                       MotionScratch scratch, Formula formula);

// Compiles `text` against a model of which `system` was made (mechanism or [variables]). Null, with
// one sentence per problem, when the text is wrong or the formulation has no such functions.
std::unique_ptr<StateFunction> make_state_function(const System& system, const Model& model,
                                                   const std::string& text, std::string& problem);

// The same of a formula that is compiled already; null where the formulation has no such functions.
std::unique_ptr<StateFunction> make_state_function(const System& system, Formula formula);

}  // namespace cartan::mechanics
