#include "model/check/check_context.h"
#include "model/drive_motion.h"
#include "model/explained.h"

namespace cartan::model {
namespace {

// A file describes a mechanism, with [variables] beside it or without, or a plain system of
// differential equations. False: it is neither, which explains whatever else would be found.
bool check_kind(CheckContext& check) {
  const ModelDescription& text = check.text;
  if (text.variables.empty()) {
    if (text.bodies.empty() &&
        !check.problems.has_errors())  // a complaint may be why there are none
      check.problems.error(text.where,
                           "the model is empty; expected [[body]] and [[joint]], or [variables]");
    return true;
  }
  if (!text.bodies.empty()) return true;
  std::string mixed;
  Location where;
  const auto collect = [&](const auto& list, const char* what) {
    if (list.empty()) return;
    if (mixed.empty()) where = list.front().where;
    mixed += (mixed.empty() ? "" : ", ") + std::string(what);
  };
  collect(text.joints, "[[joint]]");
  collect(text.forces, "[[force]]");
  collect(text.constraints, "[[constraint]]");
  collect(text.contacts, "[[contact]]");
  if (!mixed.empty()) {
    check.problems.error(where, mixed +
                                    " need bodies, and this file has [variables] alone; add "
                                    "[[body]], or take them out");
    return false;
  }
  if (!text.gravity.empty())
    check.problems.warning(text.gravity.where, "gravity has no effect in a file with [variables]");
  return true;
}

void keep_causes(Diagnostics& problems) {
  Diagnostics kept(problems.file());
  for (const Finding& finding : without_explained(problems.findings()))
    finding.severity == Severity::error ? kept.error(finding.where, finding.message)
                                        : kept.warning(finding.where, finding.message);
  problems = std::move(kept);
}

// Over the time of a run as the file has it; other times are looked at when a run begins.
bool check_drive_motions(CheckContext& check) {
  const Formula& duration = check.model.simulate.duration;
  const double end = duration.given() ? evaluate<double>(duration, check.parameters)[0] : 10;
  Location where;
  const std::string rough = find_rough_drive(check.model, check.parameters, 0, end, false, where);
  if (!rough.empty()) check.problems.error(where, rough);
  return rough.empty();
}

}  // namespace

std::optional<Model> check_model(const ModelDescription& description, Diagnostics& problems,
                                 const Overrides& overrides, const Consent& consent) {
  CheckContext check(description, problems, consent);
  check.model.name = description.name;
  check.model.file = description.file;
  check.model.folder = description.folder;
  check.model.consent = consent;
  if (!check_kind(check)) {
    keep_causes(problems);
    return std::nullopt;
  }
  check_names(check);
  check_functions(check);
  check_parameters(check, overrides);
  check_definitions(check);
  check_bodies(check);
  check_joints(check);
  check_tree(check);
  check_points(check);
  check_cuts(check);
  check_forces(check);
  check_constraints(check);
  check_contacts(check);
  check_speeds(check);
  check_rest(check);
  check_equations(check);
  if (problems.has_errors()) {
    keep_causes(problems);
    return std::nullopt;
  }
  check.model.unknown_functions = check.formulas.unknown_functions();
  check.model.bounded_tables = check.formulas.has_bounded_tables();
  if (!check_drive_motions(check)) return std::nullopt;
  return std::move(check.model);
}

std::optional<Formula> compile_expression(const Model& model, const std::string& text,
                                          Diagnostics& problems) {
  Names names;
  names.functions() = model.functions;
  for (std::size_t i = 0; i < model.parameters.size(); ++i)
    model.is_input(static_cast<int>(i)) ? names.add_input(model.parameters[i].name)
                                        : names.add_parameter(model.parameters[i].name);
  for (const Variable& variable : model.variables) names.add_variable(variable.name);
  for (const Body& body : model.bodies) names.add_body(body.name);
  for (const Joint& joint : model.joints) names.add_joint(joint.name, joint.type);
  for (const NamedPoint& point : model.points) names.add_point(point.name);
  for (const Definition& definition : model.definitions) {
    ExpressionError error;
    names.add_definition(definition.name,
                         parse_expression(definition.text, error, &model.functions));
  }
  if (text.empty()) {
    problems.error({}, "expected an expression, got an empty text");
    return std::nullopt;
  }
  FormulaCompiler formulas(names, model.folder, problems, model.consent);
  Formula formula = formulas.compile(Value(text), Scope::everything);
  for (const Model::UnknownFunction& function : formulas.unknown_functions()) {
    problems.error({}, explain_unknown_function(function.name, function.withheld));
    return std::nullopt;
  }
  if (!formula.given()) return std::nullopt;
  return formula;
}

}  // namespace cartan::model
