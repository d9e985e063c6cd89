// The description of an FMU of FMI 2.0 in XML. Variables stand in the order of their value
// references; their index, from one on, is the reference plus one.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "results/code/fmu_xml.h"

namespace cartan::results {
namespace {

std::string scalar_variable(const FmuVariable& variable, int reference, const std::string& kind,
                            const std::string& real) {
  return fmt::format(
      "    <ScalarVariable{} valueReference=\"{}\"{}{}><Real{}{}/></ScalarVariable>\n",
      attribute("name", variable.name), reference, attribute("description", variable.description),
      kind, attribute("unit", variable.unit), real);
}

std::string scalar_variables(const FmuModel& fmu) {
  const std::string continuous = " variability=\"continuous\"",
                    calculated = continuous + " initial=\"calculated\"";
  std::string text = "  <ModelVariables>\n";
  text += scalar_variable({"time", "s", "simulation time", 0}, 0,
                          " causality=\"independent\"" + continuous, "");
  int reference = fmu.state_at();
  for (int i = 0; i < fmu.nx(); ++i) {
    const bool output = std::count(fmu.state_outputs.begin(), fmu.state_outputs.end(), i) > 0;
    text += scalar_variable(fmu.states[i], reference++,
                            fmt::format(" causality=\"{}\"{} initial=\"exact\"",
                                        output ? "output" : "local", continuous),
                            number_attribute("start", fmu.states[i].start));
  }
  for (int i = 0; i < fmu.nx(); ++i)
    text += scalar_variable(
        {"der(" + fmu.states[i].name + ")", unit_of_rate(fmu.states[i].unit), "", 0}, reference++,
        " causality=\"local\"" + calculated,
        fmt::format(" derivative=\"{}\"", fmu.state_at() + i + 1));
  for (const FmuVariable& output : fmu.outputs)
    text += scalar_variable(output, reference++, " causality=\"output\"" + calculated, "");
  for (const FmuVariable& input : fmu.inputs)
    text += scalar_variable(input, reference++, " causality=\"input\"" + continuous,
                            number_attribute("start", input.start));
  for (const FmuVariable& parameter : fmu.parameters)
    text += scalar_variable(parameter, reference++,
                            " causality=\"parameter\" variability=\"tunable\" initial=\"exact\"",
                            number_attribute("start", parameter.start));
  for (const FmuVariable& indicator : fmu.indicators)
    text += scalar_variable(indicator, reference++, " causality=\"local\"" + calculated, "");
  return text + "  </ModelVariables>\n";
}

// Of outputs and derivatives: states, inputs and time are known. At the start parameters too.
std::string structure_lists(const FmuModel& fmu) {
  const auto unknown = [](int reference, const std::map<int, bool>& depends) {
    return fmt::format("      <Unknown index=\"{}\"{}/>\n", reference + 1,
                       dependency_attributes(depends, 1));
  };
  std::string outputs, rates, first;
  const std::set<int> states(fmu.state_outputs.begin(), fmu.state_outputs.end());
  for (const int state : states)
    outputs += unknown(fmu.state_at() + state, {{fmu.state_at() + state, true}});
  for (int i = 0; i < fmu.nx(); ++i) {
    rates += unknown(fmu.derivative_at() + i, dependencies_of(fmu, "jacobian", nullptr, i));
    first += unknown(fmu.derivative_at() + i, dependencies_of(fmu, "jacobian", "slopes", i));
  }
  for (int k = 0; k < static_cast<int>(fmu.outputs.size()); ++k) {
    outputs += unknown(fmu.output_at() + k, dependencies_of(fmu, "output_jacobian", nullptr, k));
    first +=
        unknown(fmu.output_at() + k, dependencies_of(fmu, "output_jacobian", "output_slopes", k));
  }
  const auto list = [](const char* name, const std::string& entries) {
    return entries.empty() ? "" : fmt::format("    <{0}>\n{1}    </{0}>\n", name, entries);
  };
  return "  <ModelStructure>\n" + list("Outputs", outputs) + list("Derivatives", rates) +
         list("InitialUnknowns", first) + "  </ModelStructure>\n";
}

}  // namespace

std::string fmu2_description(const FmuModel& fmu, const std::vector<std::string>& sources) {
  const std::string abilities =
      attribute("modelIdentifier", fmu.identifier) +
      " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\" "
      "canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"true\"";
  std::string files = "    <SourceFiles>\n";
  for (const std::string& source : sources)
    if (source.ends_with(".c")) files += "      <File" + attribute("name", source) + "/>\n";
  files += "    </SourceFiles>\n";
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription\n";
  text += "  fmiVersion=\"2.0\"\n ";
  text += attribute("modelName", fmu.title) + "\n ";
  text += attribute("guid", fmu.token) + "\n ";
  text += attribute("description", fmt::format("Equations of motion of {}. Co-simulation by {}.",
                                               fmu.title, fmu_solver)) +
          "\n ";
  text += attribute("license", "see documentation/licenses") + "\n ";
  text += attribute("version", fmu.hash) + "\n ";
  text += attribute("generationTool", "Cartan " CARTAN_VERSION) + "\n";
  text += fmt::format("  variableNamingConvention=\"flat\"\n  numberOfEventIndicators=\"{}\">\n",
                      fmu.indicators.size());
  text += fmt::format(
      "  <ModelExchange{} completedIntegratorStepNotNeeded=\"{}\">\n{}  </ModelExchange>\n",
      abilities, fmu.indicators.empty() ? "true" : "false", files);
  text += fmt::format(
      "  <CoSimulation{} canHandleVariableCommunicationStepSize=\"true\" "
      "maxOutputDerivativeOrder=\"1\">\n{}  </CoSimulation>\n",
      abilities, files);
  text += unit_definitions(fmu) + log_categories() + default_experiment(fmu) +
          scalar_variables(fmu) + structure_lists(fmu);
  return text + "</fmiModelDescription>\n";
}

}  // namespace cartan::results
