// Events, outputs, variables, named values and the defaults of a run.
#include "io/toml_section.h"
#include "io/toml_sections.h"

namespace cartan {
namespace {

using Kind = TomlNode::Kind;

const std::vector<KeyRule> event_keys = {{"name"}, {"when"}, {"direction"}, {"action"}};
const std::vector<KeyRule> output_keys = {{"name"}, {"value"}};
const std::vector<KeyRule> variable_keys = {{"initial"}, {"rate"}};
const std::vector<KeyRule> simulate_keys = {{"duration"},   {"step"},      {"formulation"},
                                            {"integrator"}, {"tolerance"}, {"every"}};

// A value the check must not miss when its key is absent.
void read_required(const TomlSection& section, const std::string& key, Value& value) {
  if (section.has(key)) return section.read(key, value);
  value.reported = true;
  section.problems().error(section.where(), "missing key '" + key + "'");
}

}  // namespace

EventText read_event(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  EventText event;
  event.where = table.where;
  section.read("name", event.name, event.name_where);
  read_required(section, "when", event.when);
  std::optional<int> direction;
  section.read("direction", direction, event.direction_where);
  event.direction = direction.value_or(0);
  section.read("action", event.action, event.action_where);
  section.finish(event_keys);
  return event;
}

NamedValue read_output(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  NamedValue output;
  output.where = table.where;
  section.read("name", output.name, output.name_where);
  read_required(section, "value", output.value);
  section.finish(output_keys);
  return output;
}

SimulateText read_simulate(const TomlNode& table, Diagnostics& problems) {
  SimulateText simulate;
  simulate.where = table.where;
  const TomlSection section(table, problems);
  section.read("duration", simulate.duration);
  section.read("step", simulate.step);
  section.read("tolerance", simulate.tolerance);
  section.read("every", simulate.every, simulate.every_where);
  section.read("formulation", simulate.formulation, simulate.formulation_where);
  section.read("integrator", simulate.integrator, simulate.integrator_where);
  section.finish(simulate_keys);
  return simulate;
}

std::vector<NamedValue> read_named_values(const TomlNode& table, Diagnostics& problems) {
  std::vector<NamedValue> result;
  for (const TomlEntry& entry : table.entries) {
    NamedValue named(entry.key, read_value(entry.value, problems));
    named.where = named.name_where = entry.where;
    result.push_back(std::move(named));
  }
  return result;
}

std::vector<VariableText> read_variables(const TomlNode& table, Diagnostics& problems) {
  std::vector<VariableText> result;
  for (const TomlEntry& entry : table.entries) {
    VariableText variable;
    variable.name = entry.key;
    variable.where = entry.where;
    variable.initial.reported = variable.rate.reported = true;
    if (expect(entry.value, Kind::table, "{ initial = number, rate = \"expression\" }", problems)) {
      const TomlSection section(entry.value, problems);
      read_required(section, "initial", variable.initial);
      read_required(section, "rate", variable.rate);
      section.finish(variable_keys);
    }
    result.push_back(std::move(variable));
  }
  return result;
}

}  // namespace cartan
