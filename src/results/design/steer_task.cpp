#include "results/design/steer_task.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/toml_section.h"
#include "io/toml_tree.h"
#include "results/load/load.h"
#include "results/refusal.h"

namespace cartan::results {
namespace {

class SteerTaskReader {
 public:
  explicit SteerTaskReader(Diagnostics& problems) : problems_(problems) {}

  void read(const TomlNode& root, SteerTask& task) {
    static const std::vector<std::string> known = {
        "format", "model",  "duration", "tolerance", "method", "points", "intervals",
        "refine", "starts", "periodic", "swap",      "inputs", "start",  "end",
        "path",   "phase",  "advance",  "minimise",  "guess"};
    for (const TomlEntry& entry : root.entries) {
      const TomlNode& node = entry.value;
      const std::string& key = entry.key;
      if (key == "format") {
        continue;
      } else if (key == "model") {
        read_text(node, "the path of a model file", task.model);
        task.model_where = node.where;
      } else if (key == "duration") {
        read_duration(node, task.duration);
      } else if (key == "phase") {
        read_phases(node, task);
      } else if (key == "swap") {
        read_text(node, "two names, such as \"left=right\"", task.swap);
        task.swap_where = node.where;
      } else if (key == "advance") {
        for_entries(node, [&](const TomlEntry& e) { read_advance(e, task); });
      } else if (key == "tolerance") {
        if (expect(node, TomlNode::Kind::number, "a number", problems_))
          task.tolerance = node.number;
        if (!(task.tolerance >= 1e-13 && task.tolerance < 1))
          problems_.error(node.where, "tolerance: expected a number from 1e-13 to below 1");
      } else if (key == "method") {
        read_text(node, "\"gauss\" or \"radau\"", task.method);
        if (task.method != "gauss" && task.method != "radau")
          problems_.error(node.where, fmt::format("method is '{}'; expected \"gauss\" or \"radau\"",
                                                  task.method));
      } else if (key == "points") {
        read_whole(node, 1, 12, task.points);
      } else if (key == "intervals") {
        read_whole(node, 1, 2000, task.intervals);
      } else if (key == "starts") {
        read_whole(node, 1, 1000, task.starts);
      } else if (key == "refine") {
        if (expect(node, TomlNode::Kind::boolean, "true or false", problems_))
          task.refine = node.flag;
      } else if (key == "periodic") {
        read_periodic(node, task);
      } else if (key == "inputs") {
        task.lists_inputs = true;
        for_entries(node, [&](const TomlEntry& e) { read_input(e, task.inputs); });
      } else if (key == "start" || key == "end") {
        for_entries(node, [&](const TomlEntry& e) {
          read_condition(e, key == "start", key == "start" ? task.start : task.end);
        });
      } else if (key == "path") {
        for_entries(node, [&](const TomlEntry& e) {
          read_bounds(e.key, e.value, "[low, high]", e.where, task.path);
        });
      } else if (key == "minimise") {
        for_entries(node, [&](const TomlEntry& e) { read_cost(e, task); });
      } else if (key == "guess") {
        for_entries(node, [&](const TomlEntry& e) {
          if (e.key != "file") return read_guess(e, task.guess);
          read_number_text(e.value, "a text", task.guess_file);
          task.guess_file_where = e.where;
        });
      } else {
        const std::string near = suggestion(key, known);
        problems_.error(entry.where, fmt::format("unknown key '{}'{}", key,
                                                 near.empty() ? fmt::format("; expected one of {}",
                                                                            fmt::join(known, ", "))
                                                              : near));
      }
    }
    if (task.model.empty())
      problems_.error(root.where, "there is no `model`; expected the path of a model file");
    if (!task.duration.written() && task.phases.empty())
      problems_.error(root.where,
                      "there is no `duration`; expected seconds, or { guess = .., "
                      "bounds = [low, high] }");
    if (!task.swap.empty() && !task.periodic)
      problems_.error(task.swap_where,
                      "`swap` says how a motion repeats; expected `periodic = true` beside it");
    if (task.integral.empty() && task.final.empty())
      problems_.error(root.where,
                      "nothing to minimise; expected [minimise] with `integral` or `final`");
  }

 private:
  template <class Take>
  void for_entries(const TomlNode& node, Take&& take) {
    if (!expect(node, TomlNode::Kind::table, "a table", problems_)) return;
    for (const TomlEntry& entry : node.entries) take(entry);
  }

  void read_text(const TomlNode& node, const std::string& what, std::string& text) {
    if (expect(node, TomlNode::Kind::text, what, problems_)) text = node.text;
  }

  // A number or an expression, as text.
  bool read_number_text(const TomlNode& node, const std::string& what, std::string& text) {
    if (node.is(TomlNode::Kind::text))
      text = node.text;
    else if (node.is(TomlNode::Kind::number))
      text = fmt::format("{}", node.number);
    else
      return expect(node, TomlNode::Kind::number, what, problems_);
    return true;
  }

  void read_whole(const TomlNode& node, int least, int most, int& target) {
    if (!expect(node, TomlNode::Kind::number, "a whole number", problems_)) return;
    if (!node.whole || node.number < least || node.number > most)
      problems_.error(node.where,
                      fmt::format("expected a whole number from {} to {}", least, most));
    else
      target = static_cast<int>(node.number);
  }

  void read_duration(const TomlNode& node, SteerDuration& duration) {
    duration.where = node.where;
    if (!node.is(TomlNode::Kind::table)) {
      read_number_text(node, "a number or { guess = .., bounds = [low, high] }", duration.guess);
      return;
    }
    for (const TomlEntry& entry : node.entries) {
      if (entry.key == "guess")
        read_number_text(entry.value, "a number", duration.guess);
      else if (entry.key == "bounds")
        read_pair(entry.value, "[low, high]", duration.low, duration.high);
      else
        problems_.error(entry.where,
                        fmt::format("unknown key '{}'{}", entry.key, "; expected guess or bounds"));
    }
    if (duration.low.empty() || duration.high.empty())
      problems_.error(node.where, "duration: expected bounds = [low, high] beside the guess");
    if (duration.guess.empty() && !duration.low.empty())
      duration.guess = fmt::format("(({}) + ({}))/2", duration.low, duration.high);
  }

  void read_phases(const TomlNode& node, SteerTask& task) {
    if (!expect(node, TomlNode::Kind::array, "[[phase]], a table for each phase", problems_))
      return;
    for (const TomlNode& item : node.items)
      if (expect(item, TomlNode::Kind::table, "[[phase]], a table for each phase", problems_))
        read_phase(item, task.phases.emplace_back(), static_cast<int>(task.phases.size()));
  }

  void read_phase(const TomlNode& node, SteerPhaseText& phase, int number) {
    static const std::vector<std::string> known = {"name", "duration", "closed", "inputs",
                                                   "path", "end",      "guess"};
    phase.where = node.where;
    phase.name = fmt::format("{}", number);
    bool says_closed = false;
    for (const TomlEntry& entry : node.entries) {
      const TomlNode& value = entry.value;
      if (entry.key == "name") {
        read_text(value, "a name", phase.name);
      } else if (entry.key == "duration") {
        read_duration(value, phase.duration);
      } else if (entry.key == "closed") {
        says_closed = true;
        if (expect(value, TomlNode::Kind::array, "a list of contacts", problems_))
          for (const TomlNode& item : value.items)
            read_text(item, "the name of a contact", phase.closed.emplace_back());
      } else if (entry.key == "inputs") {
        for_entries(value, [&](const TomlEntry& e) { read_input(e, phase.inputs); });
      } else if (entry.key == "path") {
        for_entries(value, [&](const TomlEntry& e) {
          read_bounds(e.key, e.value, "[low, high]", e.where, phase.path);
        });
      } else if (entry.key == "end") {
        for_entries(value, [&](const TomlEntry& e) { read_condition(e, false, phase.end); });
      } else if (entry.key == "guess") {
        for_entries(value, [&](const TomlEntry& e) { read_guess(e, phase.guess); });
      } else {
        const std::string near = suggestion(entry.key, known);
        problems_.error(entry.where, fmt::format("unknown key '{}' of a phase{}", entry.key,
                                                 near.empty() ? fmt::format("; expected one of {}",
                                                                            fmt::join(known, ", "))
                                                              : near));
      }
    }
    if (!phase.duration.written())
      problems_.error(node.where,
                      fmt::format("phase '{}' has no `duration`; expected seconds, or {{ guess = "
                                  ".., bounds = [low, high] }}",
                                  phase.name));
    if (!says_closed)
      problems_.error(node.where,
                      fmt::format("phase '{}' does not say which contacts are closed; expected "
                                  "closed = [\"NAME\", ..], or closed = [] for none",
                                  phase.name));
  }

  void read_guess(const TomlEntry& entry, std::vector<SteerGuess>& list) {
    SteerGuess guess{entry.key, "", entry.where};
    if (read_number_text(entry.value, "a text", guess.text)) list.push_back(std::move(guess));
  }

  void read_advance(const TomlEntry& entry, SteerTask& task) {
    const std::string what = "a number, { speed = .. } or \"free\"";
    SteerAdvance advance;
    advance.name = entry.key;
    advance.where = entry.where;
    const TomlNode& node = entry.value;
    if (node.is(TomlNode::Kind::table)) {
      advance.speed = true;
      if (node.entries.size() != 1 || node.entries[0].key != "speed") {
        problems_.error(node.where, "expected " + what);
        return;
      }
      if (!read_number_text(node.entries[0].value, "a number", advance.value)) return;
    } else if (!read_number_text(node, what, advance.value)) {
      return;
    }
    advance.free = !advance.speed && advance.value == "free";
    task.advance.push_back(std::move(advance));
  }

  // "inf" and "-inf" are no bounds.
  bool read_pair(const TomlNode& node, const std::string& what, std::string& low,
                 std::string& high) {
    if (!expect(node, TomlNode::Kind::array, what, problems_)) return false;
    if (node.items.size() != 2) {
      problems_.error(node.where, "expected " + what);
      return false;
    }
    const auto side = [&](const TomlNode& item, std::string& text) {
      if (item.is(TomlNode::Kind::number) && !(item.number > -1e300 && item.number < 1e300))
        return true;
      return read_number_text(item, "a number", text);
    };
    return side(node.items[0], low) && side(node.items[1], high);
  }

  void read_bounds(const std::string& name, const TomlNode& node, const std::string& what,
                   Location where, std::vector<SteerBounds>& list) {
    SteerBounds bounds;
    bounds.name = name;
    bounds.where = where;
    if (read_pair(node, what, bounds.low, bounds.high)) list.push_back(std::move(bounds));
  }

  void read_input(const TomlEntry& entry, std::vector<SteerBounds>& list) {
    if (entry.value.is(TomlNode::Kind::array))
      return read_bounds(entry.key, entry.value, "[low, high]", entry.where, list);
    if (!expect(entry.value, TomlNode::Kind::table, "{ bounds = [low, high] }, or {} for none",
                problems_))
      return;
    if (entry.value.entries.empty()) {
      list.push_back({entry.key, "", "", entry.where});
      return;
    }
    for (const TomlEntry& inner : entry.value.entries) {
      if (inner.key == "bounds")
        read_bounds(entry.key, inner.value, "[low, high]", entry.where, list);
      else
        problems_.error(inner.where, fmt::format("unknown key '{}'; expected bounds", inner.key));
    }
  }

  void read_condition(const TomlEntry& entry, bool start, std::vector<SteerCondition>& list) {
    SteerCondition condition;
    condition.name = entry.key;
    condition.where = entry.where;
    const TomlNode& node = entry.value;
    if (node.is(TomlNode::Kind::text) && node.text == "free") {
      if (!start) return;  // what is not named is open at the end
      condition.free = true;
    } else if (node.is(TomlNode::Kind::array)) {
      for (const TomlNode& item : node.items)
        if (!read_number_text(item, "a number", condition.values.emplace_back())) return;
    } else if (node.is(TomlNode::Kind::table)) {
      if (!read_turn(node, condition)) return;
    } else if (!read_number_text(node, "a number, a list or a rotation",
                                 condition.values.emplace_back())) {
      return;
    }
    list.push_back(std::move(condition));
  }

  bool read_turn(const TomlNode& node, SteerCondition& condition) {
    using Turn = SteerCondition::Turn;
    std::string angle;
    for (const TomlEntry& entry : node.entries) {
      if (entry.key == "angle") {
        if (!read_number_text(entry.value, "a number", angle)) return false;
        continue;
      }
      condition.turn = entry.key == "axis"         ? Turn::axis_angle
                       : entry.key == "quaternion" ? Turn::quaternion
                       : entry.key == "rpy"        ? Turn::rpy
                                                   : Turn::none;
      if (condition.turn == Turn::none) break;
      if (!expect(entry.value, TomlNode::Kind::array, "a list", problems_)) return false;
      for (const TomlNode& item : entry.value.items)
        if (!read_number_text(item, "a number", condition.values.emplace_back())) return false;
    }
    if (condition.turn == Turn::axis_angle) condition.values.push_back(angle);
    const std::size_t wanted = condition.turn == Turn::rpy ? 3 : 4;
    if (condition.turn != Turn::none && condition.values.size() == wanted &&
        !condition.values.back().empty())
      return true;
    problems_.error(node.where,
                    "expected a rotation: { axis = [..], angle = .. }, { quaternion = [w, x, y, "
                    "z] } or { rpy = [..] }");
    return false;
  }

  void read_periodic(const TomlNode& node, SteerTask& task) {
    if (node.is(TomlNode::Kind::boolean)) {
      task.periodic = node.flag;
      return;
    }
    if (!expect(node, TomlNode::Kind::array, "true, or a list of names", problems_)) return;
    task.periodic = true;
    task.periodic_where = node.where;
    for (const TomlNode& item : node.items)
      read_text(item, "a name", task.periodic_names.emplace_back());
  }

  void read_cost(const TomlEntry& entry, SteerTask& task) {
    const bool integral = entry.key == "integral";
    if (!integral && entry.key != "final") {
      problems_.error(entry.where,
                      fmt::format("unknown key '{}'; expected integral or final", entry.key));
      return;
    }
    read_number_text(entry.value, "an expression", integral ? task.integral : task.final);
    (integral ? task.integral_where : task.final_where) = entry.value.where;
  }

  Diagnostics& problems_;
};

}  // namespace

SteerTask read_steer_task(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored))
    refuse_at(path, "there is no such file; expected a steering task" + suggest_file(path));
  if (fs::file_size(path, ignored) > (std::size_t{1} << 20))
    refuse_at(path, "this is no steering task: it is larger than 1 MB");
  std::ifstream stream(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  Diagnostics problems(path);
  SteerTask task;
  task.file = path;
  task.folder = fs::path(path).parent_path().string();
  if (const auto root = parse_toml(text, problems); root && check_format(*root, problems))
    SteerTaskReader(problems).read(*root, task);
  if (problems.has_errors()) refuse(problems);
  return task;
}

}  // namespace cartan::results
