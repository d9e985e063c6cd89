// Gravity, events, outputs, variables and the defaults of a run.
#include <algorithm>

#include "core/method_names.h"
#include "model/check/check_context.h"
#include "model/type_names.h"

namespace cartan::model {
namespace {

void check_gravity(CheckContext& check) {
  const std::string name = check.text.name;
  const Owner owner{"model", name, check.text.where};
  check.model.gravity = or_default(
      check.expressions(check.text.gravity, {"gravity", owner, {3}}, Scope::time), {0, 0, -9.81});
  if (!check.text.gravity_frame.empty())
    check.model.gravity_frame =
        check.body(check.text.gravity_frame, {"gravity_frame", owner}, true);
}

// "joint.v", "joint.q", "joint.v[i]" or the name of a variable. Nothing: complained about.
std::optional<Jump> check_jump(CheckContext& check, const JumpText& text,
                               const std::string& event) {
  Jump jump;
  std::string name = text.name;
  int component = -1;
  if (const std::size_t open = name.find('['); open != std::string::npos && name.back() == ']') {
    const std::string inside = name.substr(open + 1, name.size() - open - 2);
    if (!inside.empty() && inside.find_first_not_of("0123456789") == std::string::npos &&
        inside.size() < 4)
      component = std::stoi(inside);
    name = name.substr(0, open);
  }
  const auto complain = [&](const std::string& what) {
    check.problems.error(text.where,
                         "event '" + event + "' cannot set '" + text.name + "': " + what);
    return std::nullopt;
  };
  int count = 1;
  jump.index = check.names.find_variable(name);
  if (jump.index < 0) {
    const std::size_t dot = name.rfind('.');
    const std::string part = dot == std::string::npos ? "" : name.substr(dot + 1);
    jump.index = check.names.find_joint(name.substr(0, dot));
    if (jump.index < 0 || (part != "q" && part != "v"))
      return complain("expected \"JOINT.v\", \"JOINT.q\" or the name of a variable");
    if (!check.names.joint_type(jump.index)) return std::nullopt;
    const JointTypeInfo& type = info(*check.names.joint_type(jump.index));
    jump.what = part == "q" ? Jump::What::position : Jump::What::speed;
    count = part == "q" ? type.nq : type.nv;
    if (component >= count || count == 0)
      return complain("the joint has " + std::to_string(count) + " of them");
  }
  jump.component = std::max(component, 0);
  if (component >= 0) count = 1;
  if (text.values.empty()) return std::nullopt;
  if (static_cast<int>(text.values.size()) != count)
    return complain("expected " + std::to_string(count) + " values, got " +
                    std::to_string(text.values.size()));
  jump.value = check.formulas.compile(text.values, Scope::everything);
  if (!jump.value.given()) return std::nullopt;
  return jump;
}

void check_events(CheckContext& check) {
  for (const EventText& text : check.text.events) {
    Event event;
    event.name = text.name;
    if (!text.when.reported) event.when = check.formulas.compile(text.when, Scope::everything);
    event.direction = text.direction;
    event.stop = text.action == "stop";
    if (text.direction < -1 || text.direction > 1)
      check.problems.error(text.direction_where, "direction of event '" + text.name +
                                                     "' must be -1 (falling), 0 (both) or 1 "
                                                     "(rising), got " +
                                                     std::to_string(text.direction));
    if (text.action != "stop" && text.action != "record" && !text.action.empty())
      check.problems.error(text.action_where, "unknown action '" + text.action + "'" +
                                                  check.suggest(text.action, {"record", "stop"}));
    if (event.when.given() && event.when.program.is_constant())
      check.problems.warning(text.when.where,
                             "event '" + text.name + "' never happens: its expression is constant");
    for (const JumpText& jump : text.set)
      if (std::optional<Jump> checked = check_jump(check, jump, text.name))
        event.jumps.push_back(std::move(*checked));
    check.model.events.push_back(std::move(event));
  }
}

void check_outputs(CheckContext& check) {
  for (const OutputText& text : check.text.outputs) {
    OutputMatrix matrix;
    matrix.name = text.name;
    matrix.rows = static_cast<int>(text.rows.size());
    matrix.columns = text.rows.empty() ? 0 : static_cast<int>(text.rows[0].size());
    matrix.sparse = text.sparse;
    matrix.first = static_cast<int>(check.model.outputs.size());
    for (int i = 0; i < matrix.rows; ++i)
      for (int j = 0; j < matrix.columns; ++j) {
        const Value& value = text.rows[i][j];
        if (text.sparse && !value.is_expression() && value.number == 0) continue;
        Output output;
        output.name = text.name;
        if (text.dimensions > 0) output.name += "[" + std::to_string(i) + "]";
        if (text.dimensions > 1) output.name += "[" + std::to_string(j) + "]";
        if (!value.reported) output.value = check.formulas.compile(value, Scope::outputs);
        check.model.outputs.push_back(std::move(output));
        matrix.row.push_back(i);
        matrix.column.push_back(j);
      }
    if (text.dimensions > 0) check.model.matrices.push_back(std::move(matrix));
  }
  for (const ChosenSpeed& speed : check.model.speeds)
    check.model.outputs.push_back({speed.name, speed.value, false});
  for (const Input& input : check.model.inputs)
    check.model.outputs.push_back(
        {input.name, check.formulas.compile(Value(input.name), Scope::everything), true});
}

}  // namespace

void check_points(CheckContext& check) {
  for (const PointText& text : check.text.points) {
    const Owner owner{"point", text.name, text.where};
    NamedPoint point;
    point.name = text.name;
    if (text.body.empty() && text.body.where.line == 0)
      check.problems.error(text.where, "missing key 'body' of point '" + text.name + "'");
    else
      point.body = check.body(text.body, {"body", owner}, true);
    point.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
    check.model.points.push_back(std::move(point));
  }
}

// A mesh that shares in the mass; others are pictures.
static bool has_mass_of_mesh(const Body& body) {
  return body.density.given() &&
         std::any_of(body.shapes.begin(), body.shapes.end(),
                     [](const Shape& shape) { return shape.kind == ShapeText::Kind::mesh; });
}

void check_cuts(CheckContext& check) {
  for (const CutText& text : check.text.cuts) {
    const Owner owner{"cut", text.name, text.where};
    Cut cut;
    cut.name = text.name;
    const std::size_t before = check.problems.findings().size();
    if (text.body.empty() && text.body.where.line == 0)
      check.problems.error(text.where, "missing key 'body' of cut '" + text.name + "'");
    else
      cut.body = check.body(text.body, {"body", owner}, false);
    const bool found = check.problems.findings().size() == before;
    if (found && !check.model.bodies[cut.body].density.given() &&
        !check.model.bodies[cut.body].line.given())
      check.problems.error(
          text.body.where,
          "cut '" + text.name + "': nothing says how the mass of body '" + text.body.name +
              "' is spread; expected a body with 'density' and shapes, or with 'mass' and "
              "'line = { from = [..], to = [..] }'");
    else if (found && has_mass_of_mesh(check.model.bodies[cut.body]))
      check.problems.error(text.body.where,
                           "cut '" + text.name + "': the mass of body '" + text.body.name +
                               "' is that of a mesh, which is not cut; expected shapes box, "
                               "cylinder, tube or sphere, or a line");
    cut.at = or_default(check.numbers(text.at, {"at", owner, {3}}).formula, {0, 0, 0});
    const Field normal{"normal", owner, {3}};
    check.require(text.normal, normal);
    const Checked direction = check.numbers(text.normal, normal);
    check.demand_direction(direction, normal);
    cut.normal = direction.formula;
    check.model.cuts.push_back(std::move(cut));
  }
}

namespace {

void check_variables(CheckContext& check) {
  for (const VariableText& text : check.text.variables) {
    const Owner owner{"variable", text.name, text.where};
    Variable variable;
    variable.name = text.name;
    variable.initial = check.number(text.initial, {"initial", owner}).formula;
    if (text.rate && !text.rate->reported)
      variable.rate = check.formulas.compile(*text.rate, Scope::everything);
    check.model.variables.push_back(std::move(variable));
  }
}

void check_simulate(CheckContext& check) {
  const SimulateText& text = check.text.simulate;
  const std::string name = "simulate";
  const Owner owner{"section", name, text.where};
  const auto positive = [&](const std::optional<Value>& value, const char* key) {
    const Field field{key, owner};
    const Checked checked = check.number(value, field);
    check.demand_positive(checked, field);
    return checked.formula;
  };
  SimulateDefaults& result = check.model.simulate;
  result.duration = positive(text.duration, "duration");
  result.step = positive(text.step, "step");
  result.tolerance = positive(text.tolerance, "tolerance");
  result.every = text.every;
  if (text.every && *text.every < 1)
    check.problems.error(text.every_where, "every must be a whole number from 1 on, got " +
                                               std::to_string(*text.every));
  const auto known_word = [&](const std::string& word, Location where, const char* kind,
                              const std::vector<std::string>& known) {
    for (const std::string& k : known)
      if (word.empty() || word == k) return;
    check.problems.error(
        where, std::string("unknown ") + kind + " '" + word + "'" + check.suggest(word, known));
  };
  result.formulation = text.formulation;
  result.integrator = text.integrator;
  known_word(text.formulation, text.formulation_where, "formulation",
             list_of_names(formulation_names));
  known_word(text.integrator, text.integrator_where, "integrator",
             list_of_names(known_integrators));
}

}  // namespace

void check_rest(CheckContext& check) {
  check_gravity(check);
  check_events(check);
  check_outputs(check);
  check_variables(check);
  check_simulate(check);
}

}  // namespace cartan::model
