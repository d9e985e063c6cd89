// One reader per section of a model file.
#pragma once

#include "io/toml_tree.h"
#include "model/description.h"

namespace cartan::io {

BodyText read_body(const TomlNode& table, Diagnostics& problems);
JointText read_joint(const TomlNode& table, Diagnostics& problems);
ForceText read_force(const TomlNode& table, Diagnostics& problems);
ConstraintText read_constraint(const TomlNode& table, Diagnostics& problems);
ContactText read_contact(const TomlNode& table, Diagnostics& problems);
// [[contacts]]: a contact per pair of bodies, whose shapes must have been read.
void read_contact_groups(const TomlNode& list, ModelDescription& model, Diagnostics& problems);
EventText read_event(const TomlNode& table, Diagnostics& problems);
OutputText read_output(const TomlNode& table, Diagnostics& problems);
SimulateText read_simulate(const TomlNode& table, Diagnostics& problems);
// [parameters], [definitions]: name = value
std::vector<NamedValue> read_named_values(const TomlNode& table, Diagnostics& problems);
std::vector<NamedValue> read_speeds(const TomlNode& table, Diagnostics& problems);
PointText read_point(const TomlNode& table, Diagnostics& problems);
CutText read_cut(const TomlNode& table, Diagnostics& problems);
std::vector<FunctionText> read_functions(const TomlNode& table, Diagnostics& problems);
std::vector<VariableText> read_variables(const TomlNode& table, Diagnostics& problems);
// `equations`: at the head of the file, or behind the variables and so, for TOML, among them.
Values read_equations(const TomlNode& list, Diagnostics& problems);
inline bool is_equations(const TomlEntry& entry) {
  return entry.key == "equations" && entry.value.is(TomlNode::Kind::array);
}

}  // namespace cartan::io
