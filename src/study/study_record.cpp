#include "study/study_record.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/checksum.h"
#include "io/toml_tree.h"

namespace cartan::study {
namespace fs = std::filesystem;
namespace {

using RecordJson = nlohmann::ordered_json;

constexpr std::size_t most_differences = 3;
constexpr std::size_t longest_shown = 60;  // characters of a value

// Every value of a TOML document under its path: comments, blanks and the order of keys do not
// count.
void flatten(const TomlNode& node, const std::string& path, RecordJson& items) {
  switch (node.kind) {
    case TomlNode::Kind::table:
      for (const TomlEntry& entry : node.entries)
        flatten(entry.value, path.empty() ? entry.key : path + "." + entry.key, items);
      break;
    case TomlNode::Kind::array:
      for (std::size_t i = 0; i < node.items.size(); ++i)
        flatten(node.items[i], fmt::format("{}[{}]", path, i), items);
      break;
    case TomlNode::Kind::number:
      items[path] = fmt::format("{}", node.number);
      break;
    case TomlNode::Kind::boolean:
      items[path] = node.flag ? "true" : "false";
      break;
    default:
      items[path] = '"' + node.text + '"';
  }
}

// Files that stand in quotes somewhere in a model: tables, code.
void add_files(const std::string& folder, RecordJson& items) {
  std::vector<std::string> words;
  for (const auto& [path, value] : items.items()) {
    const std::string text = value.get<std::string>();
    std::size_t begin = std::string::npos;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '"' && text[i] != '\'') continue;
      if (begin != std::string::npos) words.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  for (const std::string& word : words) {
    std::error_code ignored;
    const fs::path file = fs::path(folder) / word;
    if (word.empty() || !fs::is_regular_file(file, ignored)) continue;
    if (const auto content = calc_fingerprint(file.string()))
      items["file " + word] = content->checksum;
  }
}

RecordJson model_items(const Model& model) {
  RecordJson items = RecordJson::object();
  std::ifstream stream(model.file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  Diagnostics ignored;
  if (const std::optional<TomlNode> root = parse_toml(text, ignored))
    flatten(*root, "", items);
  else
    items["content"] = checksum_of(text);
  add_files(model.folder, items);
  return items;
}

std::string shown(const RecordJson& value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.size() > longest_shown) text = text.substr(0, longest_shown) + "...";
  return text;
}

void compare_items(const RecordJson& before, const RecordJson& now, const std::string& kind,
                   std::vector<std::string>& differences) {
  for (const auto& [key, value] : before.items()) {
    if (value.is_object()) {
      compare_items(value, now.value(key, RecordJson::object()), key + ": ", differences);
      continue;
    }
    const auto found = now.find(key);
    if (found == now.end())
      differences.push_back(fmt::format("{}{} was {}, is gone", kind, key, shown(value)));
    else if (*found != value)
      differences.push_back(
          fmt::format("{}{} was {}, is {}", kind, key, shown(value), shown(*found)));
  }
  for (const auto& [key, value] : now.items())
    if (!before.contains(key))
      differences.push_back(fmt::format("{}{} is new: {}", kind, key, shown(value)));
}

}  // namespace

std::string make_record(const Study& study, const std::string& backend,
                        const std::vector<std::string>& sets) {
  const Design& design = study.design;
  RecordJson json;
  json["program"] = CARTAN_VERSION;
  json["backend"] = backend;
  json["runs"] = design.runs();
  json["sampling"] = to_string(design.sampling());
  json["seed"] = design.seed();
  json["indices"] = design.has_indices();
  json["trajectories"] = study.trajectories;
  RecordJson vary = RecordJson::object(), keep = RecordJson::object(),
             simulate = RecordJson::object(), set = RecordJson::object();
  for (std::size_t k = 0; k < study.inputs.size(); ++k) {
    const Distribution& d = design.inputs()[k];
    std::string law = text_of(d);
    if (law.size() > 1000) law = fmt::format("{}, {}", to_string(d.kind), checksum_of(law));
    vary[study.inputs[k].name] = law;
  }
  for (const KeptQuantity& kept : study.kept) keep[kept.name] = kept.text;
  const Model& model = *study.model;
  const auto number = [&](const char* key, const Formula& formula) {
    if (formula.given())
      simulate[key] = formula.texts.empty()
                          ? fmt::format("{}", evaluate<double>(formula, parameter_values(model))[0])
                          : formula.texts[0];
  };
  simulate["formulation"] = study.formulation;
  simulate["integrator"] = study.integrator;
  number("duration", model.simulate.duration);
  if (study.instant) simulate["duration"] = "0";
  number("step", model.simulate.step);
  number("tolerance", model.simulate.tolerance);
  if (model.simulate.every) simulate["every"] = *model.simulate.every;
  for (std::size_t k = 0; k < sets.size(); ++k) set[std::to_string(k + 1)] = sets[k];
  json["vary"] = vary;
  json["keep"] = keep;
  json["simulate"] = simulate;
  json["set"] = set;
  json["model"] = model_items(model);
  return json.dump(1) + "\n";
}

std::string compare_records(const std::string& before, const std::string& now) {
  if (before == now) return "";
  const RecordJson a = RecordJson::parse(before, nullptr, false);
  const RecordJson b = RecordJson::parse(now, nullptr, false);
  if (!a.is_object() || !b.is_object()) return "its record is damaged";
  std::vector<std::string> differences;
  compare_items(a, b, "", differences);
  std::string text;
  for (std::size_t k = 0; k < std::min(most_differences, differences.size()); ++k)
    text += (k ? "; " : "") + differences[k];
  if (differences.size() > most_differences)
    text += fmt::format("; and {} more", differences.size() - most_differences);
  return text;
}

}  // namespace cartan::study
