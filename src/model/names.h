// What the names in a model's expressions mean, and where each may be used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "expr/expression.h"
#include "model/model.h"

namespace cartan::model {

class Names {
 public:
  struct DefinitionEntry {
    std::string name;
    Syntax tree;               // null when it does not parse
    bool broken = false;       // reported; what uses it is not checked further
    unsigned quantities = 0;   // bit set of what it uses, other definitions included
    bool uses_q_or_v = false;  // parameters of these names
    bool uses_inputs = false;
  };
  struct JointEntry {
    std::string name;
    std::optional<JointType> type;  // nothing: unknown, reported
  };

  void add_parameter(const std::string& name) { add(parameters_, name); }
  // A number from outside: a parameter that may change while a run goes on.
  void add_input(const std::string& name);
  void add_variable(const std::string& name) { add(variables_, name); }
  void add_body(const std::string& name) { add(bodies_, name); }
  void add_point(const std::string& name) { add(points_, name); }
  void add_constraint(const std::string& name) { add(constraints_, name); }
  void add_joint(const std::string& name, std::optional<JointType> type);
  void add_definition(const std::string& name, Syntax tree);
  UserFunctions& functions() { return functions_; }
  const UserFunctions& functions() const { return functions_; }
  void break_parameter(int index) { broken_parameters_[index] = true; }

  // -1 when absent; of several equal names the first
  int find_parameter(const std::string& name) const { return find(parameters_, name); }
  int find_variable(const std::string& name) const { return find(variables_, name); }
  int find_body(const std::string& name) const { return find(bodies_, name); }
  int find_point(const std::string& name) const { return find(points_, name); }
  int find_joint(const std::string& name) const { return find(joints_, name); }
  int find_definition(const std::string& name) const { return find(definitions_, name); }

  const std::vector<std::string>& body_names() const { return bodies_.list; }
  const std::vector<std::string>& joint_names() const { return joints_.list; }
  const std::vector<std::string>& parameter_names() const { return parameters_.list; }
  std::optional<JointType> joint_type(int joint) const { return joint_types_[joint]; }
  DefinitionEntry& definition(int index) { return entries_[index]; }
  int definition_count() const { return static_cast<int>(entries_.size()); }

  bool has_mechanism() const { return !bodies_.list.empty() || variables_.list.empty(); }

  // Fills what each definition uses; `order`: each after those it uses.
  void trace_definitions(const std::vector<int>& order);

  // The meaning of name[index] in a scope. `local_joint` >= 0: plain q and v are that joint's
  // coordinates. `broken` is set when the name stands for something already reported.
  Meaning resolve(const std::string& name, int index, Scope scope, int local_joint,
                  bool& broken) const;

 private:
  struct Table {
    std::vector<std::string> list;
    std::unordered_map<std::string, int> index;
  };
  // What a name means before its index is looked at.
  struct Target {
    Quantity quantity = Quantity::time;
    int index = 0;
    int component = 0;
    bool indexed = false;
    int size = 1;     // how many components [i] may choose from
    int chosen = -1;  // the component that the name itself says: tilt.q1
    int definition = -1;
    Syntax text = {};  // what the name stands for, made of other names
    bool broken = false;
    bool input = false;
    bool matrix = false;  // [i,j] chooses
  };

  static void add(Table& table, const std::string& name);
  static int find(const Table& table, const std::string& name);
  std::optional<Target> look_up(const std::string& name, int local_joint) const;
  std::optional<Target> look_up_whole(const std::string& name, int local_joint) const;
  std::optional<Target> look_up_dotted(const std::string& name) const;
  Target joint_target(Quantity quantity, int joint) const;
  std::string index_problem(const std::string& name, int index, const Target& target) const;
  std::string explain_unknown(const std::string& name) const;
  Meaning resolve_definition(const std::string& name, int definition, Scope scope,
                             int local_joint) const;
  std::vector<std::string> all_names() const;

  UserFunctions functions_;
  Table parameters_, variables_, bodies_, joints_, definitions_, points_, constraints_;
  std::unordered_map<int, bool> broken_parameters_;
  std::unordered_map<int, bool> inputs_;  // which parameters are
  std::vector<std::optional<JointType>> joint_types_;
  std::vector<DefinitionEntry> entries_;
  mutable int suggestions_left_ =
      100;  // searching near names for every one of many wrong ones is slow
};

// Whether a scope allows a quantity, and how to say what it allows.
bool allows(Scope scope, Quantity quantity);
std::string describe(Scope scope);

}  // namespace cartan::model
