#include "study/vary_target.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "model/model.h"

namespace cartan::study {
namespace {

// JOINT.q, JOINT.q[1], JOINT.q1: the joint's name, the letter, the index.
struct StartName {
  std::string joint;
  char letter = 'q';
  int index = -1;
};

std::optional<StartName> read_start_name(std::string text) {
  StartName name;
  const auto digits = [](std::string_view part, int& number) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    return error == std::errc() && end == part.data() + part.size() && number >= 0;
  };
  if (!text.empty() && text.back() == ']') {
    const std::size_t open = text.rfind('[');
    if (open == std::string::npos ||
        !digits(std::string_view(text).substr(open + 1, text.size() - open - 2), name.index))
      return std::nullopt;
    text.resize(open);
  }
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 >= text.size()) return std::nullopt;
  const std::string_view rest = std::string_view(text).substr(dot + 1);
  if (rest[0] != 'q' && rest[0] != 'v') return std::nullopt;
  name.letter = rest[0];
  if (rest.size() > 1 && (name.index >= 0 || !digits(rest.substr(1), name.index)))
    return std::nullopt;
  name.joint = text.substr(0, dot);
  if (name.joint.size() > 2 && name.joint.front() == '\'' && name.joint.back() == '\'')
    name.joint = name.joint.substr(1, name.joint.size() - 2);
  return name;
}

template <class List>
int index_of(const List& list, const std::string& name) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].name == name) return static_cast<int>(i);
  return -1;
}

std::vector<std::string> names_that_vary(const ModelDescription& description) {
  std::vector<std::string> names;
  for (const NamedValue& p : description.parameters) names.push_back(p.name);
  for (const VariableText& v : description.variables) names.push_back(v.name);
  for (const JointText& j : description.joints)
    for (const char* letter : {".q", ".v"}) names.push_back(j.name + letter);
  return names;
}

std::optional<VaryTarget> find_joint_value(const StartName& name, int joint,
                                           const ModelDescription& description,
                                           std::string& problem) {
  const JointText& text = description.joints[joint];
  const std::optional<JointType> type = joint_type_from_name(text.type);
  const bool position = name.letter == 'q';
  VaryTarget target{position ? VaryTarget::Kind::position : VaryTarget::Kind::speed, joint, 0};
  const int count = type ? (position ? info(*type).nq : info(*type).nv) : 0;
  const std::string shown = fmt::format("{}.{}", text.name, name.letter);
  if (count == 0) {
    problem = fmt::format("joint '{}' ({}) has no {} to vary", text.name, text.type,
                          position ? "coordinates" : "speeds");
    return std::nullopt;
  }
  if (name.index < 0 && count > 1) {
    problem = fmt::format("'{}' has {} numbers; expected one of them, {}[0] to {}[{}]", shown,
                          count, shown, shown, count - 1);
    return std::nullopt;
  }
  target.component = std::max(0, name.index);
  if (target.component >= count) {
    problem =
        fmt::format("'{}' has {} numbers, counted from 0; got [{}]", shown, count, name.index);
    return std::nullopt;
  }
  const bool rotation = type && has_quaternion(*type);
  if (!position || !rotation) return target;
  if (target.component < 4) {
    problem = fmt::format(
        "'{}[{}]' is part of a rotation, whose four numbers cannot vary one by one; write the "
        "joint's position with a parameter (axis and angle, or rpy) and vary that",
        shown, target.component);
    return std::nullopt;
  }
  target.component -= 4;
  return target;
}

// The numbers of a list, filled up with zeros where nothing was written.
Value& entry(Values& values, int component, int count) {
  while (static_cast<int>(values.size()) < count) values.push_back(Value(0));
  return values[static_cast<std::size_t>(component)];
}

}  // namespace

std::optional<VaryTarget> find_vary_target(const std::string& name,
                                           const ModelDescription& description,
                                           std::string& problem) {
  if (const int p = index_of(description.parameters, name); p >= 0)
    return VaryTarget{VaryTarget::Kind::parameter, p, 0};
  if (const int v = index_of(description.variables, name); v >= 0)
    return VaryTarget{VaryTarget::Kind::variable, v, 0};
  if (const std::optional<StartName> start = read_start_name(name))
    if (const int j = index_of(description.joints, start->joint); j >= 0)
      return find_joint_value(*start, j, description, problem);
  const std::string near = nearest_name(name, names_that_vary(description));
  problem = fmt::format(
      "'{}' is neither a parameter of the model nor an initial value (JOINT.q, "
      "JOINT.v, a variable){}",
      name, near.empty() ? "" : "; did you mean '" + near + "'?");
  return std::nullopt;
}

std::string make_parameter(const VaryTarget& target, ModelDescription& description) {
  if (target.is_parameter())
    return description.parameters[static_cast<std::size_t>(target.index)].name;
  std::string name;
  for (int k = 0; name.empty() || index_of(description.parameters, name) >= 0 ||
                  index_of(description.definitions, name) >= 0;
       ++k)
    name = fmt::format("varied_start_{}", k);
  Value* place = nullptr;
  if (target.kind == VaryTarget::Kind::variable) {
    place = &description.variables[static_cast<std::size_t>(target.index)].initial;
  } else {
    JointText& joint = description.joints[static_cast<std::size_t>(target.index)];
    const JointType type = *joint_type_from_name(joint.type);
    if (target.kind == VaryTarget::Kind::speed) {
      joint.velocity_given = true;
      place = &entry(joint.velocity, target.component, info(type).nv);
    } else {
      joint.position.given = true;
      place = type == JointType::free
                  ? &entry(joint.position.at, target.component, 3)
                  : &entry(joint.position.coordinates, target.component, info(type).nv);
    }
  }
  description.parameters.emplace_back(name, *place);
  *place = Value(name);
  return name;
}

}  // namespace cartan::study
