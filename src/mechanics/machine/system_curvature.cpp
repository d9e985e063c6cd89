#include "mechanics/machine/system_curvature.h"

#include "mechanics/machine/mechanism_system.h"
#include "mechanics/tree/motion_curvature.h"
#include "mechanics/variables/variables.h"
#include "mechanics/variables/variables_curvature.h"

namespace cartan::mechanics {

std::unique_ptr<StateCurvature> make_state_curvature(const System& system,
                                                     std::vector<double> parameters,
                                                     std::vector<int> which,
                                                     std::vector<Formula> functions) {
  if (const auto* plain = dynamic_cast<const VariablesSystem*>(&system))
    return make_variables_curvature(plain->model(), std::move(parameters), std::move(which),
                                    std::move(functions));
  const Model& model = dynamic_cast<const MechanicalSystem&>(system).model();
  return make_motion_curvature(model, std::move(parameters), std::move(which),
                               std::move(functions));
}

}  // namespace cartan::mechanics
