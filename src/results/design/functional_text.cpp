// Reading of functionals (functionals.h).
#include <cctype>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "results/design/functionals.h"
#include "results/design/ik_targets.h"
#include "results/load/numbers.h"

namespace cartan::results {
namespace {

using Kind = Functional::Kind;

const std::map<std::string, Kind>& functional_kinds() {
  static const std::map<std::string, Kind> kinds = {
      {"final", Kind::final},     {"at", Kind::at},           {"integral", Kind::integral},
      {"maximum", Kind::maximum}, {"minimum", Kind::minimum}, {"event", Kind::event}};
  return kinds;
}
const std::map<std::string, Kind>& linear_kinds() {
  static const std::map<std::string, Kind> kinds = {{"largest_real_part", Kind::real_part},
                                                    {"period", Kind::period},
                                                    {"frequency", Kind::frequency}};
  return kinds;
}

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '\'';
}

std::string stand_in(int k) {
  return fmt::format("functional_{}_of_the_run", k);
}

// The place of the bracket that closes the one at `open`.
std::size_t closing(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t k = open; k < text.size(); ++k) {
    depth += text[k] == '(';
    depth -= text[k] == ')';
    if (depth == 0) return k;
  }
  return std::string::npos;
}

}  // namespace

// NAME = EXPR, ..: parameters of a linearisation.
std::string Functionals::read_changes(const std::vector<std::string>& arguments,
                                      Functional& functional) const {
  for (const std::string& argument : arguments) {
    const auto sides = split_equation(argument);
    ChangedParameter change;
    if (sides) change.parameter = model_.find_parameter(sides->first);
    if (!sides || change.parameter < 0) {
      std::vector<std::string> known;
      for (const Parameter& parameter : model_.parameters) known.push_back(parameter.name);
      return fmt::format("'{}': expected NAME = EXPR with an entry of [parameters], got '{}'{}",
                         functional.text, argument,
                         suggestion(sides ? sides->first : argument, known));
    }
    for (const ChangedParameter& before : functional.changed)
      if (before.parameter == change.parameter)
        return fmt::format("'{}': '{}' is given twice", functional.text, sides->first);
    Diagnostics problems(sides->second);
    std::optional<Formula> formula = compile_expression(model_, sides->second, problems);
    if (!formula)
      return fmt::format("'{}': {}", functional.text, problems.findings().front().message);
    for (const Symbol& symbol : formula->program.inputs)
      if (symbol.quantity != Quantity::parameter)
        return fmt::format("'{}': the value of a parameter is made of parameters alone",
                           functional.text);
    change.value = std::move(*formula);
    functional.changed.push_back(std::move(change));
    functional.changes += argument + ",";
  }
  return "";
}

std::string Functionals::read_event(const std::vector<std::string>& arguments,
                                    Functional& functional) const {
  std::string wanted = arguments[0];
  if (wanted.size() > 1 && (wanted.front() == '\'' || wanted.front() == '"'))
    wanted = wanted.substr(1, wanted.size() - 2);
  std::vector<std::string> known;
  for (std::size_t k = 0; k < model_.events.size(); ++k) {
    known.push_back(model_.events[k].name);
    if (known.back() == wanted) functional.event = static_cast<int>(k);
  }
  if (functional.event < 0)
    return fmt::format("the model has no event '{}'{}", wanted, suggestion(wanted, known));
  if (arguments.size() < 3) return "";
  std::string problem;
  const auto crossing = read_number(arguments[2], &model_, problem);
  if (!crossing) return problem;
  if (*crossing < 1 || *crossing != std::floor(*crossing) || *crossing > 1e6)
    return fmt::format("'{}': expected the number of the crossing, from 1", functional.text);
  functional.crossing = static_cast<int>(*crossing);
  return "";
}

int Functionals::add_functional(const std::string& name, const std::vector<std::string>& arguments,
                                const std::string& text, std::string& problem) {
  for (std::size_t k = 0; k < functionals_.size(); ++k)
    if (functionals_[k].text == text) return static_cast<int>(k);
  Functional functional;
  functional.text = text;
  if (const auto linear = linear_kinds().find(name); linear != linear_kinds().end()) {
    functional.kind = linear->second;
    if (problem = read_changes(arguments, functional); !problem.empty()) return -1;
  } else {
    functional.kind = functional_kinds().at(name);
    const std::size_t count = arguments.size();
    const bool timed = functional.kind == Kind::at, event = functional.kind == Kind::event;
    if (event ? count != 2 && count != 3 : count != (timed ? 2u : 1u)) {
      problem = fmt::format("'{}': expected {}", text,
                            event   ? "event(NAME, EXPR) or event(NAME, EXPR, K)"
                            : timed ? "at(TIME, EXPR)"
                                    : name + "(EXPR)");
      return -1;
    }
    if (timed) {
      const auto time = read_number(arguments[0], &model_, problem);
      if (!time) return -1;
      functional.time = *time;
      if (!(*time >= 0 && *time <= duration_)) {
        problem = fmt::format("'{}': the time is outside the run of {:g} s", text, duration_);
        return -1;
      }
    }
    if (event)
      if (problem = read_event(arguments, functional); !problem.empty()) return -1;
    const std::string& expression = arguments[timed || event ? 1 : 0];
    Diagnostics problems(expression);
    std::optional<Formula> formula = compile_expression(model_, expression, problems);
    for (const Output& output : model_.outputs)
      if (output.name == expression) formula = output.value;
    if (!formula) {
      problem = fmt::format("'{}': {}", text, problems.findings().front().message);
      return -1;
    }
    functional.formula = std::move(*formula);
  }
  functionals_.push_back(std::move(functional));
  return static_cast<int>(functionals_.size()) - 1;
}

// Every functional becomes a name.
std::string Functionals::replace_functionals(const std::string& text, std::string& problem) {
  std::string result;
  for (std::size_t k = 0; k < text.size();) {
    if (!is_name_letter(text[k])) {
      result += text[k++];
      continue;
    }
    std::size_t end = k;
    while (end < text.size() && is_name_letter(text[end])) ++end;
    const std::string word = text.substr(k, end - k);
    std::size_t open = end;
    while (open < text.size() && text[open] == ' ') ++open;
    const bool call = open < text.size() && text[open] == '(';
    int number = -2;
    std::size_t next = end;
    if (call && (functional_kinds().count(word) || linear_kinds().count(word))) {
      const std::size_t close = closing(text, open);
      if (close == std::string::npos) {
        problem = fmt::format("'{}': a bracket is not closed", text);
        return "";
      }
      next = close + 1;
      const auto arguments = split_list("[" + text.substr(open + 1, close - open - 1) + "]");
      number = add_functional(word, *arguments, text.substr(k, next - k), problem);
    } else if (!call && linear_kinds().count(word) && model_.find_parameter(word) < 0) {
      number = add_functional(word, {}, word, problem);
    }
    if (number == -1) return "";
    result += number >= 0 ? stand_in(number) : word;
    k = next;
  }
  return result;
}

int Functionals::add(const std::string& text, std::string& problem) {
  problem.clear();
  const std::string replaced = replace_functionals(text, problem);
  if (!problem.empty()) return -1;
  expressions_.push_back({text, {}});
  // parameters of the model, then the functionals, as parameters without formulas
  Model outer;
  const auto add_parameter = [&](const std::string& name) {
    Parameter parameter;
    parameter.name = name;
    const double zero = 0;
    parameter.value.program = constant_program({&zero, 1});
    outer.parameter_order.push_back(static_cast<int>(outer.parameters.size()));
    outer.parameters.push_back(std::move(parameter));
  };
  for (const Parameter& parameter : model_.parameters) add_parameter(parameter.name);
  for (std::size_t k = 0; k < functionals_.size(); ++k)
    add_parameter(stand_in(static_cast<int>(k)));
  Diagnostics problems(text);
  std::optional<Formula> formula = compile_expression(outer, replaced, problems);
  if (!formula) {
    problem = fmt::format(
        "'{}': {}. States belong into final(..), integral(..), maximum(..), at(T, ..) or "
        "event(NAME, ..)",
        text, problems.findings().front().message);
    return -1;
  }
  for (const Symbol& symbol : formula->program.inputs)
    if (symbol.quantity != Quantity::parameter) {
      problem = fmt::format("'{}': time and states belong into final(..), integral(..), ..", text);
      return -1;
    }
  expressions_.back().formula = std::move(*formula);
  return static_cast<int>(expressions_.size()) - 1;
}

}  // namespace cartan::results
