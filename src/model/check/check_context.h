// What all parts of the check share: the text, the model under construction, and small checks whose
// messages say which quantity of which element is meant.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "model/formulas.h"
#include "model/mesh_files.h"
#include "model/names.h"

namespace cartan::model {

// "body 'top'": whom a message is about.
struct Owner {
  const char* kind;
  const std::string& name;
  Location where;  // of its table
};

// A formula over the parameters and its values at theirs. No values: not given, or complained
// about.
struct Checked {
  Formula formula;
  std::vector<double> values;
  bool ok() const { return !values.empty(); }
};

// A quantity: its key, whose it is, how many numbers it may have.
struct Field {
  std::string key;
  const Owner& owner;
  std::vector<int> lengths = {1};
};

class CheckContext {
 public:
  CheckContext(const ModelDescription& description, Diagnostics& diagnostics, const Consent& given)
      : text(description),
        problems(diagnostics),
        consent(given),
        formulas(names, description.folder, diagnostics, given),
        meshes(description.folder, given) {}

  CheckContext(const CheckContext&) = delete;

  const ModelDescription& text;
  Diagnostics& problems;
  const Consent& consent;
  Model model;
  Names names;
  FormulaCompiler formulas;
  MeshFiles meshes;
  std::vector<double> parameters;  // NaN where broken

  // Plain numbers over the parameters. Absent ones: not given.
  Checked numbers(const Values& values, const Field& field);
  Checked number(const std::optional<Value>& value, const Field& field);
  // Expressions over more than parameters.
  Formula expressions(const Values& values, const Field& field, Scope scope, int local_joint = -1);

  // Complain unless the key is there; true when it is (or was complained about by the reader).
  bool require(const Values& values, const Field& field);
  bool require(const std::optional<Value>& value, const Field& field);

  // Complain about numbers that do not satisfy `holds`: "KEY of OWNER must be EXPECTED, got X".
  void demand(const Checked& checked, const Field& field, const char* expected,
              const std::function<bool(double)>& holds);
  void demand_positive(const Checked& checked, const Field& field);
  void demand_direction(const Checked& checked, const Field& field);  // not all zero
  void warn_negative(const Checked& checked, const Field& field);

  // Names of other elements. -1 (world) only where `world_allowed`.
  int body(const Reference& reference, const Field& field, bool world_allowed);
  int joint(const Reference& reference, const Field& field);
  Placement placement(const PlacementText& placement, const Field& field);
  Rotation rotation(const RotationText& rotation, const Field& field);

  // 'KEY of OWNER'
  static std::string name_of(const Field& field);
  // "; did you mean 'x'?" or "; expected one of: ..."
  std::string suggest(const std::string& word, const std::vector<std::string>& known);

 private:
  bool length_fits(const Values& values, const Field& field);
  std::vector<double> evaluate_finite(const Formula& formula, const Values& values,
                                      const Field& field);

  int suggestions_left_ = 100;
};

inline bool describes_mechanism(const ModelDescription& text) {
  return text.variables.empty() || !text.bodies.empty();
}

// What a run gives to an input as a function of time; null where its value is a plain number (an
// input without signal, or one that does not mention t).
const NamedValue* find_signal(const ModelDescription& text, const std::string& input);

// The parts of the check, in the order in which they run.
void check_names(CheckContext& check);
void check_functions(CheckContext& check);
void check_parameters(CheckContext& check, const Overrides& overrides);  // and inputs
void check_definitions(CheckContext& check);
void check_bodies(CheckContext& check);
void check_joints(CheckContext& check);
void check_tree(CheckContext& check);
void check_points(CheckContext& check);
void check_cuts(CheckContext& check);
void check_forces(CheckContext& check);
void check_constraints(CheckContext& check);
void check_contacts(CheckContext& check);  // stops too
void check_rest(CheckContext& check);      // gravity, events, outputs, variables, simulate
void check_speeds(CheckContext& check);    // before check_rest: they are outputs too
void check_equations(CheckContext& check);

}  // namespace cartan::model
