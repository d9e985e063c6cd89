#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/load/check.h"
#include "results/run/assembly_report.h"

namespace cartan::results {
namespace {

std::string checked_body_name(const Model& model, int body) {
  return body == world ? "world" : model.bodies[body].name;
}

// Tree joints by the body they start from; the last list belongs to the world.
std::vector<std::vector<const TreeJoint*>> branches_of(const Model& model) {
  std::vector<std::vector<const TreeJoint*>> branches(model.bodies.size() + 1);
  for (const TreeJoint& step : model.tree)
    (step.inboard == world ? branches.back() : branches[step.inboard]).push_back(&step);
  return branches;
}

// A body that carries one other keeps its indentation, so that long chains stay readable.
void add_branches(const Model& model, const std::vector<std::vector<const TreeJoint*>>& branches,
                  std::size_t from, const std::string& indent, std::string& text) {
  const bool fork = branches[from].size() > 1;
  for (const TreeJoint* step : branches[from]) {
    const Joint& joint = model.joints[step->joint];
    const bool last = step == branches[from].back();
    text += fmt::format("{}{}{} ({}{}) -> {}\n", indent, fork ? "+- " : "", joint.name,
                        info(joint.type).name, step->reversed ? ", reversed" : "",
                        checked_body_name(model, step->outboard));
    add_branches(model, branches, step->outboard, fork ? indent + (last ? "   " : "|  ") : indent,
                 text);
  }
}

void add_closures(const Model& model, std::string& text) {
  if (!model.loop_joints.empty()) text += "\nLoops closed by\n";
  for (int j : model.loop_joints) {
    const Joint& joint = model.joints[j];
    text += fmt::format("  {} ({}): {} to {}\n", joint.name, info(joint.type).name,
                        checked_body_name(model, joint.parent.body),
                        checked_body_name(model, joint.child.body));
  }
  if (!model.constraints.empty()) text += "\nConstraints\n";
  for (const Constraint& constraint : model.constraints)
    text += fmt::format("  {} ({})\n", constraint.name, constraint.type);
}

// "3, in joint 'D' (2), constraint 'brace'"
std::string describe_redundant(const ConstraintReport& c) {
  if (c.redundant() == 0) return "none";
  constexpr int most = 6;  // owners that are named
  std::string text = fmt::format("{}, in ", c.redundant());
  int named = 0;
  for (std::size_t k = 0; k < c.redundant_rows.size();) {
    if (++named > most) {
      text += "and others";
      break;
    }
    const std::string& owner = c.owners[c.redundant_rows[k]];
    std::size_t count = 0;
    for (; k < c.redundant_rows.size() && c.owners[c.redundant_rows[k]] == owner; ++k) ++count;
    text += owner;
    if (count > 1) text += fmt::format(" ({})", count);
    if (k < c.redundant_rows.size()) text += ", ";
  }
  return text + " (one choice of several): accelerations are unique, multipliers of least norm";
}

// Code that the model brings along: named here, run by others with consent.
void add_code(const Model& model, std::string& text) {
  for (const std::string& file : model.function_files)
    text +=
        fmt::format("{:<20} {}: not run by `check`; commands that compute with it need --trust\n",
                    "code", file);
}

void add_facts(const Model& model, const ModelFacts& facts, std::string& text) {
  const auto line = [&](const char* label, const std::string& what) {
    text += fmt::format("{:<20} {}\n", label, what);
  };
  text += '\n';
  const ConstraintReport& c = facts.constraints;
  line("degrees of freedom", std::to_string(c.dof()));
  if (c.rows > 0) {
    if (const int fewer = c.dof_position() - c.dof(); fewer > 0)
      line("", fmt::format("{} in positions; rolling and sliding take {} {} more", c.dof_position(),
                           fewer, fewer == 1 ? "speed" : "speeds"));
    line("constraints", fmt::format("{} {} of rank {} on {} {} of the tree", c.rows,
                                    c.rows == 1 ? "equation" : "equations", c.rank, c.speeds,
                                    c.speeds == 1 ? "speed" : "speeds"));
    line("redundant", describe_redundant(c));
    line("assembly", fmt::format("{}; violations {:.2g}, {:.2g}", assembly_line(facts.assembly),
                                 facts.position_violation, facts.velocity_violation));
    for (const std::string& change : changed_lines(model, facts.assembly)) line("", change);
  }
  if (!model.forces.empty()) line("forces", std::to_string(model.forces.size()));
  const auto list = [&](const char* label, const auto& items, auto&& name) {
    std::string all;
    for (const auto& item : items) all += (all.empty() ? "" : ", ") + name(item);
    if (!all.empty()) line(label, all);
  };
  list("variables", model.variables, [](const Variable& item) { return item.name; });
  list("inputs", model.inputs, [](const Input& item) { return item.name + " = " + item.text; });
  line("total mass", fmt::format("{:.10g} kg", facts.mass));
  const Vec3<double>&x = facts.com, &p = facts.principal;
  line("centre of mass", fmt::format("({:.6g}, {:.6g}, {:.6g}) m at the start", x.x, x.y, x.z));
  line("principal moments",
       std::isfinite(p.x + p.y + p.z)
           ? fmt::format("{:.6g}, {:.6g}, {:.6g} kg m^2 about it", p.x, p.y, p.z)
           : "beyond the range of numbers; are lengths in metres, masses in kilograms?");
}

std::string mechanism_text(const Model& model, const ModelFacts& facts) {
  std::string text = fmt::format("{}: in order\n\nworld\n", model.title());
  add_branches(model, branches_of(model), model.bodies.size(), "  ", text);
  add_closures(model, text);
  add_facts(model, facts, text);
  add_code(model, text);
  return text;
}

std::string variables_text(const Model& model) {
  std::vector<std::string> names;
  for (const Variable& variable : model.variables) names.push_back(variable.name);
  const std::vector<std::vector<std::string>> solved = solved_rates(model);
  std::string text =
      fmt::format("{}: in order\n\nvariables {}\n", model.title(), fmt::join(names, ", "));
  for (std::size_t k = 0; k < solved.size(); ++k)
    text +=
        fmt::format("{} {}\n", k == 0 ? "solved for" : "      then", fmt::join(solved[k], ", "));
  add_code(model, text);
  return text;
}

}  // namespace

std::string check_text(const CheckedModel& checked) {
  return checked.facts ? mechanism_text(*checked.model, *checked.facts)
                       : variables_text(*checked.model);
}

}  // namespace cartan::results
