#include "results/load/check.h"

#include "results/run/assembly_report.h"

namespace cartan::results {
namespace {

Json mechanism_json(const Model& model, const ModelFacts& facts) {
  Json json = {{"model", model.name},           {"bodies", model.bodies.size()},
               {"joints", model.joints.size()}, {"loops", model.loop_joints.size()},
               {"forces", model.forces.size()}, {"constraints", model.constraints.size()},
               {"speeds", facts.speeds}};
  const ConstraintReport& c = facts.constraints;
  json["dof"] = c.dof();
  json["dof_position"] = c.dof_position();
  json["equations"] = c.rows;
  json["rank"] = c.rank;
  json["redundant"] = c.redundant();
  json["assembly"] = assembly_json(model, facts.assembly);
  json["mass"] = facts.mass;
  json["center_of_mass"] = json_of(facts.com);
  json["principal_moments"] = json_of(facts.principal);
  if (!model.function_files.empty()) json["code"] = model.function_files;
  for (const Variable& variable : model.variables) json["variables"].push_back(variable.name);
  for (const Input& input : model.inputs) json["inputs"][input.name] = input.text;
  return json;
}

Json variables_json(const Model& model) {
  std::vector<std::string> names;
  for (const Variable& variable : model.variables) names.push_back(variable.name);
  Json facts = {{"model", model.name},
                {"bodies", 0},
                {"joints", 0},
                {"loops", 0},
                {"variables", names},
                {"solved", solved_rates(model)},
                {"parameters", parameters_json(model)}};
  if (!model.function_files.empty()) facts["code"] = model.function_files;
  return facts;
}

}  // namespace

CheckedModel check_file(const ModelArguments& arguments, const api::Watch& watch) {
  CheckedModel checked;
  checked.model = load_model(arguments, watch, false, CodeUse::never);
  if (checked.model->is_mechanism()) checked.facts = collect_facts(*checked.model);
  return checked;
}

std::vector<std::vector<std::string>> solved_rates(const Model& model) {
  std::vector<std::vector<std::string>> groups;
  if (!model.implicit) return groups;
  for (const EquationBlock& block : model.implicit->blocks) {
    groups.emplace_back();
    for (const int column : block.columns)
      groups.back().push_back(model.variables[model.implicit->unknowns[column]].name + "'");
  }
  return groups;
}

Json check_json(const CheckedModel& checked) {
  return checked.facts ? mechanism_json(*checked.model, *checked.facts)
                       : variables_json(*checked.model);
}

}  // namespace cartan::results
