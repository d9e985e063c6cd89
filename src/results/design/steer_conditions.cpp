#include "results/design/steer_conditions.h"

#include <cmath>

#include <fmt/format.h>

#include "lie/quaternion.h"
#include "results/load/numbers.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

bool turns(const Joint& joint) {
  return joint.nq() != joint.nv();
}

Quat<double> quaternion_of_axis(double x, double y, double z, double angle) {
  const double length = std::hypot(x, y, z);
  const double s = std::sin(angle / 2) / length;
  return {std::cos(angle / 2), s * x, s * y, s * z};
}

}  // namespace

double task_number(const SteerTask& task, const Model& model, const std::string& text,
                   Location where) {
  std::string problem;
  const auto number = read_number(text, &model, problem);
  if (!number) refuse_at(task.file, where, problem);
  return *number;
}

StateName find_state_name(const Model& model, const std::string& text) {
  StateName name;
  for (std::size_t k = 0; k < model.variables.size(); ++k)
    if (model.variables[k].name == text) name.variable = static_cast<int>(k);
  if (name.known()) return name;
  std::string body = text;
  if (!body.empty() && body.back() == ']') {
    const std::size_t open = body.rfind('[');
    if (open == std::string::npos) return {};
    const std::string digits = body.substr(open + 1, body.size() - open - 2);
    if (digits.empty() || digits.size() > 3 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      return {};
    name.component = std::stoi(digits);
    body.resize(open);
  }
  if (body.size() < 3 || (!body.ends_with(".q") && !body.ends_with(".v"))) return {};
  name.velocity = body.back() == 'v';
  name.joint = model.find_joint(body.substr(0, body.size() - 2));
  if (name.joint < 0) return {};
  const Joint& joint = model.joints[name.joint];
  const int count = name.velocity ? joint.nv() : joint.nq();
  if (name.component >= count || count == 0) return {};
  if (count == 1) name.component = -1;
  return name;
}

std::vector<double> condition_numbers(const SteerTask& task, const Model& model,
                                      const SteerCondition& condition) {
  using Turn = SteerCondition::Turn;
  std::vector<double> v;
  for (const std::string& text : condition.values)
    v.push_back(task_number(task, model, text, condition.where));
  if (condition.turn == Turn::none) return v;
  Quat<double> u;
  if (condition.turn == Turn::quaternion) {
    u = {v[0], v[1], v[2], v[3]};
    if (!(std::fabs(norm(u) - 1) < 1e-6))
      refuse_at(task.file, condition.where, "the quaternion is not of length one");
  } else if (condition.turn == Turn::axis_angle) {
    if (!(std::hypot(v[0], v[1], v[2]) > 0))
      refuse_at(task.file, condition.where, "the axis is zero");
    u = quaternion_of_axis(v[0], v[1], v[2], v[3]);
  } else {
    u = quaternion_of_axis(0, 0, 1, v[2]) * quaternion_of_axis(0, 1, 0, v[1]) *
        quaternion_of_axis(1, 0, 0, v[0]);
  }
  u = normalized(u);
  return {u.w, u.x, u.y, u.z};
}

std::vector<std::string> condition_rows(const SteerTask& task, const Model& model,
                                        const SteerCondition& condition) {
  const StateName name = find_state_name(model, condition.name);
  const std::vector<double> values = condition_numbers(task, model, condition);
  const auto wrong_count = [&](int expected) {
    refuse_at(task.file, condition.where,
              fmt::format("'{}' has {} numbers, got {}", condition.name, expected, values.size()));
  };
  std::vector<std::string> rows;
  if (name.joint < 0 || name.component >= 0) {
    if (values.size() != 1) wrong_count(1);
    return {fmt::format("({}) - ({:.17g})", condition.name, values[0])};
  }
  const Joint& joint = model.joints[name.joint];
  const int count = name.velocity ? joint.nv() : joint.nq();
  const auto text = [&](int k) {
    return count == 1 ? condition.name : fmt::format("{}[{}]", condition.name, k);
  };
  int first = 0;
  if (!name.velocity && turns(joint)) {
    if (values.size() != 4 && static_cast<int>(values.size()) != count) wrong_count(count);
    // vec(target^-1 u) = 0
    const Quat<double> t = normalized(Quat<double>(values[0], values[1], values[2], values[3]));
    const char* const form = "({:.17g})*{} + ({:.17g})*{} + ({:.17g})*{} + ({:.17g})*{}";
    rows.push_back(
        fmt::format(fmt::runtime(form), -t.x, text(0), t.w, text(1), t.z, text(2), -t.y, text(3)));
    rows.push_back(
        fmt::format(fmt::runtime(form), -t.y, text(0), -t.z, text(1), t.w, text(2), t.x, text(3)));
    rows.push_back(
        fmt::format(fmt::runtime(form), -t.z, text(0), t.y, text(1), -t.x, text(2), t.w, text(3)));
    first = 4;
  } else if (static_cast<int>(values.size()) != count) {
    wrong_count(count);
  }
  for (int k = first; k < static_cast<int>(values.size()); ++k)
    rows.push_back(fmt::format("{} - ({:.17g})", text(k), values[k]));
  return rows;
}

void put_condition(const SteerTask& task, const Model& model, const SteerCondition& condition,
                   const StateName& name, const StateValues& now, StateValues& values) {
  const std::vector<double> numbers = condition_numbers(task, model, condition);
  if (name.variable >= 0) {
    if (numbers.size() != 1)
      refuse_at(task.file, condition.where,
                fmt::format("'{}' has 1 number, got {}", condition.name, numbers.size()));
    values.variables[name.variable] = numbers[0];
    return;
  }
  auto& target = (name.velocity ? values.v : values.q)[name.joint];
  if (!target) target = (name.velocity ? now.v : now.q)[name.joint];
  const bool turn = !name.velocity && turns(model.joints[name.joint]);
  const std::size_t expected = name.component >= 0 ? 1 : target->size();
  if (numbers.size() != expected && !(turn && name.component < 0 && numbers.size() == 4))
    refuse_at(task.file, condition.where,
              fmt::format("'{}' has {} numbers, got {}", condition.name, expected, numbers.size()));
  if (turn && name.component >= 0 && name.component < 4)
    refuse_at(
        task.file, condition.where,
        fmt::format("'{}' is one number of a rotation; give the whole rotation", condition.name));
  for (std::size_t k = 0; k < numbers.size(); ++k)
    (*target)[name.component >= 0 ? name.component : k] = numbers[k];
}

std::vector<int> numbers_of_name(const Model& model, const System& system, const StateName& name) {
  std::vector<int> result;
  const std::string stem = name.joint >= 0 ? fmt::format("{}.{}", model.joints[name.joint].name,
                                                         name.velocity ? 'v' : 'q')
                                           : model.variables[name.variable].name;
  for (int i = 0; i < system.space().size() - system.quadratures(); ++i) {
    const std::string component = system.component_name(i);
    if (name.joint < 0 ? component == stem
        : name.component >= 0
            ? component == stem + std::to_string(name.component)
            : component.starts_with(stem) &&
                  component.find_first_not_of("0123456789", stem.size()) == std::string::npos &&
                  component.size() > stem.size())
      result.push_back(i);
  }
  return result;
}

}  // namespace cartan::results
