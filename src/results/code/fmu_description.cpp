// The description of an FMU in XML, and a page about it.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "results/code/fmu_model.h"

namespace cartan::results {
namespace {

// Text in an attribute or between tags; what XML does not know becomes a space.
std::string xml_text(const std::string& text) {
  std::string result;
  for (const unsigned char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c < 32 ? ' ' : static_cast<char>(c);
  }
  return result;
}

std::string attribute(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, xml_text(value));
}
std::string number_attribute(const char* name, double value) {
  return fmt::format(" {}=\"{}\"", name, value);
}

// ------------------------------------------------------------------------------------------ units

struct BaseUnit {
  int kg = 0, m = 0, s = 0, rad = 0;
};
const std::map<std::string, BaseUnit>& known_units() {
  static const std::map<std::string, BaseUnit> units = {
      {"s", {0, 0, 1, 0}},        {"rad", {0, 0, 0, 1}},
      {"rad/s", {0, 0, -1, 1}},   {"rad/s^2", {0, 0, -2, 1}},
      {"m", {0, 1, 0, 0}},        {"m/s", {0, 1, -1, 0}},
      {"m/s^2", {0, 1, -2, 0}},   {"1", {}},
      {"1/s", {0, 0, -1, 0}},     {"N", {1, 1, -2, 0}},
      {"N m", {1, 2, -2, 0}},     {"J", {1, 2, -2, 0}},
      {"W", {1, 2, -3, 0}},       {"kg m/s", {1, 1, -1, 0}},
      {"kg m^2/s", {1, 2, -1, 0}}};
  return units;
}

std::string unit_of_rate(const std::string& unit) {
  static const std::map<std::string, std::string> rates = {
      {"rad", "rad/s"}, {"rad/s", "rad/s^2"}, {"m", "m/s"}, {"m/s", "m/s^2"}, {"1", "1/s"}};
  const auto found = rates.find(unit);
  return found == rates.end() ? "" : found->second;
}

std::string unit_definitions(const FmuModel& fmu) {
  std::set<std::string> used = {"s"};
  for (const auto* list : {&fmu.states, &fmu.outputs, &fmu.inputs, &fmu.parameters})
    for (const FmuVariable& variable : *list) {
      if (!variable.unit.empty()) used.insert(variable.unit);
      const std::string rate = list == &fmu.states ? unit_of_rate(variable.unit) : "";
      if (!rate.empty()) used.insert(rate);
    }
  std::string text = "  <UnitDefinitions>\n";
  for (const std::string& unit : used) {
    text += "    <Unit" + attribute("name", unit);
    const auto known = known_units().find(unit);
    if (known == known_units().end()) {
      text += "/>\n";
      continue;
    }
    text += "><BaseUnit";
    const BaseUnit& base = known->second;
    for (const auto& [name, power] : {std::pair{"kg", base.kg}, std::pair{"m", base.m},
                                      std::pair{"s", base.s}, std::pair{"rad", base.rad}})
      if (power != 0) text += fmt::format(" {}=\"{}\"", name, power);
    text += "/></Unit>\n";
  }
  return text + "  </UnitDefinitions>\n";
}

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

// ---------------------------------------------------------------------------------- dependencies

// What row `row` of two sparse matrices depends on, by (x, u, t) and by p.
std::string dependencies(const FmuModel& fmu, const char* jacobian, const char* slopes, int row) {
  std::map<int, bool> found;  // reference: whether the derivative is a number
  const auto gather = [&](const char* name, auto&& reference_of) {
    const CodeFunction* function = fmu.code.find(name);
    if (!function) return;
    const CodeMatrix& matrix = function->outputs[0];
    for (std::size_t k = 0; k < matrix.row.size(); ++k)
      if (matrix.row[k] == row)
        found[reference_of(matrix.column[k])] = matrix.entries[k].is_number();
  };
  const int nx = fmu.nx(), nu = static_cast<int>(fmu.inputs.size());
  gather(jacobian, [&](int column) {
    return column < nx        ? fmu.state_at() + column
           : column < nx + nu ? fmu.input_at() + column - nx
                              : 0;
  });
  gather(slopes, [&](int column) { return fmu.parameter_at() + column; });
  std::string list, kinds;
  for (const auto& [reference, constant] : found) {
    list += (list.empty() ? "" : " ") + std::to_string(reference);
    kinds += (kinds.empty() ? "" : " ") + std::string(constant ? "constant" : "dependent");
  }
  return fmt::format(" dependencies=\"{}\" dependenciesKind=\"{}\"", list, kinds);
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
    const std::string depends =
        dependencies(fmu, "output_jacobian", "output_slopes", static_cast<int>(k));
    outputs += element("Output", reference, depends);
    unknowns += element("InitialUnknown", reference, depends);
  }
  for (int i = 0; i < fmu.nx(); ++i) {
    const std::string depends = dependencies(fmu, "jacobian", "slopes", i);
    rates += element("ContinuousStateDerivative", fmu.derivative_at() + i, depends);
    unknowns += element("InitialUnknown", fmu.derivative_at() + i, depends);
  }
  std::string text = "  <ModelStructure>\n" + outputs + rates + unknowns;
  for (std::size_t k = 0; k < fmu.indicators.size(); ++k)
    text += element("EventIndicator", fmu.indicator_at() + static_cast<int>(k), "");
  return text + "  </ModelStructure>\n";
}

std::string experiment(const FmuModel& fmu) {
  std::string text = "  <DefaultExperiment" + number_attribute("startTime", fmu.start_time);
  if (fmu.stop_time) text += number_attribute("stopTime", *fmu.stop_time);
  text += number_attribute("tolerance", fmu.tolerance);
  if (fmu.step) text += number_attribute("stepSize", *fmu.step);
  return text + "/>\n";
}

}  // namespace

std::string fmu_description(const FmuModel& fmu) {
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
  text +=
      "  <LogCategories>\n"
      "    <Category name=\"logEvents\" description=\"events of the model\"/>\n"
      "    <Category name=\"logStatusWarning\" description=\"what may be wrong\"/>\n"
      "    <Category name=\"logStatusDiscard\" description=\"steps that cannot be made\"/>\n"
      "    <Category name=\"logStatusError\" description=\"calls that cannot be answered\"/>\n"
      "  </LogCategories>\n";
  text += experiment(fmu) + model_variables(fmu) + model_structure(fmu);
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
  text += "<p>Made by Cartan " CARTAN_VERSION " of the model " + fmu.hash +
          ". Model exchange and co-simulation; solver of co-simulation: " + xml_text(fmu_solver) +
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
