#include "results/design/free_values.h"

#include <cctype>

#include <fmt/format.h>

#include "results/design/ik_targets.h"
#include "results/load/model_variants.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

// JOINT.q, JOINT.v[1], JOINT.q0: the joint, whether it is a speed, the component.
bool split_initial_value(const ModelDescription& description, const std::string& name, int& joint,
                         bool& speed, int& component) {
  for (std::size_t j = 0; j < description.joints.size(); ++j) {
    const std::string& own = description.joints[j].name;
    if (name.size() < own.size() + 2 || name.compare(0, own.size(), own) != 0) continue;
    std::string rest = name.substr(own.size());
    if (rest.compare(0, 2, ".q") != 0 && rest.compare(0, 2, ".v") != 0) continue;
    speed = rest[1] == 'v';
    rest = rest.substr(2);
    if (rest.size() > 2 && rest.front() == '[' && rest.back() == ']')
      rest = rest.substr(1, rest.size() - 2);
    component = 0;
    for (const char c : rest) {
      if (c < '0' || c > '9' || component > 100) return false;
      component = 10 * component + (c - '0');
    }
    joint = static_cast<int>(j);
    return true;
  }
  return false;
}

bool is_plain_name(const std::string& name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  for (const char c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  return true;
}

// An initial value becomes a parameter of the model: derivatives of the start by parameters are
// known. "" or why not.
std::string free_initial_value(ModelDescription& description, const Model& model, FreeEntry& entry,
                               const std::optional<std::string>& start) {
  entry.parameter = fmt::format("start_{}_of_optimise", description.parameters.size());
  Value value(entry.parameter);
  Value begin(0.0);
  int joint = 0, component = 0;
  bool speed = false;
  const int variable = [&] {
    for (std::size_t k = 0; k < description.variables.size(); ++k)
      if (description.variables[k].name == entry.name) return static_cast<int>(k);
    return -1;
  }();
  if (variable >= 0) {
    begin = description.variables[variable].initial;
    description.variables[variable].initial = value;
  } else if (split_initial_value(description, entry.name, joint, speed, component)) {
    JointText& text = description.joints[joint];
    const Joint& known = model.joints[joint];
    if (!speed && has_quaternion(known.type))
      return fmt::format(
          "'{}': the rotation of a {} joint has no single number to vary; write its position with "
          "a parameter of the file (an angle) and vary that",
          entry.name, text.type);
    if (component >= known.nv()) return fmt::format("'{}' does not exist", entry.name);
    Values& list = speed ? text.velocity : text.position.coordinates;
    if (static_cast<int>(list.size()) < known.nv()) list.resize(known.nv(), Value(0.0));
    begin = list[component];
    list[component] = value;
    (speed ? text.velocity_given : text.position.given) = true;
  } else {
    if (!start || !is_plain_name(entry.name)) return explain_unknown_free(entry.name);
    entry.added = true;
    entry.parameter = entry.name;
  }
  NamedValue parameter;
  parameter.name = entry.parameter;
  parameter.value = start ? Value(*start) : begin;
  description.parameters.push_back(std::move(parameter));
  return "";
}

FreeEntry read_free_entry(const char* command, const std::string& word,
                          const std::vector<FreeEntry>& before, std::optional<std::string>& start) {
  const auto sides = split_equation(word);
  FreeEntry entry;
  entry.name = sides ? sides->first : word;
  if (sides) start = sides->second;
  if (entry.name.empty() || (start && start->empty()))
    refuse(command, "--free: expected names, separated by commas, each with =START or not");
  for (const FreeEntry& other : before)
    if (other.name == entry.name)
      refuse(command, fmt::format("--free: '{}' is named twice", entry.name));
  return entry;
}

}  // namespace

std::string explain_unknown_free(const std::string& name) {
  return fmt::format(
      "'{}' is neither a parameter nor an initial value (JOINT.q, JOINT.v[i], a variable), nor "
      "does "
      "an expression mention it",
      name);
}

FreeModel load_free(const char* command, const ModelArguments& source, const std::string& free,
                    const api::Watch& watch) {
  ModelArguments arguments = source;
  FreeModel result;
  std::unique_ptr<const Model> model = load_model(arguments, watch);
  ModelDescription description = read_description(arguments);
  bool changed = false;
  const auto words = split_list("[" + free + "]");
  if (!words) refuse(command, "--free: expected names, separated by commas");
  for (const std::string& word : *words) {
    std::optional<std::string> start;
    FreeEntry entry = read_free_entry(command, word, result.free, start);
    if (model->find_parameter(entry.name) >= 0) {
      entry.parameter = entry.name;
      if (start) arguments.sets.push_back(entry.name + "=" + *start);
      changed |= start.has_value();
    } else {
      const std::string problem = free_initial_value(description, *model, entry, start);
      if (!problem.empty()) refuse(command, "--free: " + problem);
      changed = true;
    }
    result.free.push_back(std::move(entry));
  }
  result.model = changed ? make_model(description, arguments) : std::move(model);
  for (const FreeEntry& entry : result.free)
    result.which.push_back(result.model->find_parameter(entry.parameter));
  return result;
}

}  // namespace cartan::results
