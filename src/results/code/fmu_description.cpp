// The description of an FMU of FMI 3.0 in XML, and a page about it.
#include <algorithm>

#include <fmt/format.h>

#include "results/code/fmu_xml.h"

namespace cartan::results {
namespace {

// -------------------------------------------------------------------------------------- variables

std::string float64(const FmuVariable& variable, int reference, const std::string& more) {
  return fmt::format(
      "    <Float64{} valueReference=\"{}\"{}{}{}/>\n", attribute("name", variable.name), reference,
      attribute("description", variable.description), more, attribute("unit", variable.unit));
}

std::string model_variables(const FmuModel& fmu) {
  std::string text = "  <ModelVariables>\n";
  text += float64({"time", "s", "simulation time", 0}, 0,
                  " causality=\"independent\" variability=\"continuous\"");
  int reference = fmu.state_at();
  const auto is_output = [&](int state) {
    return std::count(fmu.state_outputs.begin(), fmu.state_outputs.end(), state) > 0;
  };
  for (int i = 0; i < fmu.nx(); ++i)
    text += float64(fmu.states[i], reference++,
                    fmt::format(" causality=\"{}\" variability=\"continuous\" initial=\"exact\" "
                                "intermediateUpdate=\"true\" start=\"{}\"",
                                is_output(i) ? "output" : "local", fmu.states[i].start));
  for (int i = 0; i < fmu.nx(); ++i) {
    const FmuVariable& state = fmu.states[i];
    text += float64({"der(" + state.name + ")", unit_of_rate(state.unit), "", 0}, reference++,
                    fmt::format(" causality=\"local\" variability=\"continuous\" "
                                "initial=\"calculated\" derivative=\"{}\"",
                                fmu.state_at() + i));
  }
  for (const FmuVariable& output : fmu.outputs)
    text += float64(output, reference++,
                    " causality=\"output\" variability=\"continuous\" initial=\"calculated\" "
                    "intermediateUpdate=\"true\"");
  for (const FmuVariable& input : fmu.inputs)
    text += float64(
        input, reference++,
        " causality=\"input\" variability=\"continuous\"" + number_attribute("start", input.start));
  for (const FmuVariable& parameter : fmu.parameters)
    text += float64(parameter, reference++,
                    " causality=\"parameter\" variability=\"tunable\" initial=\"exact\"" +
                        number_attribute("start", parameter.start));
  for (const FmuVariable& indicator : fmu.indicators)
    text += float64(indicator, reference++,
                    " causality=\"local\" variability=\"continuous\" initial=\"calculated\"");
  return text + "  </ModelVariables>\n";
}

std::string model_structure(const FmuModel& fmu) {
  std::string outputs, rates, unknowns;
  const auto element = [](const char* name, int reference, const std::string& depends) {
    return fmt::format("    <{} valueReference=\"{}\"{}/>\n", name, reference, depends);
  };
  for (const int state : fmu.state_outputs) {
    const int reference = fmu.state_at() + state;
    outputs +=
        element("Output", reference,
                fmt::format(" dependencies=\"{}\" dependenciesKind=\"constant\"", reference));
  }
  for (std::size_t k = 0; k < fmu.outputs.size(); ++k) {
    const int reference = fmu.output_at() + static_cast<int>(k);
    const std::string depends = dependency_attributes(
        dependencies_of(fmu, "output_jacobian", "output_slopes", static_cast<int>(k)), 0);
    outputs += element("Output", reference, depends);
    unknowns += element("InitialUnknown", reference, depends);
  }
  for (int i = 0; i < fmu.nx(); ++i) {
    const std::string depends =
        dependency_attributes(dependencies_of(fmu, "jacobian", "slopes", i), 0);
    rates += element("ContinuousStateDerivative", fmu.derivative_at() + i, depends);
    unknowns += element("InitialUnknown", fmu.derivative_at() + i, depends);
  }
  std::string text = "  <ModelStructure>\n" + outputs + rates + unknowns;
  for (std::size_t k = 0; k < fmu.indicators.size(); ++k)
    text += element("EventIndicator", fmu.indicator_at() + static_cast<int>(k), "");
  return text + "  </ModelStructure>\n";
}

}  // namespace

std::string fmu_description(const FmuModel& fmu, const std::vector<std::string>& sources) {
  if (fmu.version == 2) return fmu2_description(fmu, sources);
  const std::string abilities =
      attribute("modelIdentifier", fmu.identifier) +
      " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" "
      "providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"";
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription\n";
  text += "  fmiVersion=\"3.0\"\n ";
  text += attribute("modelName", fmu.title) + "\n ";
  text += attribute("instantiationToken", fmu.token) + "\n ";
  text += attribute("description", fmt::format("Equations of motion of {}. Co-simulation by {}.",
                                               fmu.title, fmu_solver)) +
          "\n ";
  text += attribute("license", "see documentation/licenses") + "\n ";
  text += attribute("version", fmu.hash) + "\n ";
  text += attribute("generationTool", "Cartan " CARTAN_VERSION) + "\n";
  text += "  variableNamingConvention=\"flat\">\n";
  text += fmt::format(
      "  <ModelExchange{} needsCompletedIntegratorStep=\"{}\" "
      "providesEvaluateDiscreteStates=\"true\"/>\n",
      abilities, fmu.indicators.empty() ? "false" : "true");
  text += fmt::format(
      "  <CoSimulation{} canHandleVariableCommunicationStepSize=\"true\" "
      "maxOutputDerivativeOrder=\"1\" providesIntermediateUpdate=\"true\" "
      "mightReturnEarlyFromDoStep=\"{}\" canReturnEarlyAfterIntermediateUpdate=\"true\" "
      "hasEventMode=\"true\" providesEvaluateDiscreteStates=\"true\"/>\n",
      abilities, fmu.code.events > 0 ? "true" : "false");
  text += unit_definitions(fmu);
  text += log_categories() + default_experiment(fmu) + model_variables(fmu) + model_structure(fmu);
  return text + "</fmiModelDescription>\n";
}

std::string fmu_build_description(const FmuModel& fmu, const std::vector<std::string>& sources) {
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n";
  text += "  <BuildConfiguration" + attribute("modelIdentifier", fmu.identifier) + ">\n";
  text += "    <SourceFileSet language=\"C99\">\n";
  for (const std::string& source : sources)
    if (source.ends_with(".c")) text += "      <SourceFile" + attribute("name", source) + "/>\n";
  text +=
      "    </SourceFileSet>\n    <Library name=\"m\" description=\"mathematical functions\"/>\n";
  return text + "  </BuildConfiguration>\n</fmiBuildDescription>\n";
}

std::string fmu_page(const FmuModel& fmu) {
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>" +
                     xml_text(fmu.title) + "</title></head>\n<body>\n<h1>" + xml_text(fmu.title) +
                     "</h1>\n";
  text += "<p>Made by Cartan " CARTAN_VERSION " of the model " + fmu.hash + ". FMI " +
          std::to_string(fmu.version) +
          ".0, model exchange and co-simulation; solver of co-simulation: " + xml_text(fmu_solver) +
          ". Its tolerance is that of the initialization, else " +
          fmt::format("{}", fmu.tolerance) + ".</p>\n";
  for (const std::string& remark : fmu.remarks) text += "<p>" + xml_text(remark) + "</p>\n";
  const std::pair<const char*, const std::vector<FmuVariable>*> lists[] = {
      {"States", &fmu.states},
      {"Outputs", &fmu.outputs},
      {"Inputs", &fmu.inputs},
      {"Parameters", &fmu.parameters},
      {"Event indicators", &fmu.indicators}};
  for (const auto& [title, list] : lists) {
    if (list->empty()) continue;
    text += fmt::format("<h2>{}</h2>\n<table>\n", title);
    text += "<tr><th>name</th><th>start</th><th>unit</th><th>meaning</th></tr>\n";
    const bool computed = list == &fmu.outputs || list == &fmu.indicators;
    for (const FmuVariable& v : *list)
      text += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                          xml_text(v.name), computed ? "" : fmt::format("{}", v.start),
                          xml_text(v.unit), xml_text(v.description));
    text += "</table>\n";
  }
  return text + "</body>\n</html>\n";
}

}  // namespace cartan::results
