#include "results/code/fmu_xml.h"

#include <set>

#include <fmt/format.h>

namespace cartan::results {
namespace {

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

}  // namespace

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

std::string log_categories() {
  return "  <LogCategories>\n"
         "    <Category name=\"logEvents\" description=\"events of the model\"/>\n"
         "    <Category name=\"logStatusWarning\" description=\"what may be wrong\"/>\n"
         "    <Category name=\"logStatusDiscard\" description=\"steps that cannot be made\"/>\n"
         "    <Category name=\"logStatusError\" description=\"calls that cannot be answered\"/>\n"
         "  </LogCategories>\n";
}

std::string default_experiment(const FmuModel& fmu) {
  std::string text = "  <DefaultExperiment" + number_attribute("startTime", fmu.start_time);
  if (fmu.stop_time) text += number_attribute("stopTime", *fmu.stop_time);
  text += number_attribute("tolerance", fmu.tolerance);
  if (fmu.step) text += number_attribute("stepSize", *fmu.step);
  return text + "/>\n";
}

std::map<int, bool> dependencies_of(const FmuModel& fmu, const char* jacobian, const char* slopes,
                                    int row) {
  std::map<int, bool> found;
  const auto gather = [&](const char* name, auto&& reference_of) {
    const CodeFunction* function = name ? fmu.code.find(name) : nullptr;
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
  return found;
}

std::string dependency_attributes(const std::map<int, bool>& found, int shift) {
  std::string list, kinds;
  for (const auto& [reference, constant] : found) {
    list += (list.empty() ? "" : " ") + std::to_string(reference + shift);
    kinds += (kinds.empty() ? "" : " ") + std::string(constant ? "constant" : "dependent");
  }
  return fmt::format(" dependencies=\"{}\" dependenciesKind=\"{}\"", list, kinds);
}

}  // namespace cartan::results
