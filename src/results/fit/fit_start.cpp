#include "results/fit/fit_start.h"

#include "formulations/formulations.h"
#include "mechanics/variables/variables.h"

namespace cartan::results {

namespace {

std::vector<bool> given(const std::vector<std::optional<std::vector<double>>>& list) {
  std::vector<bool> flags;
  for (const auto& entry : list) flags.push_back(entry.has_value());
  return flags;
}

}  // namespace

StateValues start_values(const ExperimentText& text, const Model& model) {
  StateValues values;
  values.q.resize(model.joints.size());
  values.v.resize(model.joints.size());
  values.variables.resize(model.variables.size());
  for (const auto& [name, numbers] : text.q) {
    const int joint = model.find_joint(name);
    if (joint >= 0) values.q[joint] = numbers;
  }
  for (const auto& [name, numbers] : text.v) {
    const int joint = model.find_joint(name);
    if (joint >= 0) values.v[joint] = numbers;
  }
  return values;
}

std::string fill_start(const StateValues& values, const std::vector<int>& parameters,
                       FitInstance& instance) {
  const System& system = *instance.system;
  instance.start = make_start(system, values);
  const int n = system.space().size() - system.quadratures();
  const int k = static_cast<int>(parameters.size());
  instance.start_by_parameters.setZero(n, k);
  if (const auto* plain = dynamic_cast<const VariablesSystem*>(&system)) {
    std::vector<bool> known;
    for (const auto& value : values.variables) known.push_back(value.has_value());
    plain->fill_start_slopes(parameters, known, instance.start_by_parameters);
    return "";
  }
  const auto& mechanism = dynamic_cast<const MechanicalSystem&>(system);
  return mechanism.fill_start_slopes(instance.start, parameters, given(values.q), given(values.v),
                                     instance.start_by_parameters);
}

}  // namespace cartan::results
