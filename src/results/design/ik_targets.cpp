#include "results/design/ik_targets.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lie/quaternion.h"
#include "mechanics/machine/orientation_target.h"
#include "results/load/numbers.h"

namespace cartan::results {
namespace {

constexpr double orthogonality = 1e-6;

std::string trim_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Places of a letter outside of brackets and quotes.
std::vector<std::size_t> places_outside(const std::string& text, char letter) {
  std::vector<std::size_t> places;
  int depth = 0;
  char quote = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (depth == 0 && c == letter) {
      places.push_back(k);
    } else {
      depth += c == '(' || c == '[';
      depth -= c == ')' || c == ']';
    }
  }
  return places;
}

std::string add_scalar(const Analysis& analysis, const std::string& left, const std::string& right,
                       TargetList& targets) {
  std::string problem;
  for (const std::string& side : {left, right}) {
    Diagnostics problems(side);
    if (!compile_expression(*analysis.model, side, problems))
      return fmt::format("'{}': {}", side, problems.findings().front().message);
  }
  std::shared_ptr<const StateFunction> function = make_state_function(
      *analysis.system, *analysis.model, fmt::format("({}) - ({})", left, right), problem);
  if (!function) return problem;
  targets.push_back(std::make_unique<FunctionTarget>(*analysis.system, std::move(function),
                                                     left + " = " + right));
  return "";
}

std::string read_numbers(const Model& model, const std::vector<std::string>& texts,
                         std::vector<double>& numbers) {
  for (const std::string& text : texts) {
    std::string problem;
    const std::optional<double> number = read_number(text, &model, problem);
    if (!number) return problem;
    numbers.push_back(*number);
  }
  return "";
}

Quat<double> about(int axis, double angle) {
  Quat<double> u{std::cos(angle / 2), 0, 0, 0};
  (axis == 0 ? u.x : axis == 1 ? u.y : u.z) = std::sin(angle / 2);
  return u;
}

// Nine entries in three rows, or roll, pitch and yaw: R = Rz Ry Rx.
std::string read_rotation(const Model& model, const std::vector<std::string>& entries,
                          Quat<double>& u) {
  const std::string expected =
      "expected [[..], [..], [..]], the rows of a rotation matrix, or [roll, pitch, yaw]";
  if (entries.size() != 3) return expected;
  std::vector<double> numbers;
  for (const std::string& entry : entries) {
    const std::optional<std::vector<std::string>> row = split_list(entry);
    if (row && row->size() != 3) return expected;
    const std::string problem =
        read_numbers(model, row ? *row : std::vector<std::string>{entry}, numbers);
    if (!problem.empty()) return problem;
  }
  if (numbers.size() == 3) {
    u = about(2, numbers[2]) * about(1, numbers[1]) * about(0, numbers[0]);
    return "";
  }
  if (numbers.size() != 9) return expected;
  Mat3<double> R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = numbers[3 * i + j];
  double off = std::fabs(dot(cross(R.c[0], R.c[1]), R.c[2]) - 1);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      off = std::max(off, std::fabs(dot(R.c[i], R.c[j]) - (i == j ? 1 : 0)));
  if (!(off < orthogonality))
    return fmt::format("the matrix is no rotation: its columns are off orthonormal by {:.3g}", off);
  u = from_rotation_matrix(R);
  const double size = std::sqrt(norm2(u));
  u = {u.w / size, u.x / size, u.y / size, u.z / size};
  return "";
}

// The body of "BODY.R"; -1: the text is something else.
int rotated_body(const Model& model, const std::string& left) {
  if (left.size() < 3 || !left.ends_with(".R")) return -1;
  std::string name = left.substr(0, left.size() - 2);
  if (name.size() > 2 && name.front() == '\'' && name.back() == '\'')
    name = name.substr(1, name.size() - 2);
  for (std::size_t k = 0; k < model.bodies.size(); ++k)
    if (model.bodies[k].name == name) return static_cast<int>(k);
  return -1;
}

std::string add_orientation(const Analysis& analysis, int body, const std::string& text,
                            const std::vector<std::string>& entries, TargetList& targets) {
  Quat<double> u;
  if (const std::string problem = read_rotation(*analysis.model, entries, u); !problem.empty())
    return problem;
  const auto* mechanism = dynamic_cast<const MechanicalSystem*>(analysis.system.get());
  auto target = mechanism ? make_orientation_target(*mechanism, body, u, text) : nullptr;
  if (!target)
    return "the state of this formulation is not made of joint coordinates and speeds; use the "
           "formulation recursive";
  targets.push_back(std::move(target));
  return "";
}

// What the entries of a list belong to: NAME.x .y .z of a point or body, NAME[i] of a joint.
std::vector<std::string> components(const Model& model, const std::string& left,
                                    std::size_t count) {
  if (const auto list = split_list(left)) return *list;
  if (count == 3 && is_expression(model, left + ".x"))
    return {left + ".x", left + ".y", left + ".z"};
  std::vector<std::string> names;
  for (std::size_t k = 0; k < count; ++k) {
    names.push_back(fmt::format("{}[{}]", left, k));
    if (!is_expression(model, names.back())) return {};
  }
  return names;
}

}  // namespace

bool is_expression(const Model& model, const std::string& text) {
  Diagnostics problems(text);
  return compile_expression(model, text, problems).has_value();
}

std::optional<std::pair<std::string, std::string>> split_equation(const std::string& text) {
  const std::vector<std::size_t> places = places_outside(text, '=');
  if (places.size() != 1) return std::nullopt;
  return std::pair(trim_blanks(text.substr(0, places[0])), trim_blanks(text.substr(places[0] + 1)));
}

std::optional<std::vector<std::string>> split_list(const std::string& text) {
  const std::string list = trim_blanks(text);
  if (list.size() < 2 || list.front() != '[' || list.back() != ']') return std::nullopt;
  const std::string inner = list.substr(1, list.size() - 2);
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (const std::size_t comma : places_outside(inner, ',')) {
    parts.push_back(trim_blanks(inner.substr(from, comma - from)));
    from = comma + 1;
  }
  parts.push_back(trim_blanks(inner.substr(from)));
  return parts;
}

std::string add_target(const Analysis& analysis, const std::string& text, TargetList& targets) {
  const auto sides = split_equation(text);
  if (!sides || sides->first.empty() || sides->second.empty())
    return fmt::format("expected EXPR = EXPR, got '{}'", text);
  const auto& [left, right] = *sides;
  const std::optional<std::vector<std::string>> values = split_list(right);
  if (!values) return add_scalar(analysis, left, right, targets);
  if (const int body = rotated_body(*analysis.model, left); body >= 0)
    return add_orientation(analysis, body, text, *values, targets);
  const std::vector<std::string> names = components(*analysis.model, left, values->size());
  if (names.size() != values->size())
    return fmt::format(
        "'{}': a list of {} numbers belongs to as many expressions: the three coordinates of a "
        "point or body, the coordinates JOINT.q, or a list",
        left, values->size());
  for (std::size_t k = 0; k < names.size(); ++k)
    if (const std::string problem = add_scalar(analysis, names[k], (*values)[k], targets);
        !problem.empty())
      return problem;
  return "";
}

std::string read_value_range(const Analysis& analysis, const std::string& text, ValueRange& range) {
  const auto sides = split_equation(text);
  const auto ends = sides ? split_list(sides->second) : std::nullopt;
  if (!ends || ends->size() != 2) return fmt::format("expected EXPR = [LOW, HIGH], got '{}'", text);
  std::vector<double> numbers;
  if (std::string problem = read_numbers(*analysis.model, *ends, numbers); !problem.empty())
    return problem;
  if (!(numbers[0] <= numbers[1]))
    return fmt::format("'{}': the low end is above the high one", text);
  std::string problem;
  range.name = sides->first;
  range.low = numbers[0];
  range.high = numbers[1];
  range.function = make_state_function(*analysis.system, *analysis.model, sides->first, problem);
  return range.function ? "" : problem;
}

std::string read_distinct(const Analysis& analysis, const std::string& text,
                          std::vector<std::shared_ptr<const StateFunction>>& functions) {
  const Model& model = *analysis.model;
  const std::vector<std::string> names = *split_list("[" + text + "]");
  for (const std::string& name : names) {
    std::vector<std::string> expressions = {name};
    if (!is_expression(model, name) && is_expression(model, name + ".x"))
      expressions = {name + ".x", name + ".y", name + ".z"};
    for (int k = 0; k < 9 && rotated_body(model, name + ".R") >= 0; ++k)
      expressions.push_back(fmt::format("{}.R[{},{}]", name, k / 3, k % 3));
    for (const std::string& expression : expressions) {
      std::string problem;
      functions.push_back(make_state_function(*analysis.system, model, expression, problem));
      if (!functions.back()) return problem;
    }
  }
  return "";
}

void add_stop_ranges(const Analysis& analysis, std::vector<ValueRange>& ranges) {
  const Model& model = *analysis.model;
  const std::vector<double> parameters = parameter_values(model);
  const std::size_t given = ranges.size();
  const auto find = [&](const std::string& name, std::size_t from) {
    return std::find_if(ranges.begin() + static_cast<std::ptrdiff_t>(from), ranges.end(),
                        [&](const ValueRange& range) { return range.name == name; });
  };
  for (const Contact& stop : model.contacts) {
    if (!stop.is_stop()) continue;
    const Joint& joint = model.joints[stop.joint];
    const std::string index = joint.nq() > 1 ? "[" + std::to_string(stop.component) + "]" : "";
    const std::string plain = joint.name + ".q" + index;
    const std::string name = is_expression(model, plain) ? plain : "'" + joint.name + "'.q" + index;
    if (const auto own = find(name, 0);
        own != ranges.end() && own - ranges.begin() < static_cast<std::ptrdiff_t>(given))
      continue;
    if (find(name, given) == ranges.end()) {
      std::string problem;
      auto function = make_state_function(*analysis.system, model, name, problem);
      if (!function) continue;
      constexpr double endless = std::numeric_limits<double>::infinity();
      ranges.push_back({name, std::move(function), -endless, endless});
    }
    ValueRange& range = *find(name, given);
    (stop.upper ? range.high : range.low) = evaluate<double>(stop.bound, parameters)[0];
  }
}

}  // namespace cartan::results
