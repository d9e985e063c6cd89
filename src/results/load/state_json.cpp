#include "results/load/state_json.h"

#include <algorithm>
#include <fstream>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "results/load/load.h"

namespace cartan::results {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_state = std::size_t{256} << 20;

// The place of a byte of a text.
Location place_of(const std::string& text, std::size_t byte) {
  Location place{1, 1};
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    ++place.column;
    if (text[i] == '\n') place = {place.line + 1, 1};
  }
  return place;
}

std::optional<Json> parse_json(const std::string& text, Diagnostics& problems) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    problems.error(place_of(text, error.byte),
                   "this is not JSON; expected a state such as "
                   "{ \"t\": 0, \"q\": {}, \"v\": {} }");
  } catch (const Json::exception&) {
    problems.error({}, "a number is out of range");
  }
  return std::nullopt;
}

std::optional<Json> read_json(const std::string& path, Diagnostics& problems) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    problems.error({}, "the file cannot be opened; expected a state in JSON");
    return std::nullopt;
  }
  // One byte more than allowed is read at most: a device may never end.
  std::string text;
  char block[1 << 14];
  while (stream && text.size() <= longest_state) {
    stream.read(block, sizeof block);
    text.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  if (text.size() > longest_state) {
    problems.error({}, "the file is larger than 256 MB; expected a state in JSON");
    return std::nullopt;
  }
  return parse_json(text, problems);
}

std::string describe(const Json& value) {
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  return value.is_object() ? "an object" : value.dump();
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& list) {
  std::vector<std::string> names;
  for (const T& item : list) names.push_back(item.name);
  return names;
}

class StateReader {
 public:
  StateReader(const Model& model, Diagnostics& problems) : model_(model), problems_(problems) {}

  StateValues read(const Json& root) {
    state_.q.resize(model_.joints.size());
    state_.v.resize(model_.joints.size());
    state_.variables.resize(model_.variables.size());
    if (!root.is_object()) {
      complain("expected an object { \"t\": 0, \"q\": { \"joint\": [..] }, \"v\": { .. } }");
      return state_;
    }
    for (const auto& [key, value] : root.items()) read_member(key, value);
    return state_;
  }

 private:
  void complain(std::string message) { problems_.error({}, std::move(message)); }

  void read_member(const std::string& key, const Json& value) {
    const bool mechanism = model_.is_mechanism();
    if (key == "t") {
      if (!value.is_number()) return complain("'t': expected a number, got " + describe(value));
      state_.t = value.get<double>();
    } else if (mechanism && (key == "q" || key == "v")) {
      read_joints(key, value);
    } else if (!model_.variables.empty() && key == "variables") {
      read_variables(value);
    } else if (key == "bodies" || key == "outputs") {
      return;  // `final` of run --json carries them too; they follow from the rest
    } else {
      std::vector<std::string> known = {"t"};
      if (mechanism) known.insert(known.end(), {"q", "v"});
      if (!model_.variables.empty()) known.push_back("variables");
      const std::string near = suggestion(key, known);
      complain(fmt::format("unknown key '{}'{}", key,
                           !near.empty() ? near
                           : !mechanism  ? "; expected 't' and 'variables'"
                           : model_.variables.empty()
                               ? "; expected 't', 'q' and 'v'"
                               : "; expected 't', 'q', 'v' and 'variables'"));
    }
  }

  void read_joints(const std::string& key, const Json& members) {
    if (!members.is_object())
      return complain(fmt::format("'{}': expected an object {{ \"joint\": [..] }}", key));
    for (const auto& [name, value] : members.items()) {
      const int index = model_.find_joint(name);
      if (index < 0) {
        complain(fmt::format("'{}': the model has no joint '{}'{}", key, name,
                             suggestion(name, names_of(model_.joints))));
        continue;
      }
      const Joint& joint = model_.joints[index];
      const bool position = key == "q";
      std::optional<std::vector<double>> numbers =
          read_numbers(key, joint, position ? joint.nq() : joint.nv(), value);
      if (!numbers || (position && !check_coordinates(joint, *numbers, problems_))) continue;
      (position ? state_.q : state_.v)[index] = std::move(numbers);
    }
  }

  std::optional<std::vector<double>> read_numbers(const std::string& key, const Joint& joint,
                                                  int size, const Json& value) {
    const std::string whose =
        fmt::format("{} of joint '{}' ({})", key, joint.name, info(joint.type).name);
    const Json list = value.is_number() ? Json::array({value}) : value;
    if (!list.is_array() || static_cast<int>(list.size()) != size) {
      complain(fmt::format("{}: expected {} number{}, got {}", whose, size, size == 1 ? "" : "s",
                           list.is_array() ? std::to_string(list.size()) : describe(value)));
      return std::nullopt;
    }
    std::vector<double> numbers;
    for (const Json& item : list) {
      if (!item.is_number()) {
        complain(fmt::format("{}: expected numbers, got {}", whose, describe(item)));
        return std::nullopt;
      }
      numbers.push_back(item.get<double>());
    }
    return numbers;
  }

  void read_variables(const Json& members) {
    if (!members.is_object())
      return complain("'variables': expected an object { \"name\": number }");
    const std::vector<std::string> known = names_of(model_.variables);
    for (const auto& [name, value] : members.items()) {
      const auto found = std::find(known.begin(), known.end(), name);
      if (found == known.end())
        complain(fmt::format("the model has no variable '{}'{}", name, suggestion(name, known)));
      else if (!value.is_number())
        complain(fmt::format("variable '{}': expected a number, got {}", name, describe(value)));
      else
        state_.variables[found - known.begin()] = value.get<double>();
    }
  }

  const Model& model_;
  Diagnostics& problems_;
  StateValues state_;
};

}  // namespace

std::optional<StateValues> read_state_json(const std::string& path, const Model& model,
                                           Diagnostics& problems) {
  const std::optional<Json> root = read_json(path, problems);
  if (!root) return std::nullopt;
  return StateReader(model, problems).read(*root);
}

std::optional<StateValues> parse_state_json(const std::string& text, const Model& model,
                                            Diagnostics& problems) {
  const std::optional<Json> root = parse_json(text, problems);
  if (!root) return std::nullopt;
  return StateReader(model, problems).read(*root);
}

}  // namespace cartan::results
