// One reader per section of a model file.
#pragma once

#include "io/toml_tree.h"
#include "model/description.h"

namespace cartan {

BodyText read_body(const TomlNode& table, Diagnostics& problems);
JointText read_joint(const TomlNode& table, Diagnostics& problems);
ForceText read_force(const TomlNode& table, Diagnostics& problems);
ConstraintText read_constraint(const TomlNode& table, Diagnostics& problems);
EventText read_event(const TomlNode& table, Diagnostics& problems);
NamedValue read_output(const TomlNode& table, Diagnostics& problems);
SimulateText read_simulate(const TomlNode& table, Diagnostics& problems);
// [parameters], [definitions]: name = value
std::vector<NamedValue> read_named_values(const TomlNode& table, Diagnostics& problems);
std::vector<VariableText> read_variables(const TomlNode& table, Diagnostics& problems);

}  // namespace cartan
