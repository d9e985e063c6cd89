#include "model/check/check_context.h"

#include <algorithm>
#include <cmath>

namespace cartan::model {
namespace {

std::string lengths_text(const std::vector<int>& lengths) {
  std::string text;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    text += (i == 0 ? "" : " or ") + std::to_string(lengths[i]);
  return text + (lengths.back() == 1 ? " number" : " numbers");
}

// A place to point at for element i of what was written.
Location place_of(const Values& values, std::size_t i) {
  if (i < values.size() && values[i].where.line > 0) return values[i].where;
  return values.where;
}

}  // namespace

std::string CheckContext::name_of(const Field& field) {
  return field.key + " of " + field.owner.kind + " '" + field.owner.name + "'";
}

std::string CheckContext::suggest(const std::string& word, const std::vector<std::string>& names) {
  std::vector<std::string> known;  // each once, where a name was given twice
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  if (suggestions_left_ > 0) {
    --suggestions_left_;
    const std::string near = nearest_name(word, known);
    if (!near.empty()) return "; did you mean '" + near + "'?";
  }
  if (known.empty()) return "; there are none";
  std::string text = "; expected ";
  const std::size_t shown = std::min<std::size_t>(known.size(), 20);
  for (std::size_t i = 0; i < shown; ++i)
    text += (i == 0 ? "'" : i + 1 == known.size() ? " or '" : ", '") + known[i] + "'";
  return text + (shown < known.size() ? ", ..." : "");
}

bool CheckContext::length_fits(const Values& values, const Field& field) {
  const int size = static_cast<int>(values.size());
  if (std::count(field.lengths.begin(), field.lengths.end(), size) > 0) return true;
  problems.error(values.where.line > 0 ? values.where : place_of(values, 0),
                 name_of(field) + " must have " + lengths_text(field.lengths) + ", got " +
                     std::to_string(size));
  return false;
}

std::vector<double> CheckContext::evaluate_finite(const Formula& formula, const Values& values,
                                                  const Field& field) {
  std::vector<double> result = evaluate<double>(formula, parameters);
  bool finite = true;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (std::isfinite(result[i])) continue;
    finite = false;
    problems.error(place_of(values, i), name_of(field) + " must be finite, got " +
                                            text_of(result[i]) + " from '" + formula.texts[i] +
                                            "'");
  }
  return finite ? result : std::vector<double>{};
}

Checked CheckContext::numbers(const Values& values, const Field& field) {
  Checked checked;
  if (values.empty() || !length_fits(values, field)) return checked;
  checked.formula = formulas.compile(values, Scope::numbers);
  if (checked.formula.given()) checked.values = evaluate_finite(checked.formula, values, field);
  return checked;
}

Checked CheckContext::number(const std::optional<Value>& value, const Field& field) {
  if (!value || value->reported) return {};
  Values values = {*value};
  values.where = value->where;
  return numbers(values, field);
}

Formula CheckContext::expressions(const Values& values, const Field& field, Scope scope,
                                  int local_joint) {
  if (values.empty() || !length_fits(values, field)) return {};
  return formulas.compile(values, scope, local_joint);
}

bool CheckContext::require(const Values& values, const Field& field) {
  if (!values.empty() || values.where.line > 0) return true;
  problems.error(field.owner.where, "missing key '" + field.key + "' of " + field.owner.kind +
                                        " '" + field.owner.name + "'");
  return false;
}
bool CheckContext::require(const std::optional<Value>& value, const Field& field) {
  return value ? true : require(Values{}, field);
}

void CheckContext::demand(const Checked& checked, const Field& field, const char* expected,
                          const std::function<bool(double)>& holds) {
  for (double x : checked.values)
    if (!holds(x)) {
      problems.error(checked.formula.where,
                     name_of(field) + " must be " + expected + ", got " + text_of(x));
      return;
    }
}

void CheckContext::demand_positive(const Checked& checked, const Field& field) {
  demand(checked, field, "positive", [](double x) { return x > 0; });
}

void CheckContext::demand_direction(const Checked& checked, const Field& field) {
  if (checked.ok() && std::hypot(checked.values[0], checked.values[1], checked.values[2]) == 0)
    problems.error(checked.formula.where,
                   name_of(field) + " is zero; expected a direction of any length but zero");
}

void CheckContext::warn_negative(const Checked& checked, const Field& field) {
  for (double x : checked.values)
    if (x < 0) {
      problems.warning(checked.formula.where, name_of(field) + " is negative: " + text_of(x));
      return;
    }
}

int CheckContext::body(const Reference& reference, const Field& field, bool world_allowed) {
  if (reference.empty()) {
    if (reference.where.line == 0) require(Values{}, field);
    return unresolved;
  }
  if (reference.name == "world") {
    if (world_allowed) return world;
    problems.error(reference.where,
                   name_of(field) + " must be a body that can move, not the world");
    return unresolved;
  }
  const int index = names.find_body(reference.name);
  if (index >= 0) return index;
  std::vector<std::string> known = names.body_names();
  if (world_allowed) known.push_back("world");
  problems.error(reference.where,
                 "unknown body '" + reference.name + "'" + suggest(reference.name, known));
  return unresolved;
}

int CheckContext::joint(const Reference& reference, const Field& field) {
  if (reference.empty()) {
    if (reference.where.line == 0) require(Values{}, field);
    return unresolved;
  }
  const int index = names.find_joint(reference.name);
  if (index < 0) {
    problems.error(reference.where, "unknown joint '" + reference.name + "'" +
                                        suggest(reference.name, names.joint_names()));
    return unresolved;
  }
  return names.joint_type(index) ? index : unresolved;
}

Rotation CheckContext::rotation(const RotationText& rotation, const Field& field) {
  using Kind = RotationText::Kind;
  Rotation result;
  if (rotation.kind == Kind::none) return result;
  const int length = rotation.kind == Kind::rpy ? 3 : 4;
  const Field values{field.key, field.owner, {length}};
  const Checked checked = numbers(rotation.values, values);
  if (!checked.formula.given()) return result;
  result.kind = rotation.kind;
  result.values = checked.formula;
  if (!checked.ok()) return result;
  const std::vector<double>& x = checked.values;
  if (rotation.kind == Kind::axis_angle && std::hypot(x[0], x[1], x[2]) == 0)
    problems.error(
        rotation.values.where,
        "the axis in " + name_of(field) + " is zero; expected a direction of any length but zero");
  if (rotation.kind == Kind::quaternion && std::hypot(std::hypot(x[0], x[1], x[2]), x[3]) == 0)
    problems.error(rotation.values.where, "the quaternion in " + name_of(field) +
                                              " is zero; expected one of any length but zero");
  return result;
}

Placement CheckContext::placement(const PlacementText& placement, const Field& field) {
  Placement result;
  if (placement.body.empty() && placement.body.where.line == 0 && placement.where.line > 0) {
    problems.error(placement.where, "missing key 'body' in " + name_of(field));
    result.body = unresolved;
  } else {
    result.body = body(placement.body, field, true);
  }
  const Field at{field.key + " at", field.owner, {3}};
  result.at = or_default(numbers(placement.at, at).formula, {0, 0, 0});
  result.rotate = rotation(placement.rotate, field);
  return result;
}

Formula or_default(const Formula& formula, std::initializer_list<double> values) {
  return formula.given() ? formula : constant_formula(values);
}

}  // namespace cartan::model
