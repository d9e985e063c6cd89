// Events, outputs, variables, named values and the defaults of a run.
#include <algorithm>

#include "io/toml_section.h"
#include "io/toml_sections.h"

namespace cartan::io {
namespace {

using Kind = TomlNode::Kind;

const std::vector<KeyRule> point_keys = {{"name"}, {"body"}, {"at"}};
const std::vector<KeyRule> cut_keys = {{"name"}, {"body"}, {"at"}, {"normal"}};
const std::vector<KeyRule> event_keys = {{"name"}, {"when"}, {"direction"}, {"action"}, {"set"}};
const std::vector<KeyRule> output_keys = {{"name"}, {"value"}, {"sparse"}};
const std::vector<KeyRule> variable_keys = {{"initial"}, {"rate"}};
const std::vector<KeyRule> speed_keys = {{"value"}, {"initial"}};
const std::vector<KeyRule> simulate_keys = {{"duration"},   {"step"},      {"formulation"},
                                            {"integrator"}, {"tolerance"}, {"every"}};

// A value the check must not miss when its key is absent.
void read_required(const TomlSection& section, const std::string& key, Value& value) {
  if (section.has(key)) return section.read(key, value);
  value.reported = true;
  section.problems().error(section.where(), "missing key '" + key + "'");
}

// set = { "arm.v" = "-e*arm.v", x = 0 }
void read_jumps(const TomlNode& node, EventText& event, Diagnostics& problems) {
  if (!expect(node, Kind::table, "new values: set = { \"arm.v\" = \"-e*arm.v\" }", problems))
    return;
  for (const TomlEntry& entry : node.entries) {
    JumpText jump;
    jump.name = entry.key;
    jump.where = entry.where;
    jump.values = read_values(entry.value, problems);
    event.set.push_back(std::move(jump));
  }
}

}  // namespace

PointText read_point(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  PointText point;
  point.where = table.where;
  section.read("name", point.name, point.name_where);
  section.read("body", point.body);
  section.read("at", point.at);
  section.finish(point_keys);
  return point;
}

CutText read_cut(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  CutText cut;
  cut.where = table.where;
  section.read("name", cut.name, cut.name_where);
  section.read("body", cut.body);
  section.read("at", cut.at);
  section.read("normal", cut.normal);
  section.finish(cut_keys);
  return cut;
}

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
  if (const TomlNode* set = section.find("set")) read_jumps(*set, event, problems);
  section.finish(event_keys);
  return event;
}

namespace {

// One value, a list (a column), or a list of rows of equal length.
void read_entries(const TomlNode& node, OutputText& output, Diagnostics& problems) {
  const auto is_list = [](const TomlNode& item) { return item.is(Kind::array); };
  if (!is_list(node)) {
    const Value value = read_value(node, problems);
    if (!value.reported) output.rows = {{value}};
    return;
  }
  output.dimensions = std::any_of(node.items.begin(), node.items.end(), is_list) ? 2 : 1;
  if (node.items.empty())
    problems.error(node.where, "expected numbers or expressions in quotes, got an empty list");
  bool whole = true;
  for (const TomlNode& item : node.items) {
    Values row;
    if (output.dimensions == 2 &&
        !expect(item, Kind::array, "a row of the matrix, as a list", problems)) {
      whole = false;
      continue;
    }
    row = output.dimensions == 2 ? read_values(item, problems) : Values{read_value(item, problems)};
    if (row.empty() || row[0].reported) {
      whole = false;
    } else if (!output.rows.empty() && row.size() != output.rows[0].size()) {
      problems.error(item.where, "expected rows of equal length, got " +
                                     std::to_string(row.size()) + " after " +
                                     std::to_string(output.rows[0].size()));
      whole = false;
    } else {
      output.rows.push_back(std::move(row));
    }
  }
  if (!whole) output.rows.clear();
}

}  // namespace

OutputText read_output(const TomlNode& table, Diagnostics& problems) {
  const TomlSection section(table, problems);
  OutputText output;
  output.where = table.where;
  section.read("name", output.name, output.name_where);
  if (const TomlNode* value = section.find("value"))
    read_entries(*value, output, problems);
  else
    problems.error(section.where(), "missing key 'value'");
  section.read("sparse", output.sparse);
  if (output.sparse && output.dimensions == 0 && !output.rows.empty())
    problems.error(section.find("sparse")->where,
                   "a single value cannot be sparse; leave the key out, or write a matrix as a "
                   "list of rows");
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

// NAME = "expression", or NAME = { value = "expression", initial = number }.
std::vector<NamedValue> read_speeds(const TomlNode& table, Diagnostics& problems) {
  std::vector<NamedValue> result;
  for (const TomlEntry& entry : table.entries) {
    NamedValue speed;
    speed.name = entry.key;
    speed.where = speed.name_where = entry.where;
    if (entry.value.is(Kind::table)) {
      const TomlSection section(entry.value, problems);
      speed.value.reported = true;
      read_required(section, "value", speed.value);
      section.read("initial", speed.initial);
      section.finish(speed_keys);
    } else {
      speed.value = read_value(entry.value, problems);
    }
    result.push_back(std::move(speed));
  }
  return result;
}

std::vector<VariableText> read_variables(const TomlNode& table, Diagnostics& problems) {
  std::vector<VariableText> result;
  for (const TomlEntry& entry : table.entries) {
    if (is_equations(entry)) continue;
    VariableText variable;
    variable.name = entry.key;
    variable.where = entry.where;
    variable.table_where = entry.value.where;
    variable.initial.reported = true;
    variable.rate.emplace().reported = true;
    if (expect(entry.value, Kind::table, "{ initial = number, rate = \"expression\" }", problems)) {
      const TomlSection section(entry.value, problems);
      read_required(section, "initial", variable.initial);
      variable.rate.reset();  // `equations` may say it
      section.read("rate", variable.rate);
      section.finish(variable_keys);
    }
    result.push_back(std::move(variable));
  }
  return result;
}

}  // namespace cartan::io
