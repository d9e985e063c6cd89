#include "model/names.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "core/column_name.h"

namespace cartan::model {
namespace {

struct Suffix {
  const char* text;
  Quantity quantity;
  int component;
};
constexpr std::array<Suffix, 9> point_suffixes = {{{"x", Quantity::point_position, 0},
                                                   {"y", Quantity::point_position, 1},
                                                   {"z", Quantity::point_position, 2},
                                                   {"vx", Quantity::point_velocity, 0},
                                                   {"vy", Quantity::point_velocity, 1},
                                                   {"vz", Quantity::point_velocity, 2},
                                                   {"ax", Quantity::point_acceleration, 0},
                                                   {"ay", Quantity::point_acceleration, 1},
                                                   {"az", Quantity::point_acceleration, 2}}};
constexpr std::array<Suffix, 6> reaction_suffixes = {{{"fx", Quantity::reaction, 0},
                                                      {"fy", Quantity::reaction, 1},
                                                      {"fz", Quantity::reaction, 2},
                                                      {"tx", Quantity::reaction, 3},
                                                      {"ty", Quantity::reaction, 4},
                                                      {"tz", Quantity::reaction, 5}}};
constexpr std::array<Suffix, 12> body_suffixes = {{{"x", Quantity::body_position, 0},
                                                   {"y", Quantity::body_position, 1},
                                                   {"z", Quantity::body_position, 2},
                                                   {"vx", Quantity::body_velocity, 0},
                                                   {"vy", Quantity::body_velocity, 1},
                                                   {"vz", Quantity::body_velocity, 2},
                                                   {"wx", Quantity::body_angular, 0},
                                                   {"wy", Quantity::body_angular, 1},
                                                   {"wz", Quantity::body_angular, 2},
                                                   {"ax", Quantity::body_acceleration, 0},
                                                   {"ay", Quantity::body_acceleration, 1},
                                                   {"az", Quantity::body_acceleration, 2}}};
constexpr std::array<Suffix, 3> joint_suffixes = {{{"q", Quantity::joint_q, 0},
                                                   {"v", Quantity::joint_v, 0},
                                                   {"a", Quantity::joint_acceleration, 0}}};

// Roll, pitch and yaw of R = Rz(yaw) Ry(pitch) Rx(roll).
struct AngleRow {
  const char* suffix;
  const char* text;  // BODY stands for the body
};
constexpr AngleRow angle_rows[] = {
    {"roll", "atan2(BODY.R[2,1], BODY.R[2,2])"},
    {"pitch", "atan2(-BODY.R[2,0], sqrt(BODY.R[0,0]^2 + BODY.R[1,0]^2))"},
    {"yaw", "atan2(BODY.R[1,0], BODY.R[0,0])"},
};

Syntax angle_text(const AngleRow& row, const std::string& body) {
  std::string text = row.text;
  for (std::size_t at = 0; (at = text.find("BODY", at)) != std::string::npos;) {
    text.replace(at, 4, "'" + body + "'");
    at += body.size() + 2;
  }
  ExpressionError error;
  return parse_expression(text, error);
}

const Suffix* find_suffix(std::span<const Suffix> suffixes, const std::string& text) {
  for (const Suffix& suffix : suffixes)
    if (text == suffix.text) return &suffix;
  return nullptr;
}

bool is_rate(const std::string& name) {
  return !name.empty() && name.back() == '\'';
}

unsigned bit(Quantity quantity) {
  return 1u << static_cast<unsigned>(quantity);
}

// The part before and after the last dot; nothing when there is none.
std::optional<std::pair<std::string, std::string>> split(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0) return std::nullopt;
  return std::pair(name.substr(0, dot), name.substr(dot + 1));
}

// Numbers and gravity are built into a system; inputs change while it runs.
bool allows_inputs(Scope scope) {
  return scope >= Scope::drive;
}
constexpr int most_rows = 6;  // of a constraint or of a joint that closes a loop
constexpr const char* no_inputs =
    "it may change while a run goes on, and this is a number of the mechanism itself: use a "
    "parameter";

}  // namespace

bool allows(Scope scope, Quantity quantity) {
  switch (quantity) {
    case Quantity::parameter:
      return true;
    case Quantity::time:
      return scope >= Scope::time;
    case Quantity::joint_q:
      return scope == Scope::coordinates || scope >= Scope::positions;
    case Quantity::body_position:
    case Quantity::body_rotation:
    case Quantity::point_position:
      return scope >= Scope::positions;
    case Quantity::joint_acceleration:
    case Quantity::body_acceleration:
    case Quantity::point_acceleration:
    case Quantity::reaction:
    case Quantity::multiplier:
      return scope == Scope::outputs;
    case Quantity::variable_rate:
      return scope >= Scope::equations;
    default:
      return scope >= Scope::everything;
  }
}

std::string describe(Scope scope) {
  switch (scope) {
    case Scope::numbers:
      return "only parameters may be used here";
    case Scope::coordinates:
      return "only parameters and JOINT.q may be used here";
    case Scope::time:
    case Scope::drive:
      return "only t and parameters may be used here";
    case Scope::positions:
      return "only t, parameters, JOINT.q and BODY.x .y .z, BODY.R[i,j], POINT.x .y .z may be used "
             "here";
    case Scope::everything:
    case Scope::equations:
      return "accelerations, reactions and multipliers follow from forces and rates; they may be "
             "used in outputs only";
    case Scope::outputs:
      break;
  }
  return "";
}

void Names::add(Table& table, const std::string& name) {
  table.index.try_emplace(name, static_cast<int>(table.list.size()));
  table.list.push_back(name);
}
int Names::find(const Table& table, const std::string& name) {
  const auto found = table.index.find(name);
  return found == table.index.end() ? -1 : found->second;
}
void Names::add_input(const std::string& name) {
  inputs_[static_cast<int>(parameters_.list.size())] = true;
  add(parameters_, name);
}
void Names::add_joint(const std::string& name, std::optional<JointType> type) {
  add(joints_, name);
  joint_types_.push_back(type);
}
void Names::add_definition(const std::string& name, Syntax tree) {
  add(definitions_, name);
  entries_.push_back({name, std::move(tree), false, 0, false});
}

void Names::trace_definitions(const std::vector<int>& order) {
  for (int d : order) {
    DefinitionEntry& entry = entries_[d];
    for (const std::string& name : names_in(entry.tree)) {
      const std::optional<Target> target = look_up(name, -1);
      if (!target) continue;
      if (target->definition < 0) {
        entry.quantities |= bit(target->quantity);
        entry.uses_inputs |= target->input;
        entry.uses_q_or_v |= name == "q" || name == "v";
      } else {
        const DefinitionEntry& used = entries_[target->definition];
        entry.quantities |= used.quantities;
        entry.uses_q_or_v |= used.uses_q_or_v;
        entry.uses_inputs |= used.uses_inputs;
        entry.broken |= used.broken;
      }
    }
  }
}

Names::Target Names::joint_target(Quantity quantity, int joint) const {
  Target target{quantity, joint};
  target.indexed = true;
  const std::optional<JointType>& type = joint_types_[joint];
  target.broken = !type;
  if (type) target.size = quantity == Quantity::joint_q ? info(*type).nq : info(*type).nv;
  return target;
}

std::optional<Names::Target> Names::look_up_dotted(const std::string& name) const {
  const auto parts = split(name);
  if (!parts) return std::nullopt;
  if (const Suffix* suffix = find_suffix(joint_suffixes, parts->second))
    if (const int joint = find_joint(parts->first); joint >= 0)
      return joint_target(suffix->quantity, joint);
  const int body = find_body(parts->first);
  if (const Suffix* suffix = find_suffix(body_suffixes, parts->second); suffix && body >= 0)
    return Target{suffix->quantity, body, suffix->component};
  if (body >= 0 && parts->second == "R") {
    Target target{Quantity::body_rotation, body};
    target.matrix = true;
    return target;
  }
  for (const AngleRow& row : angle_rows)
    if (body >= 0 && parts->second == row.suffix) {
      Target target{Quantity::body_rotation, body};
      target.text = angle_text(row, parts->first);
      return target;
    }
  if (const Suffix* suffix = find_suffix(point_suffixes, parts->second))
    if (const int point = find_point(parts->first); point >= 0)
      return Target{suffix->quantity, point, suffix->component};
  if (const Suffix* suffix = find_suffix(reaction_suffixes, parts->second))
    if (const int joint = find_joint(parts->first); joint >= 0)
      return Target{suffix->quantity, joint, suffix->component};
  if (parts->second == "lambda") {
    Target target{Quantity::multiplier, find(constraints_, parts->first)};
    target.indexed = true;
    target.size = most_rows;
    if (target.index >= 0) return target;
    if (const int joint = find_joint(parts->first); joint >= 0) {
      target.index = -1 - joint;
      return target;
    }
  }
  return std::nullopt;
}

// tilt.q1 is tilt.q[1] where nothing has that very name.
std::optional<Names::Target> Names::look_up(const std::string& name, int local_joint) const {
  std::optional<Target> target = look_up_whole(name, local_joint);
  if (target) return target;
  const auto parts = split_component(name);
  if (!parts) return std::nullopt;
  target = look_up_whole(parts->first, local_joint);
  if (!target || !target->indexed) return std::nullopt;
  target->chosen = parts->second;
  return target;
}

std::optional<Names::Target> Names::look_up_whole(const std::string& name, int local_joint) const {
  if (name == "t") return Target{Quantity::time};
  // in a joint's own expression: q and v; its acceleration is JOINT.a, so that `a` stays free
  if (local_joint >= 0 && name != "a")
    if (const Suffix* suffix = find_suffix(joint_suffixes, name))
      return joint_target(suffix->quantity, local_joint);
  if (const int parameter = find_parameter(name); parameter >= 0) {
    Target target{Quantity::parameter, parameter};
    target.broken = broken_parameters_.count(parameter) > 0;
    target.input = inputs_.count(parameter) > 0;
    return target;
  }
  if (const int definition = find_definition(name); definition >= 0) {
    Target target;
    target.definition = definition;
    target.broken = entries_[definition].broken;
    return target;
  }
  if (const int variable = find_variable(name); variable >= 0)
    return Target{Quantity::variable, variable};
  if (is_rate(name))
    if (const int variable = find_variable(name.substr(0, name.size() - 1)); variable >= 0)
      return Target{Quantity::variable_rate, variable};
  if (!has_mechanism()) return std::nullopt;  // no bodies, no energies
  if (name == "kinetic") return Target{Quantity::kinetic};
  if (name == "potential") return Target{Quantity::potential};
  return look_up_dotted(name);
}

std::vector<std::string> Names::all_names() const {
  std::vector<std::string> all = {"t", "pi", "kinetic", "potential"};
  for (const Table* table : {&parameters_, &definitions_, &variables_})
    all.insert(all.end(), table->list.begin(), table->list.end());
  for (const std::string& joint : joints_.list)
    for (const Suffix& suffix : joint_suffixes) {
      const std::string name = joint + "." + suffix.text;
      const int size = joint_target(suffix.quantity, find_joint(joint)).size;
      all.push_back(name);
      for (int k = 0; size > 1 && k < size; ++k) all.push_back(name + std::to_string(k));
    }
  for (const std::string& body : bodies_.list) {
    for (const Suffix& suffix : body_suffixes) all.push_back(body + "." + suffix.text);
    for (const AngleRow& row : angle_rows) all.push_back(body + "." + row.suffix);
  }
  for (const std::string& point : points_.list)
    for (const Suffix& suffix : point_suffixes) all.push_back(point + "." + suffix.text);
  return all;
}

std::string Names::explain_unknown(const std::string& name) const {
  const std::string unknown = "unknown name '" + name + "'";
  if (is_rate(name)) return unknown + "; a prime stands behind the name of a variable";
  if (const auto parts = split(name)) {
    if (find_joint(parts->first) >= 0)
      return unknown + "; joint '" + parts->first +
             "' has .q and .v, in outputs also .a, .fx .. .tz and .lambda";
    if (find_body(parts->first) >= 0)
      return unknown + "; body '" + parts->first +
             "' has .x .y .z, .vx .vy .vz, .wx .wy .wz, .R[i,j], .roll .pitch .yaw, in outputs "
             "also "
             ".ax .ay .az";
    if (find_point(parts->first) >= 0)
      return unknown + "; point '" + parts->first +
             "' has .x .y .z, .vx .vy .vz, in outputs also .ax .ay .az";
    if (parts->first == "world") return unknown + "; the world does not move";
  } else if (find_joint(name) >= 0) {
    return unknown + "; a joint's coordinates are " + name + ".q and " + name + ".v";
  } else if (find_body(name) >= 0) {
    return unknown + "; a body's coordinates are " + name + ".x, " + name + ".vx, " + name +
           ".wx ...";
  }
  if (suggestions_left_ > 0) {
    --suggestions_left_;
    const std::string near = nearest_name(name, all_names());
    if (!near.empty()) return unknown + "; did you mean '" + near + "'?";
  }
  return unknown + "; expected t, pi, a parameter, a definition" +
         (variables_.list.empty() ? ""
          : has_mechanism()       ? ", a variable"
                                  : " or a variable") +
         (has_mechanism() ? ", JOINT.q, JOINT.v, BODY.x ..., kinetic or potential" : "");
}

Meaning Names::resolve_definition(const std::string& name, int definition, Scope scope,
                                  int local_joint) const {
  const DefinitionEntry& entry = entries_[definition];
  Meaning meaning;
  if (entry.uses_inputs && !allows_inputs(scope)) {
    meaning.problem = "the definition '" + name + "' uses an input; " + no_inputs;
    return meaning;
  }
  for (int q = 0; q <= static_cast<int>(Quantity::multiplier); ++q)
    if ((entry.quantities >> q & 1u) && !allows(scope, static_cast<Quantity>(q))) {
      meaning.problem =
          "the definition '" + name + "' uses what is not known here; " + describe(scope);
      return meaning;
    }
  if (local_joint >= 0 && entry.uses_q_or_v)
    meaning.problem =
        "the definition '" + name +
        "' uses the parameter q or v, a name that means the joint's coordinate in the "
        "value of a joint force; rename the parameter";
  else
    meaning.definition = entry.tree;
  return meaning;
}

// Which component `index` chooses, or why it chooses none.
std::string Names::index_problem(const std::string& written, int index,
                                 const Target& target) const {
  if (target.matrix)
    return index >= first_matrix_entry ? ""
                                       : "'" + written + "' is a matrix; write '" + written +
                                             "[i,j]' with i and j from 0 to 2";
  if (index >= first_matrix_entry) return "'" + written + "' is no matrix; leave out [i,j]";
  const std::string last = std::to_string(target.size - 1);
  if (target.chosen >= 0 && index >= 0)
    return "'" + written + "' is a single number; leave out [" + std::to_string(index) + "]";
  const std::string name = target.chosen < 0 ? written : split_component(written)->first;
  if (target.chosen >= 0) index = target.chosen;
  if (!target.indexed)
    return index < 0
               ? ""
               : "'" + name + "' is a single number; leave out [" + std::to_string(index) + "]";
  if (target.size == 0) return "'" + name + "' does not exist: a fixed joint has no coordinates";
  if (index < 0 && target.size > 1)
    return "'" + name + "' has " + std::to_string(target.size) + " components; write '" + name +
           "[i]' with i from 0 to " + last;
  if (index >= target.size)
    return "'" + name + "[" + std::to_string(index) + "]' does not exist; the index goes " +
           (target.size == 1 ? "no further than 0" : "from 0 to " + last);
  return "";
}

Meaning Names::resolve(const std::string& name, int index, Scope scope, int local_joint,
                       bool& broken) const {
  Meaning meaning;
  const std::optional<Target> target = look_up(name, local_joint);
  if (!target) {
    meaning.problem = explain_unknown(name);
  } else if (target->broken) {
    broken = true;
    // Stands in for what is unknown; the program is thrown away.
    meaning.symbol = Symbol{target->quantity, target->index, -1 - target->definition};
  } else if (target->input && !allows_inputs(scope)) {
    meaning.problem = "'" + name + "' is an input; " + no_inputs;
  } else if (target->definition < 0 && !allows(scope, target->quantity)) {
    meaning.problem = "'" + name + "' is not known here; " + describe(scope);
  } else {
    meaning.problem = index_problem(name, index, *target);
    if (!meaning.problem.empty()) return meaning;
    if (target->definition >= 0)
      return resolve_definition(name, target->definition, scope, local_joint);
    if (target->text) {
      meaning.definition = target->text;
      return meaning;
    }
    if (target->matrix) {
      meaning.symbol = Symbol{target->quantity, target->index, index - first_matrix_entry};
      return meaning;
    }
    const int chosen = std::max({index, target->chosen, 0});
    meaning.symbol =
        Symbol{target->quantity, target->index, target->indexed ? chosen : target->component};
  }
  return meaning;
}

}  // namespace cartan::model
