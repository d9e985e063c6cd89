// Names: present, well-formed, unique; and what every expression may refer to.
#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/printable.h"
#include "core/source_files.h"
#include "model/check/check_context.h"

namespace cartan::model {
namespace {

// Names of one kind, each seen once.
class NameList {
 public:
  NameList(const char* kind, Diagnostics& problems) : kind_(kind), problems_(problems) {}

  // `table`: where to point when the name is missing; `place`: of the name.
  void add(const std::string& name, Location place, Location table) {
    if (name.empty()) {
      if (place.line == 0) problems_.error(table, std::string("missing key 'name' of a ") + kind_);
      return;
    }
    if (place.line == 0) place = table;
    if (name.find_first_of(",[]'\"\n\r\t") != std::string::npos || name.front() == ' ' ||
        name.back() == ' ' || !is_printable(name))
      problems_.error(place, std::string("the name of a ") + kind_ +
                                 " must not contain commas, brackets, quotes, tabs, line ends or "
                                 "control characters, nor begin or end with a blank");
    const auto [first, is_new] = seen_.try_emplace(name, place);
    if (is_new) return;
    std::string message = std::string("duplicate ") + kind_ + " name '" + name + "'";
    if (place.line > 0 && place.line == first->second.line &&
        place.column == first->second.column) {
      // the copies of one table: told once
      if (!repeated_.insert(name).second) return;
      message += "; the copies of a table with `repeat` need names of their own: '" + name + "{i}'";
    } else if (first->second.line > 0) {
      message += "; the first is in " + line_text(first->second);
    }
    problems_.error(place, message);
  }

 private:
  const char* kind_;
  Diagnostics& problems_;
  std::unordered_map<std::string, Location> seen_;
  std::unordered_set<std::string> repeated_;
};

bool is_identifier(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !letter(name[0])) return false;
  for (char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

// Names that stand in expressions by themselves: parameters, definitions, variables.
class PlainNames {
 public:
  explicit PlainNames(CheckContext& check) : check_(check) {}

  void add(const char* kind, const std::string& name, Location place) {
    Diagnostics& problems = check_.problems;
    const std::string whose = std::string("the ") + kind + " '" + name + "'";
    if (!is_identifier(name))
      problems.error(place, "'" + name + "' cannot be the name of a " + kind +
                                "; expected letters, digits and _, not beginning with a digit");
    if (name == "t" || name == "pi")
      problems.error(place, "'" + name + "' is reserved and cannot be the name of a " + kind);
    if ((name == "kinetic" || name == "potential") && describes_mechanism(check_.text))
      problems.warning(place, whose + " hides the energy of that name");
    const auto [first, is_new] = seen_.try_emplace(name, kind);
    if (is_new) return;
    problems.error(place, first->second == std::string_view(kind)
                              ? std::string("duplicate ") + kind + " name '" + name + "'"
                              : whose + " has the name of a " + std::string(first->second));
  }

 private:
  CheckContext& check_;
  std::unordered_map<std::string, std::string_view> seen_;
};

template <class T>
void check_list(const char* kind, const std::vector<T>& list, Diagnostics& problems) {
  NameList names(kind, problems);
  for (const T& item : list) names.add(item.name, item.name_where, item.where);
}
// Elements that get a name if they have none.
template <class T>
void check_optional_list(const char* kind, const std::vector<T>& list, Diagnostics& problems) {
  NameList names(kind, problems);
  for (const T& item : list)
    if (!item.name.empty()) names.add(item.name, item.name_where, item.where);
}

void check_plain_names(CheckContext& check) {
  PlainNames plain(check);
  for (const NamedValue& parameter : check.text.parameters) {
    plain.add("parameter", parameter.name, parameter.where);
    check.names.add_parameter(parameter.name);
  }
  for (const NamedValue& input : check.text.inputs) {
    plain.add("input", input.name, input.where);
    if (!find_signal(check.text, input.name)) check.names.add_input(input.name);
  }
  for (const NamedValue& definition : check.text.definitions)
    plain.add("definition", definition.name, definition.where);
  for (const NamedValue& speed : check.text.speeds) plain.add("speed", speed.name, speed.where);
  for (const VariableText& variable : check.text.variables) {
    plain.add("variable", variable.name, variable.where);
    check.names.add_variable(variable.name);
  }
}

// Columns trajectory.csv has anyway.
void check_output_names(CheckContext& check) {
  const bool mechanism = describes_mechanism(check.text);
  const auto is_column = [&](const std::string& name) {
    return name == "t" || (mechanism && (name == "kinetic" || name == "potential" ||
                                         name == "energy" || name == "constraint"));
  };
  const auto complain = [&](const char* kind, const std::string& name, Location where) {
    if (is_column(name) && name != "t")
      check.problems.error(where, "the " + std::string(kind) + " '" + name +
                                      "' has the name of a column that is always written");
  };
  for (const VariableText& variable : check.text.variables)
    complain("variable", variable.name, variable.where);
  for (const NamedValue& input : check.text.inputs) complain("input", input.name, input.where);
  for (const NamedValue& speed : check.text.speeds) complain("speed", speed.name, speed.where);
  for (const OutputText& output : check.text.outputs) {
    const std::string& name = output.name;
    const auto is_it = [&](const NamedValue& item) { return item.name == name; };
    const bool taken = std::any_of(check.text.inputs.begin(), check.text.inputs.end(), is_it) ||
                       std::any_of(check.text.speeds.begin(), check.text.speeds.end(), is_it);
    if (is_column(name) || taken || check.names.find_variable(name) >= 0)
      check.problems.error(
          output.name_where,
          "the output '" + name + "' has the name of a column that is always written");
  }
}

}  // namespace

void check_names(CheckContext& check) {
  const ModelDescription& text = check.text;
  if (!is_printable(text.name))
    check.problems.error(text.where,
                         "the name of the model must not contain line ends or control characters");
  check_plain_names(check);
  check_list("body", text.bodies, check.problems);
  check_list("joint", text.joints, check.problems);
  check_list("event", text.events, check.problems);
  check_list("output", text.outputs, check.problems);
  check_optional_list("force", text.forces, check.problems);
  check_optional_list("constraint", text.constraints, check.problems);
  check_optional_list("contact", text.contacts, check.problems);
  check_output_names(check);
  for (const BodyText& body : text.bodies) {
    check.names.add_body(body.name);
    if (body.name == "world")
      check.problems.error(body.name_where,
                           "'world' is the fixed frame and cannot be the name of a body");
  }
  check_list("cut", text.cuts, check.problems);
  check_list("point", text.points, check.problems);
  for (const PointText& point : text.points) {
    check.names.add_point(point.name);
    if (check.names.find_body(point.name) >= 0)
      check.problems.error(point.name_where.line > 0 ? point.name_where : point.where,
                           "the point '" + point.name + "' has the name of a body");
  }
  for (const ConstraintText& constraint : text.constraints)
    check.names.add_constraint(constraint.name);
  for (const JointText& joint : text.joints)
    check.names.add_joint(joint.name, joint_type_from_name(joint.type));
}

}  // namespace cartan::model
